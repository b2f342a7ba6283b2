//! The rules of one attribute, applied to one table.

use std::collections::BTreeMap;

use super::{
    multiples::Multiples,
    not_named::{refuse_strangers, shortened},
    rules::Section,
    texts::{Texts, class_names},
};
use crate::{
    error::{Error, Result},
    mask::{Rounding, categories::Categories, new_numbers::write_numbers},
    statement::RecodingRule,
    table::{AttrId, Numbers, Table, first_day},
};

/// What a rule makes of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Missing,
    /// The text at this place.
    Text(u32),
    Number(f64),
}

/// The rules of one attribute, ready to be applied to one table.
pub(super) struct Recoding<'a> {
    attribute: AttrId,
    rule: &'a RecodingRule,
    /// All texts that cells can get.
    texts: Vec<String>,
    /// The fate of each named category.
    categories: Categories<Fate>,
    others: Option<u32>,
    /// What numbers are rounded to.
    multiples: Option<Multiples>,
    /// The text of each category that digits shortens.
    shortened: BTreeMap<String, u32>,
    /// Whether the categories are those of a file.
    by_file: bool,
    bottom_label: Option<u32>,
    top_label: Option<u32>,
    /// The text of the first class; the others follow.
    first_class: u32,
    /// The attributes of the condition, and their categories.
    conditions: Vec<(AttrId, Categories<()>)>,
}

/// What applying a recoding gave.
pub(super) struct New {
    numbers: Option<Vec<f64>>,
    codes: Option<Vec<u32>>,
    pub(super) missing: Vec<u32>,
    pub(super) changed: usize,
    /// How often each named category was met.
    met: Vec<usize>,
    below: usize,
    above: usize,
}

impl<'a> Recoding<'a> {
    pub(super) fn new(table: &Table, attribute: AttrId, section: &'a Section) -> Result<Self> {
        let rule = &section.rule;
        let numbers = table.has_numbers(attribute);
        if !numbers
            && let Some(key) = ["bottom", "top", "round", "breaks"]
                .into_iter()
                .find(|&key| section.lines.contains_key(key))
        {
            return Err(section.error(key, format!("{key} needs numbers, and the attribute holds names: {}", table.attribute(attribute).scale_reason))
                .wrong_scale(&rule.attribute)
                .remedy("Use map or groups, or declare its scale or its missing codes in a roles file (--roles)"));
        }
        if rule.truncate.is_some() && table.date_format(attribute).is_none() {
            return Err(section
                .error(
                    "truncate",
                    "truncate needs dates, and nothing says that the attribute holds some",
                )
                .wrong_scale(&rule.attribute)
                .remedy("State how they are written under [dates] in a roles file (--roles)"));
        }
        let mut texts = Texts(Vec::new());
        let mut categories = Vec::new();
        for category in &rule.suppress {
            categories.push((category.clone(), Fate::Missing));
        }
        for (category, text) in &rule.map {
            categories.push((category.clone(), Fate::Text(texts.add(text))));
        }
        let mark = table.dialect().decimal_mark;
        let word = ["map", "groups", "suppress"]
            .into_iter()
            .find(|&word| section.lines.contains_key(word))
            .unwrap_or("map");
        let categories = Categories::new(categories, table.has_numerals(attribute), mark)
            .map_err(|what| section.error(word, what))?;
        if let (Some(file), None) = (&section.complete_in, &rule.others) {
            refuse_strangers(table, attribute, &categories, file)
                .map_err(|error| error.on_attribute(&rule.attribute))?;
        }
        let shortened = match rule.digits {
            Some(digits) => shortened(table, attribute, &categories, digits, &mut texts)
                .map_err(|what| section.error("digits", what))?,
            None => BTreeMap::new(),
        };
        let others = rule.others.as_ref().map(|text| texts.add(text));
        let bottom_label = rule.bottom_label.as_ref().map(|text| texts.add(text));
        let top_label = rule.top_label.as_ref().map(|text| texts.add(text));
        let first_class = texts.end();
        texts.0.extend(class_names(rule, mark));
        let conditions = rule
            .suppress_where
            .iter()
            .map(|(name, list)| {
                let other = table.find(name)?;
                let list = list.iter().map(|category| (category.clone(), ())).collect();
                let categories = Categories::new(list, table.has_numerals(other), mark)
                    .map_err(|what| section.error("suppress-where", what))?;
                Ok((other, categories))
            })
            .collect::<Result<_>>()?;
        for (key, bound) in [("bottom", rule.bottom), ("top", rule.top)] {
            if bound.is_some_and(|bound| table.means_missing(attribute, bound)) {
                return Err(section.error(
                    key,
                    format!("{key} is a number that stands for missing values in this file"),
                ));
            }
        }
        Ok(Self {
            attribute,
            rule,
            texts: texts.0,
            categories,
            others,
            multiples: rule.round.map(Multiples::of),
            shortened,
            by_file: section.complete_in.is_some(),
            bottom_label,
            top_label,
            first_class,
            conditions,
        })
    }

    /// What the rules make of each record.
    pub(super) fn apply(&self, table: &Table) -> New {
        let n_records = table.n_records();
        let numbers: Option<Numbers<'_>> = table.numbers(self.attribute);
        let mut new = New {
            numbers: None,
            codes: None,
            missing: Vec::new(),
            changed: 0,
            met: vec![0; self.categories.fates.len()],
            below: 0,
            above: 0,
        };
        for (record, place) in (0..n_records).zip(0_u32..) {
            if table.is_missing(record, self.attribute) {
                continue;
            }
            let value = numbers.map(|numbers| numbers.values[record]);
            let category = || table.category(record, self.attribute);
            match self.fate(table, record, value, &mut new) {
                Fate::Missing => new.missing.push(place),
                Fate::Text(code) if self.texts[code as usize] != category() => {
                    new.codes
                        .get_or_insert_with(|| vec![Table::AS_IT_IS; n_records])[record] = code;
                    new.changed += 1;
                }
                Fate::Number(number)
                    if value.is_some_and(|value| value.total_cmp(&number).is_ne()) =>
                {
                    let all = numbers.map_or(&[][..], |numbers| numbers.values);
                    new.numbers.get_or_insert_with(|| all.to_vec())[record] = number;
                    new.changed += 1;
                }
                _ => {}
            }
        }
        new.changed += new.missing.len();
        new
    }

    fn fate(&self, table: &Table, record: usize, value: Option<f64>, new: &mut New) -> Fate {
        let holds = |(other, categories): &(AttrId, Categories<()>)| {
            categories.of_record(table, record, *other).is_some()
        };
        if !self.conditions.is_empty() && self.conditions.iter().all(holds) {
            return Fate::Missing;
        }
        if let Some(category) = self.categories.of_record(table, record, self.attribute) {
            new.met[category] += 1;
            return self.categories.fates[category].1;
        }
        if self.rule.digits.is_some() {
            let text = self.shortened.get(&*table.category(record, self.attribute));
            return text.map_or(Fate::Kept, |&text| Fate::Text(text));
        }
        match (self.others, value) {
            (Some(text), _) => Fate::Text(text),
            (None, Some(value)) if !self.rule.breaks.is_empty() => {
                let class = self.rule.breaks.partition_point(|&least| least <= value);
                Fate::Text(
                    self.first_class
                        .saturating_add(u32::try_from(class).unwrap_or(u32::MAX)),
                )
            }
            (None, Some(value)) => self.bounded(value, new),
            (None, None) => Fate::Kept,
        }
    }

    fn bounded(&self, value: f64, new: &mut New) -> Fate {
        let RecodingRule {
            bottom,
            top,
            truncate,
            ..
        } = *self.rule;
        if let Some(period) = truncate {
            return Fate::Number(first_day(value, period.months()));
        }
        if let Some(bottom) = bottom.filter(|&bottom| value < bottom) {
            new.below += 1;
            return self.bottom_label.map_or(Fate::Number(bottom), Fate::Text);
        }
        let above = |&top: &f64| value > top || self.top_label.is_some() && value >= top;
        if let Some(top) = top.filter(above) {
            new.above += 1;
            return self.top_label.map_or(Fate::Number(top), Fate::Text);
        }
        let Some(multiples) = &self.multiples else {
            return Fate::Kept;
        };
        let mut multiple = multiples.nearest(value);
        // A class of its own begins at a labelled bound: 84 to multiples of 5 is 80, where "85+" stands for 85.
        if self.top_label.is_some() && top.is_some_and(|top| multiple >= top) {
            multiple = multiples.nearest(multiple - multiples.step);
        }
        if self.bottom_label.is_some() && bottom.is_some_and(|bottom| multiple < bottom) {
            multiple = multiples.nearest(multiple + multiples.step);
        }
        Fate::Number(
            multiple
                .max(bottom.unwrap_or(f64::NEG_INFINITY))
                .min(top.unwrap_or(f64::INFINITY)),
        )
    }

    /// Writes the new values; `table` has the attribute as it was.
    pub(super) fn write(&self, mut table: Table, new: New) -> Result<Table> {
        if let Some(numbers) = new.numbers {
            let old = table
                .numbers(self.attribute)
                .map_or(&[][..], |numbers| numbers.values);
            let changed = numbers
                .iter()
                .zip(old)
                .filter(|(new, old)| new.total_cmp(old).is_ne());
            if changed
                .into_iter()
                .any(|(&number, _)| table.means_missing(self.attribute, number))
            {
                return Err(Error::input(
                    "a rounded number would stand for a missing value in this file",
                )
                .on_attribute(&self.rule.attribute)
                .remedy("Round to another step, or suppress what is near that code"));
            }
            let (masked, _) =
                write_numbers(table, vec![(self.attribute, numbers)], Rounding::None)?;
            table = masked;
        }
        // Gaps first: what is missing is no text that the new ones would have to agree with.
        table = table.with_missing(self.attribute, &new.missing)?;
        let codes = new
            .codes
            .unwrap_or_else(|| vec![Table::AS_IT_IS; table.n_records()]);
        // Texts are checked even where none is in use: a rule that would fail next month should fail now.
        if self.texts.is_empty() {
            Ok(table)
        } else {
            table.with_texts(self.attribute, codes, &self.texts)
        }
    }

    /// Rules that met nothing. They name categories of the rules, which no record has.
    pub(super) fn notes(&self, new: &New) -> Vec<String> {
        let name = &self.rule.attribute;
        let mut notes = Vec::new();
        let absent: Vec<String> = (self.categories.fates.iter().zip(&new.met))
            .filter(|&(_, &met)| met == 0)
            .map(|((category, _), _)| format!("{category:?}"))
            .collect();
        // A file of codes is of all that there are, not of those that this file has.
        if !absent.is_empty() && !self.by_file {
            notes.push(format!(
                "{name}: no record has the categor{} {}{}",
                if absent.len() == 1 { "y" } else { "ies" },
                absent.join(", "),
                if self.conditions.is_empty() {
                    ""
                } else {
                    " (or its value was suppressed by suppress-where)"
                }
            ));
        }
        for (bound, count, side) in [
            (self.rule.bottom, new.below, "below bottom"),
            (self.rule.top, new.above, "above top"),
        ] {
            if let (Some(bound), 0) = (bound, count) {
                notes.push(format!("{name}: no value is {side} = {bound}"));
            }
        }
        if new.changed == 0 {
            notes.push(format!("{name}: its rules change nothing in this file"));
        }
        notes
    }

    /// The rule as it may be published: with the texts of all classes, and without what would reveal the content of gaps.
    pub(super) fn published(&self) -> RecodingRule {
        let mut rule = self.rule.clone();
        rule.suppressed = !rule.suppress.is_empty() || !rule.suppress_where.is_empty();
        rule.suppress.clear();
        rule.suppress_where.clear();
        if !rule.breaks.is_empty() {
            rule.labels = self.texts[self.first_class as usize..].to_vec();
        }
        rule
    }
}
