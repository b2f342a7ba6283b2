//! The involution attack on swapping: who took a value gave its holder their own.

mod balancing;
mod candidates;
mod exchanges;
mod soft;
mod together;
mod values;

use std::{ops::Bound, sync::Arc};

use candidates::Candidates;
use exchanges::{Exchanges, Mutual};
use values::{Values, Whole};

use super::{
    Attack, Direction, Lists, Preference, Scenario,
    likelihood::{Likelihood, Swaps},
    steps::{OtherLaw, Others},
    within_strata::Stratum,
};
use crate::{
    error::{Error, Result},
    optimize::assignment::maximum::{Plain, most_pairs},
};

/// The usual least factor of an exchange whose other side is not seen.
pub const EPS: f64 = 0.02;

/// Record linkage by swaps being mutual (transparency attack on `rankswap`, `pbuckets` and `pdistribution`).
///
/// A swap exchanges two values: if a became b, then whoever held b became a. So a seeker x and a sought record y can be one
/// only if, for every known attribute k that was swapped, some possible pair went from y_k to x_k.
///
/// # Hard form
/// Where the law has a window, the candidates are those of [`Likelihood`]. Every pair without such another side goes; that can leave
/// other pairs without one, until no pair goes any more. One candidate left is a certain link.
///
/// If those who must have a partner cannot all have one of their own any more, something assumed is wrong: the window, that nothing else moved values,
/// or that both files are of the same people. The report says so, nothing is called certain, and links
/// are those of the soft form.
///
/// # Soft form
/// Where the law has no window, or the hard form leaves nobody:
///
/// ```text
/// P     = balanced(W)
/// G_k   = Σ P over the pairs that go from y_k to x_k
/// log W = log W₀ + Σ_k ln max(eps, min(1, G_k))             again, until nothing changes, 25 rounds at most
/// ```
///
/// Other sides support each other, also where there was no exchange, so the files must show that there was: half of what is linked has
/// another side, or an attribute of which the other sides were not used shows half as many more as the links of likelihood do, balanced,
/// and one in a hundred at least. Otherwise these are given.
///
/// W₀ is the likelihood; `eps` is about the share of values that may have been moved otherwise. Nobody is excluded, nothing is certain.
///
/// # Weights
/// Where each of two pairs left is the only one that can be the other side of the other one's exchange, both are true or both are false. Then the exchange
/// was drawn once, and one pair says of the other how likely it is (`together.rs`): who knows part of the people is surer of those
/// whose exchanges can be seen.
///
/// # Links
/// The likelihoods of the pairs that are left, weighed so, are balanced ([`Balanced`](super::balanced::Balanced)) whatever the assignment, but for one-to-one,
/// and where part of the people are known and part of the records were released: then nobody is sure to have a partner.
///
/// # Who is not seen
/// A pair is never excluded for another side that the intruder could not see: if a value is shown more often than it was held by
/// people whom they know, somebody else held it; if it was held more often than it is shown, a record that shows it was
/// not released. Where part of the people are known *and* part of the records were released, no value can be counted, and
/// nothing is excluded. Where values are missing from the longer file that the shorter has, and values tie, an attribute says nothing.
///
/// # Attributes that were not swapped
/// must be equal, as in [`Likelihood`]; nominal ones are never swapped.
///
/// # Other steps
/// What the laws of other steps say of the pairs is added to their costs ([`Attack::prepare_with`]) before these are weighed. Pairs that such a law
/// makes impossible fall before other sides are looked for; those that one only finds very unlikely go afterwards, and then nobody is certain.
///
/// # Ties
/// An exchange is one of values: any pair of records with these values can be its other side.
///
/// # Missing
/// A pair of which either misses a value implies no exchange in that attribute. Where gaps are in place
/// ([`Scenario::gap_rules`]), either both miss it or none.
///
/// # Complexity
/// Pairs of which a look at the other sides in three attributes says that the law excludes them are never written down, unless they are their
/// seeker's last; then O(pairs · attributes) to propagate. 13 bytes a pair left, 12 for each attribute that was swapped, and 16 where other
/// laws are heard. Where values hardly tie and boxes hold many, the search takes an index of pairs of a sought record and whoever could have had
/// its value: up to four times as many as records, of nearly twice as many attributes.
///
/// # Source
/// Our own.
#[derive(Debug, Clone)]
pub struct Involution {
    law: Likelihood,
    eps: f64,
}

impl Involution {
    /// The attack of an intruder who knows this law; `eps` is for the soft form.
    ///
    /// # Errors
    /// Usage, when it is no law of swapping, or `eps` is not a share above 0.
    pub fn new(law: Likelihood, eps: f64) -> Result<Self> {
        law.refuse_unless_swapping()?;
        check_eps(eps)?;
        Ok(Self { law, eps })
    }
}

/// Refuses what is no share.
///
/// # Errors
/// Usage, when it is not above 0 and below 1.
pub fn check_eps(eps: f64) -> Result<()> {
    if eps > 0.0 && eps < 1.0 {
        Ok(())
    } else {
        Err(Error::option_out_of_range(
            "eps",
            (Bound::Excluded(0.0), Bound::Excluded(1.0)),
            "is a share of values: a number above 0 and below 1",
        )
        .remedy("0.02 is usual"))
    }
}

impl Attack for Involution {
    fn name(&self) -> &'static str {
        "involution"
    }

    fn has_candidate_sets(&self) -> bool {
        self.law.has_candidate_sets()
    }

    fn is_balanced(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        "likelihood, balanced, of the pairs for which on every known attribute somebody can have taken the value that was given".into()
    }

    fn in_words(&self) -> String {
        format!(
            "knows the law of {} and that swaps are mutual (involution)",
            self.law.method().name()
        )
    }

    fn in_stratum(&self, stratum: Stratum<'_>) -> Option<Box<dyn Attack>> {
        Some(Box::new(Self {
            law: self.law.of_stratum(stratum),
            eps: self.eps,
        }))
    }

    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        self.law.windows(known)
    }

    fn left_out(&self) -> usize {
        self.law.left_out()
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        self.prepare_with(scenario, Vec::new())
    }

    fn prepare_with<'a>(
        &self,
        scenario: &Scenario<'a>,
        others: Vec<OtherLaw<'a>>,
    ) -> Result<Preference<'a>> {
        let swaps = Swaps::new(&self.law, scenario);
        let whole = Whole::new(scenario, self.law.masked_records(), self.law.left_out());
        let values = Values::new(scenario, &swaps.swapped(), whole);
        let mut caveats = Vec::new();
        let others = Others::new(others, true)?;
        caveats.extend(others.caveats.iter().cloned());
        let bytes = 13
            + exchanges::BYTES_IN_ATTRIBUTE * values.columns().count()
            + if others.is_empty() {
                0
            } else {
                2 * size_of::<f64>()
            };
        if !whole.people && !whole.release {
            caveats.push(
                "part of the people are known and part of the records were released, so the other side of a swap may be \
                 out of sight, and nobody is sure to have a partner: these are the links of likelihood, not balanced"
                    .into(),
            );
        }
        let bytes_of_soft = bytes + 5 * size_of::<f64>();
        let n_sought = swaps.n_sought;
        let bounded = Bounded {
            must: Must::new(scenario, whole, self.law.masked_records()),
            masked_records: self.law.masked_records(),
            swaps,
            values,
        };
        if bounded.swaps.is_bounded() {
            let candidates = Candidates::mutual(&bounded.swaps, &bounded.values, bytes)?;
            match bounded.heard(candidates, &others)? {
                Ok(candidates) => {
                    return Ok(Preference::Lists(Box::new(Left {
                        candidates,
                        n_sought,
                        bounded: Some(Arc::new(bounded)),
                        exclude: others.likely().is_empty(),
                        caveats,
                    })));
                }
                Err(emptied) => caveats.push(emptied.in_words(self.eps, &others.methods)),
            }
        }
        let mut candidates = Candidates::likely(&bounded.swaps, bytes_of_soft)?;
        candidates.hear(&others.certain());
        candidates.hear(&others.likely());
        if !soft::soften(&mut candidates, n_sought, &bounded.values, self.eps)? {
            caveats.push(
                "nothing in these files shows that values were exchanged in pairs, with the attributes that are known: these are the links \
                 of likelihood, balanced"
                    .into(),
            );
        }
        Ok(Preference::Lists(Box::new(Left {
            candidates,
            n_sought,
            bounded: None,
            exclude: false,
            caveats,
        })))
    }
}

/// What the hard form goes by.
#[derive(Debug)]
struct Bounded {
    swaps: Swaps,
    values: Values,
    must: Must,
    masked_records: usize,
}

impl Bounded {
    /// Of these pairs, with their likelihoods as costs, those that are [left](Self::left) when other laws are heard, weighed; or who is left with
    /// nobody.
    fn heard(
        &self,
        mut pairs: Candidates,
        others: &Others<'_>,
    ) -> Result<std::result::Result<Candidates, Emptied>> {
        pairs.hear(&others.certain());
        if others.likely().is_empty() {
            return self.left(pairs, true);
        }
        // What is only unlikely is no proof that others have no other side.
        let mut pairs = match self.left(pairs, false)? {
            Ok(pairs) => pairs,
            Err(emptied) => return Ok(Err(emptied)),
        };
        pairs.hear(&others.likely());
        self.weighed(pairs).map(Ok)
    }

    /// Of these pairs, with their likelihoods as costs, those that are left when every pair without another side goes; or who is left with
    /// nobody. If they are to be `weighed`, by the pairs that they stand or fall with.
    fn left(
        &self,
        mut pairs: Candidates,
        weighed: bool,
    ) -> Result<std::result::Result<Candidates, Emptied>> {
        let possible = Exchanges::new(&pairs, &self.values).possible(pairs.len());
        pairs.retain(&possible);
        if let Some(emptied) = self.must.without_partner(&pairs) {
            return Ok(Err(emptied));
        }
        if weighed {
            pairs = self.weighed(pairs)?;
        }
        Ok(Ok(pairs))
    }

    /// Pairs weighed by those that they stand or fall with.
    fn weighed(&self, mut pairs: Candidates) -> Result<Candidates> {
        // Where everybody is left alone with somebody, there is nothing to weigh.
        if pairs.lengths().all(|length| length < 2) {
            return Ok(pairs);
        }
        let mutual = Exchanges::new(&pairs, &self.values).mutual();
        let places = self.values.places();
        let log_n = (self.masked_records as f64).ln();
        let log_event = |link: &Mutual, seeker: usize, sought: usize| {
            let attribute = places[link.attribute];
            self.swaps.log_of_change(attribute, seeker, sought) - log_n
        };
        together::weigh(&mut pairs, self.swaps.n_sought, &mutual, log_event)?;
        Ok(pairs)
    }

    /// The pairs of candidates that are kept, with their likelihoods.
    fn kept(&self, candidates: &Candidates, keeps: &dyn Fn(usize, u32) -> bool) -> Candidates {
        let mut kept = candidates.clone();
        let pairs = || candidates.seekers().zip(&candidates.records);
        let others = candidates.others.iter().chain(std::iter::repeat(&0.0));
        kept.costs = (pairs().zip(others))
            .map(|((seeker, &record), other)| self.swaps.cost(seeker, record as usize) + other)
            .collect();
        let keeps: Vec<bool> = pairs()
            .map(|(seeker, &record)| keeps(seeker, record))
            .collect();
        kept.retain(&keeps);
        kept
    }
}

/// Which records must have a partner.
#[derive(Debug)]
struct Must {
    /// Of those that look, and of those that are looked for.
    sides: [bool; 2],
    names: [&'static str; 2],
    among: [usize; 2],
}

impl Must {
    /// The intruder's records, if the whole file was released, and the released ones, if everybody is held.
    fn new(scenario: &Scenario<'_>, whole: Whole, masked_records: usize) -> Self {
        let (intruder, released) = (scenario.intruder, scenario.released);
        let of_intruder = whole.release && intruder.n_records() <= masked_records;
        let of_released = whole.people && released.n_records() <= masked_records;
        let names = ["records of the intruder", "masked records"];
        let (sides, names) = match scenario.direction {
            Direction::OriginalToMasked => ([of_intruder, of_released], names),
            Direction::MaskedToOriginal => ([of_released, of_intruder], [names[1], names[0]]),
        };
        Self {
            sides,
            names,
            among: [
                scenario.seekers().n_records(),
                scenario.sought().n_records(),
            ],
        }
    }

    fn without_partner(&self, left: &Candidates) -> Option<Emptied> {
        let matched = most_pairs(Plain {
            n_columns: self.among[1],
            starts: &left.starts,
            columns: &left.records,
        });
        let side = (0..2).find(|&side| self.sides[side] && matched < self.among[side])?;
        Some(Emptied {
            of: self.names[side],
            many: self.among[side] - matched,
            among: self.among[side],
        })
    }
}

/// Records that must have a candidate of their own and have none.
struct Emptied {
    of: &'static str,
    many: usize,
    among: usize,
}

impl Emptied {
    /// With the methods of the steps of which other laws were heard.
    fn in_words(&self, eps: f64, others: &[&str]) -> String {
        let others = match others {
            [] => String::new(),
            others => format!(" the law of {} is another,", others.join(" or ")),
        };
        format!(
            "the assumption does not hold: swaps cannot all be mutual, since {} of {} {} are left with no candidate of their own. The window is another,{others} \
             something else moved values, or people are missing whom the other file should have; no link is certain, and these are links \
             of the soft form (--eps {eps})",
            self.many, self.among, self.of
        )
    }
}

/// The pairs that are left.
#[derive(Debug)]
struct Left {
    candidates: Candidates,
    n_sought: usize,
    /// What they were found by in the hard form.
    bounded: Option<Arc<Bounded>>,
    /// Whether others are impossible: in the hard form, unless another law only finds them unlikely.
    exclude: bool,
    caveats: Vec<String>,
}

/// The same without its own.
#[derive(Debug)]
struct Borrowed<'a> {
    candidates: &'a Candidates,
    n_sought: usize,
}

impl Lists for Borrowed<'_> {
    fn n_seekers(&self) -> usize {
        self.candidates.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let pairs = self.candidates.row(seeker);
        let records = self.candidates.records[pairs.clone()].iter().copied();
        list.clear();
        list.extend(records.zip(self.candidates.costs[pairs].iter().copied()));
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}

impl Lists for Left {
    fn n_seekers(&self) -> usize {
        self.candidates.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let borrowed = Borrowed {
            candidates: &self.candidates,
            n_sought: self.n_sought,
        };
        borrowed.list(seeker, list);
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn excludes_others(&self) -> bool {
        self.exclude
    }

    fn pairs_need_each_other(&self) -> bool {
        // Not where some of them went that are only unlikely.
        self.exclude
    }

    fn only(
        &self,
        keeps: &dyn Fn(usize, u32) -> bool,
        last: bool,
    ) -> Result<Option<Box<dyn Lists>>> {
        let Some(bounded) = &self.bounded else {
            return Ok(None);
        };
        let kept = bounded.left(bounded.kept(&self.candidates, keeps), last)?;
        Ok(kept.ok().map(|candidates| -> Box<dyn Lists> {
            Box::new(Self {
                candidates,
                n_sought: self.n_sought,
                bounded: Some(Arc::clone(bounded)),
                exclude: self.exclude,
                caveats: self.caveats.clone(),
            })
        }))
    }

    fn caveats(&self) -> Vec<String> {
        self.caveats.clone()
    }
}
