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

/// Options that change no result, and are alone: messages.
const ALONE: [&str; 3] = ["--quiet", "--verbose", "--timings"];

/// Options that change no result, and have a value: threads, memory, where results go, what the exit status looks at.
const VALUED: [&str; 5] = [
    "--threads",
    "--memory-limit",
    "--output",
    "--into",
    "--fail-above",
];

/// The option whose value is not told: who is given a result should not get the seed of a masking with it.
const SECRET: &str = "--seed";

/// What stands in its place.
const NOT_TOLD: &str = "…";

/// Leaves out what changes no result: threads, messages, the names of outputs, gates. Results of the same question are then the
/// same byte by byte.
fn that_matter(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        // What follows are names of files, whatever they look like.
        if word == "--" {
            kept.push(word);
            kept.extend(words);
            break;
        }
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), None),
        };
        if ALONE.contains(&option) {
            continue;
        }
        if option == SECRET {
            if value.is_none() {
                words.next();
            }
            kept.extend([SECRET.into(), NOT_TOLD.into()]);
            continue;
        }
        if VALUED.contains(&option) {
            if value.is_none() {
                words.next();
            }
            continue;
        }
        match messages_and_output(&word) {
            Some(Fused::Whole) => {}
            Some(Fused::ValueFollows) => {
                words.next();
            }
            None => kept.push(word),
        }
    }
    kept
}

/// How a word of short options ends.
enum Fused {
    /// With all that belongs to it.
    Whole,
    /// With `-o`, whose value is the next word.
    ValueFollows,
}

/// A word of the short options `-q`, `-v` and `-o`, which can be written in one: `-qo FILE`, `-oFILE`. There are no others but `-h`
/// and `-V`, which give no results.
fn messages_and_output(word: &str) -> Option<Fused> {
    let letters = word.strip_prefix('-')?.trim_start_matches(['q', 'v']);
    match letters.strip_prefix('o') {
        Some("") => Some(Fused::ValueFollows),
        Some(_) => Some(Fused::Whole),
        None => (letters.is_empty() && word.len() > 1).then_some(Fused::Whole),
    }
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

    #[test]
    fn a_seed_is_not_told() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        for typed in [
            "link --seed 867530977 a.csv b.csv",
            "link --seed=867530977 a.csv b.csv",
        ] {
            assert_eq!(
                that_matter(words(typed).into_iter()),
                words("link --seed … a.csv b.csv")
            );
        }
    }

    #[test]
    fn short_options_can_be_written_in_one_word() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        for typed in [
            "risk -oout.csv f.csv",
            "risk -o=out.csv f.csv",
            "risk -qo out.csv f.csv",
            "risk -vqoout.csv f.csv",
            "-qv risk f.csv -o -",
            "risk --memory-limit 2G --fail-above 5% --fail-above=unique=1% f.csv",
            "risk --into a --into=b f.csv",
        ] {
            assert_eq!(
                that_matter(words(typed).into_iter()),
                words("risk f.csv"),
                "{typed}"
            );
        }
        // Standard input, negative numbers, and names of files after -- stay.
        for typed in ["risk -", "loss --na -9 f.csv", "risk -- -o f.csv"] {
            assert_eq!(that_matter(words(typed).into_iter()), words(typed));
        }
    }
}
