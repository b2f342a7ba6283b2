//! `--memory-limit`: what would go beyond it ends with a clear error, before the machine suffers, and changes nothing else.

use std::{
    fmt::Write as _,
    io::{self, Read},
};

use crate::sandbox::{Ran, Sandbox};

/// Where, what, how much, and what to do; nothing on standard output.
#[track_caller]
fn refused(ran: Ran, parts: &[&str]) {
    let ran = ran.ended(1);
    assert!(ran.stdout.is_empty());
    for part in parts {
        assert!(
            ran.stderr.contains(part),
            "{part:?} is not in {}",
            ran.stderr
        );
    }
    assert!(
        ran.stderr.contains("raise --memory-limit"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_device_without_an_end_is_read_up_to_the_limit() {
    let sandbox = Sandbox::new();
    for call in [
        "describe --memory-limit 30MB /dev/zero",
        "--memory-limit 30MB evaluate /dev/zero",
        "verify --memory-limit 30MB /dev/zero a.csv b.csv",
    ] {
        refused(
            sandbox.run(call),
            // By what was read, or by what the whole process took by then.
            &["/dev/zero", "30 MB"],
        );
    }
}

/// 80 MB of zeros in some kilobytes: decompressing stops at 30 MB.
#[test]
fn a_small_file_that_decompresses_to_a_large_one_is_refused() {
    const ZEROS: u64 = 80_000_000;
    let sandbox = Sandbox::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    io::copy(&mut io::repeat(0).take(ZEROS), &mut gzip).unwrap();
    let mut zstandard = zstd::Encoder::new(Vec::new(), 1).unwrap();
    io::copy(&mut io::repeat(0).take(ZEROS), &mut zstandard).unwrap();
    for (name, bytes) in [
        ("bomb.csv.gz", gzip.finish().unwrap()),
        ("bomb.csv.zst", zstandard.finish().unwrap()),
    ] {
        assert!(bytes.len() < 1_000_000);
        sandbox.write(name, bytes);
        let ran = sandbox.run(&format!("describe --memory-limit 30MB {name}"));
        // By what was decompressed, or by what the whole process took by then.
        let by_process = "of memory, more than the limit of 30 MB, while doing this";
        let why = if ran.stderr.contains(by_process) {
            by_process
        } else {
            "decompressed more than the memory limit of 30 MB"
        };
        refused(ran, &[name, why]);
    }
}

/// 1000 attributes and 4 records.
fn wide(shift: usize) -> String {
    let mut text = String::new();
    for place in 0..1000 {
        let _ = write!(text, "{}a{place}", if place > 0 { "," } else { "" });
    }
    for record in 1..=4 {
        for place in 0..1000 {
            let separator = if place > 0 { ',' } else { '\n' };
            let _ = write!(
                text,
                "{separator}{}.5",
                (record * (place + 7) * 37 + shift * record * record) % 1009
            );
        }
    }
    text + "\n"
}

/// Nine squares of 1000 numbers of 8 bytes are 72 MB, six are 48 MB.
#[test]
fn squares_of_the_attributes_are_asked_for_before_they_are_made() {
    let sandbox = Sandbox::with(&[("a.csv", &wide(0)), ("b.csv", &wide(1))]);
    refused(
        sandbox.run("loss --memory-limit 40MB a.csv b.csv"),
        &[
            "the covariances and correlations of 1000 attributes",
            "72 MB",
            "of 40 MB",
        ],
    );
    refused(
        sandbox.run("link --memory-limit 40MB --method md0 a.csv b.csv"),
        &["the covariances of 1000 attributes", "48 MB", "of 40 MB"],
    );
    sandbox
        .run("link --memory-limit 1GB --method am a.csv b.csv")
        .ended(0);
}

/// 16 million records of 8 bytes with a cell of 12 bytes each. Until they are counted reading takes some 250 MB, well below the limit: how
/// much it takes at a time depends on which thread is ahead.
#[test]
fn a_table_is_asked_for_once_its_records_are_counted() {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", "x\n".to_string() + &"1\n".repeat(16_000_000));
    refused(
        sandbox.run("mask rankswap --p 2 --memory-limit 300MB -o out.csv in.csv"),
        &[
            "in.csv: a table of 16000000 cells would take about 320 MB of memory, more than the limit of 300 MB",
        ],
    );
    assert_eq!(sandbox.names(), ["in.csv"]);
}

/// What nobody asked for is noticed while it happens: ten million values of JSON take some hundred megabytes.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_goes_beyond_the_limit_is_stopped() {
    let sandbox = Sandbox::new();
    sandbox.write("in.json", format!("[0{}]", ",0".repeat(10_000_000)));
    refused(
        sandbox.run("report --memory-limit 60MB -o page.html in.json"),
        &["stopped: it took", "more than the limit of 60 MB", "read"],
    );
    assert_eq!(sandbox.names(), ["in.json"]);
}

#[test]
fn results_do_not_depend_on_the_limit() {
    let sandbox = Sandbox::with(&[
        ("a.csv", "x,y\n1,5\n2,3\n3,8\n4,1\n"),
        ("b.csv", "x,y\n2,5\n1,3\n3,1\n4,8\n"),
    ]);
    let call = "link --method am,md0 --format json a.csv b.csv";
    let plain = sandbox.run(call).ended(0).stdout;
    let limited = sandbox.run(&format!("{call} --memory-limit 2GiB")).ended(0);
    assert_eq!(limited.stdout, plain);
    for size in ["0", "2X", "-1G", "much"] {
        let ran = sandbox
            .run(&format!("{call} --memory-limit={size}"))
            .ended(2);
        assert!(
            ran.stderr.contains("a size such as 800MB"),
            "{}",
            ran.stderr
        );
    }
}
