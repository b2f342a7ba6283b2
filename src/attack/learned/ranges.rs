//! Which other distances link the same records: how far each parameter can go, and a distance in the middle.
//!
//! The distances that link given records are a convex cell,
//!
//! ```text
//! { p ∈ P : v·p > 0 for all rows v of their blocks }
//! ```
//!
//! Weights are rarely unique: the solver gives one corner or another of the cell. Questions to the cell are linear programs, whose rows
//! come when a solution violates them.

use super::{family::Family, weights::measure_of};
use crate::{
    optimize::{
        simplex::{End, Vertex},
        subsystem::{Problem, Semidefinite, SparseRow, Watch},
    },
    stats::eigen::Eigen,
};

/// What a row may miss.
const MISSING: f64 = 1e-9;

/// Half-spaces that are added at a time.
const AT_ONCE: usize = 1000;

/// What an eigenvalue may miss, and how often a direction is added for it.
const CURVED: f64 = 1e-7;
const MAX_DIRECTIONS: usize = 400;

/// So many parameters are affordable; of measures with more only the Shapley values are asked for.
const MAX_PARAMETERS: usize = 31;

/// Of a semidefinite matrix, so many attributes are: with six it takes seconds.
const MAX_CURVED: usize = 5;

/// How far a learned distance can be changed without a link being lost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranges {
    /// The least and the greatest value of each parameter; `None` if there are too many of them, or the work was stopped.
    pub parameters: Option<Vec<(f64, f64)>>,
    /// The same of each attribute's Shapley value, for the families of measures.
    pub shapley: Option<Vec<(f64, f64)>>,
}

/// The ranges that a report of this family shows: of all parameters up to 31 (of a semidefinite matrix up to 15), and of the Shapley
/// values of a measure.
///
/// `blocks` are those that `parameters` satisfy. See [`ranges_of`].
///
/// # Complexity
/// On 400 records 1 ms (weighted mean) to 0.3 s (Shapley values of seven attributes).
pub fn ranges(
    family: Family,
    n_attributes: usize,
    problem: &Problem,
    blocks: &[usize],
    parameters: &[f64],
    watch: &dyn Watch,
) -> Ranges {
    let dimension = problem.space.dimension();
    let forms = |forms: &[SparseRow]| ranges_of(problem, blocks, parameters, forms, watch);
    let single = |parameter: usize| vec![(to_u32(parameter), 1.0)];
    let all: Vec<SparseRow> = (0..dimension).map(single).collect();
    let curved = problem.space.semidefinite;
    let is_affordable =
        dimension <= MAX_PARAMETERS && curved.is_none_or(|form| form.order <= MAX_CURVED);
    Ranges {
        parameters: is_affordable.then(|| forms(&all)).flatten(),
        shapley: shapley_forms(family, n_attributes, dimension).and_then(|all| forms(&all)),
    }
}

/// The Shapley value of each attribute as a linear form of the parameters; `None` unless they are a measure.
fn shapley_forms(family: Family, n: usize, dimension: usize) -> Option<Vec<SparseRow>> {
    let mut forms = vec![SparseRow::new(); n];
    let mut unit = vec![0.0; dimension];
    for parameter in 0..dimension {
        unit[parameter] = 1.0;
        let worth = measure_of(family, n, &unit)?.shapley();
        unit[parameter] = 0.0;
        for (form, worth) in forms.iter_mut().zip(worth) {
            if worth != 0.0 {
                form.push((to_u32(parameter), worth));
            }
        }
    }
    Some(forms)
}

/// The least and the greatest value of linear forms over all distances that satisfy the same blocks, as near as one likes (the cell is
/// open, its ends need not be in it). `None` if the watch stops it, rounding stands in the way, or the cell is empty.
///
/// # Scale
/// Where nothing fixes the scale of the parameters (bilinear forms), the one that is greatest in `parameters` keeps its value.
///
/// # Rows
/// Those of the problem count. Of a problem that holds only some of a record's rows, the ranges are too wide.
///
/// # Curved spaces
/// A semidefinite cone is approached by planes from outside, to an eigenvalue of −1e-7: ranges can be too wide by as little.
///
/// # Complexity
/// Two linear programs a form, each some exchanges from the last, and a look at all rows after each.
pub fn ranges_of(
    problem: &Problem,
    blocks: &[usize],
    parameters: &[f64],
    forms: &[SparseRow],
    watch: &dyn Watch,
) -> Option<Vec<(f64, f64)>> {
    let mut cell = Cell::new(problem, blocks, false);
    if let Some(held) = without_scale(problem, parameters) {
        let value = parameters[held];
        cell.program.set_bounds(held, value, value);
    }
    let mut costs = vec![0.0; problem.space.dimension()];
    forms
        .iter()
        .map(|form| {
            let mut least = |sign: f64| {
                for &(parameter, value) in form {
                    costs[parameter as usize] = sign * value;
                }
                cell.program.set_costs(&costs);
                let found = cell.settle(watch);
                for &(parameter, _) in form {
                    costs[parameter as usize] = 0.0;
                }
                found.map(|()| sign * cell.program.objective())
            };
            let (least, greatest) = (tidy(least(1.0)?), tidy(least(-1.0)?));
            Some((least.min(greatest), greatest.max(least)))
        })
        .collect()
}

/// What is 0 but for rounding.
fn tidy(value: f64) -> f64 {
    const NOTHING: f64 = 1e-12;
    if value.abs() < NOTHING { 0.0 } else { value }
}

/// The parameter that is to keep its value, if the space leaves the scale open.
fn without_scale(problem: &Problem, parameters: &[f64]) -> Option<usize> {
    let space = &problem.space;
    let fixed = |(lower, upper): (&f64, &f64)| lower >= upper;
    if space.plane.is_some() || space.lower.iter().zip(&space.upper).any(fixed) {
        return None;
    }
    let size = |k: usize| parameters[k].abs();
    (0..parameters.len()).reduce(|best, k| if size(k) > size(best) { k } else { best })
}

/// The distance of the cell whose smallest row is greatest, and that row: the one that separates true partners from competitors by
/// most. `None` if it is not positive, the watch stops it, or rounding stands in the way.
///
/// Rows have a greatest coefficient of 1. A semidefinite matrix has no eigenvalue below the margin.
pub fn centre(problem: &Problem, blocks: &[usize], watch: &dyn Watch) -> Option<(Vec<f64>, f64)> {
    centre_of(problem, Cell::new(problem, blocks, true), watch)
}

/// The same, with the margin kept to the half-spaces of the space and to its lower bounds too: in a monotone family a distance that grows
/// strictly with every squared difference. Rows that are nowhere negative, which no problem lists, are positive there.
///
/// The margin is the smallest row of the blocks; it may be less than that of [`centre`].
pub fn centre_inside(
    problem: &Problem,
    blocks: &[usize],
    watch: &dyn Watch,
) -> Option<(Vec<f64>, f64)> {
    let mut cell = Cell::new(problem, blocks, true);
    cell.keep_inside();
    centre_of(problem, cell, watch)
}

fn centre_of(problem: &Problem, mut cell: Cell<'_>, watch: &dyn Watch) -> Option<(Vec<f64>, f64)> {
    let (dimension, blocks) = (problem.space.dimension(), cell.blocks);
    let mut costs = vec![0.0; dimension + 1];
    costs[dimension] = -1.0;
    cell.program.set_costs(&costs);
    cell.settle(watch)?;
    let point = cell.inside_box();
    let margin = blocks
        .iter()
        .flat_map(|&block| problem.rows.of_block(block))
        .map(|row| problem.rows.row(row).dot(&point).0)
        .fold(f64::INFINITY, f64::min);
    (margin > 0.0 && blocks.iter().all(|&block| problem.satisfies(block, &point)))
        .then_some((point, margin))
}

/// The cell as a linear program.
struct Cell<'a> {
    problem: &'a Problem,
    blocks: &'a [usize],
    program: Vertex,
    /// The variable of the margin that all rows must exceed.
    margin: Option<u32>,
    is_present: Vec<bool>,
    is_listed: Vec<bool>,
    n_directions: usize,
    /// Whether half-spaces must exceed the margin too.
    is_inside: bool,
}

impl<'a> Cell<'a> {
    fn new(problem: &'a Problem, blocks: &'a [usize], with_margin: bool) -> Self {
        let space = &problem.space;
        let (mut lower, mut upper) = (space.lower.clone(), space.upper.clone());
        let margin = with_margin.then(|| to_u32(lower.len()));
        if with_margin {
            lower.push(0.0);
            // A row of coefficients up to 1 is worth no more than all parameters together.
            let sizes = space.lower.iter().zip(&space.upper);
            upper.push(sizes.map(|(l, u)| l.abs().max(u.abs())).sum());
        }
        let mut program = Vertex::new(vec![0.0; lower.len()], lower, upper);
        if let Some(plane) = &space.plane {
            program.push_row(plane.iter().copied(), 1.0, true);
        }
        Self {
            problem,
            blocks,
            program,
            margin,
            is_present: vec![false; problem.rows.n_rows()],
            is_listed: vec![false; space.half_spaces.len()],
            n_directions: 0,
            is_inside: false,
        }
    }

    /// Lower bounds and half-spaces must be exceeded by the margin.
    fn keep_inside(&mut self) {
        self.is_inside = true;
        let space = &self.problem.space;
        let Some(margin) = self.margin else { return };
        for (parameter, (&lower, &upper)) in space.lower.iter().zip(&space.upper).enumerate() {
            if lower < upper {
                let row = [(to_u32(parameter), 1.0), (margin, -1.0)];
                self.program.push_row(row.into_iter(), lower, false);
            }
        }
    }

    /// Solves, and again as long as the solution violates anything.
    fn settle(&mut self, watch: &dyn Watch) -> Option<()> {
        loop {
            if watch.stops() || self.program.settle(f64::INFINITY) != End::Optimal {
                return None;
            }
            if !self.add_missing() {
                return Some(());
            }
        }
    }

    /// Adds what the solution violates: false if there is nothing.
    fn add_missing(&mut self) -> bool {
        let before = self.program.n_rows();
        let dimension = self.problem.space.dimension();
        let point = self.program.x()[..dimension].to_vec();
        let margin = match self.margin {
            Some(_) => self.program.x()[dimension],
            None => 0.0,
        };
        self.add_half_spaces(&point, if self.is_inside { margin } else { 0.0 });
        if let Some(form) = self.problem.space.semidefinite {
            self.add_directions(form, &point, margin);
        }
        for &block in self.blocks {
            let (mut least, mut worst) = (margin - MISSING, None);
            for row in self.problem.rows.of_block(block) {
                let value = self.problem.rows.row(row).dot(&point).0;
                if value < least && !self.is_present[row] {
                    (least, worst) = (value, Some(row));
                }
            }
            if let Some(row) = worst {
                self.is_present[row] = true;
                let row = self.problem.rows.row(row);
                let entries = row.columns.iter().copied().zip(row.values.iter().copied());
                self.add_above_margin(entries.collect());
            }
        }
        self.program.n_rows() > before
    }

    /// Adds the half-spaces that are violated most.
    fn add_half_spaces(&mut self, point: &[f64], margin: f64) {
        let half_spaces = &self.problem.space.half_spaces;
        let mut missing: Vec<(f64, usize)> = (0..half_spaces.len())
            .filter(|&place| !self.is_listed[place])
            .map(|place| (dot(&half_spaces[place], point), place))
            .filter(|(value, _)| *value < margin - MISSING)
            .collect();
        missing.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, place) in missing.into_iter().take(AT_ONCE) {
            self.is_listed[place] = true;
            let row = &half_spaces[place];
            if self.is_inside {
                self.add_above_margin(row.clone())
            } else {
                self.program.push_row(row.iter().copied(), 0.0, false);
            }
        }
    }

    /// Adds the directions in which the matrix is too little.
    fn add_directions(&mut self, form: Semidefinite, point: &[f64], margin: f64) {
        let Eigen { values, vectors } = form.eigen(point);
        for (value, direction) in values.iter().zip(vectors.columns()) {
            if *value < margin - CURVED && self.n_directions < MAX_DIRECTIONS {
                self.n_directions += 1;
                self.add_above_margin(form.half_space(&direction.to_vec()));
            }
        }
    }

    /// The row must exceed the margin, if there is one, else 0.
    fn add_above_margin(&mut self, mut row: SparseRow) {
        row.extend(self.margin.map(|margin| (margin, -1.0)));
        self.program.push_row(row.into_iter(), 0.0, false);
    }

    /// The solution without what rounding left outside the box, and with a sum of exactly 1 where there is a plane.
    fn inside_box(&self) -> Vec<f64> {
        let space = &self.problem.space;
        let bounds = space.lower.iter().zip(&space.upper);
        let mut point: Vec<f64> = self
            .program
            .x()
            .iter()
            .zip(bounds)
            .map(|(value, (&lower, &upper))| value.max(lower).min(upper))
            .collect();
        if let Some(plane) = &space.plane {
            let sum = dot(plane, &point);
            if sum > 0.0 {
                point.iter_mut().for_each(|value| *value /= sum);
            }
        }
        point
    }
}

fn dot(row: &SparseRow, point: &[f64]) -> f64 {
    row.iter().fold(0.0, |sum, &(parameter, value)| {
        sum + value * point[parameter as usize]
    })
}

fn to_u32(parameter: usize) -> u32 {
    u32::try_from(parameter).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::subsystem::{Patient, Rows};

    fn problem(family: Family, n: usize, blocks: &[&[&[f64]]]) -> Problem {
        let mut rows = Rows::new();
        for block in blocks {
            rows.push_block();
            for row in *block {
                rows.push_row(0, row);
            }
        }
        Problem {
            space: family.space(n).unwrap(),
            rows,
        }
    }

    fn satisfied(problem: &Problem, parameters: &[f64]) -> Vec<usize> {
        (0..problem.rows.n_blocks())
            .filter(|&block| problem.satisfies(block, parameters))
            .collect()
    }

    fn close(ranges: &[(f64, f64)], expected: &[(f64, f64)]) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-8;
        ranges.len() == expected.len()
            && ranges
                .iter()
                .zip(expected)
                .all(|(a, b)| near(a.0, b.0) && near(a.1, b.1))
    }

    /// By hand: p = (q, 1 − q). 3q − (1 − q) > 0 for q > 1/4; −q + 2(1 − q) > 0 for q < 2/3; the third block, q > 0.9, is not satisfied at
    /// ½. So 1/4 < q < 2/3. Scaled rows are (1, −1/3) and (−1/2, 1): their values q − (1 − q)/3 and 1 − 3q/2 meet at 8/17, where both
    /// are 5/17.
    #[test]
    fn two_weights_by_hand() {
        let problem = problem(
            Family::WeightedMean,
            2,
            &[&[&[3.0, -1.0]], &[&[-1.0, 2.0]], &[&[0.1, -0.9]]],
        );
        let half = [0.5, 0.5];
        let blocks = satisfied(&problem, &half);
        assert_eq!(blocks, [0, 1]);
        let found = ranges(Family::WeightedMean, 2, &problem, &blocks, &half, &Patient);
        let by_hand = [(0.25, 2.0 / 3.0), (1.0 / 3.0, 0.75)];
        assert!(close(&found.parameters.unwrap(), &by_hand));
        assert_eq!(found.shapley, None);
        let (point, margin) = centre(&problem, &blocks, &Patient).unwrap();
        assert!((point[0] - 8.0 / 17.0).abs() < 1e-9 && (margin - 5.0 / 17.0).abs() < 1e-9);
    }

    /// Without blocks everything is allowed.
    #[test]
    fn nothing_confines_nothing() {
        let problem = problem(Family::WeightedMean, 3, &[]);
        let found = ranges_of(&problem, &[], &[1.0, 0.0, 0.0], &[vec![(1, 1.0)]], &Patient);
        assert!(close(&found.unwrap(), &[(0.0, 1.0)]));
    }

    /// By hand: μ({a}) > 2 μ({b}) and μ monotone: μ({a}) in (0, 1), μ({b}) in (0, ½), as near as one likes. Shapley values
    /// ½(1 + μ_a − μ_b): between ½ (both near 0) and 1.
    #[test]
    fn a_measure_by_hand() {
        let problem = problem(Family::Choquet, 2, &[&[&[1.0, -2.0, 0.0]]]);
        let parameters = [0.9, 0.1, 1.0];
        let found = ranges(Family::Choquet, 2, &problem, &[0], &parameters, &Patient);
        let by_hand = [(0.0, 1.0), (0.0, 0.5), (1.0, 1.0)];
        assert!(close(&found.parameters.unwrap(), &by_hand));
        assert!(close(&found.shapley.unwrap(), &[(0.5, 1.0), (0.0, 0.5)]));
    }

    /// By hand: S = [[1, s], [s, t]] with t ≤ 0.25 must have s² ≤ t: |s| ≤ ½. The entry 1 is held, for nothing else fixes the scale.
    #[test]
    fn a_semidefinite_matrix_by_hand() {
        let problem = problem(Family::BilinearDefinite, 2, &[&[&[0.25, -1.0, 0.0]]]);
        let parameters = [1.0, 0.1, 0.0];
        let family = Family::BilinearDefinite;
        let found = ranges(family, 2, &problem, &[0], &parameters, &Patient)
            .parameters
            .unwrap();
        for (found, by_hand) in found.iter().zip([(1.0, 1.0), (0.0, 0.25), (-0.5, 0.5)]) {
            assert!((found.0 - by_hand.0).abs() < 1e-6 && (found.1 - by_hand.1).abs() < 1e-6);
        }
        let (centre, margin) = centre(&problem, &[0], &Patient).unwrap();
        assert!(margin > 0.0 && centre[0] * centre[1] > centre[2] * centre[2]);
    }

    /// Six rows that differ in their signs, on a grid of weights in steps of 1/60: what the grid holds lies inside the ranges, which it
    /// fills up to a step or two; and no point of it has a larger margin than the centre.
    #[test]
    fn ranges_and_centre_against_a_grid() {
        const STEPS: usize = 60;
        let rows: [[f64; 3]; 6] = [
            [1.0, -0.5, -0.25],
            [-0.5, 1.0, 0.1],
            [-0.3, -0.2, 1.0],
            [0.9, -1.0, 0.6],
            [1.0, 0.3, -0.9],
            [-1.0, 0.2, 0.1],
        ];
        let blocks: Vec<Vec<&[f64]>> = rows.iter().map(|row| vec![&row[..]]).collect();
        let blocks: Vec<&[&[f64]]> = blocks.iter().map(Vec::as_slice).collect();
        let problem = problem(Family::WeightedMean, 3, &blocks);
        let grid: Vec<[f64; 3]> = (0..=STEPS)
            .flat_map(|i| (0..=STEPS - i).map(move |j| (i, j)))
            .map(|(i, j)| [i, j, STEPS - i - j].map(|step| step as f64 / STEPS as f64))
            .collect();
        let best = grid.iter().max_by_key(|p| problem.count(*p)).unwrap();
        let blocks = satisfied(&problem, best);
        assert!(blocks.len() > 3, "a cell that more than a row bounds");
        let found = ranges(Family::WeightedMean, 3, &problem, &blocks, best, &Patient);
        let (_, margin) = centre(&problem, &blocks, &Patient).unwrap();
        let inside: Vec<&[f64; 3]> = grid
            .iter()
            .filter(|p| blocks.iter().all(|&block| problem.satisfies(block, *p)))
            .collect();
        for (k, (least, greatest)) in found.parameters.unwrap().into_iter().enumerate() {
            let of_grid = inside.iter().map(|p| p[k]);
            let low = of_grid.clone().fold(1.0, f64::min);
            let high = of_grid.fold(0.0, f64::max);
            assert!(least <= low && greatest >= high);
            let step = 2.0 / STEPS as f64;
            assert!(low - least <= step && greatest - high <= step, "{k}");
        }
        for point in inside {
            let rows = blocks
                .iter()
                .flat_map(|&block| problem.rows.of_block(block));
            let least = rows.map(|row| problem.rows.row(row).dot(point).0);
            assert!(least.fold(f64::INFINITY, f64::min) <= margin + 1e-12);
        }
    }

    /// Rows v and −v leave a plane without interior; v·p > 0 for p ≥ 0 and v < 0 leaves nothing.
    #[test]
    fn an_empty_cell_has_no_centre() {
        let opposite = problem(Family::WeightedMean, 2, &[&[&[1.0, -1.0]], &[&[-1.0, 1.0]]]);
        assert_eq!(centre(&opposite, &[0, 1], &Patient), None);
        let never = problem(Family::WeightedMean, 2, &[&[&[-1.0, -0.5]]]);
        assert_eq!(centre(&never, &[0], &Patient), None);
        let form = [vec![(0, 1.0)]];
        assert_eq!(ranges_of(&never, &[0], &[0.5, 0.5], &form, &Patient), None);
    }
}
