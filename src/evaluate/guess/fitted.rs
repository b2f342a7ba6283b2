//! Which law of displacement, and how strong: drafts are made of the original until one looks as the masked file does.
//!
//! Who is linked with whom is a guess, and a wrong link is nearer than the right one. Drafts are linked in the same way, so their displacements
//! are wrong in the same way, and can be compared (indirect inference: C. Gouriéroux, A. Monfort, E. Renault, "Indirect inference",
//! Journal of Applied Econometrics 8, 1993).

use super::displaced::{Links, Seen, Yardstick};
use crate::table::{AttrId, Table};

/// Drafts by which a strength is found, at most.
const STEPS: u32 = 6;

/// Drafts of the strength that was found.
const REPEATS: u32 = 3;

/// The mean logarithm of displacements is found to this.
const PRECISION: f64 = 0.015;

/// A step of the logarithm of the strength, where the first strength fits.
const FIRST_STEP: f64 = 0.4;

/// A law by which values move, and its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// Rank swapping; strength is the window in ranks.
    RankSwap,
    /// Rank swapping by `--partner cycle`; strength is the window in ranks.
    Cycle,
    /// p-buckets; strength is the number of values in a bucket.
    PBuckets,
    /// p-distribution; strength is twice the mean of the law, in ranks.
    PDistribution,
    /// Minimal information with extremes protected or not; strength is 1/√mu.
    Copula(bool),
    /// Noise; strength is its standard deviation in units of the attribute's.
    Noise {
        /// Whether it is correlated.
        correlated: bool,
        /// Whether means and standard deviations are restored.
        restored: bool,
    },
}

/// Makes drafts: the original masked by a law.
pub trait Drafts {
    /// The original with the attributes `on` masked, records in order. `None` where the law cannot be of this strength here.
    fn draft(&self, law: Law, strength: f64, on: &[AttrId], replicate: u32) -> Option<Table>;
}

/// What is known of attributes that moved.
pub struct Question<'a> {
    /// The original.
    pub yardstick: &'a Yardstick,
    /// The attributes in the original.
    pub on: &'a [AttrId],
    /// What did not move, for each original record.
    pub keys: &'a [u32],
    /// The original record of each record of a draft.
    pub own: &'a [u32],
    /// Whether it is known who is who.
    pub is_known: bool,
    /// Whether the masked file has as many records as the original: else its reach is another one.
    pub is_whole: bool,
    /// What was seen of the masked file.
    pub seen: &'a Seen,
    /// The drafts.
    pub drafts: &'a dyn Drafts,
}

/// A law with the strength that fits best.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The law.
    pub law: Law,
    /// Its strength.
    pub strength: f64,
    /// How far the shape of its drafts is from that of the masked file: the root of the mean squared difference of logarithms.
    pub distance: f64,
    /// Share of the drafts' records that were linked to their own.
    pub right: f64,
    /// The reach of drafts as a share of their strength: 1 where the least reach without empty candidate sets is the strength.
    pub reach: f64,
    /// The standard error of the logarithm of the strength.
    pub error: f64,
    /// How much the mean logarithm grows with that of the strength: near 0 nothing can be said of it.
    pub slope: f64,
}

impl Question<'_> {
    fn see(&self, law: Law, strength: f64, replicate: u32) -> Option<Seen> {
        let draft = self.drafts.draft(law, strength, self.on, replicate)?;
        let links = if self.is_known {
            Links::Known(self.own)
        } else {
            Links::Nearest(Some(self.own))
        };
        self.yardstick.see(&draft, self.on, self.keys, links)
    }

    /// The strength of a law, sought from `start` on between two bounds; `None` where there are no drafts of it.
    pub fn fit(&self, law: Law, start: f64, bounds: [f64; 2]) -> Option<Fit> {
        let [low, high] = bounds.map(f64::ln);
        let [steps, repeats] = match law {
            // A draft costs as much as all steps of the others.
            Law::Copula(_) => [STEPS - 2, REPEATS - 1],
            _ => [STEPS, REPEATS],
        };
        let mut at = start.ln().clamp(low, high);
        let mut tried: Vec<(f64, f64)> = Vec::new();
        let mut slope = None;
        for _ in 0..steps {
            let seen = self.see(law, at.exp(), 0)?;
            if let Some(&(other, size)) = tried.last()
                && (at - other).abs() > 0.02
            {
                slope = Some(((seen.size - size) / (at - other)).clamp(0.05, 2.0));
            }
            tried.push((at, seen.size));
            let miss = self.seen.size - seen.size;
            let next = match slope {
                // How fast sizes grow must be seen once.
                None if miss.abs() < PRECISION => at + FIRST_STEP,
                None => next(&tried, self.seen.size, 1.0),
                Some(_) if miss.abs() < PRECISION => break,
                Some(slope) => next(&tried, self.seen.size, slope),
            };
            let next = next.clamp(low, high);
            if (next - at).abs() < 0.005 {
                break;
            }
            at = next;
        }
        let nearest = tried.iter().min_by(|a, b| {
            let miss = |seen: &(f64, f64)| (seen.1 - self.seen.size).abs();
            miss(a).total_cmp(&miss(b))
        });
        let at = nearest.map_or(at, |&(at, _)| at);
        let slope = slope.unwrap_or(1.0);
        let mut drafts = Vec::new();
        for replicate in 1..=repeats {
            drafts.push(self.see(law, at.exp(), replicate)?);
        }
        let mean =
            |of: &dyn Fn(&Seen) -> f64| drafts.iter().map(of).sum::<f64>() / drafts.len() as f64;
        let size = mean(&|seen| seen.size);
        let miss = self.seen.size - size;
        let strength = (at + (miss / slope).clamp(-0.3, 0.3))
            .clamp(low, high)
            .exp();
        // The shape apart from the size, which was found by the strength.
        let shape =
            |seen: &Seen| -> Vec<f64> { seen.shape.iter().map(|q| q - seen.size).collect() };
        let places = self.seen.shape.len();
        let average: Vec<f64> = (0..places).map(|k| mean(&|seen| shape(seen)[k])).collect();
        let squares = shape(self.seen)
            .into_iter()
            .zip(&average)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>();
        let reach = |seen: &Seen| (seen.reach + 1e-4).ln() - seen.size;
        let farthest = if self.is_whole {
            (reach(self.seen) - mean(&reach)).abs()
        } else {
            0.0
        };
        let together = match law {
            Law::Noise { .. } => (self.seen.together - mean(&|seen| seen.together)).abs(),
            _ => 0.0,
        };
        // A few drafts say little about how they vary: two can be similar by chance.
        let least = match law {
            Law::Copula(_) => 0.03,
            _ => 0.01,
        };
        let varying = mean(&|seen| (seen.size - size).powi(2)) * drafts.len() as f64
            / (drafts.len() - 1).max(1) as f64;
        Some(Fit {
            law,
            strength,
            distance: (squares / places as f64).sqrt()
                + miss.abs() / 4.0
                + farthest / 4.0
                + together,
            right: mean(&|seen| seen.right),
            reach: mean(&|seen| seen.reach) / at.exp(),
            // The masked file varies as one draft does, and their mean less.
            error: (varying.sqrt().max(least) * (1.0 + 1.0 / drafts.len() as f64).sqrt()) / slope,
            slope,
        })
    }
}

/// Where to look next: between the nearest below and above, else along the slope.
fn next(tried: &[(f64, f64)], wanted: f64, slope: f64) -> f64 {
    let below = tried.iter().filter(|seen| seen.1 <= wanted);
    let above = tried.iter().filter(|seen| seen.1 > wanted);
    let below = below.max_by(|a, b| a.1.total_cmp(&b.1));
    let above = above.min_by(|a, b| a.1.total_cmp(&b.1));
    match (below, above) {
        (Some(a), Some(b)) if b.1 > a.1 => a.0 + (b.0 - a.0) * (wanted - a.1) / (b.1 - a.1),
        _ => tried
            .last()
            .map_or(0.0, |last| last.0 + (wanted - last.1) / slope),
    }
}
