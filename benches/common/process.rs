//! Whole processes: how long they take, and how much memory they ever had.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The program, as it was built for this benchmark.
pub fn sdcrisk() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
}

/// This benchmark as a process of its own that does one thing.
pub fn myself(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(words);
    command
}

/// Where a process writes its standard output.
#[derive(Debug, Clone)]
pub enum Sink {
    Null,
    File(PathBuf),
}

impl Sink {
    fn open(&self) -> Stdio {
        match self {
            Self::Null => Stdio::null(),
            Self::File(path) => File::create(path).expect("a temporary file").into(),
        }
    }
}

/// Seconds from start to end of a process that succeeds.
pub fn seconds(command: &mut Command, sink: &Sink) -> f64 {
    command.stdout(sink.open()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().expect("a process");
    let seconds = start.elapsed().as_secs_f64();
    assert!(status.success(), "{command:?}: {status}");
    seconds
}

/// Seconds from start to end of a call of `sdcrisk` with `--timings`, and those of one of its stages.
pub fn seconds_and_stage(command: &mut Command, stage: &str) -> (f64, f64) {
    command.arg("--timings").stdout(Stdio::null());
    let start = Instant::now();
    let output = command.output().expect("a process");
    let seconds = start.elapsed().as_secs_f64();
    let lines = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {lines}");
    let of_stage = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find(|line| line["stage"] == stage)
        .and_then(|line| line["seconds"].as_f64())
        .expect("a line for the stage");
    (seconds, of_stage)
}

/// The most resident memory that a process ever had, in millions of bytes (Linux; elsewhere not a number).
///
/// The system keeps this mark itself; it is read every millisecond while the process runs, so that only memory that
/// is first touched in the last millisecond of its life can be missed. To be asked for in a run that is not timed.
pub fn peak_megabytes(command: &mut Command, sink: &Sink) -> f64 {
    command.stdout(sink.open()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a process");
    let mark = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = f64::NAN;
    let status = loop {
        peak = high_water_megabytes(&mark).unwrap_or(peak);
        if let Some(status) = ended(&mut child) {
            break status;
        }
        thread::sleep(Duration::from_millis(1));
    };
    assert!(status.success(), "{command:?}: {status}");
    peak
}

fn ended(child: &mut Child) -> Option<ExitStatus> {
    child.try_wait().expect("a process")
}

/// The most resident memory that this process ever had, in millions of bytes.
pub fn own_peak_megabytes() -> f64 {
    high_water_megabytes(Path::new("/proc/self/status")).unwrap_or(f64::NAN)
}

fn high_water_megabytes(status: &Path) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// What some work of this thread came to, and the seconds of the processor that it took (Linux; elsewhere those of the clock): other
/// programs on the machine disturb it less.
pub fn worked<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let clock = Instant::now();
    let before = processor_seconds();
    let result = work();
    let seconds = match (before, processor_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    };
    (result, seconds)
}

/// Seconds for which this thread has been on a processor.
fn processor_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
