//! A pair of files, who holds which records of them, and what an intruder sees of both.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::{Case, Shared};
use crate::{
    attack::{Direction, Release},
    evaluate::truth::{MaskedRecord, OriginalRecord, Truth},
    rng::{Purpose, Seed},
    table::{
        AttrId, Scale, Table, Values,
        matrix::{Gaps, Matrix},
    },
};

/// The original file, where files are numbered.
pub(super) const ORIGINAL: usize = 0;

/// The masked file.
pub(super) const MASKED: usize = 1;

/// A pair of files under attack by an intruder who knows some of the records.
#[derive(Debug)]
pub struct Study<'a> {
    pub(super) original: &'a Table,
    pub(super) masked: &'a Table,
    /// The original records that the intruder holds, ascending.
    pub(super) held: Vec<OriginalRecord>,
    /// The masked record at each place of the order in which the intruder sees the release.
    pub(super) shown: Vec<MaskedRecord>,
    /// For each record held, the place of its masked record in that order.
    partner_of_held: Vec<Option<u32>>,
    /// For each place shown, the position among the records held of its original.
    pub(super) partner_of_shown: Vec<Option<u32>>,
    pub(super) direction: Direction,
    /// The original before some attributes were recoded, and which these are.
    unrecoded: Option<(&'a Table, &'a [String])>,
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
                let has_numbers = self.original.has_numbers(attribute.original);
                (!has_numbers).then(|| coded([original, masked]))
            })
            .collect();
        let matrices = [OnceCell::new(), OnceCell::new()];
        // Numbers are gathered when they are asked for; codes are nowhere else.
        if coded.iter().any(Option::is_some) {
            for side in [ORIGINAL, MASKED] {
                let columns: Vec<Values<'_>> = (known.iter().zip(&coded))
                    .map(|(attribute, coded)| {
                        let (table, id) = (tables[side], ids(attribute)[side]);
                        let codes = coded.as_ref().map_or(&[][..], |(codes, _)| &codes[side]);
                        let of_codes = || Values::new(codes, table.missing(id));
                        table.values(id).unwrap_or_else(of_codes)
                    })
                    .collect();
                let gathered = || self.gathered(side, &columns, &self.places(side), known);
                matrices[side].get_or_init(gathered);
            }
        }
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
            pairs: known.to_vec(),
            matrices,
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
            let columns: Vec<Values<'_>> = ids.iter().filter_map(|&id| table.values(id)).collect();
            Matrix::gather(&columns, records)
        };
        let intruder = gathered(self.original, original, &self.places(ORIGINAL));
        let released = gathered(self.masked, masked, &self.places(MASKED));
        let numbers = original.iter().filter(|&&id| self.original.has_numbers(id));
        Case {
            study: self,
            scales: vec![Scale::Continuous; intruder.n_attributes()],
            known: numbers
                .map(|&id| self.original.attribute(id).name.clone())
                .collect(),
            pairs: Vec::new(),
            matrices: [intruder, released].map(OnceCell::from),
            categories: Vec::new(),
            unrecoded: None,
            index: RefCell::default(),
            attributes: original.to_vec(),
            standing_out: OnceCell::new(),
        }
    }

    /// These attributes of the released records, as far as the masked file has them; `None` if there is none.
    pub(super) fn release(&self, names: &[String]) -> Option<Release> {
        beside(self.masked, names, &self.places(MASKED))
    }

    /// Of these known attributes, the values of the intruder's records before they were recoded, where laws are about those.
    fn unrecoded(&self, known: &[String]) -> Option<Release> {
        let (table, attributes) = self.unrecoded?;
        let names = known.iter().filter(|name| attributes.contains(name));
        beside(
            table,
            &names.cloned().collect::<Vec<_>>(),
            &self.places(ORIGINAL),
        )
    }

    /// The records of a file, in the order in which the intruder sees them.
    pub(super) fn places(&self, side: usize) -> Vec<u32> {
        match side {
            ORIGINAL => self.held.iter().map(|record| record.0).collect(),
            _ => self.shown.iter().map(|record| record.0).collect(),
        }
    }

    /// These attributes of a file, which are numbers.
    pub(super) fn columns(&self, side: usize, known: &[Shared]) -> Vec<Values<'a>> {
        let values = |attribute: &Shared| match side {
            ORIGINAL => self.original.values(attribute.original),
            _ => self.masked.values(attribute.masked),
        };
        known.iter().filter_map(values).collect()
    }

    /// Some records of a file: what these columns of known attributes hold. Of masked ones, what is known of the gaps of their file, too.
    pub(super) fn gathered(
        &self,
        side: usize,
        columns: &[Values<'_>],
        records: &[u32],
        known: &[Shared],
    ) -> Matrix {
        let mut matrix = Matrix::gather(columns, records);
        if side == MASKED && self.partner_of_held.iter().any(Option::is_some) {
            let compared = known
                .par_iter()
                .map(|attribute| self.compared_gaps(attribute));
            for (place, gaps) in compared.collect::<Vec<Gaps>>().into_iter().enumerate() {
                matrix.set_gaps(place, gaps);
            }
        }
        matrix
    }

    /// What whoever is in both files says of the gaps of an attribute.
    fn compared_gaps(&self, attribute: &Shared) -> Gaps {
        let there = self.original.missing(attribute.original);
        let here = self.masked.missing(attribute.masked);
        let (mut kept, mut none_added) = (true, true);
        if !there.is_empty() || !here.is_empty() {
            for (held, place) in self.held.iter().zip(&self.partner_of_held) {
                let Some(place) = place else { continue };
                let there = there.contains(held.index());
                let here = here.contains(self.shown[*place as usize].index());
                kept &= here || !there;
                none_added &= there || !here;
            }
        }
        Gaps::Compared { kept, none_added }
    }

    /// The place in its file of each seeker, and of each sought record: which file that is depends on the direction.
    pub fn records(&self) -> (Vec<u32>, Vec<u32>) {
        let (held, shown) = (self.places(ORIGINAL), self.places(MASKED));
        match self.direction {
            Direction::OriginalToMasked => (held, shown),
            Direction::MaskedToOriginal => (shown, held),
        }
    }

    /// How many records are looked among.
    pub(super) fn n_sought(&self) -> usize {
        self.sizes().1
    }

    /// For each seeker, where its true partner stands among the sought records.
    pub(super) fn partners(&self) -> &[Option<u32>] {
        match self.direction {
            Direction::OriginalToMasked => &self.partner_of_held,
            Direction::MaskedToOriginal => &self.partner_of_shown,
        }
    }

    /// The file record behind a seeker.
    pub(super) fn seeker_record(&self, seeker: usize) -> u32 {
        match self.direction {
            Direction::OriginalToMasked => self.held[seeker].0,
            Direction::MaskedToOriginal => self.shown[seeker].0,
        }
    }

    /// The file record behind a sought record.
    pub(super) fn sought_record(&self, sought: usize) -> u32 {
        match self.direction {
            Direction::OriginalToMasked => self.shown[sought].0,
            Direction::MaskedToOriginal => self.held[sought].0,
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
        let of_file = table.categories(id);
        let mut code = |name: Cow<'_, str>| -> f64 {
            let code = code_of.entry(name.into_owned());
            *code.or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            }) as f64
        };
        let missing = std::iter::once(0.0);
        let joint: Vec<f64> = missing
            .chain(of_file.names.into_iter().map(&mut code))
            .collect();
        let codes = of_file.codes.into_iter();
        codes.map(|code| joint[code as usize]).collect()
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
        .map(|&id| (!table.has_numbers(id)).then(|| coded([(table, id)])))
        .collect();
    let columns: Vec<Values<'_>> = (ids.iter().zip(&coded))
        .map(|(&id, coded)| {
            let codes = coded.as_ref().map_or(&[][..], |([codes], _)| codes);
            table
                .values(id)
                .unwrap_or_else(|| Values::new(codes, table.missing(id)))
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

/// Of each record of this file, its place among those that are shown.
pub(super) fn places(shown: &[MaskedRecord], masked: &Table) -> Vec<Option<u32>> {
    let mut place_of = vec![None; masked.n_records()];
    for (place, record) in shown.iter().enumerate() {
        place_of[record.index()] = Some(to_u32(place));
    }
    place_of
}

pub(super) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"))
}
