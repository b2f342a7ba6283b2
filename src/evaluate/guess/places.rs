//! How far values went, and by which law.

use super::{
    Certainty, Finding, Search,
    columns::{Column, combinations},
    displaced::{In, Links, Seen, Yardstick},
    fitted::{Fit, Law, Question},
};
use crate::{
    stats::{covariance::covariance, moments::moments},
    table::{AttrId, Matrix},
};

/// Drafts that are farther than this from the masked file in shape are of another law.
const MAX_DISTANCE: f64 = 0.12;

/// The second best law must be so many times as far for the best to be named alone.
const BETTER: f64 = 2.0;

/// Where the drafts' size grows less than this with the strength, nothing can be said of the strength.
const MIN_SLOPE: f64 = 0.3;

/// A strength that is known less exactly than this, as a share of it, is not stated.
const MAX_ERROR: f64 = 0.1;

/// mu is looked for between these.
const MU: [f64; 2] = [0.001, 10_000.0];

type Found = Vec<(Vec<usize>, Finding)>;

/// What drafts are compared with.
struct Comparison<'s> {
    on: [Vec<AttrId>; 2],
    keys: [Vec<u32>; 2],
    own: Vec<u32>,
    yardstick: Yardstick,
    seen: Seen,
    search: &'s Search<'s>,
}

impl<'s> Comparison<'s> {
    fn new(search: &'s Search<'s>, places: &[usize], unit: In) -> Option<Self> {
        let columns: Vec<&Column> = places.iter().map(|&place| &search.columns[place]).collect();
        let on = [0, 1].map(|side: usize| columns.iter().map(|c| c.ids[side]).collect::<Vec<_>>());
        let together: Vec<&Column> = (search.moved.together.iter())
            .map(|&place| &search.columns[place])
            .collect();
        let keys = combinations(&together);
        let [original, masked] = search.files.tables;
        let yardstick = Yardstick::new(original, &on[0], &keys[0], unit)?;
        let links = match &search.own {
            Some(own) => Links::Known(own),
            None => Links::Nearest(None),
        };
        let seen = yardstick.see(masked, &on[1], &keys[1], links)?;
        let records = original.n_records();
        Some(Self {
            on,
            keys,
            own: (0..records).filter_map(|r| u32::try_from(r).ok()).collect(),
            yardstick,
            seen,
            search,
        })
    }

    fn fit(&self, law: Law, start: f64, bounds: [f64; 2]) -> Option<Fit> {
        let question = Question {
            yardstick: &self.yardstick,
            on: &self.on[0],
            keys: &self.keys[0],
            own: &self.own,
            is_known: self.search.own.is_some(),
            is_whole: self.search.is_whole(),
            seen: &self.seen,
            drafts: self.search.drafts,
        };
        question.fit(law, start, bounds)
    }
}

/// Attributes whose values are all there, but for averages at the ends, and stand in other places.
pub(super) fn changed(search: &Search<'_>, places: &[usize], has_ends: bool) -> Found {
    let names = search.names(places);
    let open = || {
        Finding::new(names.clone(), None, Certainty::Open)
            .since("all values are there, but no longer beside each other: they changed places")
    };
    let Some(comparison) = Comparison::new(search, places, In::Ranks) else {
        return vec![(places.to_vec(), open())];
    };
    let n = search.records_of(0) as f64;
    let start = (comparison.seen.size + 1.0).exp().clamp(1.0, n - 1.0);
    let mu_bounds = [MU[1].sqrt().recip(), MU[0].sqrt().recip()];
    let mut fits: Vec<Fit> = Vec::new();
    if !has_ends {
        for law in [Law::RankSwap, Law::PDistribution, Law::PBuckets, Law::Cycle] {
            let bounds = if law == Law::PBuckets {
                [1.0, n]
            } else {
                [1.0, (n - 1.0).max(1.0)]
            };
            fits.extend(comparison.fit(law, start, bounds));
        }
    }
    let fits_well = |fits: &[Fit]| fits.iter().any(|fit| fit.distance <= MAX_DISTANCE);
    if has_ends || !fits_well(&fits) {
        fits.extend(comparison.fit(Law::Copula(has_ends), 1.0, mu_bounds));
    }
    fits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let Some(best) = fits.first() else {
        return vec![(places.to_vec(), open())];
    };
    let second = fits.get(1);
    let alone = second.is_none_or(|second| second.distance >= BETTER * best.distance.max(0.02));
    let good = best.distance <= MAX_DISTANCE && best.slope >= MIN_SLOPE;
    let mut finding = match (has_ends, good) {
        // The averages say it whatever the drafts do.
        (true, _) => described(
            best,
            &comparison,
            Finding::new(names.clone(), Some("copula"), Certainty::Certain),
        )
        .since(
            "all values are there but the least and the greatest, which became one average each",
        ),
        (false, true) => {
            let certainty = if alone && best.right > 0.5 {
                Certainty::Certain
            } else {
                Certainty::Likely
            };
            described(
                best,
                &comparison,
                Finding::new(names.clone(), Some(best.law.method()), certainty),
            )
            .since("all values are there, but no longer beside each other: they changed places")
        }
        (false, false) => open(),
    };
    let others: Vec<String> = fits
        .iter()
        .map(|fit| {
            format!(
                "{:.3} for {}",
                fit.distance,
                fit.law.in_words(fit.strength, n)
            )
        })
        .collect();
    finding = finding.since(format!(
        "the original was masked again: the logarithms of displacements differ from those of the masked file by {}",
        others.join(", ")
    ));
    if let (Some(second), false) = (second, alone) {
        finding = finding.or(second.law.in_words(second.strength, n));
    }
    vec![(places.to_vec(), finding)]
}

/// Attributes of new numbers.
pub(super) fn noise(search: &Search<'_>, places: &[usize]) -> Found {
    let names = search.names(places);
    let open = || {
        Finding::new(names.clone(), None, Certainty::Open)
            .since("numbers that the original does not have, and no law of them is recognised")
    };
    let Some(comparison) = Comparison::new(search, places, In::Deviations) else {
        return vec![(places.to_vec(), open())];
    };
    let restored = places
        .iter()
        .all(|&place| is_restored(&search.columns[place]));
    let start = comparison.seen.size.exp().clamp(1e-3, 10.0);
    let mut fits = Vec::new();
    let correlated = [false, true].into_iter().take(places.len().min(2));
    for correlated in correlated {
        let law = Law::Noise {
            correlated,
            restored,
        };
        fits.extend(comparison.fit(law, start, [1e-4, 30.0]));
    }
    fits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let Some(best) = fits
        .first()
        .filter(|fit| fit.distance <= 2.0 * MAX_DISTANCE)
    else {
        return vec![(places.to_vec(), open())];
    };
    let mut level = best.strength * best.strength;
    let by_variance = variance_added(search, places);
    let mut finding = Finding::new(names.clone(), Some("noise"), Certainty::Likely);
    let error = [2.0 * best.error, by_variance.1];
    if !restored && by_variance.0 > 0.0 && error[1] < error[0] {
        level = by_variance.0;
        finding = finding.since("variances of the masked file are so much larger");
    } else {
        finding =
            finding.since("new numbers near the old ones: drafts with noise of this level look so");
    }
    if best.distance <= MAX_DISTANCE && best.right > 0.5 {
        finding.certainty = Certainty::Certain;
    }
    finding = finding.with("level", digits(level, 3)).since(format!(
        "{} by displacements, {} by variances",
        digits(best.strength.powi(2), 3),
        digits(by_variance.0, 3)
    ));
    if let Law::Noise {
        correlated: true, ..
    } = best.law
    {
        finding = finding.with("correlated", true);
    }
    if restored {
        finding = finding
            .with("restore", true)
            .since("means and standard deviations are those of the original");
    }
    if let Some(second) = fits.get(1)
        && second.distance < BETTER * best.distance.max(0.05)
    {
        finding.certainty = Certainty::Likely;
        finding = finding.or(second.law.in_words(second.strength, 0.0));
    }
    vec![(places.to_vec(), finding)]
}

/// Whether mean and standard deviation are those of the original, as far as rounding allows.
fn is_restored(column: &Column) -> bool {
    let Some((before, after)) = column.sorted(0).zip(column.sorted(1)) else {
        return false;
    };
    let [before, after] = [before, after].map(|side| moments(side.into_iter()));
    let near = |a: f64, b: f64| (a - b).abs() <= 2e-4 * before.sd;
    before.count == after.count && near(before.mean, after.mean) && near(before.sd, after.sd)
}

/// By what share variances grew, on average, and how exact that is as a share of it.
///
/// A variance grows by that of the noise and by twice its covariance with the values, which is chance: 2 sd √(level / n) of each
/// attribute. Attributes that go together are as good as fewer: p² / Σ r².
fn variance_added(search: &Search<'_>, places: &[usize]) -> (f64, f64) {
    let table = search.files.tables[0];
    let columns = places.iter().map(|&place| &search.columns[place]);
    let (mut added, mut numbers) = (Vec::new(), Vec::new());
    for column in columns {
        let both = column.sorted(0).zip(column.sorted(1));
        let (Some((before, after)), Some(of)) = (both, table.values(column.ids[0])) else {
            continue;
        };
        let [before, after] = [before, after].map(|side| moments(side.into_iter()));
        if before.sd > 0.0 {
            added.push((after.sd / before.sd).powi(2) - 1.0);
            numbers.push(of);
        }
    }
    let records: Vec<u32> = (0..table.n_records())
        .filter_map(|record| u32::try_from(record).ok())
        .collect();
    let squares = covariance(&Matrix::gather(&numbers, &records)).map_or(f64::INFINITY, |c| {
        let squared = |((j, k), covariance): ((usize, usize), &f64)| {
            let product = c[[j, j]] * c[[k, k]];
            if product > 0.0 {
                covariance * covariance / product
            } else {
                0.0
            }
        };
        c.indexed_iter().map(squared).sum()
    });
    let level = added.iter().sum::<f64>() / added.len().max(1) as f64;
    let width = added.len().max(1) as f64;
    let of_one = 2.0 / (level.max(1e-12) * records.len() as f64).sqrt();
    (level, of_one * squares.sqrt() / width)
}

/// The parameters of a law that fits.
fn described(fit: &Fit, comparison: &Comparison<'_>, finding: Finding) -> Finding {
    let n = comparison.search.records_of(0) as f64;
    match fit.law {
        Law::RankSwap | Law::Cycle => {
            // Where drafts need all of their window, so does the masked file.
            let reach = comparison.seen.reach;
            let is_sharp =
                fit.reach > 0.97 && fit.law == Law::RankSwap && comparison.search.is_whole();
            let window = if is_sharp {
                reach.max(1.0)
            } else {
                fit.strength.round().max(1.0)
            };
            // Of a part of the file the window is that of the part, p is not.
            let finding = if comparison.search.is_whole() {
                finding
                    .with("window", whole(window))
                    .with("p", percent_of(window, n))
            } else {
                finding.with("p", digits(100.0 * window / n, 2))
            };
            let finding = finding.since(format!(
                "within {reach:.0} ranks every masked record has an original one in all attributes, within fewer not"
            ));
            match fit.law {
                Law::Cycle => finding.with("partner", "cycle"),
                _ => finding.attack(format!(
                    "--method rsld,involution --window {}",
                    whole(window.max(reach))
                )),
            }
        }
        Law::PDistribution => finding.with("p", digits(100.0 * fit.strength / n, 2)),
        Law::PBuckets => finding.with("p", whole((n / fit.strength).round().max(1.0))),
        Law::Copula(_) => {
            // mu is 1/strength².
            let [least, most] =
                [2.0, -2.0].map(|errors: f64| (fit.strength * (errors * fit.error).exp()).powi(-2));
            if fit.error <= MAX_ERROR && fit.slope >= MIN_SLOPE {
                finding.with("mu", digits(fit.strength.powi(-2), 2))
            } else {
                finding.since(format!(
                    "mu is hardly to be seen: from {} to {} it would look much the same",
                    digits(least.max(MU[0]), 1),
                    digits(most.min(MU[1]), 1)
                ))
            }
        }
        Law::Noise { .. } => finding.with("level", digits(fit.strength.powi(2), 3)),
    }
}

impl Law {
    /// Its masking, as `sdcrisk mask` calls it.
    pub fn method(self) -> &'static str {
        match self {
            Self::RankSwap | Self::Cycle => "rankswap",
            Self::PBuckets => "pbuckets",
            Self::PDistribution => "pdistribution",
            Self::Copula(_) => "copula",
            Self::Noise { .. } => "noise",
        }
    }

    fn in_words(self, strength: f64, n: f64) -> String {
        match self {
            Self::RankSwap => format!("rankswap with a window of {:.0} ranks", strength.max(1.0)),
            Self::Cycle => format!(
                "rankswap --partner cycle with a window of {:.0} ranks",
                strength.max(1.0)
            ),
            Self::PBuckets => format!("pbuckets with {:.0} buckets", (n / strength).max(1.0)),
            Self::PDistribution => {
                format!("pdistribution with p = {}", digits(100.0 * strength / n, 2))
            }
            Self::Copula(_) => format!("copula with mu = {}", digits(strength.powi(-2), 2)),
            Self::Noise { correlated, .. } => format!(
                "{}noise of level {}",
                if correlated {
                    "correlated "
                } else {
                    "independent "
                },
                digits(strength.powi(2), 2)
            ),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of ranks or buckets"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

/// The shortest percentage of n records that makes this window.
fn percent_of(window: f64, n: f64) -> f64 {
    let [least, most] = [100.0 * window / n, 100.0 * (window + 1.0) / n];
    let cut = (0..6).map(|decimals| {
        let power = 10_f64.powi(decimals);
        (least * power).ceil() / power
    });
    cut.into_iter().find(|&p| p < most).unwrap_or(least)
}

/// A number with so many digits.
pub(super) fn digits(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(number)
}
