//! The README: every command in it works, in order, and every output that it shows is the real one.

use std::path::Path;

use crate::sandbox::Sandbox;

/// The first lines of the README lead from nothing to a report in fewer calls than this.
const PATH: usize = 10;

/// A line that stands for any number of lines.
const LEFT_OUT: &str = "...";

/// A fenced block.
#[derive(Debug, PartialEq)]
struct Block<'a> {
    /// What the fence says it is.
    kind: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), blocks.last_mut()) {
            (Some(kind), _) if !inside => {
                blocks.push(Block {
                    kind: kind.trim(),
                    lines: Vec::new(),
                });
                inside = true;
            }
            (Some(_), _) => inside = false,
            (None, Some(block)) if inside => block.lines.push(line),
            (None, _) => {}
        }
    }
    blocks
}

/// What a reader pastes into a shell: with the program on the path; without what builds or tests it.
fn script(block: &Block<'_>) -> String {
    let lines =
        block
            .lines
            .iter()
            .filter_map(|line| match line.strip_prefix("cargo run --release -- ") {
                Some(arguments) => Some(format!("sdcrisk {arguments}\n")),
                None if line.starts_with("cargo ") => None,
                None => Some(format!("{line}\n")),
            });
    lines.collect()
}

/// Whether output is as shown, where a line `...` stands for whatever there is.
fn is_as_shown(output: &str, shown: &[&str]) -> bool {
    let output: Vec<&str> = output.lines().map(str::trim_end).collect();
    let mut rest = output.as_slice();
    let pieces: Vec<&[&str]> = shown.split(|line| line.trim() == LEFT_OUT).collect();
    let last = pieces.len() - 1;
    for (place, piece) in pieces.iter().enumerate() {
        let starts_here = |at: &usize| rest[*at..].starts_with(piece);
        let found = match (place, place == last) {
            (0, true) => (rest == *piece).then_some(0),
            (0, false) => Some(0).filter(starts_here),
            (_, true) => rest.len().checked_sub(piece.len()).filter(starts_here),
            (_, false) => (0..=rest.len()).find(starts_here),
        };
        let Some(at) = found else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[test]
fn blocks_are_taken_from_fences_and_only_what_calls_the_program_is_run() {
    let readme = "sdcrisk no\n```sh\ncargo test\ncargo run --release -- demo\nsdcrisk b | cat\n```\nx\n```text\n out\n```\n";
    let blocks = blocks(readme);
    assert_eq!(blocks.len(), 2);
    assert_eq!(script(&blocks[0]), "sdcrisk demo\nsdcrisk b | cat\n");
    assert_eq!(
        (blocks[1].kind, &blocks[1].lines[..]),
        ("text", &[" out"][..])
    );
}

#[test]
fn lines_may_be_left_out_but_not_changed() {
    let output = "a\nb  \nc\nd\n";
    for shown in [
        &["a", "b", "c", "d"][..],
        &["a", "...", "d"],
        &["...", "c", "..."],
        &["...", "c", "d"],
    ] {
        assert!(is_as_shown(output, shown), "{shown:?}");
    }
    for shown in [
        &["a", "b", "c"][..],
        &["b", "...", "d"],
        &["...", "b", "d", "..."],
        &["...", "c"],
        &["d", "...", "a"],
    ] {
        assert!(!is_as_shown(output, shown), "{shown:?}");
    }
}

/// In order, in one folder: whoever types them from top to bottom must get through, and see what is shown.
#[test]
fn commands_work_in_order_and_outputs_are_real() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let readme = readme.unwrap();
    let blocks = blocks(&readme);
    let sandbox = Sandbox::new();
    let mut shown = 0;
    let mut faults = Vec::new();
    for (place, block) in blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.kind == "sh")
    {
        let script = script(block);
        if script.trim().is_empty() {
            continue;
        }
        // Notes and results, as a terminal shows them.
        let ran = sandbox.shell(&format!("set -e\nexec 2>&1\n{script}"));
        if ran.status != Some(0) {
            faults.push(format!(
                "{script}ends with {:?}:\n{}",
                ran.status,
                ran.text()
            ));
        }
        let after = blocks.get(place + 1).filter(|block| block.kind == "text");
        if let Some(after) = after {
            shown += 1;
            if !is_as_shown(&ran.text(), &after.lines) {
                faults.push(format!("{script}shows something else:\n{}", ran.text()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(shown >= 8, "{shown} outputs are shown");
}

#[test]
fn it_leads_from_nothing_to_a_report_in_a_few_calls() {
    let readme = include_str!("../../README.md");
    let mut calls = 0;
    for block in blocks(readme).iter().filter(|block| block.kind == "sh") {
        for line in script(block)
            .lines()
            .filter(|line| line.starts_with("sdcrisk "))
        {
            calls += 1;
            if line.starts_with("sdcrisk report ") {
                assert!(calls < PATH, "{calls} calls");
                return;
            }
        }
    }
    panic!("no call makes a report");
}
