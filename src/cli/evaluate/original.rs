//! Reading the originals of a plan.

use std::collections::BTreeSet;

use crate::{
    cli::{
        console::Console,
        files::{self, Disk, read_text},
        places::Places,
        tables::read_table,
    },
    error::{Error, ErrorKind, Result},
    evaluate::plan::{Passage, Plan, PlannedFile, PlannedRecords},
    jobs::evaluate::Original,
    options::words::{Places as _, Words},
    table::Table,
};

/// Reads the file at this place of a plan; `None` if it is not there. `seed` draws its records, where the plan wants some.
///
/// # Errors
/// What reading objects to.
pub(super) fn read(
    (place, plan): (usize, &Plan),
    (words, places): (Words<'_>, &Places),
    seed: u64,
    console: &Console,
) -> Result<Option<Original>> {
    let file = &plan.files[place];
    let name = short_name(file, &plan.files);
    let passage = Passage {
        plan: words.plan,
        line: file.line,
        options: &file.reading,
    };
    let Ok(path) = places.find_table(&file.original) else {
        return Ok(None);
    };
    let read = words.reading(&file.reading, file.line)?;
    let options = read.options(&Disk).map_err(|error| match error.kind() {
        ErrorKind::Usage => passage.blamed(["reading", &name], error),
        // A roles file that is none says so itself.
        ErrorKind::Strict | ErrorKind::Input | ErrorKind::Failed => error,
    })?;
    let table = read_table(&path, &options, console)?;
    if let Some(list) = &file.attributes {
        table
            .select(list)
            .map_err(|error| passage.blamed(["attributes", &name], error))?;
    }
    let table = match &file.records {
        None => Ok(table),
        Some(PlannedRecords::Drawn(count)) => Original::drawn(table, *count, seed),
        Some(PlannedRecords::Listed(list)) => listed(&table, list, places),
    };
    Ok(Some(Original {
        place,
        name,
        table: table.map_err(|error| error.in_file(words.plan).at_line(file.line))?,
    }))
}

/// The records of a table that a file lists by number.
fn listed(table: &Table, list: &str, places: &Places) -> Result<Table> {
    let all = table.n_records();
    let path = places.find(list)?;
    let text = read_text(&path)?;
    let wrong = || {
        Error::input(format!("is not a list of different record numbers from 1 to {all}"))
            .in_file(files::name_of(&path))
            .remedy("Write the numbers of the records, in the order wanted, with blanks or line ends between them")
    };
    let place = |word: &str| {
        let number = word.parse::<usize>().ok();
        let number = number.filter(|number| (1..=all).contains(number))?;
        u32::try_from(number - 1).ok()
    };
    let records: Option<Vec<u32>> = text.split_whitespace().map(place).collect();
    let records = records.ok_or_else(wrong)?;
    let different: BTreeSet<u32> = records.iter().copied().collect();
    if records.is_empty() || different.len() < records.len() {
        return Err(wrong());
    }
    Ok(table.clone().reordered(records))
}

/// What a file is called in reports: without its folders, unless another is called so too.
fn short_name(file: &PlannedFile, all: &[PlannedFile]) -> String {
    let own = file.short_name();
    match all.iter().filter(|other| other.short_name() == own).count() {
        1 => own.into(),
        _ => file.original.clone(),
    }
}
