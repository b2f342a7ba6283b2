//! A tree of simplicial cones that covers the simplex: each leaf, decided at its generators.
//!
//! A parameter vector in a cell is `Σ c_i g_i` with `c_i ≥ 0`. So a sum of rows that is not positive at any generator is positive nowhere in the
//! cell.
//!
//! Coordinates of generators are sums of products of positive numbers: rounded, they are wrong by their number of operations in units of the
//! last place. What that cannot decide is decided exactly, with generators worked out from the root.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    conflicts::{Ground, Holds, Multiplied, ROUNDING},
    cover::{Cover, cover},
    exact::Exact,
    family::Coefficients,
    format::{Node, Pair, Weighted},
    multipliers,
};

/// Depth of a tree up to which generators are worked out exactly: each split adds an f64's digits.
const MAX_DEPTH: usize = 1024;

/// What a tree comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tree {
    /// Number of leaves.
    pub leaves: usize,
    /// Leaves whose conflicts may cost enough records or not: the limit of work was reached.
    pub open: usize,
    /// Leaves in which something holds but for rounding only.
    pub rounded: usize,
}

/// A step on the way from the root to a cell.
#[derive(Debug, Clone, Copy)]
struct Step {
    a: usize,
    b: usize,
    at: f64,
    /// Whether it leads to the second half.
    second: bool,
}

/// A cell that is still to come: its rounded generators, and the step that leads to it from a cell of this depth.
struct Cell {
    generators: Vec<Vec<f64>>,
    from: usize,
    step: Option<Step>,
}

/// A row, rounded; each number is wrong by four units in the last place at most.
struct Rounded {
    seeker: usize,
    coefficients: Vec<f64>,
    greatest: f64,
}

/// Checks that no cell holds parameters that link more records than the bound.
///
/// # Errors
/// What is wrong, in words that follow "it".
pub(super) fn cells(ground: &Ground<'_>, nodes: &[Node], never: &[usize]) -> Result<Tree, String> {
    let certificate = ground.certificate;
    if !certificate.family.is_simplex() {
        return Err("has cells, which say nothing of this family".into());
    }
    let walk = Walk {
        ground,
        never,
        rows: rows(ground, nodes)?,
    };
    let n = ground.points.n_attributes();
    let unit = |k: usize| (0..n).map(|l| f64::from(u8::from(k == l))).collect();
    let mut pending = vec![Cell {
        generators: (0..n).map(unit).collect(),
        from: 0,
        step: None,
    }];
    let mut path: Vec<Step> = Vec::new();
    let mut tree = Tree::default();
    for (number, node) in (1..).zip(nodes) {
        let in_node = |why: String| format!("node {number} {why}");
        let cell = pending
            .pop()
            .ok_or_else(|| in_node("comes after the end of the tree".into()))?;
        path.truncate(cell.from);
        path.extend(cell.step);
        match node {
            Node::Split(a, b, at) => {
                let [first, second] =
                    halves(&cell, n, (*a, *b, *at), path.len()).map_err(in_node)?;
                pending.extend([second, first]);
            }
            Node::Leaf { wrong, conflicts } => {
                tree.leaves += 1;
                let checked = walk
                    .leaf(&cell.generators, &path, wrong, conflicts)
                    .map_err(in_node)?;
                tree.open += usize::from(checked.is_open);
                tree.rounded += usize::from(checked.holds == Holds::ButForRounding);
            }
        }
    }
    if pending.is_empty() {
        Ok(tree)
    } else {
        Err("has a tree that ends too early: some cells are missing".into())
    }
}

/// All rows that leaves name.
fn rows(ground: &Ground<'_>, nodes: &[Node]) -> Result<BTreeMap<Pair, Rounded>, String> {
    let mut pairs: Vec<Pair> = Vec::new();
    for node in nodes {
        if let Node::Leaf { wrong, conflicts } = node {
            pairs.extend(wrong);
            let weighted = conflicts.iter().flatten();
            pairs.extend(weighted.map(|&Weighted(record, competitor, _)| Pair(record, competitor)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let n = ground.points.n_attributes();
    let rounded = |pair: &Pair| {
        let row = ground.row(*pair)?;
        let near = |k: usize| row.coefficients.get(&k).map_or(0.0, Exact::near);
        let rounded = Rounded {
            seeker: row.seeker,
            coefficients: (0..n).map(near).collect(),
            greatest: row.greatest.near(),
        };
        Ok((*pair, rounded))
    };
    let rows: Vec<Result<(Pair, Rounded), String>> = pairs.par_iter().map(rounded).collect();
    rows.into_iter().collect()
}

fn halves(
    cell: &Cell,
    n: usize,
    (a, b, at): (u32, u32, f64),
    depth: usize,
) -> Result<[Cell; 2], String> {
    let place = |generator: u32| {
        let place = usize::try_from(generator).ok()?.checked_sub(1)?;
        (place < n).then_some(place)
    };
    let (Some(a), Some(b)) = (place(a), place(b)) else {
        return Err("splits a generator that there is not".into());
    };
    if a == b || !(at > 0.0 && at.is_finite()) {
        return Err("splits at no place between two generators".into());
    }
    let of = &cell.generators;
    let generator: Vec<f64> = of[a].iter().zip(&of[b]).map(|(a, b)| a + at * b).collect();
    Ok([false, true].map(|second| {
        let mut generators = of.clone();
        generators[if second { a } else { b }].clone_from(&generator);
        Cell {
            generators,
            from: depth,
            step: Some(Step { a, b, at, second }),
        }
    }))
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    never: &'a [usize],
    rows: BTreeMap<Pair, Rounded>,
}

/// What a leaf comes to.
struct Checked {
    /// Whether its conflicts could not be counted.
    is_open: bool,
    /// How all that it says holds.
    holds: Holds,
}

impl Walk<'_> {
    /// Checks a leaf.
    fn leaf(
        &self,
        generators: &[Vec<f64>],
        path: &[Step],
        wrong: &[Pair],
        conflicts: &[Vec<Weighted>],
    ) -> Result<Checked, String> {
        let mut holds = Holds::Exactly;
        let mut lost = Vec::with_capacity(wrong.len());
        for pair in wrong {
            let row = &self.rows[pair];
            let alone = [Weighted(pair.0, pair.1, 1.0)];
            let how = self.is_nowhere_positive(generators, path, &alone)?;
            holds = holds.max(how.ok_or_else(|| {
                format!(
                    "calls record {} wrong in a cell where it need not be",
                    pair.0
                )
            })?);
            lost.push(row.seeker);
        }
        lost.sort_unstable();
        if lost.windows(2).any(|two| two[0] == two[1]) {
            return Err("names a record twice".into());
        }
        let is_lost = |seeker: &usize| {
            lost.binary_search(seeker).is_ok() || self.never.binary_search(seeker).is_ok()
        };
        let mut left_to_hit = Vec::new();
        for conflict in conflicts {
            let how = self.is_nowhere_positive(generators, path, conflict)?;
            holds = holds
                .max(how.ok_or_else(|| "has a conflict that is none in its cell".to_string())?);
            let pairs = conflict.iter().map(|&Weighted(a, b, _)| Pair(a, b));
            let seekers: Vec<usize> = pairs.map(|pair| self.rows[&pair].seeker).collect();
            if !seekers.iter().any(is_lost) {
                left_to_hit.push(seekers);
            }
        }
        let certificate = self.ground.certificate;
        let also_never = lost
            .iter()
            .filter(|seeker| self.never.binary_search(seeker).is_ok());
        let gone = self.never.len() + lost.len() - also_never.count();
        let left = certificate.records.saturating_sub(gone);
        let wanted = left.saturating_sub(certificate.bound);
        let is_open = match cover(&left_to_hit, wanted) {
            Cover::Fewer(hit) => {
                return Err(format!(
                    "leaves {} records, more than the bound",
                    left - hit.min(left)
                ));
            }
            Cover::Open => true,
            Cover::Disjoint | Cover::Packing | Cover::Search => false,
        };
        Ok(Checked { is_open, holds })
    }

    /// How a sum of rows with multipliers is not positive at any generator; `None` if it is at some.
    fn is_nowhere_positive(
        &self,
        generators: &[Vec<f64>],
        path: &[Step],
        rows: &[Weighted],
    ) -> Result<Option<Holds>, String> {
        if self.is_surely_nowhere_positive(generators, path, rows) {
            Ok(Some(Holds::Exactly))
        } else {
            self.is_exactly_nowhere_positive(path, rows)
        }
    }

    /// The same for certain, by rounded numbers.
    fn is_surely_nowhere_positive(
        &self,
        generators: &[Vec<f64>],
        path: &[Step],
        rows: &[Weighted],
    ) -> bool {
        // Numbers so small that they could have lost digits, or so large that they could have become infinite, decide nothing.
        let is_plain = |x: &f64| *x == 0.0 || (1e-200..1e200).contains(&x.abs());
        let n = generators.len();
        let (mut sum, mut sizes) = (vec![0.0; n], vec![0.0; n]);
        for &Weighted(record, competitor, multiplier) in rows {
            let row = &self.rows[&Pair(record, competitor)];
            let multiplier = multiplier / row.greatest;
            let is_plain =
                multiplier > 0.0 && is_plain(&multiplier) && row.coefficients.iter().all(is_plain);
            if !is_plain {
                return false;
            }
            for (k, coefficient) in row.coefficients.iter().enumerate() {
                sum[k] += multiplier * coefficient;
                sizes[k] += multiplier * coefficient.abs();
            }
        }
        // Four units in a row, two a step in a generator, one a term in the sums, and some to spare.
        let units = 16 + 2 * path.len() + 2 * n + 2 * rows.len();
        let error = units as f64 * f64::EPSILON;
        !rows.is_empty()
            && generators.iter().all(|generator| {
                let (mut value, mut size) = (0.0, 0.0);
                for (k, coordinate) in generator.iter().enumerate() {
                    value += sum[k] * coordinate;
                    size += sizes[k] * coordinate;
                }
                generator.iter().all(is_plain) && value + error * size <= -f64::MIN_POSITIVE
            })
    }

    /// The same of a sum of rows, exactly; with other multipliers near these, if the sum is 0 but for rounding at some generators.
    fn is_exactly_nowhere_positive(
        &self,
        path: &[Step],
        rows: &[Weighted],
    ) -> Result<Option<Holds>, String> {
        if path.len() > MAX_DEPTH {
            return Err("lies too deep to be decided".into());
        }
        let n = self.ground.points.n_attributes();
        let rows = self.ground.multiplied(rows)?;
        let near: Vec<f64> = rows.iter().map(|row| row.multiplier).collect();
        let at = |coefficients: &Coefficients, generator: &[Exact]| {
            let terms = coefficients.iter().map(|(&k, v)| v * &generator[k]);
            terms.fold(Exact::default(), |sum, term| &sum + &term)
        };
        let dot = |values: &[Exact], multipliers: &[Exact]| {
            let terms = values.iter().zip(multipliers).map(|(a, b)| a * b);
            terms.fold(Exact::default(), |sum, term| &sum + &term)
        };
        let given: Vec<Exact> = near
            .iter()
            .map(|&multiplier| Exact::of(multiplier))
            .collect();
        let (zero, rounding) = (Exact::default(), Exact::of(ROUNDING));
        let (mut values, mut zeros, mut holds) = (Vec::with_capacity(n), Vec::new(), true);
        for generator in exact_generators(n, path) {
            let of = |row: &Multiplied| at(&row.row.coefficients, &generator);
            let here: Vec<Exact> = rows.iter().map(of).collect();
            let size = |row: &Multiplied| at(&row.row.sizes, &generator);
            let sizes: Vec<Exact> = rows.iter().map(size).collect();
            let (value, room) = (dot(&here, &given), &dot(&sizes, &given) * &rounding);
            if value > room {
                return Ok(None);
            }
            holds &= value <= zero;
            if value.size() <= room {
                zeros.push(here.clone());
            }
            values.push(here);
        }
        if holds {
            return Ok(Some(Holds::Exactly));
        }
        let is_strict = multipliers::exact(&zeros, &near).is_some_and(|found| {
            found.iter().all(|multiplier| *multiplier >= zero)
                && found.iter().any(|multiplier| *multiplier > zero)
                && values.iter().all(|here| dot(here, &found) <= zero)
        });
        Ok(Some(if is_strict {
            Holds::Exactly
        } else {
            Holds::ButForRounding
        }))
    }
}

/// The generators at the end of a path.
fn exact_generators(n: usize, path: &[Step]) -> Vec<Vec<Exact>> {
    let unit = |k: usize| {
        (0..n)
            .map(|l| Exact::of(f64::from(u8::from(k == l))))
            .collect()
    };
    let mut generators: Vec<Vec<Exact>> = (0..n).map(unit).collect();
    for step in path {
        let at = Exact::of(step.at);
        let (a, b) = (&generators[step.a], &generators[step.b]);
        let generator = a.iter().zip(b).map(|(a, b)| a + &(&at * b)).collect();
        generators[if step.second { step.a } else { step.b }] = generator;
    }
    generators
}
