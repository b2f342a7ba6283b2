//! Standard output that is closed, full, or a terminal.

use std::process::{Command, Stdio};

use crate::{
    bad_input::{GOOD, MASKED},
    sandbox::{PROGRAM, Sandbox},
};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("good.csv", GOOD),
        ("masked.csv", MASKED),
        ("other.txt", ""),
        (
            "plan.toml",
            "original = \"good.csv\"\nattacks = [\"am\"]\n[[mask]]\nmethod = \"rankswap\"\nwindow = 2\n",
        ),
    ]);
    sandbox.write(
        "seeded.toml",
        format!("seed = 1\n{}", sandbox.text("plan.toml")),
    );
    sandbox
        .run("evaluate seeded.toml --shard 1/1 -o part.json")
        .ended(0);
    sandbox
}

/// A call of every command that writes to standard output.
const CALLS: [&str; 20] = [
    "mask rankswap --window 2 good.csv",
    "mask rankswap --window 2 --shuffle key.csv good.csv",
    "link --method am good.csv masked.csv",
    "link --method am --format csv --links links.csv good.csv masked.csv",
    "loss good.csv masked.csv",
    "risk good.csv",
    "score good.csv masked.csv",
    "evaluate plan.toml",
    "evaluate seeded.toml --shard 1/2",
    "merge part.json",
    "search plan.toml --risk-at-most 100%",
    "match-attributes good.csv masked.csv",
    "guess good.csv masked.csv",
    "describe good.csv",
    "roles --init good.csv",
    "demo --data",
    "selftest",
    "completions bash",
    "man",
    "--help",
];

/// Rust puts /dev/null in the place of a closed standard output: without a look before that, all of this ended well.
#[test]
fn a_closed_standard_output_is_a_failure_in_every_command() {
    let sandbox = sandbox();
    for call in CALLS {
        let ran = sandbox
            .shell(&format!("exec '{PROGRAM}' {call} >&-"))
            .ended(1);
        assert!(
            ran.stderr.contains("standard output is closed"),
            "{call}: {}",
            ran.stderr
        );
        assert!(!sandbox.path("key.csv").exists() && !sandbox.path("links.csv").exists());
    }
    // What needs no standard output goes on without.
    sandbox
        .shell(&format!(
            "exec '{PROGRAM}' mask rankswap --window 2 -o m.csv good.csv >&-"
        ))
        .ended(0);
    assert!(sandbox.path("m.csv").exists());
}

/// Nothing can be written to a standard output that was opened for reading, nor to a full disk.
#[test]
fn a_standard_output_that_takes_nothing_is_a_failure() {
    let sandbox = sandbox();
    for call in CALLS {
        for place in ["1< other.txt", "> /dev/full"] {
            let ran = sandbox
                .shell(&format!("exec '{PROGRAM}' {call} {place}"))
                .ended(1);
            assert!(
                ran.stderr.starts_with("sdcrisk: ") || ran.stderr.contains("\nsdcrisk: "),
                "{call} {place}: {}",
                ran.stderr
            );
        }
    }
}

/// Where the caller throws the output away there is nothing to object to: scripts want the exit status alone. Programs
/// open /dev/null for writing, or, as Python does, for both.
#[test]
fn what_goes_to_dev_null_was_meant_to() {
    let sandbox = sandbox();
    for call in CALLS {
        for place in ["> /dev/null", "1<> /dev/null", "| head -c 1 > /dev/null"] {
            sandbox
                .shell(&format!("'{PROGRAM}' {call} {place}"))
                .ended(0);
        }
    }
}

/// What a call prints on a terminal, and how it ended; `None` where no terminal can be made.
#[expect(clippy::print_stderr, reason = "a test that skips says so")]
fn on_a_terminal(sandbox: &Sandbox, call: &str) -> Option<(i32, String)> {
    let script = Command::new("script")
        .args(["-qec", &format!("'{PROGRAM}' {call}"), "/dev/null"])
        .current_dir(sandbox.path(""))
        .stdin(Stdio::null())
        .output();
    let Ok(output) = script else {
        eprintln!("skipped: there is no 'script' to make a terminal with");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((output.status.code().unwrap(), text))
}

#[test]
fn a_masked_file_goes_to_a_terminal_only_when_that_was_said() {
    let sandbox = sandbox();
    let Some((status, text)) = on_a_terminal(&sandbox, "mask rankswap --window 2 good.csv") else {
        return;
    };
    assert_eq!(status, 2, "{text}");
    assert!(
        text.contains("will not write the masked file to a terminal. Name a file by -o FILE"),
        "{text}"
    );
    let header = "age,income,bonus,town,flat";
    assert!(!text.contains(header), "{text}");
    let (status, text) = on_a_terminal(&sandbox, "mask rankswap --window 2 -o - good.csv").unwrap();
    assert_eq!(status, 0, "{text}");
    assert!(text.contains(header), "{text}");
    let (status, text) =
        on_a_terminal(&sandbox, "mask rankswap --window 2 -o m.csv good.csv").unwrap();
    assert_eq!(status, 0, "{text}");
    assert!(
        !text.contains(header) && sandbox.text("m.csv").starts_with(header),
        "{text}"
    );
    // A report is for people.
    let (status, text) = on_a_terminal(&sandbox, "describe good.csv").unwrap();
    assert_eq!(status, 0, "{text}");
}
