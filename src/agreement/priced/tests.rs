//! The search against looking at every pair.

use super::*;
use crate::{
    agreement::{Agreement, Comparator, Reference, Weighted},
    table::matrix::Matrix,
};

/// A small generator: tests only want variety.
fn dice(state: &mut u64, n: u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % n
}

fn matrix(state: &mut u64, n: usize, width: usize, gaps: bool) -> Matrix {
    let cells = (0..n * width).map(|_| dice(state, 9) as f64);
    let mut matrix = Matrix::complete(n, width, cells.collect());
    for cell in (0..n * width).filter(|_| gaps) {
        if dice(state, 5) == 0 {
            matrix.set_missing(cell / width, cell % width);
        }
    }
    matrix
}

fn weighted(state: &mut u64, sizes: [usize; 2], width: usize, gaps: bool) -> Weighted {
    let [seekers, sought] = sizes.map(|n| matrix(state, n, width, gaps));
    let how = vec![Comparator::Absolute(1.0); width];
    let mut weight = |sign: f64| sign * (1 + dice(state, 999)) as f64 / 300.0;
    Weighted {
        agreement: Agreement::new(&seekers, &sought, &how, true, Reference::Original),
        weights: (0..width).map(|_| [weight(1.0), weight(-1.0)]).collect(),
    }
}

/// The cost of a pair by its pattern.
fn cost(weighted: &Weighted, chosen: Chosen, chooser: usize, point: usize) -> f64 {
    match chosen {
        Chosen::Sought => -weighted.of_pair(chooser, point),
        Chosen::Seekers => -weighted.of_pair(point, chooser),
    }
}

/// By looking at every pair: the least costs less prices, in order, whoever chooses.
#[test]
fn the_cheapest_are_those_of_all_pairs() {
    let mut state = 5;
    for sizes in [[1, 1], [64, 65], [40, 200], [200, 40]] {
        for (width, gaps) in [(1, false), (3, true), (5, false), (8, true)] {
            let weighted = weighted(&mut state, sizes, width, gaps);
            for chosen in [Chosen::Sought, Chosen::Seekers] {
                let mut priced = PricedAgreement::new(&weighted, chosen);
                let n = priced.n_points();
                let price = |state: &mut u64| match dice(state, 9) {
                    0 => f64::NEG_INFINITY,
                    eighths => -(eighths as f64) / 8.0,
                };
                let prices: Vec<f64> = (0..n).map(|_| price(&mut state)).collect();
                priced.set_prices(&prices);
                for chooser in 0..priced.n_choosers().min(20) {
                    // No sum of weights and prices, multiples of 1/600, is at the limit.
                    for (k, below) in [(1, f64::INFINITY), (7, 0.5003), (500, f64::INFINITY)] {
                        let worth = |j: usize| cost(&weighted, chosen, chooser, j) - prices[j];
                        let mut expected: Vec<f64> = (0..n).map(worth).collect();
                        expected.retain(|&worth| worth < below);
                        expected.sort_unstable_by(f64::total_cmp);
                        expected.truncate(k);
                        let ask = Ask {
                            chooser: point(0, chooser),
                            k,
                            below,
                        };
                        let mut best = Vec::new();
                        priced.cheapest(ask, &mut best);
                        assert_eq!(best.len(), expected.len());
                        for (offer, expected) in best.iter().zip(expected) {
                            let (j, off) = (offer.point as usize, priced.off());
                            let pair = cost(&weighted, chosen, chooser, j);
                            assert!((offer.cost - pair).abs() <= off && off < 1e-11);
                            assert!((offer.worth - expected).abs() <= 2.0 * off);
                        }
                    }
                }
            }
        }
    }
}

/// Two of each pattern that is common enough, none twice, at what the pair costs.
#[test]
fn a_sample_has_records_of_every_common_pattern() {
    let mut state = 6;
    let weighted = weighted(&mut state, [30, 4000], 2, false);
    let priced = PricedAgreement::new(&weighted, Chosen::Sought);
    for chooser in 0..30 {
        let mut sample = Vec::new();
        priced.sample(point(0, chooser), &mut sample);
        let mut counts = [0; 4];
        for offer in &sample {
            let pattern = weighted.agreement.pattern(chooser, offer.point as usize);
            counts[pattern.agree as usize] += 1;
            let pair = cost(&weighted, Chosen::Sought, chooser, offer.point as usize);
            assert!((offer.cost - pair).abs() <= priced.off());
        }
        // Of nine values two or three agree, so each pattern is that of a twentieth of the pairs at least: of fifty in the
        // 1024 records that a sample looks at.
        assert_eq!(counts, [SAMPLED; 4].map(usize::from));
        let mut points: Vec<u32> = sample.iter().map(|offer| offer.point).collect();
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), sample.len());
    }
}

/// Sums of rounded weights are exact in any order, so patterns of equal weight tie.
#[test]
fn rounded_weights_add_up_exactly() {
    let weights = [[0.1, -0.7], [0.2, -1.0 / 3.0], [0.3, -1e-9]];
    let (rounded, off) = rounded(&weights);
    for (pair, weight) in rounded.iter().flatten().zip(weights.iter().flatten()) {
        assert!((pair - weight).abs() <= off && off < 1e-13);
    }
    let [a, b, c] = [rounded[0][0], rounded[1][0], rounded[2][0]];
    // 0.1 + 0.2 + 0.3 depends on the order of the sum.
    assert_ne!(
        ((0.1 + 0.2) + 0.3_f64).to_bits(),
        (0.1 + (0.2 + 0.3_f64)).to_bits()
    );
    assert_eq!(((a + b) + c).to_bits(), (a + (b + c)).to_bits());
    assert_eq!(super::rounded(&[[0.0, 0.0]]), (vec![[0.0, 0.0]], 0.0));
}
