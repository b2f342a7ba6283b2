//! Clusters that users would find in either file, and how far they are the same.

use super::{
    Analysis,
    design::{Column, SIDES, Side, Standard, Variable, complete_records, counted, left_out},
    k_means::{Clusters, k_means},
    partitions::PartitionAgreement,
};
use crate::{
    error::{Error, Reason, Result},
    figure::{Definition, Figure, Group, Part},
    rng::Streams,
    table::{Matrix, pair::Pair},
};

static RAND: Definition = Definition::share(Group::Clusters, "kmeans_rand", "clusters, Rand index", "k-means of the standardised numbers of each file, the best of several starts; the share of pairs of records that \
           both clusterings put together or both put apart", "Rand 1971",).higher_is_better().public();

static ADJUSTED_RAND: Definition = Definition::number(Group::Clusters, "kmeans_adjusted_rand", "clusters, adjusted Rand index", "the Rand index of the same two clusterings, less what chance gives: 1 equal, 0 as similar as clusters drawn at random", "Hubert and Arabie 1985",).higher_is_better().at_least(-0.5).at_most(1.0);

static JACCARD: Definition = Definition::share(Group::Clusters, "kmeans_jaccard", "clusters, Jaccard index", "of the pairs of records that one of the same two clusterings puts together, the share that both do", "Jaccard 1912",).higher_is_better().public();

static F: Definition = Definition::share(Group::Clusters, "kmeans_f", "clusters, F-measure", "each cluster of the original with the most similar one of the masked file: 2 shared / (records of one + of the \
           other), mean over records; parts are clusters of the original", "Larsen and Aone 1999",).higher_is_better().public();

static LOSS: Definition = Definition::number(Group::Clusters, "kmeans_loss", "cluster-based loss", "(1 - adjusted Rand index)/2 of the clusterings from one start each; the least over the starts, which are the parts", "the cluster-based information loss by which the literature of learned distances describes its files",).at_most(0.75);

/// What is found of clusters.
pub(super) fn definitions() -> impl Iterator<Item = &'static Definition> {
    [&RAND, &ADJUSTED_RAND, &JACCARD, &F, &LOSS].into_iter()
}

/// Starts in each file at most.
const MAX_STARTS: usize = 1000;

/// How clusters are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Number of clusters, at least 2.
    pub clusters: usize,
    /// Starts of k-means in each file, 1 to 1000.
    pub starts: usize,
}

/// k-means on both files, compared over the same records.
///
/// Attributes are the numbers of both files (codes of names aside), each standardised by its own file's mean and standard
/// deviation (n − 1); one without spread in a file is 0 there. Start r of both files takes the same random numbers, so the same
/// file gives the same clusters. Of several starts the one with the least sum of squared distances counts (the first of equals).
///
/// # Missing values
/// Records that miss one of the numbers in either file are left out; `counted` is how many are not.
///
/// # Randomness
/// Stream r for start r. The order of the records does not matter.
///
/// # Errors
/// Usage: fewer than 2 clusters, no start or more than 1000, or more clusters than records. Input: no numbers to cluster by.
///
/// # Complexity
/// O(starts · turns · n · clusters · attributes), in parallel; memory O(n · attributes).
pub fn measure(pair: &Pair, options: Options, streams: &Streams) -> Result<Analysis> {
    let variables = Variable::all(pair);
    let numbers: Vec<&Variable<'_>> = variables
        .iter()
        .filter(|variable| matches!(variable, Variable::Number(_)))
        .collect();
    let records = complete_records(pair.n_records, &numbers);
    check(options, numbers.len(), records.len())?;
    let columns: Vec<Column> = variables
        .iter()
        .filter_map(|variable| match variable {
            Variable::Number(number) => Some(Column::of_number(number, &records)),
            Variable::Levels(_) => None,
        })
        .collect();
    let varies = |column: &Column| Standard::of(column.original.iter().copied()).is_defined();
    if !columns.iter().any(varies) {
        return Err(Error::input(
            "no number varies in the original, so there are no groups to be found",
        )
        .because(Reason::Constant { attribute: None })
        .remedy("Compare attributes that vary, or leave --clusters out"));
    }
    let points = SIDES.map(|side| standardised(&columns, side));
    let starts = Starts::new(options, |start| {
        [0, 1].map(|side| k_means(&points[side], options.clusters, &mut streams.at(start)))
    });
    let mut notes = vec![format!(
        "k-means: {} clusters, {} starts, on the numbers {}, over {}",
        options.clusters,
        options.starts,
        columns
            .iter()
            .map(|column| column.name.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        counted(records.len())
    )];
    notes.extend(left_out("k-means", records.len(), pair.n_records));
    Ok(Analysis {
        figures: compared(&starts),
        notes,
    })
}

fn check(options: Options, attributes: usize, records: usize) -> Result<()> {
    if options.clusters < 2 {
        return Err(Error::out_of_range(
            "clusters",
            2.0..,
            "one cluster holds everything in both files",
        )
        .remedy("Ask for 2 clusters or more, such as --clusters 3"));
    }
    if !(1..=MAX_STARTS).contains(&options.starts) {
        let what = format!("k-means needs a start, and more than {MAX_STARTS} find nothing new");
        return Err(Error::out_of_range("starts", 1.0..=MAX_STARTS as f64, what)
            .remedy("Give --starts a number from 1 to 1000, such as 10"));
    }
    if attributes == 0 {
        return Err(Error::input(
            "there are no numbers in both files by which records could be clustered",
        )
        .because(Reason::NothingToCompare)
        .remedy("Compare attributes that are numbers, or leave --clusters out"));
    }
    if options.clusters > records {
        let what = format!(
            "{} clusters are too many for {} that miss no number",
            options.clusters,
            counted(records)
        );
        return Err(
            Error::out_of_range("clusters", 2.0..=records as f64, what).remedy(
                "Ask for fewer clusters, or leave attributes with many gaps out of --attributes",
            ),
        );
    }
    Ok(())
}

fn standardised(columns: &[Column], side: Side) -> Matrix {
    let standards: Vec<Standard> = columns
        .iter()
        .map(|column| Standard::of(column.of(side).iter().copied()))
        .collect();
    let n = columns.first().map_or(0, |column| column.of(side).len());
    let mut values = Vec::with_capacity(n * columns.len());
    for record in 0..n {
        for (column, standard) in columns.iter().zip(&standards) {
            values.push(standard.apply(column.of(side)[record]));
        }
    }
    Matrix::complete(n, columns.len(), values)
}

/// What is kept of all starts.
struct Starts {
    /// Of each file the start with the least sum of squared distances, the first of equals.
    best: [Clusters; 2],
    /// The loss of each start.
    losses: Vec<f64>,
}

impl Starts {
    /// `of` gives the clusters of a start in both files.
    fn new(options: Options, of: impl Fn(u64) -> [Clusters; 2]) -> Self {
        let loss = |[a, b]: &[Clusters; 2]| {
            (1.0 - PartitionAgreement::new(&a.of_point, &b.of_point).adjusted_rand()) / 2.0
        };
        let best = of(0);
        let mut starts = Self {
            losses: vec![loss(&best)],
            best,
        };
        for start in 1..options.starts as u64 {
            let both = of(start);
            starts.losses.push(loss(&both));
            for (best, other) in starts.best.iter_mut().zip(both) {
                if other.within < best.within {
                    *best = other;
                }
            }
        }
        starts
    }
}

fn compared(starts: &Starts) -> Vec<Figure> {
    let [original, masked] = &starts.best;
    let agreement = PartitionAgreement::new(&original.of_point, &masked.of_point);
    let records = agreement.records();
    let groups = agreement.f_by_group();
    let clusters = groups.iter().map(|&(cluster, size, f)| Part {
        name: format!("cluster {} ({size} records)", cluster + 1),
        value: Some(f),
    });
    let losses = &starts.losses;
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let starts = losses.iter().enumerate().map(|(start, &loss)| Part {
        name: format!("start {}", start + 1),
        value: Some(loss),
    });
    vec![
        Figure::new(&RAND, agreement.rand(), records),
        Figure::new(&ADJUSTED_RAND, agreement.adjusted_rand(), records),
        Figure::new(&JACCARD, agreement.jaccard(), records),
        Figure::new(&F, agreement.f_measure(), records).with_parts(clusters.collect()),
        Figure::new(&LOSS, least, records).with_parts(starts.collect()),
    ]
}
