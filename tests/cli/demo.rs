//! The first minutes: the demo, and the commands that it tells people to type.

use crate::sandbox::{PROGRAM, Sandbox};

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

#[test]
fn the_demo_prints_the_same_twice_and_needs_no_file() {
    let sandbox = Sandbox::new();
    let first = sandbox.run("demo").ended(0);
    assert_eq!(first.stdout, sandbox.run("demo").ended(0).stdout);
    assert_eq!(
        first.stdout,
        sandbox.run("demo --threads 1").ended(0).stdout
    );
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
    assert_eq!(first.stderr, "");
    let text = first.text();
    for part in [
        "1000 people",
        "am",
        "rsld",
        "involution",
        "certain",
        "by chance",
        "Now type:",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn the_demo_shows_five_strengths_and_risks_that_fall() {
    let text = Sandbox::new().run("demo").ended(0).text();
    // p, window, am, rsld, involution, certain, candidates, by chance; a rate is followed by a percent sign.
    let rows: Vec<Vec<f64>> = text
        .lines()
        .map(|line| {
            let cells = line.split_whitespace().filter(|word| *word != "%");
            cells
                .map(|word| word.parse().unwrap_or(f64::NAN))
                .collect::<Vec<f64>>()
        })
        .filter(|row| row.len() == 8 && row.iter().all(|number| number.is_finite()))
        .collect();
    let column = |place: usize| -> Vec<f64> { rows.iter().map(|row| row[place]).collect() };
    assert_eq!(column(0), [1.0, 2.0, 5.0, 10.0, 20.0], "{text}");
    assert_eq!(column(1), [10.0, 20.0, 50.0, 100.0, 200.0]);
    for (what, rates) in [
        ("am", column(2)),
        ("rsld", column(3)),
        ("certain", column(5)),
    ] {
        assert!(
            rates.is_sorted_by(|a, b| a >= b),
            "{what} falls with p: {rates:?}"
        );
        assert!(rates.iter().all(|rate| (0.0..=100.0).contains(rate)));
    }
    for row in &rows {
        assert!(row[3] >= row[2], "knowing p helps: {row:?}");
    }
    assert!(
        column(6).is_sorted(),
        "candidates grow with p: {:?}",
        column(6)
    );
    assert!(
        column(4).iter().all(|&rate| rate > 99.5),
        "swaps are undone at every p: {:?}",
        column(4)
    );
    assert_eq!(column(7), [0.1; 5]);
}

#[test]
fn the_bundled_file_is_that_of_the_repository() {
    let ran = Sandbox::new().run("demo --data").ended(0);
    assert!(ran.stdout == CENSUS);
}

/// Of the plan only the first masking is run here: the README's test runs it whole.
#[test]
fn the_commands_that_the_demo_names_work() {
    let sandbox = Sandbox::new();
    let plan = sandbox.run("demo --plan").ended(0).text();
    let parts: Vec<&str> = plan.split("[[mask]]").take(2).collect();
    let first = parts.join("[[mask]]").replace("repeats = 3", "repeats = 1");
    sandbox.write("first.toml", first);
    let text = sandbox.run("demo").ended(0).text();
    let (_, after) = text.split_once("Now type:\n").unwrap();
    let commands: Vec<&str> = after
        .lines()
        .map_while(|line| line.strip_prefix("  "))
        .collect();
    assert_eq!(commands.len(), 8, "{after}");
    for command in &commands {
        assert!(
            command.starts_with(PROGRAM),
            "it is named as it was called: {command}"
        );
        let whole_plan = format!("{PROGRAM} demo --plan |");
        let ran = sandbox.shell(&command.replace(&whole_plan, "cat first.toml |"));
        let ran = ran.ended(0);
        assert!(!ran.stderr.contains("error"), "{command}: {}", ran.stderr);
    }
    assert_eq!(
        sandbox.names(),
        [
            "first.toml",
            "masked.csv",
            "masked.sdc.json",
            "people.csv",
            "report.html",
            "results"
        ]
    );
    assert!(sandbox.text("report.html").starts_with("<!DOCTYPE html>"));
    let last = sandbox.shell(commands[2]).text();
    assert!(last.contains("people.csv against masked.csv"), "{last}");
}

/// The plan is that of the repository, on the file that the demo prints.
#[test]
fn the_plan_is_of_the_bundled_file() {
    let plan = Sandbox::new().run("demo --plan").ended(0).text();
    assert!(plan.contains("\noriginal = \"people.csv\"\n"), "{plan}");
    assert!(!plan.contains("data/"), "{plan}");
    let ours = |text: &str| {
        text.lines()
            .filter(|line| line.contains("method = "))
            .count()
    };
    assert_eq!(
        ours(&plan),
        ours(include_str!("../../data/plans/demo.toml"))
    );
}
