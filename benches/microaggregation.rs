//! What finding the groups of MDAV and V-MDAV costs by size, and beside the quadratic algorithm.
//!
//! `cargo bench --bench microaggregation` (add `-- million` for 1,000,000 records of 6 attributes). The library alone, in memory:
//! no files, no standardising, no averages. The README beside this file has the rest.

mod common;

use common::{
    data::normal,
    figures::{growth_exponent, median, say, timed},
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sdcrisk::{
    mask::microaggregation::{Axis, Partition, Space, mdav, mdav_exhaustive, v_mdav},
    stats::moments::moments_by_attribute,
    table::Matrix,
};

const SIZES: [usize; 3] = [10_000, 50_000, 100_000];
const MILLION: usize = 1_000_000;
const WIDTHS: [usize; 2] = [6, 13];
const ROUNDS: usize = 3;

/// The records that are also grouped by comparing everything.
const COMPARED: usize = 50_000;

/// Files: what they are called, and how one record of them is drawn.
const FILES: [(&str, Draw); 3] = [
    ("correlated", |rng, record| correlated(rng, record)),
    ("log-normal", |rng, record| {
        correlated(rng, record);
        record.iter_mut().for_each(|value| *value = value.exp());
    }),
    ("independent", |rng, record| {
        record.iter_mut().for_each(|value| *value = normal(rng));
    }),
];

type Draw = fn(&mut ChaCha8Rng, &mut [f64]);

fn main() {
    let million = common::words().iter().any(|word| word == "million");
    compare();
    grow(million);
    variable();
}

/// Normal attributes, any two of which correlate at 0.7.
fn correlated(rng: &mut ChaCha8Rng, record: &mut [f64]) {
    let common = 0.7_f64.sqrt() * normal(rng);
    for value in record {
        *value = common + 0.3_f64.sqrt() * normal(rng);
    }
}

fn space(draw: Draw, n_records: usize, width: usize) -> Space {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut cells = vec![0.0; n_records * width];
    cells
        .chunks_exact_mut(width)
        .for_each(|record| draw(&mut rng, record));
    let mut points = Matrix::complete(n_records, width, cells);
    let moments = moments_by_attribute(&points);
    points.map(|attribute, value| (value - moments[attribute].mean) / moments[attribute].sd);
    Space {
        points,
        axes: vec![Axis::Mean; width],
    }
}

fn seconds(rounds: usize, run: impl Fn() -> Partition) -> f64 {
    let rounds: Vec<f64> = (0..rounds).map(|_| timed(&run).1).collect();
    median(&rounds)
}

/// MDAV beside the quadratic algorithm.
fn compare() {
    say(&format!(
        "{COMPARED} records, MDAV, seconds (median of {ROUNDS}; quadratic once)\n"
    ));
    say("file          attributes   k  seconds  quadratic  faster  groups");
    for (name, draw) in FILES {
        for width in WIDTHS {
            let space = space(draw, COMPARED, width);
            for k in [3, 5] {
                let fast = seconds(ROUNDS, || mdav(&space, k));
                let (slow, quadratic) = timed(|| mdav_exhaustive(&space, k));
                let same = if mdav(&space, k) == slow {
                    "identical"
                } else {
                    "DIFFERENT"
                };
                say(&format!(
                    "{name:12} {width:11} {k:3} {fast:8.3} {quadratic:10.2} {:7.1}  {same}",
                    quadratic / fast
                ));
            }
        }
    }
}

/// MDAV by size.
fn grow(million: bool) {
    say("\nMDAV by size, k = 5, seconds; exponents e of seconds = c * records^e\n");
    say("file          attributes   10,000   50,000  100,000       e  1,000,000       e");
    for (name, draw) in FILES {
        for width in WIDTHS {
            let mut points: Vec<(usize, f64)> = Vec::new();
            for n_records in SIZES {
                let space = space(draw, n_records, width);
                points.push((n_records, seconds(ROUNDS, || mdav(&space, 5))));
            }
            let shown: Vec<String> = points.iter().map(|(_, s)| format!("{s:8.3}")).collect();
            let mut line = format!(
                "{name:12} {width:11} {} {:7.2}",
                shown.join(" "),
                growth_exponent(&points)
            );
            if million && width == WIDTHS[0] {
                let space = space(draw, MILLION, width);
                points.push((MILLION, seconds(1, || mdav(&space, 5))));
                line += &format!("{:11.2} {:7.2}", points[3].1, growth_exponent(&points));
            }
            say(&line);
        }
    }
}

/// V-MDAV, which asks more of the search the more it extends.
fn variable() {
    say("\n100,000 records, V-MDAV, k = 5, seconds\n");
    say("file          attributes  gamma 0      0.2      1.1");
    for (name, draw) in FILES {
        for width in WIDTHS {
            let space = space(draw, 100_000, width);
            let shown: Vec<String> = [0.0, 0.2, 1.1]
                .map(|gamma| format!("{:8.3}", seconds(1, || v_mdav(&space, 5, gamma))))
                .to_vec();
            say(&format!("{name:12} {width:11} {}", shown.join(" ")));
        }
    }
}
