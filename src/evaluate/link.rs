//! One study of a pair of files: what the intruder is given, and what becomes of their claims.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{
    beyond::{self, Beyond, StandingOut, Surety},
    calibration::Calibration,
    judge::{self, Judged},
    score::Score,
    shard::{Findings, Seeker, Shard},
    truth::{MaskedRecord, OriginalRecord, Truth},
};
use crate::{
    agreement::Pattern,
    attack::{
        Attack, Direction, Lists, Nearest, Preference, Release, Scenario,
        balanced::{self, Balanced, Sampled},
        by_law::Limited,
        learned::{Learner, Lesson},
        of_sample::OfSample,
        one_to_one::{self, Total},
        probabilistic::{Agreed, Model, PatternRow},
        releases::{Further, Releases},
        steps::Added,
    },
    distance::nearest::{Contest, Link, Neighbours},
    error::{Error, Result},
    rng::{Purpose, Seed},
    table::{AttrId, Matrix, Numbers, Role, Scale, Table},
};

/// How records are linked once every pair has its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assign {
    /// Each record with its best, whoever else wants it.
    Best,
    /// All at once, each at most once, at the least total cost.
    OneToOne,
    /// Each record with its most likely one, given that all are linked one to one: for attacks with likelihoods.
    Balanced,
    /// The same with permutations drawn instead of likelihoods scaled, from a seed.
    Sampled(u64),
}

impl Assign {
    /// Which rule it follows, without what only one call needs.
    pub fn rule(self) -> AssignRule {
        match self {
            Self::Best => AssignRule::Best,
            Self::OneToOne => AssignRule::OneToOne,
            Self::Balanced | Self::Sampled(_) => AssignRule::Balanced,
        }
    }
}

/// [`Assign`] as reports and files say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AssignRule {
    /// Each record with its best.
    Best,
    /// All at once at the least total cost.
    OneToOne,
    /// Each record with its most likely one, given that all are linked one to one.
    Balanced,
}

impl AssignRule {
    /// Its word in reports, in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::OneToOne => "one-to-one",
            Self::Balanced => "balanced",
        }
    }
}

/// An attribute that both files have and that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// In the original file.
    pub original: AttrId,
    /// In the masked file.
    pub masked: AttrId,
}

/// An attribute that cannot be compared, and why, in words that follow its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The attribute as the original names it.
    pub attribute: String,
    /// Why.
    pub why: String,
}

/// The quasi-identifiers of the original that can be compared with the masked file's, in file order, and all other
/// attributes but those named `aside`.
pub fn shared_attributes(
    original: &Table,
    masked: &Table,
    aside: Option<[&str; 2]>,
) -> (Vec<Shared>, Vec<LeftOut>) {
    let mut shared = Vec::new();
    let mut left_out = Vec::new();
    for id in original.ids() {
        let attribute = original.attribute(id);
        if aside.is_some_and(|names| names.contains(&attribute.name.as_str())) {
            continue;
        }
        let verdict = match attribute.role {
            Role::QuasiIdentifier => {
                comparable(original, masked, id).map_err(|why| why.what().to_owned())
            }
            Role::Identifier => Err("is an identifier".into()),
            other => Err(format!("is {}, no quasi-identifier", other.word())),
        };
        match verdict {
            Ok(pair) => shared.push(pair),
            Err(why) => left_out.push(LeftOut {
                attribute: attribute.name.clone(),
                why,
            }),
        }
    }
    (shared, left_out)
}

/// This attribute of the original in both files, if it can be compared.
///
/// # Errors
/// Input, in words that follow its name, if it cannot.
pub fn comparable(original: &Table, masked: &Table, id: AttrId) -> Result<Shared> {
    let name = &original.attribute(id).name;
    let other = masked
        .find(name)
        .map_err(|unknown| Error::input("is not in the masked file").for_the_reason_of(&unknown))?;
    let sides = [(original, id, "original"), (masked, other, "masked")];
    let are_numbers = sides.map(|(table, id, _)| table.numbers(id).is_some());
    if let Some(side) =
        (0..2).find(|&side| are_numbers[side] != are_numbers[1 - side] && !are_numbers[side])
    {
        let what = format!(
            "is not a number in the {} file, but in the other it is",
            sides[side].2
        );
        return Err(Error::input(what).wrong_scale(name));
    }
    for (table, id, file) in sides {
        if is_constant(table, id) {
            let what = format!("has no two different values in the {file} file");
            return Err(Error::input(what).constant(name));
        }
    }
    Ok(Shared {
        original: id,
        masked: other,
    })
}

/// Whether an attribute has no two different values.
pub fn is_constant(table: &Table, id: AttrId) -> bool {
    let mut present = (0..table.n_records()).filter(|&record| !table.is_missing(record, id));
    let Some(first) = present.next() else {
        return true;
    };
    match table.numbers(id) {
        Some(numbers) => {
            let first = numbers.values[first] + 0.0;
            present.all(|record| (numbers.values[record] + 0.0).total_cmp(&first).is_eq())
        }
        None => {
            let first = table.category(first, id);
            present.all(|record| table.category(record, id) == first)
        }
    }
}

/// Codes of categories, a column a file; and what they stand for.
type Coded<const N: usize> = ([Vec<f64>; N], Vec<String>);

/// The categories of an attribute in several files, as numbers 0, 1, 2 … by which equal names are equal numbers, and their names; missing
/// ones are 0.
fn coded<const N: usize>(columns: [(&Table, AttrId); N]) -> Coded<N> {
    let mut code_of: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    let codes = columns.map(|(table, id)| {
        let code = |record| {
            if table.is_missing(record, id) {
                return 0.0;
            }
            let name = table.category(record, id).into_owned();
            let code = *code_of.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            });
            code as f64
        };
        (0..table.n_records()).map(code).collect()
    });
    (codes, names)
}

/// These attributes of some records of a table, as far as it has them; `None` if there is none.
fn beside(table: &Table, names: &[String], records: &[u32]) -> Option<Release> {
    let found = names.iter().filter_map(|name| table.find(name).ok());
    let ids: Vec<AttrId> = found.collect();
    if ids.is_empty() {
        return None;
    }
    let coded: Vec<Option<Coded<1>>> = (ids.iter())
        .map(|&id| match table.numbers(id) {
            Some(_) => None,
            None => Some(coded([(table, id)])),
        })
        .collect();
    let columns: Vec<Numbers<'_>> = (ids.iter().zip(&coded))
        .map(|(&id, coded)| match (table.numbers(id), coded) {
            (Some(numbers), _) => numbers,
            (None, coded) => Numbers {
                values: coded.as_ref().map_or(&[], |([codes], _)| codes),
                missing: table.missing(id),
            },
        })
        .collect();
    Some(Release {
        names: table.names(&ids),
        values: Matrix::gather(&columns, records),
        categories: (coded.iter())
            .map(|coded| coded.as_ref().map(|(_, names)| names.clone()))
            .collect(),
    })
}

/// A pair of files under attack by an intruder who knows some of the records.
#[derive(Debug)]
pub struct Study<'a> {
    original: &'a Table,
    masked: &'a Table,
    /// The original records that the intruder holds, ascending.
    held: Vec<OriginalRecord>,
    /// The masked record at each place of the order in which the intruder sees the release.
    shown: Vec<MaskedRecord>,
    /// For each record held, the place of its masked record in that order.
    partner_of_held: Vec<Option<u32>>,
    /// For each place shown, the position among the records held of its original.
    partner_of_shown: Vec<Option<u32>>,
    direction: Direction,
    /// The original before some attributes were recoded, and which these are.
    unrecoded: Option<(&'a Table, &'a [String])>,
    /// Whose claims are judged, if not those of all seekers.
    shard: Option<Shard>,
}

impl<'a> Study<'a> {
    /// A study in which the intruder holds the original records `held`.
    ///
    /// # Randomness
    /// The order in which released records are shown: `Purpose::Blind` of a fixed seed, so that a report can be repeated.
    /// It decides nothing but which of several equally cheap assignments is found.
    pub fn new(
        original: &'a Table,
        masked: &'a Table,
        truth: &Truth,
        held: Vec<OriginalRecord>,
        direction: Direction,
    ) -> Self {
        let all = MaskedRecord::all(masked);
        Self::among(original, masked, truth, held, all, direction)
    }

    /// A study in which the intruder holds the original records `held`, and looks among the masked records `released` only.
    ///
    /// # Randomness
    /// As for [`Study::new`].
    pub fn among(
        original: &'a Table,
        masked: &'a Table,
        truth: &Truth,
        held: Vec<OriginalRecord>,
        released: Vec<MaskedRecord>,
        direction: Direction,
    ) -> Self {
        let mut shown = released;
        shown.shuffle(&mut Seed::from_number(0).streams(Purpose::Blind, 0).at(0));
        let place_of = places(&shown, masked);
        let partner_of_held: Vec<Option<u32>> = held
            .iter()
            .map(|&record| place_of[truth.masked_of(record)?.index()])
            .collect();
        let mut partner_of_shown = vec![None; shown.len()];
        for (position, place) in partner_of_held.iter().enumerate() {
            if let Some(place) = place {
                partner_of_shown[*place as usize] = Some(to_u32(position));
            }
        }
        Self {
            original,
            masked,
            held,
            shown,
            partner_of_held,
            partner_of_shown,
            direction,
            unrecoded: None,
            shard: None,
        }
    }

    /// The same where laws are about these attributes as they are in this table, the original before they were recoded.
    #[must_use]
    pub fn with_unrecoded(self, table: &'a Table, attributes: &'a [String]) -> Self {
        Self {
            unrecoded: Some((table, attributes)),
            ..self
        }
    }

    /// The same study, in which the seekers of a shard alone are judged: an attack says of these what [`Outcome::findings`] has, and
    /// nothing else. All that is said of both files as a whole, the standardisation and the laws, is that of the whole.
    #[must_use]
    pub fn in_shard(self, shard: Option<Shard>) -> Self {
        Self { shard, ..self }
    }

    /// Number of records that look for a partner, and number of records among which they look.
    pub fn sizes(&self) -> (usize, usize) {
        match self.direction {
            Direction::OriginalToMasked => (self.held.len(), self.shown.len()),
            Direction::MaskedToOriginal => (self.shown.len(), self.held.len()),
        }
    }

    /// What the intruder sees of the attributes they know.
    pub fn case(&'a self, known: &[Shared]) -> Case<'a> {
        let tables = [self.original, self.masked];
        let ids = |attribute: &Shared| [attribute.original, attribute.masked];
        let coded: Vec<Option<Coded<2>>> = (known.iter())
            .map(|attribute| {
                let [original, masked] = [0, 1].map(|side| (tables[side], ids(attribute)[side]));
                match self.original.numbers(attribute.original) {
                    Some(_) => None,
                    None => Some(coded([original, masked])),
                }
            })
            .collect();
        let side = |side: usize, records: &[u32]| {
            let columns: Vec<Numbers<'_>> = known
                .iter()
                .zip(&coded)
                .map(|(attribute, coded)| {
                    let (table, id) = (tables[side], ids(attribute)[side]);
                    table.numbers(id).unwrap_or(Numbers {
                        values: coded.as_ref().map_or(&[], |(codes, _)| &codes[side]),
                        missing: table.missing(id),
                    })
                })
                .collect();
            Matrix::gather(&columns, records)
        };
        let attributes = known
            .iter()
            .map(|attribute| self.original.attribute(attribute.original));
        let names: Vec<String> = attributes
            .clone()
            .map(|attribute| attribute.name.clone())
            .collect();
        Case {
            study: self,
            unrecoded: self.unrecoded(&names),
            scales: attributes.map(|attribute| attribute.scale).collect(),
            known: names,
            intruder: side(0, &self.held_places()),
            released: side(1, &self.shown_places()),
            categories: (coded.into_iter())
                .map(|coded| coded.map(|(_, names)| names))
                .collect(),
            index: RefCell::default(),
            attributes: known.iter().map(|attribute| attribute.original).collect(),
            standing_out: OnceCell::new(),
        }
    }

    /// What the intruder sees where the files share no attribute: the numbers of these attributes of either file. It is for
    /// attacks that relate no column of one file to one of the other; the known attributes are the original's.
    ///
    /// Attributes without numbers are passed over.
    pub fn case_without_common_attributes(
        &'a self,
        original: &[AttrId],
        masked: &[AttrId],
    ) -> Case<'a> {
        let gathered = |table: &Table, ids: &[AttrId], records: &[u32]| {
            let columns: Vec<Numbers<'_>> =
                ids.iter().filter_map(|&id| table.numbers(id)).collect();
            Matrix::gather(&columns, records)
        };
        let intruder = gathered(self.original, original, &self.held_places());
        let numbers = original
            .iter()
            .filter(|&&id| self.original.numbers(id).is_some());
        Case {
            study: self,
            scales: vec![Scale::Continuous; intruder.n_attributes()],
            known: numbers
                .map(|&id| self.original.attribute(id).name.clone())
                .collect(),
            intruder,
            released: gathered(self.masked, masked, &self.shown_places()),
            categories: Vec::new(),
            unrecoded: None,
            index: RefCell::default(),
            attributes: original.to_vec(),
            standing_out: OnceCell::new(),
        }
    }

    /// These attributes of the released records, as far as the masked file has them; `None` if there is none.
    fn release(&self, names: &[String]) -> Option<Release> {
        beside(self.masked, names, &self.shown_places())
    }

    /// Of these known attributes, the values of the intruder's records before they were recoded, where laws are about those.
    fn unrecoded(&self, known: &[String]) -> Option<Release> {
        let (table, attributes) = self.unrecoded?;
        let names = known.iter().filter(|name| attributes.contains(name));
        beside(
            table,
            &names.cloned().collect::<Vec<_>>(),
            &self.held_places(),
        )
    }

    fn held_places(&self) -> Vec<u32> {
        self.held.iter().map(|record| record.0).collect()
    }

    fn shown_places(&self) -> Vec<u32> {
        self.shown.iter().map(|record| record.0).collect()
    }

    /// The place in its file of each seeker, and of each sought record: which file that is depends on the direction.
    pub fn records(&self) -> (Vec<u32>, Vec<u32>) {
        let (held, shown) = (self.held_places(), self.shown_places());
        match self.direction {
            Direction::OriginalToMasked => (held, shown),
            Direction::MaskedToOriginal => (shown, held),
        }
    }

    /// For each seeker, where its true partner stands among the sought records.
    fn partners(&self) -> &[Option<u32>] {
        match self.direction {
            Direction::OriginalToMasked => &self.partner_of_held,
            Direction::MaskedToOriginal => &self.partner_of_shown,
        }
    }

    /// The file record behind a seeker.
    fn seeker_record(&self, seeker: usize) -> u32 {
        match self.direction {
            Direction::OriginalToMasked => self.held[seeker].0,
            Direction::MaskedToOriginal => self.shown[seeker].0,
        }
    }

    /// The file record behind a sought record.
    fn sought_record(&self, sought: u32) -> u32 {
        match self.direction {
            Direction::OriginalToMasked => self.shown[sought as usize].0,
            Direction::MaskedToOriginal => self.held[sought as usize].0,
        }
    }
}

/// A study in which the intruder knows certain attributes.
#[derive(Debug)]
pub struct Case<'a> {
    study: &'a Study<'a>,
    known: Vec<String>,
    scales: Vec<Scale>,
    /// Of those without numbers, what their codes stand for.
    categories: Vec<Option<Vec<String>>>,
    intruder: Matrix,
    released: Matrix,
    /// What the intruder knows of attributes before they were recoded, where laws are about that.
    unrecoded: Option<Release>,
    /// The index of the last attack: attacks with the same distance share it.
    index: RefCell<Option<Rc<Neighbours>>>,
    /// The known attributes in the original.
    attributes: Vec<AttrId>,
    /// Who stands out by them; no attack is shown it.
    standing_out: OnceCell<StandingOut>,
}

/// What an attack achieved.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it fared among people who stand out, and with its surest links.
    pub beyond: Beyond,
    /// How its claims were judged.
    pub score: Score,
    /// Of a one-to-one assignment.
    pub assignment: Option<Total>,
    /// What an attack with likelihoods says of its own success; not of a one-to-one assignment, which states nothing.
    pub calibration: Option<Calibration>,
    /// How the posterior given one-to-one links was come by, if it was asked for.
    pub posterior: Option<balanced::Figures>,
    /// What was fitted, if the attack fits a model.
    pub fitted: Option<FittedModel>,
    /// Its claims, if they were asked for: one a seeker, by ascending file record.
    pub links: Vec<Claim>,
    /// What must be said of it, found while these files were attacked; each a sentence without full stop.
    pub caveats: Vec<String>,
    /// What was found out of the seekers of a shard, where these alone are judged; all figures are then those of nobody.
    pub findings: Option<Findings>,
}

/// What an attack claims about one record. Records are numbered from 0 as in their files.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The record that looked.
    pub record: u32,
    /// The records it is linked with, ascending; several if they tie, none if there was no candidate.
    pub linked: Vec<u32>,
    /// Their distance.
    pub distance: Option<f64>,
    /// Size of the candidate set.
    pub candidates: u32,
    /// Number of records that tie.
    pub tied: u32,
    /// The place of the true record in the order of distance, ties at the best place; `None` outside the candidates.
    pub rank_of_true: Option<u32>,
}

/// A fitted model, and what the truth says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedModel {
    /// What EM fitted to the pairs: shares and weights of the patterns.
    pub model: Model,
    /// True pairs of each of its patterns.
    pub matches: Vec<u64>,
}

impl FittedModel {
    /// Counts the true pairs of each pattern.
    fn new(agreed: &Agreed, partners: &[Option<u32>]) -> Self {
        let mut matches: BTreeMap<Pattern, u64> = BTreeMap::new();
        for (seeker, sought) in partners.iter().enumerate() {
            if let Some(sought) = sought {
                let pattern = agreed.weighted.agreement.pattern(seeker, *sought as usize);
                *matches.entry(pattern).or_insert(0) += 1;
            }
        }
        let of_row = |row: &PatternRow| matches.get(&row.pattern).copied().unwrap_or(0);
        Self {
            matches: agreed.model.patterns.iter().map(of_row).collect(),
            model: agreed.model.clone(),
        }
    }
}

/// A further release of the same people, and what the intruder makes of it.
#[derive(Debug, Clone, Copy)]
pub struct FurtherRelease<'a> {
    /// What the intruder sees of it. The same records are held, in the same direction.
    pub case: &'a Case<'a>,
    /// By what law it was made.
    pub attack: &'a dyn Attack,
    /// For each record of the first masked file, the record of this one that is the same person's: the releases say so themselves.
    pub counterpart: &'a [Option<MaskedRecord>],
}

impl Case<'_> {
    /// The study that this is a case of.
    pub fn study(&self) -> &Study<'_> {
        self.study
    }

    /// Names of the known attributes.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Learns a distance from the true matches.
    ///
    /// # Errors
    /// Whatever the learner objects to.
    pub fn learn(&self, learner: &Learner) -> Result<Lesson> {
        learner.learn(&self.scenario(true, None))
    }

    /// What the intruder has; the true matches only in a worst case.
    fn scenario<'s>(&'s self, worst_case: bool, beside: Option<&'s Release>) -> Scenario<'s> {
        Scenario {
            known: &self.known,
            scales: &self.scales,
            categories: &self.categories,
            intruder: &self.intruder,
            released: &self.released,
            direction: self.study.direction,
            aligned: worst_case.then_some(self.study.partners()),
            beside,
            unrecoded: self.unrecoded.as_ref(),
        }
    }

    /// Runs an attack and judges it.
    ///
    /// # Errors
    /// Whatever the attack objects to; Usage when it has no likelihoods to balance; Failed when an assignment does not
    /// fit into memory.
    pub fn attack(&self, attack: &dyn Attack, assign: Assign, with_links: bool) -> Result<Outcome> {
        let seen = self.seen(attack)?;
        let mut preference = preference(&seen)?;
        if attack.left_out() > 0
            && self.study.direction == Direction::OriginalToMasked
            && assign == Assign::Best
            && !attack.is_balanced()
        {
            preference = match preference {
                Preference::Lists(lists) if lists.is_likelihood() => {
                    Preference::Lists(Box::new(OfSample::new(lists, attack.left_out())))
                }
                other => other,
            };
        }
        self.judged(attack, preference, assign, with_links)
    }

    /// What an attack sees of this case; of one that adds up the laws of several steps, what each of those sees that speak of something.
    fn seen<'s>(&'s self, attack: &'s dyn Attack) -> Result<Vec<Seen<'s>>> {
        let speaks = |factor: &&dyn Attack| {
            let law = factor.law();
            law.is_none_or(|law| {
                self.known
                    .iter()
                    .any(|name| law.applies_to(name, &self.known))
            })
        };
        let factors = attack.factors().iter().map(AsRef::as_ref).filter(speaks);
        let factors: Vec<&dyn Attack> = factors.collect();
        match (factors.as_slice(), attack.factors().first()) {
            ([], None) => Ok(vec![Seen::new(self, attack)?]),
            // Which says that nothing is left.
            ([], Some(first)) => Ok(vec![Seen::new(self, first.as_ref())?]),
            (factors, _) => (factors.iter())
                .map(|&factor| Seen::new(self, factor))
                .collect(),
        }
    }

    /// Runs an attack with likelihoods on several releases at once ([`Releases`]), and judges it by the records of the first.
    ///
    /// # Errors
    /// Those of [`Case::attack`]; Usage, when an attack has no lists of likelihoods.
    pub fn attack_all(
        &self,
        attack: &dyn Attack,
        further: &[FurtherRelease<'_>],
        assign: Assign,
        with_links: bool,
    ) -> Result<Outcome> {
        let cases = further.iter().map(|release| (release.attack, release.case));
        let cases: Vec<(&dyn Attack, &Case<'_>)> =
            std::iter::once((attack, self)).chain(cases).collect();
        let seen = (cases.iter())
            .map(|(attack, case)| case.seen(*attack))
            .collect::<Result<Vec<_>>>()?;
        let mut lists = Vec::with_capacity(seen.len());
        for ((attack, _), seen) in cases.iter().zip(&seen) {
            lists.push(likelihoods(*attack, preference(seen)?)?);
        }
        let mut added = Vec::with_capacity(further.len());
        for (release, lists) in further.iter().zip(lists.drain(1..)) {
            let study = release.case.study;
            let place_of = places(&study.shown, study.masked);
            let counterpart = (self.study.shown.iter())
                .map(|&record| place_of[release.counterpart[record.index()]?.index()]);
            added.push(Further::new(
                lists,
                study.shown.len(),
                counterpart.collect(),
            ));
        }
        let first = lists.pop().ok_or_else(|| unlikely(attack))?;
        let all = Releases::new(first, added, self.study.direction)?;
        self.judged(attack, Preference::Lists(Box::new(all)), assign, with_links)
    }

    /// What is found out of a preference.
    fn asked(
        &self,
        preference: &Preference<'_>,
        partners: &[Option<u32>],
        with_links: bool,
    ) -> Result<Judged> {
        match preference {
            Preference::Nearest(nearest) => {
                let neighbours = self.neighbours(nearest);
                judge::nearest(nearest, &neighbours, partners, with_links)
            }
            Preference::Lists(lists) => judge::lists((lists.as_ref(), None), partners, with_links),
            Preference::Agreed(agreed) => {
                judge::agreed((&agreed.weighted, partners.len()), partners, with_links)
            }
            Preference::Strata(joined) => {
                judge::strata(joined, partners, with_links, |preference, partners, _| {
                    self.asked(preference, partners, with_links)
                })
            }
        }
    }

    /// Whether records of the shorter file may have no partner in the other: the intruder holds part of the people, and part of the
    /// records were released. Balancing would exclude right pairs then.
    fn may_lack_partners(&self, attack: &dyn Attack) -> bool {
        let study = self.study;
        let everybody = study.masked.n_records() + attack.left_out();
        study.held.len() < everybody && study.shown.len() < everybody
    }

    /// What becomes of a preference.
    fn judged(
        &self,
        attack: &dyn Attack,
        mut preference: Preference<'_>,
        assign: Assign,
        with_links: bool,
    ) -> Result<Outcome> {
        let partners = self.study.partners();
        let fitted = match &preference {
            Preference::Agreed(agreed) => Some(FittedModel::new(agreed, partners)),
            _ => None,
        };
        let lists = preference.as_lists();
        let caveats = lists.map_or_else(Vec::new, |lists| lists.caveats());
        let candidate_sets =
            attack.has_candidate_sets() && lists.is_none_or(|lists| lists.excludes_others());
        let assign = match assign {
            Assign::Best if attack.is_balanced() && !self.may_lack_partners(attack) => {
                Assign::Balanced
            }
            other => other,
        };
        let mut posterior = None;
        if matches!(assign, Assign::Balanced | Assign::Sampled(_)) {
            let lists = preference.as_lists().ok_or_else(balanced::no_likelihood)?;
            let (figures, lists) = given_one_to_one(lists, assign)?;
            posterior = Some(figures);
            preference = Preference::Lists(lists);
        }
        if let Some(shard) = self.study.shard {
            if assign != Assign::Best {
                return Err(Error::usage("links that depend on each other (--assign one-to-one and balanced, involution) are not made in parts")
                    .remedy("Leave --shard out, or take --assign best"));
            }
            return Ok(Outcome {
                beyond: Beyond::default(),
                score: Score::of_contests(&[], 0, preference.n_sought() as u64, candidate_sets),
                assignment: None,
                calibration: None,
                posterior: None,
                findings: Some(self.findings(&preference, shard, candidate_sets)?),
                fitted,
                links: Vec::new(),
                caveats,
            });
        }
        let Judged {
            contests,
            links,
            stated,
            least,
        } = self.asked(&preference, partners, with_links)?;
        let score = Score::of_contests(
            &contests,
            partners.iter().flatten().count() as u64,
            preference.n_sought() as u64,
            candidate_sets,
        );
        let sought = preference.n_sought() as u64;
        match assign {
            Assign::Best | Assign::Balanced | Assign::Sampled(_) => Ok(Outcome {
                beyond: self.beyond(&contests, sought, surety(stated.as_deref(), least)),
                posterior,
                links: self.claims(links),
                score,
                assignment: None,
                fitted,
                caveats,
                findings: None,
                calibration: stated.map(|stated| Calibration::new(&stated, &contests)),
            }),
            Assign::OneToOne => {
                let assignment = one_to_one::assign(&preference)?;
                let right =
                    |(got, truth): &(&Option<u32>, &Option<u32>)| got.is_some() && got == truth;
                let correct = assignment
                    .partners
                    .iter()
                    .zip(partners)
                    .filter(right)
                    .count();
                let fates: Vec<Contest> = (contests.iter().zip(&assignment.partners))
                    .zip(partners)
                    .map(|((contest, got), truth)| fate(contest, *got, *truth))
                    .collect();
                let costs = assignment.costs.iter();
                let costs = costs
                    .map(|cost| (cost.unwrap_or(f64::INFINITY), 1))
                    .collect();
                let beyond = self.beyond(&fates, sought, Some(Surety::Distances(costs)));
                let links = links
                    .into_iter()
                    .enumerate()
                    .map(|(seeker, link)| {
                        let distance = assignment.costs[seeker].map(|cost| match preference {
                            Preference::Nearest(_) => cost.sqrt(),
                            Preference::Lists(_) | Preference::Agreed(_) => cost,
                            // Of points; where nothing is known, nothing is a cost of 0.
                            Preference::Strata(_) => cost.sqrt(),
                        });
                        judge::assigned(link, assignment.partners[seeker], distance)
                    })
                    .collect();
                Ok(Outcome {
                    links: self.claims(links),
                    score: score.with_assignment(correct as u64),
                    assignment: Some(assignment.total),
                    beyond,
                    calibration: None,
                    posterior: None,
                    fitted,
                    caveats,
                    findings: None,
                })
            }
        }
    }

    /// What is found out of the seekers of a shard.
    fn findings(
        &self,
        preference: &Preference<'_>,
        shard: Shard,
        candidate_sets: bool,
    ) -> Result<Findings> {
        let partners = self.study.partners();
        let neighbours = |nearest: &Nearest<'_>| self.neighbours(nearest);
        let judged = judge::of_shard(preference, shard, partners, &neighbours)?;
        let standing_out = self.standing_out();
        let originals = self.originals();
        let own = shard
            .of_all(partners.len())
            .zip(judged.contests)
            .enumerate();
        let seekers = own.map(|(place, (seeker, contest))| {
            let stands_out =
                |marked: &[bool]| originals[seeker].is_some_and(|record| marked[record.index()]);
            let least = judged.least.as_ref().map(|least| least[place]);
            Seeker {
                partner: partners[seeker].is_some(),
                extreme: stands_out(&standing_out.extreme),
                far: stands_out(&standing_out.far),
                contest,
                least: least
                    .map(|(least, _)| least)
                    .filter(|least| least.is_finite()),
                at_least: least.map_or(0, |(_, tied)| tied),
                stated: judged.stated.as_ref().map(|stated| stated[place]),
            }
        });
        Ok(Findings {
            of: partners.len(),
            sought: preference.n_sought() as u64,
            candidate_sets,
            has_least: judged.least.is_some(),
            has_stated: judged.stated.is_some(),
            seekers: seekers.collect(),
        })
    }

    fn standing_out(&self) -> &StandingOut {
        self.standing_out
            .get_or_init(|| StandingOut::of(self.study.original, &self.attributes))
    }

    /// For each seeker the original record behind it, if there is one.
    fn originals(&self) -> Vec<Option<OriginalRecord>> {
        let study = self.study;
        let held = |position: u32| study.held[position as usize];
        match study.direction {
            Direction::OriginalToMasked => study.held.iter().copied().map(Some).collect(),
            Direction::MaskedToOriginal => {
                let partners = study.partner_of_shown.iter();
                partners.map(|partner| partner.map(held)).collect()
            }
        }
    }

    /// How an attack fared among those who stand out, and with the links it is surest of.
    fn beyond(&self, contests: &[Contest], sought: u64, surety: Option<Surety>) -> Beyond {
        beyond::judged(
            contests,
            self.study.partners(),
            sought,
            self.standing_out(),
            &self.originals(),
            surety.as_ref(),
        )
    }

    /// The index of the sought points. Attacks that search the release itself by the same distance share it.
    fn neighbours(&self, nearest: &Nearest<'_>) -> Rc<Neighbours> {
        let build = || Rc::new(Neighbours::build(&nearest.sought, nearest.metric.clone()));
        let whole = [&self.intruder, &self.released];
        let is_whole = |matrix: &Matrix| whole.iter().any(|&whole| std::ptr::eq(whole, matrix));
        if !matches!(&nearest.sought, Cow::Borrowed(sought) if is_whole(sought)) {
            return build();
        }
        let mut index = self.index.borrow_mut();
        if let Some(neighbours) = index
            .as_ref()
            .filter(|index| *index.metric() == nearest.metric)
        {
            return Rc::clone(neighbours);
        }
        let built = build();
        *index = Some(Rc::clone(&built));
        built
    }

    fn claims(&self, links: Vec<Link>) -> Vec<Claim> {
        let mut claims: Vec<Claim> = links
            .into_iter()
            .enumerate()
            .map(|(seeker, link)| {
                let mut linked: Vec<u32> = link
                    .nearest
                    .iter()
                    .map(|&sought| self.study.sought_record(sought))
                    .collect();
                linked.sort_unstable();
                Claim {
                    record: self.study.seeker_record(seeker),
                    // Not -0, which a cost of nothing turned around would be.
                    distance: (link.tied > 0).then_some(link.key + 0.0),
                    candidates: link.candidates,
                    tied: link.tied,
                    rank_of_true: link.place,
                    linked,
                }
            })
            .collect();
        claims.sort_unstable_by_key(|claim| claim.record);
        claims
    }
}

/// What an attack sees of a case.
struct Seen<'s> {
    attack: &'s dyn Attack,
    case: &'s Case<'s>,
    /// Released attributes that it reads.
    beside: Option<Release>,
    /// What its law speaks of, where that is not all.
    limited: Option<Limited>,
}

impl<'s> Seen<'s> {
    fn new(case: &'s Case<'s>, attack: &'s dyn Attack) -> Result<Self> {
        let beside = case.study.release(&attack.reads());
        let limited = {
            let whole = case.scenario(attack.needs_alignment(), beside.as_ref());
            let law = attack.law();
            law.map(|law| Limited::new(&whole, law)).transpose()?
        };
        Ok(Self {
            attack,
            case,
            beside,
            limited,
        })
    }

    /// What the attack comes to.
    fn preference(&self) -> Result<Preference<'_>> {
        let worst_case = self.attack.needs_alignment();
        let whole = self.case.scenario(worst_case, self.beside.as_ref());
        match (&self.limited, self.attack.law()) {
            (Some(limited), Some(law)) => limited.preference(self.attack, law, &whole),
            _ => self.attack.prepare(&whole),
        }
    }
}

/// What an attack comes to on what it sees, or several whose likelihoods are added up.
fn preference<'a>(seen: &'a [Seen<'_>]) -> Result<Preference<'a>> {
    if let [one] = seen {
        return one.preference();
    }
    let lists = (seen.iter()).map(|one| likelihoods(one.attack, one.preference()?));
    let added = Added::new(lists.collect::<Result<_>>()?);
    Ok(Preference::Lists(Box::new(added)))
}

/// Lists of likelihoods, to be added up.
///
/// # Errors
/// Usage, when the preference is no such thing.
fn likelihoods<'a>(attack: &dyn Attack, preference: Preference<'a>) -> Result<Box<dyn Lists + 'a>> {
    match preference {
        Preference::Lists(lists) if lists.is_likelihood() => Ok(lists),
        _ => Err(unlikely(attack)),
    }
}

/// The error of adding up what is no likelihood.
fn unlikely(attack: &dyn Attack) -> Error {
    Error::usage(format!(
        "several releases or steps are added up by likelihoods, which {} does not have in lists for these files",
        attack.name()
    ))
}

/// The posterior of likelihoods given that links are one to one.
///
/// # Randomness
/// Of permutations, `Purpose::Posterior`, a stream a chain.
fn given_one_to_one(
    lists: &dyn Lists,
    assign: Assign,
) -> Result<(balanced::Figures, Box<dyn Lists>)> {
    Ok(match assign {
        Assign::Sampled(seed) => {
            let streams = Seed::from_number(seed).streams(Purpose::Posterior, 0);
            let sampled = Sampled::new(lists, |chain| streams.at(chain))?;
            (sampled.figures(), Box::new(sampled))
        }
        _ => {
            let balanced = Balanced::new(lists)?;
            (balanced.figures(), Box::new(balanced))
        }
    })
}

/// What an attack's confidence is read from.
fn surety(stated: Option<&[f64]>, least: Option<Vec<(f64, u32)>>) -> Option<Surety> {
    match stated {
        Some(stated) => Some(Surety::Stated(stated.to_vec())),
        None => least.map(Surety::Distances),
    }
}

/// What became of a seeker in an assignment: one link, right or wrong, or none.
fn fate(contest: &Contest, got: Option<u32>, truth: Option<u32>) -> Contest {
    let right = got.is_some() && got == truth;
    Contest {
        candidates: u32::from(got.is_some()),
        inside: right || contest.inside,
        closer: !right,
        tied: u32::from(right),
    }
}

/// Of each record of this file, its place among those that are shown.
fn places(shown: &[MaskedRecord], masked: &Table) -> Vec<Option<u32>> {
    let mut place_of = vec![None; masked.n_records()];
    for (place, record) in shown.iter().enumerate() {
        place_of[record.index()] = Some(to_u32(place));
    }
    place_of
}

fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"))
}
