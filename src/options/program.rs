//! The program: its commands and what they are for, completions for shells, manual pages.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::{
    console::ConsoleArgs, demo::DemoArgs, describe::DescribeArgs, evaluate::EvaluateArgs,
    explain::ExplainArgs, guess::GuessArgs, link::LinkArgs, loss::LossArgs, mask::MaskCommand,
    match_attributes::MatchArgs, merge::MergeArgs, report::ReportArgs, risk::RiskArgs,
    roles::RolesArgs, score::ScoreArgs, search::SearchArgs, selftest::SelftestArgs,
    verify::VerifyArgs,
};
use crate::error::{Error, Result};

/// Masks microdata, attacks the masked file, and measures what the attack finds.
#[derive(Debug, Parser)]
#[command(
    name = "sdcrisk",
    version,
    about = "Mask microdata, attack the masked file, and measure what the attack finds",
    after_help = "Examples:
  sdcrisk demo                                               the whole job on bundled data, explained
  sdcrisk describe in.csv                                    how the file is read, and why
  sdcrisk roles --init -o roles.toml in.csv                  what was guessed, as a file to correct
  sdcrisk mask rankswap --p 5 -o masked.csv in.csv           mask a file
  sdcrisk link --method am,rsld --p 5 in.csv masked.csv      attack it
  sdcrisk link --method wm in.csv masked.csv                 the worst case: the best weights, proven
  sdcrisk loss in.csv masked.csv                             what masking took from the file
  sdcrisk risk in.csv                                        who stands out, without any linkage
  sdcrisk evaluate plan.toml --into results                  methods and strengths compared, with a map
  sdcrisk report -o report.html results.json                 one page for a release board

Exit status: 0 done, 1 failed while running, 2 wrong usage, 3 bad input, 4 stopped before a proof,
5 verify: neither proved nor refuted, 10 above --fail-above.
The figures inform a decision; they do not certify a file. Nothing is ever sent anywhere.",
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Mask a file, by one method or by a recipe of several steps
    #[command(
        subcommand_required = true,
        arg_required_else_help = true,
        override_usage = "sdcrisk mask [OPTIONS] <METHOD> ...\n       sdcrisk mask [OPTIONS] <RECIPE.toml> <IN.csv>",
        after_help = "Examples:
  sdcrisk mask rankswap --p 5 -o masked.csv in.csv
  sdcrisk mask release.toml -o masked.csv in.csv

'sdcrisk mask rankswap --help' shows the options of a method, 'sdcrisk mask recipe --help' what a recipe is."
    )]
    Mask {
        #[command(subcommand)]
        command: MaskCommand,
    },
    /// Attack a masked file and count the correct links
    Link(Box<LinkArgs>),
    /// Measure what masking took from a file
    Loss(Box<LossArgs>),
    /// Measure what a file, or a pair of files, discloses without any linkage
    Risk(Box<RiskArgs>),
    /// Information loss and disclosure risk in one number, every term shown
    Score(Box<ScoreArgs>),
    /// Mask files in many ways, attack and measure them all, and compare: a plan of experiments
    Evaluate(Box<EvaluateArgs>),
    /// Make the report of one run of the parts of a plan, or of attacks, that several machines did
    Merge(MergeArgs),
    /// Find the masking with the least loss that keeps the strongest attack below a limit
    Search(Box<SearchArgs>),
    /// Put any results into one HTML page, for the office or for others
    Report(ReportArgs),
    /// Explain in words, numbers and a picture what a learned distance shows about each attribute
    Explain(ExplainArgs),
    /// Find out which masking, with which parameter, two files betray to somebody without documentation
    Guess(Box<GuessArgs>),
    /// Check the proof of a learned optimum
    Verify(VerifyArgs),
    /// Find out which attribute of one file is which of another
    MatchAttributes(Box<MatchArgs>),
    /// Show how a file is read: dialect, attributes, scales, roles, missing values
    Describe(DescribeArgs),
    /// Write a roles file of all that was guessed about a file, to be corrected
    Roles(RolesArgs),
    /// Mask a bundled file at several strengths, attack each, explain the figures
    Demo(DemoArgs),
    /// Recompute worked examples of the literature: pass or fail
    Selftest(SelftestArgs),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program, or of one command
    Man {
        /// A command, for example link, or mask rankswap
        command: Vec<String>,
    },
}

/// What was typed: the words of a call, the name of the program first.
///
/// # Errors
/// What the parser has to say: its objections, or the help or the version that was asked for.
pub fn parse(words: Vec<OsString>) -> std::result::Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(spelled_out(words))?;
    Cli::from_arg_matches(&matches)
}

/// The words of a call, in which `mask FILE.toml` is `mask recipe FILE.toml`.
fn spelled_out(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_toml = |word: &OsString| word.to_string_lossy().ends_with(".toml");
    // To list the options of all commands takes as long as a small file.
    if !words.iter().any(is_toml) {
        return words;
    }
    let program = Cli::command();
    let mask = program.find_subcommand("mask");
    let Some(recipe) = mask.and_then(|mask| mask.find_subcommand("recipe")) else {
        return words;
    };
    let mut after_mask = None;
    let mut place = 1;
    while let Some(word) = words.get(place).map(|word| word.to_string_lossy()) {
        place += 1;
        match (word.strip_prefix('-'), after_mask) {
            (Some(option), _) => place += usize::from(value_follows(option, &program, recipe)),
            (None, None) if word == "mask" => after_mask = Some(place),
            (None, Some(at)) if word.ends_with(".toml") => {
                words.insert(at, "recipe".into());
                break;
            }
            (None, _) => break,
        }
    }
    words
}

/// Whether the value of an option, given without its first hyphen, is the next word.
fn value_follows(option: &str, program: &clap::Command, command: &clap::Command) -> bool {
    let arg = options_in(program, command).find(|arg| match option.strip_prefix('-') {
        Some(long) => arg.get_long() == Some(long),
        None => option.chars().last() == arg.get_short(),
    });
    arg.is_some_and(|arg| arg.get_action().takes_values())
}

/// What can be said in a call of a command: its own options, and those of all commands.
pub(super) fn options_in<'a>(
    program: &'a clap::Command,
    command: &'a clap::Command,
) -> impl Iterator<Item = &'a clap::Arg> {
    let of_all = program.get_arguments().filter(|arg| arg.is_global_set());
    command.get_arguments().chain(of_all)
}

/// A script that completes the words of a call in this shell.
pub fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sdcrisk", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page of a command path joined by `-`, as roff.
///
/// # Errors
/// Usage, when there is no such command.
pub fn manual(path: &str) -> Result<String> {
    let mut command = Cli::command();
    command.build();
    let mut title = "sdcrisk".to_string();
    let mut rest = path;
    while !rest.is_empty() {
        // A name can hold a '-' of its own.
        let known = command.get_subcommands().map(clap::Command::get_name);
        let word = known
            .filter(|name| {
                let after = rest.strip_prefix(name);
                after.is_some_and(|after| after.is_empty() || after.starts_with('-'))
            })
            .max_by_key(|name| name.len())
            .or_else(|| rest.split('-').next())
            .unwrap_or_default()
            .to_string();
        let names: Vec<String> = command
            .get_subcommands()
            .map(|sub| sub.get_name().to_string())
            .collect();
        command = command.find_subcommand(&word).cloned().ok_or_else(|| {
            Error::usage(format!("there is no manual page of {title} {word}")).remedy(
                match names[..] {
                    [] => format!("{title} has no subcommands"),
                    _ => format!("There are: {}", names.join(", ")),
                },
            )
        })?;
        title = format!("{title}-{word}");
        rest = rest[word.len()..].trim_start_matches('-');
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command)
        .title(title)
        .render(&mut page);
    rendered.map_err(|error| Error::failed(format!("cannot make a manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_manual_page() {
        let text = |path| manual(path).unwrap();
        assert!(text("").contains("rankswap") || text("").contains("mask"));
        assert!(text("mask-rankswap").contains("\\-\\-window"));
        assert!(text("match-attributes").contains("\\-\\-rename"));
        assert!(manual("nothing").is_err());
    }
}
