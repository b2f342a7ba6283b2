//! Optimal and refined microaggregation on the reference files: 100·SSE/SST of z-scored columns beside the literature's.
#![allow(
    clippy::cast_possible_truncation,
    reason = "some thousands of records, whole amounts"
)]

use sdcrisk::{
    mask::microaggregation::{
        Partition,
        exchange::exchange,
        projection::{Projection, projected},
        squared_distance,
        tour::along_tour,
        univariate::optimal,
    },
    statement::ArcCost,
    stats::moments::moments_by_attribute,
    table::{Matrix, Table},
};

/// The reference files of microaggregation: the attributes that are used of each.
fn standardised(file: &str) -> Option<Matrix> {
    let table: Table = super::table(file)?;
    let on: Vec<_> = table
        .ids()
        .filter(|&id| {
            let name = &table.attribute(id).name;
            let eia = ["UTILNAME", "STATE", "YEAR", "MONTH"];
            file != "eia.csv" || !eia.contains(&name.as_str())
        })
        .collect();
    let numbers: Vec<_> = on.iter().map(|&id| table.numbers(id).unwrap()).collect();
    let all: Vec<u32> = (0..table.n_records() as u32).collect();
    let mut points = Matrix::gather(&numbers, &all);
    let moments = moments_by_attribute(&points);
    points.map(|attribute, value| (value - moments[attribute].mean) / moments[attribute].sd);
    Some(points)
}

fn in_one(points: &Matrix) -> Partition {
    let all: Vec<u32> = (0..points.n_records() as u32).collect();
    Partition::from_groups(all.len(), [&all[..]])
}

fn loss(points: &Matrix, partition: &Partition) -> f64 {
    100.0 * partition.sse(points) / in_one(points).sse(points)
}

/// MDAV as the Handbook has it, plainly: all distances anew at every step.
fn mdav(points: &Matrix, k: usize) -> Partition {
    let row = |record: u32| points.row(record as usize);
    let farthest = |rest: &[u32], from: &[f64]| {
        let far = |&record: &u32| {
            (
                squared_distance(row(record), from),
                std::cmp::Reverse(record),
            )
        };
        let by = |a: &u32, b: &u32| far(a).0.total_cmp(&far(b).0).then(far(a).1.cmp(&far(b).1));
        rest.iter().copied().max_by(by).unwrap()
    };
    let mean = |rest: &[u32]| -> Vec<f64> {
        let sum = |axis: usize| rest.iter().map(|&r| row(r)[axis]).sum::<f64>();
        (0..points.n_attributes())
            .map(|axis| sum(axis) / rest.len() as f64)
            .collect()
    };
    let mut rest: Vec<u32> = (0..points.n_records() as u32).collect();
    let mut groups = Vec::new();
    let mut group_around = |rest: &mut Vec<u32>, centre: u32| {
        rest.select_nth_unstable_by(k - 1, |&a, &b| {
            let to = |record| squared_distance(row(record), row(centre));
            to(a).total_cmp(&to(b)).then(a.cmp(&b))
        });
        groups.push(rest.drain(..k).collect::<Vec<u32>>());
    };
    while rest.len() >= 3 * k {
        let r = farthest(&rest, &mean(&rest));
        group_around(&mut rest, r);
        let s = farthest(&rest, row(r));
        group_around(&mut rest, s);
    }
    if rest.len() >= 2 * k {
        let r = farthest(&rest, &mean(&rest));
        group_around(&mut rest, r);
    }
    groups.push(rest);
    Partition::from_groups(points.n_records(), groups.iter().map(Vec::as_slice))
}

/// The lowest values published for heuristics that we know of, 100·SSE/SST: J. Domingo-Ferrer et al., VLDB Journal 15, 2006
/// (MDAV-MHM; MD); C.-C. Chang, Y.-C. Li, W.-H. Huang, "TFRP: an efficient microaggregation algorithm for statistical
/// disclosure control", J. Systems and Software 80, 2007 (TFRP-2). MDAV's are in `../shared/spec/methods.md` 6.5.
const PUBLISHED: [(&str, usize, f64, f64); 10] = [
    // file, k, MDAV, the best other heuristic
    ("census.csv", 3, 5.692186, 5.65),
    ("census.csv", 4, 7.494700, 7.494700),
    ("census.csv", 5, 9.088435, 8.98),
    ("census.csv", 10, 14.155930, 13.96),
    ("tarragona.csv", 3, 16.932588, 16.63),
    ("tarragona.csv", 5, 22.461860, 21.85),
    ("tarragona.csv", 10, 33.192, 33.09),
    ("eia.csv", 3, 0.482939, 0.41),
    ("eia.csv", 5, 1.666675, 0.91),
    ("eia.csv", 10, 3.839670, 2.59),
];

/// From MDAV, exchange ends below every published heuristic; the path along MDAV's tour is not above MDAV.
#[test]
fn exchange_loses_less_than_published_heuristics() {
    for (file, k, of_mdav, of_others) in PUBLISHED {
        let Some(points) = standardised(file) else {
            return;
        };
        let start = mdav(&points, k);
        let before = loss(&points, &start);
        // Tarragona at k = 10 is known to two decimals only.
        let digits = if of_mdav == 33.192 { 1e-2 } else { 1e-6 };
        assert!(
            (before - of_mdav).abs() < digits,
            "{file} k = {k}: {before}"
        );
        let tour = loss(&points, &along_tour(&points, &start, k));
        assert!(tour <= before, "{file} k = {k}: {tour}");
        let exchanged = exchange(&points, start, k);
        let after = loss(&points, &exchanged);
        println!(
            "{file} k = {k}: MDAV {before:.4}, along its tour {tour:.4}, exchanged {after:.4}"
        );
        assert!(after < of_others, "{file} k = {k}: {after}");
        assert!(
            exchanged
                .sizes()
                .iter()
                .all(|size| (k..2 * k).contains(size))
        );
    }
}

/// MDAV-MHM as published (recalled): Census 5.65 at k = 3; our tour must not be worse than that.
#[test]
fn the_tour_of_mdav_is_as_good_as_published() {
    let Some(points) = standardised("census.csv") else {
        return;
    };
    assert!(loss(&points, &along_tour(&points, &mdav(&points, 3), 3)) <= 5.65);
}

/// The best groups along an axis by the cost that counts are better than by the projected one.
#[test]
fn multivariate_costs_are_optimal_along_the_axis() {
    for file in ["census.csv", "tarragona.csv"] {
        let Some(points) = standardised(file) else {
            return;
        };
        for projection in [Projection::ZScores, Projection::PrincipalComponent] {
            for k in [3, 10] {
                let by = |cost| loss(&points, &projected(&points, projection, cost, k));
                let (exact, projected) = (by(ArcCost::Multivariate), by(ArcCost::Projected));
                assert!(
                    exact <= projected,
                    "{file} {projection:?}: {exact} {projected}"
                );
            }
        }
    }
}

/// An independent dynamic program over all pairs of positions, in whole numbers: costs are m·Σx² − (Σx)², divided by m
/// only when groups are added up; no bound on the size of groups.
#[test]
fn each_attribute_of_census_is_grouped_optimally() {
    let Some(table) = super::table("census.csv") else {
        return;
    };
    for id in table.ids() {
        let values = table.numbers(id).unwrap().values;
        let mut sorted: Vec<i128> = values.iter().map(|&x| x as i128).collect();
        sorted.sort_unstable();
        let n = sorted.len();
        for k in [3, 5, 20, 100] {
            let mut least = vec![f64::INFINITY; n + 1];
            least[0] = 0.0;
            for start in 0..n {
                if least[start] == f64::INFINITY {
                    continue;
                }
                let (mut sum, mut squares) = (0_i128, 0_i128);
                for end in start + 1..=n {
                    sum += sorted[end - 1];
                    squares += sorted[end - 1].pow(2);
                    let m = (end - start) as i128;
                    if end - start >= k {
                        let sse = (m * squares - sum * sum) as f64 / m as f64;
                        least[end] = least[end].min(least[start] + sse);
                    }
                }
            }
            let points = Matrix::complete(n, 1, values.to_vec());
            let found = optimal(values, k).sse(&points);
            let optimum = least[n];
            assert!(
                (found - optimum).abs() <= 1e-11 * optimum,
                "{} k = {k}: {found} {optimum}",
                table.attribute(id).name
            );
        }
    }
}
