//! Laws of IPSO: what the variants keep, found again by another program.

use sdcrisk::{
    mask::{Details, Mask, Masked, ipso::Ipso},
    rng::{Purpose, Seed},
    statement::IpsoVariant,
    table::{AttrId, ReadOptions, Table},
};

use crate::random_files::Dice;

/// Four correlated amounts and a town; `x2` has gaps, and so has `y1`, if `gaps` is not 0 (one in `gaps`).
fn file(records: usize, gaps: u64, seed: u64) -> Table {
    let mut dice = Dice(seed);
    let mut csv = String::from("x1,x2,town,y1,y2,y3\n");
    for _ in 0..records {
        let x1 = dice.roll(1000) as f64;
        let x2 = 0.3 * x1 + dice.roll(400) as f64;
        let town = ["Hull", "York", "Leeds"][dice.roll(3) as usize];
        let y1 = 2.0 * x1 - x2 + dice.roll(300) as f64 + if town == "York" { 250.5 } else { 0.0 };
        let y2 = 0.5 * y1 + dice.roll(500) as f64;
        let cell = |value: f64, dice: &mut Dice| match gaps > 0 && dice.roll(gaps) == 0 {
            true => "NA".to_owned(),
            false => value.to_string(),
        };
        let (x2, y1_cell) = (cell(x2, &mut dice), cell(y1, &mut dice));
        csv += &format!("{x1},{x2},{town},{y1_cell},{y2},{}\n", y1 + 3.0 * y2 + 1e6);
    }
    Table::read("f.csv", csv.into_bytes(), &ReadOptions::default()).unwrap()
}

fn ids(table: &Table, names: &[&str]) -> Vec<AttrId> {
    names.iter().map(|name| table.find(name).unwrap()).collect()
}

fn run(table: &Table, variant: IpsoVariant, kept: &[&str], on: &[&str], seed: u64) -> Masked {
    let kept = kept.iter().map(|&name| name.to_owned()).collect();
    Ipso::new(variant, kept)
        .unwrap()
        .mask(
            table.clone(),
            &ids(table, on),
            &Seed::from_number(seed).streams(Purpose::Mask, 0),
        )
        .unwrap()
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    table
        .numbers(table.find(name).unwrap())
        .unwrap()
        .values
        .to_vec()
}

/// The design matrix: a constant, the numbers, and a column for each category but the first.
fn design(table: &Table, kept: &[&str], records: &[usize]) -> Vec<Vec<f64>> {
    let mut columns = vec![vec![1.0; records.len()]];
    for name in kept {
        let id = table.find(name).unwrap();
        match table.numbers(id) {
            Some(numbers) => columns.push(records.iter().map(|&r| numbers.values[r]).collect()),
            None => {
                for town in ["York", "Leeds"] {
                    let member = |&r: &usize| f64::from(u8::from(table.text(r, id) == town));
                    columns.push(records.iter().map(member).collect());
                }
            }
        }
    }
    columns
}

/// Coefficients by the normal equations, solved by elimination with pivots, refined three times.
fn coefficients(x: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let solve = |right: Vec<f64>| {
        let p = x.len();
        let mut rows: Vec<Vec<f64>> = (0..p)
            .map(|i| {
                let mut row: Vec<f64> = x.iter().map(|column| product(&x[i], column)).collect();
                row.push(right[i]);
                row
            })
            .collect();
        for step in 0..p {
            let pivot =
                (step..p).max_by(|&a, &b| rows[a][step].abs().total_cmp(&rows[b][step].abs()));
            rows.swap(step, pivot.unwrap());
            for other in step + 1..p {
                let factor = rows[other][step] / rows[step][step];
                for k in step..=p {
                    rows[other][k] -= factor * rows[step][k];
                }
            }
        }
        let mut solution = vec![0.0; p];
        for i in (0..p).rev() {
            let known: f64 = (i + 1..p).map(|k| rows[i][k] * solution[k]).sum();
            solution[i] = (rows[i][p] - known) / rows[i][i];
        }
        solution
    };
    let mut b = vec![0.0; x.len()];
    for _ in 0..4 {
        let left = residuals(x, y, &b);
        let step = solve(x.iter().map(|column| product(column, &left)).collect());
        b.iter_mut().zip(step).for_each(|(b, step)| *b += step);
    }
    b
}

fn residuals(x: &[Vec<f64>], y: &[f64], b: &[f64]) -> Vec<f64> {
    (0..y.len())
        .map(|r| {
            y[r] - x
                .iter()
                .zip(b)
                .map(|(column, b)| column[r] * b)
                .sum::<f64>()
        })
        .collect()
}

fn covariance(residuals: &[Vec<f64>]) -> Vec<f64> {
    let mut entries = Vec::new();
    for a in residuals {
        for b in residuals {
            entries.push(a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len() as f64);
        }
    }
    entries
}

/// B and S of some attributes over some records.
fn refitted(table: &Table, kept: &[&str], on: &[&str], records: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let x = design(table, kept, records);
    let mut all = Vec::new();
    let mut left = Vec::new();
    for name in on {
        let values = column(table, name);
        let y: Vec<f64> = records.iter().map(|&r| values[r]).collect();
        let b = coefficients(&x, &y);
        left.push(residuals(&x, &y, &b));
        all.extend(b);
    }
    (all, covariance(&left))
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    a.iter()
        .zip(b)
        .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
        / largest
}

const KEPT: [&str; 3] = ["x1", "x2", "town"];
const ON: [&str; 3] = ["y1", "y2", "y3"];

#[test]
fn refits_give_what_each_variant_promises() {
    let table = file(400, 0, 5);
    let everyone: Vec<usize> = (0..400).collect();
    let (b, s) = refitted(&table, &KEPT, &ON, &everyone);
    for seed in 0..3 {
        let of = |variant| {
            let masked = run(&table, variant, &KEPT, &ON, seed).table;
            refitted(&masked, &KEPT, &ON, &everyone)
        };
        let (b_a, s_a) = of(IpsoVariant::A);
        assert!(farthest(&b, &b_a) < 1e-10);
        assert!(
            s_a.iter().all(|entry| entry.abs() < 1e-12 * s[8]),
            "no residuals are left"
        );
        let (b_b, s_b) = of(IpsoVariant::B);
        assert!(farthest(&b, &b_b) < 1e-10);
        assert!(farthest(&s, &s_b) > 1e-3, "b draws its own covariance");
        assert!(farthest(&s, &s_b) < 0.5);
        let (b_c, s_c) = of(IpsoVariant::C);
        assert!(farthest(&b, &b_c) < 1e-10, "{}", farthest(&b, &b_c));
        assert!(farthest(&s, &s_c) < 1e-10, "{}", farthest(&s, &s_c));
    }
}

/// y3 = y1 + 3 y2 + 10⁶ exactly: its residual is that of the others, and the relation stays.
#[test]
fn dependences_within_the_masked_attributes_stay() {
    let table = file(300, 0, 6);
    for variant in [IpsoVariant::A, IpsoVariant::B, IpsoVariant::C] {
        let masked = run(&table, variant, &KEPT, &ON, 1).table;
        let [y1, y2, y3] = ON.map(|name| column(&masked, name));
        for r in 0..300 {
            assert!((y1[r] + 3.0 * y2[r] + 1e6 - y3[r]).abs() < 1e-6);
        }
        assert_ne!(y1, column(&table, "y1"));
    }
}

/// By hand: x = 0, 1, 2, 3 and y = 1, 3, 2, 6 give the line 0.9 + 1.4 x.
#[test]
fn variant_a_writes_the_line() {
    let csv = b"x,y\n0,1\n1,3\n2,2\n3,6\n".to_vec();
    let table = Table::read("f.csv", csv, &ReadOptions::default()).unwrap();
    let masked = run(&table, IpsoVariant::A, &["x"], &["y"], 1);
    for (y, expected) in column(&masked.table, "y").iter().zip([0.9, 2.3, 3.7, 5.1]) {
        assert!((y - expected).abs() < 1e-14);
    }
    // Squares: about the mean 14, of the residuals 4.2.
    let Details::Ipso(fit) = masked.details else {
        panic!("ipso tells its fit")
    };
    assert!((fit.explained[0] - 0.7).abs() < 1e-14, "{fit:?}");
}

#[test]
fn gaps_stay_and_no_original_value_does() {
    let table = file(300, 9, 7);
    let complete: Vec<usize> = (0..300)
        .filter(|&r| table.ids().all(|id| !table.is_missing(r, id)))
        .collect();
    assert!((150..290).contains(&complete.len()));
    let (b, s) = refitted(&table, &KEPT, &ON, &complete);
    for variant in [IpsoVariant::B, IpsoVariant::C] {
        let masked = run(&table, variant, &KEPT, &ON, 3);
        let Details::Ipso(fit) = &masked.details else {
            panic!("ipso tells its fit")
        };
        assert_eq!(fit.records, complete.len());
        for name in ON {
            let id = table.find(name).unwrap();
            assert_eq!(table.missing(id), masked.table.missing(id));
            let (old, new) = (column(&table, name), column(&masked.table, name));
            assert!(
                (0..300).all(|r| table.is_missing(r, id) || old[r] != new[r]),
                "{name}"
            );
        }
        let (b_again, s_again) = refitted(&masked.table, &KEPT, &ON, &complete);
        assert!(farthest(&b, &b_again) < 1e-10);
        if variant == IpsoVariant::C {
            assert!(farthest(&s, &s_again) < 1e-10);
        }
    }
}

/// A timestamp: all its spread is one part in 10⁹ of its size.
#[test]
fn a_small_spread_around_a_large_mean_counts() {
    let mut dice = Dice(8);
    let mut csv = String::from("when,y\n");
    for _ in 0..50 {
        let when = dice.roll(10);
        csv += &format!("{},{}\n", 1_700_000_000 + when, 5 * when);
    }
    let table = Table::read("f.csv", csv.into_bytes(), &ReadOptions::default()).unwrap();
    let masked = run(&table, IpsoVariant::A, &["when"], &["y"], 1);
    let Details::Ipso(fit) = &masked.details else {
        panic!("ipso tells its fit")
    };
    assert_eq!(
        (fit.rank, fit.determined.as_slice()),
        (2, &["y".to_owned()][..])
    );
    for (new, old) in column(&masked.table, "y").iter().zip(column(&table, "y")) {
        assert!((new - old).abs() < 1e-6);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let table = file(12, 0, 9);
    let refused = |variant, kept: &[&str], on: &[&str]| {
        let kept = kept.iter().map(|&name| name.to_owned()).collect();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        let method = Ipso::new(variant, kept)?;
        method
            .mask(table.clone(), &ids(&table, on), &streams)
            .map(|_| ())
    };
    let says = |result: sdcrisk::error::Result<()>, what: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(what), "{text}");
    };
    says(
        refused(IpsoVariant::A, &[], &["y1"]),
        "needs attributes to keep",
    );
    let few = Table::read(
        "f.csv",
        b"x,y,z\n1,2,5\n3,5,1\n4,4,4\n".to_vec(),
        &ReadOptions::default(),
    )
    .unwrap();
    let of_few = |variant, kept: &[&str], on: &[&str]| {
        let kept = kept.iter().map(|&name| name.to_owned()).collect();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        Ipso::new(variant, kept)?
            .mask(few.clone(), &ids(&few, on), &streams)
            .map(|_| ())
    };
    says(
        of_few(IpsoVariant::A, &["x", "y"], &["z"]),
        "every value would come out unchanged",
    );
    assert!(of_few(IpsoVariant::C, &["x"], &["y"]).is_ok());
}

#[test]
fn draws_are_pinned() {
    let table = file(40, 0, 10);
    let masked = run(&table, IpsoVariant::B, &KEPT, &["y1", "y2"], 42).table;
    let alone = run(&table, IpsoVariant::B, &KEPT, &["y1"], 42).table;
    // The first attribute in the order of the factor uses its own stream only, whatever else is masked. Which is first, the
    // residuals decide; alone it is y1.
    let again = run(&table, IpsoVariant::B, &KEPT, &["y1", "y2"], 42).table;
    assert_eq!(column(&masked, "y1"), column(&again, "y1"));
    let other = run(&table, IpsoVariant::B, &KEPT, &["y1", "y2"], 43).table;
    assert_ne!(column(&masked, "y1"), column(&other, "y1"));
    assert_eq!(column(&alone, "y1"), column(&masked, "y1"));
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let there = pool.install(|| run(&table, IpsoVariant::C, &KEPT, &ON, 42).table);
        let here = run(&table, IpsoVariant::C, &KEPT, &ON, 42).table;
        assert_eq!(
            column(&there, "y2"),
            column(&here, "y2"),
            "{threads} threads"
        );
    }
}
