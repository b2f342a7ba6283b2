//! The README and the pages of `docs/`: every command in them works, in order, and every output that they show is the real one.

use std::{fs, path::Path};

use sdcrisk::{
    mask::{recode, suppress},
    table::Roles,
};

use crate::sandbox::Sandbox;

/// The first lines of the README lead from nothing to a report in fewer calls than this.
const PATH: usize = 10;

/// The README ends before this many lines: what is longer is a page of `docs/`.
const README_LINES: usize = 250;

/// Where lines of text end.
const MAX_COLUMNS: usize = 100;

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

/// Runs the `sh` blocks of a page in order, in one folder: whoever types them from top to bottom must get through, and see what is
/// shown. The number of outputs that were compared, and what is wrong.
fn run(name: &str, page: &str) -> (usize, Vec<String>) {
    let blocks = blocks(page);
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
                "{name}: {script}ends with {:?}:\n{}",
                ran.status,
                ran.text()
            ));
        }
        let after = blocks.get(place + 1).filter(|block| block.kind == "text");
        if let Some(after) = after {
            shown += 1;
            if !is_as_shown(&ran.text(), &after.lines) {
                faults.push(format!(
                    "{name}: {script}shows something else:\n{}",
                    ran.text()
                ));
            }
        }
    }
    (shown, faults)
}

/// The README and the pages of `docs/`, by their path in the project.
fn pages() -> Vec<(String, String)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = fs::read_dir(project.join("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().to_string_lossy()))
        .filter(|name| name.ends_with(".md"))
        .chain(["README.md".to_owned()])
        .collect();
    names.sort();
    let read = |name: String| {
        let text = fs::read_to_string(project.join(&name)).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn commands_of_the_readme_work_in_order_and_outputs_are_real() {
    let (shown, faults) = run("README.md", include_str!("../../README.md"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(shown >= 7, "{shown} outputs are shown");
}

/// Each page starts in a folder of its own. What is shown but not run stands in a `console` block.
#[test]
fn commands_of_the_documentation_work_in_order_and_outputs_are_real() {
    let mut shown = 0;
    let mut faults = Vec::new();
    for (name, page) in pages().iter().filter(|(name, _)| name != "README.md") {
        let (of_page, found) = run(name, page);
        shown += of_page;
        faults.extend(found);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(shown >= 10, "{shown} outputs are shown");
}

/// The lines of a page that are not in a fenced block.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The name that a heading has in a link, by the rule of the usual web pages for Markdown.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|character| character.is_alphanumeric() || " -_".contains(*character))
        .map(|character| if character == ' ' { '-' } else { character })
        .collect()
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut broken = Vec::new();
    for (name, page) in pages() {
        let text = prose(&page).collect::<Vec<_>>().join("\n");
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().unwrap();
            if target.starts_with("http") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => project.join(&name),
                file => project.join(&name).parent().unwrap().join(file),
            };
            let found = match heading {
                "" => path.exists(),
                heading => fs::read_to_string(&path).is_ok_and(|other| {
                    prose(&other).any(|line| line.starts_with('#') && anchor(line) == heading)
                }),
            };
            if !found {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn lines_end_at_100_columns_and_the_readme_is_short() {
    let mut long = Vec::new();
    for (name, page) in pages() {
        let too_long = |line: &&str| {
            let whole = line.starts_with('|') || line.starts_with("![");
            !whole && line.chars().count() > MAX_COLUMNS
        };
        long.extend(
            prose(&page)
                .filter(too_long)
                .map(|line| format!("{name}: {line}")),
        );
    }
    assert!(long.is_empty(), "{long:#?}");
    assert!(include_str!("../../README.md").lines().count() <= README_LINES);
}

/// The whole files that the page of roles and rules shows say nothing that the program does not know.
#[test]
fn whole_files_of_roles_and_rules_are_read() {
    let page = include_str!("../../docs/roles-and-rules.md");
    let (mut roles, mut recoding, mut suppression) = (0, 0, 0);
    let mut heading = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            heading = title;
        }
        if line != "```toml" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.join("\n");
        match heading {
            "Roles" => {
                Roles::parse(&text).unwrap();
                roles += 1;
            }
            "Rules for recoding" => {
                recode::Rules::parse("recode.toml", &text).unwrap();
                recoding += 1;
            }
            "A crosswalk" => {
                let crosswalk = recode::Crosswalk::parse("crosswalk.toml", &text).unwrap();
                assert_eq!(crosswalk.in_words().len(), 4);
                recoding += 1;
            }
            "Roles in a recipe" => {
                let stated = Roles::of_recipe(&text).unwrap();
                assert_ne!(stated, Roles::default());
                roles += 1;
            }
            "Rules for suppression" => {
                suppress::Rules::parse("suppress.toml", &text).unwrap();
                suppression += 1;
            }
            other => panic!("a file under the heading {other:?}"),
        }
    }
    assert_eq!((roles, recoding, suppression), (3, 2, 1));
}

/// A page that nobody finds is not read.
#[test]
fn the_index_names_every_page() {
    let index = include_str!("../../docs/README.md");
    for (name, _) in pages() {
        let file = name.trim_start_matches("docs/");
        assert!(
            ["README.md"].contains(&file) || index.contains(&format!("]({file})")),
            "{name}"
        );
    }
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
