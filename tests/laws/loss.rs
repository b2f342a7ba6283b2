//! Laws of information loss: examples by hand, slow and obvious programs, invariances.

use sdcrisk::{
    figure::{Figure, find, value},
    loss,
    mask::{
        Mask, Rounding,
        noise::{Noise, Options},
        rank_swap::{RankSwap, Reach},
    },
    statement::{Method, Partner, Step},
    table::{AttrId, ReadOptions, Table, pair::Pair},
};

use crate::{
    random_files::{self, Cells, Dice},
    swapping::mask,
};

fn read(text: &str) -> Table {
    Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

/// All attributes of two tables, records in the same order.
fn pair_of(before: &Table, after: &Table) -> Pair {
    let ids: Vec<[AttrId; 2]> = before.ids().zip(after.ids()).map(|(a, b)| [a, b]).collect();
    let records: Vec<[u32; 2]> = (0..before.n_records() as u32).map(|i| [i, i]).collect();
    Pair::new([before, after], &ids, &records)
}

fn losses(before: &str, after: &str) -> Vec<Figure> {
    loss::figures(&pair_of(&read(before), &read(after)), &[])
}

fn at(figures: &[Figure], key: &str) -> f64 {
    let figure = find(figures, key).unwrap_or_else(|| panic!("{key}"));
    figure.value.unwrap_or_else(|| panic!("{key}: {figure:?}"))
}

fn assert_near(got: f64, expected: f64, key: &str) {
    let off = (got - expected).abs();
    assert!(
        off <= 1e-9 * expected.abs().max(1e-3),
        "{key}: {got}, expected {expected}"
    );
}

/// By hand. x = 2, 4, 6, 8 has mean 5 and squares 20; y = 0, 0, 4, 4 has mean 2 and squares 16; products 16; so the
/// variances are 20/3 and 16/3, the covariance 16/3, the correlation 16/√320 = 2/√5. Masked, the last two of x and the middle
/// two of y are swapped: means, variances and quantiles stay, the products are 6 − 2 − 6 + 2 = 0.
#[test]
fn four_records_by_hand() {
    let figures = losses("x,y\n2,0\n4,0\n6,4\n8,4\n", "x,y\n2,0\n4,4\n8,0\n6,4\n");
    let rho = 2.0 / 5.0_f64.sqrt();
    // Of x two values moved by 2, of y two by 4. Two values of y are 0 in the original.
    let variation = (2.0 / 6.0 + 2.0 / 8.0 + 1.0) / 6.0;
    assert_eq!(find(&figures, "mean_variation_data").unwrap().skipped, 2);
    let scaled = 4.0 / (2.0 * 20.0 / 3.0_f64).sqrt() + 8.0 / (2.0 * 16.0 / 3.0_f64).sqrt();
    for (key, by_hand) in [
        ("mean_square_data", 40.0 / 8.0),
        ("mean_absolute_data", 12.0 / 8.0),
        ("mean_variation_data", variation),
        ("il1", variation),
        ("mean_variation_means", 0.0),
        ("mean_variation_variances", 0.0),
        ("mean_variation_quantiles", 0.0),
        ("mean_square_covariances", (16.0_f64 / 3.0).powi(2) / 3.0),
        ("mean_absolute_covariances", 16.0 / 9.0),
        ("mean_variation_covariances", 1.0 / 3.0),
        ("mean_absolute_correlations", rho),
        ("mean_square_correlations", 0.8),
        ("mean_variation_correlations", 1.0),
        ("il", (variation + 1.0 / 3.0 + rho) / 5.0),
        ("il1s", scaled / 8.0),
        // 8 / (20/3) + 32 / (16/3) over 3 + 3.
        ("sse_sst", 7.2 / 6.0),
        // μ22 = (36 + 4 + 4 + 36)/4 and μ11 = 4: the covariance has the sampling variance (20 − 16)/4 = 1, and moves by 16/3.
        ("pil_covariances", 2.0 * normal(16.0 / 3.0) / 3.0),
        // In units of the sds m22 = m04 = 1, m31 = 14/(5√5), m13 = ρ, m40 = 41/25, so that 4 Var = 1 − 48/25 + 116/125 = 1/125.
        ("pil_correlations", 2.0 * normal(rho / 0.002_f64.sqrt())),
        // The inverse of a 2 × 2 correlation matrix has equal numbers on its diagonal.
        ("mlodak", 0.0),
        ("changed", 4.0 / 8.0),
        ("suppressed", 0.0),
    ] {
        assert_near(at(&figures, key), by_hand, key);
    }
    let entropy = find(&figures, "entropy_loss").unwrap();
    assert!(entropy.value.is_none() && entropy.why_not.is_some());
}

/// P(0 ≤ Z ≤ z) by Simpson's rule; beyond 12 nothing is left.
fn normal(z: f64) -> f64 {
    const STEPS: usize = 4000;
    let h = z.min(12.0) / STEPS as f64;
    let f = |i: usize| (-0.5 * (i as f64 * h).powi(2)).exp();
    let sum: f64 = (0..=STEPS)
        .map(|i| match i {
            0 | STEPS => f(i),
            i if i % 2 == 1 => 4.0 * f(i),
            i => 2.0 * f(i),
        })
        .sum();
    sum * h / 3.0 / (2.0 * std::f64::consts::PI).sqrt()
}

/// A file of chance, and a masked one: values moved, some suppressed.
fn files(seed: u64, records: usize, attributes: usize, gap: u64) -> [Cells; 2] {
    let mut dice = Dice(seed);
    let before = random_files::cells(&mut dice, records, attributes, gap);
    let mut after = before.clone();
    for cell in after.iter_mut().flatten() {
        *cell = match (*cell, dice.roll(10)) {
            (_, 0) if gap > 0 => None,
            (Some(value), 1..=5) => Some(value + dice.roll(9) as i64 - 3),
            (same, _) => same,
        };
    }
    [before, after]
}

/// Values of one attribute that are there.
fn present(cells: &Cells, j: usize) -> Vec<f64> {
    cells
        .iter()
        .filter_map(|r| r[j])
        .map(|v| v as f64)
        .collect()
}

/// Values of two attributes that are there together.
fn together(cells: &Cells, j: usize, k: usize) -> Vec<(f64, f64)> {
    cells
        .iter()
        .filter_map(|r| Some((r[j]? as f64, r[k]? as f64)))
        .collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Central moments of pairs, divisor n.
fn moment(pairs: &[(f64, f64)], a: i32, b: i32) -> f64 {
    let (mx, my) = (
        mean(pairs.iter().map(|p| p.0)),
        mean(pairs.iter().map(|p| p.1)),
    );
    mean(
        pairs
            .iter()
            .map(|p| (p.0 - mx).powi(a) * (p.1 - my).powi(b)),
    )
}

fn covariance(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    moment(pairs, 1, 1) * n / (n - 1.0)
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    moment(pairs, 1, 1) / (moment(pairs, 2, 0) * moment(pairs, 0, 2)).sqrt()
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// Means of squares, absolute and relative differences; relative ones where the original is not 0.
fn discrepancies(cells: &[(f64, f64)]) -> [f64; 3] {
    let varied: Vec<_> = cells.iter().filter(|c| c.0 != 0.0).collect();
    [
        mean(cells.iter().map(|c| (c.0 - c.1).powi(2))),
        mean(cells.iter().map(|c| (c.0 - c.1).abs())),
        mean(varied.iter().map(|c| (c.0 - c.1).abs() / c.0.abs())),
    ]
}

/// A family of statistics: in the original, in the masked file, and the sampling variance.
type Statistic = (f64, f64, f64);

/// Of the formulas as they are written, for each family.
fn statistics([before, after]: &[Cells; 2]) -> Vec<(&'static str, Vec<Statistic>)> {
    let p = before[0].len();
    let mut families: Vec<(&str, Vec<Statistic>)> = [
        "means",
        "variances",
        "covariances",
        "correlations",
        "quantiles",
    ]
    .map(|family| (family, Vec::new()))
    .to_vec();
    for j in 0..p {
        let (x, y) = (present(before, j), present(after, j));
        let n = x.len() as f64;
        let (own, masked) = (together(before, j, j), together(after, j, j));
        let mu2 = moment(&own, 2, 0);
        let means = (mean(x.iter().copied()), mean(y.iter().copied()), mu2 / n);
        families[0].1.push(means);
        let of_variance = (moment(&own, 4, 0) - mu2 * mu2) / n;
        families[1]
            .1
            .push((covariance(&own), covariance(&masked), of_variance));
        for k in 0..=j {
            let (own, masked) = (together(before, j, k), together(after, j, k));
            let n = own.len() as f64;
            let mu = |a, b| moment(&own, a, b);
            let of_covariance = (mu(2, 2) - mu(1, 1) * mu(1, 1)) / n;
            families[2]
                .1
                .push((covariance(&own), covariance(&masked), of_covariance));
            if j != k {
                let rho = correlation(&own);
                let bracket = mu(2, 2) / mu(1, 1).powi(2)
                    + 0.25
                        * (mu(4, 0) / mu(2, 0).powi(2)
                            + mu(0, 4) / mu(0, 2).powi(2)
                            + 2.0 * mu(2, 2) / (mu(2, 0) * mu(0, 2)))
                    - mu(3, 1) / (mu(1, 1) * mu(2, 0))
                    - mu(1, 3) / (mu(1, 1) * mu(0, 2));
                families[3]
                    .1
                    .push((rho, correlation(&masked), rho * rho / n * bracket));
            }
        }
        let sd = covariance(&own).sqrt();
        let iqr = quantile(&x, 0.75) - quantile(&x, 0.25);
        let spread = if iqr > 0.0 { sd.min(iqr / 1.34) } else { sd };
        let h = 0.9 * spread * n.powf(-0.2);
        for i in 1..20 {
            let q = f64::from(i) / 20.0;
            let at = quantile(&x, q);
            let kernel = |v: &f64| (-0.5 * ((at - v) / h).powi(2)).exp();
            let f =
                x.iter().map(kernel).sum::<f64>() / (n * h * (2.0 * std::f64::consts::PI).sqrt());
            families[4]
                .1
                .push((at, quantile(&y, q), q * (1.0 - q) / (n * f * f)));
        }
    }
    families
}

#[test]
fn slow_and_obvious_programs_agree() {
    for (seed, records, attributes, gap) in [(1, 40, 3, 0), (2, 90, 5, 11), (3, 25, 2, 6)] {
        let both = files(seed, records, attributes, gap);
        let figures = losses(&random_files::csv(&both[0]), &random_files::csv(&both[1]));
        let [before, after] = &both;
        let mut cells = Vec::new();
        let (mut scaled, mut sse, mut sst) = (0.0, 0.0, 0.0);
        for j in 0..attributes {
            let own: Vec<(f64, f64)> = before
                .iter()
                .zip(after)
                .filter_map(|(a, b)| Some((a[j]? as f64, b[j]? as f64)))
                .collect();
            let variance = covariance(&together(before, j, j));
            for (a, b) in &own {
                scaled += (a - b).abs() / (2.0 * variance).sqrt();
                sse += (a - b).powi(2) / variance;
            }
            sst += (own.len() - 1) as f64;
            cells.extend(own);
        }
        let check = |family: &str, cells: &[(f64, f64)]| {
            let kinds = ["mean_square", "mean_absolute", "mean_variation"];
            for (kind, expected) in kinds.iter().zip(discrepancies(cells)) {
                let key = format!("{kind}_{family}");
                assert_near(at(&figures, &key), expected, &key);
            }
        };
        check("data", &cells);
        assert_near(at(&figures, "il1s"), scaled / cells.len() as f64, "il1s");
        assert_near(at(&figures, "sse_sst"), sse / sst, "sse_sst");
        let mut pil = 0.0;
        for (family, of) in statistics(&both) {
            let values: Vec<(f64, f64)> = of.iter().map(|s| (s.0, s.1)).collect();
            check(family, &values);
            let of_family = mean(
                of.iter()
                    .map(|s| 2.0 * normal((s.0 - s.1).abs() / s.2.sqrt())),
            );
            let key = format!("pil_{family}");
            assert_near(at(&figures, &key), of_family, &key);
            pil += of_family / 5.0;
        }
        assert_near(at(&figures, "pil"), pil, "pil");
        let expected = mlodak(&both);
        assert_near(at(&figures, "mlodak"), expected, "mlodak");
    }
}

/// Młodak's measure by Gauss and Jordan, over the records without gaps.
fn mlodak(both: &[Cells; 2]) -> f64 {
    let [d, e] = both.each_ref().map(|cells| {
        let complete: Cells = cells
            .iter()
            .filter(|r| r.iter().all(Option::is_some))
            .cloned()
            .collect();
        let p = cells[0].len();
        let mut rows: Vec<Vec<f64>> = (0..p)
            .map(|j| {
                let row = (0..p).map(|k| correlation(&together(&complete, j, k)));
                row.chain((0..p).map(|k| f64::from(j == k))).collect()
            })
            .collect();
        for j in 0..p {
            let pivot = rows[j][j];
            rows[j].iter_mut().for_each(|v| *v /= pivot);
            let own = rows[j].clone();
            for (k, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != j) {
                let factor = row[j];
                assert!(k < p);
                row.iter_mut().zip(&own).for_each(|(v, o)| *v -= factor * o);
            }
        }
        let d: Vec<f64> = (0..p).map(|j| rows[j][p + j]).collect();
        let length = d.iter().map(|v| v * v).sum::<f64>().sqrt();
        d.iter().map(|v| v / length).collect::<Vec<f64>>()
    });
    let squares: f64 = d.iter().zip(&e).map(|(a, b)| (a - b).powi(2)).sum();
    (squares / 2.0).sqrt()
}

/// By hand: of four equally frequent towns two pairs were merged, which loses half of their entropy; the sexes stay. So the two attributes
/// of categories lose a quarter on average, and IL of two numbers and they count half each. Without numbers it is the quarter alone.
#[test]
fn il_all_by_hand() {
    let town = |merged: bool, i: usize| match (merged, i % 4) {
        (true, 0 | 1) => "north",
        (true, _) => "south",
        (false, k) => ["a", "b", "c", "d"][k],
    };
    let text = |masked: bool, numbers: bool| {
        let mut text = String::from(if numbers {
            "town,sex,x,y\n"
        } else {
            "town,sex\n"
        });
        for i in 0..40_usize {
            text += &format!("{},{}", town(masked, i), ["f", "m"][i / 4 % 2]);
            if numbers {
                let moved = usize::from(masked && i % 8 == 0);
                text += &format!(",{},{}", 10 + i * 7 % 23 + moved, 50 + i * i % 31);
            }
            text += "\n";
        }
        text
    };
    let figures = losses(&text(false, true), &text(true, true));
    assert_near(at(&figures, "entropy_loss"), 0.25, "entropy_loss");
    let expected = (2.0 * at(&figures, "il") + 2.0 * 0.25) / 4.0;
    assert!(at(&figures, "il") > 0.0);
    assert_near(at(&figures, "il_all"), expected, "il_all");
    assert_eq!(find(&figures, "il_all").unwrap().counted, 4);
    let names = losses(&text(false, false), &text(true, false));
    assert_eq!(find(&names, "il").unwrap().value, None);
    assert_near(at(&names, "il_all"), 0.25, "il_all");
    // The files have no town in common, so of frequencies those of the sexes are compared.
    let frequencies = find(&names, "frequency_loss").unwrap();
    assert_eq!((frequencies.value, frequencies.skipped), (Some(0.0), 1));
}

/// By hand: of 10 people 6 are a, 3 b, 1 c; then 4, 3, 2 of 9, one being missing. |.6 − 4/9| + |.3 − 1/3| + |.1 − 2/9| = 28/90, halved.
#[test]
fn frequency_loss_by_hand() {
    let file = |cells: &str| {
        let lines = cells
            .chars()
            .map(|c| format!("{},1\n", if c == '-' { String::new() } else { c.into() }));
        "kind,x\n".to_owned() + &lines.collect::<String>()
    };
    let figures = losses(&file("aaaaaabbbc"), &file("aaaabbb-cc"));
    let found = find(&figures, "frequency_loss").unwrap();
    let kind = found.parts.iter().find(|part| part.name == "kind").unwrap();
    assert_near(kind.value.unwrap(), 14.0 / 90.0, "frequency_loss");
}

#[test]
fn what_was_not_masked_loses_nothing() {
    let mut dice = Dice(4);
    for gap in [0, 5] {
        let cells = random_files::cells(&mut dice, 60, 4, gap);
        let text = random_files::csv(&cells);
        let mut with_names = String::new();
        for (i, line) in text.lines().enumerate() {
            let name = match i {
                0 => "town".to_string(),
                i => format!("t{}", i % 7),
            };
            with_names += &format!("{line},{name},5\n");
        }
        let with_names = with_names.replacen(",5\n", ",flat\n", 1);
        let figures = losses(&with_names, &with_names);
        for figure in &figures {
            // The constant attribute leaves no inverse.
            match figure.what.key {
                "mlodak" => assert_eq!(figure.value, None),
                key => assert_eq!(figure.value, Some(0.0), "{key}: {figure:?}"),
            }
        }
    }
}

#[test]
fn figures_lie_in_their_range_and_depend_on_no_thread() {
    for seed in 5..15 {
        let both = files(seed, 30 + seed as usize, 4, 9 * (seed % 2));
        let [before, after] = both.map(|cells| random_files::table(&cells));
        let pair = pair_of(&before, &after);
        let figures = loss::figures(&pair, &[]);
        for figure in &figures {
            let value = figure.value.unwrap_or(figure.what.least);
            let most = figure.what.most.unwrap_or(f64::INFINITY);
            assert!((figure.what.least..=most).contains(&value), "{figure:?}");
        }
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(pool.install(|| loss::figures(&pair, &[])), figures);
        }
    }
}

/// Units do not matter to what is relative or standardised; where 0 is does not matter to what is standardised; nor does
/// the order of records and attributes to anything.
#[test]
fn units_and_orders_do_not_matter() {
    let both = files(21, 80, 4, 0);
    let text = |change: &dyn Fn(usize, i64) -> f64| {
        both.each_ref().map(|cells| {
            let mut text = "a0,a1,a2,a3\n".to_string();
            for record in cells {
                let line: Vec<String> = record
                    .iter()
                    .enumerate()
                    .map(|(j, v)| format!("{}", change(j, v.unwrap())))
                    .collect();
                text += &(line.join(",") + "\n");
            }
            text
        })
    };
    let of = |[before, after]: [String; 2]| losses(&before, &after);
    let plain = of(text(&|_, v| v as f64));
    let units = of(text(&|j, v| v as f64 * [0.25, 1.0, 8.0, 1024.0][j]));
    let shifted = of(text(&|j, v| v as f64 + [100.0, -3.0, 0.0, 5000.0][j]));
    for figure in &plain {
        let key = figure.what.key;
        let relative = key.starts_with("mean_variation") || ["il", "il1", "changed"].contains(&key);
        let of_correlations = key.ends_with("correlations");
        let standardised =
            key.starts_with("pil") || ["il1s", "sse_sst", "mlodak", "changed"].contains(&key);
        if relative || standardised || of_correlations {
            assert_near(at(&units, key), at(&plain, key), key);
        }
        let keeps_origin = ["variances", "covariances", "correlations"]
            .iter()
            .any(|family| key.ends_with(family));
        if standardised || keeps_origin {
            assert_near(at(&shifted, key), at(&plain, key), key);
        }
    }
    let [mut before, mut after] = both;
    for cells in [&mut before, &mut after] {
        cells.reverse();
        cells.iter_mut().for_each(|record| record.reverse());
    }
    let turned = losses(&random_files::csv(&before), &random_files::csv(&after));
    for figure in &plain {
        if let Some(value) = figure.value {
            assert_near(at(&turned, figure.what.key), value, figure.what.key);
        }
    }
}

/// Whoever permutes values keeps means, variances and quantiles to the last bit.
#[test]
fn rank_swapping_keeps_what_it_says() {
    let cells = random_files::cells(&mut Dice(31), 200, 3, 0);
    let original = random_files::table(&cells);
    let method = RankSwap::new(Reach::Window(20), Partner::Unswapped).unwrap();
    let masked = mask(&method, original.clone(), 1).table;
    let figures = loss::figures(&pair_of(&original, &masked), &[]);
    for family in ["means", "variances", "quantiles"] {
        for kind in ["mean_square", "mean_absolute", "mean_variation", "pil"] {
            assert_eq!(at(&figures, &format!("{kind}_{family}")), 0.0, "{family}");
        }
    }
    assert!(at(&figures, "mean_absolute_correlations") > 0.0);
}

/// By hand: of 3 numbers one is suppressed and one is another; of 4 names one is suppressed and one recoded.
#[test]
fn cells_that_changed_by_hand() {
    let figures = losses("x,town\n1,a\n2,b\n,b\n4,c\n", "x,town\n1,a\n3,*\n9,b\n,d\n");
    assert_near(at(&figures, "suppressed"), 2.0 / 7.0, "suppressed");
    assert_near(at(&figures, "changed"), 4.0 / 7.0, "changed");
    let changed = find(&figures, "changed").unwrap();
    let parts: Vec<_> = changed.parts.iter().map(|part| part.value).collect();
    assert_eq!(parts, [Some(2.0 / 3.0), Some(0.5)]);
    // Each masked name, and none, belongs to one original name: nothing is lost.
    assert_eq!(at(&figures, "entropy_loss"), 0.0);
}

/// Merging masked categories loses entropy or nothing (data processing inequality), and all in the end.
#[test]
fn merging_categories_never_gives_entropy_back() {
    let mut dice = Dice(41);
    let original: Vec<u64> = (0..300).map(|_| dice.roll(6) * dice.roll(4)).collect();
    let noisy: Vec<u64> = original
        .iter()
        .map(|&v| if dice.roll(5) == 0 { dice.roll(16) } else { v })
        .collect();
    let text = |codes: &mut dyn Iterator<Item = u64>| {
        codes.fold("c\n".to_string(), |text, code| text + &format!("k{code}\n"))
    };
    let before = text(&mut original.iter().copied());
    let lost = |of: &mut dyn Iterator<Item = u64>| at(&losses(&before, &text(of)), "entropy_loss");
    let renamed = lost(&mut original.iter().map(|v| 99 - v));
    assert_eq!(renamed, 0.0);
    let steps = [16, 8, 4, 2, 1];
    let mut last = lost(&mut noisy.iter().copied());
    assert!(last > 0.0);
    for categories in steps {
        let merged = lost(&mut noisy.iter().map(|v| v * categories / 16));
        assert!(merged >= last - 1e-12, "{categories}: {merged} < {last}");
        last = merged;
    }
    assert_eq!(last, 1.0);
}

fn statistics_of(seed: u64, options: Options, original: &Table) -> (Table, Step) {
    let method = Noise::new(LEVEL, options).unwrap();
    assert_eq!(method.name(), "noise");
    let masked = mask(&method, original.clone(), seed);
    (masked.table, masked.step)
}

const LEVEL: f64 = 0.5;

/// Over the draws of noise: what users correct is unbiased, what they do not is off by k, as the seed's formulas say. Bounds are
/// five standard errors of the mean over the draws; correlations have a bias of the order 1/n, hence 1/n more.
#[test]
fn corrected_statistics_are_unbiased_and_others_off_by_the_level() {
    const RECORDS: usize = 200;
    const DRAWS: u64 = 100;
    let mut dice = Dice(51);
    let mut text = "a,b,c\n".to_string();
    for _ in 0..RECORDS {
        let (shared, skew) = (dice.roll(1000), dice.roll(30));
        let (b, c) = (2 * shared + dice.roll(1500), shared + dice.roll(700));
        text += &format!("{},{b},{c}\n", shared + skew * skew);
    }
    let original = read(&text);
    let more = 1.0 + LEVEL;
    for (correlated, restore) in [(false, false), (true, false), (false, true)] {
        let options = Options {
            correlated,
            restore,
            rounding: Rounding::None,
        };
        // For each statistic that is corrected: relative errors of the masked and of the corrected one.
        let mut errors: Vec<(&str, Vec<[f64; 2]>)> = Vec::new();
        for seed in 0..DRAWS {
            let (masked, statement) = statistics_of(seed, options, &original);
            let pair = pair_of(&original, &masked);
            let (_, correction) =
                loss::figures_and_correction(&pair, &[], &statement.clone().into());
            let correction = correction.unwrap();
            errors.resize(correction.estimates.len(), ("", Vec::new()));
            for (estimate, (what, of)) in correction.estimates.iter().zip(&mut errors) {
                *what = estimate.what.word();
                of.push([
                    estimate.masked / estimate.original - 1.0,
                    estimate.corrected / estimate.original - 1.0,
                ]);
            }
        }
        // Three variances, covariances, or correlations each.
        let expected: &[(&str, f64)] = match (correlated, restore) {
            (false, false) => &[("variance", more - 1.0), ("correlation", 1.0 / more - 1.0)],
            (true, _) => &[("variance", more - 1.0), ("covariance", more - 1.0)],
            (false, true) => &[
                ("covariance", 1.0 / more - 1.0),
                ("correlation", 1.0 / more - 1.0),
            ],
        };
        assert_eq!(errors.len(), 3 * expected.len());
        for (what, of) in &errors {
            let (_, naive) = expected.iter().find(|(name, _)| name == what).unwrap();
            for (side, bias) in [(0, *naive), (1, 0.0)] {
                let values = of.iter().map(|errors| errors[side]);
                let average = mean(values.clone());
                let squares = mean(values.map(|v| (v - average).powi(2)));
                let bound = 5.0 * (squares / DRAWS as f64).sqrt() + more / RECORDS as f64;
                assert!(
                    (average - bias).abs() < bound,
                    "{what} {correlated} {restore}: {average} is not {bias} within {bound}"
                );
                assert!(bound < 0.1, "{what}: the bound {bound} says nothing");
            }
        }
    }
}

/// The loss after correction is that of a file with the corrected statistics: with a level near 0 it is the naive one.
#[test]
fn a_correction_for_nothing_changes_nothing() {
    let original = random_files::table(&random_files::cells(&mut Dice(61), 80, 3, 0));
    let options = Options::default();
    let (masked, mut statement) = statistics_of(7, options, &original);
    if let Method::Noise(noise) = &mut statement.method {
        noise.level = 1e-15;
    }
    let pair = pair_of(&original, &masked);
    let (figures, correction) = loss::figures_and_correction(&pair, &[], &statement.clone().into());
    let correction = correction.unwrap();
    assert_eq!(figures, loss::figures(&pair, &[]));
    for both in &correction.figures {
        let key = both.naive.what.key;
        assert_eq!(both.naive.value, value(&figures, key));
        assert_near(
            both.corrected.value.unwrap(),
            both.naive.value.unwrap(),
            key,
        );
    }
    // IL and PIL, and four measures each of variances, covariances and correlations.
    assert_eq!(correction.figures.len(), 14);
}

/// Squares of 1e200 and sums of 1e308 are beyond the range of doubles, fourth powers of 1e100 too. What would be divided by
/// them is not 0 but undefined; what needs no square keeps its value: |x − x'| / x is 2, 1/2, 2/3 here.
#[test]
fn values_too_large_to_be_squared_are_no_proof_that_nothing_is_lost() {
    for (unit, undefined) in [
        (
            "e200",
            &[
                "il1s",
                "sse_sst",
                "pil",
                "pil_means",
                "pil_variances",
                "pil_quantiles",
            ][..],
        ),
        ("e100", &["pil", "pil_variances", "pil_covariances"]),
    ] {
        let file = |values: [u32; 3]| {
            let lines: String = values.map(|value| format!("{value}{unit}\n")).concat();
            format!("x\n{lines}")
        };
        let figures = losses(&file([1, 2, 3]), &file([3, 1, 5]));
        for &key in undefined {
            let figure = find(&figures, key).unwrap();
            assert_eq!(figure.value, None, "{unit} {key}");
            let why = figure.why_not.as_ref().unwrap();
            let says = why.contains("too large to be squared") || key == "pil";
            assert!(says, "{unit} {key}: {why}");
        }
        let il1 = (2.0 + 0.5 + 2.0 / 3.0) / 3.0;
        assert_near(at(&figures, "mean_variation_data"), il1, "il1");
    }
    // Means of these need a sum that is beyond all numbers; the figure in the middle does not.
    let figures = losses(
        "x\n1e308\n1.2e308\n1.5e308\n",
        "x\n1.5e308\n1e308\n1.2e308\n",
    );
    for figure in figures.iter().filter(|figure| {
        let key = figure.what.key;
        key.starts_with("pil") || key == "il1s" || key == "mean_variation_means"
    }) {
        let key = figure.what.key;
        match key {
            // Quantiles are the same in both files, as in every file of the same values.
            "pil_quantiles" => assert_eq!(figure.value, Some(0.0)),
            _ => assert_eq!(figure.value, None, "{key}"),
        }
    }
}
