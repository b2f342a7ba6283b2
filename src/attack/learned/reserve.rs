//! Time that is kept for what follows a search.

use std::sync::{Mutex, PoisonError};

use crate::optimize::subsystem::Watch;

/// Counts over all records that follow a search: of what its engine found last, of the member of the family that it becomes, and that of the
/// attack.
const COUNTS_AFTER: f64 = 3.0;

/// Stops a search so early that what follows it is done before its time is over: the longest count so far says how long that takes.
pub(super) struct Reserve<'a> {
    watch: &'a dyn Watch,
    longest: Mutex<f64>,
}

impl<'a> Reserve<'a> {
    pub fn of(watch: &'a dyn Watch) -> Self {
        Self {
            watch,
            longest: Mutex::new(0.0),
        }
    }

    fn longest(&self) -> std::sync::MutexGuard<'_, f64> {
        self.longest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Reserve<'_> {
    fn stops(&self) -> bool {
        self.watch.stops() || self.seconds_left() == Some(0.0)
    }

    fn seconds_left(&self) -> Option<f64> {
        let left = self.watch.seconds_left()?;
        Some((left - COUNTS_AFTER * *self.longest()).max(0.0))
    }

    fn counted(&self, seconds: f64) {
        let mut longest = self.longest();
        *longest = longest.max(seconds);
    }

    fn progress(&self, satisfied: usize, bound: usize) {
        self.watch.progress(satisfied, bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::subsystem::Patient;

    struct Left(f64);

    impl Watch for Left {
        fn stops(&self) -> bool {
            false
        }

        fn seconds_left(&self) -> Option<f64> {
            Some(self.0)
        }
    }

    #[test]
    fn three_of_the_longest_counts_are_kept() {
        let reserve = Reserve::of(&Left(10.0));
        assert_eq!(reserve.seconds_left(), Some(10.0));
        for (count, left) in [(2.0, 4.0), (1.0, 4.0), (3.0, 1.0)] {
            reserve.counted(count);
            assert_eq!(reserve.seconds_left(), Some(left));
            assert!(!reserve.stops());
        }
        reserve.counted(4.0);
        assert!(reserve.stops());
        // Without a limit there is nothing to keep.
        let reserve = Reserve::of(&Patient);
        reserve.counted(1e9);
        assert!(!reserve.stops());
    }
}
