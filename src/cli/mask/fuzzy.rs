//! `mask fuzzy`: options, and what they mean.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{
    DecimalsArgs, ExtraWriter, MaskArgs, MethodArgs,
    microaggregation::ScaleArg,
    outputs::{Assignment, write_assignments},
};
use crate::{
    cli::{console::Console, files},
    error::{Error, Result},
    jobs::groups::{self, Group},
    mask::{
        Details, Mask, Masked,
        fuzzy::{Block, Blocks, Clusters, FuzzyMicroaggregation, Settings, StartingCentres},
    },
    report::{io_error, spreadsheet, text},
    statement::{DistanceScale, Method},
    table::{AttrId, ReadOptions, Table},
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
    common: MaskArgs,
}

impl FuzzyArgs {
    fn settings(&self) -> Settings {
        Settings {
            scaling: self.scale.into(),
            rounding: self.decimals.rounding(),
            starts: self.starts,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            keep_memberships: self.memberships.is_some(),
        }
    }

    /// What a number means: that of the call, or of a group.
    fn clusters(&self, number: usize) -> Clusters {
        match self.clusters {
            Some(_) => Clusters::Count(number),
            None => Clusters::Occupancy(number),
        }
    }

    fn parsed(&self, blocks: Blocks) -> Result<FuzzyMicroaggregation> {
        FuzzyMicroaggregation::new(self.m1, self.m2, blocks, self.settings())
    }

    /// The blocks of the groups: each has a number of its own, or the call's.
    fn blocks(&self, groups: Vec<Group>, console: &Console) -> Result<Blocks> {
        let number = self.k.or(self.clusters);
        if number.is_some() && groups.iter().all(|group| group.number.is_some()) {
            match self.k {
                Some(_) => console.unused(
                    "--k has no effect: every --group has a number of its own, which is k",
                )?,
                // As a number of clusters the groups' own would mean something else than without it.
                None => {
                    return Err(Error::usage(
                        "--clusters beside a number of its own in every --group: these could be k or clusters",
                    )
                    .remedy("Leave --clusters out: they are k; or leave the number of one --group out: all are clusters"));
                }
            }
        }
        let block = |group: Group| match group.number.or(number) {
            Some(number) => Ok((group.attributes, self.clusters(number))),
            None => Err(
                Error::usage("a --group without a number needs --k or --clusters")
                    .remedy("Write --group 'a,b:3', or add --k 3"),
            ),
        };
        Ok(Blocks::Several(
            groups.into_iter().map(block).collect::<Result<_>>()?,
        ))
    }
}

impl MethodArgs for FuzzyArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn inputs(&self) -> Vec<&Path> {
        self.init_centres.as_deref().into_iter().collect()
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, _: &Console) -> Result<()> {
        let number = self.k.or(self.clusters);
        if number.is_none() && self.group.is_empty() && self.init_centres.is_none() {
            return Err(Error::usage("fuzzy needs a number of clusters").remedy(
                "Give --k (records that should share a centre, on average) or --clusters",
            ));
        }
        if self.group.len() > 1 && (self.centres.is_some() || self.memberships.is_some()) {
            return Err(Error::usage(
                "--centres and --memberships can be written for one block only, and there are several --group",
            )
            .remedy("Mask one block in each call: the output of one is the input of the next"));
        }
        self.parsed(Blocks::One(self.clusters(number.unwrap_or(2))))
            .map(|_| ())
    }

    fn names_attributes(&self) -> bool {
        !self.group.is_empty()
    }

    fn attributes(&self, table: &Table) -> Result<Option<Vec<AttrId>>> {
        if self.group.is_empty() {
            return Ok(None);
        }
        groups::parse_all(table, &self.group).map(|groups| Some(groups::union(&groups)))
    }

    fn method(&self, table: &Table, console: &Console) -> Result<Box<dyn Mask>> {
        let blocks = match (&self.init_centres, self.k.or(self.clusters)) {
            (Some(path), _) => Blocks::One(Clusters::Starting(starting_centres(path)?)),
            (None, Some(number)) if self.group.is_empty() => Blocks::One(self.clusters(number)),
            _ => self.blocks(groups::parse_all(table, &self.group)?, console)?,
        };
        Ok(Box::new(self.parsed(blocks)?))
    }

    fn extras(&self) -> Vec<(&Path, ExtraWriter)> {
        let partition = self
            .partition
            .as_deref()
            .map(|path| (path, write_partition as ExtraWriter));
        let centres = self
            .centres
            .as_deref()
            .map(|path| (path, write_centres as ExtraWriter));
        let memberships = self
            .memberships
            .as_deref()
            .map(|path| (path, write_memberships as ExtraWriter));
        [partition, centres, memberships]
            .into_iter()
            .flatten()
            .collect()
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Fuzzy(parameters) = &masked.statement.method else {
            return String::new();
        };
        let clusters: Vec<String> = parameters
            .blocks
            .iter()
            .map(|block| block.clusters.to_string())
            .collect();
        format!(
            "{} cluster{}, m1 = {}, m2 = {}, distances {}",
            clusters.join(" + "),
            if clusters == ["1"] { "" } else { "s" },
            parameters.m1,
            parameters.m2,
            match parameters.scale {
                DistanceScale::Z => "on standardised attributes",
                DistanceScale::None => "in the file's units",
            },
        )
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        let blocks = blocks_of(masked);
        let mut remarks: Vec<String> = Vec::new();
        for block in blocks {
            let name = match blocks {
                [_] => String::new(),
                _ => format!("{}: ", text::names(&block.attributes, 4)),
            };
            let notes = [course(block), fewer(block), occupancy(block)];
            remarks.extend(
                notes
                    .into_iter()
                    .flatten()
                    .map(|notes| format!("{name}{notes}")),
            );
        }
        remarks.push(
            "note: fuzzy microaggregation gives k-anonymity on average only; no group has a guaranteed size".into(),
        );
        remarks
    }
}

/// How c-means went.
fn course(block: &Block) -> Option<String> {
    let iterations = match block.iterations {
        1 => "1 iteration".into(),
        n => format!("{n} iterations"),
    };
    Some(if block.converged {
        format!(
            "c-means converged after {iterations}, objective {:.6}",
            block.objective
        )
    } else {
        format!(
            "warning: c-means has not converged after {iterations} (objective {:.6}, a centre still moved by {:.1e} sd): raise --max-iterations or --tolerance",
            block.objective, block.movement
        )
    })
}

fn fewer(block: &Block) -> Option<String> {
    (block.n_clusters < block.wanted_clusters).then(|| {
        format!(
            "note: {} clusters instead of {}: there are no more different points",
            block.n_clusters, block.wanted_clusters
        )
    })
}

/// How many records share a centre.
fn occupancy(block: &Block) -> Option<String> {
    let mean = block.n_records as f64 / block.n_clusters.max(1) as f64;
    let least = block.least_occupancy();
    let below = match block.k {
        None => String::new(),
        Some(k) => format!(
            "; {} of the centres replaced fewer than {k} records",
            block.below(k)
        ),
    };
    let unused = match block
        .occupancies
        .iter()
        .filter(|&&records| records == 0)
        .count()
    {
        0 => String::new(),
        unused => format!("; {unused} replaced none"),
    };
    Some(format!(
        "records a centre: {mean:.1} on average, {least} at least{below}{unused}"
    ))
}

fn blocks_of(masked: &Masked) -> &[Block] {
    match &masked.details {
        Details::Fuzzy(blocks) => blocks,
        _ => &[],
    }
}

/// Reads starting centres, whatever dialect they are written in.
fn starting_centres(path: &Path) -> Result<StartingCentres> {
    let source = files::name_of(path);
    let options = ReadOptions {
        header: Some(true),
        ..ReadOptions::default()
    };
    let table = Table::read(&source, files::read(path)?, &options)?;
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

fn write_partition(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let columns: Vec<Assignment<'_>> = blocks_of(masked)
        .iter()
        .map(|block| Assignment {
            attributes: &block.attributes,
            of_record: &block.cluster_of,
        })
        .collect();
    write_assignments("cluster", &columns, Block::NO_CLUSTER, out)
}

/// The centres in the file's units, in the order of the clusters.
fn write_centres(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    for block in blocks_of(masked) {
        writer.write_record(&block.attributes).map_err(io_error)?;
        for centre in block.centres.chunks_exact(block.attributes.len().max(1)) {
            writer.serialize(centre).map_err(io_error)?;
        }
    }
    writer.flush()
}

/// The memberships of each record in each cluster; empty where the record has no value.
fn write_memberships(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    for block in blocks_of(masked) {
        let header = (1..=block.n_clusters).map(|cluster| cluster.to_string());
        writer
            .write_record(std::iter::once("record".to_owned()).chain(header))
            .map_err(io_error)?;
        let memberships = block.memberships.as_deref().unwrap_or_default();
        for (record, row) in memberships
            .chunks_exact(block.n_clusters.max(1))
            .enumerate()
        {
            let cells: Vec<Option<f64>> = match block.cluster_of[record] {
                Block::NO_CLUSTER => vec![None; row.len()],
                _ => row.iter().copied().map(Some).collect(),
            };
            writer.serialize((record + 1, cells)).map_err(io_error)?;
        }
    }
    writer.flush()
}
