//! Every command with damaged inputs and drawn options: no panic, no signal, no hang, a documented exit status, no litter,
//! inputs as they were, and no cell of an input in a complaint or in a statement.
//!
//! `SDCRISK_FUZZ_RUNS` sets the number of calls (200 by default), `SDCRISK_FUZZ_SEED` the first seed (1 by default),
//! `SDCRISK_FUZZ_PROGRAM` another build of the program. A call depends on its seed alone, so one that failed is repeated by
//! `SDCRISK_FUZZ_RUNS=1` and its seed.

mod damage;
mod draw;
mod inputs;
mod options;

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use draw::Draw;
use inputs::Inputs;

/// The exit statuses of the contract.
const STATUSES: [i32; 8] = [0, 1, 2, 3, 4, 5, 10, 130];

/// No call on files as small as these takes this long, on however busy a machine.
const HANG: Duration = Duration::from_secs(20);

/// One call: what is typed, and the files that it finds.
pub struct Call {
    /// The command, and the method where there is one.
    pub name: String,
    pub words: Vec<String>,
    pub files: BTreeMap<String, Vec<u8>>,
    /// Whether a line of names may have become a record or the other way round: then cells can stand where names do.
    pub names_moved: bool,
}

/// What the calls came to.
#[derive(Default)]
pub struct Tally {
    /// By command: the calls of each exit status.
    pub statuses: BTreeMap<String, BTreeMap<i32, usize>>,
    pub failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        for (name, statuses) in other.statuses {
            for (status, count) in statuses {
                *self
                    .statuses
                    .entry(name.clone())
                    .or_default()
                    .entry(status)
                    .or_default() += count;
            }
        }
        self.failures.extend(other.failures);
    }

    /// A line a command.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (name, statuses) in &self.statuses {
            let calls: usize = statuses.values().sum();
            let _ = write!(text, "{name:24} {calls:7}  ");
            for (status, count) in statuses {
                let _ = write!(text, " {status}:{count}");
            }
            text.push('\n');
        }
        text
    }
}

/// Calls with these seeds, by so many threads.
pub fn run(program: &Path, folder: &Path, first: u64, calls: u64, threads: u64) -> Tally {
    let inputs = Inputs::new(program, &folder.join("whole"));
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let inputs = &inputs;
                scope.spawn(move || {
                    let place = folder.join(format!("worker{worker}"));
                    let mut tally = Tally::default();
                    for seed in (first..first + calls).filter(|seed| seed % threads == worker) {
                        one(program, &place, inputs, seed, &mut tally);
                    }
                    tally
                })
            })
            .collect();
        for worker in workers {
            tally.add(worker.join().unwrap());
        }
    });
    tally
}

fn one(program: &Path, place: &Path, inputs: &Inputs, seed: u64, tally: &mut Tally) {
    let call = options::call(&mut Draw::new(seed), inputs);
    let _ = fs::remove_dir_all(place);
    let work = place.join("work");
    fs::create_dir_all(&work).unwrap();
    for (name, bytes) in &call.files {
        fs::write(work.join(name), bytes).unwrap();
    }
    let ran = Ran::of(program, place, &work, &call);
    let statuses = tally.statuses.entry(call.name.clone()).or_default();
    *statuses.entry(ran.status.unwrap_or(-1)).or_default() += 1;
    for what in ran.faults(&work, &call) {
        let typed = call.words.join(" ");
        let complaint: String = ran.stderr.chars().take(600).collect();
        tally.failures.push(format!(
            "seed {seed}: {what}\n  sdcrisk {typed}\n  {complaint}"
        ));
    }
}

struct Ran {
    /// `None`: a signal.
    status: Option<i32>,
    hung: bool,
    stderr: String,
}

impl Ran {
    fn of(program: &Path, place: &Path, work: &Path, call: &Call) -> Self {
        let stderr = place.join("stderr");
        let mut child = Command::new(program)
            .args(&call.words)
            .current_dir(work)
            .stdin(Stdio::null())
            .stdout(File::create(place.join("stdout")).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        let (status, hung) = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break (status.code(), false);
            }
            if start.elapsed() > HANG {
                child.kill().unwrap();
                child.wait().unwrap();
                break (None, true);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        Self {
            status,
            hung,
            stderr: String::from_utf8_lossy(&fs::read(stderr).unwrap()).into_owned(),
        }
    }

    fn faults(&self, work: &Path, call: &Call) -> Vec<String> {
        let mut faults = Vec::new();
        match self.status {
            _ if self.hung => faults.push("did not end".to_string()),
            None => faults.push("ended by a signal".to_string()),
            Some(status) if !STATUSES.contains(&status) => {
                faults.push(format!("exit status {status}"));
            }
            Some(_) => {}
        }
        if self.stderr.contains("panicked") || self.stderr.contains("internal error") {
            faults.push("panicked".into());
        }
        let failed = !matches!(self.status, Some(0 | 4 | 5 | 10));
        if failed && self.stderr.trim().is_empty() && !self.hung && call.name != "verify" {
            faults.push("failed without a word".into());
        }
        if failed && !call.names_moved && inputs::names_a_cell(&self.stderr) {
            faults.push("a complaint has a cell".into());
        }
        for (name, bytes) in &call.files {
            if fs::read(work.join(name)).ok().as_ref() != Some(bytes) {
                faults.push(format!("{name} was changed"));
            }
        }
        for entry in fs::read_dir(work).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            if name.starts_with(".sdcrisk") {
                faults.push("a partial file was left".into());
            }
            // The matrices of post-randomisation are of categories, which are published with them.
            if name == options::STATEMENT && !call.names_moved && call.name != "mask pram" {
                let statement = fs::read(work.join(&name)).unwrap();
                if inputs::names_a_cell(&String::from_utf8_lossy(&statement)) {
                    faults.push("the statement has a cell".into());
                }
            }
        }
        faults
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(usual)
}

#[test]
fn damaged_inputs_and_drawn_options_never_break_a_command() {
    let calls = setting("SDCRISK_FUZZ_RUNS", 200);
    let folder = tempfile::tempdir().unwrap();
    let program = env::var_os("SDCRISK_FUZZ_PROGRAM")
        .map_or_else(|| PathBuf::from(crate::sandbox::PROGRAM), PathBuf::from);
    let tally = run(
        &program,
        folder.path(),
        setting("SDCRISK_FUZZ_SEED", 1),
        calls,
        setting("SDCRISK_FUZZ_THREADS", 1),
    );
    println!("{}", tally.table());
    let made: usize = tally.statuses.values().flat_map(BTreeMap::values).sum();
    assert_eq!(made as u64, calls);
    assert!(
        tally.failures.is_empty(),
        "{} failures\n{}",
        tally.failures.len(),
        tally.failures.join("\n")
    );
}
