//! IPSO: what each variant keeps, by a refit that is written here.

use sdcrisk::{
    mask::{
        Details, Mask, Masked, Rounding,
        ipso::{Fit, Ipso},
    },
    rng::{Purpose, Seed},
    statement::IpsoVariant::{self, A, B, C},
    table::{AttrId, Table},
};

use crate::tables::table;

use crate::{least_squares::least_squares, random_files::Dice};

fn ids(table: &Table, names: &[&str]) -> Vec<AttrId> {
    names.iter().map(|name| table.find(name).unwrap()).collect()
}

fn ipso(variant: IpsoVariant, x: &[&str], intercept: bool) -> Ipso {
    let names = x.iter().map(|&name| name.to_owned()).collect();
    Ipso::new(variant, names, intercept, Rounding::None).unwrap()
}

fn masked(table: &Table, method: &Ipso, y: &[&str], seed: u64) -> sdcrisk::error::Result<Masked> {
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    method.mask(table.clone(), &ids(table, y), &streams)
}

fn fit(masked: &Masked) -> &Fit {
    let Details::Ipso(fit) = &masked.details else {
        panic!("no fit")
    };
    fit
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    table
        .numbers(table.find(name).unwrap())
        .unwrap()
        .values
        .to_vec()
}

/// `records` records of three correlated attributes x and three y that follow them; one cell in `gap` is missing (0: none).
fn correlated(seed: u64, records: usize, gap: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::from("x0,x1,x2,y0,y1,y2\n");
    for _ in 0..records {
        let mut noise = |size: u64| dice.roll(size) as f64 / 7.0;
        let x0 = noise(10_000);
        let x1 = 0.5 * x0 + noise(3000);
        let x2 = 1e6 + x1 - x0 + noise(500);
        let y0 = 2.0 * x0 - x1 + noise(2000);
        let y1 = x2 * 3.0 + y0 + noise(4000);
        let y2 = noise(100_000) - y1;
        let cells: Vec<String> = [x0, x1, x2, y0, y1, y2]
            .iter()
            .map(|value| {
                if gap > 0 && dice.roll(gap) == 0 {
                    "NA".into()
                } else {
                    value.to_string()
                }
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

const X: [&str; 3] = ["x0", "x1", "x2"];
const Y: [&str; 3] = ["y0", "y1", "y2"];

/// Coefficients and residuals of each y on the x over these records.
fn refit(table: &Table, records: &[usize], intercept: bool) -> Vec<(Vec<f64>, Vec<f64>)> {
    let take = |name: &str| -> Vec<f64> {
        let all = column(table, name);
        records.iter().map(|&r| all[r]).collect()
    };
    let mut x: Vec<Vec<f64>> = X.iter().map(|name| take(name)).collect();
    if intercept {
        // x2 lies near 1e6: the reference should not lose digits to that either.
        x[2].iter_mut().for_each(|v| *v -= 1e6);
        x.push(vec![1.0; records.len()]);
    }
    Y.iter()
        .map(|name| least_squares(&x, &take(name)))
        .collect()
}

#[track_caller]
fn assert_near(found: f64, expected: f64, scale: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 1e-9 * scale,
        "{what}: {found} instead of {expected}"
    );
}

/// Burridge 2003: B^ is kept by all, Σ^ by C.
#[test]
fn a_refit_finds_the_same_regression() {
    for (seed, records, gap) in [(1, 200, 0), (2, 30, 0), (3, 400, 15)] {
        let original = table(correlated(seed, records, gap));
        let complete: Vec<usize> = (0..records)
            .filter(|&r| !original.ids().any(|id| original.is_missing(r, id)))
            .collect();
        for intercept in [true, false] {
            let before = refit(&original, &complete, intercept);
            for variant in [A, B, C] {
                let result = masked(&original, &ipso(variant, &X, intercept), &Y, seed).unwrap();
                assert_eq!(fit(&result).records, complete.len());
                let after = refit(&result.table, &complete, intercept);
                for (old, new) in before.iter().zip(&after) {
                    for (k, (&b, &c)) in old.0.iter().zip(&new.0).enumerate() {
                        assert_near(
                            c,
                            b,
                            b.abs().max(1e-2),
                            &format!("{variant:?} coefficient {k}"),
                        );
                    }
                }
                for i in 0..3 {
                    for j in 0..3 {
                        let product = |fits: &[(Vec<f64>, Vec<f64>)], i: usize, j: usize| -> f64 {
                            fits[i].1.iter().zip(&fits[j].1).map(|(a, b)| a * b).sum()
                        };
                        let scale = (product(&before, i, i) * product(&before, j, j)).sqrt();
                        let (old, new) = (product(&before, i, j), product(&after, i, j));
                        match variant {
                            A => assert_near(new, 0.0, scale, "A has no residuals"),
                            C => assert_near(new, old, scale, "C keeps the covariance"),
                            B => assert!(i != j || (new / old - 1.0).abs() < 0.8, "{new} {old}"),
                        }
                    }
                }
            }
        }
    }
}

/// By hand: through (1,1), (2,2), (3,2), (4,5): x̄ = y̅ = 2.5, Sxy = 6, Sxx = 5, so y = -0.5 + 1.2 x. Without a constant
/// b = Σxy / Σx² = (1 + 4 + 6 + 20) / 30 = 31/30. R² = 7.2 / 9.
#[test]
fn four_records_by_hand() {
    let original = table("x,y\n1,1\n2,2\n3,2\n4,5\n");
    for (intercept, expected) in [
        (true, [0.7, 1.9, 3.1, 4.3]),
        (false, [31.0 / 30.0, 62.0 / 30.0, 93.0 / 30.0, 124.0 / 30.0]),
    ] {
        let result = masked(&original, &ipso(A, &["x"], intercept), &["y"], 0).unwrap();
        for (found, expected) in column(&result.table, "y").iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
        assert_eq!(column(&result.table, "x"), [1.0, 2.0, 3.0, 4.0]);
        if intercept {
            assert!((fit(&result).r_squared[0].unwrap() - 0.8).abs() < 1e-14);
        }
    }
}

/// A nominal attribute alone predicts the mean of each category: 1 and 3 make 2; 10, 20 and 60 make 30.
#[test]
fn categories_get_their_means() {
    let original = table("town,y\nu,1\nv,10\nu,3\nv,20\nv,60\nu,\n,7\n");
    let result = masked(&original, &ipso(A, &["town"], true), &["y"], 0).unwrap();
    let y = column(&result.table, "y");
    for (found, expected) in y.iter().zip([2.0, 30.0, 2.0, 30.0, 30.0]) {
        assert!((found - expected).abs() < 1e-13, "{y:?}");
    }
    assert!(result.table.is_missing(5, result.table.find("y").unwrap()));
    // The gap counts as each category at its share: 2/5 · 2 + 3/5 · 30 = 18.8, the mean of y.
    assert!((y[6] - 18.8).abs() < 1e-13, "{y:?}");
    // The two columns of town add up to the constant: without it the fit would be the same.
    let method = ipso(A, &["town"], false);
    let without = masked(&original, &method, &["y"], 0).unwrap();
    assert_eq!(column(&without.table, "y"), y);
    assert_eq!(without.step, result.step);
    let idle = method.idle(&original, &[original.find("y").unwrap()]);
    assert!(
        idle.len() == 1 && idle[0].starts_with("--no-intercept has no effect"),
        "{idle:?}"
    );
}

#[test]
fn gaps_stay_and_no_old_value_survives_beside_them() {
    let original = table(correlated(9, 300, 8));
    for variant in [A, B, C] {
        let result = masked(&original, &ipso(variant, &X, true), &Y, 5).unwrap();
        for name in Y {
            let id = original.find(name).unwrap();
            assert_eq!(original.missing(id), result.table.missing(id));
            let (old, new) = (column(&original, name), column(&result.table, name));
            for r in 0..300 {
                assert!(
                    original.is_missing(r, id) || old[r] != new[r],
                    "{variant:?} {name}"
                );
            }
        }
    }
}

#[test]
fn collinear_attributes_add_nothing_and_change_nothing() {
    let plain = table(correlated(4, 100, 0));
    let mut text = String::new();
    for (number, line) in correlated(4, 100, 0).lines().enumerate() {
        let twice = line
            .split(',')
            .next()
            .unwrap()
            .parse::<f64>()
            .map(|x| 3.0 - 2.0 * x);
        let more = if number == 0 {
            "d,c".into()
        } else {
            format!("{},5", twice.unwrap())
        };
        text += &format!("{line},{more}\n");
    }
    let wider = table(text.as_str());
    let all = ["x0", "x1", "x2", "d", "c"];
    for variant in [A, B, C] {
        let expected = masked(&plain, &ipso(variant, &X, true), &Y, 3).unwrap();
        let found = masked(&wider, &ipso(variant, &all, true), &Y, 3).unwrap();
        assert_eq!((fit(&found).rank, fit(&found).columns), (4, 6));
        assert_eq!(fit(&found).added_nothing.len(), 2, "{:?}", fit(&found));
        assert!(fit(&found).added_nothing.contains(&"c".to_owned()));
        for name in Y {
            let (a, b) = (column(&expected.table, name), column(&found.table, name));
            for (a, b) in a.iter().zip(&b) {
                assert_near(*b, *a, 1e6, name);
            }
        }
    }
}

/// y2 = y0 + y1 holds among the residuals too (Σ^ is singular), and B and C keep it.
#[test]
fn dependent_replaced_attributes_stay_dependent() {
    let mut text = String::from("x,y0,y1,y2\n");
    let mut dice = Dice(8);
    for _ in 0..50 {
        let (x, a, b) = (dice.roll(900), dice.roll(500), dice.roll(300));
        text += &format!("{x},{},{},{}\n", x + a, b, x + a + b);
    }
    let original = table(text.as_str());
    for variant in [B, C] {
        let result = masked(&original, &ipso(variant, &["x"], true), &Y, 1).unwrap();
        assert_eq!(fit(&result).residual_follows, [false, false, true]);
        let [a, b, sum] = Y.map(|name| column(&result.table, name));
        for r in 0..50 {
            assert_near(a[r] + b[r], sum[r], 1.0, "the sum");
        }
    }
}

#[test]
fn the_order_of_records_does_not_matter_to_a() {
    let original = table(correlated(6, 150, 12));
    let order: Vec<u32> = (0..150).map(|r| (r * 77 + 5) % 150).collect();
    let shuffled = original.clone().reordered(order.clone());
    let method = ipso(A, &X, true);
    let one = masked(&original, &method, &Y, 0).unwrap();
    let other = masked(&shuffled, &method, &Y, 0).unwrap();
    for name in Y {
        let (one, other) = (column(&one.table, name), column(&other.table, name));
        for (r, &source) in order.iter().enumerate() {
            assert_near(other[r], one[source as usize], 1e5, name);
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    // More records than two chunks of a sum.
    let original = table(correlated(5, 40_000, 50));
    for variant in [A, B, C] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let result = pool
                .install(|| masked(&original, &ipso(variant, &X, true), &Y, 2))
                .unwrap();
            Y.map(|name| column(&result.table, name))
        };
        let one = run(1);
        assert!(one == run(2) && one == run(4), "{variant:?}");
    }
}

/// Σ^ of a single attribute is free of how it is factored, so the draws are seen directly: with X constant, B is
/// ȳ + σ^ (z - z̄) for the normals z of the attribute's stream.
#[test]
fn draws_are_pinned() {
    use rand_distr::{Distribution, StandardNormal};
    let original = table("x,y\n4,1\n4,2\n4,3\n4,6\n");
    let result = masked(&original, &ipso(B, &["x"], true), &["y"], 11).unwrap();
    let mut rng = Seed::from_number(11)
        .streams(Purpose::Mask, 0)
        .of_attribute("y");
    let z: [f64; 4] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
    let mean = z.iter().sum::<f64>() / 4.0;
    let sd = (14.0_f64 / 4.0).sqrt();
    for (found, z) in column(&result.table, "y").iter().zip(z) {
        assert!((found - (3.0 + sd * (z - mean))).abs() < 1e-13);
    }
}

#[test]
fn degenerate_files_are_refused_or_finite() {
    let files = [
        "x0,x1,y0,y1\n",
        "x0,x1,y0,y1\n1,2,3,4\n",
        "x0,x1,y0,y1\n1,2,3,4\n2,2,5,1\n",
        "x0,x1,y0,y1\n5,5,5,5\n5,5,5,5\n5,5,5,5\n5,5,5,5\n5,5,5,5\n",
        "x0,x1,y0,y1\n1,1,1,1\n2,2,2,2\n7,7,7,7\n9,9,9,9\n8,8,8,8\n4,4,4,4\n",
        "x0,x1,y0,y1\nNA,1,2,NA\n3,NA,NA,4\nNA,NA,1,2\n",
        "x0,x1,y0,y1\n0,0,1,2\n0,0,3,1\n0,0,4,1\n0,0,5,9\n",
        "x0,x1,y0,y1\n1e308,1e-308,-1e308,5e-324\n-1e308,0,1e308,0\n2,5e-324,3,1\n3,1,2,2\n7,2,9,1e-300\n1,1,1e308,4\n",
        "x0,x1,y0,y1\n1,1,1,1\n2,1,5,3\n3,NA,4,3\n1e308,2,1,4\n5,3,NA,2\n7,1,2,2\n8,5,5,5\n1e300,NA,4,1\n",
    ];
    let mut results = 0;
    for text in files {
        let original = table(text);
        let y: Vec<&str> = ["y0", "y1"]
            .into_iter()
            .filter(|name| original.numbers(original.find(name).unwrap()).is_some())
            .collect();
        for variant in [A, B, C] {
            for intercept in [true, false] {
                match masked(&original, &ipso(variant, &["x0", "x1"], intercept), &y, 1) {
                    Ok(result) => {
                        results += 1;
                        for name in &y {
                            let id = result.table.find(name).unwrap();
                            let cells = column(&result.table, name);
                            assert!(cells.iter().all(|v| v.is_finite()), "{text}");
                            for r in 0..original.n_records() {
                                let cell = result.table.text(r, id);
                                assert!(!cell.contains("inf") && !cell.contains("NaN"), "{cell}");
                            }
                        }
                    }
                    Err(error) => {
                        let says = error.to_string();
                        assert!(
                            [
                                "nothing to fit",
                                "cannot be fitted",
                                "too large",
                                "add up to a constant"
                            ]
                            .iter()
                            .any(|words| says.contains(words)),
                            "{says}"
                        );
                    }
                }
            }
        }
    }
    assert!(results >= 12, "{results}");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let original = table("x,y0,y1,y2\n1,5,2,3\n2,3,8,1\n4,1,1,9\n7,4,4,4\n");
    // Four records, a constant and x: two records more than columns, three attributes.
    let error = masked(&original, &ipso(C, &["x"], true), &Y, 1)
        .unwrap_err()
        .to_string();
    assert!(error.contains("needs at least 5"), "{error}");
    assert!(masked(&original, &ipso(C, &["x"], true), &["y0", "y1"], 1).is_ok());
    assert!(masked(&original, &ipso(B, &["x"], true), &Y, 1).is_ok());
    let error = masked(&original, &ipso(A, &["x", "y0"], true), &["y0"], 1).unwrap_err();
    assert!(error.to_string().contains("kept"), "{error}");
    assert!(Ipso::new(A, Vec::new(), true, Rounding::None).is_err());
    // One town alone: its record is fitted exactly.
    let towns = table("town,y\nu,1\nu,5\nv,9\n");
    let result = masked(&towns, &ipso(A, &["town"], true), &["y"], 1).unwrap();
    assert_eq!(fit(&result).reproduced, 1);
}
