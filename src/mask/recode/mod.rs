//! Global recoding: the same new value for the same old one, everywhere in the file.

mod code_lists;
mod crosswalk;
mod rules;

pub use crosswalk::{Crossed, Crosswalk};
pub use rules::Rules;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rules::Section;

use super::{
    Details, Effect, Mask, Masked, Rounding, categories::Categories, new_numbers::write_numbers,
};
use crate::{
    error::{Error, Reason, Result},
    rng::Streams,
    statement::{Method, RecodeParameters, RecodingRule, Step},
    table::{AttrId, BLANKS, EXACT_INTEGERS, Numbers, Table, first_day},
};

/// Global recoding by the rules of a file.
///
/// Each value that is not missing takes what the first of these says that speaks of it:
///
/// ```text
/// suppress-where   missing, where each named attribute has one of the named categories (in the original file)
/// suppress         missing
/// map, groups      the new text of the category; not looked at again, so "a" -> "b", "b" -> "c" exchanges nothing twice
/// codes, hierarchy the same by a file, which must name every category unless others is given
/// others           one text for every category that is not named; without it they are kept
/// digits           the first n characters of the category, without blanks at the end; shorter ones are kept
/// breaks           v -> its class: v < b1;  b1 <= v < b2;  ...;  bm <= v
/// bottom, top      v < bottom -> bottom, or its label;  v > top -> top; with a label, v >= top -> the label
/// round            v -> the nearest multiple of the step, but not beyond bottom and top
/// truncate         v -> the first day of its month, quarter or year
/// ```
///
/// A category is a cell's text without quotes and blanks around; in an attribute of numbers it is a number, however it
/// is written. Numbers in the rules have a decimal point. Classes without labels are called `<b1`, `[b1,b2)`, `>=bm`, in
/// files with a decimal comma `[b1;b2)`. Labels may number the classes between the breaks (those outside get these
/// names) or all of them.
///
/// # Ties
/// Halves are rounded away from zero, as they are written: 0.15 to steps of 0.1 is 0.2.
///
/// # Missing
/// Stays missing, and is never a category. What becomes missing is marked as the file marks its gaps.
///
/// # Randomness
/// None is drawn.
///
/// # Complexity
/// O(n log c) for c categories, and 4 bytes a record for each attribute with new text.
///
/// # Source
/// A. Hundepool et al., Statistical Disclosure Control, Wiley 2012, section 3.2.3 (global recoding, top and bottom
/// coding) and 3.3 (rounding).
#[derive(Debug, Clone)]
pub struct Recode {
    rules: Rules,
}

impl Recode {
    /// Recoding by these rules.
    pub fn new(rules: Rules) -> Self {
        Self { rules }
    }

    /// The attributes that the rules recode, in the order of the file of rules.
    ///
    /// # Errors
    /// Input, when the table lacks one, or one that a condition names.
    pub fn attributes(&self, table: &Table) -> Result<Vec<AttrId>> {
        let sections = self.rules.sections.iter();
        sections
            .map(|section| {
                for other in section.rule.suppress_where.keys() {
                    self.find(table, section, other, "suppress-where")?;
                }
                self.find(table, section, &section.rule.attribute, "")
            })
            .collect()
    }

    fn find(&self, table: &Table, section: &Section, name: &str, key: &str) -> Result<AttrId> {
        table.find(name).map_err(|_| {
            section
                .error(
                    key,
                    format!("there is no attribute {name:?} in {}", table.name()),
                )
                .because(Reason::unknown_attribute(name, table.name()))
                .in_file(&self.rules.file)
                .remedy("'sdcrisk describe' shows the names")
        })
    }
}

impl Mask for Recode {
    fn name(&self) -> &'static str {
        "recode"
    }

    /// Rules name their attributes; what is wrong with one is an error with its line.
    fn objection(&self, _table: &Table, _attribute: AttrId) -> Option<Error> {
        None
    }

    fn apply(&self, original: Table, on: &[AttrId], _streams: &Streams) -> Result<Masked> {
        self.attributes(&original)?;
        let mut recodings = Vec::with_capacity(on.len());
        for &attribute in on {
            let name = &original.attribute(attribute).name;
            let section = self
                .rules
                .sections
                .iter()
                .find(|section| section.rule.attribute == *name)
                .ok_or_else(|| {
                    Error::usage("the rules say nothing of it").lacking(name, &self.rules.file)
                })?;
            let recoding = Recoding::new(&original, attribute, section)
                .map_err(|error| error.in_file(&self.rules.file))?;
            recodings.push((attribute, section, recoding));
        }
        // All rules look at the original, so their order does not matter.
        let mut masked = original.clone();
        let mut effects = Vec::with_capacity(on.len());
        let mut suppressed = Vec::with_capacity(on.len());
        let mut notes = Vec::new();
        let mut rules = Vec::with_capacity(on.len());
        let all: Vec<New> = recodings
            .par_iter()
            .map(|(_, _, recoding)| recoding.apply(&original))
            .collect();
        for ((attribute, section, recoding), new) in recodings.into_iter().zip(all) {
            let missing = original.missing(attribute).count();
            effects.push(Effect {
                attribute: section.rule.attribute.clone(),
                values: original.n_records() - missing,
                changed: new.changed,
                missing,
                squared_error: None,
            });
            suppressed.push(new.missing.len());
            notes.extend(recoding.notes(&new));
            rules.push(recoding.published());
            masked = recoding
                .write(masked, new)
                .map_err(|error| error.at_line(section.line).in_file(&self.rules.file))?;
        }
        let names = effects
            .iter()
            .map(|effect| effect.attribute.clone())
            .collect();
        let method = Method::Recode(RecodeParameters { rules });
        let mut step = Step::new(method, masked.n_records(), names);
        if suppressed.iter().any(|&count| count > 0) {
            step.missing = "left in place; suppressed values are missing, too".into();
        }
        Ok(Masked {
            table: masked,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Recoding { suppressed, notes },
        })
    }
}

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
struct Recoding<'a> {
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
struct New {
    numbers: Option<Vec<f64>>,
    codes: Option<Vec<u32>>,
    missing: Vec<u32>,
    changed: usize,
    /// How often each named category was met.
    met: Vec<usize>,
    below: usize,
    above: usize,
}

impl<'a> Recoding<'a> {
    fn new(table: &Table, attribute: AttrId, section: &'a Section) -> Result<Self> {
        let rule = &section.rule;
        let numbers = table.numbers(attribute).is_some();
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
    fn apply(&self, table: &Table) -> New {
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
    fn write(&self, mut table: Table, new: New) -> Result<Table> {
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
    fn notes(&self, new: &New) -> Vec<String> {
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
    fn published(&self) -> RecodingRule {
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

/// The categories of an attribute that the rules do not name.
fn not_named(table: &Table, attribute: AttrId, named: &Categories<Fate>) -> BTreeSet<String> {
    let mut strangers = BTreeSet::new();
    for record in 0..table.n_records() {
        let is_stranger = !table.is_missing(record, attribute)
            && named.of_record(table, record, attribute).is_none();
        if !is_stranger {
            continue;
        }
        // Looked up before it is copied: there are far fewer categories than records.
        let category = table.category(record, attribute);
        if !strangers.contains(&*category) {
            strangers.insert(category.into_owned());
        }
    }
    strangers
}

/// Refuses an attribute with categories that a file of codes lacks.
fn refuse_strangers(
    table: &Table,
    attribute: AttrId,
    named: &Categories<Fate>,
    file: &str,
) -> Result<()> {
    let what = match not_named(table, attribute, named).len() {
        0 => return Ok(()),
        1 => format!("has 1 category that {file} does not name"),
        several => format!("has {several} categories that {file} does not name"),
    };
    Err(Error::input(what)
        .remedy("Add them to the file, or say what becomes of them: others = \"...\""))
}

/// The text of each category that has more characters than `digits`.
///
/// # Errors
/// What is wrong: the attribute is one of numbers that are no codes.
fn shortened(
    table: &Table,
    attribute: AttrId,
    named: &Categories<Fate>,
    digits: usize,
    texts: &mut Texts,
) -> std::result::Result<BTreeMap<String, u32>, String> {
    let are_numbers = table.has_numerals(attribute);
    let mut shortened = BTreeMap::new();
    for category in not_named(table, attribute, named) {
        if are_numbers && !category.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(
                "digits is for codes, and the attribute has numbers with signs or decimals".into(),
            );
        }
        if let Some((end, _)) = category.char_indices().nth(digits) {
            let text = texts.add(category[..end].trim_end_matches(BLANKS));
            shortened.insert(category, text);
        }
    }
    Ok(shortened)
}

/// Texts that cells can get, each once.
struct Texts(Vec<String>);

impl Texts {
    fn add(&mut self, text: &str) -> u32 {
        let place = self
            .0
            .iter()
            .position(|known| known == text)
            .unwrap_or_else(|| {
                self.0.push(text.to_owned());
                self.0.len() - 1
            });
        // A rules file with 2^32 texts does not fit into memory.
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    fn end(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

/// The texts of all classes: below the first break, between breaks, from the last one on; none without breaks.
pub(super) fn class_names(rule: &RecodingRule, mark: char) -> Vec<String> {
    let (Some(first), Some(last)) = (rule.breaks.first(), rule.breaks.last()) else {
        return Vec::new();
    };
    if rule.labels.len() > rule.breaks.len() {
        return rule.labels.clone();
    }
    let text = |number: &f64| number.to_string().replace('.', &mark.to_string());
    let between = if mark == ',' { ';' } else { ',' };
    let mut names = vec![format!("<{}", text(first))];
    if rule.labels.is_empty() {
        names.extend(
            rule.breaks
                .windows(2)
                .map(|pair| format!("[{}{between}{})", text(&pair[0]), text(&pair[1]))),
        );
    } else {
        names.extend(rule.labels.iter().cloned());
    }
    names.push(format!(">={}", text(last)));
    names
}

/// The multiples of a step.
///
/// The step is a decimal number that binary may not hold: multiples of 0.1 are computed as whole numbers of tenths, so
/// that three steps are 0.3.
#[derive(Debug, Clone, Copy)]
struct Multiples {
    step: f64,
    /// The step in units of its last decimal, and how many of these are 1; the step itself where it is too fine for that.
    whole_step: f64,
    scale: f64,
}

impl Multiples {
    fn of(step: f64) -> Self {
        let written = step.to_string();
        let decimals = written
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "an f64 has at most 1,100 decimals"
        )]
        let scale = 10_f64.powi(decimals as i32);
        // Beyond this scale powers of ten are not exact, and so fine a step is no rounding of decimals.
        let (whole_step, scale) = if decimals <= 15 {
            ((step * scale).round(), scale)
        } else {
            (step, 1.0)
        };
        Self {
            step,
            whole_step,
            scale,
        }
    }

    /// The nearest one, halves away from zero; a value too large to have neighbours stays.
    fn nearest(&self, value: f64) -> f64 {
        let steps = value * self.scale / self.whole_step;
        // Also where the product was beyond the range of numbers.
        if steps.abs() >= EXACT_INTEGERS {
            return value;
        }
        // 1.005 in hundredths is 100.49999999999999: a tie as it is written. In numbers so large that a nudge would be more than a
        // thousandth of a step, ties are what they are.
        const NUDGED_BELOW: f64 = 1e12;
        let nudge = if steps.abs() < NUDGED_BELOW {
            1.0 + 4.0 * f64::EPSILON
        } else {
            1.0
        };
        let nearest = (steps * nudge).round();
        let multiple = nearest * self.whole_step / self.scale;
        if multiple.is_finite() {
            multiple + 0.0
        } else {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_decimal_and_takes_halves_away_from_zero() {
        for (value, step, expected) in [
            (0.15, 0.1, 0.2),
            (0.3, 0.1, 0.3),
            (1.005, 0.01, 1.01),
            (-2.5, 5.0, -5.0),
            (2.4, 5.0, 0.0),
            (-2.4, 5.0, 0.0),
            (7.5, 2.5, 7.5),
            (8.75, 2.5, 10.0),
            (1e300, 5.0, 1e300),
            // Multiples already, however large; just below a tie.
            (600_000_000_000_001.0, 1.0, 600_000_000_000_001.0),
            (4_500_000_000_000_001.0, 1.0, 4_500_000_000_000_001.0),
            (999_999_999_999.0, 1.0, 999_999_999_999.0),
            (700_000_000_000.44, 1.0, 700_000_000_000.0),
            (1_000_000_000_000.004, 0.01, 1_000_000_000_000.0),
            (12.0, 1e300, 0.0),
        ] {
            let found = Multiples::of(step).nearest(value);
            assert_eq!(
                found.to_bits(),
                f64::to_bits(expected),
                "{value} by {step}: {found}"
            );
        }
    }

    #[test]
    fn classes_are_named_by_the_files_mark() {
        let rule = |labels: &[&str]| RecodingRule {
            breaks: vec![0.5, 1.0, 2000.0],
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            ..RecodingRule::default()
        };
        assert_eq!(
            class_names(&rule(&[]), '.'),
            ["<0.5", "[0.5,1)", "[1,2000)", ">=2000"]
        );
        assert_eq!(
            class_names(&rule(&[]), ','),
            ["<0,5", "[0,5;1)", "[1;2000)", ">=2000"]
        );
        assert_eq!(
            class_names(&rule(&["a", "b"]), '.'),
            ["<0.5", "a", "b", ">=2000"]
        );
        assert_eq!(
            class_names(&rule(&["w", "a", "b", "z"]), '.'),
            ["w", "a", "b", "z"]
        );
    }
}
