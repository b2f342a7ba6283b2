//! The command line: the one place that knows subcommands, files, the terminal and the clock.

mod clock;
mod console;
mod demo;
mod describe;
mod evaluate;
mod explain;
mod fence;
mod files;
mod guess;
mod link;
mod loss;
mod mask;
mod match_attributes;
mod memory;
mod merge;
mod pair;
mod parts;
mod places;
mod progress;
mod provenance;
mod report;
mod risk;
mod roles;
mod score;
mod selftest;
mod tables;
mod verify;
mod watch;

use std::{ffi::OsString, io, process::ExitCode};

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{
    error::{Error, ErrorKind},
    evaluate::status::Status,
    options::{
        demo::DemoArgs, describe::DescribeArgs, evaluate::EvaluateArgs, explain::ExplainArgs,
        guess::GuessArgs, link::LinkArgs, loss::LossArgs, mask::MaskCommand,
        match_attributes::MatchArgs, merge::MergeArgs, report::ReportArgs, risk::RiskArgs,
        roles::RolesArgs, score::ScoreArgs, search::SearchArgs, selftest::SelftestArgs,
        verify::VerifyArgs,
    },
    visible,
};
use console::Console;

/// Exit statuses beside 0: a contract with scripts.
mod status {
    pub const FAILED: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const INPUT: u8 = 3;
    pub const UNPROVEN: u8 = 4;
    pub const NOT_PROVED: u8 = 5;
    pub const ABOVE_LIMIT: u8 = 10;
    /// Stopped by a signal; what shells report of a program that Ctrl-C ended.
    pub const STOPPED: u8 = 130;
}

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
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    console: console::ConsoleArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
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

/// How a command ended, when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Done,
    /// A limit was reached before a proof; the result and its bound were printed.
    Unproven,
    AboveLimit,
    /// What was to be checked is wrong.
    Wrong,
    /// What was to be checked is neither proved nor wrong.
    NotProved,
    /// Somebody pressed Ctrl-C, and what can be continued was kept.
    Stopped,
    /// The command line makes no sense, and that was said.
    Objected,
}

impl Ending {
    /// Of work that got so far.
    fn of(status: Status) -> Self {
        match status {
            Status::Limit => Self::Unproven,
            Status::Done | Status::NotRun => Self::Done,
        }
    }
}

/// Parses the command line, runs it, and returns the exit status. A closed pipe on standard output ends quietly.
pub fn main() -> ExitCode {
    let parsed = Cli::command()
        .try_get_matches_from(spelled_out(std::env::args_os().collect()))
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let outcome = match parsed {
        Ok(cli) => {
            fence::install();
            fence::contained(|| run(cli))
        }
        Err(error) => report(&error),
    };
    match outcome {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Unproven) => ExitCode::from(status::UNPROVEN),
        Ok(Ending::Wrong) => ExitCode::from(status::FAILED),
        Ok(Ending::NotProved) => ExitCode::from(status::NOT_PROVED),
        Ok(Ending::Objected) => ExitCode::from(status::USAGE),
        Ok(Ending::Stopped) => ExitCode::from(status::STOPPED),
        Ok(Ending::AboveLimit) => ExitCode::from(status::ABOVE_LIMIT),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to be done when even this cannot be written.
            let _ = progress::complain(&format!("{error:#}"));
            ExitCode::from(exit_status(&error))
        }
    }
}

/// The words of a call, in which `mask FILE.toml` is `mask recipe FILE.toml`.
fn spelled_out(mut words: Vec<OsString>) -> Vec<OsString> {
    let program = parser();
    let mask = program.find_subcommand("mask");
    let Some(recipe) = mask.and_then(|mask| mask.find_subcommand("recipe")) else {
        return words;
    };
    let mut after_mask = None;
    let mut place = 1;
    while let Some(word) = words.get(place).map(|word| word.to_string_lossy()) {
        place += 1;
        match (word.strip_prefix('-'), after_mask) {
            (Some(option), _) => place += usize::from(value_follows(option, recipe)),
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
fn value_follows(option: &str, command: &clap::Command) -> bool {
    let of_option = |arg: &&clap::Arg| match option.strip_prefix('-') {
        Some(long) => arg.get_long() == Some(long),
        None => option.chars().last() == arg.get_short(),
    };
    let arg = command.get_arguments().find(of_option);
    arg.is_some_and(|arg| arg.get_action().takes_values())
}

/// The commands and their options, those of all commands included.
fn parser() -> clap::Command {
    let mut program = Cli::command();
    program.build();
    program
}

/// Prints what the parser of the command line has to say: its objections, or the help or the version that was asked for.
fn report(said: &clap::Error) -> anyhow::Result<Ending> {
    let plain = said.render().to_string();
    if said.use_stderr() {
        // An argument can hold signs that steer a terminal: without colours, then. Nothing is left to be done when it
        // cannot be written.
        let _ = if visible::lines(&plain) == plain {
            said.print()
        } else {
            progress::complain(&plain)
        };
        return Ok(Ending::Objected);
    }
    if files::is_terminal() {
        said.print().context("cannot write to standard output")?
    } else {
        files::print(&plain)?
    }
    Ok(Ending::Done)
}

fn run(cli: Cli) -> anyhow::Result<Ending> {
    let console = Console::new(&cli.console)?;
    let outcome = command(cli.command, &console);
    for sentence in files::left_by_killed_runs() {
        console.note(&sentence);
    }
    outcome
}

fn command(command: Command, console: &Console) -> anyhow::Result<Ending> {
    match command {
        Command::Mask { command } => mask::run(&command, console),
        Command::Link(args) => link::run(&args, console),
        Command::Loss(args) => loss::run(&args, console),
        Command::Risk(args) => risk::run(&args, console),
        Command::Score(args) => score::run(&args, console),
        Command::Evaluate(args) => evaluate::run(&args, console),
        Command::Merge(args) => merge::run(&args, console),
        Command::Search(args) => evaluate::search::run(&args, console),
        Command::MatchAttributes(args) => match_attributes::run(&args, console),
        Command::Explain(args) => explain::run(&args, console),
        Command::Report(args) => report::run(&args, console),
        Command::Guess(args) => guess::run(&args, console),
        Command::Verify(args) => verify::run(&args, console),
        Command::Describe(args) => describe::run(&args, console),
        Command::Roles(args) => roles::run(&args, console),
        Command::Demo(args) => demo::run(&args, console),
        Command::Selftest(args) => selftest::run(&args, console),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "sdcrisk", &mut script);
            files::print(&String::from_utf8_lossy(&script))?;
            Ok(Ending::Done)
        }
        Command::Man { command } => {
            let page = manual(&command.join("-"))?;
            files::print(&String::from_utf8_lossy(&page))?;
            Ok(Ending::Done)
        }
    }
}

/// The manual page of a command path joined by `-`, as roff.
fn manual(path: &str) -> anyhow::Result<Vec<u8>> {
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
    clap_mangen::Man::new(command)
        .title(title)
        .render(&mut page)?;
    Ok(page)
}

fn exit_status(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>().map(Error::kind) {
        Some(ErrorKind::Usage | ErrorKind::Strict) => status::USAGE,
        Some(ErrorKind::Input) => status::INPUT,
        _ => status::FAILED,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
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
        let text = |path| String::from_utf8(manual(path).unwrap()).unwrap();
        assert!(text("").contains("rankswap") || text("").contains("mask"));
        assert!(text("mask-rankswap").contains("\\-\\-window"));
        assert!(text("match-attributes").contains("\\-\\-rename"));
        assert!(manual("nothing").is_err());
    }
}
