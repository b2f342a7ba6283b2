//! `sdcrisk mask METHOD`: masks a file.

use std::{io::Write, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use rand::seq::SliceRandom;

use super::{
    Ending,
    args::{self, ReadArgs},
    console::Console,
    files::{Output, Plan, Privacy},
};
use crate::{
    error::{Error, Result},
    mask::{
        Mask, Masked,
        rank_swap::{RankSwap, Reach},
    },
    report::{io_error, text},
    rng::{Purpose, Seed},
    statement::{Method, Partner, Statement},
    table::{AttrId, Role, Table},
};

/// The masking methods.
#[derive(Debug, Subcommand)]
pub enum MaskMethod {
    /// Rank swapping: values change places with values of near rank
    #[command(after_help = "Examples:
  sdcrisk mask rankswap --p 2 in.csv > masked.csv
  sdcrisk mask rankswap --p 5 --statement masked.sdc.json -o masked.csv in.csv
  sdcrisk mask rankswap --window 10 --attributes income,taxes in.csv > masked.csv

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the larger p.
Publish the statement with the file: users can then judge what was done. Keep the seed, if you gave one, and the
key of --shuffle to yourself.")]
    Rankswap(RankSwapArgs),
}

#[derive(Debug, Args)]
pub struct RankSwapArgs {
    /// Greatest rank difference of a swap, in percent of the number of records (0 < p <= 100)
    #[arg(
        long,
        value_name = "PERCENT",
        required_unless_present = "window",
        conflicts_with = "window"
    )]
    p: Option<f64>,
    /// Greatest rank difference of a swap, in ranks
    #[arg(long, value_name = "RANKS")]
    window: Option<usize>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"])]
    p_unit: Option<String>,
    /// How a partner is drawn: among values not yet swapped, or among all and none if it is taken
    #[arg(long, value_enum, default_value = "unswapped")]
    partner: PartnerArg,
    #[command(flatten)]
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PartnerArg {
    /// Among the values of the window not swapped yet
    Unswapped,
    /// Among all values of the window; if that one is taken, the value stays (the literature's tables)
    Skip,
}

/// What all masking methods share.
#[derive(Debug, Args)]
struct MaskArgs {
    /// The file to mask; - is standard input
    #[arg(value_name = "IN.csv")]
    input: PathBuf,
    /// Where the masked file goes; it appears whole or not at all
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Attributes to mask: names or positions, for example a,b or 1-7 [default: all quasi-identifiers that can be]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    /// Attributes to leave out of the masked file
    #[arg(long, value_name = "LIST")]
    drop: Option<String>,
    /// Keep identifiers in the masked file: for evaluation only, never for a release
    #[arg(long)]
    keep_identifiers: bool,
    /// Write what may be published about the masking (JSON)
    #[arg(long, value_name = "FILE")]
    statement: Option<PathBuf>,
    /// Put the records in random order, and write the private key of that order (CSV) to this file
    #[arg(long, value_name = "KEYFILE")]
    shuffle: Option<PathBuf>,
    /// Repeatable randomness, for experiments only
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(method: &MaskMethod, console: &Console) -> anyhow::Result<Ending> {
    match method {
        MaskMethod::Rankswap(args) => mask(
            &args.checked()?,
            &args.common,
            |table| args.fits(table),
            console,
        ),
    }
}

impl RankSwapArgs {
    fn checked(&self) -> Result<RankSwap> {
        if self.p_unit.is_some() && self.p.is_none_or(|p| p >= 1.0) {
            return Err(
                Error::usage("--p-unit has no effect without a --p below 1").remedy("Leave it out")
            );
        }
        let reach = match (self.p, self.window) {
            (Some(p), _) => Reach::Percent(p),
            (None, Some(window)) => Reach::Window(window),
            (None, None) => return Err(Error::usage("rankswap needs --p or --window")),
        };
        let partner = match self.partner {
            PartnerArg::Unswapped => Partner::Unswapped,
            PartnerArg::Skip => Partner::Skip,
        };
        RankSwap::new(reach, partner)
    }

    /// A p below 1 is a mistake more often than not.
    fn fits(&self, table: &Table) -> Result<()> {
        match self.p {
            Some(p) if p < 1.0 && self.p_unit.is_none() => Err(Error::usage(format!(
                "--p {p} looks like a fraction; p is a percentage"
            ))
            .remedy(format!(
                "Write --p {} for {}; if {p} percent is meant ({} ranks of {} records), add --p-unit percent",
                trimmed(p * 100.0),
                text::percent(p),
                Reach::Percent(p).window(table.n_records()),
                table.n_records()
            ))),
            _ => Ok(()),
        }
    }
}

/// A number of percent without the noise of binary fractions.
fn trimmed(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

fn mask(
    method: &dyn Mask,
    args: &MaskArgs,
    fits: impl FnOnce(&Table) -> Result<()>,
    console: &Console,
) -> anyhow::Result<Ending> {
    let outputs = Outputs::planned(args)?;
    let options = args.read.options()?;
    let table = args::read_table(&args.input, &options, console)?;
    if table.n_records() == 0 {
        return Err(
            Error::input("has no records, only names: there is nothing to mask")
                .in_file(table.name())
                .remedy("Check that this is the file you meant")
                .into(),
        );
    }
    fits(&table)?;
    let dropped = dropped(&table, args, console)?;
    let chosen = masked_attributes(method, &table, args, &dropped, console)?;
    for &id in &chosen {
        let attribute = table.attribute(id);
        console.detail(&format!(
            "  {}: {:?}, {}",
            attribute.name, attribute.scale, attribute.scale_reason
        ));
    }
    let seed = args::seed_or_system(args.seed, console)?;
    console.progress(&format!("masking {}", table.name()));
    let masked = console.stage(method.name(), || {
        method.mask(table, &chosen, &seed.streams(Purpose::Mask, 0))
    })?;
    console.note(&summary(&masked));
    let table = masked.table.without(&dropped);
    let (table, order) = match args.shuffle {
        Some(_) => shuffled(table, &seed),
        None => (table, Vec::new()),
    };

    console.progress("writing");
    console.stage("write", || outputs.write(&table, &masked.statement, &order))?;
    Ok(Ending::Done)
}

/// What a call writes, opened before any work is done.
struct Outputs {
    key: Option<Output>,
    statement: Option<Output>,
    table: Output,
}

impl Outputs {
    fn planned(args: &MaskArgs) -> Result<Self> {
        let mut plan = Plan::default();
        plan.input(&args.input)?;
        args.read.plan(&mut plan)?;
        for output in [
            Some(&args.output),
            args.statement.as_ref(),
            args.shuffle.as_ref(),
        ] {
            output.map_or(Ok(()), |path| plan.output(path))?;
        }
        let open = |path: &Option<PathBuf>, privacy| {
            path.as_deref()
                .map(|path| plan.open(path, privacy))
                .transpose()
        };
        Ok(Self {
            key: open(&args.shuffle, Privacy::Private)?,
            statement: open(&args.statement, Privacy::Ordinary)?,
            table: plan.open(&args.output, Privacy::Ordinary)?,
        })
    }

    /// Writes everything, then lets it appear: the masked file last, never without its statement and key.
    fn write(mut self, table: &Table, statement: &Statement, order: &[u32]) -> anyhow::Result<()> {
        if let Some(key) = &mut self.key {
            key.write(|out| write_key(out, order))?;
        }
        if let Some(output) = &mut self.statement {
            output.write(|out| out.write_all(statement.to_json().as_bytes()))?;
        }
        self.table.write(|mut out| table.write(&mut out))?;
        for output in [self.key, self.statement, Some(self.table)]
            .into_iter()
            .flatten()
        {
            output.keep()?;
        }
        Ok(())
    }
}

/// The attributes that do not reach the masked file: those of `--drop`, and identifiers.
fn dropped(table: &Table, args: &MaskArgs, console: &Console) -> Result<Vec<AttrId>> {
    let mut dropped = match &args.drop {
        Some(list) => table.select(list)?,
        None => Vec::new(),
    };
    let identifiers: Vec<AttrId> = table
        .ids()
        .filter(|&id| table.attribute(id).role == Role::Identifier && !dropped.contains(&id))
        .collect();
    if args.keep_identifiers {
        if identifiers.is_empty() {
            return Err(Error::usage(
                "--keep-identifiers has no effect: no attribute is an identifier",
            )
            .in_file(table.name())
            .remedy("Leave it out; 'sdcrisk describe' shows the roles"));
        }
        console.note(&format!(
            "note: identifiers stay in the masked file ({}): it is for evaluation and must not be released",
            names(table, &identifiers).join(", ")
        ));
    } else {
        for &id in &identifiers {
            let attribute = table.attribute(id);
            console.note(&format!(
                "note: {} is left out of the masked file: identifier ({})",
                attribute.name, attribute.role_reason
            ));
        }
        dropped.extend(identifiers);
    }
    if dropped.len() == table.attributes().len() {
        let error = match args.drop {
            Some(_) => Error::usage("no attribute would be left in the masked file")
                .remedy("Drop fewer, or declare roles in a roles file (--roles)"),
            None => Error::input("has identifiers only: nothing would be left in the masked file")
                .remedy("See 'sdcrisk describe' for how it was read; --delimiter or a roles file (--roles) override that"),
        };
        return Err(error.in_file(table.name()));
    }
    Ok(dropped)
}

fn masked_attributes(
    method: &dyn Mask,
    table: &Table,
    args: &MaskArgs,
    dropped: &[AttrId],
    console: &Console,
) -> Result<Vec<AttrId>> {
    let mut chosen = Vec::new();
    for id in args::chosen_attributes(table, args.attributes.as_deref())? {
        let name = &table.attribute(id).name;
        if dropped.contains(&id) {
            if args.attributes.is_some() {
                return Err(Error::usage("cannot be masked and left out of the masked file at once")
                    .on_attribute(name)
                    .remedy(match args.drop {
                        Some(_) => "Name it in --attributes or in --drop",
                        None => "It was taken for an identifier: say --keep-identifiers (evaluation), or declare its role in --roles",
                    }));
            }
            continue;
        }
        match method.objection(table, id) {
            None => chosen.push(id),
            Some(why) if args.attributes.is_some() => {
                return Err(Error::usage(why)
                    .in_file(table.name())
                    .on_attribute(name)
                    .remedy("Leave it out of --attributes, or declare its scale in a roles file (--roles)"));
            }
            Some(why) => console.note(&format!("note: {name} is not masked: it {why}")),
        }
    }
    if chosen.is_empty() {
        return Err(Error::input(format!("has no attribute that {} can mask", method.name()))
            .in_file(table.name())
            .remedy("'sdcrisk describe' shows how its attributes were read; a roles file (--roles) overrides that"));
    }
    Ok(chosen)
}

fn names(table: &Table, ids: &[AttrId]) -> Vec<String> {
    ids.iter()
        .map(|&id| table.attribute(id).name.clone())
        .collect()
}

/// What was done, for a person.
fn summary(masked: &Masked) -> String {
    let Method::RankSwap(parameters) = &masked.statement.method;
    let records = masked.statement.records;
    let mut out = format!(
        "rankswap: {records} records, window {} rank{} ({}), partners {}\n",
        parameters.window,
        if parameters.window == 1 { "" } else { "s" },
        match parameters.p {
            Some(p) => format!("p = {p} % of the records"),
            None => format!(
                "{} of the records",
                text::percent(parameters.window as f64 / records as f64)
            ),
        },
        match parameters.partner {
            Partner::Unswapped => "drawn among values not swapped yet",
            Partner::Skip => "drawn among all values, none if taken",
        },
    );
    let rows: Vec<Vec<String>> = masked
        .effects
        .iter()
        .map(|effect| {
            vec![
                effect.attribute.clone(),
                effect.values.to_string(),
                format!(
                    "{} ({})",
                    effect.changed,
                    text::percent(effect.changed as f64 / effect.values.max(1) as f64)
                ),
                effect.without_partner.to_string(),
                effect.missing.to_string(),
                match effect.changed {
                    0 => "no value changed: all values are equal, or none found a partner"
                        .to_string(),
                    _ => String::new(),
                },
            ]
        })
        .collect();
    out += &text::columns(
        &[
            "masked",
            "values",
            "changed",
            "without partner",
            "missing, kept",
            "",
        ],
        &rows,
        1,
    );
    out.trim_end().to_string()
}

fn shuffled(table: Table, seed: &Seed) -> (Table, Vec<u32>) {
    let mut order: Vec<u32> = (0..table.n_records())
        .filter_map(|r| u32::try_from(r).ok())
        .collect();
    order.shuffle(&mut seed.streams(Purpose::Shuffle, 0).at(0));
    (table.reordered(order.clone()), order)
}

/// The key of a shuffled file: which original record each masked record is, both counted from 1.
fn write_key(out: &mut dyn Write, order: &[u32]) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer
        .write_record(["masked", "original"])
        .map_err(io_error)?;
    for (masked, &original) in order.iter().enumerate() {
        writer
            .serialize((masked + 1, u64::from(original) + 1))
            .map_err(io_error)?;
    }
    writer.flush()
}
