//! Where the results of this call come from: its words and its tables.

use super::files::fingerprint;
use crate::{options::shown, report::provenance::Provenance, table::Table};

/// The words of this call that its result depends on, and the tables that it read.
pub fn of(tables: &[&Table]) -> Provenance {
    let mut command = vec!["sdcrisk".to_string()];
    command.extend(shown::that_matter(words()));
    Provenance::new(command, tables)
}

/// SHA-256, in hexadecimal, of the words that the result depends on, with the values that no result shows: equal for calls that ask for the
/// same. It is for private files: who knows all but a short seed finds the seed by trying.
pub fn fingerprint_of_words() -> String {
    let words = shown::that_matter_with_secrets(words());
    fingerprint(words.join("\0").as_bytes())
}

/// The words of this call. The name by which the program was called says nothing, and can hold a path of this machine.
fn words() -> impl Iterator<Item = String> {
    let words = std::env::args_os().skip(1);
    words.map(|word| word.to_string_lossy().into_owned())
}
