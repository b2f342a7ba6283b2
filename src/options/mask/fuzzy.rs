//! `mask fuzzy`: options, and what they mean.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    DecimalsArgs, Extra, MaskArgs, MethodArgs, microaggregation::ScaleArg, strata::StrataArgs,
};
use crate::{
    error::{Error, Result},
    jobs::{
        Observer,
        mask::request::{ClusterNumber, FuzzyRequest, MethodRequest},
    },
    mask::fuzzy::{Settings, StartingCentres},
    options::files::{Files, name_of},
    report::spreadsheet,
    table::{ReadOptions, Table},
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask fuzzy --k 5 --m1 1.5 --m2 1.5 in.csv > masked.csv
  sdcrisk mask fuzzy --clusters 50 --m1 2 --m2 2 --starts 5 --statement m.sdc.json in.csv > m.csv
  sdcrisk mask fuzzy --m1 1.5 --m2 1.5 --group income,tax:5 --group age,rent:10 in.csv > m.csv
  sdcrisk mask fuzzy --k 5 --m1 1.5 --m2 1.2 --centres v.csv --partition c.csv in.csv > m.csv

Records are clustered, and each belongs to every cluster to some degree, the more the nearer its centre is. A cluster is \
drawn by these degrees, and the record gets the values of its centre. Who knows the method still cannot say which \
centre a record had to get. The larger m1, m2 or k, the more is lost and the less is revealed; near 1, m2 gives every \
record its nearest centre. Records share a centre with k others on average only: see the smallest group in the remarks.

Ordinal attributes are left as they are unless --attributes or --group names them: averages of codes are no codes.

Publish the statement with the file; keep the seed, the partition and the memberships to yourself.";

#[derive(Debug, Args)]
pub struct FuzzyArgs {
    /// Records that should share a centre, on average k to 2k: makes 2n/3k clusters of n records
    #[arg(long, value_name = "RECORDS", conflicts_with = "clusters")]
    k: Option<usize>,
    /// Number of clusters
    #[arg(long, value_name = "NUMBER")]
    clusters: Option<usize>,
    /// Fuzziness of the clustering, more than 1: the larger, the nearer the centres are to the mean of the file
    #[arg(long, value_name = "NUMBER")]
    m1: f64,
    /// Fuzziness of the draw, more than 1: the larger, the more centres a record can get
    #[arg(long, value_name = "NUMBER")]
    m2: f64,
    /// Attributes that are aggregated together, and a --k (or --clusters) of their own: 'a,b' or 'a,b:3'; may be repeated
    #[arg(long, value_name = "LIST[:NUMBER]", conflicts_with = "attributes")]
    group: Vec<String>,
    /// Units of distances: standardised attributes, or the file's own
    #[arg(long, value_enum, default_value = "z")]
    scale: ScaleArg,
    #[command(flatten)]
    decimals: DecimalsArgs,
    /// Start the clustering from this many draws of records (1000 at most), and keep the best
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    starts: usize,
    /// The clustering ends when no centre moves farther, in standard deviations
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().tolerance)]
    tolerance: f64,
    /// The clustering ends after this many iterations at the latest
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().max_iterations)]
    max_iterations: usize,
    /// Start the clustering from these centres (CSV, in the file's units), one cluster each
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["k", "clusters", "group", "starts"]
    )]
    init_centres: Option<PathBuf>,
    /// Write the cluster of each record (CSV, private)
    #[arg(long, value_name = "FILE")]
    partition: Option<PathBuf>,
    /// Write the centres that the clustering found (CSV, private)
    #[arg(long, value_name = "FILE")]
    centres: Option<PathBuf>,
    /// Write the memberships by which clusters were drawn (CSV, private)
    #[arg(long, value_name = "FILE")]
    memberships: Option<PathBuf>,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for FuzzyArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn inputs(&self, _: &dyn Files) -> Vec<PathBuf> {
        self.init_centres.clone().into_iter().collect()
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, _: &dyn Observer) -> Result<()> {
        let writes = [&self.partition, &self.centres, &self.memberships];
        if self.strata.list().is_some() && writes.iter().any(|path| path.is_some()) {
            return Err(Error::usage(
                "--partition, --centres and --memberships are of one clustering, and each stratum has its own",
            )
            .remedy("Leave them out, or mask one stratum at a time"));
        }
        if self.group.len() > 1 && (self.centres.is_some() || self.memberships.is_some()) {
            return Err(Error::usage(
                "--centres and --memberships can be written for one block only, and there are several --group",
            )
            .remedy("Mask one block in each call: the output of one is the input of the next"));
        }
        Ok(())
    }

    fn names_attributes(&self) -> bool {
        !self.group.is_empty()
    }

    fn request(&self, files: &dyn Files) -> Result<MethodRequest> {
        let occupancy = self.k.map(ClusterNumber::Occupancy);
        let starting = self.init_centres.as_deref();
        let starting = starting.map(|path| starting_centres(path, files));
        Ok(MethodRequest::Fuzzy(FuzzyRequest {
            m1: self.m1,
            m2: self.m2,
            clusters: occupancy.or(self.clusters.map(ClusterNumber::Count)),
            groups: self.group.clone(),
            starting: starting.transpose()?,
            settings: Settings {
                scaling: self.scale.into(),
                rounding: self.decimals.rounding(),
                starts: self.starts,
                tolerance: self.tolerance,
                max_iterations: self.max_iterations,
                keep_memberships: self.memberships.is_some(),
            },
        }))
    }

    fn extras(&self) -> Vec<(&Path, Extra)> {
        let extras = [
            (&self.partition, Extra::Partition),
            (&self.centres, Extra::Centres),
            (&self.memberships, Extra::Memberships),
        ];
        let extras = extras.into_iter();
        extras
            .filter_map(|(path, extra)| Some((path.as_deref()?, extra)))
            .collect()
    }
}

/// Reads starting centres, whatever dialect they are written in.
fn starting_centres(path: &Path, files: &dyn Files) -> Result<StartingCentres> {
    let source = name_of(path);
    let options = ReadOptions {
        header: Some(true),
        ..ReadOptions::default()
    };
    let table = Table::read(&source, files.read(path)?, &options)?;
    let columns = table
        .ids()
        .map(|id| {
            let name = &table.attribute(id).name;
            let wrong = |what: &str| {
                Err(Error::input(what)
                    .in_file(&source)
                    .on_attribute(name)
                    .remedy("Starting centres are finite numbers, one column an attribute and one line a centre"))
            };
            match table.numbers(id) {
                None => wrong("has cells that are not numbers"),
                Some(numbers) if !numbers.missing.is_empty() => wrong("misses values"),
                Some(numbers) => Ok(numbers.values),
            }
        })
        .collect::<Result<Vec<&[f64]>>>()?;
    let mut values = Vec::with_capacity(table.n_records() * columns.len());
    for centre in 0..table.n_records() {
        values.extend(columns.iter().map(|column| column[centre]));
    }
    Ok(StartingCentres {
        attributes: table
            .attributes()
            .iter()
            .map(|attribute| spreadsheet::as_it_was(&attribute.name).into_owned())
            .collect(),
        values,
        source,
    })
}
