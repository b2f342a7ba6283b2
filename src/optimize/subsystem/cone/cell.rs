//! A cell: a simplicial cone, and the rows that are not yet decided in it.

use super::super::Problem;

/// Values below this share of the sum of the absolute values of their terms are 0.
const NOTHING: f64 = 1e-12;

/// By how much, as a share of the sizes of its terms, the row in whose plane a cell is split is negative at the new generator: more than rounding
/// can be wrong by, so that it is nowhere positive in the half where it is called wrong; less than [`NOTHING`].
const BEYOND: f64 = 2e-13;

/// Edges that are tried for a split.
const TRIED: usize = 5;

/// All rows with their zeros, so that a value at a generator is a plain product.
#[derive(Debug)]
pub(super) struct Board<'a> {
    pub problem: &'a Problem,
    /// Number of parameters.
    pub width: usize,
    /// Row-major.
    pub coefficients: Vec<f64>,
    /// Whether what proves a bound is kept.
    pub records_proof: bool,
}

impl<'a> Board<'a> {
    pub fn new(problem: &'a Problem, records_proof: bool) -> Self {
        let width = problem.space.dimension();
        let mut coefficients = vec![0.0; problem.rows.n_rows() * width];
        for (number, dense) in coefficients.chunks_exact_mut(width).enumerate() {
            let row = problem.rows.row(number);
            for (&column, &value) in row.columns.iter().zip(row.values) {
                dense[column as usize] = value;
            }
        }
        Self {
            problem,
            width,
            coefficients,
            records_proof,
        }
    }
}

/// Where the sign of a row is positive and where negative: a bit a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs {
    pub positive: u32,
    pub negative: u32,
}

impl Signs {
    pub fn of(values: &[f64]) -> Self {
        let (mut positive, mut negative) = (0, 0);
        for (k, &value) in values.iter().enumerate() {
            positive |= u32::from(value > 0.0) << k;
            negative |= u32::from(value < 0.0) << k;
        }
        Self { positive, negative }
    }

    /// Whether rows with these signs may be nowhere positive together.
    pub fn may_clash(self, other: Self) -> bool {
        self.positive & !other.negative == 0 && other.positive & !self.negative == 0
    }
}

/// Multipliers of rows whose sum is nowhere positive in the cell.
pub(super) type Combination = Vec<(usize, f64)>;

/// A simplicial cone with what is undecided in it.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// One after the other; the true ones are these times a power of two.
    pub generators: Vec<f64>,
    /// Those powers.
    pub exponents: Vec<i32>,
    /// Blocks that are satisfied everywhere inside.
    pub certain: usize,
    /// The others that are not known to be wrong everywhere.
    pub blocks: Vec<u32>,
    /// Where the rows of each of them end.
    pub ends: Vec<u32>,
    /// Rows that are not yet known to be positive inside.
    pub rows: Vec<u32>,
    /// Their values at the generators, row-major.
    pub values: Vec<f64>,
    /// No more blocks than this are satisfied at once inside.
    pub bound: usize,
    /// Splits above it.
    pub depth: u32,
    /// Its place in the tree, if that is kept.
    pub node: usize,
    /// Rows that show that a block is wrong everywhere inside, one a block; kept for the proof only.
    pub wrong: Vec<usize>,
    /// Combinations of rows of one block that show the same.
    pub wrong_together: Vec<Combination>,
    /// Conflicts of several blocks that show the bound.
    pub conflicts: Vec<Combination>,
}

/// How a cell is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    pub a: usize,
    pub b: usize,
    /// The new generator is `g_a + at · g_b`, of the scaled ones.
    pub at: f64,
    /// The same of the true ones.
    pub true_at: f64,
}

impl Cell {
    /// All of the simplex.
    pub fn root(board: &Board<'_>) -> Self {
        let width = board.width;
        let rows = &board.problem.rows;
        let mut generators = vec![0.0; width * width];
        for k in 0..width {
            generators[k * width + k] = 1.0;
        }
        let to_u32 = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let mut root = Self {
            generators,
            exponents: vec![0; width],
            certain: 0,
            blocks: (0..to_u32(rows.n_blocks())).collect(),
            ends: (0..rows.n_blocks())
                .map(|block| to_u32(rows.of_block(block).end))
                .collect(),
            rows: (0..to_u32(rows.n_rows())).collect(),
            values: board.coefficients.clone(),
            bound: rows.n_blocks(),
            depth: 0,
            node: 0,
            wrong: Vec::new(),
            wrong_together: Vec::new(),
            conflicts: Vec::new(),
        };
        root.reduce(board);
        root
    }

    /// The places of the rows of the `place`-th undecided block.
    pub fn rows_of(&self, place: usize) -> std::ops::Range<usize> {
        let start = if place == 0 {
            0
        } else {
            self.ends[place - 1] as usize
        };
        start..self.ends[place] as usize
    }

    /// The values of a row, by its place.
    pub fn row<'a>(&'a self, place: usize, board: &Board<'_>) -> &'a [f64] {
        &self.values[place * board.width..(place + 1) * board.width]
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.values.len() * 8 + self.rows.len() * 4 + self.blocks.len() * 8
    }

    /// Leaves out what is decided, and rows that follow from another of their block; sets the bound.
    pub fn reduce(&mut self, board: &Board<'_>) {
        let width = board.width;
        let (mut n_blocks, mut n_rows, mut start) = (0, 0, 0);
        let mut signs: Vec<Signs> = Vec::new();
        for place in 0..self.blocks.len() {
            let end = self.ends[place] as usize;
            let first = n_rows;
            signs.clear();
            let mut wrong = None;
            for row in start..end {
                let sign = Signs::of(&self.values[row * width..(row + 1) * width]);
                if sign.negative == 0 && sign.positive != 0 {
                    continue;
                }
                if sign.positive == 0 {
                    wrong = Some(vec![(self.rows[row] as usize, 1.0)]);
                    break;
                }
                match self.compare(first, n_rows, row, sign, &signs, width) {
                    Compared::Follows => continue,
                    Compared::Never(other, factor) => {
                        let other = self.rows[other] as usize;
                        wrong = Some(vec![(self.rows[row] as usize, 1.0), (other, factor)]);
                        break;
                    }
                    Compared::Stays => {}
                }
                self.rows[n_rows] = self.rows[row];
                self.values
                    .copy_within(row * width..(row + 1) * width, n_rows * width);
                signs.push(sign);
                n_rows += 1;
            }
            start = end;
            if let Some(combination) = wrong {
                n_rows = first;
                if board.records_proof {
                    match combination[..] {
                        [(row, _)] => self.wrong.push(row),
                        _ => self.wrong_together.push(combination),
                    }
                }
            } else if n_rows == first {
                self.certain += 1;
            } else {
                n_rows = self.drop_followers(first, n_rows, &signs, width);
                self.blocks[n_blocks] = self.blocks[place];
                self.ends[n_blocks] = u32::try_from(n_rows).unwrap_or(u32::MAX);
                n_blocks += 1;
            }
        }
        self.blocks.truncate(n_blocks);
        self.ends.truncate(n_blocks);
        self.rows.truncate(n_rows);
        self.values.truncate(n_rows * width);
        self.bound = self.bound.min(self.certain + n_blocks);
    }

    /// How a row stands to the rows of its block that stay (from `first` to `last`, with these signs).
    fn compare(
        &self,
        first: usize,
        last: usize,
        row: usize,
        sign: Signs,
        signs: &[Signs],
        width: usize,
    ) -> Compared {
        let values = &self.values[row * width..(row + 1) * width];
        for (other, of_other) in (first..last).zip(signs) {
            let others = || &self.values[other * width..(other + 1) * width];
            if follows(values, sign, others, *of_other) {
                return Compared::Follows;
            }
            if let Some(factor) = clash(values, sign, others, *of_other) {
                return Compared::Never(other, factor);
            }
        }
        Compared::Stays
    }

    /// Leaves out rows of a block that follow from later ones.
    fn drop_followers(
        &mut self,
        first: usize,
        last: usize,
        signs: &[Signs],
        width: usize,
    ) -> usize {
        let mut kept = first;
        for row in first..last {
            let values = &self.values[row * width..(row + 1) * width];
            let follows_a_later = (row + 1..last).any(|other| {
                let others = || &self.values[other * width..(other + 1) * width];
                follows(values, signs[row - first], others, signs[other - first])
            });
            if follows_a_later {
                continue;
            }
            self.rows[kept] = self.rows[row];
            self.values
                .copy_within(row * width..(row + 1) * width, kept * width);
            kept += 1;
        }
        kept
    }

    /// Where to split: of the edges that most rows cross, each at the median of their crossings, the one that decides most blocks in both
    /// halves. `None` if no row crosses an edge, or only beyond what numbers express.
    pub fn cut(&self, board: &Board<'_>) -> Option<Cut> {
        let width = board.width;
        let mut crossed = vec![0_usize; width * width];
        for values in self.values.chunks_exact(width) {
            let signs = Signs::of(values);
            for k in (0..width).filter(|k| signs.positive >> k & 1 == 1) {
                for l in (0..width).filter(|l| signs.negative >> l & 1 == 1) {
                    crossed[k.min(l) * width + k.max(l)] += 1;
                }
            }
        }
        let mut edges: Vec<usize> = (0..width * width)
            .filter(|&edge| crossed[edge] > 0)
            .collect();
        edges.sort_by_key(|&edge| std::cmp::Reverse(crossed[edge]));
        let mut crossings = Vec::new();
        let mut best: Option<(usize, Cut)> = None;
        for &edge in edges.iter().take(TRIED) {
            let (a, b) = (edge / width, edge % width);
            crossings.clear();
            for (place, values) in self.values.chunks_exact(width).enumerate() {
                if values[a] * values[b] < 0.0 {
                    crossings.push((-values[a] / values[b], place));
                }
            }
            if crossings.is_empty() {
                continue;
            }
            let middle = crossings.len() / 2;
            let order =
                |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            let (_, &mut (at, place), _) = crossings.select_nth_unstable_by(middle, order);
            let at = self.beyond(board, place, (a, b), at);
            let power = self.exponents[a] - self.exponents[b];
            let Some(true_at) = times_power_of_two(at, power) else {
                continue;
            };
            let cut = Cut { a, b, at, true_at };
            let decided = self.decided(board, cut);
            if best.is_none_or(|(most, _)| decided > most) {
                best = Some((decided, cut));
            }
        }
        best.map(|(_, cut)| cut)
    }

    /// A place on the edge just beyond the one where a row crosses it, towards where the row is negative.
    fn beyond(&self, board: &Board<'_>, place: usize, (a, b): (usize, usize), at: f64) -> f64 {
        let width = board.width;
        let number = self.rows[place] as usize;
        let row = &board.coefficients[number * width..][..width];
        let [of_a, of_b] = [a, b].map(|k| &self.generators[k * width..][..width]);
        let terms = row.iter().zip(of_a.iter().zip(of_b));
        let size: f64 = terms.map(|(v, (a, b))| v.abs() * (a + at * b)).sum();
        let values = self.row(place, board);
        let less = if values[a] > 0.0 {
            (values[a] + BEYOND * size) / -values[b]
        } else {
            (-values[a] - BEYOND * size) / values[b]
        };
        if less > 0.0 { less } else { at }
    }

    /// How much a cut decides: the product over both halves of 2 + 2 · the blocks that become wrong + those that become certain.
    fn decided(&self, board: &Board<'_>, cut: Cut) -> usize {
        let mut worth = [2, 2];
        for place in 0..self.blocks.len() {
            let (mut wrong, mut certain) = ([false; 2], [true; 2]);
            for row in self.rows_of(place) {
                let values = self.row(row, board);
                let signs = Signs::of(values);
                let new = values[cut.a] + cut.at * values[cut.b];
                let little = NOTHING * values[cut.a].abs();
                for (half, replaced) in [cut.b, cut.a].into_iter().enumerate() {
                    let others = !(1 << replaced);
                    wrong[half] |= signs.positive & others == 0 && new <= little;
                    certain[half] &= signs.negative & others == 0 && new >= -little;
                }
            }
            for half in 0..2 {
                worth[half] += match (wrong[half], certain[half]) {
                    (true, _) => 2,
                    (false, true) => 1,
                    (false, false) => 0,
                };
            }
        }
        worth[0] * worth[1]
    }

    /// The half of the cell in which the new generator replaces `b` (the first), or `a`.
    pub fn half(&self, board: &Board<'_>, cut: Cut, replaced: usize) -> Self {
        let width = board.width;
        let Cut { a, b, at, .. } = cut;
        let mut half = self.clone();
        let mut generator: Vec<f64> = (0..width)
            .map(|k| self.generators[a * width + k] + at * self.generators[b * width + k])
            .collect();
        let greatest = generator.iter().fold(0.0_f64, |most, &g| most.max(g));
        let power = exponent(greatest);
        let factor = power_of_two(-power);
        for value in &mut generator {
            *value *= factor;
        }
        for (place, values) in half.values.chunks_exact_mut(width).enumerate() {
            let (of_a, of_b) = (values[a], values[b]);
            values[replaced] = if of_a * of_b >= 0.0 {
                // Nothing cancels.
                (of_a + at * of_b) * factor
            } else if (of_a + at * of_b).abs() <= NOTHING * of_a.abs() {
                0.0
            } else {
                let row = self.rows[place] as usize;
                value(
                    &board.coefficients[row * width..(row + 1) * width],
                    &generator,
                )
            };
        }
        half.exponents[replaced] = self.exponents[a] + power;
        half.generators[replaced * width..(replaced + 1) * width].copy_from_slice(&generator);
        half.depth += 1;
        half.reduce(board);
        half
    }

    /// The point that is these shares of the generators, scaled to a sum of 1.
    pub fn point(&self, shares: &[f64], width: usize) -> Vec<f64> {
        let mut point = vec![0.0; width];
        for (generator, share) in self.generators.chunks_exact(width).zip(shares) {
            for (value, g) in point.iter_mut().zip(generator) {
                *value += share * g;
            }
        }
        let sum: f64 = point.iter().sum();
        for value in &mut point {
            *value /= sum;
        }
        point
    }
}

/// How a row stands to another of its block.
enum Compared {
    /// It is positive where the other is.
    Follows,
    /// It is never positive together with that one: the sum with this multiple of it is nowhere positive.
    Never(usize, f64),
    /// Neither.
    Stays,
}

/// Whether u ≥ c·w at all generators for a c > 0: then u is positive wherever w is.
fn follows<'a>(u: &[f64], of_u: Signs, w: impl Fn() -> &'a [f64], of_w: Signs) -> bool {
    if of_u.negative & !of_w.negative != 0 || of_w.positive & !of_u.positive != 0 {
        return false;
    }
    let (mut least, mut most) = (0.0_f64, f64::INFINITY);
    for (a, b) in u.iter().zip(w()) {
        if *a < 0.0 {
            least = least.max(a / b);
        } else if *b > 0.0 {
            most = most.min(a / b);
        }
    }
    least <= most
}

/// A factor c > 0 with u + c·w ≤ 0 at all generators, if there is one: then the two are nowhere positive together.
pub(super) fn clash<'a>(
    u: &[f64],
    of_u: Signs,
    w: impl Fn() -> &'a [f64],
    of_w: Signs,
) -> Option<f64> {
    if of_u.positive & !of_w.negative != 0 || of_w.positive & !of_u.negative != 0 {
        return None;
    }
    let (mut least, mut most) = (0.0_f64, f64::INFINITY);
    for (a, b) in u.iter().zip(w()) {
        if *a > 0.0 {
            least = least.max(-a / b);
        } else if *b > 0.0 {
            most = most.min(-a / b);
        }
    }
    (least <= most * (1.0 + NOTHING)).then(|| match (least > 0.0, most.is_finite()) {
        (true, true) => least.sqrt() * most.sqrt(),
        (true, false) => 2.0 * least,
        (false, true) => most / 2.0,
        (false, false) => 1.0,
    })
}

/// The value of a row at a generator; exactly 0 if it is rounding.
fn value(row: &[f64], generator: &[f64]) -> f64 {
    let (mut sum, mut size) = (0.0, 0.0);
    for (v, g) in row.iter().zip(generator) {
        let term = v * g;
        sum += term;
        size += term.abs();
    }
    if sum.abs() <= NOTHING * size {
        0.0
    } else {
        sum
    }
}

/// e with 2^e ≤ value < 2^(e + 1), for a normal positive number.
fn exponent(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52) & 0x7ff;
    i32::try_from(biased).unwrap_or(0) - 1023
}

/// 2^power, for a normal result.
fn power_of_two(power: i32) -> f64 {
    let biased = u64::try_from((power + 1023).clamp(1, 2046)).unwrap_or(1);
    f64::from_bits(biased << 52)
}

/// value · 2^power, exactly; `None` beyond the normal numbers.
fn times_power_of_two(value: f64, power: i32) -> Option<f64> {
    let place = exponent(value) + power;
    (value.is_normal() && (-1000..1000).contains(&place) && (-1000..1000).contains(&power))
        .then(|| value * power_of_two(power))
}
