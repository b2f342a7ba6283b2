//! Laws of masking by minimal information.
//!
//! Bounds on sampling are five standard deviations of what is compared, unless a chi-square test says more.

use sdcrisk::{
    mask::{
        Details, Mask, Masked, Secret,
        copula::{Copula, Keep, Options},
    },
    rng::{Purpose, Seed},
    statement::{CopulaAllocation, CopulaParameters, Method},
    stats::copula::{Allocation, normal_quantile, transfer, whitening},
    table::{ReadOptions, Table},
};

use crate::{chi_square::assert_drawn_by, random_files::Dice, swapping::written};

fn read(text: &str) -> Table {
    Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

/// One component, extremes unprotected, noise as it is drawn: the law of the theory and nothing else.
fn plain() -> Options {
    Options {
        components: Some(1),
        protect_extremes: false,
        exact_moments: Some(false),
        ..Options::default()
    }
}

fn mask(table: &Table, mu: f64, options: Options, on: usize, seed: u64) -> Masked {
    let method = Copula::new(Keep::Mu(mu), options).unwrap();
    let on: Vec<_> = table.ids().take(on).collect();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    method.mask(table.clone(), &on, &streams).unwrap()
}

fn stated(masked: &Masked) -> &CopulaParameters {
    let Method::Copula(parameters) = &masked.step.method else {
        panic!("{:?}", masked.step.method);
    };
    assert_eq!(masked.step.nonsense(), None);
    parameters
}

fn normal(dice: &mut Dice) -> f64 {
    normal_quantile((dice.roll(1 << 30) as f64 + 0.5) / (1_u64 << 30) as f64)
}

/// Normal attributes x1 = a, x2 = .8 a + .6 b, x3 = .5 x2 − … : correlations .8, and a third that goes against both.
fn rows(n: usize, seed: u64) -> Vec<[f64; 3]> {
    let mut dice = Dice(seed);
    (0..n)
        .map(|_| {
            let [a, b, c] = [(); 3].map(|()| normal(&mut dice));
            [a, 0.8 * a + 0.6 * b, -0.5 * b + 0.75_f64.sqrt() * c]
        })
        .collect()
}

fn file(n: usize) -> Table {
    let mut text = "a,b,c\n".to_owned();
    for [a, b, c] in rows(n, 11) {
        text += &format!("{a:.9},{:.9},{:.9}\n", (b / 2.0).exp(), 1000.0 * c);
    }
    read(&text)
}

fn values(table: &Table, attribute: usize) -> Vec<f64> {
    let id = table.ids().nth(attribute).unwrap();
    table.numbers(id).unwrap().values.to_vec()
}

/// Normal scores of an attribute without ties.
fn scores(table: &Table, attribute: usize) -> Vec<f64> {
    let values = values(table, attribute);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut scores = vec![0.0; values.len()];
    for (rank, &record) in order.iter().enumerate() {
        scores[record] = normal_quantile((rank as f64 + 0.5) / values.len() as f64);
    }
    scores
}

fn covariance(x: &[f64], y: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let products = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my));
    products.sum::<f64>() / x.len() as f64
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    covariance(x, y) / (covariance(x, x) * covariance(y, y)).sqrt()
}

fn cells(table: &Table, attribute: usize) -> Vec<Vec<u8>> {
    let id = table.ids().nth(attribute).unwrap();
    (0..table.n_records())
        .map(|record| table.raw(record, id).into_owned())
        .collect()
}

/// Whole cells change places: each column has the bytes it had. Attributes that are not masked keep every cell.
#[test]
fn each_column_is_a_permutation_of_its_cells() {
    let original = file(300);
    for options in [
        plain(),
        Options {
            components: None,
            protect_extremes: false,
            ..Options::default()
        },
    ] {
        let masked = mask(&original, 2.0, options, 2, 5).table;
        for attribute in 0..2 {
            let (mut old, mut new) = (cells(&original, attribute), cells(&masked, attribute));
            assert_ne!(old, new);
            old.sort();
            new.sort();
            assert_eq!(old, new);
        }
        assert_eq!(cells(&original, 2), cells(&masked, 2));
    }
}

const N: usize = 4000;

/// Cov(Y) = R: a correlation of scores moves by at most the sampling error of a correlation of noise, sd below √(2/n) here.
/// Cov(Y, Z) = A R: what is kept of each score is what the law says, sd of a covariance below √(2/n).
#[test]
fn scores_have_the_covariances_of_the_law() {
    let original = file(N);
    let bound = 5.0 * (2.0 / N as f64).sqrt();
    for (mu, allocation) in [
        (1.0, CopulaAllocation::Minimal),
        (6.0, CopulaAllocation::Minimal),
        (1.5, CopulaAllocation::Uniform),
    ] {
        let options = Options {
            allocation,
            ..plain()
        };
        let masked = mask(&original, mu, options, 3, 3);
        let parameters = stated(&masked);
        let r = matrix(&parameters.components[0].covariance);
        let shared = match allocation {
            CopulaAllocation::Minimal => Allocation::Minimal,
            CopulaAllocation::Uniform => Allocation::Uniform,
        };
        let t = transfer(r.view(), &[], mu, shared);
        let crossed = t.a.dot(&r);
        let z: Vec<_> = (0..3).map(|j| scores(&original, j)).collect();
        let y: Vec<_> = (0..3).map(|j| scores(&masked.table, j)).collect();
        for i in 0..3 {
            for j in 0..3 {
                assert!((correlation(&y[i], &y[j]) - correlation(&z[i], &z[j])).abs() < bound);
                let kept = covariance(&y[i], &z[j]);
                assert!(
                    (kept - crossed[[i, j]]).abs() < bound,
                    "{i} {j}: {kept} {crossed}"
                );
            }
        }
    }
}

fn matrix(rows: &[Vec<f64>]) -> ndarray::Array2<f64> {
    ndarray::Array2::from_shape_fn((rows.len(), rows.len()), |(i, j)| rows[i][j])
}

/// The displacement y − A z has the law N(0, Cov(E)): its squared Mahalanobis distance is chi-square with 3 degrees of freedom,
/// P(χ² ≤ x) = erf(√(x/2)) − √(2x/π) e^(−x/2), in twenty classes of equal probability.
#[test]
fn displacements_follow_their_law() {
    let original = file(N);
    let masked = mask(&original, 2.0, plain(), 3, 4);
    let r = matrix(&stated(&masked).components[0].covariance);
    let t = transfer(r.view(), &[], 2.0, Allocation::Minimal);
    let (_, white) = whitening(t.noise().view());
    let z: Vec<_> = (0..3).map(|j| scores(&original, j)).collect();
    let y: Vec<_> = (0..3).map(|j| scores(&masked.table, j)).collect();
    let mut classes = [0_u32; 20];
    for record in 0..N {
        let off = ndarray::Array1::from_shape_fn(3, |i| {
            let kept: f64 = (0..3).map(|j| t.a[[i, j]] * z[j][record]).sum();
            y[i][record] - kept
        });
        let x = white.dot(&off).mapv(|v| v * v).sum();
        let normal = 2.0 * sdcrisk::stats::copula::normal_distribution(x.sqrt()) - 1.0;
        let below = normal - (2.0 * x / std::f64::consts::PI).sqrt() * (-0.5 * x).exp();
        classes[((below * 20.0) as usize).min(19)] += 1;
    }
    assert_drawn_by(&classes, &[1.0; 20]);
}

/// Two attributes of correlation r have eigenvalues 1 ± r (times their variance), and ρ by halving in its equation.
#[test]
fn bits_are_those_of_the_formula() {
    let original = file(500);
    for mu in [0.5, 3.0, 40.0] {
        let masked = mask(&original, mu, plain(), 2, 3);
        let parameters = stated(&masked);
        let c = &parameters.components[0].covariance;
        let half = (0.25 * (c[0][0] - c[1][1]).powi(2) + c[0][1].powi(2)).sqrt();
        let middle = 0.5 * (c[0][0] + c[1][1]);
        let bits: f64 = [middle - half, middle + half]
            .iter()
            .map(|g| {
                let (mut low, mut high) = (0.0_f64, 1.0_f64);
                for _ in 0..200 {
                    let rho = 0.5 * (low + high);
                    if rho / (1.0 - rho * rho) < mu * g {
                        low = rho
                    } else {
                        high = rho
                    }
                }
                -0.5 * (1.0 - low * low).log2()
            })
            .sum();
        assert!(
            (bits - parameters.bits).abs() < 1e-8,
            "{bits} {}",
            parameters.bits
        );
    }
}

#[test]
fn bits_that_are_asked_for_are_kept() {
    let original = file(900);
    for options in [plain(), Options::default()] {
        let on: Vec<_> = original.ids().collect();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        let method = Copula::new(Keep::Bits(4.0), options).unwrap();
        let masked = method.mask(original.clone(), &on, &streams).unwrap();
        assert!((stated(&masked).bits - 4.0).abs() < 1e-9);
    }
}

/// Exact moments: Cov(Y, Z) and Cov(Y) are those of the law, up to the ranking of Y, which changes them in the order of 1/n.
#[test]
fn exact_moments_are_nearly_exact() {
    let original = file(2000);
    let options = Options {
        exact_moments: Some(true),
        ..plain()
    };
    let masked = mask(&original, 2.0, options, 3, 8);
    for i in 0..3 {
        for j in 0..i {
            let of = |table: &Table| correlation(&scores(table, i), &scores(table, j));
            let moved = (of(&original) - of(&masked.table)).abs();
            assert!(moved < 0.25 * (2.0 / 2000_f64).sqrt(), "{moved}");
        }
    }
}

fn threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        .unwrap();
    pool.install(work)
}

/// Ties, gaps, classes, and more than one block of records.
fn rough(n: usize) -> Table {
    let mut text = "a,b,flag,place\n".to_owned();
    let mut dice = Dice(4);
    for [a, b, c] in rows(n, 12) {
        let amount = if a < -0.2 { 0.0 } else { (10.0 * a).round() };
        let gap = dice.roll(9) == 0 || (b > 1.0 && dice.roll(2) == 0);
        let b = if gap {
            String::new()
        } else {
            format!("{b:.3}")
        };
        let place = ["north", "south", "west"][dice.roll(3) as usize];
        text += &format!("{amount},{b},{},{place}\n", u8::from(a + 0.3 * c > 0.4));
    }
    read(&text)
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let original = rough(4500);
    let options = Options {
        given: vec!["place".into()],
        components: Some(2),
        ..Options::default()
    };
    let one = threads(1, || {
        written(&mask(&original, 2.0, options.clone(), 3, 6).table)
    });
    for count in [2, 4] {
        let more = threads(count, || {
            written(&mask(&original, 2.0, options.clone(), 3, 6).table)
        });
        assert!(one == more, "{count} threads");
    }
    assert!(one != written(&mask(&original, 2.0, options, 3, 7).table));
}

/// As many gaps as before, of other records; who misses a value is still who would have a great one (b > 1 misses it more often), as
/// far as the other attributes tell: a, of which b is made. Of those who missed it, hardly more do than their a's tell: below a half.
#[test]
fn gaps_are_drawn_again() {
    let original = rough(3000);
    let options = Options {
        protect_extremes: false,
        ..Options::default()
    };
    let masked = mask(&original, 4.0, options, 3, 6);
    let b = original.find("b").unwrap();
    let (old, new) = (original.missing(b), masked.table.missing(b));
    assert_eq!(old.count(), new.count());
    let stayed = old.records().filter(|&record| new.contains(record)).count();
    assert!(stayed < old.count() / 2, "{stayed} of {}", old.count());
    let statement = stated(&masked);
    assert_eq!(statement.gaps, ["b"]);
    let mean_of_a = |table: &Table| {
        let a = values(table, 0);
        let missing = table.missing(b);
        missing.records().map(|record| a[record]).sum::<f64>() / missing.count() as f64
    };
    // sd of the mean below 6/√500.
    let (before, after) = (mean_of_a(&original), mean_of_a(&masked.table));
    assert!(
        (before - after).abs() < 5.0 * 6.0 / 500_f64.sqrt(),
        "{before} {after}"
    );
    assert!(masked.step.missing.contains("drawn again"));
}

/// How many records of a file have the gaps most like those that somebody has in the other: ties of t that hold the true one count 1/t.
fn found_by_gaps(original: &Table, masked: &Table) -> f64 {
    let n = original.n_records();
    let gaps = |table: &Table| -> Vec<Vec<bool>> {
        let of = |record| {
            table
                .ids()
                .map(move |id| table.is_missing(record, id))
                .collect()
        };
        (0..n).map(of).collect()
    };
    let (known, shown) = (gaps(original), gaps(masked));
    let credit = |person: usize| {
        let differ = |record: &Vec<bool>| {
            let pairs = record.iter().zip(&known[person]);
            pairs.filter(|(a, b)| a != b).count()
        };
        let differences: Vec<usize> = shown.iter().map(differ).collect();
        let least = *differences.iter().min().unwrap();
        let tied = differences.iter().filter(|&&count| count == least).count();
        if differences[person] == least {
            1.0 / tied as f64
        } else {
            0.0
        }
    };
    (0..n).map(credit).sum()
}

/// One cell in five is missing, whatever its value. Who knows the gaps of everybody and looks for the record with the most similar gaps
/// is right as often as blind guessing: once a file. A tied set of t holds the true record with probability t/n, so the credit 1/t has the mean 1/n and a
/// variance below 1/n; the sum over six files is 6, with a standard deviation below √6. Where gaps stay in place it is hundreds.
#[test]
fn known_gaps_give_nothing_away() {
    let mut dice = Dice(21);
    let (mut drawn_again, mut in_place) = (0.0, 0.0);
    for seed in 0..6 {
        let mut text = "a,b,c,d,e,f,g,h,i\n".to_owned();
        let three = |seed| rows(200, 100 * seed);
        let parts = [three(seed + 1), three(seed + 8), three(seed + 15)];
        for record in 0..200 {
            let cells = parts.iter().flat_map(|part| part[record]);
            let cell = |value: f64| match dice.roll(5) {
                0 => String::new(),
                _ => format!("{value:.4}"),
            };
            text += &(cells.map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        let original = read(&text);
        let masked = mask(&original, 3.0, plain(), 9, seed);
        drawn_again += found_by_gaps(&original, &masked.table);
        in_place += found_by_gaps(&original, &original);
    }
    assert!(
        (drawn_again - 6.0).abs() < 5.0 * 6_f64.sqrt(),
        "{drawn_again}"
    );
    assert!(in_place > 400.0, "{in_place}");
}

/// An attribute of 0 and 1 keeps its correlation: at mu = 10 nearly all of it, where scores at random within 0 and 1 would
/// lose two fifths.
#[test]
fn correlations_of_ties_are_kept() {
    let original = rough(3000);
    let options = Options {
        protect_extremes: false,
        ..Options::default()
    };
    let masked = mask(&original, 10.0, options, 3, 6).table;
    let of = |table: &Table| correlation(&values(table, 0), &values(table, 2));
    let (before, after) = (of(&original), of(&masked));
    assert!(after > 0.9 * before, "{before} {after}");
}

/// The relation of c to a kept attribute stays; without `given` it is lost with the displacement.
#[test]
fn relations_to_given_attributes_are_kept() {
    let original = file(2000);
    let correlated = |options: Options| {
        let on = [original.find("b").unwrap(), original.find("c").unwrap()];
        let method = Copula::new(Keep::Mu(0.2), options).unwrap();
        let streams = Seed::from_number(2).streams(Purpose::Mask, 0);
        let masked = method.mask(original.clone(), &on, &streams).unwrap();
        assert_eq!(cells(&original, 0), cells(&masked.table, 0));
        correlation(&scores(&original, 0), &scores(&masked.table, 1))
    };
    let before = correlation(&scores(&original, 0), &scores(&original, 1));
    let given = correlated(Options {
        given: vec!["a".into()],
        ..plain()
    });
    let alone = correlated(plain());
    assert!(
        (given - before).abs() < 5.0 * (1.0 / 2000_f64).sqrt(),
        "{before} {given}"
    );
    assert!(alone < 0.5 * before, "{before} {alone}");
}

/// A weight makes its attribute lose less, and the others more.
#[test]
fn a_weighted_attribute_loses_less() {
    let original = file(2000);
    let lost = |weights: Vec<(String, f64)>| {
        let masked = mask(&original, 2.0, Options { weights, ..plain() }, 3, 2);
        let error = |place: usize| masked.effects[place].squared_error.unwrap();
        [error(0), error(2)]
    };
    let [a, c] = lost(Vec::new());
    let [heavy_a, heavy_c] = lost(vec![("c".into(), 20.0)]);
    assert!(heavy_c < 0.5 * c, "{c} {heavy_c}");
    assert!(heavy_a > a - 0.05, "{a} {heavy_a}");
}

/// The ends become one value each, in the decimals of the attribute; the total stays up to rounding.
#[test]
fn ends_are_coded_and_totals_stay() {
    let original = file(1000);
    let masked = mask(&original, 3.0, Options::default(), 3, 2);
    for attribute in 0..3 {
        let (old, mut new) = (
            values(&original, attribute),
            values(&masked.table, attribute),
        );
        let total = |x: &[f64]| x.iter().sum::<f64>();
        assert!((total(&old) - total(&new)).abs() < 1e-6 * old.len() as f64);
        new.sort_by(f64::total_cmp);
        assert_eq!(new[0], new[19]);
        assert!(new[19] < new[20]);
        assert_eq!(new[980], new[999]);
    }
    let extremes = stated(&masked).extremes.as_ref().unwrap();
    assert_eq!((extremes.coded, extremes.coded_at_least), (0.02, 3));
}

/// Records far out keep less than they would unprotected.
#[test]
fn extreme_records_are_protected() {
    let original = file(N);
    let moved = |protect_extremes: bool| {
        let options = Options {
            protect_extremes,
            ..plain()
        };
        let masked = mask(&original, 10.0, options, 3, 2).table;
        let z: Vec<_> = (0..3).map(|j| scores(&original, j)).collect();
        let y: Vec<_> = (0..3).map(|j| scores(&masked, j)).collect();
        let mut far: Vec<usize> = (0..N).collect();
        let (_, white) = whitening(
            ndarray::Array2::from_shape_fn((3, 3), |(i, j)| covariance(&z[i], &z[j])).view(),
        );
        let square = |r: usize| {
            let z = ndarray::Array1::from_shape_fn(3, |j| z[j][r]);
            white.dot(&z).mapv(|v| v * v).sum()
        };
        far.sort_by(|&a, &b| square(b).total_cmp(&square(a)));
        let of = |r: usize| (0..3).map(|j| (y[j][r] - z[j][r]).powi(2)).sum::<f64>();
        far[..N / 100].iter().map(|&r| of(r)).sum::<f64>()
    };
    assert!(moved(true) > 1.5 * moved(false));
}

fn secret(key: &[u8; 16], table: &Table, seed: u64) -> Table {
    let options = Options {
        secret: Some(Secret::new(key.to_vec(), "id".into()).unwrap()),
        ..plain()
    };
    let on = [table.find("a").unwrap(), table.find("b").unwrap()];
    let method = Copula::new(Keep::Mu(1.0), options).unwrap();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    method.mask(table.clone(), &on, &streams).unwrap().table
}

/// The people in another order, some of them gone, with another seed: who stays gets nearly the rank they had, where another secret
/// gives another one.
#[test]
fn a_secret_draws_the_same_noise_for_the_same_person() {
    let rows = rows(600, 3);
    let table = |people: &[usize]| {
        let line = |&id: &usize| format!("P{id},{:.6},{:.6}\n", rows[id][0], rows[id][1]);
        let lines: String = people.iter().map(line).collect();
        read(&format!("id,a,b\n{lines}"))
    };
    let all: Vec<usize> = (0..600).collect();
    let fewer: Vec<usize> = (0..570).map(|i| (i * 7) % 570).collect();
    let first = scores(&secret(b"0123456789abcdef", &table(&all), 1), 1);
    let of = |key| {
        let second = scores(&secret(key, &table(&fewer), 2), 1);
        let own: Vec<f64> = fewer.iter().map(|&id| first[id]).collect();
        correlation(&own, &second)
    };
    let (same, other) = (of(b"0123456789abcdef"), of(b"0123456789abcdeg"));
    assert!(same > 0.998, "{same}");
    assert!(other < 0.8, "{other}");
}

#[test]
fn what_cannot_be_masked_is_refused() {
    let refused = |text: &str, options: Options, on: usize| {
        let table = read(text);
        let on: Vec<_> = table.ids().take(on).collect();
        let streams = Seed::from_number(2).streams(Purpose::Mask, 0);
        let method = Copula::new(Keep::Mu(1.0), options).unwrap();
        method.mask(table, &on, &streams).unwrap_err().to_string()
    };
    let few = refused("a,b,c\n1,2,3\n2,5,1\n7,7,7\n", Options::default(), 3);
    assert!(few.contains("has 3 records for 3 numbers each"), "{few}");
    let constant = refused("a,b\n1,2\n1,2\n1,2\n", Options::default(), 2);
    assert!(constant.contains("only one value"), "{constant}");
    let given = Options {
        given: vec!["b".into()],
        ..Options::default()
    };
    let given = refused("a,b\n1,2\n2,2\n3,1\n", given, 2);
    assert!(given.contains("stays as it is"), "{given}");
    let again = Options {
        secret: Some(Secret::new(vec![7; 32], "b".into()).unwrap()),
        ..Options::default()
    };
    let again = refused("a,b\n1,2\n2,2\n3,1\n", again, 1);
    assert!(again.contains("one of its own"), "{again}");
    assert!(Secret::new(vec![7; 15], "b".into()).is_err());
    for keep in [Keep::Mu(0.0), Keep::Mu(f64::NAN), Keep::Bits(-1.0)] {
        assert!(Copula::new(keep, Options::default()).is_err());
    }
}

/// Constants, attributes that determine each other, a column of gaps but for two, few records.
#[test]
fn degenerate_files_are_masked() {
    let mut text = "a,double,one,gaps,sum\n".to_owned();
    for i in 0..30_i64 {
        let a = (i * 17) % 31;
        let gap = if i < 2 { format!("{i}") } else { String::new() };
        text += &format!("{a},{},5,{gap},{}\n", 2 * a, a + 1);
    }
    let original = read(&text);
    for options in [
        plain(),
        Options::default(),
        Options {
            components: Some(7),
            ..Options::default()
        },
    ] {
        let masked = mask(&original, 3.0, options, 5, 1);
        assert_eq!(cells(&masked.table, 2), cells(&original, 2));
        let Details::Copula(outcome) = &masked.details else {
            panic!()
        };
        assert_eq!(outcome.constant, ["one"]);
        assert_eq!(
            masked.table.missing(original.find("gaps").unwrap()).count(),
            28
        );
        stated(&masked);
    }
    let two = read("a\n1\n2\n");
    assert_eq!(
        mask(&two, 1.0, Options::default(), 1, 1).table.n_records(),
        2
    );
}
