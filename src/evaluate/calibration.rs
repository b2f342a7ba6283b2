//! Whether an attack that states probabilities is right about itself.

use super::seekers::SeekerCount;

/// Where the bands of stated probabilities end.
const ENDS: [f64; 10] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95, 0.99, 1.0];

/// What an attack says of its success, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The rate that it expects: the mean of the probabilities that it states for its links.
    pub expected: f64,
    /// The seekers by stated probability, ascending; bands without any seeker are left out.
    pub bands: Vec<Band>,
    /// Seekers for whose link it states more than 90 %.
    pub sure: u64,
    /// Those of their links that are correct, a tie of t counted 1/t.
    pub sure_correct: f64,
}

/// Above this an attack is called sure of a link.
const SURE: f64 = 0.9;

/// The seekers for whose links an attack states a probability in `from < stated ≤ to` (the first band: from 0 on).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Lower end.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// Number of seekers.
    pub records: u64,
    /// Mean of the stated probabilities.
    pub stated: f64,
    /// Share of their links that are correct, a tie of t counted 1/t.
    pub realised: f64,
}

impl Calibration {
    /// Compares the probabilities stated for each seeker's link with how its true partner fared.
    pub fn new(seekers: &[SeekerCount]) -> Self {
        let mut bands = ENDS.map(|to| Band {
            from: 0.0,
            to,
            records: 0,
            stated: 0.0,
            realised: 0.0,
        });
        for band in 1..bands.len() {
            bands[band].from = ENDS[band - 1];
        }
        let (mut all, mut sum, mut sure, mut sure_correct) = (0, 0.0, 0, 0.0);
        for &SeekerCount { seeker, records } in seekers {
            all += records;
            // Who is linked with nobody says nothing of a link; in the mean they count as sure to fail.
            if seeker.contest.candidates == 0 {
                continue;
            }
            let stated = seeker.stated.unwrap_or(0.0);
            let weight = records as f64;
            sum += weight * stated;
            let band = ENDS.partition_point(|&end| end < stated);
            let band = &mut bands[band.min(ENDS.len() - 1)];
            band.records += records;
            band.stated += weight * stated;
            let correct = if seeker.contest.is_won() {
                weight / f64::from(seeker.contest.tied.max(1))
            } else {
                0.0
            };
            band.realised += correct;
            if stated > SURE {
                sure += records;
                sure_correct += correct;
            }
        }
        for band in &mut bands {
            let records = band.records.max(1) as f64;
            band.stated /= records;
            band.realised /= records;
        }
        Self {
            expected: sum / all.max(1) as f64,
            bands: bands.into_iter().filter(|band| band.records > 0).collect(),
            sure,
            sure_correct,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::seekers::{
            Seeker,
            tests::{each, seeker},
        },
        *,
    };

    /// By hand: 1.0 right, 0.4 tied with one other, 0.3 wrong, 0 without candidates but one.
    #[test]
    fn bands_by_hand() {
        let stating = |stated, inside, closer, tied| Seeker {
            stated: Some(stated),
            ..seeker(3, inside, closer, tied)
        };
        let calibration = Calibration::new(&each(&[
            stating(1.0, true, false, 1),
            stating(0.4, true, false, 2),
            stating(0.3, true, true, 0),
            stating(0.0, false, false, 0),
        ]));
        assert!((calibration.expected - 0.425).abs() < 1e-15);
        let found: Vec<(f64, f64, u64, f64)> = calibration
            .bands
            .iter()
            .map(|band| (band.from, band.to, band.records, band.realised))
            .collect();
        assert_eq!(
            found,
            [
                (0.0, 0.01, 1, 0.0),
                (0.2, 0.5, 2, 0.25),
                (0.99, 1.0, 1, 1.0)
            ]
        );
        assert!((calibration.bands[1].stated - 0.35).abs() < 1e-15);
        assert_eq!((calibration.sure, calibration.sure_correct), (1, 1.0));
    }
}
