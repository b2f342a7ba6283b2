//! Post-randomisation: each category becomes another with a published probability.

mod matrix;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use rand::RngExt;

use super::{Details, Effect, Mask, Masked, categories};
use crate::{
    error::{Counted, Error, ErrorKind, Result},
    rng::Streams,
    statement::{Method, PramParameters, Step, TransitionMatrix},
    table::{AttrId, Scale, Table},
};

pub use matrix::{StatedMatrix, invariant, keeping};

/// Probabilities that are published of one attribute, at most: its strata times its categories squared.
const MAX_PROBABILITIES: usize = 1 << 20;

/// Categories of an attribute, at most.
const MAX_CATEGORIES: usize = 1 << 10;

/// Categories of a stated matrix, at most, whether they occur or not: each record keeps the place of its own.
const MAX_STATED: usize = u16::MAX as usize;

/// Where transition matrices come from.
#[derive(Debug, Clone)]
pub enum Transitions {
    /// A category is kept with this probability, above 0 and below 1, and else becomes each of the others equally often.
    Keep(f64),
    /// The matrix of a file.
    Stated(StatedMatrix),
}

/// Post-randomisation (PRAM) of categories.
///
/// ```text
/// P(masked category l | original category k) = R_kl        drawn for each record and attribute by itself
/// R = P              the matrix that is stated, or made of --keep over the categories that occur
/// R = P Q            invariant: see [`invariant`]; t R = t for the frequencies t of the categories
/// ```
///
/// The frequencies of the masked file are `t R` on average over the draws: whoever knows R takes `t' R⁻¹` for t. With an invariant matrix
/// they are unbiased as they are. But t is then what R leaves unchanged, so whoever knows R knows t.
///
/// # Strata
/// Records are one stratum, or those with the same values of some attributes are. Categories are those that occur in the stratum, and
/// frequencies are its own, so that nobody becomes what nobody of the stratum is (unless a stated matrix that is not made invariant says so).
///
/// # Ties
/// Categories are texts without quotes and blanks around; of ordinal attributes numbers, however they are written.
///
/// # Missing
/// Stays in place, and is no category. In an attribute of strata it is one of its own.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute: a number for each record that has a value, in the order of the file.
///
/// # Errors
/// Usage, where a category is in no row of a stated matrix, where an attribute is one of amounts or has too many categories.
///
/// # Source
/// P. Kooiman, L. Willenborg, J. Gouweleeuw, "PRAM: a method for disclosure limitation of microdata", Statistics Netherlands, 1997;
/// Gouweleeuw et al., Journal of Official Statistics 14, 1998. The sources leave open how --keep is spread over the others: evenly, as in
/// the first stage of sdcMicro's `pram` (which draws each probability of keeping between `pd` and 1, and then mixes R with the identity by `alpha`).
#[derive(Debug, Clone)]
pub struct Pram {
    transitions: Transitions,
    invariant: bool,
    strata: Vec<AttrId>,
}

impl Pram {
    /// Post-randomisation within strata of equal values of these attributes; without strata if there are none.
    ///
    /// # Errors
    /// Usage, when the probability of keeping is not between 0 and 1.
    pub fn new(transitions: Transitions, invariant: bool, strata: Vec<AttrId>) -> Result<Self> {
        match transitions {
            Transitions::Keep(keep) if !(keep > 0.0 && keep < 1.0) => {
                Err(Error::option_out_of_range(
                    "keep",
                    0.0..=1.0,
                    "is the probability with which a category stays: above 0 and below 1",
                )
                .remedy("For example --keep 0.8"))
            }
            transitions => Ok(Self {
                transitions,
                invariant,
                strata,
            }),
        }
    }

    /// The matrix of a stratum, by the categories that occur in it and how often.
    fn matrix(&self, known: &Known<'_>, occurring: &[u16], counts: &[usize]) -> Transition {
        let (columns, rows): (Vec<u16>, Vec<Vec<f64>>) = match &self.transitions {
            Transitions::Keep(keep) => (occurring.to_vec(), keeping(occurring.len(), *keep)),
            Transitions::Stated(stated) => {
                let rows = if self.invariant {
                    occurring
                        .iter()
                        .map(|&at| stated.rows[usize::from(at)].clone())
                        .collect()
                } else {
                    stated.rows.clone()
                };
                ((0..).take(known.names.len()).collect(), rows)
            }
        };
        if self.invariant {
            Transition {
                rows: invariant(&rows, counts),
                categories: occurring.to_vec(),
            }
        } else {
            Transition {
                rows,
                categories: columns,
            }
        }
    }

    /// The categories of an attribute: those of the matrix, or those that occur.
    ///
    /// # Errors
    /// Usage, in words that follow the attribute's name.
    fn known<'a>(&self, table: &'a Table, id: AttrId) -> Result<Known<'a>> {
        let mut occurring: BTreeMap<Cow<'_, str>, u32> = BTreeMap::new();
        for (record, place) in (0..table.n_records()).zip(0..) {
            if !table.is_missing(record, id) {
                occurring
                    .entry(categories::name(table, record, id))
                    .or_insert(place);
                at_most(occurring.len(), MAX_CATEGORIES)?;
            }
        }
        let Transitions::Stated(stated) = &self.transitions else {
            let (names, first): (Vec<_>, Vec<_>) = occurring.into_iter().unzip();
            return Ok(Known {
                names,
                first: first.into_iter().map(Some).collect(),
            });
        };
        at_most(stated.categories.len(), MAX_STATED)?;
        let number = |category: &String| {
            if table.has_numerals(id) {
                categories::number(category, ',')
            } else {
                table.meaning_of(id, category)
            }
        };
        let names: Vec<Cow<'_, str>> = (stated.categories.iter())
            .map(|category| match number(category) {
                Some(number) => number.to_string().into(),
                None => category.clone().into(),
            })
            .collect();
        let distinct: BTreeSet<&Cow<'_, str>> = names.iter().collect();
        if distinct.len() < names.len() {
            return Err(Error::usage(format!(
                "has numbers, of which {} names one twice",
                stated.file
            )));
        }
        let lacking = occurring.keys().filter(|name| !distinct.contains(name));
        match lacking.count() {
            0 => Ok(Known {
                first: names
                    .iter()
                    .map(|name| occurring.get(name).copied())
                    .collect(),
                names,
            }),
            count => Err(Error::usage(format!(
                "has {count} {} that {} does not name",
                if count == 1 { "category" } else { "categories" },
                stated.file
            ))),
        }
    }

    /// Draws the categories of one attribute.
    fn draw(
        &self,
        table: &Table,
        id: AttrId,
        stratum_of: &[u32],
        strata: &[Vec<Option<String>>],
        streams: &Streams,
    ) -> Result<Drawn> {
        let name = &table.attribute(id).name;
        let known = self.known(table, id)?;
        let place_of: BTreeMap<&str, u16> = (known.names.iter().zip(0..))
            .map(|(name, place)| (name.as_ref(), place))
            .collect();
        let codes: Vec<Option<u16>> = (0..table.n_records())
            .map(|record| {
                let is_there = !table.is_missing(record, id);
                is_there.then(|| place_of[categories::name(table, record, id).as_ref()])
            })
            .collect();
        let mut counts = vec![BTreeMap::new(); strata.len()];
        for (code, &stratum) in codes.iter().zip(stratum_of) {
            if let Some(code) = code {
                *counts[stratum as usize].entry(*code).or_insert(0) += 1;
            }
        }
        let mut published = Vec::new();
        let mut matrices: Vec<Option<Transition>> = Vec::new();
        let mut probabilities = 0;
        for (stratum, counts) in strata.iter().zip(&counts) {
            let (occurring, counts): (Vec<u16>, Vec<usize>) = counts.iter().unzip();
            if occurring.is_empty() {
                matrices.push(None);
                continue;
            }
            let matrix = self.matrix(&known, &occurring, &counts);
            probabilities += matrix.categories.len() * matrix.categories.len();
            if probabilities > MAX_PROBABILITIES {
                return Err(Error::usage(format!(
                    "has so many categories and strata that more than {MAX_PROBABILITIES} probabilities would be published"
                ))
                .on_attribute(name)
                .remedy("Recode it into fewer categories (mask recode), or make fewer strata"));
            }
            published.push(TransitionMatrix {
                attribute: name.clone(),
                stratum: stratum.clone(),
                categories: (matrix.categories.iter())
                    .map(|&place| known.names[usize::from(place)].clone().into_owned())
                    .collect(),
                probabilities: matrix.rows.clone(),
            });
            matrices.push(Some(matrix));
        }
        let mut rng = streams.of_attribute(name);
        let masked = (codes.iter().zip(stratum_of)).map(|(code, &stratum)| {
            let matrix = matrices[stratum as usize].as_ref();
            code.zip(matrix)
                .map(|(code, matrix)| matrix.draw(code, rng.random()))
        });
        Ok(Drawn {
            masked: masked.collect(),
            codes,
            first: known.first,
            names: known.names.into_iter().map(Cow::into_owned).collect(),
            published,
        })
    }
}

/// Refuses too many categories, in words that follow the attribute's name.
fn at_most(categories: usize, limit: usize) -> Result<()> {
    if categories <= limit {
        return Ok(());
    }
    Err(Error::too_many(
        ErrorKind::Usage,
        Counted::Categories,
        [categories as u128, limit as u128],
        |_, limit| format!("has more than {limit} categories"),
    ))
}

/// The categories of an attribute.
struct Known<'a> {
    /// Their names; numbers with a decimal point.
    names: Vec<Cow<'a, str>>,
    /// The first record that has each, if one has.
    first: Vec<Option<u32>>,
}

/// The probabilities of a stratum.
struct Transition {
    /// A row for each of these categories.
    rows: Vec<Vec<f64>>,
    /// The categories, ascending.
    categories: Vec<u16>,
}

impl Transition {
    /// What a category becomes, by a number from 0 to 1 (that not included).
    fn draw(&self, category: u16, unit: f64) -> u16 {
        let row = self.categories.binary_search(&category);
        let row = row.map_or(&[][..], |place| &self.rows[place]);
        let mut left = unit;
        let mut last = category;
        for (&becomes, &p) in self.categories.iter().zip(row) {
            if p > 0.0 {
                if left < p {
                    return becomes;
                }
                left -= p;
                last = becomes;
            }
        }
        // Rounding left a little of the number: it is of the last category that is possible.
        last
    }
}

/// What was drawn of one attribute.
struct Drawn {
    codes: Vec<Option<u16>>,
    masked: Vec<Option<u16>>,
    names: Vec<String>,
    first: Vec<Option<u32>>,
    published: Vec<TransitionMatrix>,
}

impl Drawn {
    /// Writes the masked categories: the bytes of the first record that has each, or the text of the matrix.
    fn write(&self, table: Table, id: AttrId) -> Result<Table> {
        let are_numbers = table.has_numbers(id);
        let mut texts = Vec::new();
        let mut code_of = BTreeMap::new();
        let mut donors: Vec<u32> = (0..).take(self.codes.len()).collect();
        let mut codes = vec![Table::AS_IT_IS; self.codes.len()];
        for (record, masked) in self.masked.iter().enumerate() {
            let Some(masked) = *masked else { continue };
            match self.first[usize::from(masked)] {
                Some(first) => donors[record] = first,
                None => {
                    codes[record] = *code_of.entry(masked).or_insert_with(|| {
                        let name = &self.names[usize::from(masked)];
                        texts.push(match name.parse() {
                            Ok(number) if are_numbers => table.text_of(id, number),
                            _ => name.clone(),
                        });
                        u32::try_from(texts.len() - 1).unwrap_or(Table::AS_IT_IS)
                    });
                }
            }
        }
        let table = table.with_donors(id, donors);
        if texts.is_empty() {
            Ok(table)
        } else {
            table.with_texts(id, codes, &texts)
        }
    }
}

impl Mask for Pram {
    fn name(&self) -> &'static str {
        "pram"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        let name = &table.attribute(attribute).name;
        if table.attribute(attribute).scale == Scale::Continuous {
            return Some(
                Error::usage("is an amount: post-randomisation is for categories")
                    .wrong_scale(name),
            );
        }
        if self.strata.contains(&attribute) {
            return Some(Error::usage("makes the strata, which stay as they are"));
        }
        if table.missing(attribute).count() == table.n_records() {
            return Some(Error::usage("has no values"));
        }
        self.known(table, attribute).err()
    }

    fn idle(&self, _table: &Table, _on: &[AttrId]) -> Vec<String> {
        match self.transitions {
            Transitions::Stated(_) if !self.invariant && !self.strata.is_empty() => vec![
                "--strata has no effect with --matrix unless --invariant is given: the matrix holds for all".into(),
            ],
            _ => Vec::new(),
        }
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        for &id in on {
            if let Some(objection) = self.objection(&original, id) {
                return Err(objection.on_attribute(&original.attribute(id).name));
            }
        }
        let strata = match self.transitions {
            Transitions::Stated(_) if !self.invariant => &[][..],
            _ => &self.strata,
        };
        let mut stratum_of = vec![0; original.n_records()];
        let mut names = Vec::new();
        for ((name, records), place) in categories::strata(&original, strata).into_iter().zip(0..) {
            for record in records {
                stratum_of[record as usize] = place;
            }
            names.push(name);
        }
        let mut matrices = Vec::new();
        let mut effects = Vec::with_capacity(on.len());
        let mut table = original;
        for &id in on {
            let drawn = self.draw(&table, id, &stratum_of, &names, streams)?;
            let pairs = drawn.codes.iter().zip(&drawn.masked);
            let missing = table.missing(id).count();
            effects.push(Effect {
                attribute: table.attribute(id).name.clone(),
                values: table.n_records() - missing,
                changed: pairs.filter(|(before, after)| before != after).count(),
                missing,
                squared_error: None,
            });
            table = drawn.write(table, id)?;
            matrices.extend(drawn.published);
        }
        let method = Method::Pram(PramParameters {
            invariant: self.invariant,
            strata: table.names(strata),
            matrices,
        });
        Ok(Masked {
            step: Step::new(method, table.n_records(), table.names(on)),
            table,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::None,
        })
    }
}
