//! The files beside the two tables that `sdcrisk link` reads, and what they say.

use std::{collections::BTreeSet, path::Path};

use super::args::LinkArgs;
use crate::{
    cli::{
        args::{self, ReadArgs, read_table},
        console::Console,
        files,
    },
    error::{Error, Result},
    evaluate::{
        knowledge::{self, Knowledge},
        link::{self, LeftOut, Shared},
        truth::{self, Truth},
        worst,
    },
    rng::{Purpose, Seed},
    statement::Statement,
    table::{AttrId, ReadOptions, Table},
};

/// Attributes of which it is told why they cannot be compared, where none can.
const REASONS_TOLD: usize = 4;

impl LinkArgs {
    pub(super) fn statement(&self) -> Result<Option<Statement>> {
        let Some(path) = &self.published.statement else {
            return Ok(None);
        };
        Statement::from_json(&files::name_of(path), &args::read_text(path)?).map(Some)
    }

    pub(super) fn truth(&self, original: &Table, masked: &Table) -> Result<Truth> {
        truth(
            self.id.as_deref(),
            self.shuffle_key.as_deref(),
            original,
            masked,
        )
    }

    /// The sets of attributes that the intruder knows, and the attributes left out of them.
    pub(super) fn cases(
        &self,
        original: &Table,
        masked: &Table,
        truth: &Truth,
        seed: &Seed,
    ) -> Result<(Vec<Vec<Shared>>, Vec<LeftOut>)> {
        check_names(original, masked)?;
        let Some(knowledge) = self.knowledge()? else {
            let list = self.known.as_deref().unwrap_or_default();
            let named = self.named("--known", list, original, masked)?;
            return Ok((vec![named], Vec::new()));
        };
        let (shared, left_out) = match &self.attributes {
            Some(list) => (
                self.named("--attributes", list, original, masked)?,
                Vec::new(),
            ),
            None => {
                let id = self.id.as_deref();
                let aside = id.map(|id| truth::id_columns(id, original));
                link::shared_attributes(original, masked, aside)
            }
        };
        if shared.is_empty() && !left_out.is_empty() {
            let reasons = left_out.iter().take(REASONS_TOLD);
            let reasons: Vec<String> = reasons
                .map(|left| format!("{} {}", left.attribute, left.why))
                .collect();
            return Err(Error::input(format!(
                "the two files share no attribute that can be compared ({}{})",
                reasons.join("; "),
                if left_out.len() > REASONS_TOLD { "; …" } else { "" }
            ))
            .remedy("Compare what 'sdcrisk describe' says of both files, or name attributes with --known"));
        }
        let (mut shared, mut left_out) = (shared, left_out);
        shared.retain(|attribute: &Shared| {
            let name = &original.attribute(attribute.original).name;
            let aligns = self.releases.aligns(name);
            if aligns {
                left_out.push(LeftOut {
                    attribute: name.clone(),
                    why: "says which records of the releases are the same person's".into(),
                });
            }
            !aligns
        });
        let cases = match knowledge {
            Knowledge::Worst(size) => worst::sets(original, masked, truth, &shared, size)?,
            knowledge => {
                knowledge.cases(shared.len(), || seed.streams(Purpose::Knowledge, 0).at(0))?
            }
        };
        let attributes = |case: Vec<usize>| case.into_iter().map(|k| shared[k]).collect();
        Ok((cases.into_iter().map(attributes).collect(), left_out))
    }

    /// Whether `--id` names this column in either file.
    pub(super) fn identifies(&self, name: &str, original: &Table) -> bool {
        let id = self.id.as_deref();
        id.is_some_and(|id| truth::id_columns(id, original).contains(&name))
    }

    /// The attributes of a list that this option gives, each of which must be fit for comparison.
    fn named(
        &self,
        option: &str,
        list: &str,
        original: &Table,
        masked: &Table,
    ) -> Result<Vec<Shared>> {
        let shared = |id| {
            let name = &original.attribute(id).name;
            if self.identifies(name, original) {
                return Err(Error::usage(
                    "is named by --id: it says who is who, and leaves nothing to be found out",
                )
                .on_attribute(name)
                .remedy(format!("Leave it out of {option}")));
            }
            if self.releases.aligns(name) {
                return Err(Error::usage(
                    "is named by --release-id: it says which records of the releases are the same person's",
                )
                .on_attribute(name)
                .remedy(format!("Leave it out of {option}")));
            }
            link::comparable(original, masked, id).map_err(|why| {
                Error::input(format!("cannot be compared: it {why}"))
                    .on_attribute(name)
                    .remedy(format!(
                        "Leave it out of {option}; 'sdcrisk describe' shows how files were read"
                    ))
            })
        };
        original.select(list)?.into_iter().map(shared).collect()
    }

    pub(super) fn held(&self, original: &Table, seed: &Seed) -> Result<Vec<u32>> {
        let all = original.n_records();
        let to_u32 = |records: Vec<usize>| -> Vec<u32> {
            records
                .into_iter()
                .filter_map(|record| u32::try_from(record).ok())
                .collect()
        };
        let Some(wish) = &self.known_records else {
            return Ok(to_u32((0..all).collect()));
        };
        let Some(count) = self.record_count() else {
            return self.records_of_file(Path::new(wish), original).map(to_u32);
        };
        if count == 0 || count > all {
            return Err(Error::usage(format!(
                "--known-records {count}: the original file has {all} records"
            ))
            .remedy(format!("Give a number from 1 to {all}")));
        }
        let mut rng = seed.streams(Purpose::Knowledge, 0).at(1);
        Ok(to_u32(knowledge::sample(all, count, &mut rng)))
    }

    fn records_of_file(&self, path: &Path, original: &Table) -> Result<Vec<usize>> {
        let name = files::name_of(path);
        let content = args::read_text(path)?;
        let lines: Vec<(u64, &str)> = (1..)
            .zip(content.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        let by_id = match &self.id {
            None => None,
            Some(id) => {
                let [name, _] = truth::id_columns(id, original);
                Some(truth::identifiers(original, original.find(name)?)?)
            }
        };
        let mut held = BTreeSet::new();
        for (line, text) in lines {
            let record = match &by_id {
                Some(records) => records.get(text).map(|&record| record as usize),
                None => text
                    .parse::<usize>()
                    .ok()
                    .filter(|&number| number >= 1 && number <= original.n_records())
                    .map(|number| number - 1),
            };
            let remedy = "Write one record number (with --id: one identifier) a line, each once";
            let wrong = |what: String| {
                Error::input(what)
                    .in_file(&name)
                    .at_line(line)
                    .remedy(remedy)
            };
            let record = record.ok_or_else(|| {
                wrong(match by_id {
                    Some(_) => "names no record of the original file".into(),
                    None => format!("is not a record number from 1 to {}", original.n_records()),
                })
            })?;
            if !held.insert(record) {
                return Err(wrong("names a record that an earlier line named".into()));
            }
        }
        if held.is_empty() {
            return Err(Error::input("names no record")
                .in_file(name)
                .remedy("Write one record number (with --id: one identifier) a line"));
        }
        Ok(held.into_iter().collect())
    }
}

/// Who is who: by an identifier, by a key, or by the order of the records.
pub(in crate::cli) fn truth(
    id: Option<&str>,
    key: Option<&Path>,
    original: &Table,
    masked: &Table,
) -> Result<Truth> {
    if let Some(id) = id {
        return Truth::by_identifier(original, masked, truth::id_columns(id, original));
    }
    match key {
        None => Truth::by_order(original, masked),
        Some(path) => {
            let name = files::name_of(path);
            let pairs = read_key(&name, &args::read_text(path)?)?;
            Truth::by_key(original.n_records(), masked.n_records(), &pairs)
                .map_err(|error| error.in_file(name))
        }
    }
}

/// Whether a statement can be of this masked file.
///
/// # Errors
/// Input, when it is not; Usage, when nobody could be found because the file was shuffled.
pub(in crate::cli) fn check_statement(
    statement: &Statement,
    args: &LinkArgs,
    masked: &Table,
) -> Result<()> {
    // One that was never in a file has no name.
    let file = match args.published.statement.as_deref() {
        Some(path) => files::name_of(path),
        None => "the statement".into(),
    };
    let is_aligned = args.id.is_some() || args.shuffle_key.is_some();
    check_statement_of(statement, &file, is_aligned, masked)
}

/// Whether a statement can be about a masked file of which it is said who is who, by more than the order of the records or by that.
///
/// # Errors
/// Input or Usage, when it cannot.
pub(in crate::cli) fn check_statement_of(
    statement: &Statement,
    file: &str,
    is_aligned: bool,
    masked: &Table,
) -> Result<()> {
    if let Some(nonsense) = statement.nonsense() {
        return Err(Error::input(nonsense)
            .in_file(file)
            .remedy("Give the file that 'sdcrisk mask --statement FILE' wrote"));
    }
    if let Some(stranger) = statement
        .attributes
        .iter()
        .find(|name| masked.find(name).is_err())
    {
        return Err(Error::input(format!(
            "names an attribute {stranger:?} that {} does not have",
            masked.name()
        ))
        .in_file(file)
        .remedy("Give the statement of this masked file"));
    }
    if statement.shuffled && !is_aligned {
        return Err(Error::usage(
            "says that the masked file is in random order: by place, nobody would be found again",
        )
        .in_file(file)
        .remedy(
            "Give the private key that 'mask --shuffle' wrote (--shuffle-key), or an identifier (--id)",
        ));
    }
    // A release can be shorter than the file that was masked, if somebody can tell who is who.
    if statement.records != masked.n_records()
        && !(is_aligned && statement.records > masked.n_records())
    {
        return Err(Error::input(format!(
            "is about a file of {} records; {} has {}",
            statement.records,
            masked.name(),
            masked.n_records()
        ))
        .in_file(file)
        .remedy("Give the statement of this masked file"));
    }
    Ok(())
}

/// One round of attacks: who is held, and what is seen of the release.
pub(super) struct Round {
    /// The original records that the intruder holds, ascending.
    pub(super) held: Vec<u32>,
    /// The masked records among which he looks, ascending; all of them if `None`.
    pub(super) released: Option<Vec<u32>>,
    /// The individuals from which distances are learned, if these are others.
    pub(super) training: Option<Training>,
}

/// Individuals of whom it is known who is who.
pub(super) struct Training {
    /// Their original records, ascending.
    pub(super) held: Vec<u32>,
    /// Their masked records.
    pub(super) released: Vec<u32>,
}

impl LinkArgs {
    /// The rounds of this call: one, or one a draw of `--train-records`.
    ///
    /// # Errors
    /// Usage or Input, when nobody is left to be learned from, or to be attacked.
    pub(super) fn rounds(
        &self,
        original: &Table,
        masked: &Table,
        truth: &Truth,
        held: Vec<u32>,
        seed: &Seed,
    ) -> Result<Vec<Round>> {
        let learned = &self.methods.learned;
        if learned.train_records.is_none() {
            return Ok(vec![Round {
                held,
                released: None,
                training: None,
            }]);
        }
        let masked_of = |record: u32| truth.masked_of()[record as usize];
        let aligned: Vec<u32> = held
            .iter()
            .copied()
            .filter(|&record| masked_of(record).is_some())
            .collect();
        let round = |train: &BTreeSet<u32>| {
            let released: Vec<u32> = train
                .iter()
                .filter_map(|&record| masked_of(record))
                .collect();
            let taken: BTreeSet<u32> = released.iter().copied().collect();
            let others = held.iter().filter(|record| !train.contains(record));
            let all = 0..u32::try_from(masked.n_records()).unwrap_or(u32::MAX);
            Round {
                held: others.copied().collect(),
                released: Some(all.filter(|record| !taken.contains(record)).collect()),
                training: Some(Training {
                    held: train.iter().copied().collect(),
                    released,
                }),
            }
        };
        if let Some(path) = learned.train_file() {
            let named = self.records_of_file(path, original)?;
            let named: BTreeSet<u32> = named
                .into_iter()
                .filter_map(|record| u32::try_from(record).ok())
                .collect();
            let train: BTreeSet<u32> = aligned
                .iter()
                .copied()
                .filter(|record| named.contains(record))
                .collect();
            if train.len() < 2 || train.len() + 2 > held.len() {
                return Err(Error::input(format!(
                    "names {} individuals that have a masked record; {} records are attacked",
                    train.len(),
                    held.len() - train.len()
                ))
                .in_file(files::name_of(path))
                .remedy("Leave at least two to learn from, and two to attack"));
            }
            return Ok(vec![round(&train)]);
        }
        let count = learned.train_count().unwrap_or_default();
        if count < 2 || count > aligned.len() || count + 2 > held.len() {
            return Err(Error::usage(format!(
                "--train-records {count}: there are {} records whose masked record is known",
                aligned.len()
            ))
            .remedy("Leave at least two to learn from, and two to attack"));
        }
        let draw = |split: usize| {
            let mut rng = seed.streams(Purpose::Knowledge, 0).at(split as u64 + 2);
            let drawn = knowledge::sample(aligned.len(), count, &mut rng);
            let train = drawn.into_iter().map(|place| aligned[place]).collect();
            round(&train)
        };
        Ok((0..learned.train_splits.unwrap_or(1)).map(draw).collect())
    }

    /// Files that are about one attack cannot be written by a call that makes several.
    ///
    /// # Errors
    /// Usage, when one was asked for.
    pub(super) fn refuse_several(&self, attacks: usize, cases: usize) -> Result<()> {
        if self.links.is_some() && attacks > 1 {
            return Err(Error::usage(format!(
                "--links writes the links of one attack; this call makes {attacks}"
            ))
            .remedy("Name one method and one set of known attributes"));
        }
        match self.methods.learned.about_one_distance() {
            Some(option) if cases > 1 => Err(Error::usage(format!(
                "{option} is about one learned distance; this call has {cases} cases"
            ))
            .remedy("Give one set of known attributes, and one draw of individuals")),
            _ => Ok(()),
        }
    }
}

/// The original and the masked table, the second read as the first was if that fits better.
///
/// # Errors
/// Whatever reading objects to.
pub(in crate::cli) fn read_pair(
    original: &Path,
    masked: &Path,
    read: &ReadArgs,
    console: &Console,
) -> Result<(Table, Table)> {
    let options = read.options()?;
    let original = read_table(original, &options, console)?;
    let options = ReadOptions {
        roles: options.roles.for_another_file(),
        ..options
    };
    let masked = read_table(masked, &options, console)?;
    let masked = as_the_original(masked, &original, &options)?;
    Ok((original, masked))
}

/// The masked table, read as the original was if that fits better: a release with fewer attributes, or with other
/// numbers, can look like another dialect.
fn as_the_original(masked: Table, original: &Table, options: &ReadOptions) -> Result<Table> {
    let marks = |table: &Table| {
        let dialect = table.dialect();
        (
            dialect.delimiter,
            dialect.decimal_mark,
            dialect.thousands_mark,
        )
    };
    let fit = |table: &Table| {
        let comparable = |&id: &AttrId| link::comparable(original, table, id).is_ok();
        original.ids().filter(comparable).count()
    };
    if marks(&masked) == marks(original) {
        return Ok(masked);
    }
    let dialect = original.dialect();
    let alike = ReadOptions {
        delimiter: options.delimiter.or(dialect.delimiter),
        decimal_mark: options.decimal_mark.or(Some(dialect.decimal_mark)),
        thousands_mark: options.thousands_mark.or(Some(dialect.thousands_mark)),
        ..options.clone()
    };
    let (name, as_guessed) = (masked.name().to_string(), fit(&masked));
    let bytes = masked.into_bytes();
    match Table::read(&name, bytes.clone(), &alike) {
        Ok(table) if fit(&table) > as_guessed => Ok(table),
        _ => Table::read(&name, bytes, options),
    }
}

/// Names that were made from places differ between files of different width: nobody could tell which is which.
fn check_names(original: &Table, masked: &Table) -> Result<()> {
    let own = original.has_own_names() && masked.has_own_names();
    if own || original.n_attributes() == masked.n_attributes() {
        return Ok(());
    }
    Err(Error::input(format!(
        "has {} attributes, {} has {}, and not all have names of their own: which is which cannot be told",
        masked.n_attributes(),
        original.name(),
        original.n_attributes()
    ))
    .in_file(masked.name())
    .remedy("Give both files a header with different names, or mask with --keep-identifiers for the evaluation"))
}

/// Reads a key: lines `masked,original`, records counted from 1.
fn read_key(name: &str, content: &str) -> Result<Vec<(usize, usize)>> {
    let wrong = |line: u64| {
        Error::input("is not a line of two record numbers (masked,original)")
            .in_file(name)
            .at_line(line)
            .remedy("Give the file that 'mask --shuffle' wrote")
    };
    let mut reader = csv::ReaderBuilder::new().from_reader(content.as_bytes());
    if reader.headers().map_err(|_| wrong(1))? != vec!["masked", "original"] {
        return Err(wrong(1));
    }
    (2..)
        .zip(reader.deserialize::<(usize, usize)>())
        .map(|(line, pair)| match pair {
            Ok((masked, original)) if masked > 0 && original > 0 => Ok((masked - 1, original - 1)),
            _ => Err(wrong(line)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_line_by_line() {
        assert_eq!(
            read_key("k.csv", "masked,original\n1,2\n2,1\n").unwrap(),
            [(0, 1), (1, 0)]
        );
        let error = read_key("k.csv", "masked,original\n1,2\n0,1\n").unwrap_err();
        assert!(error.to_string().starts_with("k.csv, line 3"), "{error}");
        assert!(read_key("k.csv", "a,b\n1,2\n").is_err());
    }
}
