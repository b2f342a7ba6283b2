//! An original of a plan: its records, and what is measured on it.

use std::collections::BTreeSet;

use super::{options::Words, places::Places};
use crate::{
    cli::{
        args::{read_table, read_text},
        console::Console,
        files,
        pair::AlignArgs,
    },
    error::{Error, ErrorKind, Result},
    evaluate::{
        knowledge,
        link::Shared,
        plan::{Plan, PlannedFile},
    },
    figure::Figure,
    risk::interval,
    rng::{Purpose, Seed},
    table::{Table, pair::Pair},
};

/// An original.
#[derive(Debug)]
pub(super) struct Original {
    /// Which file of the plan it is.
    pub place: usize,
    /// Its name in reports.
    pub name: String,
    /// Its records.
    pub table: Table,
    /// What the intruder knows of it, as the plan has it.
    pub known: Vec<String>,
    /// What is compared.
    pub align: AlignArgs,
}

impl Original {
    /// Reads a file of a plan; `None` if it is not there. `seed` draws its records, where the plan wants some.
    ///
    /// # Errors
    /// What reading objects to.
    pub fn read(
        file: &PlannedFile,
        plan: &Plan,
        words: Words<'_>,
        seed: u64,
        console: &Console,
    ) -> Result<Option<Self>> {
        let name = short_name(file, &plan.files);
        let at = |error: Error| error.in_file(words.plan).at_line(file.line);
        let blamed =
            |what: &str, error: Error| words.blamed(file.line, &file.reading, [what, &name], error);
        let Ok(path) = words.places.find(&file.original) else {
            return Ok(None);
        };
        let read = words.reading(&file.reading, file.line)?;
        let options = read.options().map_err(|error| match error.kind() {
            ErrorKind::Usage => blamed("reading", error),
            // A roles file that is none says so itself.
            _ => error,
        })?;
        let table = read_table(&path, &options, console)?;
        if let Some(list) = &file.attributes {
            table
                .select(list)
                .map_err(|error| blamed("attributes", error))?;
        }
        let called = |other: &PlannedFile| other.original == file.original;
        Ok(Some(Self {
            place: plan.files.iter().position(called).unwrap_or_default(),
            name: name.clone(),
            table: chosen_records(table, file, words.places, seed).map_err(at)?,
            known: file.known.clone(),
            align: AlignArgs {
                attributes: file.attributes.clone(),
                id: None,
                shuffle_key: None,
            },
        }))
    }

    /// The measures of loss and of risk, of a masked file or of the original itself.
    ///
    /// # Errors
    /// Usage or Input, when the files share no attribute that is compared.
    pub fn figures(&self, masked: &Table, wanted: [bool; 2]) -> Result<Measured> {
        if wanted == [false, false] {
            return Ok(Measured::default());
        }
        let (compared, _) = self.align.compared(&self.table, masked)?;
        let ids: Vec<_> = compared
            .iter()
            .map(|Shared { original, masked }| [*original, *masked])
            .collect();
        // Masked in memory, the records are in their order.
        let records: Vec<[u32; 2]> = (0..)
            .map(|record| [record; 2])
            .take(masked.n_records())
            .collect();
        let pair = Pair::new([&self.table, masked], &ids, &records);
        let figures = [
            if wanted[0] {
                crate::loss::check_memory(&pair)?;
                crate::loss::figures(&pair)
            } else {
                Vec::new()
            },
            if wanted[1] {
                interval::figures(&pair.numbers)
            } else {
                Vec::new()
            },
        ];
        Ok(Measured {
            figures,
            not_in_il: if wanted[0] {
                crate::loss::not_in_il(&pair)
            } else {
                Vec::new()
            },
        })
    }
}

/// Whether the measures that a plan names exist.
///
/// # Errors
/// Input, when one does not.
pub(super) fn check_measures(name: &str, plan: &Plan) -> Result<()> {
    let measures = [
        ("losses", &plan.losses, crate::loss::definitions()),
        ("risks", &plan.risks, interval::DEFINITIONS.to_vec()),
    ];
    for (what, keys, definitions) in measures {
        let known: Vec<&str> = definitions
            .iter()
            .map(|definition| definition.key)
            .collect();
        if let Some(key) = keys.iter().find(|key| !known.contains(&key.as_str())) {
            return Err(Error::input(format!("{what} names {key:?}, which is none"))
                .in_file(name)
                .remedy(format!("There are: {}", known.join(", "))));
        }
    }
    Ok(())
}

/// What was measured of a masked file.
#[derive(Default)]
pub struct Measured {
    /// The measures of loss, and those of risk.
    pub figures: [Vec<Figure>; 2],
    /// What changed and is not in IL.
    pub not_in_il: Vec<String>,
}

/// The records that a plan uses of an original.
fn chosen_records(table: Table, file: &PlannedFile, places: &Places, seed: u64) -> Result<Table> {
    let Some(wish) = &file.records else {
        return Ok(table);
    };
    let all = table.n_records();
    let to_u32 = |records: Vec<usize>| records.into_iter().filter_map(|r| u32::try_from(r).ok());
    if let Ok(count) = wish.parse::<usize>() {
        if count == 0 || count > all {
            return Err(
                Error::input(format!("records = {count}: the file has {all} records"))
                    .remedy(format!("Give a number from 1 to {all}")),
            );
        }
        let mut rng = Seed::from_number(seed)
            .streams(Purpose::Knowledge, 0)
            .at(u64::MAX);
        let drawn = knowledge::sample(all, count, &mut rng);
        return Ok(table.reordered(to_u32(drawn).collect()));
    }
    let path = places.find(wish)?;
    let text = read_text(&path)?;
    let wrong = || {
        Error::input(format!("is not a list of different record numbers from 1 to {all}"))
            .in_file(files::name_of(&path))
            .remedy("Write the numbers of the records, in the order wanted, with blanks or line ends between them")
    };
    let numbers: Vec<usize> = text
        .split_whitespace()
        .map(|word| {
            word.parse()
                .ok()
                .filter(|number| (1..=all).contains(number))
        })
        .collect::<Option<_>>()
        .ok_or_else(wrong)?;
    let different: BTreeSet<usize> = numbers.iter().copied().collect();
    if numbers.is_empty() || different.len() < numbers.len() {
        return Err(wrong());
    }
    let places = numbers.into_iter().map(|number| number - 1).collect();
    Ok(table.reordered(to_u32(places).collect()))
}

/// What a file is called in reports: without its folders, unless another is called so too.
fn short_name(file: &PlannedFile, all: &[PlannedFile]) -> String {
    let own = file.short_name();
    match all.iter().filter(|other| other.short_name() == own).count() {
        1 => own.into(),
        _ => file.original.clone(),
    }
}
