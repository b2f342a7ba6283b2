//! Distance-based record linkage: each record is linked with the nearest one.

use std::borrow::Cow;

use super::{Attack, Direction, Nearest, Preference, Scenario};
use crate::{
    distance::{Metric, nearest::Boxes},
    error::{Error, Result},
    stats::moments::{Moments, moments_by_attribute},
    table::matrix::Matrix,
};

/// By what each file is standardised before distances are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standardize {
    /// Each file by its own means and standard deviations; an intruder whose records do not differ in an attribute
    /// (because he holds one record, say) takes those of the release there.
    Own,
    /// Both files by those of the intruder's (original) file.
    Original,
    /// Not at all: attributes weigh by their units.
    None,
}

/// Record linkage by the attribute-standardised Euclidean distance (DBRL1, "AM").
///
/// ```text
/// d²(a, b) = Σ_k ( (a_k − mean_k^X) / sd_k^X − (b_k − mean_k^Y) / sd_k^Y )²
/// ```
///
/// # Units
/// sd with divisor n−1, over the values that are not missing. The paper's arithmetic *mean* of the squared differences
/// orders records as this sum does. Reported distances are d, not d².
///
/// # Ties
/// Differences are taken in the units of the sought file before they are divided, so that equal differences give
/// equal distances to the last bit wherever both files have equal means and sds (as after rank swapping).
///
/// # Missing
/// A difference with a missing side counts as much as that of two unrelated people on average, `E(Z₁ − Z₂)² = 2` in
/// standardised units: a gap neither attracts nor repels.
///
/// # Source
/// U. Pagliuca, G. Seri, 1999; J. Domingo-Ferrer, V. Torra, 2001; as DBRL1 in D. Abril, G. Navarro-Arribas, V. Torra,
/// "Choquet integral for record linkage", Annals of Operations Research 195, 2012.
#[derive(Debug, Clone)]
pub struct DistanceBased {
    /// By what each file is standardised.
    pub standardize: Standardize,
}

impl Attack for DistanceBased {
    fn name(&self) -> &'static str {
        "am"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        nearest(scenario, self.standardize, None)
    }
}

/// Prefers the nearest candidate by the standardised distance.
pub(super) fn nearest<'a>(
    scenario: &Scenario<'a>,
    standardize: Standardize,
    candidates: Option<Boxes>,
) -> Result<Preference<'a>> {
    let frame = Frame::new(scenario, standardize)?;
    Ok(Preference::Nearest(Box::new(Nearest {
        seekers: frame.in_sought_units(scenario.seekers()),
        sought: Cow::Borrowed(scenario.sought()),
        metric: frame.metric,
        candidates,
    })))
}

/// How the two files' units meet: the seekers' values are carried into the units of the sought file.
struct Frame {
    /// seeker value → sought units: `(value − from) * factor + to`; identity where nothing is to be done.
    carry: Vec<Option<(f64, f64, f64)>>,
    metric: Metric,
}

impl Frame {
    fn new(scenario: &Scenario<'_>, standardize: Standardize) -> Result<Self> {
        let of_seekers = moments_by_attribute(scenario.seekers());
        let of_sought = moments_by_attribute(scenario.sought());
        let mut carry = Vec::new();
        let mut weights = Vec::new();
        let mut missing = Vec::new();
        for (k, name) in scenario.known.iter().enumerate() {
            let (mut seekers, mut sought) = (of_seekers[k], of_sought[k]);
            let (intruder, released) = match scenario.direction {
                Direction::OriginalToMasked => (&mut seekers, sought),
                Direction::MaskedToOriginal => (&mut sought, seekers),
            };
            // Who holds few records (one, say) has no spread of his own: he standardises by the release.
            if intruder.sd <= 0.0 {
                *intruder = released;
            }
            let original = *intruder;
            let no_spread = |side: Moments| side.sd <= 0.0;
            let unusable = match standardize {
                Standardize::Own => no_spread(seekers) || no_spread(sought),
                Standardize::Original => no_spread(original),
                Standardize::None => false,
            };
            if unusable {
                return Err(Error::input(
                    "has the same value everywhere (or none): it cannot be standardised and tells nobody apart",
                )
                .on_attribute(name)
                .remedy("Leave it out of --known"));
            }
            // What the seekers' sd is once they are carried into the units of the sought file.
            let (scale, carried_sd, carried) = match standardize {
                Standardize::Own => {
                    let same = (seekers.mean, seekers.sd) == (sought.mean, sought.sd);
                    let factor = sought.sd / seekers.sd;
                    let carried = (!same).then_some((seekers.mean, factor, sought.mean));
                    (sought.sd, sought.sd, carried)
                }
                Standardize::Original => (original.sd, seekers.sd, None),
                Standardize::None => (1.0, seekers.sd, None),
            };
            let weight = 1.0 / (scale * scale);
            missing.push((carried_sd * carried_sd + sought.sd * sought.sd) / (scale * scale));
            carry.push(carried);
            weights.push(weight);
        }
        if weights
            .iter()
            .chain(&missing)
            .any(|number| !number.is_finite())
        {
            return Err(Error::input(
                "a known attribute has values too large or too close together to be standardised",
            )
            .remedy("Rescale it, or leave it out of --known"));
        }
        Ok(Self {
            carry,
            metric: Metric::new(weights, missing),
        })
    }

    fn in_sought_units<'a>(&self, seekers: &'a Matrix) -> Cow<'a, Matrix> {
        let mut carried = Cow::Borrowed(seekers);
        for (k, carry) in self.carry.iter().enumerate() {
            if let Some((from, factor, to)) = *carry {
                carried
                    .to_mut()
                    .map_attribute(k, |value| (value - from) * factor + to);
            }
        }
        carried
    }
}
