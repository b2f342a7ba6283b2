//! Who may read what is written, and what becomes of links, pipes and devices named as outputs.

use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader, Read},
    os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    process::Stdio,
};

use crate::{
    bad_input::{GOOD, MASKED},
    sandbox::Sandbox,
};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)])
}

fn mode(sandbox: &Sandbox, name: &str) -> u32 {
    fs::metadata(sandbox.path(name))
        .unwrap()
        .permissions()
        .mode()
        & 0o7777
}

#[test]
fn a_key_and_links_are_for_the_user_only() {
    let sandbox = sandbox();
    for name in ["old-key.csv", "old-links.csv"] {
        sandbox.write(name, "old");
        fs::set_permissions(sandbox.path(name), Permissions::from_mode(0o644)).unwrap();
    }
    for key in ["key.csv", "old-key.csv"] {
        sandbox
            .run(&format!(
                "mask rankswap --window 2 --shuffle {key} -o m.csv good.csv"
            ))
            .ended(0);
        assert_eq!(format!("{:o}", mode(&sandbox, key)), "600", "{key}");
        assert!(sandbox.text(key).starts_with("masked,original\n"));
    }
    for links in ["links.csv", "old-links.csv", "links.csv.gz"] {
        sandbox
            .run(&format!(
                "link --method am --links {links} good.csv masked.csv"
            ))
            .ended(0);
        assert_eq!(format!("{:o}", mode(&sandbox, links)), "600", "{links}");
    }
}

#[test]
fn a_new_output_follows_the_users_settings_and_an_old_one_keeps_its_mode() {
    let sandbox = sandbox();
    for (umask, mode_of_file) in [("022", "644"), ("027", "640"), ("077", "600")] {
        sandbox
            .shell(&format!(
                "umask {umask}; sdcrisk mask rankswap --window 2 --statement s{umask}.json -o m{umask}.csv good.csv; \
                 sdcrisk link --method am -o r{umask}.txt good.csv masked.csv"
            ))
            .ended(0);
        for name in [
            format!("m{umask}.csv"),
            format!("s{umask}.json"),
            format!("r{umask}.txt"),
        ] {
            assert_eq!(
                format!("{:o}", mode(&sandbox, &name)),
                mode_of_file,
                "{name}"
            );
        }
    }
    for old_mode in [0o600, 0o640, 0o664, 0o444] {
        sandbox.write("old.csv", "old");
        fs::set_permissions(sandbox.path("old.csv"), Permissions::from_mode(old_mode)).unwrap();
        sandbox
            .run("mask rankswap --window 2 -o old.csv good.csv")
            .ended(0);
        assert_eq!(
            format!("{:o}", mode(&sandbox, "old.csv")),
            format!("{old_mode:o}")
        );
        assert!(sandbox.text("old.csv").starts_with("age,income,"));
        fs::remove_file(sandbox.path("old.csv")).unwrap();
    }
}

#[test]
fn an_output_that_is_a_link_is_written_through() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path("store")).unwrap();
    sandbox.write("store/real.csv", "old");
    symlink("store/real.csv", sandbox.path("link.csv")).unwrap();
    symlink("store/fresh.csv", sandbox.path("dangling.csv")).unwrap();
    symlink("dangling.csv", sandbox.path("twice.csv")).unwrap();
    for (link, real) in [
        ("link.csv", "store/real.csv"),
        ("dangling.csv", "store/fresh.csv"),
        ("twice.csv", "store/fresh.csv"),
    ] {
        sandbox
            .run(&format!("mask rankswap --window 2 -o {link} good.csv"))
            .ended(0);
        let kind = fs::symlink_metadata(sandbox.path(link))
            .unwrap()
            .file_type();
        assert!(kind.is_symlink(), "{link} is no link any more");
        assert!(sandbox.text(real).starts_with("age,income,"), "{link}");
        fs::remove_file(sandbox.path(real)).unwrap();
    }
    assert_eq!(
        sandbox.names(),
        [
            "dangling.csv",
            "good.csv",
            "link.csv",
            "masked.csv",
            "store",
            "twice.csv"
        ]
    );
}

#[test]
fn a_hard_link_to_an_old_output_keeps_the_old_content() {
    let sandbox = sandbox();
    sandbox.write("old.csv", "old");
    fs::hard_link(sandbox.path("old.csv"), sandbox.path("backup.csv")).unwrap();
    sandbox
        .run("mask rankswap --window 2 -o old.csv good.csv")
        .ended(0);
    assert_eq!(sandbox.text("backup.csv"), "old");
    assert!(sandbox.text("old.csv").starts_with("age,income,"));
}

#[test]
fn a_named_pipe_stays_one_and_carries_the_table() {
    let sandbox = sandbox();
    let expected = sandbox
        .run("mask rankswap --window 2 --seed 1 good.csv")
        .ended(0)
        .stdout;
    let ran = sandbox
        .shell("mkfifo p || exit 9; cat p > got.csv & sdcrisk mask rankswap --window 2 --seed 1 -o p good.csv; wait")
        .ended(0);
    assert!(sandbox.read("got.csv") == expected, "{}", ran.stderr);
    assert!(
        fs::metadata(sandbox.path("p"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
}

/// Comes after the same with a named pipe, so that a broken program cannot replace the device.
#[test]
fn the_null_device_stays_a_device() {
    a_named_pipe_stays_one_and_carries_the_table();
    sandbox()
        .run("mask rankswap --window 2 -o /dev/null good.csv")
        .ended(0);
    let kind = fs::metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());
}

#[test]
fn a_full_standard_output_is_an_error() {
    let sandbox = sandbox();
    for call in [
        "mask rankswap --window 2 good.csv",
        "mask rankswap --window 2 -o /dev/full good.csv",
        "link --method am good.csv masked.csv",
        "link --method am --links /dev/full good.csv masked.csv",
        "describe good.csv",
        "demo --data",
        "completions bash",
        "man link",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = sandbox
            .command(call)
            .stdin(Stdio::null())
            .stdout(Stdio::from(full))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{call}: {stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("sdcrisk: "), "{call}: {stderr}");
        assert!(
            last.contains("the disk is full") || last.contains("No space left"),
            "{call}: {last}"
        );
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let sandbox = sandbox();
    let mut large = String::from("x,y\n");
    for record in 0..40_000 {
        large += &format!("{}.5,{}\n", record * 31 % 40_009, record % 977);
    }
    sandbox.write("in.csv", &large);
    for call in ["mask rankswap --window 2 in.csv", "demo --data"] {
        let (status, stderr) = closed_after_a_line(&sandbox, &format!("{call} --quiet"));
        assert_eq!(status, Some(0), "{call}: {stderr}");
        assert_eq!(stderr, "", "{call}");
    }
    let call = "mask rankswap --window 2 --shuffle - -o m.csv in.csv --quiet";
    let (status, stderr) = closed_after_a_line(&sandbox, call);
    assert!(
        !sandbox.path("m.csv").exists(),
        "a masked file whose key was lost must not appear"
    );
    assert_eq!(
        status,
        Some(1),
        "a file that was asked for is not there: {stderr}"
    );
    assert!(stderr.starts_with("sdcrisk: "), "{stderr}");
}

/// Reads one line of standard output, closes it, and gives exit status and standard error.
fn closed_after_a_line(sandbox: &Sandbox, call: &str) -> (Option<i32>, String) {
    let mut child = sandbox
        .command(call)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.contains(','), "{call}: {line}");
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    (child.wait().unwrap().code(), stderr)
}

#[test]
fn two_outputs_cannot_meet_through_links_to_nothing() {
    let sandbox = sandbox();
    symlink("fresh.csv", sandbox.path("dangling.csv")).unwrap();
    symlink("dangling.csv", sandbox.path("twice.csv")).unwrap();
    let ran = sandbox
        .run("mask rankswap --window 2 -o twice.csv --statement fresh.csv good.csv")
        .ended(2);
    assert!(
        ran.stderr
            .contains("another output of this call goes to the same place"),
        "{}",
        ran.stderr
    );
    assert!(!sandbox.path("fresh.csv").exists());
}

#[test]
fn an_input_on_standard_input_is_not_overwritten() {
    let sandbox = sandbox();
    for call in [
        "mask rankswap --window 2 -o good.csv - < good.csv",
        "mask rankswap --window 2 -o m.csv --statement good.csv - < good.csv",
        "link --method am --links good.csv - masked.csv < good.csv",
        "link --method am -o masked.csv good.csv - < masked.csv",
    ] {
        let ran = sandbox.shell(&format!("sdcrisk {call}"));
        assert_eq!(sandbox.text("good.csv"), GOOD, "{call}");
        assert_eq!(sandbox.text("masked.csv"), MASKED, "{call}");
        let ran = ran.ended(2);
        assert!(
            ran.stderr.contains("inputs are never overwritten"),
            "{call}: {}",
            ran.stderr
        );
    }
}
