//! From two files to the rows that decide: who can never be linked, who always is, and which competitors the others must beat.

use rayon::prelude::*;

use super::{
    differences::Differences,
    family::{Family, Scratch},
};
use crate::optimize::subsystem::Rows;

/// All rows that no other row makes superfluous.
#[derive(Debug, Clone)]
pub struct Presolved {
    /// A block for each seeker that is neither never nor always linked.
    pub rows: Rows,
    /// The seeker of each block, ascending.
    pub block_seekers: Vec<u32>,
    /// Seekers that no distance of the family links, each with a competitor that is nowhere farther than the partner.
    pub never: Vec<(u32, u32)>,
    /// Seekers that every distance of the family links.
    pub always: Vec<u32>,
}

/// What is known of a seeker without any search.
#[derive(Debug, Clone, PartialEq)]
enum Fate {
    /// Nobody is looked for.
    Alone,
    /// This competitor is never beaten.
    Never(u32),
    /// These competitors decide; none if every competitor is always beaten.
    Decided(Vec<u32>),
}

/// Lists the rows of all pairs.
///
/// A competitor of a seeker, with v_k what its k-th squared difference is more than that of the partner (the k-th
/// greatest for `owa`):
///
/// ```text
/// all v_k ≤ 0                 is never beaten: the seeker is never linked
/// all v_k ≥ 0, some v_k > 0   is beaten wherever a row of positive numbers is; it is dropped
/// all v_k ≥ w_k               is beaten if the competitor with w is; it is dropped
/// ```
///
/// These hold for families that are monotone ([`Family::is_monotone`]). A bilinear form has all its rows; there a competitor is never beaten
/// if its features are exactly those of the partner.
///
/// A competitor that only gains somewhere (second line) ties where the weights of these attributes are all 0. This is no
/// loss: each weight can be raised from 0 by so little that whoever is linked stays linked, and who is linked there is linked
/// without these rows. What is found must therefore be recounted with all pairs ([`super::relaxation`]).
///
/// # Complexity
/// O(seekers · sought · (n + rows that stay)) time, O(rows) memory: for files of a thousand records or so.
pub fn all_rows(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
) -> Presolved {
    let n = differences.n_attributes();
    let fates: Vec<Fate> = partners
        .par_iter()
        .enumerate()
        .map_init(
            || Front::new(n),
            |front, (seeker, &partner)| match partner {
                None => Fate::Alone,
                Some(partner) => front.fate(differences, family, seeker, partner as usize),
            },
        )
        .collect();
    let mut presolved = Presolved {
        rows: Rows::new(),
        block_seekers: Vec::new(),
        never: Vec::new(),
        always: Vec::new(),
    };
    let mut scratch = Scratch::new(n);
    let mut row = Vec::new();
    for (seeker, (fate, partner)) in (0_u32..).zip(fates.into_iter().zip(partners)) {
        let (Fate::Decided(competitors), Some(partner)) = (&fate, partner) else {
            if let Fate::Never(competitor) = fate {
                presolved.never.push((seeker, competitor));
            }
            continue;
        };
        if competitors.is_empty() {
            presolved.always.push(seeker);
            continue;
        }
        presolved.rows.push_block();
        presolved.block_seekers.push(seeker);
        for &competitor in competitors {
            let (seeker, partner) = (seeker as usize, *partner as usize);
            family.row(
                differences,
                seeker,
                partner,
                competitor as usize,
                &mut scratch,
                &mut row,
            );
            presolved.rows.push_row(competitor, &row);
        }
    }
    presolved
}

/// The competitors of a seeker that none makes superfluous, with room for the work.
#[derive(Debug)]
struct Front {
    scratch: Scratch,
    margins: Vec<f64>,
    /// The margins of competitors that are not dropped at once.
    all: Vec<f64>,
    /// Their sum, and the competitor.
    order: Vec<(f64, u32, usize)>,
    /// The margins of those that stay.
    stays: Vec<f64>,
}

impl Front {
    fn new(n_attributes: usize) -> Self {
        Self {
            scratch: Scratch::new(n_attributes),
            margins: vec![0.0; n_attributes],
            all: Vec::new(),
            order: Vec::new(),
            stays: Vec::new(),
        }
    }

    fn fate(
        &mut self,
        differences: &Differences<'_>,
        family: Family,
        seeker: usize,
        partner: usize,
    ) -> Fate {
        self.all.clear();
        self.order.clear();
        let competitors = (0_u32..).take(differences.n_sought());
        for competitor in competitors.filter(|&competitor| competitor as usize != partner) {
            self.compare(differences, family, seeker, partner, competitor as usize);
            if !family.is_monotone() {
                if self.margins.iter().all(|&margin| margin == 0.0) {
                    return Fate::Never(competitor);
                }
                self.order.push((0.0, competitor, 0));
                continue;
            }
            let (gains, loses) = signs(&self.margins);
            if !gains {
                return Fate::Never(competitor);
            }
            if loses {
                let sum = self.margins.iter().sum();
                self.order.push((sum, competitor, self.all.len()));
                self.all.extend_from_slice(&self.margins);
            }
        }
        if family.is_monotone() {
            self.keep_least();
        }
        Fate::Decided(
            self.order
                .iter()
                .map(|&(_, competitor, _)| competitor)
                .collect(),
        )
    }

    /// What the competitor's squared differences (ordered ones for `owa`; features of a bilinear form) are more than the partner's.
    fn compare(
        &mut self,
        differences: &Differences<'_>,
        family: Family,
        seeker: usize,
        partner: usize,
        competitor: usize,
    ) {
        compare(
            differences,
            family,
            [seeker, partner, competitor],
            &mut self.scratch,
            &mut self.margins,
        );
    }

    /// Leaves in `order` those whose margins nobody else's are below, in ascending order of their sum.
    fn keep_least(&mut self) {
        let n = self.margins.len();
        self.order
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.stays.clear();
        let (all, stays) = (&self.all, &mut self.stays);
        // Whoever makes another superfluous has a smaller sum, or the same one.
        self.order.retain(|&(_, _, start)| {
            let margins = &all[start..start + n];
            let below = |other: &[f64]| other.iter().zip(margins).all(|(a, b)| a <= b);
            let stay = !stays.chunks_exact(n).any(below);
            if stay {
                stays.extend_from_slice(margins);
            }
            stay
        });
    }
}

/// What a competitor has more than the partner: of each squared difference, or of each feature where that is not what orders
/// competitors.
pub(super) fn compare(
    differences: &Differences<'_>,
    family: Family,
    [seeker, partner, competitor]: [usize; 3],
    scratch: &mut Scratch,
    margins: &mut Vec<f64>,
) {
    if family.is_monotone() && family != Family::OrderedWeightedMean {
        margins.resize(differences.n_attributes(), 0.0);
        differences.margins(seeker, partner, competitor, margins);
    } else {
        family.row(differences, seeker, partner, competitor, scratch, margins);
    }
}

/// Whether some number is positive, and whether some is negative.
pub(super) fn signs(margins: &[f64]) -> (bool, bool) {
    margins.iter().fold((false, false), |(gains, loses), &v| {
        (gains | (v > 0.0), loses | (v < 0.0))
    })
}
