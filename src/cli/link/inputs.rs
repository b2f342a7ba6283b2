//! The files that `sdcrisk link` reads, and what they say.

use std::path::{Path, PathBuf};

use crate::{
    cli::{
        console::Console,
        files::{self, Disk, read_text},
        tables::read_table,
    },
    error::{Error, Result},
    evaluate::{
        link,
        truth::{self, MaskedRecord, OriginalRecord, Truth},
    },
    jobs::link::Further,
    options::{link::ReleasesArgs, read::ReadArgs},
    statement::Statement,
    table::{AttrId, ReadOptions, Table},
};

/// Reads a statement; with the name of its file, for messages.
///
/// # Errors
/// Input, when it is none.
fn read_statement(path: &Path) -> Result<(Statement, String)> {
    let name = files::name_of(path);
    let statement = Statement::from_json(&name, &read_text(path)?)?;
    Ok((statement, name))
}

/// Reads the statements of steps that followed each other, as one history; with the names of the files, for messages. `None` if there are none.
///
/// # Errors
/// Input, when one is none.
pub(in crate::cli) fn read_statements(paths: &[PathBuf]) -> Result<Option<(Statement, String)>> {
    let mut history: Option<(Statement, String)> = None;
    for path in paths {
        let (statement, name) = read_statement(path)?;
        match &mut history {
            None => history = Some((statement, name)),
            Some((earlier, names)) => {
                earlier.append(statement.steps);
                names.push_str(" + ");
                names.push_str(&name);
            }
        }
    }
    Ok(history)
}

/// Reads the further releases and their statements.
///
/// # Errors
/// What reading objects to.
pub(super) fn read_releases(
    releases: &ReleasesArgs,
    read: &ReadArgs,
    console: &Console,
) -> Result<Vec<Further>> {
    if releases.also.is_empty() {
        return Ok(Vec::new());
    }
    let options = read.options(&Disk)?;
    let options = options.for_another_file();
    let release = |(number, path): (usize, &PathBuf)| {
        let statement = releases.also_statement.get(number);
        Ok(Further {
            table: read_table(path, &options, console)?,
            statement: statement.map(|path| read_statement(path)).transpose()?,
        })
    };
    releases.also.iter().enumerate().map(release).collect()
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
            let pairs = read_key(&name, &read_text(path)?)?;
            Truth::by_key(original.n_records(), masked.n_records(), &pairs)
                .map_err(|error| error.in_file(name))
        }
    }
}

/// The original and the masked table, the second read as the first was if that fits better; large ones without their text where that
/// is possible. Where the original `is_crossed`, the roles file
/// may name attributes that a crosswalk makes.
///
/// # Errors
/// Whatever reading objects to.
pub(in crate::cli) fn read_pair(
    original: &Path,
    masked: &Path,
    is_crossed: bool,
    read: &ReadArgs,
    console: &Console,
) -> Result<(Table, Table)> {
    let mut options = read.options(&Disk)?;
    if is_crossed {
        options.roles = options.roles.naming_others();
    }
    options.condense_from = Some(ReadOptions::LARGE);
    let original = read_table(original, &options, console)?;
    let options = options.for_another_file();
    let masked = read_table(masked, &options, console)?;
    read.settle(&[&original, &masked], console)?;
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
    if masked.is_parquet() || marks(&masked) == marks(original) {
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

/// Reads a key: lines `masked,original`, records counted from 1.
fn read_key(name: &str, content: &str) -> Result<Vec<(MaskedRecord, OriginalRecord)>> {
    let wrong = |line: u64| {
        Error::input("is not a line of two record numbers (masked,original)")
            .in_file(name)
            .at_line(line)
            .remedy("Give the file that 'mask --shuffle' wrote")
    };
    // No table has so many records: a number beyond is of none.
    let place = |number: usize| u32::try_from(number - 1).unwrap_or(u32::MAX);
    let mut reader = csv::ReaderBuilder::new().from_reader(content.as_bytes());
    if reader.headers().map_err(|_| wrong(1))? != vec!["masked", "original"] {
        return Err(wrong(1));
    }
    (2..)
        .zip(reader.deserialize::<(usize, usize)>())
        .map(|(line, pair)| match pair {
            Ok((masked, original)) if masked > 0 && original > 0 => {
                Ok((MaskedRecord(place(masked)), OriginalRecord(place(original))))
            }
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
            [
                (MaskedRecord(0), OriginalRecord(1)),
                (MaskedRecord(1), OriginalRecord(0))
            ]
        );
        let error = read_key("k.csv", "masked,original\n1,2\n0,1\n").unwrap_err();
        assert!(error.to_string().starts_with("k.csv, line 3"), "{error}");
        assert!(read_key("k.csv", "a,b\n1,2\n").is_err());
    }
}
