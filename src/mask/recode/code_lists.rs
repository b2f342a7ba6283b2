//! Files of codes that rules name: lists of new codes, and hierarchies.

use std::collections::BTreeMap;

use crate::{
    error::{Error, Reason, Result},
    table::{AttrId, ReadOptions, Table},
};

/// Which column of a file has the new codes.
#[derive(Debug, Clone)]
pub(super) enum Level {
    /// The only one behind the codes.
    Only,
    /// So many levels up: 1 is the parent of a code.
    Up(usize),
    /// The level of this name.
    Named(String),
}

/// The new text of each code of a file, whose first column has the codes, and whose first line the names of the columns. `name` is used in
/// messages only. Cells are texts: leading zeros stay, and only empty cells are missing.
///
/// # Errors
/// Input, with the line: there is no such level, a cell of the two columns is empty, or a code has two different new texts.
pub(super) fn codes(name: &str, text: &str, level: &Level) -> Result<BTreeMap<String, String>> {
    let options = ReadOptions {
        header: Some(true),
        na: Some(vec![String::new()]),
        ..ReadOptions::default()
    };
    let table = Table::read(name, text.as_bytes().to_vec(), &options)?;
    let ids: Vec<AttrId> = table.ids().collect();
    let wrong = |what: String| {
        Error::input(what).in_file(name).remedy(
            "The first line has names; each further line a code, and behind it what becomes of it, level by level",
        )
    };
    let levels = ids.len().saturating_sub(1);
    let column = match level {
        Level::Only if levels == 1 => Some(ids[1]),
        Level::Only => {
            return Err(wrong(format!(
                "has {} columns: a list of codes has two, the code and its new text",
                ids.len()
            )));
        }
        Level::Up(up) => ids.get(*up).copied().filter(|_| *up > 0),
        Level::Named(name) => table.find(name).ok().filter(|id| ids.first() != Some(id)),
    };
    let column = column.ok_or_else(|| {
        let asked = match level {
            Level::Named(name) => format!("{name:?}"),
            Level::Up(up) => up.to_string(),
            Level::Only => String::new(),
        };
        wrong(format!(
            "has {levels} {} above its codes, and none of them is level {asked}",
            if levels == 1 { "level" } else { "levels" }
        ))
    })?;
    let mut codes = BTreeMap::new();
    for record in 0..table.n_records() {
        let at = |what: &str| wrong(what.into()).at_line(table.line_of(record));
        if table.is_missing(record, ids[0]) || table.is_missing(record, column) {
            return Err(at("has an empty cell where a code should be"));
        }
        let code = table.category(record, ids[0]).into_owned();
        let new = table.category(record, column).into_owned();
        let before = codes.insert(code.clone(), new.clone());
        if before.is_some_and(|before| before != new) {
            return Err(at("has a code for the second time, with another new text")
                .because(Reason::NamedTwice { name: code }));
        }
    }
    if codes.is_empty() {
        return Err(wrong("holds no codes".into()));
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NACE: &str = "class;group;section\n0111;011;A\n0112;011;A\n1011;101;C\n";

    #[test]
    fn levels_are_numbered_and_named() {
        let of = |level| codes("nace.csv", NACE, &level).unwrap()["0111"].clone();
        assert_eq!(of(Level::Up(1)), "011");
        assert_eq!(of(Level::Up(2)), "A");
        assert_eq!(of(Level::Named("section".into())), "A");
        let two = codes("c.csv", "old,new\nNA,Namibia\nFR,France\n", &Level::Only).unwrap();
        assert_eq!(two["NA"], "Namibia");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_line() {
        let says = |text: &str, level| {
            let error = codes("n.csv", text, &level).unwrap_err();
            (error.what().to_owned(), error.location().line)
        };
        let (what, line) = says(NACE, Level::Up(3));
        assert_eq!(
            what,
            "has 2 levels above its codes, and none of them is level 3"
        );
        assert_eq!(line, None);
        for level in [Level::Up(0), Level::Named("class".into()), Level::Only] {
            says(NACE, level);
        }
        assert_eq!(says("a,b\n1,2\n3,\n", Level::Only).1, Some(3));
        assert_eq!(says("a,b\n1,2\n1,2\n1,3\n", Level::Up(1)).1, Some(4));
        assert_eq!(says("a,b\n", Level::Up(1)).0, "holds no codes");
    }
}
