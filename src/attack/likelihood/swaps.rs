//! What a law of swapping says of single pairs: for the attack that goes by swaps being mutual.

use super::{Likelihood, Ranked, law::Law, ranks::Ranks};
use crate::{
    attack::{Lists, Scenario},
    error::{Error, Result},
    statement::{Method, Partner},
};

/// Two files under a law of swapping: the lists of the likelihood attack, and which pairs that nobody listed are possible.
#[derive(Debug)]
pub(in crate::attack) struct Swaps {
    ranked: Ranked,
    /// Sought × attributes.
    sought: Vec<Ranks>,
    /// For each known attribute, whether who misses it is possible only for who misses it, too.
    in_place: Vec<bool>,
}

impl Swaps {
    /// Ranks both files.
    ///
    /// # Errors
    /// Usage, when the published method does not swap.
    pub fn new(attack: &Likelihood, scenario: &Scenario<'_>) -> Result<Self> {
        attack.refuse_unless_swapping()?;
        let (ranked, sought) = Ranked::with_sought(attack, scenario);
        Ok(Self {
            ranked,
            sought,
            in_place: scenario.gaps_in_place(attack.stated),
        })
    }

    /// Whether the law of each known attribute makes some values impossible.
    pub fn is_bounded(&self) -> bool {
        self.ranked.laws.iter().all(Law::is_bounded)
    }

    /// For each known attribute, whether its values were swapped.
    pub fn swapped(&self) -> Vec<bool> {
        let laws = self.ranked.laws.iter();
        laws.map(|law| !matches!(law, Law::Equal { .. })).collect()
    }

    /// Where the candidates of a seeker are ([`Lists::whereabouts`]).
    pub fn whereabouts(&self, seeker: usize) -> u64 {
        self.ranked.whereabouts(seeker)
    }

    /// The candidates of a seeker with −log-likelihood, by ascending record. Where gaps are in place, both miss a value or none.
    pub fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.ranked.list(seeker, list);
        if self.in_place.contains(&true) {
            list.retain(|&(sought, _)| self.gaps_agree(seeker, sought as usize));
        }
    }

    /// Whether the law leaves this pair possible.
    pub fn admits(&self, seeker: usize, sought: usize) -> bool {
        self.gaps_agree(seeker, sought)
            && self
                .values(seeker, sought)
                .all(|(one, other, law)| law.is_possible(one, other))
    }

    /// −log-likelihood of a pair.
    pub fn cost(&self, seeker: usize, sought: usize) -> f64 {
        let logs = self.values(seeker, sought);
        let sum = logs.fold(0.0, |sum, (one, other, law)| sum + law.log_mean(one, other));
        -sum
    }

    /// What a known attribute says of a pair, neither of which misses it: ln of the probability of the change, in the scale in which a
    /// rank drawn at random has 1.
    pub fn log_of_change(&self, attribute: usize, seeker: usize, sought: usize) -> f64 {
        let (one, other) = (self.ranked.of_seeker(seeker), self.of_sought(sought));
        self.ranked.laws[attribute].log_mean(one[attribute], other[attribute])
    }

    /// The attributes that neither misses.
    fn values(&self, seeker: usize, sought: usize) -> impl Iterator<Item = (Ranks, Ranks, &Law)> {
        let pairs = self
            .ranked
            .of_seeker(seeker)
            .iter()
            .zip(self.of_sought(sought));
        let values = pairs.zip(&self.ranked.laws);
        values
            .filter(|((one, other), _)| !one.is_missing() && !other.is_missing())
            .map(|((&one, &other), law)| (one, other, law))
    }

    /// The law of each known attribute.
    pub(super) fn laws(&self) -> &[Law] {
        &self.ranked.laws
    }

    /// The ranks of all seekers, and those of all sought records (records × attributes).
    pub(super) fn seekers(&self) -> &[Ranks] {
        &self.ranked.seekers
    }

    pub(super) fn sought(&self) -> &[Ranks] {
        &self.sought
    }

    /// For each known attribute, whether who misses it is possible only for who misses it, too.
    pub(super) fn in_place(&self) -> &[bool] {
        &self.in_place
    }

    pub fn n_seekers(&self) -> usize {
        self.ranked.n_seekers
    }

    pub fn n_sought(&self) -> usize {
        self.ranked.n_sought
    }

    fn gaps_agree(&self, seeker: usize, sought: usize) -> bool {
        let pairs = self
            .ranked
            .of_seeker(seeker)
            .iter()
            .zip(self.of_sought(sought));
        let mut pairs = pairs.zip(&self.in_place);
        pairs.all(|((one, other), in_place)| !in_place || one.is_missing() == other.is_missing())
    }

    fn of_sought(&self, sought: usize) -> &[Ranks] {
        let width = self.in_place.len();
        &self.sought[sought * width..(sought + 1) * width]
    }
}

impl Likelihood {
    /// How many records the masked file had.
    pub(in crate::attack) fn masked_records(&self) -> usize {
        self.published.records
    }

    /// The published method.
    pub(in crate::attack) fn method(&self) -> &Method {
        &self.published.method
    }

    /// Refuses what exchanges no pairs of values.
    ///
    /// # Errors
    /// Usage.
    pub(in crate::attack) fn refuse_unless_swapping(&self) -> Result<()> {
        match &self.published.method {
            Method::RankSwap(stated) if stated.partner == Partner::Cycle => Err(Error::other_masking(
                self.published.method.name(),
                " without partners (cycle); involution is the attack on values that were exchanged in pairs",
            )
            .remedy("Leave involution out of --method")),
            Method::RankSwap(_) | Method::PBuckets(_) | Method::PDistribution(_) => Ok(()),
            other => Err(Error::other_masking(
                other.name(),
                "; involution is the attack on values that were swapped (rankswap, pbuckets, pdistribution)",
            )
            .remedy("Leave involution out of --method")),
        }
    }
}
