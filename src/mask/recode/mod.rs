//! Global recoding: the same new value for the same old one, everywhere in the file.

mod code_lists;
mod crosswalk;
mod multiples;
mod not_named;
mod recoding;
mod rules;
mod texts;

pub use crosswalk::{Crossed, Crosswalk};
pub use rules::Rules;

use rayon::prelude::*;
use recoding::{New, Recoding};
use rules::Section;

use super::{Details, Effect, Mask, Masked};
use crate::{
    error::{Error, Reason, Result},
    rng::Streams,
    statement::{Method, RecodeParameters, Step},
    table::{AttrId, Table},
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
