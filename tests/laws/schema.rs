//! Matching of attributes: what must hold for every pair of files.

use sdcrisk::{
    schema::{ComparedBy, Distance, Matching, Options, Relation, ScaleBy, match_attributes},
    table::Table,
};

use crate::tables::table;

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

fn options() -> Options {
    Options {
        scale: ScaleBy::Z,
        distance: Distance::Hellinger,
        relation: Relation::OneToOne,
        within: None,
    }
}

fn matched(a: &Table, b: &Table, options: &Options) -> Matching {
    match_attributes([a, b], [None, None], options).unwrap()
}

/// The file with its attributes in reverse order, renamed `c0`, `c1` …, each multiplied and shifted in its own way, and its
/// records in another order. The second answer: the new name of each attribute, by its old one.
fn disguised(original: &Table) -> (Table, Vec<(String, String)>) {
    let ids: Vec<_> = original
        .ids()
        .filter(|&id| original.numbers(id).is_some())
        .collect();
    let mut text = String::new();
    let mut names = Vec::new();
    for (k, &id) in ids.iter().rev().enumerate() {
        text += &format!("{}c{k}", if k > 0 { "," } else { "" });
        names.push((original.attribute(id).name.clone(), format!("c{k}")));
    }
    text.push('\n');
    let n = original.n_records();
    for place in 0..n {
        // 7 and n have no common factor, so every record comes once.
        let record = place * 7 % n;
        let cells: Vec<String> = ids
            .iter()
            .rev()
            .enumerate()
            .map(|(k, &id)| {
                let value = original.numbers(id).unwrap().values[record];
                if original.is_missing(record, id) {
                    String::new()
                } else {
                    format!("{}", value * (0.37 + k as f64) - 1000.0 * k as f64)
                }
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    (table(text), names)
}

fn sampled(from: usize) -> Table {
    let text = String::from_utf8(CENSUS.to_vec()).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap().to_string();
    let records: Vec<&str> = lines.skip(from).step_by(2).collect();
    table(header + "\n" + &records.join("\n") + "\n")
}

#[test]
fn renamed_rescaled_and_shuffled_attributes_are_found_again() {
    let original = table(CENSUS);
    let (copy, names) = disguised(&original);
    assert!(names.len() >= 5);
    for distance in [Distance::Hellinger, Distance::L1] {
        for scale in [ScaleBy::Z, ScaleBy::Robust, ScaleBy::MinMax] {
            let options = Options {
                distance,
                scale,
                ..options()
            };
            let matching = matched(&original, &copy, &options);
            for pair in matching
                .pairs
                .iter()
                .filter(|pair| pair.by == ComparedBy::Density)
            {
                let expected = names.iter().find(|(old, _)| *old == pair.a_name).unwrap();
                assert_eq!(pair.b_name, expected.1, "{distance:?} {scale:?}");
                assert!(pair.equal, "{distance:?} {scale:?} {pair:?}");
            }
        }
    }
}

/// Nothing depends on threads, or on the order of the records.
#[test]
fn threads_and_the_order_of_records_change_no_bit() {
    let (a, b) = (sampled(0), sampled(1));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| matched(&a, &b, &options()))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(4));
    let order = (0..u32::try_from(b.n_records()).unwrap()).rev().collect();
    assert_eq!(one, matched(&a, &b.reordered(order), &options()));
}

/// A distance does not care which file comes first; so the least assignment is the same, read backwards.
#[test]
fn exchanging_the_files_exchanges_the_pairs() {
    let (a, b) = (sampled(0), sampled(1));
    for scale in [ScaleBy::Z, ScaleBy::None] {
        let options = Options { scale, ..options() };
        let there = matched(&a, &b, &options);
        let back = matched(&b, &a, &options);
        let mut turned: Vec<_> = back
            .pairs
            .iter()
            .map(|pair| (pair.b_name.clone(), pair.a_name.clone(), pair.distance))
            .collect();
        let mut pairs: Vec<_> = there
            .pairs
            .iter()
            .map(|pair| (pair.a_name.clone(), pair.b_name.clone(), pair.distance))
            .collect();
        turned.sort_by(|x, y| x.0.cmp(&y.0));
        pairs.sort_by(|x, y| x.0.cmp(&y.0));
        assert_eq!(pairs, turned);
    }
}

/// One-to-many gives each attribute its nearest, so no pair of a one-to-one matching is nearer.
#[test]
fn one_to_many_is_never_farther() {
    let (a, b) = (sampled(0), sampled(1));
    let many = Options {
        relation: Relation::OneToMany,
        ..options()
    };
    let (one, many) = (matched(&a, &b, &options()), matched(&a, &b, &many));
    for pair in &one.pairs {
        let free = many.pairs.iter().find(|free| free.a == pair.a).unwrap();
        assert!(free.distance <= pair.distance);
        assert!(free.margin().is_none_or(|margin| margin >= 0.0));
    }
}

/// By hand: `sex` and `ort` hold the same names in both files, though the shares of `town` (0.5, 0.5) are nearer to those of
/// `sex` than its own are; `grade` has no common names and gets what is left, `note`. `x` is a number, and never a name.
#[test]
fn names_are_matched_by_their_terms_first_and_never_with_numbers() {
    let a = table("sex,town,grade,x\nm,Hull,A,1\nf,Hull,A,2\nf,York,B,5\nf,York,C,9\n");
    let b = table("v1,v2,v3,v4\n10,York,one,m\n50,Hull,one,m\n20,York,two,f\n90,Hull,two,f\n");
    let matching = matched(&a, &b, &options());
    let pairs: Vec<_> = matching
        .pairs
        .iter()
        .map(|pair| (pair.a_name.as_str(), pair.b_name.as_str(), pair.by))
        .collect();
    assert_eq!(
        pairs,
        [
            ("sex", "v4", ComparedBy::Categories),
            ("town", "v2", ComparedBy::Categories),
            ("grade", "v3", ComparedBy::Shares),
            ("x", "v1", ComparedBy::Density),
        ]
    );
    // H² = ½((√.25 − √.5)² + (√.75 − √.5)²), by hand from the shares m ¼, f ¾ and m ½, f ½.
    let h = (0.5 * ((0.5 - 0.5_f64.sqrt()).powi(2) + (0.75_f64.sqrt() - 0.5_f64.sqrt()).powi(2)))
        .sqrt();
    assert!((matching.pairs[0].distance - h).abs() < 1e-12);
}

/// An attribute and twice itself have one shape: the report must say so instead of guessing.
#[test]
fn multiples_are_named_as_rivals_and_constants_left_out() {
    let mut text = "x,twice,other,flat\n".to_string();
    for i in 0..200_u32 {
        let x = i * i % 83;
        text += &format!("{x},{},{},7\n", 2 * x, i % 7);
    }
    let matching = matched(&table(text.clone()), &table(text), &options());
    let rivals = |name: &str| {
        let pair = matching
            .pairs
            .iter()
            .find(|pair| pair.a_name == name)
            .unwrap();
        pair.rivals.len()
    };
    assert_eq!((rivals("x"), rivals("twice"), rivals("other")), (1, 1, 0));
    for left_out in &matching.left_out {
        assert_eq!(left_out[0].attribute, "flat");
    }
    // Sizes tell them apart.
    let by_size = Options {
        scale: ScaleBy::None,
        ..options()
    };
    let text = "x,twice\n1,2\n2,4\n5,10\n9,18\n";
    let matching = matched(
        &table(text),
        &table(text.replace("x,twice", "p,q")),
        &by_size,
    );
    assert!(
        matching
            .pairs
            .iter()
            .all(|pair| pair.equal && pair.rivals.is_empty())
    );
}
