use super::*;
use ndarray::array;

/// Values of R's `qnorm` to 15 digits, and Φ as the inverse.
#[test]
fn quantiles_of_the_normal_law() {
    for (p, expected) in [
        (0.5, 0.0),
        (0.975, 1.959_963_984_540_054),
        (0.05, -1.644_853_626_951_472_6),
        (1e-10, -6.361_340_902_404_056),
        (1e-20, -9.262_340_089_798_407),
    ] {
        assert!(
            (normal_quantile(p) - expected).abs() < 1e-13,
            "{p}: {}",
            normal_quantile(p)
        );
    }
    for i in 1..1000 {
        let p = f64::from(i) / 1000.0;
        assert!((normal_distribution(normal_quantile(p)) - p).abs() < 1e-15);
    }
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(1.0), f64::INFINITY);
}

#[test]
fn what_is_kept_solves_its_equation() {
    for mu in [1e-6, 0.3, 1.0, 3.0, 1e3, 1e8] {
        for g in [1e-8, 0.1, 1.0, 12.0] {
            let rho = retained(mu, g);
            let a = mu * g;
            assert!((rho - a * (1.0 - rho * rho)).abs() <= 1e-12 * a.max(1.0));
        }
    }
}

fn correlations() -> Array2<f64> {
    array![
        [1.0, 0.8, 0.3, 0.1],
        [0.8, 1.0, 0.4, 0.0],
        [0.3, 0.4, 1.0, -0.5],
        [0.1, 0.0, -0.5, 1.0]
    ]
}

fn near(a: &Array2<f64>, b: &Array2<f64>, within: f64) -> bool {
    (a - b).iter().all(|x| x.abs() <= within)
}

/// Cov(A e + E) = A R Aᵀ + Cov(E) is R, whatever the weights; the loss is the trace of W Cov(e' − e).
#[test]
fn covariances_are_kept_and_the_loss_is_what_it_says() {
    let r = correlations();
    for allocation in [Allocation::Minimal, Allocation::Uniform] {
        for weights in [vec![], vec![1.0; 4], vec![10.0, 1.0, 1.0, 0.5]] {
            let t = transfer(r.view(), &weights, 2.0, allocation);
            let kept = t.a.dot(&r).dot(&t.a.t()) + t.noise();
            assert!(near(&kept, &r, 1e-12), "{kept}");
            let moved = &t.a - &Array2::<f64>::eye(4);
            let difference = moved.dot(&r).dot(&moved.t()) + t.noise();
            let loss: f64 = (0..4)
                .map(|j| weights.get(j).unwrap_or(&1.0) * difference[[j, j]])
                .sum();
            assert!((loss - t.loss).abs() < 1e-12);
            // Bits from the determinants: I = ½ log2(|R| / |Cov(E)|).
            let (whole, _) = whitening(r.view());
            let (noise, _) = whitening(t.noise().view());
            assert!((0.5 * (whole - noise) - t.bits).abs() < 1e-9);
        }
    }
}

#[test]
fn a_weight_lowers_the_loss_of_its_attribute() {
    let r = correlations();
    let lost = |weights: &[f64]| {
        let t = transfer(r.view(), weights, 2.0, Allocation::Minimal);
        let moved = &t.a - &Array2::<f64>::eye(4);
        (moved.dot(&r).dot(&moved.t()) + t.noise())[[3, 3]]
    };
    assert!(lost(&[1.0, 1.0, 1.0, 10.0]) < 0.5 * lost(&[]));
}

/// No allocation of the same bits along the eigenvectors loses less.
#[test]
fn the_minimal_allocation_is_minimal() {
    let directions = Directions::of(correlations().view(), &[]);
    let best = directions.transfer(2.0, Allocation::Minimal);
    let uniform = (0..4000)
        .map(|i| directions.transfer(0.01 * f64::from(i + 1), Allocation::Uniform))
        .filter(|t| t.bits <= best.bits)
        .map(|t| t.loss)
        .fold(f64::INFINITY, f64::min);
    assert!(best.loss < uniform);
}

/// With everything known S is the noise alone and B is A; with nothing known S is R.
#[test]
fn laws_given_everything_and_nothing() {
    let r = correlations();
    let t = transfer(r.view(), &[], 3.0, Allocation::Minimal);
    let all = conditional(r.view(), &t, &[0, 1, 2, 3], 1.0);
    assert!(near(&all.b, &t.a, 1e-12) && near(&all.s, &t.noise(), 1e-12));
    let none = conditional(r.view(), &t, &[], 1.0);
    assert_eq!(none.b.dim(), (4, 0));
    assert!(near(&none.s, &r, 1e-12));
    let some = conditional(r.view(), &t, &[2, 0], 1.0);
    let c = t.a.dot(&r);
    let c_v = Array2::from_shape_fn((4, 2), |(i, j)| c[[i, [2, 0][j]]]);
    assert!(near(&some.s, &(&r - &some.b.dot(&c_v.t())), 1e-12));
}

/// By hand: halves at −1 and 1 with variance 0.5 have mean 0 and variance 1.5; of one place, that of the parts.
#[test]
fn moments_of_a_mixture() {
    let part = |weight, mean, variance| (weight, array![mean], array![[variance]]);
    let halves = [part(0.5, -1.0, 0.5), part(0.5, 1.0, 0.5)];
    assert_eq!(mixture_moments(&halves), (array![0.0], array![[1.5]]));
    let near = [part(0.25, 2.0, 0.5), part(0.75, 2.0, 0.5)];
    assert_eq!(mixture_moments(&near), (array![2.0], array![[0.5]]));
}

#[test]
fn levels_are_distances_in_steps_of_a_root_of_two() {
    for (q, expected) in [(0.0, 0), (1.18, 0), (1.2, 1), (2.0, 2), (4.0, 4), (1e9, 12)] {
        assert_eq!(level(q, 12), expected, "{q}");
    }
    assert_eq!(level(4.0, 0), 0);
    assert!((protected(3.0, 2) - 1.5).abs() < 1e-15);
}

/// Probabilities and variances of levels add up to those of the unknown scores.
#[test]
fn likely_levels_add_up() {
    for (known, v) in [(0.0, 0), (3.0, 3), (40.0, 7), (500.0, 5)] {
        let all = levels(known, v, 13, 12);
        let total: f64 = all.iter().map(|level| level.probability).sum();
        let variance: f64 = all.iter().map(|l| l.probability * l.spread).sum();
        assert!((total - 1.0).abs() < 1e-12 && (variance - 1.0).abs() < 1e-9);
    }
    assert_eq!(levels(26.0, 13, 13, 4)[2].probability, 1.0);
}

#[test]
fn singular_covariances_are_masked_too() {
    let ones = Array2::from_elem((3, 3), 1.0);
    let t = transfer(ones.view(), &[], 3.0, Allocation::Minimal);
    let kept = t.a.dot(&ones).dot(&t.a.t()) + t.noise();
    assert!(near(&kept, &ones, 1e-6), "{kept}");
    let (logarithm, white) = whitening(ones.view());
    assert!(logarithm.is_finite() && white.iter().all(|x| x.is_finite()));
}
