//! The files, and which attribute plays which part.

use super::RiskRequest;
use crate::{
    error::{Counted, Error, ErrorKind, Result},
    evaluate::{
        link::{Shared, is_constant},
        truth,
    },
    jobs::{Observer, pair, refuse_empty},
    report::{link::LeftOutAttribute, text},
    stats::keys::MAX_ATTRIBUTES,
    table::{AttrId, Role, Scale, Table},
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 8;

/// One file, or two.
pub enum Files {
    /// A file.
    One(Table),
    /// The original and the masked file.
    Two(Box<pair::Files>),
}

/// Which attribute of the original plays which part.
pub(super) struct Chosen {
    /// The key; empty only where there are two files.
    pub key: Vec<AttrId>,
    /// Quasi-identifiers that are not in it by default.
    pub not_in_key: Vec<LeftOutAttribute>,
    pub confidential: Vec<AttrId>,
    pub weights: Option<AttrId>,
}

impl Files {
    /// Checks the files of a request.
    pub(super) fn settled(self, request: &RiskRequest) -> Result<Self> {
        match self {
            Self::One(table) => {
                refuse_empty([&table], "nobody at risk")?;
                Ok(Self::One(table))
            }
            Self::Two(mut files) => {
                if let Some(weights) = &request.weights {
                    let weights = files.original.find(weights)?;
                    let is_weights = |shared: &Shared| shared.original == weights;
                    if request.attributes_are_named && files.attributes.iter().any(is_weights) {
                        return Err(Error::usage("is the weight and is not compared")
                            .on_attribute(&files.original.attribute(weights).name)
                            .remedy("Leave it out of --attributes"));
                    }
                    files.attributes.retain(|shared| !is_weights(shared));
                }
                Ok(Self::Two(files))
            }
        }
    }

    /// The file, or the original.
    pub fn original(&self) -> &Table {
        match self {
            Self::One(table) => table,
            Self::Two(files) => &files.original,
        }
    }

    /// The file that people will see: the masked one, if there is one.
    pub fn released(&self) -> &Table {
        match self {
            Self::One(table) => table,
            Self::Two(files) => &files.masked,
        }
    }

    /// Both, where there are two.
    pub fn pair(&self) -> Option<&pair::Files> {
        match self {
            Self::One(_) => None,
            Self::Two(files) => Some(files),
        }
    }

    /// The tables that there are, as they were read.
    pub fn tables(&self) -> Vec<&Table> {
        match self {
            Self::One(table) => vec![table],
            Self::Two(files) => files.tables().into(),
        }
    }

    /// The same attribute of the released file, if it has it.
    pub fn in_released(&self, id: AttrId) -> Option<AttrId> {
        let name = &self.original().attribute(id).name;
        self.released().find(name).ok()
    }
}

impl Chosen {
    /// What the intruder knows of a person whose confidential values they guess, in both files: the key, as far as it was released;
    /// without a key all compared attributes that are not confidential.
    pub fn known(&self, files: &Files, pair: &pair::Files) -> Vec<[AttrId; 2]> {
        if self.key.is_empty() {
            return (pair.attributes.iter())
                .filter(|shared| !self.confidential.contains(&shared.original))
                .map(|shared| [shared.original, shared.masked])
                .collect();
        }
        let released = |&id: &AttrId| Some([id, files.in_released(id)?]);
        self.key.iter().filter_map(released).collect()
    }
}

impl RiskRequest {
    /// Which attribute plays which part, and says so on the observer where it was not stated.
    pub(super) fn choose(&self, files: &Files, observer: &dyn Observer) -> Result<Chosen> {
        let table = files.original();
        let weights = match &self.weights {
            Some(name) => Some(table.find(name)?),
            None => None,
        };
        let confidential = self.confidential(table, weights)?;
        let mut chosen = Chosen {
            key: Vec::new(),
            not_in_key: Vec::new(),
            confidential,
            weights,
        };
        let why_none = match &self.key {
            Some(list) => {
                chosen.key = self.named_key(table, list, &chosen)?;
                None
            }
            None => self.default_key(table, &mut chosen, observer),
        };
        if let Some(why) = why_none {
            self.note_without_key(files, &why, observer)?;
            observer.note(&format!(
                "note: {why}, so there is no key: name one with --key"
            ));
        }
        let lost: Vec<AttrId> = (chosen.confidential.iter().copied())
            .filter(|&id| files.in_released(id).is_none())
            .collect();
        if !lost.is_empty() {
            observer.note(&format!(
                "note: the masked file does not have {}: what it reveals about them is not measured",
                text::names(&table.names(&lost), NAMES_SHOWN)
            ));
        }
        Ok(chosen)
    }

    fn confidential(&self, table: &Table, weights: Option<AttrId>) -> Result<Vec<AttrId>> {
        let Some(list) = &self.confidential else {
            let has_role = |&id: &AttrId| table.attribute(id).role == Role::Confidential;
            let ids = table.ids().filter(|&id| Some(id) != weights);
            return Ok(ids.filter(has_role).collect());
        };
        let ids = table.select(list)?;
        match weights.filter(|id| ids.contains(id)) {
            None => Ok(ids),
            Some(id) => Err(Error::usage("cannot be both the weight and confidential")
                .on_attribute(&table.attribute(id).name)
                .remedy("Leave it out of --confidential")),
        }
    }

    /// Whether `--id` names this attribute of the original.
    fn is_identifier(&self, name: &str, table: &Table) -> bool {
        let id = self.alignment.identifier();
        id.is_some_and(|id| truth::id_columns(id, table)[0] == name)
    }

    fn named_key(&self, table: &Table, list: &str, chosen: &Chosen) -> Result<Vec<AttrId>> {
        let ids = table.select(list)?;
        if ids.len() > MAX_ATTRIBUTES {
            return Err(Error::too_many(
                ErrorKind::Usage,
                Counted::Attributes,
                [ids.len() as u128, MAX_ATTRIBUTES as u128],
                |wide, limit| format!("a key of {wide} attributes is too wide: {limit} at most"),
            )
            .remedy("Name with --key what an intruder may know together"));
        }
        for &id in &ids {
            let name = &table.attribute(id).name;
            let refuse = |what: &str| {
                Err(Error::usage(what)
                    .on_attribute(name)
                    .remedy("Leave it out of --key"))
            };
            if Some(id) == chosen.weights {
                return refuse("is the weight and cannot be in the key");
            }
            if self.is_identifier(name, table) {
                return refuse("is the identifier of --id and cannot be in the key");
            }
            if chosen.confidential.contains(&id) {
                return refuse("is confidential and cannot be in the key, too");
            }
        }
        Ok(ids)
    }

    /// Takes the quasi-identifiers that are names or few whole numbers. What is the same for all is no help to an intruder, and what is
    /// named like a sampling weight is nothing that the intruder knows of a person. Returns why there is no key, if there is none.
    fn default_key(
        &self,
        table: &Table,
        chosen: &mut Chosen,
        observer: &dyn Observer,
    ) -> Option<String> {
        let (mut weights, mut amounts, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        for id in table.ids() {
            let attribute = table.attribute(id);
            let plays_a_part = Some(id) == chosen.weights
                || chosen.confidential.contains(&id)
                || self.is_identifier(&attribute.name, table);
            if plays_a_part || attribute.role != Role::QuasiIdentifier {
                continue;
            }
            if attribute.name.to_lowercase().contains("weight") {
                weights.push(id);
            } else if attribute.scale == Scale::Continuous {
                amounts.push(id);
            } else if is_constant(table, id) {
                constants.push(id);
            } else {
                chosen.key.push(id);
            }
        }
        // In a file of one record, or of equal ones, all are constant: they are what there is.
        if chosen.key.is_empty() {
            chosen.key = std::mem::take(&mut constants);
        }
        let candidates = chosen.key.len();
        let mut too_many = Vec::new();
        if candidates > MAX_ATTRIBUTES {
            too_many = std::mem::take(&mut chosen.key);
        }
        let names = |ids: &[AttrId]| text::names(&table.names(ids), NAMES_SHOWN);
        if !chosen.key.is_empty() {
            let key = names(&chosen.key);
            observer.note(&format!(
                "note: the key is {key}; another can be named with --key"
            ));
        }
        if !chosen.key.is_empty() && !amounts.is_empty() {
            let amounts = names(&amounts);
            observer.note(&format!(
                "note: amounts are not in the key unless they are named: {amounts}"
            ));
        }
        if !constants.is_empty() {
            let constants = names(&constants);
            observer.note(&format!(
                "note: what is the same in all records is not in the key: {constants}"
            ));
        }
        if let Some(&first) = weights.first() {
            let first = &table.attribute(first).name;
            let advice = match &self.weights {
                Some(_) => "name it with --key if it is no weight".into(),
                None => format!(
                    "if it holds weights, give --weights {first}; if not, name it with --key"
                ),
            };
            observer.note(&format!(
                "note: what is named like a sampling weight is not in the key: {}; {advice}",
                names(&weights)
            ));
        }
        for (ids, why) in [
            (&weights, "is named like a sampling weight"),
            (&amounts, "is of amounts"),
            (&constants, "is the same in all records"),
            (&too_many, "is one of more than a key can have"),
        ] {
            let left = |&id: &AttrId| LeftOutAttribute {
                attribute: table.attribute(id).name.clone(),
                why: why.into(),
            };
            chosen.not_in_key.extend(ids.iter().map(left));
        }
        match candidates {
            0 => Some("no attribute is names or few whole numbers".into()),
            1..=MAX_ATTRIBUTES => None,
            _ => Some(format!(
                "{candidates} attributes are names or few whole numbers, and a key has {MAX_ATTRIBUTES} at most"
            )),
        }
    }

    /// Without a key, one file has nothing to be counted, and of two files only what masked values reveal.
    fn note_without_key(&self, files: &Files, why: &str, observer: &dyn Observer) -> Result<()> {
        if files.pair().is_none() {
            return Err(Error::input(format!(
                "{why}, so there is no key to count by"
            ))
            .in_file(files.original().name())
            .remedy("Name the attributes that an intruder may know with --key; 'sdcrisk describe' shows how they are read"));
        }
        let given = [
            ("--missing-matches", self.missing.is_some()),
            ("--weights", self.weights.is_some()),
            ("--k", self.k.is_some()),
            ("--msu-size", self.msu_size.is_some()),
            ("--suda-scoring", self.suda_scoring.is_some()),
            ("--sampling-fraction", self.sampling_fraction.is_some()),
            ("--l", self.l.is_some()),
            ("--c", self.c.is_some()),
            ("--t", self.t.is_some()),
        ];
        for (option, _) in given.iter().filter(|(_, given)| *given) {
            observer.unused(&format!(
                "{option} has no effect: {why}, so there is no key"
            ))?;
        }
        if self.wants_records {
            // A note would leave a file of an earlier call in its place.
            return Err(Error::usage(format!(
                "--records asks for the risk of every record, but {why}, so there is no key"
            ))
            .remedy("Name the key with --key"));
        }
        Ok(())
    }
}
