//! The law of short reaches, exactly: the steady state of the sweep over all states of its window.

/// The longest reach of which all states are gone through: 2^12 of them.
pub(super) const LONGEST: usize = 12;

/// Steps of the sweep after which it is taken to be in its steady state. The state is forgotten within a few windows.
const STEPS: usize = 200;

/// What happens when the drawn partner was swapped already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Another is drawn.
    Redrawn,
    /// The value stays.
    Stays,
}

/// P(0), P(1), … (of one side); `weights` are proportional to the probabilities of drawing 1, 2, … ranks ahead.
///
/// The state is which of the next m ranks are unswapped, the one under the sweep first. Each step draws the partner of the
/// one under the sweep, if it is unswapped, and moves on; the rank that enters is unswapped.
///
/// # Complexity
/// O(m 2^m) a step, of which there are [`STEPS`]: some tens of milliseconds at most.
pub(super) fn displacements(weights: &[f64], taken: Taken) -> Vec<f64> {
    let m = weights.len();
    let total: f64 = weights.iter().sum();
    let mut states = vec![0.0; 1 << m];
    states[(1 << m) - 1] = 1.0;
    let mut law = vec![0.0; m + 1];
    for step in 0..2 * STEPS {
        let mut next = vec![0.0; 1 << m];
        for (state, &probability) in states.iter().enumerate() {
            if probability <= 0.0 {
                continue;
            }
            // The rank that enters, m ahead, can be drawn at once.
            let window = state | 1 << m;
            let mut draws = vec![];
            if state & 1 == 0 {
                draws.push((0, 1.0));
            } else {
                let free = |k: &usize| window >> k & 1 == 1;
                let sum = match taken {
                    Taken::Redrawn => (1..=m).filter(free).map(|k| weights[k - 1]).sum(),
                    Taken::Stays => total,
                };
                draws.extend((1..=m).filter(free).map(|k| (k, weights[k - 1] / sum)));
                let stays = 1.0 - draws.iter().map(|(_, share)| share).sum::<f64>();
                if taken == Taken::Stays {
                    draws.push((0, stays.max(0.0)));
                    if step >= STEPS {
                        law[0] += probability * stays.max(0.0);
                    }
                }
            }
            for (k, share) in draws {
                let left = if k == 0 { window } else { window & !(1 << k) };
                next[left >> 1] += probability * share;
                if step >= STEPS && k > 0 {
                    law[k] += probability * share;
                }
            }
        }
        states = next;
    }
    // Means over many steps: a window of 1 goes in turns.
    for p in &mut law {
        *p /= STEPS as f64;
    }
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, window 2. F: the next rank is free, T: it is taken. F draws 1 or 2 evenly; 1 leads to F, 2 to T, and T can
    /// only draw 2, which leads to F. So F : T = 2 : 1, P(1) : P(2) = 1 : 2, and half of the ranks are heads.
    #[test]
    fn a_window_of_two_by_hand() {
        let law = displacements(&[1.0, 1.0], Taken::Redrawn);
        for (p, expected) in law.iter().zip([0.0, 1.0 / 6.0, 1.0 / 3.0]) {
            assert!((p - expected).abs() < 1e-12, "{law:?}");
        }
    }

    /// By hand, window 1: every second rank is a head.
    #[test]
    fn a_window_of_one_by_hand() {
        for taken in [Taken::Redrawn, Taken::Stays] {
            let law = displacements(&[1.0], taken);
            assert!((law[0] - 0.0).abs() < 1e-12 && (law[1] - 0.5).abs() < 1e-12);
        }
    }
}
