//! One table of broken and ugly inputs and of wrong options: what each ends with, and what it says.

mod aggregates;
mod analyses;
mod broken;
mod distances;
mod evaluate;
mod explain;
mod fuzzy;
mod knowledge;
mod learned;
mod loss;
mod match_attributes;
mod microaggregation;
mod options;
mod outputs;
mod probabilistic;
mod published;
mod report;
mod risk;
mod rules;
mod score;
mod ugly;
mod verify;

use std::collections::BTreeSet;

use crate::sandbox::{Ran, Sandbox};

/// Values that stand in the files and must never stand in a message.
const SECRETS: [&str; 3] = ["918273645", "geheim", "827364.5"];

/// A file with an identifier, three amounts, a text, and an attribute without spread.
pub const GOOD: &str = "\
person_id,age,income,bonus,town,flat
geheim01,34,918273645,827364.5,Hull,7
geheim02,51,918273600,2.5,Leeds,7
geheim03,29,31000,3.25,Hull,7
geheim04,42,28500,0.5,York,7
geheim05,63,47100,9,Hull,7
geheim06,38,39900,1.75,Leeds,7
geheim07,25,22000,4.5,York,7
geheim08,57,61000,8.25,Hull,7
geheim09,46,55000,6,Leeds,7
geheim10,33,33500,5.5,Hull,7
";

/// A masked file of [`GOOD`], its identifiers kept.
pub const MASKED: &str = "\
person_id,age,income,bonus,town,flat
geheim01,33,918273600,9,Hull,7
geheim02,57,918273645,3.25,Leeds,7
geheim03,25,28500,2.5,Hull,7
geheim04,46,31000,1.75,York,7
geheim05,51,55000,827364.5,Hull,7
geheim06,34,33500,0.5,Leeds,7
geheim07,29,22000,5.5,York,7
geheim08,63,47100,6,Hull,7
geheim09,42,61000,8.25,Leeds,7
geheim10,38,39900,4.5,Hull,7
";

/// What a case must end with.
pub enum End {
    /// Exit status 0; this is in the result.
    Shows(&'static str),
    /// Exit status 0; this is said on standard error.
    Notes(&'static str),
    /// An option has no use: exit status 0 with this note, exit status 2 with `--strict`.
    Idle(&'static str),
    /// This exit status; this is said on standard error.
    Fails(i32, &'static str),
}

/// One row of the table.
pub struct Case {
    name: &'static str,
    arguments: String,
    files: Vec<(&'static str, Vec<u8>)>,
    links: Vec<(&'static str, &'static str, Link)>,
    folders: Vec<&'static str>,
    stdin: Vec<u8>,
    end: End,
}

#[derive(Clone, Copy)]
pub enum Link {
    Symbolic,
    Hard,
}

pub fn case(name: &'static str, arguments: impl Into<String>, end: End) -> Case {
    Case {
        name,
        arguments: arguments.into(),
        files: Vec::new(),
        links: Vec::new(),
        folders: Vec::new(),
        stdin: Vec::new(),
        end,
    }
}

pub fn fails(name: &'static str, arguments: &str, status: i32, says: &'static str) -> Case {
    case(name, arguments, End::Fails(status, says))
}

impl Case {
    /// What it says is that an option has no use: it is a note, and an error with `--strict` only.
    pub fn idle(mut self) -> Self {
        if let End::Fails(_, says) = self.end {
            self.end = End::Idle(says);
        }
        self
    }

    pub fn file(mut self, name: &'static str, content: impl AsRef<[u8]>) -> Self {
        self.files.push((name, content.as_ref().to_vec()));
        self
    }

    pub fn link(mut self, name: &'static str, to: &'static str, kind: Link) -> Self {
        self.links.push((name, to, kind));
        self
    }

    pub fn folder(mut self, name: &'static str) -> Self {
        self.folders.push(name);
        self
    }

    pub fn stdin(mut self, content: impl AsRef<[u8]>) -> Self {
        self.stdin = content.as_ref().to_vec();
        self
    }

    /// Runs the case and gives what is wrong with it, if anything is. An idle option is tried twice.
    fn fault(&self) -> Option<String> {
        match self.end {
            End::Idle(part) => self
                .fault_of(&self.arguments, &End::Notes(part))
                .or_else(|| {
                    let arguments = format!("{} --strict", self.arguments);
                    self.fault_of(&arguments, &End::Fails(2, part))
                }),
            _ => self.fault_of(&self.arguments, &self.end),
        }
    }

    fn fault_of(&self, arguments: &str, end: &End) -> Option<String> {
        let sandbox = Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)]);
        for name in &self.folders {
            std::fs::create_dir(sandbox.path(name)).unwrap();
        }
        for (name, content) in &self.files {
            sandbox.write(name, content);
        }
        for &(name, to, kind) in &self.links {
            let (from, to) = (sandbox.path(name), sandbox.path(to));
            match kind {
                Link::Symbolic => std::os::unix::fs::symlink(to, from).unwrap(),
                Link::Hard => std::fs::hard_link(to, from).unwrap(),
            }
        }
        let before = sandbox.listing();
        let ran = sandbox.run_with(arguments, &self.stdin);
        let mut faults = faults_of(end, &ran);
        if matches!(end, End::Fails(..)) && sandbox.listing() != before {
            faults.push("the folder is not what it was before".into());
        }
        (!faults.is_empty()).then(|| {
            format!(
                "{}: sdcrisk {}\n  {}\n  status {:?}\n  stdout: {}\n  stderr: {}",
                self.name,
                arguments,
                faults.join("\n  "),
                ran.status,
                ran.text().lines().take(3).collect::<Vec<_>>().join(" / "),
                ran.stderr.trim_end()
            )
        })
    }
}

fn faults_of(end: &End, ran: &Ran) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, what: &dyn std::fmt::Display| {
        if !holds {
            faults.push(what.to_string());
        }
    };
    let expected = match *end {
        End::Shows(_) | End::Notes(_) | End::Idle(_) => 0,
        End::Fails(status, _) => status,
    };
    check(
        ran.status == Some(expected),
        &format_args!("the exit status should be {expected}"),
    );
    check(!ran.stderr.contains("panicked"), &"it panicked");
    for secret in SECRETS {
        check(
            !ran.stderr.contains(secret),
            &"standard error holds a value of a record",
        );
    }
    match *end {
        End::Shows(part) => check(
            ran.text().contains(part) || in_one_line(&ran.text()).contains(part),
            &format_args!("standard output lacks {part:?}"),
        ),
        End::Notes(part) | End::Idle(part) => check(
            in_one_line(&ran.stderr).contains(part),
            &format_args!("standard error lacks {part:?}"),
        ),
        End::Fails(_, part) => {
            check(
                in_one_line(&ran.stderr).contains(part),
                &format_args!("standard error lacks {part:?}"),
            );
            check(ran.stdout.is_empty(), &"something is on standard output");
            let last_words = ran
                .stderr
                .lines()
                .find(|line| !line.starts_with("note: "))
                .unwrap_or_default();
            check(
                [
                    "sdcrisk: ",
                    "error: ",
                    "Usage: ",
                    "Mask a file",
                    "Mask microdata",
                ]
                .iter()
                .any(|start| last_words.starts_with(start)),
                &"the message does not begin with \"sdcrisk: \"",
            );
        }
    }
    faults
}

/// Messages are broken into lines for people; that is not what is tested.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table() -> Vec<Case> {
    let mut table = broken::cases();
    table.extend(ugly::cases());
    table.extend(options::cases());
    table.extend(distances::cases());
    table.extend(evaluate::cases());
    table.extend(explain::cases());
    table.extend(fuzzy::cases());
    table.extend(outputs::cases());
    table.extend(knowledge::cases());
    table.extend(aggregates::cases());
    table.extend(analyses::cases());
    table.extend(learned::cases());
    table.extend(loss::cases());
    table.extend(match_attributes::cases());
    table.extend(microaggregation::cases());
    table.extend(probabilistic::cases());
    table.extend(published::cases());
    table.extend(risk::cases());
    table.extend(report::cases());
    table.extend(rules::cases());
    table.extend(score::cases());
    table.extend(verify::cases());
    table
}

#[test]
fn bad_input_is_refused_with_reasons_and_ugly_input_works() {
    let table = table();
    let faults: Vec<String> = table.iter().filter_map(Case::fault).collect();
    assert!(
        faults.is_empty(),
        "{} of {} cases:\n\n{}",
        faults.len(),
        table.len(),
        faults.join("\n\n")
    );
}

#[test]
fn the_table_is_as_large_as_promised_and_names_each_case_once() {
    let table = table();
    let names: BTreeSet<&str> = table.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), table.len(), "a name is there twice");
    assert!(table.len() >= 60, "{} cases", table.len());
}
