//! A bound from parts: no parameters satisfy more of all blocks than of each part by itself, added up.
//!
//! ```text
//! max over p of Σ over parts of (blocks of the part that p satisfies)   ≤   Σ over parts of max over p of (the same)
//! ```
//!
//! Where each block leaves the parameters much room, as records do that were masked a little in every attribute, a conflict has about as many
//! blocks as there are parameters, and conflicts of all blocks bound little: a relaxation satisfies all but a small share of every block.
//! A part of a hundred blocks is proven, or nearly so, in seconds, by branching where that share is.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Answer, Problem, Proof, Start, Watch, branch};

/// Blocks of a part: so few that most are proven, so many that little is lost at the seams.
const PART: usize = 120;

/// Parts are looked at where the gap is wider than one in so many blocks.
const WIDE: usize = 20;

/// The best parameters of all blocks and a bound, by a search over all of them that is given up halfway through its time if its gap is
/// wide, and then by parts: every block whose number leaves the same remainder.
///
/// Without a limit of time, or of few blocks, it is the search over all alone.
pub(super) fn solve(problem: &Problem, start: Start, watch: &dyn Watch) -> Answer {
    let n_blocks = problem.rows.n_blocks();
    let Some(seconds) = watch.seconds_left().filter(|_| n_blocks > PART) else {
        return branch::solve(problem, start, watch);
    };
    let halfway = Until {
        watch,
        left: seconds / 2.0,
        gap: AtomicUsize::new(n_blocks),
        wide: start.tolerance.max(n_blocks / WIDE),
    };
    let answer = branch::solve(problem, start, &halfway);
    if answer.bound - answer.satisfied <= halfway.wide {
        answer
    } else {
        by_parts(problem, answer, PART, watch)
    }
}

/// An answer, with the bound of parts of at most so many blocks where that is less.
fn by_parts(problem: &Problem, mut answer: Answer, size: usize, watch: &dyn Watch) -> Answer {
    let n_blocks = problem.rows.n_blocks();
    let n_parts = n_blocks.div_ceil(size);
    let mut bound = 0;
    for part in 0..n_parts {
        let some = problem.of_blocks((part..n_blocks).step_by(n_parts));
        let left = watch.seconds_left().unwrap_or(0.0);
        let until = Until {
            watch: &Silent(watch),
            left: left - left / (n_parts - part) as f64,
            gap: AtomicUsize::new(n_blocks),
            wide: 0,
        };
        let start = Start {
            parameters: Some(answer.parameters.clone()),
            ..Start::default()
        };
        let found = branch::solve(&some, start, &until);
        bound += found.bound;
        let satisfied = problem.count(&found.parameters);
        if satisfied > answer.satisfied {
            (answer.satisfied, answer.parameters) = (satisfied, found.parameters);
        }
    }
    if bound < answer.bound {
        answer.bound = bound;
        answer.proof = Proof::Search(format!(
            "the bounds of {n_parts} parts of the records, added up"
        ));
    }
    watch.progress(answer.satisfied, answer.bound);
    answer
}

/// Stops earlier than another: when so many seconds are left, and the gap is wide still.
struct Until<'a> {
    watch: &'a dyn Watch,
    left: f64,
    /// The gap, as far as it was heard of.
    gap: AtomicUsize,
    wide: usize,
}

impl Watch for Until<'_> {
    fn stops(&self) -> bool {
        let is_wide = || self.gap.load(Ordering::Relaxed) > self.wide;
        self.watch.stops()
            || is_wide()
                && self
                    .watch
                    .seconds_left()
                    .is_some_and(|left| left < self.left)
    }

    fn seconds_left(&self) -> Option<f64> {
        let left = self.watch.seconds_left()?;
        Some((left - self.left).max(0.0))
    }

    fn progress(&self, satisfied: usize, bound: usize) {
        self.gap
            .store(bound.saturating_sub(satisfied), Ordering::Relaxed);
        self.watch.progress(satisfied, bound);
    }
}

/// Says nothing of how a part fares: it is not how all fare.
struct Silent<'a>(&'a dyn Watch);

impl Watch for Silent<'_> {
    fn stops(&self) -> bool {
        self.0.stops()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.0.seconds_left()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Patient, Rows, Space, cone},
        *,
    };

    /// Blocks of three rows of four numbers of either sign, mostly positive.
    fn problem(n_blocks: usize, mut state: u32) -> Problem {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 20) / 4096.0 - 0.4
        };
        let mut rows = Rows::new();
        for _ in 0..n_blocks {
            rows.push_block();
            for label in 0..3 {
                rows.push_row(label, &std::array::from_fn::<f64, 4, _>(|_| next()));
            }
        }
        Problem {
            space: Space::simplex(4),
            rows,
        }
    }

    /// The optimum of all, by another engine, is never above the bound of parts; one part is all; parts of one block bound by who can be
    /// satisfied at all.
    #[test]
    fn parts_bound_what_all_can_reach() {
        for seed in 0..20 {
            let problem = problem(40, seed);
            let best = cone::solve(&problem, Start::default(), &Patient);
            assert_eq!(best.satisfied, best.bound);
            let alone = (0..40)
                .filter(|&block| {
                    let one = problem.of_blocks(std::iter::once(block));
                    cone::solve(&one, Start::default(), &Patient).satisfied == 1
                })
                .count();
            for size in [1, 5, 10, 20, 40] {
                let found = by_parts(&problem, Answer::unknown(&problem), size, &Patient);
                assert!(best.bound <= found.bound && found.bound <= alone, "{size}");
                assert_eq!(found.satisfied, problem.count(&found.parameters));
                assert!(found.satisfied <= best.satisfied);
                assert!(size > 1 || found.bound == alone);
                assert!(size < 40 || found.bound == best.bound);
            }
            assert!(best.bound < alone, "nothing to bound");
        }
    }

    /// Many seconds are left until the first question; then few.
    struct Short(AtomicUsize);

    impl Watch for Short {
        fn stops(&self) -> bool {
            false
        }

        fn seconds_left(&self) -> Option<f64> {
            let asked = self.0.fetch_add(1, Ordering::Relaxed);
            Some(if asked == 0 { 10.0 } else { 4.0 })
        }
    }

    /// A search of all that is given up halfway has the bound of parts, if that is less; one with a narrow gap goes on.
    #[test]
    fn a_wide_gap_is_given_up_halfway() {
        let problem = problem(PART + 30, 1);
        let best = cone::solve(&problem, Start::default(), &Patient);
        let found = solve(&problem, Start::default(), &Short(AtomicUsize::new(0)));
        assert!(best.bound <= found.bound && found.bound < PART + 30);
        let narrow = Until {
            watch: &Short(AtomicUsize::new(1)),
            left: 5.0,
            gap: AtomicUsize::new(9),
            wide: 3,
        };
        assert!(narrow.stops());
        narrow.progress(10, 13);
        assert!(!narrow.stops());
    }
}
