//! What learning a distance costs, beside the mixed-integer program of the literature in a solver.
//!
//! `cargo bench --bench learned --features highs` answers all questions; `-- presolve` or `-- race` one of them; `-- race B 300` races on
//! set B and gives the solver 300 seconds. Without the feature `highs` the race is against `microlp`, on
//! the first hundred records. Where the Census file of the literature is absent, a generated file takes its place. One thread; seconds
//! are of the processor where the system reports them. The README beside this file explains the figures.

#[allow(clippy::unwrap_used, reason = "a benchmark may fail loudly")]
#[path = "../tests/common/learned_files.rs"]
mod learned_files;

mod common;

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use common::{
    figures::{median, say},
    process,
};
use learned_files::{NAMES, Set, learned_file};
use sdcrisk::{
    attack::{
        Direction, Scenario,
        distance_based::Standardize,
        learned::{
            Learner,
            differences::Differences,
            family::{Family, Scratch},
            presolve,
        },
    },
    optimize::{
        milp::Solver,
        subsystem::{
            Problem, Rows, Start, Watch,
            naive::{self, Options},
            portfolio::Engine,
        },
    },
    table::{Scale, Table, matrix::Matrix},
};

/// Seconds for the solver, and as many for us.
const LIMIT: u64 = 90;

/// Records that are raced on without HiGHS.
const FEW: usize = 100;

/// Rounds of what takes less than a second.
const ROUNDS: usize = 5;

const FAMILIES: [Family; 2] = [Family::WeightedMean, Family::Choquet];

fn main() {
    let words = common::words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread").install(|| match words.as_slice() {
        [] => {
            presolve();
            race(Set::C, LIMIT);
        }
        ["presolve"] => presolve(),
        ["race"] => race(Set::C, LIMIT),
        ["race", set] => race(set_of(set), LIMIT),
        ["race", set, limit] => race(set_of(set), limit.parse().expect("seconds")),
        _ => say("one of: presolve, race, race SET, race SET SECONDS"),
    });
}

fn set_of(word: &str) -> Set {
    let set = Set::ALL
        .into_iter()
        .find(|set| set.suffix().starts_with(word));
    set.expect("B or C")
}

fn census() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/census.csv");
    fs::read_to_string(path).expect("it is bundled")
}

/// A pair of files, record by record.
struct Pair {
    original: Matrix,
    masked: Matrix,
    known: Vec<String>,
    scales: Vec<Scale>,
    partners: Vec<Option<u32>>,
}

impl Pair {
    fn read(census: &str, set: Set, name: &str) -> Self {
        let (original, masked) = learned_file(census, set, name);
        let records: Vec<u32> = (0..).take(original.n_records()).collect();
        let ids: Vec<_> = original.ids().collect();
        Self {
            known: original.names(&ids),
            scales: vec![Scale::Continuous; ids.len()],
            partners: records.iter().copied().map(Some).collect(),
            original: matrix(&original, &records),
            masked: matrix(&masked, &records),
        }
    }

    /// The first records.
    fn first(self, n_records: usize) -> Self {
        let cut = |matrix: &Matrix| {
            let width = matrix.n_attributes();
            Matrix::complete(
                n_records,
                width,
                matrix.values()[..n_records * width].to_vec(),
            )
        };
        Self {
            original: cut(&self.original),
            masked: cut(&self.masked),
            partners: self.partners[..n_records].to_vec(),
            ..self
        }
    }

    fn scenario(&self) -> Scenario<'_> {
        Scenario {
            known: &self.known,
            scales: &self.scales,
            categories: &[],
            intruder: &self.original,
            released: &self.masked,
            direction: Direction::OriginalToMasked,
            aligned: Some(&self.partners),
            beside: None,
            unrecoded: None,
        }
    }

    fn differences(&self) -> Differences<'_> {
        Differences::new(&self.scenario(), Standardize::Own).expect("numbers that vary")
    }
}

fn matrix(table: &Table, records: &[u32]) -> Matrix {
    let numbers: Vec<_> = table
        .ids()
        .map(|id| table.numbers(id).expect("numbers"))
        .collect();
    Matrix::gather(&numbers, records)
}

/// Every competitor of every record: what the literature hands to the solver.
fn all_rows(pair: &Pair, family: Family) -> Problem {
    let differences = pair.differences();
    let mut scratch = Scratch::new(pair.known.len());
    let (mut rows, mut row) = (Rows::new(), Vec::new());
    for seeker in 0..pair.partners.len() {
        rows.push_block();
        for competitor in (0..pair.partners.len()).filter(|&competitor| competitor != seeker) {
            family.row(
                &differences,
                seeker,
                seeker,
                competitor,
                &mut scratch,
                &mut row,
            );
            rows.push_row(0, &row);
        }
    }
    let space = family.space(pair.known.len()).expect("few attributes");
    Problem { space, rows }
}

/// Rows before and after presolve, and its seconds beside those of writing all rows down.
fn presolve() {
    let census = census();
    say("| file | family | competitors | left | all written, ms | presolve, ms | times |");
    say("|---|---|---:|---:|---:|---:|---:|");
    for set in [Set::C, Set::Whole] {
        for name in NAMES {
            let pair = Pair::read(&census, set, name);
            for family in FAMILIES {
                let (mut written, mut solved) = (Vec::new(), Vec::new());
                let (mut before, mut left) = (0, 0);
                for _ in 0..ROUNDS {
                    let (all, seconds) = process::worked(|| all_rows(&pair, family));
                    written.push(seconds);
                    before = all.rows.n_rows();
                    let differences = pair.differences();
                    let (few, seconds) = process::worked(|| {
                        presolve::all_rows(&differences, family, &pair.partners)
                    });
                    solved.push(seconds);
                    left = few.rows.n_rows();
                }
                let (written, solved) = (median(&written), median(&solved));
                say(&format!(
                    "| {name}_{} | {} | {before} | {left} | {:.1} | {:.1} | {:.2} |",
                    set.suffix(),
                    family.name(),
                    1e3 * written,
                    1e3 * solved,
                    written / solved
                ));
            }
        }
    }
}

/// What a search found in which time.
struct Found {
    linked: usize,
    bound: usize,
    seconds: f64,
}

impl Found {
    fn is_proven(&self) -> bool {
        self.linked == self.bound
    }

    fn show(&self) -> String {
        let Self {
            linked,
            bound,
            seconds,
        } = self;
        if self.is_proven() {
            format!("{linked} | {seconds:.3}")
        } else {
            format!("{linked} to {bound}: still open | {seconds:.3}")
        }
    }

    /// How many times our seconds, where we have proven our optimum.
    fn times(&self, ours: &Self) -> String {
        let at_least = if self.is_proven() { "" } else { "≥ " };
        if ours.is_proven() {
            format!("{at_least}{:.1}", self.seconds / ours.seconds)
        } else {
            String::new()
        }
    }
}

/// Our search, the solver on all competitors, and the solver on those that presolve leaves.
fn race(set: Set, limit: u64) {
    let census = census();
    let solver = Solver::best();
    let small = solver == Solver::Microlp;
    if small {
        say(&format!(
            "Built without HiGHS: the solver is microlp, on the first {FEW} records of each file."
        ));
    }
    let name_of = solver.name();
    say(&format!(
        "| file | family | linked by us | s | by {name_of}, all competitors | s | times | by {name_of}, presolved | s | times |"
    ));
    say("|---|---|---|---:|---|---:|---:|---|---:|---:|");
    for name in NAMES {
        let mut pair = Pair::read(&census, set, name);
        if small {
            pair = pair.first(FEW);
        }
        for family in FAMILIES {
            let ours = ours(&pair, family, limit);
            let naive = by_solver(&all_rows(&pair, family), solver, limit);
            let few = presolve::all_rows(&pair.differences(), family, &pair.partners);
            let always = few.always.len();
            let space = family.space(pair.known.len()).expect("few attributes");
            let mut tight = by_solver(
                &Problem {
                    space,
                    rows: few.rows,
                },
                solver,
                limit,
            );
            tight.linked += always;
            tight.bound += always;
            say(&format!(
                "| {name}_{} | {} | {} | {} | {} | {} | {} |",
                set.suffix(),
                family.name(),
                ours.show(),
                naive.show(),
                naive.times(&ours),
                tight.show(),
                tight.times(&ours)
            ));
            for other in [&naive, &tight] {
                if other.linked > ours.bound || ours.linked > other.bound {
                    say(
                        "These contradict each other: one of the bounds speaks of another margin, or is wrong.",
                    );
                }
            }
        }
    }
}

/// The whole of it, from the two files to the distance, with presolve.
fn ours(pair: &Pair, family: Family, limit: u64) -> Found {
    let mut seconds = Vec::new();
    loop {
        let clock = Arc::new(Clock::new(limit));
        let learner = Learner {
            family,
            standardize: Standardize::Own,
            engine: Engine::Auto,
            keeps_proof: false,
            wants_ranges: false,
            watch: clock,
        };
        let (lesson, took) = process::worked(|| learner.learn(&pair.scenario()));
        let lesson = lesson.expect("a distance");
        seconds.push(took);
        if took > 1.0 || seconds.len() == ROUNDS {
            return Found {
                linked: lesson.linked,
                bound: lesson.bound,
                seconds: median(&seconds),
            };
        }
    }
}

/// The solver alone, without making the rows.
fn by_solver(problem: &Problem, solver: Solver, limit: u64) -> Found {
    let clock = Clock::new(limit);
    let options = Options {
        solver,
        ..Options::default()
    };
    let (answer, seconds) =
        process::worked(|| naive::solve(problem, &Start::default(), &clock, options));
    let answer = answer.expect("an answer");
    Found {
        linked: answer.satisfied,
        bound: answer.bound,
        seconds,
    }
}

/// Says stop after some seconds.
struct Clock {
    limit: Duration,
    started: Instant,
}

impl Clock {
    fn new(seconds: u64) -> Self {
        Self {
            limit: Duration::from_secs(seconds),
            started: Instant::now(),
        }
    }
}

impl Watch for Clock {
    fn stops(&self) -> bool {
        self.started.elapsed() >= self.limit
    }

    fn seconds_left(&self) -> Option<f64> {
        Some(
            self.limit
                .saturating_sub(self.started.elapsed())
                .as_secs_f64(),
        )
    }
}
