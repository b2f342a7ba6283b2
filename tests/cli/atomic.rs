//! Killed, or out of room: an output is the old file or the new one, whole.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::sandbox::{PROGRAM, Sandbox};

const RECORDS: usize = 200_000;
const OLD: &str = "the old content, whole\n";

/// A folder with a large file `in.csv` and an old `out.csv`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[("out.csv", OLD)]);
    let mut text = String::from("amount,count\n");
    for record in 0..RECORDS {
        let mixed = record * 7_919 % 1_000_003;
        text += &format!("{}.{},{}\n", mixed, record % 10, mixed % 1_009);
    }
    sandbox.write("in.csv", text);
    sandbox
}

const CALL: &str = "mask rankswap --window 5 --seed 1 --quiet -o out.csv in.csv";

fn partial_files(sandbox: &Sandbox) -> usize {
    let is_partial = |name: &&String| name.starts_with(".sdcrisk-") && name.ends_with(".partial");
    sandbox.names().iter().filter(is_partial).count()
}

/// When to kill.
enum Moment {
    After(Duration),
    /// This long after the new file began to be written.
    Writing(Duration),
}

fn start(sandbox: &Sandbox) -> Child {
    sandbox
        .command(CALL)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until the first bytes of the new file are written, or the run has ended.
fn wait_for_first_bytes(sandbox: &Sandbox, child: &mut Child) {
    let some_are_written = || {
        sandbox
            .names()
            .iter()
            .filter(|name| name.starts_with(".sdcrisk-"))
            .any(|name| fs::metadata(sandbox.path(name)).is_ok_and(|file| file.len() > 0))
    };
    while !some_are_written() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_micros(200));
    }
}

fn kill_at(sandbox: &Sandbox, moment: &Moment) {
    let mut child = start(sandbox);
    match moment {
        Moment::After(delay) => thread::sleep(*delay),
        Moment::Writing(delay) => {
            wait_for_first_bytes(sandbox, &mut child);
            thread::sleep(*delay);
        }
    }
    // SIGKILL: nothing of the program can run after it.
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_run_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let sandbox = sandbox();
    let start = Instant::now();
    sandbox.run(CALL).ended(0);
    let whole = start.elapsed();
    let new = sandbox.text("out.csv");
    assert_eq!(new.lines().count(), 1 + RECORDS);
    let mut moments: Vec<Moment> = (0..5).map(|nth| Moment::After(whole * nth / 5)).collect();
    moments.extend([0, 0, 0, 1, 2, 4, 8, 16].map(|ms| Moment::Writing(Duration::from_millis(ms))));
    let (mut kept, mut littered) = (0, 0);
    for moment in &moments {
        sandbox.write("out.csv", OLD);
        kill_at(&sandbox, moment);
        let out = sandbox.text("out.csv");
        assert!(
            out == OLD || out == new,
            "half a file: {} bytes, {} records",
            out.len(),
            out.lines().count()
        );
        kept += usize::from(out == OLD);
        littered += partial_files(&sandbox);
        for name in sandbox.names() {
            if name.starts_with(".sdcrisk-") {
                fs::remove_file(sandbox.path(&name)).unwrap();
            }
        }
        assert_eq!(sandbox.names(), ["in.csv", "out.csv"]);
    }
    assert!(kept > 0, "no run was killed before its end");
    assert!(littered > 0, "no run was killed while it wrote");
}

#[test]
fn a_killed_run_without_an_old_file_leaves_none() {
    let sandbox = sandbox();
    for delay in 0..3 {
        fs::remove_file(sandbox.path("out.csv")).unwrap_or_default();
        kill_at(&sandbox, &Moment::Writing(Duration::from_millis(delay)));
        if sandbox.path("out.csv").exists() {
            assert_eq!(sandbox.text("out.csv").lines().count(), 1 + RECORDS);
        }
    }
}

#[test]
fn a_run_that_is_asked_to_stop_leaves_no_litter() {
    let sandbox = sandbox();
    for _ in 0..3 {
        let mut child = start(&sandbox);
        wait_for_first_bytes(&sandbox, &mut child);
        let process = child.id().to_string();
        Command::new("kill")
            .args(["-TERM", &process])
            .status()
            .unwrap();
        child.wait().unwrap();
        let out = sandbox.text("out.csv");
        assert!(out == OLD || out.lines().count() == 1 + RECORDS);
        assert_eq!(sandbox.names(), ["in.csv", "out.csv"]);
        sandbox.write("out.csv", OLD);
    }
}

/// Files larger than a limit cannot be written, as on a full disk.
#[test]
fn no_room_for_the_new_file_leaves_the_old_one() {
    let sandbox = sandbox();
    sandbox.write("s.json", OLD);
    for call in [
        CALL.to_owned(),
        CALL.replace("-o out.csv", "--statement s.json -o out.csv"),
        CALL.replace("-o out.csv", "--shuffle out.csv -o /dev/null"),
        "link --method am --quiet --links out.csv in.csv in.csv"
            .replace("in.csv in.csv", "small.csv small.csv"),
    ] {
        let mut small: String = sandbox
            .text("in.csv")
            .lines()
            .take(3_000)
            .collect::<Vec<_>>()
            .join("\n");
        small.push('\n');
        sandbox.write("small.csv", &small);
        // Units of 512 bytes; without the trap the signal would end the program.
        let ran = sandbox
            .shell(&format!(
                "trap '' XFSZ; ulimit -f 20; exec '{PROGRAM}' {call}"
            ))
            .ended(1);
        assert!(
            ran.stderr
                .starts_with("sdcrisk: out.csv: cannot write it: "),
            "{call}: {}",
            ran.stderr
        );
        assert_eq!(sandbox.text("out.csv"), OLD, "{call}");
        assert_eq!(sandbox.text("s.json"), OLD, "{call}");
        assert_eq!(
            sandbox.names(),
            ["in.csv", "out.csv", "s.json", "small.csv"],
            "{call}"
        );
    }
}

/// A file system of one megabyte, unmounted at the end.
struct SmallDisk<'a> {
    sandbox: &'a Sandbox,
}

impl<'a> SmallDisk<'a> {
    fn new(sandbox: &'a Sandbox) -> Option<Self> {
        let folder = sandbox.path("disk");
        fs::create_dir(&folder).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(&folder)
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self { sandbox })
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount")
            .arg(self.sandbox.path("disk"))
            .status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "the small disk is still mounted"
        );
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let sandbox = sandbox();
    let Some(_disk) = SmallDisk::new(&sandbox) else {
        let mut stderr = std::io::stderr();
        writeln!(stderr, "skipped: this user cannot mount a small disk").unwrap();
        return;
    };
    sandbox.write("disk/out.csv", OLD);
    let ran = sandbox
        .run(&CALL.replace("out.csv", "disk/out.csv"))
        .ended(1);
    assert_eq!(
        ran.stderr,
        "sdcrisk: disk/out.csv: cannot write it: the disk is full. Make room, or write elsewhere; what was there \
         before is untouched\n"
    );
    assert_eq!(sandbox.text("disk/out.csv"), OLD);
    let left: Vec<_> = fs::read_dir(sandbox.path("disk")).unwrap().collect();
    assert_eq!(left.len(), 1, "litter: {left:?}");
    let remount = |options: &str| {
        let disk = sandbox.path("disk");
        Command::new("mount")
            .args(["-o", options])
            .arg(disk)
            .status()
            .is_ok_and(|status| status.success())
    };
    if remount("remount,ro") {
        let ran = sandbox
            .run(&CALL.replace("out.csv", "disk/out.csv"))
            .ended(1);
        assert!(
            ran.stderr
                .starts_with("sdcrisk: disk/out.csv: cannot write it: "),
            "{}",
            ran.stderr
        );
        assert_eq!(sandbox.text("disk/out.csv"), OLD);
        assert!(remount("remount,rw"));
    }
    let packed = CALL
        .replace("out.csv", "disk/out.csv.gz")
        .replace("--seed 1", "--seed 2");
    match sandbox.run(&packed).status {
        Some(0) => {
            let out = sandbox.read("disk/out.csv.gz");
            let mut text = String::new();
            flate2::read::GzDecoder::new(out.as_slice())
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text.lines().count(), 1 + RECORDS);
        }
        status => {
            assert_eq!(status, Some(1));
            assert!(!sandbox.path("disk/out.csv.gz").exists());
        }
    }
}

/// A call that writes three files, which are nothing without each other, and what was there before.
const SEVERAL: &str =
    "mask rankswap --window 5 --quiet --shuffle key.csv --statement s.json -o out.csv small.csv";
const TOGETHER: [&str; 3] = ["key.csv", "out.csv", "s.json"];

fn small() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines = (0..2_000).map(|record| format!("{},{}\n", record * 7_919 % 10_007, record % 13));
    let content: String = std::iter::once("amount,count\n".to_owned())
        .chain(lines)
        .collect();
    sandbox.write("small.csv", content);
    sandbox
}

/// Which of the files are new, after they are made old again.
fn new_ones(sandbox: &Sandbox) -> Vec<&'static str> {
    let is_new = |name: &&str| sandbox.text(name) != OLD;
    TOGETHER.into_iter().filter(is_new).collect()
}

fn make_old(sandbox: &Sandbox) {
    for name in TOGETHER {
        sandbox.write(name, OLD);
    }
}

/// Moments spread over the whole run, closer together than its steps are long.
fn moments(sandbox: &Sandbox, call: &str, count: u32) -> impl Iterator<Item = Duration> + use<> {
    let start = Instant::now();
    sandbox.run(call).ended(0);
    let whole = start.elapsed();
    (0..count).map(move |nth| whole * nth / count)
}

/// From the first instruction on: a signal finds no temporary file that it does not remove, and no half of a set.
#[test]
fn a_signal_at_any_moment_leaves_all_files_old_or_all_new_and_no_litter() {
    let sandbox = small();
    let mut ended_by_it = 0;
    for (nth, moment) in moments(&sandbox, SEVERAL, 60).enumerate() {
        make_old(&sandbox);
        let mut child = sandbox
            .command(SEVERAL)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(moment);
        let signal = ["-TERM", "-INT"][nth % 2];
        let process = child.id().to_string();
        Command::new("kill")
            .args([signal, &process])
            .stderr(Stdio::null())
            .status()
            .unwrap();
        ended_by_it += u32::from(!child.wait().unwrap().success());
        let new = new_ones(&sandbox);
        assert!(
            new.is_empty() || new == TOGETHER,
            "after {moment:?} only these are new: {new:?}"
        );
        assert_eq!(
            sandbox.names(),
            ["key.csv", "out.csv", "s.json", "small.csv"]
        );
    }
    assert!(ended_by_it > 0, "no run was reached by its signal");
}

/// Nothing can run after SIGKILL: what it leaves is whole files and, where not all of them are in place, temporary ones
/// that the next run names.
#[test]
fn what_a_kill_leaves_is_named_by_the_next_run() {
    let sandbox = small();
    let mut littered = 0;
    for moment in moments(&sandbox, SEVERAL, 60) {
        make_old(&sandbox);
        let mut child = sandbox
            .command(SEVERAL)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let new = new_ones(&sandbox);
        let left: Vec<String> = sandbox
            .names()
            .into_iter()
            .filter(|name| name.starts_with(".sdcrisk-"))
            .collect();
        assert!(
            new.is_empty() || new == TOGETHER || left.len() == TOGETHER.len() - new.len(),
            "{new:?} are new, {left:?} are left"
        );
        littered += left.len();
        let next = sandbox.run(&SEVERAL.replace("--quiet ", "")).ended(0);
        for name in &left {
            let target = name
                .trim_start_matches(".sdcrisk-")
                .rsplit_once('-')
                .unwrap()
                .0;
            let told = format!("note: a run was killed before {target} was in place: ");
            assert!(next.stderr.contains(&told), "{name}: {}", next.stderr);
            assert!(
                next.stderr.contains(name.as_str()),
                "{name}: {}",
                next.stderr
            );
            fs::remove_file(sandbox.path(name)).unwrap();
        }
        let again = sandbox.run(&SEVERAL.replace("--quiet ", "")).ended(0);
        assert!(!again.stderr.contains("killed"), "{}", again.stderr);
    }
    assert!(littered > 0, "no run was killed while it wrote");
}

/// The temporary files of a run that goes on are not taken for leftovers.
#[test]
fn a_run_beside_this_one_was_not_killed() {
    let sandbox = sandbox();
    let mut child = start(&sandbox);
    wait_for_first_bytes(&sandbox, &mut child);
    sandbox.write("tiny.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n");
    let beside = sandbox
        .run("mask rankswap --window 1 -o tiny-masked.csv tiny.csv")
        .ended(0);
    assert!(!beside.stderr.contains("killed"), "{}", beside.stderr);
    child.wait().unwrap();
}

/// The second of two files cannot be put in its place: the message says which file is new already.
#[test]
fn a_set_that_breaks_says_what_is_in_place() {
    let sandbox = small();
    sandbox.write("key.csv", OLD);
    // What stands in the way of a rename comes after the names were checked: a folder of the target's name.
    let ran = sandbox.shell(
        "mkfifo p; (sdcrisk mask rankswap --window 5 --shuffle key.csv -o out.csv - < p) & \
         exec 3> p; until ls .sdcrisk-out.csv-* > ls.txt 2>&1; do sleep .02; done; mkdir out.csv; cat small.csv >&3; exec 3>&-; wait $!",
    );
    let ran = ran.ended(1);
    assert!(
        ran.stderr.contains("sdcrisk: out.csv: cannot write it: ")
            && ran
                .stderr
                .contains("Of the same call key.csv is in place already"),
        "{}",
        ran.stderr
    );
}
