//! Where the results of this call come from.

use crate::{report::provenance::Provenance, table::Table};

/// The words of this call that its result depends on, and the tables that it read.
pub fn of(tables: &[&Table]) -> Provenance {
    // The name by which the program was called says nothing, and can hold a path of this machine.
    let words = std::env::args_os().skip(1);
    let mut command = vec!["sdcrisk".to_string()];
    command.extend(that_matter(
        words.map(|word| word.to_string_lossy().into_owned()),
    ));
    Provenance::new(command, tables)
}

/// Leaves out what changes no result: threads, messages, the name of the output. Results of the same question are then the
/// same byte by byte.
fn that_matter(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), None),
        };
        match option {
            "--quiet" | "-q" | "--verbose" | "-v" | "--timings" => {}
            "--threads" | "--output" | "-o" => {
                if value.is_none() {
                    words.next();
                }
            }
            _ => kept.push(word),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_no_result_is_left_out() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let typed = "--threads 4 link -q --method=am --threads=2 -o r.json --output=x --timings a.csv b.csv";
        assert_eq!(
            that_matter(words(typed).into_iter()),
            words("link --method=am a.csv b.csv")
        );
    }
}
