//! Laws of fuzzy microaggregation: those that its source claims, and those of the clustering.

use sdcrisk::{
    error::Result,
    mask::{
        Details, Mask, Masked,
        fuzzy::{Block, Blocks, Clusters, FuzzyMicroaggregation, MAX_STARTS, Settings},
    },
    rng::{Purpose, Seed},
    statement::{DistanceScale, Method},
    stats::{membership::Fuzziness, moments::moments},
    table::{AttrId, Table},
};

use crate::tables::table;

use crate::random_files::{Dice, cells, csv};

/// Sixteen points in four groups of four, as the example of the source shows (whose coordinates are not printed).
const SIXTEEN: &str = "\
x,y
1.0,1.1\n2.0,0.8\n1.2,2.1\n2.2,1.9
8.1,1.0\n9.0,1.3\n8.0,2.2\n9.3,2.0
1.1,8.0\n2.1,8.2\n0.9,9.1\n1.8,9.3
8.2,8.1\n9.1,7.9\n8.0,9.0\n9.2,9.2
";

const CENSUS: &str = include_str!("../../data/synthetic-census.csv");

/// All attributes of numbers.
fn numeric(table: &Table) -> Vec<AttrId> {
    table
        .ids()
        .filter(|&id| table.numbers(id).is_some())
        .collect()
}

fn settings() -> Settings {
    Settings {
        keep_memberships: true,
        ..Settings::default()
    }
}

fn try_mask(
    text: &str,
    m1: f64,
    m2: f64,
    blocks: Blocks,
    settings: Settings,
    seed: u64,
) -> Result<Masked> {
    let table = table(text);
    let on = numeric(&table);
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    FuzzyMicroaggregation::new(m1, m2, blocks, settings)?.mask(table, &on, &streams)
}

fn count(clusters: usize) -> Blocks {
    Blocks::One(Clusters::Count(clusters))
}

fn blocks(masked: &Masked) -> &[Block] {
    match &masked.details {
        Details::Fuzzy(blocks) => blocks,
        _ => panic!("the details of another method"),
    }
}

fn block(text: &str, m1: f64, m2: f64, clusters: usize, settings: Settings) -> Block {
    let masked = try_mask(text, m1, m2, count(clusters), settings, 1).unwrap();
    blocks(&masked)[0].clone()
}

/// The coordinates of all records: mean 0, sd 1; a missing value at 0.
fn standardised(text: &str) -> (Vec<Vec<f64>>, Vec<(f64, f64)>) {
    let table = table(text);
    let mut points = vec![Vec::new(); table.n_records()];
    let mut units = Vec::new();
    for id in numeric(&table) {
        let numbers = table.numbers(id).unwrap();
        let present = (0..table.n_records()).filter(|&r| !numbers.missing.contains(r));
        let m = moments(present.map(|r| numbers.values[r]));
        units.push((m.mean, m.sd));
        for (record, point) in points.iter_mut().enumerate() {
            point.push(if numbers.missing.contains(record) || m.sd == 0.0 {
                0.0
            } else {
                (numbers.values[record] - m.mean) / m.sd
            });
        }
    }
    (points, units)
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The centres of a block in the coordinates of [`standardised`].
fn standardised_centres(block: &Block, units: &[(f64, f64)]) -> Vec<Vec<f64>> {
    let row = |row: &[f64]| {
        let pairs = row.iter().zip(units);
        pairs
            .map(|(v, (mean, sd))| if *sd > 0.0 { (v - mean) / sd } else { 0.0 })
            .collect()
    };
    block.centres.chunks_exact(units.len()).map(row).collect()
}

/// The expectation of SSE over the draw, `Σ_k Σ_i u_ik |x_k − v_i|²`, in percent of SST = (n − 1)·attributes: what is
/// lost on average, without drawing anything. Complete files only.
fn expected_loss(text: &str, m1: f64, m2: f64, clusters: usize, starts: usize) -> f64 {
    let settings = Settings {
        starts,
        tolerance: 1e-9,
        max_iterations: 20_000,
        ..settings()
    };
    let block = block(text, m1, m2, clusters, settings);
    assert!(block.converged);
    let (points, units) = standardised(text);
    let centres = standardised_centres(&block, &units);
    let memberships = block.memberships.as_deref().unwrap();
    let mut sse = 0.0;
    for (point, row) in points.iter().zip(memberships.chunks_exact(clusters)) {
        sse += row
            .iter()
            .zip(&centres)
            .map(|(u, v)| u * squared(point, v))
            .sum::<f64>();
    }
    100.0 * sse / ((points.len() - 1) * units.len()) as f64
}

/// 150 people of the bundled file, with attributes that nobody misses.
fn people() -> String {
    let chosen = [3, 4, 5, 9, 10];
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        chosen.map(|place| cells[place]).join(",") + "\n"
    };
    CENSUS.lines().take(151).map(line).collect()
}

#[track_caller]
fn ascending(losses: &[f64]) {
    let grows = losses.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(grows, "{losses:?}");
    assert!(losses[losses.len() - 1] > 1.2 * losses[0], "{losses:?}");
}

/// The source's analysis, 1: "the larger the m1, the larger the information loss".
#[test]
fn a_larger_m1_loses_more() {
    for (text, clusters) in [(SIXTEEN.to_owned(), 4), (people(), 6)] {
        let loss = |m1| expected_loss(&text, m1, 1.2, clusters, 10);
        ascending(&[1.2, 2.0, 3.0, 5.0, 10.0].map(loss));
    }
}

/// The source's analysis, 2: "the larger the m2, the larger the information loss". For given centres this is a theorem, record
/// by record: with β = 1/(m2−1) the derivative of Σ u_i d_i by β is −Cov(d, ln d) under u, which is never positive.
#[test]
fn a_larger_m2_loses_more() {
    for (text, clusters) in [(SIXTEEN.to_owned(), 4), (people(), 20)] {
        let loss = |m2| expected_loss(&text, 1.5, m2, clusters, 1);
        ascending(&[1.01, 1.2, 1.5, 2.0, 3.0, 5.0, 20.0, 1e6].map(loss));
    }
}

/// The source's analysis, 3: "the smaller the number of clusters c, the larger the information loss".
#[test]
fn fewer_clusters_lose_more() {
    for (text, clusters) in [
        (SIXTEEN.to_owned(), [8, 4, 3, 2]),
        (people(), [40, 20, 10, 5]),
    ] {
        let loss = |clusters| expected_loss(&text, 1.3, 1.3, clusters, 10);
        ascending(&clusters.map(loss));
    }
}

/// The source's analysis, 4: for large m2 the assignment is equally probable to all clusters; for m2 near 1 it is crisp.
#[test]
fn memberships_sum_to_one_and_go_from_crisp_to_uniform() {
    let (text, clusters) = (people(), 12);
    let (points, units) = standardised(&text);
    for m2 in [1.0001, 1.5, 2.0, 4.0, 1e6] {
        let block = block(&text, 1.5, m2, clusters, settings());
        let centres = standardised_centres(&block, &units);
        for (record, row) in block
            .memberships
            .unwrap()
            .chunks_exact(clusters)
            .enumerate()
        {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let distances: Vec<f64> = centres
                .iter()
                .map(|v| squared(&points[record], v))
                .collect();
            let nearest = (0..clusters).min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
            if m2 == 1.0001 {
                assert!(row[nearest.unwrap()] > 0.999, "{record}: {row:?}");
                assert_eq!(block.cluster_of[record] as usize, nearest.unwrap());
            }
            if m2 == 1e6 {
                assert!(row.iter().all(|u| (u * clusters as f64 - 1.0).abs() < 1e-4));
            }
        }
    }
}

/// "The larger the m, the nearer the cluster centers to the center of the data": all the way, where no direction holds half
/// of the records' deviations from the mean (six independent attributes hold a sixth each).
#[test]
fn a_large_m1_pulls_the_centres_to_the_mean() {
    let mut dice = Dice(17);
    let text: String = std::iter::once("a,b,c,d,e,f\n".to_owned())
        .chain((0..300).map(|_| [0; 6].map(|_| dice.roll(1000).to_string()).join(",") + "\n"))
        .collect();
    let (_, units) = standardised(&text);
    let farthest = |m1| {
        let block = block(&text, m1, 2.0, 4, settings());
        let centres = standardised_centres(&block, &units).into_iter();
        centres
            .map(|v| squared(&v, &[0.0; 6]).sqrt())
            .fold(0.0, f64::max)
    };
    assert!(farthest(1.1) > 0.5, "{}", farthest(1.1));
    assert!(farthest(3.0) < 1e-4 && farthest(50.0) < 1e-4);
}

/// Masked records are centres, and which one is what the partition says. What is missing stays missing.
#[test]
fn a_masked_record_is_the_centre_of_its_cluster() {
    let text = csv(&cells(&mut Dice(5), 400, 4, 9));
    let masked = try_mask(&text, 1.5, 1.5, count(30), Settings::default(), 3).unwrap();
    let (original, block) = (table(text.as_str()), &blocks(&masked)[0]);
    assert!(block.memberships.is_none());
    assert_eq!(block.occupancies.iter().sum::<usize>(), block.n_records);
    for (place, id) in numeric(&original).into_iter().enumerate() {
        let (new, old) = (
            masked.table.numbers(id).unwrap(),
            original.numbers(id).unwrap(),
        );
        assert_eq!(new.missing, old.missing);
        for record in (0..400).filter(|&record| !old.missing.contains(record)) {
            let cluster = block.cluster_of[record] as usize;
            assert_eq!(new.values[record], block.centres[cluster * 4 + place]);
        }
    }
}

/// Fuzzy c-means as it is printed, with powers of the standard library and all memberships in memory.
fn slow_c_means(
    points: &[Vec<f64>],
    mut centres: Vec<Vec<f64>>,
    m: f64,
    iterations: usize,
) -> (Vec<Vec<f64>>, f64) {
    let mut objective = 0.0;
    for _ in 0..iterations {
        let u: Vec<Vec<f64>> = points
            .iter()
            .map(|x| {
                let d: Vec<f64> = centres.iter().map(|v| squared(x, v)).collect();
                let ratio = |i: usize| {
                    d.iter()
                        .map(|dj| (d[i] / dj).powf(1.0 / (m - 1.0)))
                        .sum::<f64>()
                };
                (0..d.len()).map(|i| 1.0 / ratio(i)).collect()
            })
            .collect();
        objective = 0.0;
        let old = centres.clone();
        for (i, centre) in centres.iter_mut().enumerate() {
            let weights: Vec<f64> = u.iter().map(|u| u[i].powf(m)).collect();
            let total: f64 = weights.iter().sum();
            for (axis, value) in centre.iter_mut().enumerate() {
                *value = points
                    .iter()
                    .zip(&weights)
                    .map(|(x, w)| w * x[axis])
                    .sum::<f64>()
                    / total;
            }
            objective += points
                .iter()
                .zip(&weights)
                .map(|(x, w)| w * squared(x, &old[i]))
                .sum::<f64>();
        }
    }
    (centres, objective)
}

/// Centres and objective after five iterations are those of the slow program that starts where one iteration of ours ended;
/// records with missing values stand at the mean.
#[test]
fn centres_agree_with_a_slow_program() {
    for (m, clusters, gap) in [
        (1.1, 3, 0),
        (1.5, 9, 11),
        (2.0, 17, 0),
        (2.0, 8, 7),
        (3.7, 5, 11),
        (30.0, 2, 0),
    ] {
        let text = csv(&cells(&mut Dice(clusters as u64), 150, 3, gap));
        let after = |max_iterations| {
            let settings = Settings {
                max_iterations,
                tolerance: 0.0,
                ..settings()
            };
            block(&text, m, 2.0, clusters, settings)
        };
        let (mut points, units) = standardised(&text);
        let (first, ours) = (after(1), after(6));
        points = points
            .into_iter()
            .zip(&ours.cluster_of)
            .filter(|&(_, &cluster)| cluster != Block::NO_CLUSTER)
            .map(|(point, _)| point)
            .collect();
        let start = standardised_centres(&first, &units);
        let (expected, objective) = slow_c_means(&points, start, m, 5);
        for (ours, expected) in standardised_centres(&ours, &units).iter().zip(&expected) {
            assert!(
                squared(ours, expected).sqrt() < 1e-8,
                "{m}: {ours:?} {expected:?}"
            );
        }
        assert!(
            (ours.objective / objective - 1.0).abs() < 1e-8,
            "{m}: {} {objective}",
            ours.objective
        );
    }
}

/// Alternating minimisation: no iteration makes the objective larger; several starts do not either.
#[test]
fn the_objective_never_grows() {
    let text = people();
    let at = |max_iterations, starts| {
        let settings = Settings {
            max_iterations,
            starts,
            tolerance: 0.0,
            ..Settings::default()
        };
        block(&text, 1.4, 2.0, 15, settings).objective
    };
    let course: Vec<f64> = (1..25).map(|iterations| at(iterations, 1)).collect();
    assert!(
        course
            .windows(2)
            .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)),
        "{course:?}"
    );
    let starts: Vec<f64> = (1..6).map(|starts| at(40, starts)).collect();
    assert!(
        starts.windows(2).all(|pair| pair[1] <= pair[0]),
        "{starts:?}"
    );
}

/// The draw follows the memberships: 4 points, 2,500 records each, 3 clusters. Under the law, χ² over the 4 points with
/// 2 degrees of freedom each exceeds 26.12 (8 degrees of freedom) once in a thousand seeds.
#[test]
fn the_draw_follows_the_memberships() {
    let places = ["0,0\n", "9,1\n", "3,8\n", "5,4\n"];
    let text = "x,y\n".to_owned() + &places.concat().repeat(2500);
    let block = block(&text, 2.0, 3.0, 3, settings());
    let memberships = block.memberships.unwrap();
    let mut chi_square = 0.0;
    for place in 0..4 {
        let mut drawn = [0.0; 3];
        for record in (place..10_000).step_by(4) {
            drawn[block.cluster_of[record] as usize] += 1.0;
        }
        for (drawn, u) in drawn.iter().zip(&memberships[place * 3..]) {
            chi_square += (drawn - 2500.0 * u).powi(2) / (2500.0 * u);
        }
    }
    assert!(chi_square < 26.12, "{chi_square}");
    // And it is a draw, not the nearest centre.
    assert!(chi_square > 0.1, "{chi_square}");
}

/// The contract of the draws: whoever changes their order changes masked files, and CHANGELOG must say so.
#[test]
fn draws_are_pinned() {
    let masked = try_mask(SIXTEEN, 1.5, 6.0, count(4), Settings::default(), 7).unwrap();
    let block = &blocks(&masked)[0];
    assert_eq!(PINNED, block.cluster_of[..]);
    assert_eq!(masked.table.text(0, AttrId::new(0)), PINNED_CELL);
}

const PINNED: [u32; 16] = [2, 2, 0, 1, 3, 1, 2, 0, 3, 1, 0, 1, 1, 2, 1, 0];
const PINNED_CELL: &str = "8.600101807316175";

#[test]
fn threads_do_not_matter() {
    let text = csv(&cells(&mut Dice(8), 7000, 5, 40));
    let written = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let settings = Settings {
                max_iterations: 12,
                starts: 2,
                ..Settings::default()
            };
            let masked = try_mask(&text, 1.7, 1.3, count(23), settings, 5).unwrap();
            let mut bytes = Vec::new();
            masked.table.write(&mut bytes).unwrap();
            bytes
        })
    };
    let one = written(1);
    assert!(one == written(2) && one == written(4));
}

/// Standardised distances do not know units: a file in other units has the same clusters, and centres in these units.
#[test]
fn units_do_not_matter_to_standardised_distances() {
    let scaled: String = std::iter::once("x,y\n".to_owned())
        .chain(SIXTEEN.lines().skip(1).map(|line| {
            let (x, y) = line.split_once(',').unwrap();
            let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
            format!("{},{}\n", 1e200 * x, 1e-290 * (y - 3.0))
        }))
        .collect();
    let (a, b) = (
        block(SIXTEEN, 1.5, 1.5, 4, settings()),
        block(&scaled, 1.5, 1.5, 4, settings()),
    );
    assert_eq!(a.cluster_of, b.cluster_of);
    for (a, b) in a.centres.chunks_exact(2).zip(b.centres.chunks_exact(2)) {
        assert!((a[0] - b[0] / 1e200).abs() < 1e-9 && (a[1] - 3.0 - b[1] / 1e-290).abs() < 1e-9);
    }
}

/// In the file's own units a large attribute decides alone: the clusters are those of that attribute.
#[test]
fn without_scaling_units_decide() {
    let text: String = std::iter::once("x,y\n".to_owned())
        .chain((0..40).map(|i| format!("{},{}\n", 1000 * (i % 4), (i / 4) % 2)))
        .collect();
    let settings = Settings {
        scaling: DistanceScale::None,
        starts: 5,
        ..settings()
    };
    let block = block(&text, 1.2, 1.01, 4, settings);
    for record in 0..40 {
        assert_eq!(block.cluster_of[record], block.cluster_of[record % 4]);
    }
    assert_eq!(block.occupancies, [10; 4]);
}

/// A block has a stream of its own: blocks in another order, and attributes of a block in another order, draw the same.
#[test]
fn blocks_are_masked_as_if_alone() {
    let text = csv(&cells(&mut Dice(21), 200, 4, 0));
    let id = AttrId::new;
    let with = |groups: Vec<(Vec<AttrId>, Clusters)>, on: &[AttrId]| {
        let method =
            FuzzyMicroaggregation::new(1.5, 1.5, Blocks::Several(groups), Settings::default())
                .unwrap();
        let streams = Seed::from_number(4).streams(Purpose::Mask, 0);
        method.mask(table(text.as_str()), on, &streams).unwrap()
    };
    let first = (vec![id(0), id(2)], Clusters::Count(10));
    let second = (vec![id(3), id(1)], Clusters::Occupancy(10));
    let all: Vec<AttrId> = (0..4).map(id).collect();
    let both = with(vec![first.clone(), second.clone()], &all);
    let turned = with(vec![second, first.clone()], &all);
    let alone = with(
        vec![(vec![id(2), id(0)], Clusters::Count(10))],
        &[id(2), id(0)],
    );
    assert_eq!(blocks(&both)[0].cluster_of, blocks(&turned)[1].cluster_of);
    assert_eq!(blocks(&both)[0].cluster_of, blocks(&alone)[0].cluster_of);
    assert_eq!(both.effects, turned.effects);
    // round(2 · 200 / 30) = 13 clusters, between 200/20 and 200/10.
    assert_eq!(blocks(&both)[1].n_clusters, 13);
    let Method::Fuzzy(published) = &both.step.method else {
        panic!("another method");
    };
    assert_eq!(published.blocks[1].k, Some(10));
    assert_eq!(published.blocks[0].k, None);
    assert_eq!(published.blocks[1].attributes, ["a3", "a1"]);
}

/// "k < |X|/c < 2k": for every n and k that are allowed.
#[test]
fn clusters_from_k_are_in_the_interval_of_the_source() {
    for n in [4, 5, 7, 16, 33, 100, 101] {
        let text: String = std::iter::once("x\n".to_owned())
            .chain((0..n).map(|i| format!("{}.5\n", i * i)))
            .collect();
        for k in 2..=n {
            let blocks_of_k = Blocks::One(Clusters::Occupancy(k));
            let settings = Settings {
                max_iterations: 1,
                ..Settings::default()
            };
            match try_mask(&text, 2.0, 2.0, blocks_of_k, settings, 1) {
                Err(error) => assert!(2 * k > n, "{n} {k}: {error}"),
                Ok(masked) => {
                    let c = blocks(&masked)[0].n_clusters;
                    assert!(2 * k <= n && c * k <= n && n <= 2 * k * c, "{n} {k}: {c}");
                }
            }
        }
    }
}

#[test]
fn fewer_points_than_clusters() {
    let text = "x,y\n".to_owned() + &"1,1\n2,5\n7,3\n".repeat(20);
    let error = try_mask(&text, 2.0, 2.0, count(4), Settings::default(), 1).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("4 clusters of 3 different points"),
        "{error}"
    );
    let masked = try_mask(
        &text,
        2.0,
        2.0,
        Blocks::One(Clusters::Occupancy(5)),
        Settings::default(),
        1,
    )
    .unwrap();
    let block = &blocks(&masked)[0];
    assert_eq!((block.n_clusters, block.wanted_clusters), (3, 8));
}

/// Rounded values are whole; unrounded ones are means.
#[test]
fn rounding_keeps_whole_numbers_whole() {
    let text = csv(&cells(&mut Dice(2), 60, 2, 0));
    let settings = Settings {
        rounding: sdcrisk::mask::Rounding::Column,
        ..Settings::default()
    };
    let masked = try_mask(&text, 1.5, 1.5, count(7), settings, 1).unwrap();
    for id in masked.table.ids() {
        assert!(
            masked
                .table
                .numbers(id)
                .unwrap()
                .values
                .iter()
                .all(|value| value.fract() == 0.0)
        );
    }
}

/// The law that is published is the one that was applied: memberships can be recomputed from the release alone and the original.
#[test]
fn an_intruder_can_recompute_the_memberships() {
    let block = block(SIXTEEN, 1.4, 1.8, 4, settings());
    let (points, units) = standardised(SIXTEEN);
    let centres = standardised_centres(&block, &units);
    for (point, row) in points
        .iter()
        .zip(block.memberships.as_deref().unwrap().chunks_exact(4))
    {
        let distances: Vec<f64> = centres.iter().map(|v| squared(point, v)).collect();
        let recomputed = Fuzziness::new(1.8).unwrap().memberships(&distances);
        assert!(
            row.iter()
                .zip(recomputed)
                .all(|(a, b)| (a - b).abs() < 1e-9)
        );
    }
}

#[test]
fn nonsense_is_refused() {
    let new = |m1, m2, blocks, settings| FuzzyMicroaggregation::new(m1, m2, blocks, settings);
    let usual = Settings::default();
    for m in [1.0, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(new(m, 2.0, count(3), usual).is_err());
        assert!(new(2.0, m, count(3), usual).is_err());
    }
    for clusters in [
        Clusters::Count(0),
        Clusters::Count(1),
        Clusters::Occupancy(1),
    ] {
        assert!(new(2.0, 2.0, Blocks::One(clusters), usual).is_err());
    }
    for settings in [
        Settings { starts: 0, ..usual },
        Settings {
            starts: MAX_STARTS + 1,
            ..usual
        },
        Settings {
            max_iterations: 0,
            ..usual
        },
        Settings {
            tolerance: -1.0,
            ..usual
        },
        Settings {
            tolerance: f64::NAN,
            ..usual
        },
    ] {
        assert!(new(2.0, 2.0, count(3), settings).is_err());
    }
}
