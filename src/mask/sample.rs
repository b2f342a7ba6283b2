//! Sampling: a random part of the records is released.

use rand::seq::SliceRandom;

use super::{Details, Mask, Masked, categories};
use crate::{
    error::{Error, Result},
    rng::Streams,
    statement::{Method, SampleParameters, SampleSize, Step},
    table::{AttrId, Table},
};

/// A simple random sample of the records without replacement, of the file or of each stratum.
///
/// ```text
/// n   = round(fraction · N), halves up, or as many as are asked for
/// n_h = floor(n · N_h / N), and 1 more in the strata of greatest remainder n · N_h mod N until the sum is n
/// ```
///
/// so every record is drawn with the same probability n/N but for rounding, and weights need no correction. The records keep their order.
///
/// # Ties
/// Strata of equal remainder are put in random order.
///
/// # Missing
/// In an attribute of the strata, a missing value is a category of its own.
///
/// # Randomness
/// `Purpose::Mask`: a stream for remainders, and one a stratum, in the order of the strata's categories.
///
/// # Complexity
/// O(N log strata) time, 8 bytes a record.
///
/// # Source
/// W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, sections 2.1 and 5.5 (proportional allocation).
#[derive(Debug, Clone)]
pub struct Sample {
    size: SampleSize,
    strata: Vec<AttrId>,
}

impl Sample {
    /// A sample of this size, with strata of equal values of these attributes; without strata if there are none.
    ///
    /// # Errors
    /// Usage, when the size is no share or nobody.
    pub fn new(size: SampleSize, strata: Vec<AttrId>) -> Result<Self> {
        match size {
            SampleSize::Fraction(share) if !(share > 0.0 && share <= 1.0) => Err(Error::usage(
                "a sample is a share of the records above 0 and at most 1",
            )
            .remedy("For example --fraction 10%")),
            SampleSize::Records(0) => Err(Error::usage("a sample of 0 records releases nothing")
                .remedy("For example --n 1000")),
            SampleSize::Fraction(_) | SampleSize::Records(_) => Ok(Self { size, strata }),
        }
    }

    /// The number of records to draw of so many.
    fn records(&self, all: usize) -> Result<usize> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number of records"
        )]
        let drawn = match self.size {
            SampleSize::Records(n) => n,
            SampleSize::Fraction(share) => (share * all as f64).round() as usize,
        };
        match drawn {
            0 => Err(
                Error::usage(format!("so small a share of {all} records is nobody"))
                    .remedy("Give a greater --fraction, or --n"),
            ),
            drawn if drawn > all => Err(Error::usage(format!(
                "{drawn} records cannot be drawn of {all}"
            ))
            .remedy("Give a smaller --n")),
            drawn => Ok(drawn),
        }
    }
}

/// How many of `drawn` fall to each stratum of these sizes.
fn allocated(sizes: &[usize], drawn: usize, streams: &Streams) -> Vec<usize> {
    let all: u128 = sizes.iter().map(|&size| size as u128).sum();
    let share = |size: usize| drawn as u128 * size as u128;
    let mut allocated: Vec<usize> = sizes
        .iter()
        .map(|&size| (share(size) / all.max(1)) as usize)
        .collect();
    let left = drawn - allocated.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.shuffle(&mut streams.at(0));
    order.sort_by_key(|&stratum| std::cmp::Reverse(share(sizes[stratum]) % all.max(1)));
    for &stratum in order.iter().take(left) {
        allocated[stratum] += 1;
    }
    allocated
}

impl Mask for Sample {
    fn name(&self) -> &'static str {
        "sample"
    }

    fn masks_values(&self) -> bool {
        false
    }

    fn objection(&self, _table: &Table, _attribute: AttrId) -> Option<Error> {
        Some(Error::usage("is left as it is by a sample"))
    }

    fn apply(&self, original: Table, _on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let all = original.n_records();
        let drawn = self.records(all)?;
        let strata = categories::strata(&original, &self.strata);
        let sizes: Vec<usize> = strata.values().map(Vec::len).collect();
        let allocated = allocated(&sizes, drawn, streams);
        let mut selected = Vec::with_capacity(drawn);
        for ((stratum, mut records), n) in (1_u64..).zip(strata.into_values()).zip(&allocated) {
            let (chosen, _) = records.partial_shuffle(&mut streams.at(stratum), *n);
            selected.extend_from_slice(chosen);
        }
        selected.sort_unstable();
        let method = Method::Sample(SampleParameters {
            size: self.size,
            strata: original.names(&self.strata),
        });
        let mut step = Step::new(method, drawn, Vec::new());
        step.records_before = Some(all);
        let table = original.reordered(selected.clone());
        Ok(Masked {
            table,
            step,
            effects: Vec::new(),
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Sample {
                strata: sizes.len(),
                without: allocated.iter().filter(|&&n| n == 0).count(),
                selected,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    fn streams(seed: u64) -> Streams {
        Seed::from_number(seed).streams(Purpose::Mask, 0)
    }

    /// 10 of 7 + 7 + 6: quotas 3.5, 3.5, 3, so one of the first two gets the last; by chance, about half of the time each.
    #[test]
    fn strata_get_their_share_and_ties_are_drawn() {
        let mut first = 0;
        for seed in 0..200 {
            let found = allocated(&[7, 7, 6], 10, &streams(seed));
            assert_eq!(found.iter().sum::<usize>(), 10);
            assert_eq!(found[2], 3);
            assert!(found == [4, 3, 3] || found == [3, 4, 3], "{found:?}");
            first += usize::from(found[0] == 4);
        }
        // Of 200 fair draws, 5 sd around 100.
        assert!((65..=135).contains(&first), "{first}");
    }

    #[test]
    fn a_stratum_never_gives_more_than_it_has() {
        for drawn in 0..=9 {
            let found = allocated(&[1, 3, 5], drawn, &streams(1));
            assert_eq!(found.iter().sum::<usize>(), drawn);
            assert!(found.iter().zip([1, 3, 5]).all(|(&n, size)| n <= size));
        }
    }
}
