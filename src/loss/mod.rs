//! Information loss: what masking took from a file, and from the analyses that users will make of it.
//!
//! [`figures`] compares two files value by value and statistic by statistic:
//!
//! | key | what is compared | range |
//! |---|---|---|
//! | `il` | mean of five: values, means, variances, covariances, correlations | 0 to any |
//! | `il_all` | the same, with the entropy of what is no number | 0 to any |
//! | `pil`, `pil_…` | statistics, in units of what chance would make of them | 0 to 1 |
//! | `sse_sst` | squared differences of values, in units of their variance | 0 to any |
//! | `il1`, `il1s` | differences of values, relative or in units of the sd | 0 to any |
//! | `mean_square_…`, `mean_absolute_…`, `mean_variation_…` | of data, means, variances, covariances, correlations, quantiles | 0 to any |
//! | `mlodak` | how far attributes follow from each other | 0 to 1 |
//! | `entropy_loss` | what masked categories say about the original ones | 0 to 1 |
//! | `frequency_loss` | frequencies of categories | 0 to 1 |
//! | `changed`, `suppressed` | cells | 0 to 1 |
//!
//! Lower is better everywhere, and two equal files lose nothing: every figure that is defined is 0.
//!
//! Statistics are those of each file over the values that are there; values are compared in the cells that both files have.
//! What cannot be divided by is left out and counted. Nothing depends on the number of threads.
//!
//! Transparency cuts both ways: who knows how a file was masked attacks it better, and corrects statistics for it.
//! [`figures_and_correction`] gives the loss that remains after such a correction ([`corrected`]).

pub mod analyses;
mod categories;
pub mod corrected;
mod discrepancy;
mod frequencies;
pub mod integrity;
mod mlodak;
mod overall;
mod probabilistic;
mod scaled;
mod squared_error;
mod statistics;
pub mod weighted;

use std::sync::OnceLock;

pub use crate::figure::NO_NUMBERS;
use crate::{
    error::Result,
    figure::{Definition, Figure, TOO_LARGE},
    memory,
    statement::Statement,
    stats::moments::{Moments, moments_of_columns},
    table::{matrix::columns::Columns, pair::Pair},
};
pub use categories::{CHANGED, ENTROPY_LOSS, SUPPRESSED};
use corrected::{Correction, Law};
pub use overall::{FIVE as IL_PARTS, IL, IL_ALL, not_in_il};
use probabilistic::SamplingVariances;
pub use squared_error::SSE_SST;
use statistics::{Statistics, variances_of};

/// Why a measure of categories is not defined where there are none.
pub const NO_CATEGORIES: &str = "all compared attributes are numbers in both files";

/// The numbers of both files, and what users compute from them.
struct Files<'a> {
    pair: &'a Pair,
    names: &'a [String],
    before: &'a Columns,
    after: &'a Columns,
    // Worked out when a measure first asks.
    moments_of_before: OnceLock<Vec<Moments>>,
    of_before: OnceLock<Statistics>,
    of_after: OnceLock<Statistics>,
    sampling: OnceLock<SamplingVariances>,
}

impl<'a> Files<'a> {
    fn new(pair: &'a Pair) -> Self {
        Self {
            pair,
            names: &pair.numbers.names,
            before: &pair.numbers.original,
            after: &pair.numbers.masked,
            moments_of_before: OnceLock::new(),
            of_before: OnceLock::new(),
            of_after: OnceLock::new(),
            sampling: OnceLock::new(),
        }
    }

    fn moments_of_before(&self) -> &[Moments] {
        self.moments_of_before
            .get_or_init(|| moments_of_columns(self.before))
    }

    /// The variance of each attribute of the original, which takes little beside all its statistics.
    fn variances_of_before(&self) -> Vec<Option<f64>> {
        variances_of(self.moments_of_before())
    }

    fn of_before(&self) -> &Statistics {
        self.of_before
            .get_or_init(|| Statistics::of(self.before, self.moments_of_before()))
    }

    fn of_after(&self) -> &Statistics {
        self.of_after
            .get_or_init(|| Statistics::of(self.after, &moments_of_columns(self.after)))
    }

    /// Of the statistics of the original.
    fn sampling(&self) -> &SamplingVariances {
        self.sampling
            .get_or_init(|| SamplingVariances::of(self.before, self.of_before()))
    }

    /// Why a measure in units of standard deviations is not defined.
    fn no_spread(&self) -> &'static str {
        match self.names.is_empty() {
            true => NO_NUMBERS,
            false if self.of_before().too_large => TOO_LARGE,
            false => "no attribute of numbers varies in the original",
        }
    }

    /// Whether a statistic of either file, or its sampling variance, is beyond the range of numbers.
    fn are_too_large(&self) -> bool {
        self.of_before().too_large || self.of_after().too_large || self.sampling().are_too_large()
    }
}

/// Asks for the memory that the statistics of pairs of attributes take, before [`figures`] is called.
///
/// # Errors
/// Failed, when it is more than the limit.
pub fn check_memory(pair: &Pair) -> Result<()> {
    /// Covariances, correlations and their sampling variances of both files, and what Mlodak's measure inverts.
    const SQUARES: u128 = 9;
    let width = pair.numbers.names.len();
    memory::check(
        &format!("the covariances and correlations of {width} attributes"),
        SQUARES * (width as u128).pow(2),
        size_of::<f64>(),
        "Compare fewer attributes (--attributes)",
    )
}

/// The measures of these keys on a pair of files, in the order of [`definitions`]; all of them if there are no keys. Others are not
/// worked out, unless they come with one that is.
///
/// # Complexity
/// O(n p² + n p log n) time, O(n p + p²) memory.
pub fn figures(pair: &Pair, keys: &[&str]) -> Vec<Figure> {
    figures_of(&Files::new(pair), keys)
}

/// [`figures`], and what of them remains for users who correct their statistics by what was published.
///
/// Instead of that, where no correction is known for what was published, why so.
pub fn figures_and_correction(
    pair: &Pair,
    keys: &[&str],
    statement: &Statement,
) -> (Vec<Figure>, std::result::Result<Correction, String>) {
    let law = match Law::of(statement, &pair.numbers.names) {
        Ok(law) => law,
        Err(why) => {
            let figures = figures(pair, keys);
            let of_categories = frequencies::correction(pair, &figures, statement);
            return (figures, of_categories.unwrap_or(Err(why)));
        }
    };
    let mut files = Files::new(pair);
    let figures = figures_of(&files, keys);
    let masked = files.of_after().clone();
    files.of_after = law.corrected(&masked).into();
    let correction = Correction::new(law, &figures, &masked, &files);
    (figures, Ok(correction))
}

/// One module's measures of the data.
struct Measure {
    /// What it measures, in the order of its figures: the same for all files.
    definitions: fn() -> Vec<&'static Definition>,
    figures: fn(&Files<'_>) -> Vec<Figure>,
}

/// The measures of the data in the order of reports. The overall ones are made from them and come first.
static MEASURES: [Measure; 7] = [
    Measure {
        definitions: || vec![&scaled::IL1S],
        figures: |files| vec![scaled::figure(files)],
    },
    Measure {
        definitions: || vec![&squared_error::SSE_SST],
        figures: |files| vec![squared_error::figure(files)],
    },
    Measure {
        definitions: || probabilistic::definitions().collect(),
        figures: probabilistic::figures,
    },
    Measure {
        definitions: || vec![&mlodak::MLODAK],
        figures: |files| vec![mlodak::figure(&files.pair.numbers)],
    },
    Measure {
        definitions: || categories::definitions().to_vec(),
        figures: categories::figures,
    },
    Measure {
        definitions: || vec![&frequencies::FREQUENCY_LOSS],
        figures: |files| vec![frequencies::figure(files)],
    },
    Measure {
        definitions: || discrepancy::definitions().collect(),
        figures: discrepancy::figures,
    },
];

/// What [`figures`] measures, in its order: the same for all files.
pub fn definitions() -> Vec<&'static Definition> {
    let measured = MEASURES.iter().flat_map(|measure| (measure.definitions)());
    overall::definitions().into_iter().chain(measured).collect()
}

fn figures_of(files: &Files<'_>, keys: &[&str]) -> Vec<Figure> {
    let is_needed = |key: &str| {
        let of_overall = |asked| overall::parts(asked).any(|part| part == key);
        keys.is_empty() || keys.iter().any(|&asked| asked == key || of_overall(asked))
    };
    let is_asked_for = |figure: &Figure| keys.is_empty() || keys.contains(&figure.what.key);
    let needed = MEASURES.iter().filter(|measure| {
        (measure.definitions)()
            .iter()
            .any(|what| is_needed(what.key))
    });
    let measured: Vec<Figure> = needed
        .flat_map(|measure| (measure.figures)(files))
        .collect();
    let mut figures = overall::figures(&measured, files.names.len());
    figures.extend(measured);
    figures.retain(is_asked_for);
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ReadOptions, Table};

    #[test]
    fn definitions_are_those_of_the_figures() {
        let csv = b"a,b,sex\n1,2,f\n3,5,m\n4,4,f\n".to_vec();
        let table = Table::read("t.csv", csv, &ReadOptions::default()).unwrap();
        let ids: Vec<_> = table.ids().map(|id| [id, id]).collect();
        let pair = Pair::new([&table, &table], &ids, &[[0, 0], [1, 1], [2, 2]]);
        let figures = figures(&pair, &[]);
        assert_eq!(figures.len(), 34);
        let measured: Vec<&Definition> = figures.iter().map(|figure| figure.what).collect();
        assert_eq!(definitions(), measured);
    }

    #[test]
    fn a_measure_alone_is_what_it_is_among_all() {
        let table = |csv: &str| {
            let options = ReadOptions::default();
            Table::read("t.csv", csv.as_bytes().to_vec(), &options).unwrap()
        };
        let original = table("a,b,sex\n1,2,f\n3,5,m\n4,4,f\n9,1,m\n");
        let masked = table("a,b,sex\n2,2,f\n3,4,f\n4,5,f\n7,1,m\n");
        let ids: Vec<_> = original.ids().map(|id| [id, id]).collect();
        let places = [[0, 0], [1, 1], [2, 2], [3, 3]];
        let pair = Pair::new([&original, &masked], &ids, &places);
        let all = figures(&pair, &[]);
        for figure in &all {
            assert_eq!(
                figures(&pair, &[figure.what.key]),
                std::slice::from_ref(figure)
            );
        }
        let [first, last] = [&all[5], &all[20]];
        // In the order of reports, not of the keys.
        assert_eq!(
            figures(&pair, &[last.what.key, first.what.key]),
            [first.clone(), last.clone()]
        );
    }
}
