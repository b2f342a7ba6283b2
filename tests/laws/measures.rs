//! The page of measures is what the definitions of the program say.

use std::fmt::Write;

use sdcrisk::{
    evaluate::measures,
    figure::{About, Better, Definition, Group, Unit},
};

/// What stands above the tables.
const HEAD: &str = "\
# Every measure

The definitions of the program, group by group: the key that options, JSON and CSV use, the range
and its better end, what is computed, and where it was published. *Public* measures may appear on
the page for the public (`report --external`); all others are confidential.

This page is made from the program. `SDCRISK_WRITE_DOCS=1 cargo test --test laws measures` writes it
anew, and the same test without the variable fails if it is out of date.
";

/// If it is set the page is written, not compared.
const WRITE: &str = "SDCRISK_WRITE_DOCS";

/// The group of a figure in the words of the page.
fn heading(group: Group) -> &'static str {
    match group {
        Group::Overall => "Loss: the file as a whole",
        Group::Cells => "Loss: categories and cells",
        Group::Difference(..) => "Loss: differences of values and statistics",
        Group::Clusters => "Analyses: clusters (`loss --clusters`)",
        Group::Classes => "Analyses: classification (`loss --classify`)",
        Group::Regression => "Analyses: regression (`loss --regress`)",
        Group::Risk(About::SinglingOut) => "Risk: singling out",
        Group::Risk(About::Linkability) => "Risk: linkability",
        Group::Risk(About::Inference) => "Risk: inference",
        Group::Score => "Score",
        Group::Attack => "Rates of an attack (`evaluate`)",
    }
}

/// Text that may stand in a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn range(what: &Definition) -> String {
    let end = |value: f64| match what.unit {
        Unit::Share => format!("{} %", value * 100.0),
        Unit::Count | Unit::Number => value.to_string(),
    };
    let most = what.most.map_or("any".into(), end);
    let better = match what.better {
        Better::Lower => "lower",
        Better::Higher => "higher",
    };
    format!("{} to {most}; {better} is better", end(what.least))
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut headings: Vec<&str> = Vec::new();
    for what in measures::all() {
        let heading = heading(what.group);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for title in headings {
        writeln!(page, "\n## {title}\n").unwrap();
        writeln!(
            page,
            "| key | name | range | public | definition | source |"
        )
        .unwrap();
        writeln!(page, "|---|---|---|---|---|---|").unwrap();
        for what in measures::all().filter(|what| heading(what.group) == title) {
            writeln!(
                page,
                "| `{}` | {} | {} | {} | {} | {} |",
                what.key,
                cell(what.name),
                range(what),
                if what.is_public { "yes" } else { "" },
                cell(what.says),
                cell(what.source)
            )
            .unwrap();
        }
    }
    page
}

#[test]
fn the_page_of_measures_is_what_their_definitions_say() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/measures.md");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/measures.md is out of date: {WRITE}=1 cargo test --test laws measures writes it"
    );
}
