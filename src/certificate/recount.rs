//! The parameters, counted again: a plain loop over all pairs.

use rayon::prelude::*;

use super::{
    exact::Exact,
    family::{Row, pair_parameter, pairs},
    format::Family,
    points::Points,
};

/// Rows that exceed 0 by less than this share of both squared distances (of the sizes of their terms) are positive for exact arithmetic only: a
/// program with rounding may or may not count them.
const BARELY: f64 = 1.0 / (1_u64 << 36) as f64;

/// What parameters come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recount {
    /// Records whose rows are all positive, exactly.
    pub linked: usize,
    /// Those of them with a row that is positive by less than rounding.
    pub barely: usize,
    /// Whether a pair has a negative d², of forms that may not have any; exactly.
    pub is_negative: bool,
}

/// One record.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Linked,
    Barely,
    Lost,
}

/// Counts the records that the parameters link: strictly nearest to their partner. Ties are wrong.
///
/// # Complexity
/// O(seekers · sought · parameters) at worst; most records are decided early. Pairs that rounding could decide are worked out exactly.
pub(super) fn recount(family: Family, points: &Points, parameters: &[f64]) -> Recount {
    let form = Form {
        family,
        points,
        parameters,
        sum: parameters.iter().map(|p| p.abs()).sum(),
        exact: parameters.iter().map(|&p| Exact::of(p)).collect(),
    };
    let fates: Vec<(Fate, bool)> = (0..points.n_seekers())
        .into_par_iter()
        .map_init(
            || Room::new(points.n_attributes()),
            |room, seeker| {
                let is_negative =
                    family == Family::BilinearNonNegative && form.is_negative(seeker, room);
                (form.fate(seeker, room), is_negative)
            },
        )
        .collect();
    let count = |fate| fates.iter().filter(|other| other.0 == fate).count();
    let barely = count(Fate::Barely);
    Recount {
        linked: count(Fate::Linked) + barely,
        barely,
        is_negative: fates.iter().any(|fate| fate.1),
    }
}

struct Form<'a> {
    family: Family,
    points: &'a Points,
    parameters: &'a [f64],
    /// The sum of their sizes.
    sum: f64,
    exact: Vec<Exact>,
}

/// Room for the work of one thread.
struct Room {
    squares: Vec<f64>,
    signed: Vec<f64>,
    order: Vec<usize>,
}

impl Room {
    fn new(n: usize) -> Self {
        Self {
            squares: vec![0.0; n],
            signed: vec![0.0; n],
            order: (0..n).collect(),
        }
    }
}

impl Form<'_> {
    fn fate(&self, seeker: usize, room: &mut Room) -> Fate {
        let Some(partner) = self.points.partner(seeker) else {
            return Fate::Lost;
        };
        let (own, own_size) = self.rounded(seeker, partner, partner, room);
        let mut fate = Fate::Linked;
        for competitor in (0..self.points.n_sought()).filter(|&other| other != partner) {
            let (other, size) = self.rounded(seeker, partner, competitor, room);
            let size = own_size + size;
            let error = self.error(size);
            let barely = (BARELY * 4.0).mul_add(size, error);
            if other - own > barely {
                continue;
            }
            if other - own < -error {
                return Fate::Lost;
            }
            let row = self.family.row(self.points, seeker, partner, competitor);
            let value = self.value(&row);
            if value <= Exact::default() {
                return Fate::Lost;
            }
            let of = |sought| self.family.size(self.points, (seeker, sought), &self.exact);
            let size = &of(partner) + &of(competitor);
            if value <= &size * &Exact::of(BARELY) {
                fate = Fate::Barely;
            }
        }
        fate
    }

    /// A row's exact value.
    fn value(&self, row: &Row) -> Exact {
        let terms = row.coefficients.iter();
        let terms = terms.map(|(&parameter, coefficient)| coefficient * &self.exact[parameter]);
        terms.fold(Exact::default(), |sum, term| &sum + &term)
    }

    /// Whether d² of a seeker with anybody is negative.
    fn is_negative(&self, seeker: usize, room: &mut Room) -> bool {
        (0..self.points.n_sought()).any(|sought| {
            let (value, size) = self.rounded(seeker, sought, sought, room);
            let error = self.error(size);
            value < -error
                || (value <= error
                    && self
                        .family
                        .value(self.points, (seeker, sought), &self.exact)
                        < Exact::default())
        })
    }

    /// What rounding does to a distance of this size: squares are wrong by four units in the last place, a term by a few more, a sum by one
    /// a term.
    fn error(&self, size: f64) -> f64 {
        let n = self.points.n_attributes();
        16.0 * f64::EPSILON * (n * n + 8) as f64 * size
    }

    /// d² of a seeker and a competitor, rounded, and a size that no sum of terms exceeds: the sum of the parameters' sizes times the
    /// greatest square (twice that for products).
    fn rounded(
        &self,
        seeker: usize,
        partner: usize,
        competitor: usize,
        room: &mut Room,
    ) -> (f64, f64) {
        let p = self.parameters;
        let n = room.squares.len();
        if self.family.is_bilinear() {
            let (signed, squares) = (&mut room.signed, &mut room.squares);
            self.points
                .rounded_signed(seeker, competitor, signed, squares);
            let single: f64 = squares.iter().zip(p).map(|(square, p)| square * p).sum();
            let of_pair = |((k, l), p): ((usize, usize), &f64)| 2.0 * signed[k] * signed[l] * p;
            let double: f64 = pairs(n).zip(&p[n..]).map(of_pair).sum();
            return (single + double, 2.0 * self.sum * greatest(&room.squares));
        }
        self.points
            .rounded_squares(seeker, partner, competitor, &mut room.squares);
        let size = self.sum * greatest(&room.squares);
        let squares = &mut room.squares;
        let value = match self.family {
            Family::OrderedWeightedMean => {
                squares.sort_unstable_by(|a, b| b.total_cmp(a));
                squares.iter().zip(p).map(|(square, p)| square * p).sum()
            }
            Family::Choquet | Family::ChoquetMetric => {
                let order = &mut room.order;
                order.sort_unstable_by(|&k, &l| squares[k].total_cmp(&squares[l]));
                let (mut set, mut below, mut value) = ((1_usize << n) - 1, 0.0, 0.0);
                for &k in order.iter() {
                    value += (squares[k] - below) * p[set - 1];
                    below = squares[k];
                    set &= !(1 << k);
                }
                value
            }
            Family::ChoquetTwoAdditive => {
                let single: f64 = squares.iter().zip(p).map(|(square, p)| square * p).sum();
                let least = |(k, l): (usize, usize)| squares[k].min(squares[l]);
                let of_pair = |(k, l)| least((k, l)) * p[pair_parameter(n, k, l)];
                single + pairs(n).map(of_pair).sum::<f64>()
            }
            _ => squares.iter().zip(p).map(|(square, p)| square * p).sum(),
        };
        (value, size)
    }
}

fn greatest(squares: &[f64]) -> f64 {
    squares.iter().copied().fold(0.0, f64::max)
}
