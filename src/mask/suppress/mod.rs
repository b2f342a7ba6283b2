//! Local suppression: single values become missing, so that nobody stands alone.

mod planes;
mod rules;
mod search;

pub use rules::Rules;

use std::collections::BTreeMap;

use search::{Found, Goal};

use super::{Details, Effect, Mask, Masked, categories::Categories};
use crate::{
    error::{Error, Reason, Result},
    rng::Streams,
    statement::{Method, MissingMatches, Step, SuppressParameters},
    stats::keys::Keys,
    table::{AttrId, Table},
};

/// Most attributes of a key: subsets of it are tried.
pub const MAX_KEY: usize = 12;

/// Local suppression to k-anonymity on a key.
///
/// Afterwards, for every record that has a value of the key left, at least k such records *match* it, itself among them.
/// A record with nothing left of the key is not counted, neither as one to be matched nor as a match: there is nothing to
/// find it by, and it hides nobody. (If it did, k − 1 empty records would make every file k-anonymous.)
///
/// Programs disagree on what a missing value matches, so it is a parameter:
///
/// ```text
/// any       every value, missing or not: i and j match  <=>  for each attribute of the key x_i = x_j or one is missing
/// missing   only a missing value:        i and j match  <=>  they agree on each attribute, or both miss it
/// ```
///
/// `any` is the rule of sdcMicro and mu-ARGUS: nothing contradicts the match. It is weaker: a record that shows all its
/// values can lean on gaps in others ([`Outcome::rare`] counts those that do). Values missing in the original count in the
/// same way.
///
/// # Which cells
/// First the stated categories go. Then, of the records that match fewer than k (the violators), the rarest first
/// and by place among equals, each gives up the set of values that costs least (the sum of their importance), of
/// equal cost the one after which it matches most violators, then most records, then fewer values, then those that
/// come first in the key. With `any` this makes others match more, so many need to give up nothing when it is their
/// turn; at the end values that turn out unnecessary are given back, the most important first. With `missing`,
/// violators that agree on what a set leaves them join, sets tried by cost; records that were safe are not touched.
/// The result is good, not optimal: finding the fewest cells is NP-hard (Meyerson, Williams 2004).
///
/// Keys of more than 8 attributes are not searched by all subsets: those of up to 3 values are tried, then the least
/// important are added one by one.
///
/// Values are equal as numbers or, for names, as text without blanks around.
///
/// # Missing
/// Stays missing. What is suppressed is marked as the file marks its gaps.
///
/// # Randomness
/// None is drawn. The choice depends on the order of the records, and on nothing else.
///
/// # Complexity
/// With v violators and m different sets of present attributes, O(n log n) for each subset of the key in use, and O(m) for
/// each subset tried of each violator; giving back costs O(n) a value, 512 records at a time, and stops after 4 · 10^9 comparisons of
/// records (in files of a million records a few thousand values are looked at; k-anonymity holds all the same).
///
/// # Source
/// P. Samarati, L. Sweeney, "Protecting privacy when disclosing information: k-anonymity and its enforcement through
/// generalization and suppression", 1998; A. Hundepool et al., Statistical Disclosure Control, Wiley 2012, section 3.2.4.
/// The search is our own.
#[derive(Debug, Clone)]
pub struct Suppress {
    rules: Rules,
}

/// What local suppression found, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The k of k-anonymity.
    pub k: usize,
    /// Records that matched fewer than k, after the stated categories went.
    pub violators: usize,
    /// Records that match k only because a missing value matches every value, after the stated categories went and before
    /// anything else did: with missing values as a category of its own they match fewer. 0 where it is one.
    pub on_gaps: usize,
    /// Records of which a value was suppressed to reach k.
    pub touched: usize,
    /// Records that have nothing left of the key.
    pub emptied: usize,
    /// Records that have a value of the key left and agree with fewer than k on all of it, gaps included.
    pub rare: usize,
    /// For each effect, values suppressed to reach k.
    pub suppressed: Vec<usize>,
    /// For each effect, values of stated categories.
    pub of_categories: Vec<usize>,
    /// Stated categories that no record has, in plain words.
    pub notes: Vec<String>,
}

impl Suppress {
    /// Suppression by these rules.
    pub fn new(rules: Rules) -> Self {
        Self { rules }
    }

    /// The attributes of the key, and then those of which categories are suppressed.
    ///
    /// # Errors
    /// When the table lacks one.
    pub fn attributes(&self, table: &Table) -> Result<Vec<AttrId>> {
        let parameters = &self.rules.parameters;
        let mut all = Vec::new();
        let words =
            std::iter::repeat_n("key", parameters.key.len()).chain(std::iter::repeat("suppress"));
        for (name, word) in parameters
            .key
            .iter()
            .chain(parameters.suppress.keys())
            .zip(words)
        {
            let id = table.find(name).map_err(|error| match self.rules.file {
                None => error,
                Some(_) => self
                    .rules
                    .error(
                        word,
                        format!("there is no attribute {name:?} in {}", table.name()),
                    )
                    .because(Reason::unknown_attribute(name, table.name()))
                    .remedy("'sdcrisk describe' shows the names"),
            })?;
            if !all.contains(&id) {
                all.push(id);
            }
        }
        Ok(all)
    }

    /// Suppresses the stated categories.
    fn categories(&self, mut table: Table, all: &[AttrId], outcome: &mut Outcome) -> Result<Table> {
        for (place, &attribute) in all.iter().enumerate() {
            let name = table.attribute(attribute).name.clone();
            let Some(named) = self.rules.parameters.suppress.get(&name) else {
                continue;
            };
            let mark = table.dialect().decimal_mark;
            let numeric = table.has_numerals(attribute);
            let categories = Categories::new(
                named.iter().map(|text| (text.clone(), ())).collect(),
                numeric,
                mark,
            )
            .map_err(|what| self.rules.error("suppress", what).on_attribute(&name))?;
            let mut met = vec![0; named.len()];
            let mut gone = Vec::new();
            for (record, number) in (0..table.n_records()).zip(0_u32..) {
                if let Some(category) = categories.of_record(&table, record, attribute) {
                    met[category] += 1;
                    gone.push(number);
                }
            }
            for (category, _) in named.iter().zip(&met).filter(|&(_, &met)| met == 0) {
                outcome
                    .notes
                    .push(format!("{name}: no record has the category {category:?}"));
            }
            outcome.of_categories[place] = gone.len();
            table = table.with_missing(attribute, &gone)?;
        }
        Ok(table)
    }
}

impl Mask for Suppress {
    fn name(&self) -> &'static str {
        "suppress"
    }

    /// Everything can be missing.
    fn objection(&self, _table: &Table, _attribute: AttrId) -> Option<Error> {
        None
    }

    fn apply(&self, original: Table, on: &[AttrId], _streams: &Streams) -> Result<Masked> {
        let parameters = &self.rules.parameters;
        let all = self.attributes(&original)?;
        if all.len() != on.len() || on.iter().any(|id| !all.contains(id)) {
            return Err(Error::usage(
                "suppression works on all attributes that its rules name, and on no others",
            ));
        }
        let n_records = original.n_records();
        if parameters.k > n_records {
            return Err(self
                .rules
                .error(
                    "k",
                    format!(
                        "k = {} is more than the {n_records} records of {}",
                        parameters.k,
                        original.name()
                    ),
                )
                .outside("k", 2.0..=n_records as f64)
                .remedy("Give a smaller k"));
        }
        let mut outcome = Outcome {
            k: parameters.k,
            violators: 0,
            on_gaps: 0,
            touched: 0,
            emptied: 0,
            rare: 0,
            suppressed: vec![0; all.len()],
            of_categories: vec![0; all.len()],
            notes: Vec::new(),
        };
        let values: Vec<(usize, usize)> = all
            .iter()
            .map(|&id| original.missing(id).count())
            .map(|missing| (n_records - missing, missing))
            .collect();
        let mut table = self.categories(original, &all, &mut outcome)?;
        let key = &all[..parameters.key.len()];
        let keys = Keys::of_table(&table, key);
        let importance: Vec<f64> = (parameters.key.iter())
            .map(|name| parameters.importance.get(name).copied().unwrap_or(1.0))
            .collect();
        let goal = Goal {
            k: parameters.k,
            importance: &importance,
        };
        let Found {
            suppressed,
            violators,
        } = match parameters.missing {
            MissingMatches::Any => search::any(&keys, goal),
            MissingMatches::Missing => search::own_category(&keys, goal),
        };
        outcome.violators = violators;
        if parameters.missing == MissingMatches::Any {
            // Who matches fewer than k with gaps that match all does so with gaps of their own.
            let untouched = vec![0; n_records];
            outcome.on_gaps =
                search::rare(&keys, &untouched, parameters.k).saturating_sub(violators);
        }
        outcome.touched = suppressed.iter().filter(|&&set| set != 0).count();
        outcome.emptied = (suppressed.iter().enumerate())
            .filter(|&(record, &set)| keys.present(record) & !set == 0)
            .count();
        outcome.rare = search::rare(&keys, &suppressed, parameters.k);
        for (place, &attribute) in key.iter().enumerate() {
            let gone: Vec<u32> = (suppressed.iter().zip(0_u32..))
                .filter(|&(set, _)| set >> place & 1 == 1)
                .map(|(_, record)| record)
                .collect();
            outcome.suppressed[place] = gone.len();
            table = table.with_missing(attribute, &gone)?;
        }
        let effects: Vec<Effect> = (all.iter().zip(values))
            .enumerate()
            .map(|(place, (&id, (values, missing)))| Effect {
                attribute: table.attribute(id).name.clone(),
                values,
                changed: outcome.suppressed[place] + outcome.of_categories[place],
                missing,
                squared_error: None,
            })
            .collect();
        let names = effects
            .iter()
            .map(|effect| effect.attribute.clone())
            .collect();
        let mut step = Step::new(Method::Suppress(published(parameters)), n_records, names);
        step.missing = match parameters.missing {
            MissingMatches::Any => {
                "left in place; a missing or suppressed value matches every value"
            }
            MissingMatches::Missing => {
                "left in place; a missing or suppressed value matches only missing ones"
            }
        }
        .into();
        Ok(Masked {
            table,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Suppression(outcome),
        })
    }
}
/// The parameters as they may be published: without what would reveal the content of gaps.
fn published(parameters: &SuppressParameters) -> SuppressParameters {
    SuppressParameters {
        suppressed: parameters.suppress.keys().cloned().collect(),
        suppress: BTreeMap::new(),
        ..parameters.clone()
    }
}
