//! What a call is given: the files, and what is said of them.

use crate::{evaluate::truth::Truth, statement::Statement, table::Table};

/// The files of a call.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The file of whom the intruder knows something.
    pub original: &'a Table,
    /// The masked file.
    pub masked: &'a Table,
    /// The statement of the masking.
    pub statement: Option<Stated<'a>>,
    /// Who is who in the two files, for the judge.
    pub truth: &'a Truth,
    /// Further releases of the same people.
    pub further: &'a [Further],
}

impl<'a> Input<'a> {
    /// A masked file alone.
    pub fn new(original: &'a Table, masked: &'a Table, truth: &'a Truth) -> Self {
        Self {
            original,
            masked,
            statement: None,
            truth,
            further: &[],
        }
    }
}

/// A statement of a masking.
#[derive(Debug, Clone, Copy)]
pub struct Stated<'a> {
    /// What it says.
    pub statement: &'a Statement,
    /// The name of its file, for messages.
    pub file: &'a str,
}

impl<'a> Stated<'a> {
    /// One that never was in a file.
    pub fn in_memory(statement: &'a Statement) -> Self {
        Self {
            statement,
            file: "the statement",
        }
    }
}

/// A further release of the same people.
#[derive(Debug)]
pub struct Further {
    /// The release, read.
    pub table: Table,
    /// Its statement, and the name of the file; that of the masked file is true of it, too, if `None`.
    pub statement: Option<(Statement, String)>,
}

impl Further {
    pub(super) fn stated(&self) -> Option<Stated<'_>> {
        let stated = self.statement.as_ref();
        stated.map(|(statement, file)| Stated { statement, file })
    }
}
