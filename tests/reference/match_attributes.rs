//! Matching the attributes of the Census file with those of a copy of which nothing was left: attributes in another order, with
//! other names, in other units, records shuffled; as it is, and after maskings.

use sdcrisk::{
    mask::{
        Mask,
        microaggregation::{Blocks, Microaggregation},
        noise::{Noise, Options as NoiseOptions},
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    schema::{Distance, Matching, Options, Relation, ScaleBy, match_attributes},
    statement::{Grouping, Partner},
    table::{ReadOptions, Table},
};

/// Attribute `k` of the copy is attribute `(5k + 3) mod 13` of the file, times `k + 0.3`, plus `1000 (6 − k)`.
fn disguised(original: &Table) -> Table {
    let ids: Vec<_> = original.ids().collect();
    let places: Vec<usize> = (0..ids.len()).map(source).collect();
    let header: Vec<String> = (0..ids.len()).map(|k| format!("c{k}")).collect();
    let mut text = header.join(",") + "\n";
    let n = original.n_records();
    for place in 0..n {
        let cell = |(k, &place_of): (usize, &usize)| {
            // 7 does not divide 1080.
            let value = original.numbers(ids[place_of]).unwrap().values[place * 7 % n];
            format!("{}", value * (k as f64 + 0.3) + 1000.0 * (6.0 - k as f64))
        };
        let cells: Vec<String> = places.iter().enumerate().map(cell).collect();
        text += &(cells.join(",") + "\n");
    }
    Table::read("copy.csv", text.into_bytes(), &ReadOptions::default()).unwrap()
}

fn source(k: usize) -> usize {
    (5 * k + 3) % 13
}

fn matched(original: &Table, copy: &Table) -> Matching {
    let options = Options {
        scale: ScaleBy::Z,
        distance: Distance::Hellinger,
        relation: Relation::OneToOne,
        within: None,
    };
    match_attributes([original, copy], [None, None], &options).unwrap()
}

/// How many attributes got their own, and how many have their own among partner and rivals.
fn right(matching: &Matching) -> (usize, usize) {
    let own = |a: usize, b: usize| source(b) == a;
    let pairs = &matching.pairs;
    let hit = pairs
        .iter()
        .filter(|pair| own(pair.a.index(), pair.b.index()));
    let near = pairs.iter().filter(|pair| {
        let mut all = pair.rivals.iter().map(|rival| rival.b).chain([pair.b]);
        all.any(|b| own(pair.a.index(), b.index()))
    });
    (hit.count(), near.count())
}

#[test]
fn all_13_attributes_are_recovered_without_doubt() {
    let Some(original) = super::table("census.csv") else {
        return;
    };
    let matching = matched(&original, &disguised(&original));
    assert_eq!(right(&matching), (13, 13));
    for pair in &matching.pairs {
        assert!(pair.equal && pair.rivals.is_empty(), "{pair:?}");
    }
}

/// Rank swapping permutes values, so no density moves. Noise of a hundredth of the variance moves them a little: all are still
/// recovered. With a tenth, TAXINC, AGI and the four sums of earnings, which are nearly one distribution, can change places:
/// then the right one must at least be named.
#[test]
fn masked_attributes_are_recovered_or_named() {
    let Some(original) = super::table("census.csv") else {
        return;
    };
    let on: Vec<_> = original.ids().collect();
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    let swap = RankSwap::new(Reach::Percent(10.0), Partner::Unswapped).unwrap();
    let swapped = swap.mask(original.clone(), &on, &streams).unwrap().table;
    assert_eq!(right(&matched(&original, &disguised(&swapped))), (13, 13));
    for (level, at_least) in [(0.01, 13), (0.1, 8)] {
        let noise = Noise::new(level, NoiseOptions::default()).unwrap();
        let noisy = noise.mask(original.clone(), &on, &streams).unwrap().table;
        let (hit, near) = right(&matched(&original, &disguised(&noisy)));
        println!("noise {level}: {hit} of 13, {near} with rivals");
        assert!(hit >= at_least && near == 13, "{level}: {hit} {near}");
    }
    // Groups of 3 leave the shapes; groups of 10 pull many together.
    for (k, at_least, at_least_near) in [(3, 13, 13), (10, 7, 12)] {
        let grouped = Microaggregation::new(Grouping::Mdav, Blocks::Together { k }).unwrap();
        let averaged = grouped.mask(original.clone(), &on, &streams).unwrap().table;
        let (hit, near) = right(&matched(&original, &disguised(&averaged)));
        println!("groups of {k}: {hit} of 13, {near} with rivals");
        assert!(
            hit >= at_least && near >= at_least_near,
            "{k}: {hit} {near}"
        );
    }
}
