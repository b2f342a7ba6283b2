//! The law of the sum of two independent displacements.

/// Displacements that are added up one by one, at most; of farther ones so many are taken together that there are no more.
const MOST: usize = 1 << 13;

/// P(0), P(1), … of the sum of two displacements, each the same up and down: `a` and `b` are their P(0), P(1), …
///
/// ```text
/// P(k) = Σ_j a(|j|) b(|k − j|)        over the j of both signs
/// ```
///
/// Of laws that reach farther than 8192, the parts that move are summed up in blocks, and are straight lines between the middles of blocks.
/// What stays in place is no part of that.
///
/// # Complexity
/// O(|a| |b|), and no more than O(8192²).
pub(super) fn of_displacements(a: &[f64], b: &[f64]) -> Vec<f64> {
    let longest = a.len().max(b.len());
    // Odd, so that blocks lie about their middles in the same way up and down.
    let block = longest.div_ceil(MOST) | 1;
    let length = a.len() + b.len() - 1;
    if block == 1 {
        return one_by_one(a, b);
    }
    let [moving_a, moving_b] = [a, b].map(|law| in_blocks(law, block));
    let mut law = between(&one_by_one(&moving_a, &moving_b), block, length);
    for (staying, moving) in [(b[0], a), (a[0], b)] {
        for (sum, p) in law.iter_mut().zip(moving).skip(1) {
            *sum += staying * p;
        }
    }
    law[0] += a[0] * b[0];
    law
}

fn one_by_one(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut law = vec![0.0; a.len() + b.len() - 1];
    // b of both signs, from the farthest down to the farthest up.
    let both: Vec<f64> = b[1..].iter().rev().chain(b).copied().collect();
    let middle = b.len() - 1;
    for (j, &p) in a.iter().enumerate() {
        // To j: from j − middle on.
        let below = middle.saturating_sub(j);
        let first = j.saturating_sub(middle);
        for (sum, q) in law[first..].iter_mut().zip(&both[below..]) {
            *sum += p * q;
        }
        // To −j: what lies above 0.
        if j > 0 && j <= middle {
            for (sum, q) in law.iter_mut().zip(&both[middle + j..]) {
                *sum += p * q;
            }
        }
    }
    law
}

/// The sums of blocks about the multiples of their width, without what stays in place.
fn in_blocks(law: &[f64], block: usize) -> Vec<f64> {
    let half = block / 2;
    let mut sums = vec![0.0; (law.len() - 1 + half) / block + 1];
    for (k, p) in law.iter().enumerate().skip(1) {
        sums[(k + half) / block] += p;
    }
    // Of both signs.
    sums[0] *= 2.0;
    sums
}

/// What single displacements have of sums of blocks.
fn between(sums: &[f64], block: usize, length: usize) -> Vec<f64> {
    let of = |number: usize| sums.get(number).copied().unwrap_or(0.0) / block as f64;
    (0..length)
        .map(|k| {
            let (number, share) = (k / block, (k % block) as f64 / block as f64);
            of(number) * (1.0 - share) + of(number + 1) * share
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(law: &[f64]) -> f64 {
        law[0] + 2.0 * law[1..].iter().sum::<f64>()
    }

    /// By hand: half stay, a quarter goes one down, one up; twice: 1/4 + 2/16 = 3/8 stay, 2 · 1/8 = 1/4 go one up, 1/16 two.
    #[test]
    fn two_steps_by_hand() {
        let law = of_displacements(&[0.5, 0.25], &[0.5, 0.25]);
        assert_eq!(law, [0.375, 0.25, 0.0625]);
        assert_eq!(of_displacements(&[1.0], &[0.5, 0.25]), [0.5, 0.25]);
        assert_eq!(of_displacements(&[0.5, 0.25], &[1.0]), [0.5, 0.25]);
    }

    /// Plain sums over the displacements of both signs.
    #[test]
    fn sums_are_those_of_plain_loops() {
        let law =
            |n: usize| -> Vec<f64> { (0..n).map(|k| ((k * 7 + 3) % 11) as f64 + 1.0).collect() };
        for (m, n) in [(1, 4), (4, 1), (5, 3), (3, 5), (6, 6)] {
            let (a, b) = (law(m), law(n));
            let mut slow = vec![0.0; m + n - 1];
            for i in -(m as i64 - 1)..m as i64 {
                for j in -(n as i64 - 1)..n as i64 {
                    if i + j >= 0 {
                        let at = |law: &[f64], k: i64| law[k.unsigned_abs() as usize];
                        slow[(i + j) as usize] += at(&a, i) * at(&b, j);
                    }
                }
            }
            assert_eq!(of_displacements(&a, &b), slow, "{m} {n}");
        }
    }

    /// The law of rank swapping with windows beyond 8192, a part of whom stay, against the sums one by one.
    #[test]
    fn blocks_are_near_the_sums_one_by_one() {
        let law = |window: usize, stays: f64| {
            let growing = (0..=window).map(|k| (k as f64 / window as f64).exp2());
            let mut law: Vec<f64> = growing.collect();
            law[0] = 0.0;
            let all = total(&law);
            law.iter_mut().for_each(|p| *p *= (1.0 - stays) / all);
            law[0] = stays;
            law
        };
        let (a, b) = (law(10_000, 0.1), law(9_000, 0.3));
        let (blocks, exact) = (of_displacements(&a, &b), one_by_one(&a, &b));
        assert_eq!(blocks.len(), exact.len());
        assert!((total(&blocks) - 1.0).abs() < 1e-3 && (total(&exact) - 1.0).abs() < 1e-9);
        assert!((blocks[0] - exact[0]).abs() < 1e-2 * exact[0]);
        for (k, (near, exact)) in blocks.iter().zip(&exact).enumerate().skip(1) {
            // At the very end next to nothing is left.
            if k < 18_800 {
                assert!((near - exact).abs() < 0.02 * exact, "{k}: {near} {exact}");
            }
        }
    }
}
