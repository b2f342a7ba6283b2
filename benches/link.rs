//! What `sdcrisk link` costs by method and size, on files that can be linked and on files that cannot.
//!
//! `cargo bench --bench link` answers all questions; `cargo bench --bench link -- growth` one of them: `growth`,
//! `independent`, `threads`. The README beside this file says what the figures mean.

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use common::{
    data,
    figures::{growth_exponent, median, median_ratio, say, timed},
    process,
};
use rayon::prelude::*;
use sdcrisk::{
    attack::{
        Attack, Direction, Nearest, Preference, Scenario,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{
        link::{Assign, Outcome, Shared, Study, comparable},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::Partner,
    table::{ReadOptions, Scale, Table, matrix::Matrix},
};

/// Records of the files whose masked records are near the original ones.
const NEAR_SIZES: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];

/// Records of the files that have nothing to do with each other, and of those that every number of threads works on.
const SIZE: usize = 100_000;

const THREADS: [usize; 3] = [1, 2, 4];

/// Percentage of rank swapping.
const P: f64 = 2.0;

/// Pairs of records that the exhaustive scan compares; its time is scaled up to all pairs.
const SCANNED_PAIRS: usize = 100_000_000;

fn main() {
    let words = common::words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            growth();
            independent();
            threads();
        }
        ["growth"] => growth(),
        ["independent"] => independent(),
        ["threads"] => threads(),
        _ => say("one of: growth, independent, threads"),
    }
}

/// A method, and how many attributes the intruder knows.
#[derive(Debug, Clone, Copy)]
struct Way {
    method: &'static str,
    n_known: usize,
}

const AM: Way = Way {
    method: "am",
    n_known: data::ATTRIBUTES,
};
const AM_7: Way = Way {
    method: "am",
    n_known: 7,
};
const RSLD_7: Way = Way {
    method: "rsld",
    n_known: 7,
};

impl Way {
    fn attack(self, n_records: usize) -> Box<dyn Attack> {
        let standardize = Standardize::Own;
        match self.method {
            "am" => Box::new(DistanceBased { standardize }),
            _ => Box::new(RankSwapIntersection {
                bound: Bound::Window(Reach::Percent(P).window(n_records)),
                standardize,
            }),
        }
    }

    fn command(self, files: &Files) -> Command {
        let mut command = process::sdcrisk();
        command.args(["link", "--quiet", "--format", "json"]);
        command.args(["--method", self.method]);
        command.args(["--known", &format!("first:{}", self.n_known)]);
        if self.method == "rsld" {
            command.args(["--p", &P.to_string()]);
        }
        command.arg(&files.original).arg(&files.masked);
        command
    }
}

/// Where a pair of files lies.
struct Files {
    original: PathBuf,
    masked: PathBuf,
}

/// An original and a masked file as the library holds them.
struct Pair {
    original: Table,
    masked: Table,
}

impl Pair {
    /// A correlated file and the same rank-swapped.
    fn near(n_records: usize) -> Self {
        let bytes = data::correlated(n_records, 1);
        let (original, copy) = (table(bytes.clone()), table(bytes));
        let ids: Vec<_> = copy.ids().collect();
        let method = RankSwap::new(Reach::Percent(P), Partner::Unswapped).expect("a method");
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        let masked = method.mask(copy, &ids, &streams).expect("a masked table");
        Self {
            original,
            masked: masked.table,
        }
    }

    /// Two files of independent attributes that have nothing to do with each other.
    fn independent(n_records: usize) -> Self {
        Self {
            original: table(data::independent(n_records, 1)),
            masked: table(data::independent(n_records, 2)),
        }
    }

    fn n_records(&self) -> usize {
        self.original.n_records()
    }

    fn write(&self, folder: &Path, name: &str) -> Files {
        let write = |table: &Table, role: &str| {
            let path = folder.join(format!("{name}-{}-{role}.csv", table.n_records()));
            let mut bytes = Vec::new();
            table.write(&mut bytes).expect("memory");
            fs::write(&path, bytes).expect("room for the file");
            path
        };
        Files {
            original: write(&self.original, "original"),
            masked: write(&self.masked, "masked"),
        }
    }

    fn known(&self, way: Way) -> Vec<Shared> {
        let first = self.original.ids().take(way.n_known);
        first
            .map(|id| comparable(&self.original, &self.masked, id).expect("numbers in both files"))
            .collect()
    }

    /// What an attack achieves through the library, the seconds of what comes before it, and its own.
    fn attack(&self, way: Way, with_links: bool) -> (Outcome, f64, f64) {
        let (known, attack) = (self.known(way), way.attack(self.n_records()));
        let (study, studying) = timed(|| {
            let truth = Truth::by_order(&self.original, &self.masked).expect("as many records");
            let direction = Direction::OriginalToMasked;
            let everybody = everybody(self.n_records())
                .into_iter()
                .map(OriginalRecord)
                .collect();
            Study::new(&self.original, &self.masked, &truth, everybody, direction)
        });
        let (case, gathering) = timed(|| study.case(&known));
        let (outcome, attacking) = timed(|| case.attack(attack.as_ref(), Assign::Best, with_links));
        let outcome = outcome.expect("an attack that applies");
        (outcome, studying + gathering, attacking)
    }

    /// The seconds that comparing every pair of records would take, scaled up from every so manieth seeker.
    fn scan_seconds(&self, way: Way) -> f64 {
        let known = self.known(way);
        let matrix = |table: &Table, of: fn(&Shared) -> sdcrisk::table::AttrId| {
            let columns: Vec<_> = known
                .iter()
                .filter_map(|id| table.numbers(of(id)))
                .collect();
            Matrix::gather(&columns, &everybody(table.n_records()))
        };
        let names: Vec<String> = known
            .iter()
            .map(|id| self.original.attribute(id.original).name.clone())
            .collect();
        let scenario = Scenario {
            known: &names,
            scales: &vec![Scale::Continuous; names.len()],
            categories: &[],
            intruder: &matrix(&self.original, |id| id.original),
            released: &matrix(&self.masked, |id| id.masked),
            direction: Direction::OriginalToMasked,
            aligned: None,
            beside: None,
            unrecoded: None,
        };
        let attack = way.attack(self.n_records());
        let preference = attack.prepare(&scenario).expect("an attack that applies");
        let Preference::Nearest(preference) = preference else {
            panic!("both attacks prefer the nearest");
        };
        let n_seekers = (SCANNED_PAIRS / self.n_records()).clamp(1, self.n_records());
        let step = self.n_records() / n_seekers;
        let sample: Vec<usize> = (0..n_seekers).map(|place| place * step).collect();
        let (correct, seconds) = timed(|| {
            sample
                .par_iter()
                .filter(|&&seeker| is_nearest(&preference, seeker))
                .count()
        });
        std::hint::black_box(correct);
        seconds * self.n_records() as f64 / sample.len() as f64
    }
}

/// Whether no candidate is nearer to a seeker than the record of its own number, by comparing all in plain loops.
fn is_nearest(preference: &Nearest<'_>, seeker: usize) -> bool {
    let (sought, weights) = (&preference.sought, preference.metric.weights());
    let values = preference.seekers.row(seeker);
    let distance = |other: &[f64]| -> f64 {
        let parts = values.iter().zip(other).zip(weights);
        parts
            .map(|((a, b), weight)| weight * ((a - b) * (a - b)))
            .sum()
    };
    let own = distance(sought.row(seeker));
    let records = sought.values().chunks_exact(weights.len());
    let nearer = match &preference.candidates {
        None => records.filter(|other| distance(other) < own).count(),
        Some(boxes) => records
            .enumerate()
            .filter(|(record, other)| {
                boxes.admits(seeker, sought.record(*record)) && distance(other) < own
            })
            .count(),
    };
    nearer == 0
}

fn table(bytes: Vec<u8>) -> Table {
    Table::read("bench", bytes, &ReadOptions::default()).expect("a table")
}

fn everybody(n_records: usize) -> Vec<u32> {
    (0..u32::try_from(n_records).expect("few records")).collect()
}

fn rounds(n_records: usize) -> usize {
    if n_records > SIZE { 3 } else { 5 }
}

/// Seconds of one way, one figure a round.
#[derive(Debug, Default)]
struct Seconds {
    before: Vec<f64>,
    attack: Vec<f64>,
    process: Vec<f64>,
}

/// Lets the ways take turns on a pair of files, and shows a line for each.
fn compare(pair: &Pair, files: &Files, ways: &[(Way, bool)]) -> Vec<Seconds> {
    let n_records = pair.n_records();
    let mut all: Vec<Seconds> = ways.iter().map(|_| Seconds::default()).collect();
    let mut correct = vec![0.0; ways.len()];
    let links = files.masked.with_extension("links");
    for _ in 0..rounds(n_records) {
        for (place, &(way, with_links)) in ways.iter().enumerate() {
            let (outcome, before, attack) = pair.attack(way, with_links);
            correct[place] = outcome.score.rate(Ties::Fair);
            let mut command = way.command(files);
            if with_links {
                command.arg("--links").arg(&links);
            }
            let (process, _) = process::seconds_and_stage(&mut command, way.method);
            all[place].before.push(before);
            all[place].attack.push(attack);
            all[place].process.push(process);
        }
    }
    for (place, &(way, with_links)) in ways.iter().enumerate() {
        let attack = median(&all[place].attack);
        let scan = pair.scan_seconds(way);
        say(&format!(
            "{n_records:>8} {:>4} {:>5} {:>5} {:9.4} {attack:9.4} {:9.4} {scan:11.2} {:8.0} {:8.2}%",
            way.method,
            way.n_known,
            if with_links { "yes" } else { "no" },
            median(&all[place].before),
            median(&all[place].process),
            scan / attack,
            correct[place] * 100.0
        ));
    }
    all
}

fn say_columns() {
    say(&format!(
        "{:>8} {:>4} {:>5} {:>5} {:>9} {:>9} {:>9} {:>11} {:>8} {:>9}",
        "records",
        "way",
        "known",
        "links",
        "before s",
        "attack s",
        "process s",
        "scan s, est",
        "faster x",
        "correct"
    ));
}

fn growth() {
    say(&format!(
        "growth: correlated files rank-swapped at p = {P}; medians of 5 rounds, above {SIZE} records of 3"
    ));
    say_columns();
    let ways = [(AM, false), (AM_7, false), (RSLD_7, false)];
    let mut curves = vec![Vec::new(); ways.len()];
    let mut ratios = Vec::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    for n_records in NEAR_SIZES {
        let pair = Pair::near(n_records);
        let files = pair.write(folder.path(), "near");
        let all = compare(&pair, &files, &ways);
        for (curve, seconds) in curves.iter_mut().zip(&all) {
            curve.push((n_records, median(&seconds.attack)));
        }
        ratios.push(format!(
            "{n_records:>8} {:>12.2} {:>12.2} {:>12.2} {:>12.2}",
            median_ratio(&all[2].attack, &all[0].attack),
            median_ratio(&all[2].attack, &all[1].attack),
            median_ratio(&all[2].process, &all[0].process),
            median_ratio(&all[2].process, &all[1].process),
        ));
    }
    say("\nrsld, 7 known, as a multiple of am on the same files");
    say(&format!(
        "{:>8} {:>12} {:>12} {:>12} {:>12}",
        "records", "attack/am 13", "attack/am 7", "proc/am 13", "proc/am 7"
    ));
    ratios.iter().for_each(|line| say(line));
    say("\ngrowth exponent of the attack alone: all sizes, and from 100,000 records on");
    for ((way, _), curve) in ways.iter().zip(&curves) {
        say(&format!(
            "{:>4}, {:>2} known: {:.2} {:.2}",
            way.method,
            way.n_known,
            growth_exponent(curve),
            growth_exponent(&curve[2..])
        ));
    }
    say("");
}

fn independent() {
    say("independent: two files that have nothing to do with each other; medians of 5 rounds");
    say_columns();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pair = Pair::independent(SIZE);
    let files = pair.write(folder.path(), "independent");
    let ways = [(AM, false), (AM, true), (RSLD_7, false)];
    compare(&pair, &files, &ways);
    say("");
}

/// What does not depend on the number of threads: everything but the time.
fn threads() {
    say(&format!(
        "threads: {SIZE} records, {THREADS:?} threads, through the library and as a process"
    ));
    say(&format!(
        "{:>12} {:>4} {:>5} {:>5} {:>27} {:>10}",
        "files", "way", "known", "links", "attack s by threads", "results"
    ));
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, pair) in [
        ("near", Pair::near(SIZE)),
        ("independent", Pair::independent(SIZE)),
    ] {
        let files = pair.write(folder.path(), name);
        for way in [AM, AM_7, RSLD_7] {
            for with_links in [false, true] {
                let (outcomes, seconds): (Vec<Outcome>, Vec<String>) = THREADS
                    .iter()
                    .map(|&n_threads| {
                        let (outcome, _, seconds) =
                            pool(n_threads).install(|| pair.attack(way, with_links));
                        (outcome, format!("{seconds:8.3}"))
                    })
                    .unzip();
                let outputs = THREADS.map(|n| output(way, with_links, &files, n));
                let same = all_equal(&outcomes) && all_equal(&outputs);
                say(&format!(
                    "{name:>12} {:>4} {:>5} {:>5} {:>27} {:>10}",
                    way.method,
                    way.n_known,
                    if with_links { "yes" } else { "no" },
                    seconds.join(" "),
                    if same { "identical" } else { "DIFFERENT" }
                ));
            }
        }
    }
    say("");
}

fn pool(n_threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("threads")
}

/// All bytes that a call writes with this many threads.
fn output(way: Way, with_links: bool, files: &Files, n_threads: usize) -> Vec<u8> {
    let links = files.masked.with_extension("links");
    let mut command = way.command(files);
    command.args(["--threads", &n_threads.to_string()]);
    if with_links {
        command.arg("--links").arg(&links);
    }
    let output = command.output().expect("a process");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    let mut bytes = output.stdout;
    if with_links {
        bytes.extend(fs::read(&links).expect("the links"));
    }
    bytes
}

fn all_equal<T: PartialEq>(items: &[T]) -> bool {
    items.windows(2).all(|two| two[0] == two[1])
}
