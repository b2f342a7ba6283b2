//! Figures keep to their definitions: ends, and what may be published.

use sdcrisk::{
    evaluate::{
        measures::{self, Name},
        summary::Measure,
    },
    figure::Unit,
    loss::{self, analyses},
    risk::interval,
};

/// A hundred random runs of each loss and risk that a plan can ask for, many of them at an end of what it can be: no interval
/// leaves the ends, and every one holds its mean.
#[test]
fn no_interval_leaves_what_its_measure_can_be() {
    let losses = loss::definitions().into_iter().map(Name::Loss);
    let risks = interval::DEFINITIONS.into_iter().map(Name::Risk);
    let mut state = 3_u64;
    let mut unit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (((state >> 33) % 1001) as f64 / 1000.0 * 1.4 - 0.2).clamp(0.0, 1.0)
    };
    for name in losses.chain(risks) {
        let what = name.definition();
        let [least, most] = [what.least, what.most.unwrap_or(7.0)];
        for runs in [2, 3, 5, 8].repeat(25) {
            let values: Vec<f64> = (0..runs).map(|_| least + (most - least) * unit()).collect();
            let measure = Measure::of(values.into_iter().map(Some), Some(what));
            let (mean, [low, high]) = (measure.mean.unwrap(), measure.interval.unwrap());
            assert!(what.least <= low && low <= mean && mean <= high, "{name}");
            assert!(what.most.is_none_or(|most| high <= most), "{name}: {high}");
        }
    }
}

/// What may be published is a share of the whole file, or without unit at all; how one kind of value or statistic differs is in the units
/// of the attributes or an equation in their values. The 18 + 5 differences are those of the papers.
#[test]
fn what_is_public_gives_no_value_away() {
    let all = || {
        loss::definitions()
            .into_iter()
            .chain(analyses::definitions())
    };
    assert_eq!(all().filter(|what| what.is_difference()).count(), 18 + 5);
    for what in all().filter(|what| what.is_public) {
        let without_unit = what.key == "mean_absolute_correlations";
        let is_share = what.unit == Unit::Share && !what.is_difference();
        assert!(is_share || without_unit, "{}", what.key);
    }
    for key in [
        "il",
        "pil",
        "changed",
        "accuracy_tree_loss",
        "mean_absolute_correlations",
    ] {
        assert!(
            measures::find(key).is_some_and(|what| what.is_public),
            "{key}"
        );
    }
    for key in [
        "mean_square_data",
        "mean_variation_means",
        "pil_quantiles",
        "kmeans_loss",
    ] {
        assert!(
            measures::find(key).is_some_and(|what| !what.is_public),
            "{key}"
        );
    }
}
