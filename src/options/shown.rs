//! What a result shows of the words of its call: what is known to be harmless.

use clap::{Arg, Command, CommandFactory};

use super::program::{Cli, options_in};
use crate::report::provenance::say_format;

/// What a result says of an option. Options of which nothing is known are [`WithoutValue`](Self::WithoutValue): what a new one is
/// about may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The option and its value.
    Whole,
    /// The option, and a sign in the place of its value.
    WithoutValue,
    /// Nothing: no result depends on it.
    LeftOut,
}

/// Options that change no result: messages, threads, memory, where results go, what the exit status looks at, which part of the work
/// is done here.
const LEFT_OUT: [&str; 12] = [
    "brief",
    "explain",
    "quiet",
    "verbose",
    "timings",
    "threads",
    "memory-limit",
    "output",
    "into",
    "fail-above",
    "fail-above-extremes",
    "shard",
];

/// Options whose values a result may show. Whoever adds an option to a command that writes JSON decides here whether it may;
/// one that is not here is shown without its value.
const WHOLE: [&str; 81] = [
    "admissible",
    "agree",
    "algorithm",
    "also",
    "also-statement",
    "analysis-seed",
    "assign",
    "attributes",
    "attributes-masked",
    "by-attribute",
    "c",
    "certificate",
    "classes",
    "classifiers",
    "classify",
    "clusters",
    "confidential",
    "data",
    "decimal-mark",
    "degree",
    "delimiter",
    "direction",
    "em-iterations",
    "em-start",
    "encoding",
    "engine",
    "eps",
    "fit",
    "folds",
    "format",
    "group",
    "header",
    "id",
    "k",
    "kernel",
    "key",
    "known",
    "known-records",
    "l",
    "links",
    "loss",
    "measures",
    "method",
    "missing-matches",
    "most-at-risk",
    "msu-size",
    "na",
    "nearest-clusters",
    "no-header",
    "offset",
    "p",
    "p-unit",
    "posterior",
    "pseudo-inverse",
    "quantifiers",
    "recode",
    "records",
    "regress",
    "release-id",
    "ridge",
    "risk-at-most",
    "roles",
    "sampling-fraction",
    "shuffle-key",
    "skip-lines",
    "skip-missing",
    "standardize",
    "starts",
    "statement",
    "strict",
    "suda-scoring",
    "t",
    "thousands-mark",
    "ties",
    "time-limit",
    "tolerance",
    "train-records",
    "train-splits",
    "use-weights",
    "weights",
    "window",
];

/// Options whose values are secret: who is given a result should not get the seed of a masking with it.
#[cfg(test)]
const SECRET: [&str; 1] = ["seed"];

/// What stands in the place of a value.
const NOT_SHOWN: &str = "…";

fn shown(option: &str) -> Shown {
    if LEFT_OUT.contains(&option) {
        Shown::LeftOut
    } else if WHOLE.contains(&option) {
        Shown::Whole
    } else {
        Shown::WithoutValue
    }
}

/// Leaves out what changes no result: threads, messages, the names of outputs, gates. Results of the same question are then the
/// same byte by byte. `--format` comes last, as in what is made later of the results.
pub fn that_matter(words: impl Iterator<Item = String>) -> Vec<String> {
    kept(words, &Cli::command(), shown)
}

/// The same with the values that no result shows: equal for calls that ask for the same.
pub fn that_matter_with_secrets(words: impl Iterator<Item = String>) -> Vec<String> {
    let all = |option: &str| match shown(option) {
        Shown::LeftOut => Shown::LeftOut,
        Shown::Whole | Shown::WithoutValue => Shown::Whole,
    };
    kept(words, &Cli::command(), all)
}

/// The words of a call with as much of each option as is `shown`. `program` knows which options have values.
fn kept(
    words: impl Iterator<Item = String>,
    program: &Command,
    shown: impl Fn(&str) -> Shown,
) -> Vec<String> {
    let mut kept = Vec::new();
    let mut command = program;
    let mut words = words;
    let mut form = None;
    while let Some(word) = words.next() {
        // What follows are names of files, whatever they look like.
        if word == "--" {
            kept.push(word);
            kept.extend(words);
            break;
        }
        let Some(long) = word.strip_prefix("--") else {
            match messages_and_output(&word) {
                Some(Fused::Whole) => {}
                Some(Fused::ValueFollows) => {
                    words.next();
                }
                None => {
                    command = command.find_subcommand(&word).unwrap_or(command);
                    kept.push(word);
                }
            }
            continue;
        };
        let (name, joined) = match long.split_once('=') {
            Some((name, _)) => (name, true),
            None => (long, false),
        };
        let arg = options_in(program, command).find(|arg| is_called(arg, name));
        let has_value = arg.is_some_and(|arg| arg.get_action().takes_values());
        let value = if has_value && !joined {
            words.next()
        } else {
            None
        };
        match shown(arg.and_then(Arg::get_long).unwrap_or(name)) {
            Shown::LeftOut => {}
            Shown::WithoutValue => {
                kept.push(format!("--{name}"));
                if has_value || joined {
                    kept.push(NOT_SHOWN.into());
                }
            }
            Shown::Whole if name == "format" => {
                form = value.or_else(|| word.split_once('=').map(|(_, form)| form.into()));
            }
            Shown::Whole => {
                kept.push(word);
                kept.extend(value);
            }
        }
    }
    if let Some(form) = form {
        say_format(&mut kept, &form);
    }
    kept
}

fn is_called(arg: &Arg, name: &str) -> bool {
    let aliases = arg.get_all_aliases().unwrap_or_default();
    arg.get_long() == Some(name) || aliases.contains(&name)
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
    use std::collections::BTreeSet;

    use super::*;

    /// The commands whose results have a provenance.
    const WITH_PROVENANCE: [&str; 6] = ["link", "loss", "risk", "score", "evaluate", "search"];

    fn longs(command: &Command) -> BTreeSet<String> {
        let longs = command.get_arguments().filter_map(Arg::get_long);
        longs.map(String::from).collect()
    }

    fn matter(words: Vec<String>) -> Vec<String> {
        that_matter(words.into_iter())
    }

    /// Every option of every command: whoever adds one decides what results show of it, and until then it is not shown.
    #[test]
    fn what_is_shown_was_decided() {
        let mut program = Cli::command();
        program.build();
        let mut decided: BTreeSet<&str> = BTreeSet::new();
        for option in [&LEFT_OUT[..], &WHOLE[..], &SECRET[..]].concat() {
            assert!(decided.insert(option), "{option} is listed twice");
        }
        let mut of_results = BTreeSet::new();
        for command in WITH_PROVENANCE {
            of_results.extend(longs(program.find_subcommand(command).unwrap()));
        }
        for option in &decided {
            assert!(of_results.contains(*option), "there is no --{option}");
        }
        let not_decided = |option: &&String| !decided.contains(option.as_str());
        let missing: Vec<&String> = of_results.iter().filter(not_decided).collect();
        assert_eq!(missing, ["help"]);
        let mut commands = vec![(&program, vec![])];
        let mut seen = 0;
        while let Some((command, path)) = commands.pop() {
            for arg in command.get_arguments() {
                let Some(long) = arg.get_long() else { continue };
                let value = if arg.get_action().takes_values() {
                    "=7"
                } else {
                    ""
                };
                let mut words: Vec<String> = path.clone();
                words.push(format!("--{long}{value}"));
                let is_shown = matter(words).iter().any(|word| word.contains('7'));
                let may_be = WHOLE.contains(&long) && !value.is_empty();
                assert_eq!(is_shown, may_be, "--{long} of {path:?}");
                seen += 1;
            }
            for sub in command.get_subcommands() {
                let path = path.iter().cloned().chain([sub.get_name().into()]);
                commands.push((sub, path.collect()));
            }
        }
        assert!(seen > 300, "{seen}");
    }

    #[test]
    fn what_changes_no_result_is_left_out() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let typed = "--threads 4 link -q --method=am --threads=2 -o r.json --output=x --timings a.csv b.csv";
        assert_eq!(matter(words(typed)), words("link --method=am a.csv b.csv"));
        for typed in [
            "link --format=json --method am a.csv b.csv",
            "link --method am --format json a.csv b.csv",
            "link --method am a.csv b.csv --format json",
        ] {
            let last = "link --method am a.csv b.csv --format json";
            assert_eq!(matter(words(typed)), words(last));
        }
        assert_eq!(
            matter(words("risk --format csv -- -o")),
            words("risk --format csv -- -o")
        );
    }

    #[test]
    fn a_seed_is_not_shown() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        for typed in [
            "link --seed 867530977 a.csv b.csv",
            "link --seed=867530977 a.csv b.csv",
        ] {
            assert_eq!(matter(words(typed)), words("link --seed … a.csv b.csv"));
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
        ] {
            assert_eq!(matter(words(typed)), words("risk f.csv"), "{typed}");
        }
        // Standard input, negative numbers, and names of files after -- stay.
        for typed in ["risk -", "loss --na -9 f.csv", "risk -- -o f.csv"] {
            assert_eq!(matter(words(typed)), words(typed));
        }
    }
}
