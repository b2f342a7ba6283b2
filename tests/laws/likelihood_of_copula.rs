//! The likelihood of masking by minimal information, against a slow program and against what it says of itself.

use ndarray::Array2;
use sdcrisk::{
    attack::{Attack, Direction, Lists, Preference, Release, Scenario, likelihood::Likelihood},
    statement::{
        CopulaAllocation, CopulaComponent, CopulaExtremes, CopulaGiven, CopulaParameters,
        CopulaTerm, Method, Step,
    },
    stats::copula::{Allocation, level, normal_score, protected, transfer},
    table::{Scale, matrix::Matrix},
};

use crate::random_files::Dice;

const BOTH: [Direction; 2] = [Direction::OriginalToMasked, Direction::MaskedToOriginal];

type Cells = Vec<Vec<Option<f64>>>;

fn matrix(cells: &Cells, columns: &[usize]) -> Matrix {
    let values = (cells.iter()).flat_map(|row| columns.iter().map(|&k| row[k].unwrap_or(0.0)));
    let mut matrix = Matrix::complete(cells.len(), columns.len(), values.collect());
    for (record, row) in cells.iter().enumerate() {
        for (at, &k) in columns.iter().enumerate() {
            if row[k].is_none() {
                matrix.set_missing(record, at);
            }
        }
    }
    matrix
}

fn names(columns: &[usize]) -> Vec<String> {
    columns.iter().map(|k| format!("a{k}")).collect()
}

/// The slow program: everything from definitions, in plain loops.
mod slow {
    use super::{Cells, CopulaParameters};

    pub type Square = Vec<Vec<f64>>;

    fn product(a: &Square, b: &Square) -> Square {
        let cell = |i: usize, j: usize| (0..b.len()).map(|k| a[i][k] * b[k][j]).sum();
        (0..a.len())
            .map(|i| (0..b[0].len()).map(|j| cell(i, j)).collect())
            .collect()
    }

    /// The inverse and the determinant, by elimination.
    fn inverse(of: &Square) -> (Square, f64) {
        let n = of.len();
        let mut a = of.clone();
        let mut b: Square = (0..n)
            .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
            .collect();
        let mut determinant = 1.0;
        for k in 0..n {
            let pivot = a[k][k];
            determinant *= pivot;
            for j in 0..n {
                a[k][j] /= pivot;
                b[k][j] /= pivot;
            }
            for i in (0..n).filter(|&i| i != k) {
                let factor = a[i][k];
                for j in 0..n {
                    a[i][j] -= factor * a[k][j];
                    b[i][j] -= factor * b[k][j];
                }
            }
        }
        (b, determinant)
    }

    /// A with A = ρ(R), ρ / (1 − ρ²) = μ λ along each eigenvector: 2μR A = (1 + 4μ²R²)^½ − 1, the root by the iteration of Denman
    /// and Beavers.
    fn retained(r: &Square, mu: f64) -> Square {
        let n = r.len();
        let squared = product(r, r);
        let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
        let square = |f: &dyn Fn(usize, usize) -> f64| -> Square {
            (0..n).map(|i| (0..n).map(|j| f(i, j)).collect()).collect()
        };
        let mut root = square(&|i, j| unit(i, j) + 4.0 * mu * mu * squared[i][j]);
        let mut other = square(&unit);
        for _ in 0..60 {
            let (a, b) = (inverse(&other).0, inverse(&root).0);
            let next = square(&|i, j| 0.5 * (root[i][j] + a[i][j]));
            other = square(&|i, j| 0.5 * (other[i][j] + b[i][j]));
            root = next;
        }
        let (inverted, _) = inverse(r);
        product(
            &inverted,
            &square(&|i, j| (root[i][j] - unit(i, j)) / (2.0 * mu)),
        )
    }

    /// The density, up to (2π)^(−n/2).
    fn density(point: &[f64], mean: &[f64], covariance: &Square) -> f64 {
        if point.is_empty() {
            return 1.0;
        }
        let (inverse, determinant) = inverse(covariance);
        let off: Vec<f64> = point.iter().zip(mean).map(|(x, m)| x - m).collect();
        let mut sum = 0.0;
        for i in 0..off.len() {
            for j in 0..off.len() {
                sum += off[i] * inverse[i][j] * off[j];
            }
        }
        (-0.5 * sum).exp() / determinant.sqrt()
    }

    fn phi(x: f64) -> f64 {
        (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
    }

    /// By Simpson's rule from the middle.
    fn distribution(x: f64) -> f64 {
        let (parts, h) = (200, x / 200.0);
        let inner: f64 = (1..parts)
            .map(|i| phi(f64::from(i) * h) * if i % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        0.5 + (phi(0.0) + inner + phi(x)) * h / 3.0
    }

    fn quantile(p: f64) -> f64 {
        let (mut low, mut high) = (-9.0, 9.0);
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            if distribution(middle) < p {
                low = middle
            } else {
                high = middle
            }
        }
        0.5 * (low + high)
    }

    /// Mean and variance of the scores of ranks below..through of n, by summing over the normal law.
    fn interval(below: usize, through: usize, n: usize) -> (f64, f64) {
        let end = |rank: usize| match rank {
            0 => -9.0,
            _ if rank == n => 9.0,
            _ => quantile(rank as f64 / n as f64),
        };
        let (a, b) = (end(below), end(through));
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for i in 0..2_000 {
            let x = a + (b - a) * (f64::from(i) + 0.5) / 2_000.0;
            mass += phi(x);
            first += phi(x) * x;
            second += phi(x) * x * x;
        }
        (first / mass, second / mass - (first / mass).powi(2))
    }

    /// Scores of the values of a column, with the variance of the error of each.
    pub fn scores(column: &[Option<f64>]) -> Vec<Option<(f64, f64)>> {
        let present: Vec<f64> = column.iter().flatten().copied().collect();
        let n = present.len();
        let ranks = |value: f64| {
            let below = present.iter().filter(|&&x| x < value).count();
            (
                below,
                below + present.iter().filter(|&&x| x == value).count(),
            )
        };
        let large = |(below, through): (usize, usize)| {
            through - below > 1 && (through - below) as f64 >= 0.05 * n as f64
        };
        let tied: Vec<f64> = (present.iter().map(|&x| ranks(x)).filter(|&r| large(r)))
            .map(|(below, through)| interval(below, through, n).1)
            .collect();
        let within = match tied.len() {
            0 => 0.0,
            count => tied.iter().sum::<f64>() / count as f64,
        };
        let score = |value: f64| {
            let (below, through) = ranks(value);
            match through - below {
                1 => (quantile((below as f64 + 0.5) / n as f64), 0.0),
                _ if large((below, through)) => (
                    interval(below, through, n).0 / (1.0 - within),
                    within / (1.0 - within),
                ),
                _ => (interval(below, through, n).0, 0.0),
            }
        };
        column.iter().map(|cell| cell.map(score)).collect()
    }

    fn columns(cells: &Cells, stated: &CopulaParameters) -> Vec<Vec<Option<(f64, f64)>>> {
        let place = |name: &String| name[1..].parse::<usize>().unwrap();
        let column = |name: &String| -> Vec<Option<f64>> {
            cells.iter().map(|row| row[place(name)]).collect()
        };
        (stated.values.iter().map(|name| scores(&column(name)))).collect()
    }

    /// P(y | z) / P(y), for each person and each released record; `explained` are what kept attributes explain of each score of
    /// each released record, `knows` the scores of which the intruder knows something.
    pub fn ratios(
        people: &Cells,
        shown: &Cells,
        stated: &CopulaParameters,
        knows: &[usize],
        explained: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let (z, y) = (columns(people, stated), columns(shown, stated));
        let d = z.len();
        let laws: Vec<(f64, &Vec<f64>, &Square, Square)> = (stated.components.iter())
            .map(|part| {
                (
                    part.weight,
                    &part.mean,
                    &part.covariance,
                    retained(&part.covariance, stated.mu),
                )
            })
            .collect();
        // All scores: masked ones 0..d, original ones d..2d.
        let joint: Vec<Square> = (laws.iter())
            .map(|(_, _, r, a)| {
                let across = product(a, r);
                (0..2 * d)
                    .map(|i| {
                        (0..2 * d)
                            .map(|j| match (i < d, j < d) {
                                (true, false) => across[i][j - d],
                                (false, true) => across[j][i - d],
                                _ => r[i % d][j % d],
                            })
                            .collect()
                    })
                    .collect()
            })
            .collect();
        let mixture = |seen: &[(usize, f64, f64)]| -> f64 {
            let point: Vec<f64> = seen.iter().map(|s| s.1).collect();
            (laws.iter().zip(&joint))
                .map(|((weight, mean, ..), joint)| {
                    let mean: Vec<f64> = seen.iter().map(|s| mean[s.0 % d]).collect();
                    let covariance: Square = (0..seen.len())
                        .map(|i| {
                            (0..seen.len())
                                .map(|j| {
                                    joint[seen[i].0][seen[j].0]
                                        + if i == j { seen[i].2 } else { 0.0 }
                                })
                                .collect()
                        })
                        .collect();
                    weight * density(&point, &mean, &covariance)
                })
                .sum()
        };
        let original = |i: usize, j: usize| -> Vec<(usize, f64, f64)> {
            let seen = knows
                .iter()
                .filter_map(|&k| z[k][i].map(|(x, e)| (d + k, x - explained[j][k], e)));
            seen.collect()
        };
        let masked = |j: usize| -> Vec<(usize, f64, f64)> {
            (0..d)
                .filter_map(|k| y[k][j].map(|(x, e)| (k, x - explained[j][k], e)))
                .collect()
        };
        (0..people.len())
            .map(|i| {
                let own: f64 = (0..shown.len())
                    .map(|j| mixture(&original(i, j)))
                    .sum::<f64>()
                    / shown.len() as f64;
                let ratio = |j: usize| {
                    let both: Vec<_> = masked(j).into_iter().chain(original(i, j)).collect();
                    mixture(&both) / (mixture(&masked(j)) * own)
                };
                (0..shown.len()).map(ratio).collect()
            })
            .collect()
    }
}

fn parameters(values: &[&str], components: Vec<CopulaComponent>) -> CopulaParameters {
    CopulaParameters {
        mu: 2.0,
        allocation: CopulaAllocation::Minimal,
        bits: 1.0,
        values: values.iter().map(|name| (*name).to_owned()).collect(),
        gaps: Vec::new(),
        weights: Vec::new(),
        components,
        extremes: None,
        given: None,
        latent: true,
        exact_moments: false,
        secret: false,
        risk: None,
    }
}

/// A correlation matrix: scores share one factor, with these loadings.
fn component(weight: f64, shift: f64, loadings: &[f64]) -> CopulaComponent {
    let d = loadings.len();
    let cell = |i: usize, j: usize| {
        if i == j {
            1.0
        } else {
            loadings[i] * loadings[j]
        }
    };
    CopulaComponent {
        weight,
        mean: (0..d).map(|k| shift * (k as f64 - 0.7)).collect(),
        covariance: (0..d)
            .map(|i| (0..d).map(|j| cell(i, j)).collect())
            .collect(),
    }
}

/// A file of chance: a0 has two values, a1 short ties, a2 and a3 spread; one cell in `gap` is missing. And a release: its columns, each in
/// an order of its own.
fn files(dice: &mut Dice, n: usize, gap: u64) -> (Cells, Cells) {
    let people: Cells = (0..n)
        .map(|_| {
            let cell = |k: usize, dice: &mut Dice| {
                let sides = [2, 400, 1_000_000, 1_000_000][k];
                let missing = gap > 0 && k < 3 && dice.roll(gap) == 0;
                let value = dice.roll(sides) as f64;
                (!missing).then_some(if k == 1 { (value / 3.0).floor() } else { value })
            };
            (0..4).map(|k| cell(k, dice)).collect()
        })
        .collect();
    let mut shown = people.clone();
    for k in 0..3 {
        for last in (1..n).rev() {
            let other = dice.roll(last as u64 + 1) as usize;
            if other < last {
                let (before, after) = shown.split_at_mut(last);
                std::mem::swap(&mut before[other][k], &mut after[0][k]);
            }
        }
    }
    (people, shown)
}

fn lists<'a>(statement: &Step, scenario: &Scenario<'a>) -> Box<dyn Lists + 'a> {
    match Likelihood::new(statement.clone())
        .unwrap()
        .prepare(scenario)
        .unwrap()
    {
        Preference::Lists(lists) => lists,
        Preference::Nearest(_) | Preference::Agreed(_) | Preference::Strata(_) => {
            panic!("likelihoods are lists")
        }
    }
}

/// Gaps, large and short ties, subsets of attributes, mixtures, redrawn gaps, attributes that stayed: the costs of all pairs that are
/// listed are those of the slow program, in both directions, and no likely pair is left out.
#[test]
fn likelihoods_are_those_of_the_slow_program() {
    const N: usize = 24;
    let mut dice = Dice(41);
    let three = [0.8, -0.5, 0.6];
    for case in 0..8 {
        let gap = [0, 6][case % 2];
        let (people, shown) = files(&mut dice, N, gap);
        let two = vec![
            component(0.3, 0.5, &three),
            component(0.7, -0.2, &[0.2, 0.4, 0.7]),
        ];
        let components = match case % 4 {
            0 | 1 => vec![component(1.0, 0.0, &three)],
            _ => two,
        };
        let mut stated = parameters(&["a0", "a1", "a2"], components);
        let mut explained = vec![vec![0.0; 3]; N];
        if case == 5 {
            // Drawn anew, gaps say nothing.
            stated.gaps = vec!["a1".into()];
        }
        if case >= 6 {
            let coefficients = vec![0.4, 0.0, -0.3];
            stated.given = Some(CopulaGiven {
                attributes: vec!["a3".into()],
                constants: vec![0.1, -0.1, 0.0],
                terms: vec![CopulaTerm {
                    attribute: "a3".into(),
                    category: None,
                    coefficients: coefficients.clone(),
                }],
            });
            let kept: Vec<Option<f64>> = shown.iter().map(|row| row[3]).collect();
            for (row, score) in explained.iter_mut().zip(slow::scores(&kept)) {
                let score = score.map_or(0.0, |(score, _)| score);
                *row = vec![0.1 + 0.4 * score, -0.1, -0.3 * score];
            }
        }
        let masked: Vec<String> = names(&[0, 1, 2]);
        let statement = Step::new(Method::Copula(stated.clone()), N, masked);
        assert_eq!(statement.nonsense(), None);
        for knows in [vec![0, 1, 2], vec![1], vec![0, 2]] {
            let known = names(&knows);
            let wanted = slow::ratios(&people, &shown, &stated, &knows, &explained);
            let (intruder, released) = (matrix(&people, &knows), matrix(&shown, &knows));
            let beside = Release {
                names: names(&[0, 1, 2, 3]),
                categories: vec![None; 4],
                values: matrix(&shown, &[0, 1, 2, 3]),
            };
            for direction in BOTH {
                let scenario = Scenario {
                    known: &known,
                    scales: &vec![Scale::Continuous; knows.len()],
                    categories: &[],
                    intruder: &intruder,
                    released: &released,
                    direction,
                    aligned: None,
                    beside: Some(&beside),
                    unrecoded: None,
                };
                let lists = lists(&statement, &scenario);
                let mut list = Vec::new();
                for seeker in 0..N {
                    lists.list(seeker, &mut list);
                    let ratio = |sought: usize| {
                        let [person, record] = match direction {
                            Direction::OriginalToMasked => [seeker, sought],
                            Direction::MaskedToOriginal => [sought, seeker],
                        };
                        wanted[person][record]
                    };
                    for &(sought, cost) in &list {
                        let slow = -ratio(sought as usize).ln();
                        assert!(
                            (cost - slow).abs() < 2e-4,
                            "case {case} {knows:?}: {cost} {slow}"
                        );
                    }
                    let most = (0..N).map(ratio).fold(0.0, f64::max);
                    let likely = (0..N).filter(|&sought| ratio(sought) > 1e-7 * most).count();
                    assert!(list.len() >= likely, "case {case} {knows:?}");
                }
            }
        }
    }
}

/// Numbers of a normal law, twelve rolls each.
fn normal(dice: &mut Dice) -> f64 {
    (0..12)
        .map(|_| (dice.roll(1 << 30) as f64 + 0.5) / f64::from(1 << 30))
        .sum::<f64>()
        - 6.0
}

fn ranked(column: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..column.len()).collect();
    order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
    let mut scores = vec![0.0; column.len()];
    for (rank, &record) in order.iter().enumerate() {
        scores[record] = normal_score(rank, column.len());
    }
    scores
}

/// Files drawn from the law and masked by it, extremes protected: of all records together the best guess is right as often as it says; the
/// attributes that nobody knows are evidence; and who knows of few people says no less than those who know all.
#[test]
fn the_best_guess_is_right_as_often_as_it_says() {
    const N: usize = 500;
    const D: usize = 5;
    let part = component(1.0, 0.0, &[0.9, 0.8, 0.7, -0.6, 0.5]);
    let r = Array2::from_shape_fn((D, D), |(i, j)| part.covariance[i][j]);
    let transfers: Vec<_> = (0..=8)
        .map(|level| transfer(r.view(), &[], protected(12.0, level), Allocation::Minimal))
        .collect();
    let inverse_r = {
        let (_, white) = sdcrisk::stats::copula::whitening(r.view());
        white.t().dot(&white)
    };
    let mut dice = Dice(77);
    for (knows, extremes) in [(5, true), (3, true), (3, false)] {
        let (mut says, mut does, mut alone) = (0.0, 0.0, 0.0);
        let mut of_some = [0.0; 2];
        const FILES: usize = 3;
        for _ in 0..FILES {
            let root = sdcrisk::stats::copula::symmetric_root(r.clone());
            let mut z: Vec<Vec<f64>> = (0..N)
                .map(|_| {
                    let draws: Vec<f64> = (0..D).map(|_| normal(&mut dice)).collect();
                    (0..D)
                        .map(|i| (0..D).map(|j| root[[i, j]] * draws[j]).sum())
                        .collect()
                })
                .collect();
            for k in 0..D {
                let column = ranked(&z.iter().map(|row| row[k]).collect::<Vec<f64>>());
                z.iter_mut()
                    .zip(column)
                    .for_each(|(row, score)| row[k] = score);
            }
            let mut y: Vec<Vec<f64>> = (z.iter())
                .map(|z| {
                    let mut q = 0.0;
                    for i in 0..D {
                        for j in 0..D {
                            q += z[i] * inverse_r[[i, j]] * z[j] / D as f64;
                        }
                    }
                    let t = &transfers[if extremes { level(q, 8) } else { 0 }];
                    let draws: Vec<f64> = (0..D).map(|_| normal(&mut dice)).collect();
                    let masked = |i: usize| {
                        (0..D)
                            .map(|j| t.a[[i, j]] * z[j] + t.noise_root[[i, j]] * draws[j])
                            .sum()
                    };
                    (0..D).map(masked).collect()
                })
                .collect();
            for k in 0..D {
                let column = ranked(&y.iter().map(|row| row[k]).collect::<Vec<f64>>());
                y.iter_mut()
                    .zip(column)
                    .for_each(|(row, score)| row[k] = score);
            }
            let cells = |rows: &[Vec<f64>]| -> Cells {
                rows.iter()
                    .map(|row| row.iter().copied().map(Some).collect())
                    .collect()
            };
            let columns: Vec<usize> = (0..D).collect();
            let mut stated = parameters(&["a0", "a1", "a2", "a3", "a4"], vec![part.clone()]);
            stated.mu = 12.0;
            stated.extremes = extremes.then_some(CopulaExtremes {
                levels: 8,
                coded: 0.0,
                coded_at_least: 0,
            });
            let statement = Step::new(Method::Copula(stated), N, names(&columns));
            let known = names(&columns[..knows]);
            let (intruder, released) = (
                matrix(&cells(&z), &columns[..knows]),
                matrix(&cells(&y), &columns[..knows]),
            );
            let beside = Release {
                names: names(&columns),
                categories: vec![None; D],
                values: matrix(&cells(&y), &columns),
            };
            let some = matrix(&cells(&z[..50]), &columns[..knows]);
            let judged = |intruder: &Matrix, beside: Option<&Release>| {
                let scenario = Scenario {
                    known: &known,
                    scales: &vec![Scale::Continuous; knows],
                    categories: &[],
                    intruder,
                    released: &released,
                    direction: Direction::OriginalToMasked,
                    aligned: None,
                    beside,
                    unrecoded: None,
                };
                let lists = lists(&statement, &scenario);
                let (mut says, mut does) = (0.0, 0.0);
                let n = intruder.n_records();
                let mut list = Vec::new();
                for seeker in 0..n {
                    lists.list(seeker, &mut list);
                    let best = list.iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                    let sum: f64 = list.iter().map(|pair| (best.1 - pair.1).exp()).sum();
                    says += 1.0 / sum / n as f64;
                    does += f64::from(u8::from(best.0 as usize == seeker)) / n as f64;
                }
                (says, does)
            };
            let all = judged(&intruder, Some(&beside));
            says += all.0 / FILES as f64;
            does += all.1 / FILES as f64;
            alone += judged(&intruder, None).0 / FILES as f64;
            let few = judged(&some, Some(&beside));
            of_some[0] += few.0 / FILES as f64;
            of_some[1] += few.1 / FILES as f64;
        }
        let what = format!(
            "{knows} known, {extremes}: says {says}, does {does}, alone {alone}, some {of_some:?}"
        );
        // 1500 records: three standard errors are .03 to .04.
        assert!((says - does).abs() < 0.04, "{what}");
        assert!((0.08..0.9).contains(&does), "{what}");
        // What nobody knows is evidence (little here, without extremes), and never misleads.
        assert!(says > alone - 0.002, "{what}");
        assert!((of_some[0] - says).abs() < 0.06, "{what}");
    }
}
