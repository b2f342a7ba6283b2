//! The table of RSLD and DLD on the Census file.
//!
//! Source: J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure risk", Data & Knowledge
//! Engineering 64, 2008, as printed in the slides of 2007 and 2015. The protocol (mean over an intruder who knows the first
//! 1, 2, …, 7 attributes) is not printed there; it was found by measurement.

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{link::Assign, score::Ties},
    mask::rank_swap::{RankSwap, Reach},
    statement::Partner,
};

use super::study::{Files, masked};

const FILES: u32 = 10;
const SWEEP: usize = 7;

/// p, published RSLD, published DLD, in percent.
const PUBLISHED: [(f64, f64, f64); 10] = [
    (2.0, 77.73, 73.52),
    (4.0, 66.65, 58.40),
    (6.0, 54.65, 43.76),
    (8.0, 41.28, 32.13),
    (10.0, 29.21, 23.64),
    (12.0, 19.87, 18.96),
    (14.0, 16.14, 15.63),
    (16.0, 13.81, 13.59),
    (18.0, 12.21, 11.50),
    (20.0, 10.88, 10.87),
];

/// Mean RSLD and DLD from the originals, and DLD from the masked records, in percent over ten masked files and the first 1..=7
/// attributes.
fn rates(p: f64) -> Option<(f64, f64, f64)> {
    let original = super::table("census.csv")?;
    let on: Vec<_> = original.ids().collect();
    let mut sums = (0.0, 0.0, 0.0);
    for replicate in 0..FILES {
        let method = RankSwap::new(Reach::Percent(p), Partner::Unswapped).unwrap();
        let masked = masked(&method, &original, &on, (2008, replicate));
        let files = Files::new(&original, &masked.table);
        let study = files.study();
        let back = files.towards(Direction::MaskedToOriginal);
        let known = &files.shared;
        let standardize = Standardize::Own;
        let bound = Bound::of_step(&masked.step).unwrap();
        for size in 1..=SWEEP {
            let case = study.case(&known[..size]);
            let rate =
                |attack: &dyn Attack| case.attack(attack, Assign::Best, false).unwrap().score;
            let rsld = rate(&RankSwapIntersection {
                bound: bound.clone(),
                standardize,
            });
            assert_eq!(
                rsld.contains_true, 1080,
                "p = {p}: the right window loses nobody"
            );
            assert_eq!(
                rsld.certain, rsld.certain_correct,
                "p = {p}: every certain link is true"
            );
            sums.0 += rsld.rate(Ties::Fair);
            let dld = rate(&DistanceBased { standardize }).rate(Ties::Fair);
            assert!(
                rsld.rate(Ties::Fair) >= dld,
                "p = {p}: in one direction the window only helps"
            );
            sums.1 += dld;
            let case = back.case(&known[..size]);
            let dld = case.attack(&DistanceBased { standardize }, Assign::Best, false);
            sums.2 += dld.unwrap().score.rate(Ties::Fair);
        }
    }
    let cases = f64::from(FILES) * SWEEP as f64;
    let percent = |sum: f64| 100.0 * sum / cases;
    Some((percent(sums.0), percent(sums.1), percent(sums.2)))
}

#[test]
fn census_rsld_is_near_the_published_column_and_keeps_its_shape() {
    let mut table = Vec::new();
    for (p, published_rsld, published_dld) in PUBLISHED {
        let Some((rsld, dld, back)) = rates(p) else {
            return;
        };
        println!(
            "p = {p}: RSLD {rsld:.2} (published {published_rsld}), DLD {dld:.2}, from masked to original {back:.2} (published {published_dld})"
        );
        // The source's pseudo-code links masked records to originals: that is nearer.
        assert!(
            p > 10.0 || (back - published_dld).abs() <= 3.0,
            "p = {p}: {back}"
        );
        assert!(
            p < 6.0 || (back - published_dld).abs() < (dld - published_dld).abs(),
            "p = {p}: {back} {dld}"
        );
        table.push((p, rsld, dld, published_rsld));
    }
    for &(p, rsld, dld, published) in &table {
        assert!(rsld >= dld, "p = {p}: {rsld} < {dld}");
        // Beyond p = 10 the published floors come from another rule for taken partners.
        assert!(
            p > 10.0 || (rsld - published).abs() <= 3.0,
            "p = {p}: {rsld:.2}, published {published}"
        );
    }
    for pair in table.windows(2) {
        assert!(
            pair[0].1 > pair[1].1 && pair[0].2 > pair[1].2,
            "both fall with p: {pair:?}"
        );
    }
    let gaps: Vec<f64> = table.iter().map(|row| row.1 - row.2).collect();
    let peak = (0..10)
        .max_by(|&a, &b| gaps[a].total_cmp(&gaps[b]))
        .unwrap();
    assert!(
        (1..=6).contains(&peak),
        "the gap peaks at middle p: {gaps:?}"
    );
    assert!(gaps[9] < gaps[peak] / 3.0, "and closes by p = 20: {gaps:?}");
}
