//! The coordinates of all terms side by side, so that a processor's vectors work on several terms at a time.
//!
//! Each term has its own sums in a fixed order, and sums over terms are made of [`LANES`] parts: results are the same on every machine.

use std::f64::consts::LOG2_E;

use pulp::{Arch, NullaryFnOnce};

use super::law::{Coordinates, Term};
use crate::stats::elementary::exp2;

/// Terms that are worked on side by side.
pub(super) const LANES: usize = 8;

type Lanes = [f64; LANES];

/// In what is named "terms", groups of as many terms as there are lanes; the last group is filled up.
#[derive(Debug)]
pub(super) struct Packed {
    n_terms: usize,
    /// Released scores, and known ones.
    released: usize,
    known: usize,
    /// The lower triangle by which released scores are multiplied, row by row; each × terms.
    white: Vec<Lanes>,
    /// The matrix by which known scores are multiplied, row by row; each × terms.
    turned: Vec<Lanes>,
    /// The means of released scores and of known ones, × terms.
    mean: Vec<Lanes>,
    own: Vec<Lanes>,
    log_scale: Vec<Lanes>,
}

/// What is to be multiplied: released scores with what kept attributes explain of them and of the known ones; or known scores.
#[derive(Clone, Copy)]
pub(super) enum Scores<'a> {
    Released(&'a [f64], Option<(&'a [f64], &'a [f64])>),
    Known(&'a [f64]),
}

impl Packed {
    /// The coordinates of these terms.
    pub fn new(terms: &[Term], coordinates: &[Coordinates], known: usize, released: usize) -> Self {
        let n_terms = terms.len();
        let pack = |of: &dyn Fn(usize) -> f64| -> Vec<Lanes> {
            (0..n_terms.div_ceil(LANES))
                .map(|group| {
                    std::array::from_fn(|lane| match group * LANES + lane {
                        term if term < n_terms => of(term),
                        _ => 0.0,
                    })
                })
                .collect()
        };
        let lower = (0..released).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let whole = (0..released).flat_map(|i| (0..known).map(move |j| (i, j)));
        Self {
            n_terms,
            released,
            known,
            white: (lower.flat_map(|at| pack(&|term| coordinates[term].white[at]))).collect(),
            turned: (whole.flat_map(|at| pack(&|term| coordinates[term].turned[at]))).collect(),
            mean: (0..released)
                .flat_map(|at| pack(&|term| coordinates[term].mean[at]))
                .collect(),
            own: (0..known)
                .flat_map(|at| pack(&|term| terms[term].own[at]))
                .collect(),
            log_scale: pack(&|term| coordinates[term].log_scale),
        }
    }

    /// Bytes for so many terms, released and known scores.
    pub fn bytes(terms: usize, released: usize, known: usize) -> usize {
        terms.next_multiple_of(LANES) * released * (released + known) * size_of::<f64>()
    }

    fn groups(&self) -> usize {
        self.n_terms.div_ceil(LANES)
    }

    /// Numbers of somebody's point in all terms.
    pub fn size(&self) -> usize {
        self.released * self.groups()
    }

    /// Coordinates of each term.
    pub fn width(&self) -> usize {
        self.released
    }

    /// ln of the root of the determinant, with its sign turned.
    pub fn log_scale(&self, term: usize) -> f64 {
        self.log_scale[term / LANES][term % LANES]
    }

    /// A coordinate of a point in a term.
    pub fn coordinate(&self, point: &[Lanes], at: usize, term: usize) -> f64 {
        point[at * self.groups() + term / LANES][term % LANES]
    }

    /// Where somebody stands in all terms: coordinates × terms.
    pub fn point(&self, scores: Scores<'_>, into: &mut [Lanes]) {
        Arch::new().dispatch(Placing {
            packed: self,
            scores,
            into,
        });
    }

    /// ln Σ exp(weight + ln density) over the terms, of two points; −∞ where all weights are.
    pub fn log_sum(&self, weights: &[f64], a: &[Lanes], b: &[Lanes]) -> f64 {
        Arch::new().dispatch(Adding {
            packed: self,
            weights,
            a,
            b,
        })
    }
}

/// Adds a matrix's row times numbers of each term.
#[inline(always)]
fn add(sum: &mut Lanes, factor: &Lanes, number: &Lanes) {
    for ((sum, a), x) in sum.iter_mut().zip(factor).zip(number) {
        *sum += a * x;
    }
}

struct Placing<'a> {
    packed: &'a Packed,
    scores: Scores<'a>,
    into: &'a mut [Lanes],
}

impl NullaryFnOnce for Placing<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            packed,
            scores,
            into,
        } = self;
        let groups = packed.groups();
        for group in 0..groups {
            match scores {
                Scores::Known(known) => {
                    for i in 0..packed.released {
                        let mut sum = [0.0; LANES];
                        for (j, &x) in known.iter().enumerate() {
                            let own = &packed.own[j * groups + group];
                            let off = own.map(|mean| x - mean);
                            let at = (i * packed.known + j) * groups + group;
                            add(&mut sum, &packed.turned[at], &off);
                        }
                        into[i * groups + group] = sum;
                    }
                }
                Scores::Released(released, explained) => {
                    let mut row = 0;
                    for i in 0..packed.released {
                        let mut sum = [0.0; LANES];
                        for (j, &x) in released[..=i].iter().enumerate() {
                            let x = match explained {
                                Some((parts, _)) => x - parts[j],
                                None => x,
                            };
                            let off = packed.mean[j * groups + group].map(|mean| x - mean);
                            add(&mut sum, &packed.white[(row + j) * groups + group], &off);
                        }
                        row += i + 1;
                        for (j, &x) in explained.iter().flat_map(|of| of.1).enumerate() {
                            let at = (i * packed.known + j) * groups + group;
                            add(&mut sum, &packed.turned[at], &[x; LANES]);
                        }
                        into[i * groups + group] = sum;
                    }
                }
            }
        }
    }
}

struct Adding<'a> {
    packed: &'a Packed,
    weights: &'a [f64],
    a: &'a [Lanes],
    b: &'a [Lanes],
}

/// Groups of terms whose logarithms are kept on the way; those of more are worked out twice.
const KEPT: usize = 16;

impl Adding<'_> {
    /// Whether any of a group of terms has a weight: most levels of protection cannot be those of somebody.
    #[inline(always)]
    fn counts(&self, group: usize) -> bool {
        let weights = self.weights[group * LANES..].iter().take(LANES);
        weights.fold(f64::NEG_INFINITY, |most, &weight| most.max(weight)) > f64::NEG_INFINITY
    }

    /// The logarithms of a group of terms.
    #[inline(always)]
    fn logs(&self, group: usize) -> Lanes {
        let groups = self.packed.groups();
        let mut distance = [0.0; LANES];
        for i in 0..self.packed.released {
            let (a, b) = (&self.a[i * groups + group], &self.b[i * groups + group]);
            for ((sum, a), b) in distance.iter_mut().zip(a).zip(b) {
                *sum += (a - b) * (a - b);
            }
        }
        let mut logs = [f64::NEG_INFINITY; LANES];
        let weights = &self.weights[group * LANES..];
        let scales = &self.packed.log_scale[group];
        for (lane, &weight) in weights.iter().enumerate().take(LANES) {
            logs[lane] = weight + scales[lane] - 0.5 * distance[lane];
        }
        logs
    }
}

impl NullaryFnOnce for Adding<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let groups = self.packed.groups();
        let mut kept = [[f64::NEG_INFINITY; LANES]; KEPT];
        let mut most = [f64::NEG_INFINITY; LANES];
        for group in (0..groups).filter(|&group| self.counts(group)) {
            let logs = self.logs(group);
            if let Some(kept) = kept.get_mut(group) {
                *kept = logs;
            }
            for (most, &log) in most.iter_mut().zip(&logs) {
                *most = if log > *most { log } else { *most };
            }
        }
        let most = most
            .iter()
            .fold(f64::NEG_INFINITY, |most, &log| most.max(log));
        if most == f64::NEG_INFINITY {
            return most;
        }
        let mut sums = [0.0; LANES];
        for group in (0..groups).filter(|&group| self.counts(group)) {
            let logs = match kept.get(group) {
                Some(kept) => *kept,
                None => self.logs(group),
            };
            for (sum, log) in sums.iter_mut().zip(logs) {
                *sum += exp2((log - most) * LOG2_E);
            }
        }
        most + sums.iter().fold(0.0, |sum, part| sum + part).ln()
    }
}
