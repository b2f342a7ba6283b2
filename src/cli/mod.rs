//! The command line: the one place that knows files, the terminal and the clock. What can be typed stands in `options`.

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

use std::{io, process::ExitCode};

use anyhow::Context;

use crate::{
    error::{Error, ErrorKind},
    evaluate::status::Status,
    options::program::{self, Cli, Command},
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
    let outcome = match program::parse(std::env::args_os().collect()) {
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
            files::print(&program::completions(shell))?;
            Ok(Ending::Done)
        }
        Command::Man { command } => {
            files::print(&program::manual(&command.join("-"))?)?;
            Ok(Ending::Done)
        }
    }
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
