//! A crosswalk: what brings one file into the terms of another that was made of the same people.

use std::collections::BTreeMap;

use super::{
    Recode, Rules,
    rules::{Origin, Section},
};
use crate::{
    error::{Reason, Result},
    mask::{Details, Mask},
    rng::{Purpose, Seed},
    table::{AttrId, BLANKS, Further, Table},
};

/// Rules that recode attributes of a file, and make new ones of them.
///
/// Sections are those of recoding ([`Rules`]). A section can besides say what its attribute is made of, which is then a new one:
///
/// ```toml
/// [REGION]
/// of = "NUTS2"                  # the same under another name
///
/// [DISTRICT]
/// of = "AREA"
/// characters = [3, 5]           # of its third to fifth characters
///
/// [AREA]
/// join = ["LAND", "KREIS"]      # one behind the other
/// separator = "-"               # with this between them; nothing where it is left out
/// digits = 2                    # further rules are of the new values
/// ```
///
/// All sections look at the file as it is, so their order does not matter, and none can be made of what another makes. Attributes that
/// new ones are made of stay in the table.
///
/// # Missing
/// What is made of a gap is a gap, and so is a text that has nothing at the places of `characters`. Of one that ends between them there is
/// what it has. Categories are joined as they are written, with their leading zeros, without quotes and blanks around.
///
/// # Randomness
/// None is drawn.
///
/// # Example
/// ```
/// use sdcrisk::{mask::recode::Crosswalk, table::{ReadOptions, Table}};
/// let held = Table::read("held.csv", b"land,kreis\n01,002\n11,\n".to_vec(), &ReadOptions::default())?;
/// let rules = "[area]\njoin = [\"land\", \"kreis\"]\n[part]\nof = \"kreis\"\ncharacters = [2, 3]\n";
/// let table = Crosswalk::parse("rules.toml", rules)?.apply(&held)?.table;
/// let area = table.find("area")?;
/// assert_eq!((table.category(0, area).as_ref(), table.is_missing(1, area)), ("01002", true));
/// assert_eq!(table.category(0, table.find("part")?), "02");
/// # Ok::<(), sdcrisk::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Crosswalk {
    /// Those that recode.
    rules: Rules,
    /// Those that make an attribute.
    made: Vec<(Section, Origin)>,
    /// What each does, in the order of the file.
    words: Vec<[String; 2]>,
}

/// What a crosswalk made of a table.
#[derive(Debug, Clone)]
pub struct Crossed {
    /// The table, in the terms of the other file.
    pub table: Table,
    /// Rules that met nothing, in words that name no value of the table.
    pub notes: Vec<String>,
}

impl Crosswalk {
    /// Reads the text of a file of rules; `name` is used in messages only.
    ///
    /// # Errors
    /// As [`Rules::parse`].
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        Self::with_files(name, text, &BTreeMap::new())
    }

    /// The same of rules that name files of codes ([`Rules::files`]), each of which is given with its text.
    ///
    /// # Errors
    /// As [`Rules::with_files`].
    pub fn with_files(name: &str, text: &str, files: &BTreeMap<String, String>) -> Result<Self> {
        let mut rules = Rules::of_crosswalk(name, text, files)?;
        let words = (rules.sections.iter())
            .map(|section| [section.rule.attribute.clone(), in_words(section)])
            .collect();
        let made = (rules.sections.iter())
            .filter_map(|section| Some((section.clone(), section.origin()?)))
            .collect();
        rules.sections.retain(Section::recodes);
        Ok(Self { rules, made, words })
    }

    /// The attributes that it changes or makes, each with what it does, in words that follow "is".
    pub fn in_words(&self) -> &[[String; 2]] {
        &self.words
    }

    /// The table in the terms of the other file: new attributes behind its own, and values recoded. Scales and roles that nobody stated are
    /// guessed anew, as if the file had been written so.
    ///
    /// # Errors
    /// Input: a rule is of an attribute that the table does not have, makes one that it has, or cannot be applied to its values.
    pub fn apply(&self, table: &Table) -> Result<Crossed> {
        let mut wider = self.widened(table)?;
        let mut notes = Vec::new();
        if !self.rules.is_empty() {
            let recode = Recode::new(self.rules.clone());
            let attributes = recode.attributes(&wider)?;
            // Nothing is drawn.
            let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
            let masked = recode.apply(wider, &attributes, &streams)?;
            if let Details::Recoding { notes: met, .. } = masked.details {
                notes = met;
            }
            wider = masked.table;
            wider.reread()?;
        }
        Ok(Crossed {
            table: wider,
            notes,
        })
    }

    /// The table with the attributes that are made.
    fn widened(&self, table: &Table) -> Result<Table> {
        let made = (self.made.iter())
            .map(|(section, origin)| self.made_of(table, section, origin))
            .collect::<Result<Vec<Made<'_>>>>()?;
        if made.is_empty() {
            return Ok(table.clone());
        }
        let cells: Vec<_> = made.iter().map(|made| |record| made.cell(record)).collect();
        let further: Vec<Further<'_>> = (self.made.iter().zip(&cells))
            .map(|((section, _), cell)| Further {
                name: &section.rule.attribute,
                cell,
            })
            .collect();
        table.with_further(&further)
    }

    fn made_of<'a>(
        &self,
        table: &'a Table,
        section: &Section,
        origin: &'a Origin,
    ) -> Result<Made<'a>> {
        let name = &section.rule.attribute;
        if table.find(name).is_ok() {
            return Err(section
                .error(
                    "",
                    format!("is to be made, and {} has an attribute of this name already", table.name()),
                )
                .in_file(&self.rules.file)
                .remedy("of and join make an attribute that the file does not have; other rules recode one in its place"));
        }
        let (key, names): (&str, Vec<&String>) = match origin {
            Origin::Of(of, _) => ("of", vec![of]),
            Origin::Joined(names, _) => ("join", names.iter().collect()),
        };
        let find = |wanted: &&String| {
            table.find(wanted).map_err(|_| {
                let is_made = (self.made.iter()).any(|(other, _)| other.rule.attribute == **wanted);
                section
                    .error(
                        key,
                        format!("there is no attribute {wanted:?} in {}", table.name()),
                    )
                    .because(Reason::unknown_attribute(wanted, table.name()))
                    .in_file(&self.rules.file)
                    .remedy(if is_made {
                        "All rules look at the file as it is: make the attribute of those that the file has"
                    } else {
                        "'sdcrisk describe' shows the names"
                    })
            })
        };
        Ok(Made {
            table,
            sources: names.iter().map(find).collect::<Result<_>>()?,
            origin,
        })
    }
}

/// An attribute that is made of others of a table.
struct Made<'a> {
    table: &'a Table,
    sources: Vec<AttrId>,
    origin: &'a Origin,
}

impl Made<'_> {
    /// The text of a record's cell, if it has one.
    fn cell(&self, record: usize) -> Option<String> {
        let present = |&id: &AttrId| {
            (!self.table.is_missing(record, id)).then(|| self.table.category(record, id))
        };
        let parts = (self.sources.iter())
            .map(present)
            .collect::<Option<Vec<_>>>()?;
        Some(match self.origin {
            Origin::Joined(_, separator) => parts.join(separator),
            Origin::Of(_, None) => parts.concat(),
            Origin::Of(_, Some([first, last])) => {
                let whole = parts.concat();
                let some = whole.chars().take(*last).skip(first - 1);
                some.collect::<String>().trim_matches(BLANKS).to_owned()
            }
        })
    }
}

/// What a section does, in words that follow "is".
fn in_words(section: &Section) -> String {
    let made = section.origin().map(|origin| match origin {
        Origin::Of(of, None) => format!("{of} by another name"),
        Origin::Of(of, Some([first, last])) if first == last => {
            format!("character {first} of {of}")
        }
        Origin::Of(of, Some([first, last])) => format!("characters {first} to {last} of {of}"),
        Origin::Joined(names, _) => format!("made of {}", names.join(" and ")),
    });
    match (made, section.recodes()) {
        (Some(made), true) => format!("{made}, recoded"),
        (Some(made), false) => made,
        (None, _) => "recoded".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ReadOptions, Scale};

    fn crossed(text: &str, rules: &str) -> Crossed {
        let table = Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default());
        let crosswalk = Crosswalk::parse("r.toml", rules).unwrap();
        crosswalk.apply(&table.unwrap()).unwrap()
    }

    /// The categories of an attribute, gaps as dashes.
    fn cells(table: &Table, name: &str) -> Vec<String> {
        let id = table.find(name).unwrap();
        let cell = |record| {
            if table.is_missing(record, id) {
                "-".to_owned()
            } else {
                table.category(record, id).into_owned()
            }
        };
        (0..table.n_records()).map(cell).collect()
    }

    /// Codes of three and two characters side by side and taken apart again are what they were, but where one of them was a gap.
    #[test]
    fn what_is_joined_can_be_split() {
        let text = "land;kreis;n\n007;01;1\n010;\"20\";2\n;03;3\n100;;4\n ab c ;d;5\n";
        let joined = crossed(
            text,
            "[area]\njoin = [\"land\", \"kreis\"]\nseparator = \" \"\n",
        );
        assert_eq!(
            cells(&joined.table, "area"),
            ["007 01", "010 20", "-", "-", "ab c d"]
        );
        let mut written = Vec::new();
        joined.table.write(&mut written).unwrap();
        let split = crossed(
            &String::from_utf8(written).unwrap(),
            "[L]\nof = \"area\"\ncharacters = [1, 3]\n[K]\nof = \"area\"\ncharacters = [5, 6]\n\
             [last]\nof = \"area\"\ncharacters = [6, 99]\n[beyond]\nof = \"area\"\ncharacters = [7, 7]\n",
        );
        assert_eq!(cells(&split.table, "L"), ["007", "010", "-", "-", "ab"]);
        assert_eq!(cells(&split.table, "K"), ["01", "20", "-", "-", "d"]);
        assert_eq!(cells(&split.table, "last"), ["1", "0", "-", "-", "d"]);
        assert_eq!(cells(&split.table, "beyond"), ["-"; 5]);
    }

    /// 12,5 is above 12.5 by nothing: classes have their lower break. A name that becomes numbers is read as numbers.
    #[test]
    fn values_are_recoded_after_attributes_are_made() {
        let text = "pay;sex\n12,49;f\n12,5;m\n;f\n-3,0;\n";
        let rules = "[class]\nof = \"pay\"\nbreaks = [0, 12.5]\n[sex.map]\nf = 1\nm = 2\n[pay]\ntop = 12.49\n";
        let crossed = crossed(text, rules);
        assert_eq!(
            cells(&crossed.table, "class"),
            ["[0;12,5)", ">=12,5", "-", "<0"]
        );
        assert_eq!(
            cells(&crossed.table, "pay"),
            ["12,49", "12,49", "-", "-3,0"]
        );
        assert_eq!(cells(&crossed.table, "sex"), ["1", "2", "1", "-"]);
        let sex = crossed.table.find("sex").unwrap();
        assert_ne!(crossed.table.attribute(sex).scale, Scale::Nominal);
    }

    #[test]
    fn rules_that_meet_nothing_are_noted() {
        let crossed = crossed("a;b\nx;1\ny;2\n", "[a.map]\nz = \"w\"\n");
        assert_eq!(crossed.notes.len(), 2, "{:?}", crossed.notes);
        assert!(crossed.notes[0].contains("\"z\""), "{:?}", crossed.notes);
    }
}
