//! The roles file: what the user knows about a table and a program can only guess.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};

use super::attribute::{Role, Scale};
use super::dates::DateFormat;
use super::dialect::can_delimit;
use super::encoding::Encoding;
use super::lexicon::{Lexicon, Order};
use super::number::THOUSANDS_MARKS;
use super::select::near;
use super::{BLANKS, Table};
use crate::{
    error::{Error, Result, not_toml},
    visible,
};

/// What a roles file says; whatever it leaves out is guessed.
///
/// The file is TOML. Everything in it is optional; names are those that `describe` shows. This is a whole one:
///
/// ```toml
/// identifier       = ["name", "ssn"]
/// quasi-identifier = ["age", "sex", "region"]
/// confidential     = ["income", "turnover"]
/// non-confidential = ["weight"]
///
/// continuous = ["income"]
/// ordinal    = ["age"]
/// nominal    = ["region"]              # codes that happen to be numbers
///
/// [missing]                            # codes of one attribute, beside the markers of the file
/// income = [-9, 9999998]
/// age    = [99, "unknown"]
/// spouse = []                          # nothing is missing: an empty cell (or NA) is a category of its own
///
/// [order]                              # ordered categories, the lowest first
/// education = ["none", "primary", "secondary"]
///
/// [dates]                              # how dates are written: %d %m %b %Y
/// birth = "%d.%m.%Y"
///
/// [empty]                              # empty cells that are no missing values
/// occupation = "category"
///
/// [file]                               # how the file is written
/// delimiter      = ";"
/// decimal-mark   = ","
/// thousands-mark = "."                 # or "none"
/// encoding       = "windows-1252"      # or "utf-8"
/// header         = true
/// skip-lines     = 2                   # lines above the table, such as a title
/// na             = ["NA", "-"]         # instead of the default markers
/// ```
///
/// An attribute may also have a section of its own:
///
/// ```toml
/// [attributes.income]
/// role  = "confidential"
/// scale = "continuous"
/// na    = [-9, 9999998]
/// ```
///
/// # Example
/// ```
/// use sdcrisk::table::Roles;
/// let roles = Roles::parse("confidential = ['income']\n[missing]\nincome = [-9]")?;
/// assert!(Roles::parse("confidental = ['income']").is_err());
/// # Ok::<(), sdcrisk::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roles {
    pub(super) file: FileSection,
    pub(super) attributes: BTreeMap<String, Stated>,
    /// Whether names that a table lacks are passed over.
    pub(super) of_another_file: bool,
}

/// What is stated about one attribute.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Stated {
    pub role: Option<Role>,
    pub scale: Option<Scale>,
    pub na: Option<Vec<String>>,
    pub order: Option<Vec<String>>,
    pub date: Option<DateFormat>,
    pub empty: Option<Empty>,
}

impl Stated {
    /// The scale, stated or of what is stated: ordered categories are ordinal, dates are continuous.
    pub fn scale(&self) -> Option<Scale> {
        match (&self.order, &self.date) {
            (Some(_), _) => Some(Scale::Ordinal),
            (None, Some(_)) => Some(Scale::Continuous),
            (None, None) => self.scale,
        }
    }
}

/// What an empty cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Empty {
    /// A missing value, as usual.
    Missing,
    /// A category of its own: the question was not to be asked.
    Category,
}

/// What is stated about the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FileSection {
    pub delimiter: Option<u8>,
    pub decimal_mark: Option<char>,
    pub thousands_mark: Option<Option<char>>,
    pub encoding: Option<Encoding>,
    pub header: Option<bool>,
    pub skip_lines: Option<u64>,
    pub na: Option<Vec<String>>,
}

/// The file as TOML holds it.
#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Written {
    identifier: Vec<String>,
    quasi_identifier: Vec<String>,
    confidential: Vec<String>,
    non_confidential: Vec<String>,
    continuous: Vec<String>,
    ordinal: Vec<String>,
    nominal: Vec<String>,
    missing: BTreeMap<String, Vec<Code>>,
    order: BTreeMap<String, Vec<Code>>,
    dates: BTreeMap<String, String>,
    empty: BTreeMap<String, Empty>,
    file: Option<WrittenFile>,
    attributes: BTreeMap<String, WrittenAttribute>,
}

/// The same in a recipe, whose steps are read elsewhere.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WrittenRecipe {
    roles: Written,
    file: Option<WrittenFile>,
    #[serde(rename = "step")]
    _step: Vec<IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct WrittenFile {
    delimiter: Option<String>,
    decimal_mark: Option<char>,
    thousands_mark: Option<String>,
    encoding: Option<Encoding>,
    header: Option<bool>,
    skip_lines: Option<u64>,
    na: Option<Vec<Code>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct WrittenAttribute {
    role: Option<Role>,
    scale: Option<Scale>,
    na: Option<Vec<Code>>,
    order: Option<Vec<Code>>,
    date: Option<String>,
    empty: Option<Empty>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a code for missing values is a word in quotes or a number"
)]
enum Code {
    Integer(i64),
    Number(f64),
    Word(String),
}

impl Code {
    fn text(self) -> String {
        match self {
            Self::Integer(code) => code.to_string(),
            Self::Number(code) => code.to_string(),
            Self::Word(code) => code,
        }
    }
}

fn texts(codes: Vec<Code>) -> Vec<String> {
    codes.into_iter().map(Code::text).collect()
}

impl Roles {
    /// The same statements for a file that has some of the attributes only, such as a release without its identifiers:
    /// names that it lacks are passed over, and no lines above its table are skipped.
    #[must_use]
    pub fn for_another_file(mut self) -> Self {
        self.file.skip_lines = None;
        self.naming_others()
    }

    /// The same statements, of which some may be of attributes that the file does not have yet: names that it lacks are passed over.
    #[must_use]
    pub fn naming_others(self) -> Self {
        Self {
            of_another_file: true,
            ..self
        }
    }

    /// The same statements for the file as it is written, without lines above its table; and without a scale of numbers, an order or a
    /// form of dates for attributes of names.
    pub(super) fn for_names(mut self, is_of_names: impl Fn(&str) -> bool) -> Self {
        self.file.skip_lines = None;
        for (name, stated) in &mut self.attributes {
            if stated.scale != Some(Scale::Nominal) && is_of_names(name) {
                stated.scale = None;
                stated.order = None;
                stated.date = None;
            }
        }
        self
    }

    /// The attributes that are named and that a table does not have, with what may be meant: one roles file can serve the files of a project. None where the
    /// statements were made for another file.
    pub fn unmatched(&self, table: &Table) -> Vec<String> {
        let absent = |name: &&String| !self.of_another_file && table.find(name).is_err();
        let known = table.attributes().iter().map(|known| &known.name[..]);
        let named = |name: &String| match near(name, known.clone()) {
            Some(near) => format!("{name} (did you mean {near}?)"),
            None => name.clone(),
        };
        self.attributes.keys().filter(absent).map(named).collect()
    }

    /// Reads the text of a roles file.
    ///
    /// # Errors
    /// The text is not TOML, a key or a word is unknown, or an attribute is given two roles, two scales or two lists
    /// of codes. Whether the attributes exist is found out when a table is read.
    pub fn parse(text: &str) -> Result<Self> {
        Self::of(toml::from_str(text).map_err(|error| not_toml(text, &error))?)
    }

    /// Reads what a recipe of `mask` says of its file: `[roles]` has all that a roles file has, and `[file]` may also stand by itself.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    ///
    /// # Example
    /// ```
    /// use sdcrisk::table::Roles;
    /// let recipe = "[roles]\nconfidential = ['income']\n[roles.missing]\nincome = [-9]\n[[step]]\nmethod = 'noise'\nlevel = 0.1";
    /// let roles = Roles::parse("confidential = ['income']\n[missing]\nincome = [-9]")?;
    /// assert_eq!(Roles::of_recipe(recipe)?, roles);
    /// # Ok::<(), sdcrisk::error::Error>(())
    /// ```
    pub fn of_recipe(text: &str) -> Result<Self> {
        let recipe: WrittenRecipe = toml::from_str(text).map_err(|error| not_toml(text, &error))?;
        let mut written = recipe.roles;
        if let Some(file) = recipe.file
            && written.file.replace(file).is_some()
        {
            return Err(Error::input("[file] and [roles.file] are the same section")
                .remedy("Write all of it in [file]"));
        }
        Self::of(written)
    }

    fn of(written: Written) -> Result<Self> {
        let mut roles = Self {
            file: written.file.unwrap_or_default().checked()?,
            ..Self::default()
        };
        for (role, names) in [
            (Role::Identifier, written.identifier),
            (Role::QuasiIdentifier, written.quasi_identifier),
            (Role::Confidential, written.confidential),
            (Role::NonConfidential, written.non_confidential),
        ] {
            for name in names {
                roles.state(&name, |stated| &mut stated.role, role, "role")?;
            }
        }
        for (scale, names) in [
            (Scale::Continuous, written.continuous),
            (Scale::Ordinal, written.ordinal),
            (Scale::Nominal, written.nominal),
        ] {
            for name in names {
                roles.state(&name, |stated| &mut stated.scale, scale, "scale")?;
            }
        }
        for (name, codes) in written.missing {
            roles.state(
                &name,
                |stated| &mut stated.na,
                texts(codes),
                "list of missing codes",
            )?;
        }
        for (name, order) in written.order {
            roles.state_order(&name, order)?;
        }
        for (name, pattern) in written.dates {
            roles.state_date(&name, &pattern)?;
        }
        for (name, empty) in written.empty {
            roles.state_empty(&name, empty)?;
        }
        for (name, attribute) in written.attributes {
            let name = visible::name(&name).into_owned();
            roles.attributes.entry(name.clone()).or_default();
            if let Some(role) = attribute.role {
                roles.state(&name, |stated| &mut stated.role, role, "role")?;
            }
            if let Some(scale) = attribute.scale {
                roles.state(&name, |stated| &mut stated.scale, scale, "scale")?;
            }
            if let Some(codes) = attribute.na {
                roles.state(
                    &name,
                    |stated| &mut stated.na,
                    texts(codes),
                    "list of missing codes",
                )?;
            }
            if let Some(order) = attribute.order {
                roles.state_order(&name, order)?;
            }
            if let Some(pattern) = attribute.date {
                roles.state_date(&name, &pattern)?;
            }
            if let Some(empty) = attribute.empty {
                roles.state_empty(&name, empty)?;
            }
        }
        for (name, stated) in &roles.attributes {
            stated.check().map_err(|error| error.on_attribute(name))?;
        }
        Ok(roles)
    }

    /// What the texts of an attribute mean as numbers, if that is stated.
    ///
    /// # Errors
    /// Input, when a file of this encoding cannot hold them.
    pub(super) fn lexicon(&self, name: &str, encoding: Encoding) -> Result<Option<Lexicon>> {
        let Some(stated) = self.attributes.get(name) else {
            return Ok(None);
        };
        match (&stated.order, &stated.date) {
            (Some(order), _) => {
                let order = Order::new(order, encoding);
                let order = order.map_err(|error| error.on_attribute(name))?;
                Ok(Some(Lexicon::Order(order)))
            }
            (None, Some(format)) => Ok(Some(Lexicon::Dates(format.clone()))),
            (None, None) => Ok(None),
        }
    }

    fn state_order(&mut self, name: &str, order: Vec<Code>) -> Result<()> {
        self.state(name, |stated| &mut stated.order, texts(order), "order")
    }

    fn state_empty(&mut self, name: &str, empty: Empty) -> Result<()> {
        self.state(
            name,
            |stated| &mut stated.empty,
            empty,
            "word for empty cells",
        )
    }

    fn state_date(&mut self, name: &str, pattern: &str) -> Result<()> {
        let format = DateFormat::parse(pattern).map_err(|error| error.on_attribute(name))?;
        self.state(name, |stated| &mut stated.date, format, "form of dates")
    }

    fn state<T>(
        &mut self,
        name: &str,
        part: impl Fn(&mut Stated) -> &mut Option<T>,
        value: T,
        what: &str,
    ) -> Result<()> {
        let name = visible::name(name).into_owned();
        match part(self.attributes.entry(name.clone()).or_default()).replace(value) {
            None => Ok(()),
            Some(_) => Err(
                Error::input(format!("the attribute has more than one {what}"))
                    .named_twice(&name)
                    .remedy("Name it once"),
            ),
        }
    }
}

impl Stated {
    fn check(&self) -> Result<()> {
        let (what, scale) = match (&self.order, &self.date) {
            (None, None) => return Ok(()),
            (Some(_), Some(_)) => {
                return Err(
                    Error::input("the attribute has an order, and a form of dates")
                        .remedy("Dates have an order of their own"),
                );
            }
            (Some(_), None) => ("an order", Scale::Ordinal),
            (None, Some(_)) => ("a form of dates", Scale::Continuous),
        };
        if self.scale.is_some_and(|stated| stated != scale) {
            return Err(Error::input(format!(
                "the attribute has {what}, so it is {}, and the roles file gives it another scale",
                scale.word()
            )));
        }
        let mut order: Vec<&str> = (self.order.iter().flatten())
            .map(|category| category.trim_matches(BLANKS))
            .collect();
        if self.order.is_some() && order.len() < 2 {
            return Err(Error::input(
                "the order of the attribute has fewer than two values",
            ));
        }
        order.sort_unstable();
        if order.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::input(
                "the order of the attribute names a value twice",
            ));
        }
        Ok(())
    }
}

impl WrittenFile {
    fn checked(self) -> Result<FileSection> {
        let delimiter = match self.delimiter.as_deref() {
            None => None,
            Some(text) => Some(single_delimiter(text).ok_or_else(|| {
                Error::input(
                    "[file] delimiter must be one sign such as \",\", \";\", \"\\t\" or \"|\"",
                )
            })?),
        };
        if let Some(mark) = self.decimal_mark {
            check_decimal_mark(mark).map_err(Error::input)?;
        }
        let thousands_mark = match self.thousands_mark.as_deref() {
            None => None,
            Some(text) => Some(thousands_mark(text).ok_or_else(|| {
                Error::input(format!("[file] thousands-mark must be {THOUSANDS_WORDS}"))
            })?),
        };
        Ok(FileSection {
            delimiter,
            decimal_mark: self.decimal_mark,
            thousands_mark,
            encoding: self.encoding,
            header: self.header,
            skip_lines: self.skip_lines,
            na: self.na.map(texts),
        })
    }
}

pub(super) const THOUSANDS_WORDS: &str =
    "\"none\" or one of comma, point, space, no-break space, narrow no-break space and apostrophe";

pub(super) fn check_decimal_mark(mark: char) -> std::result::Result<(), &'static str> {
    if matches!(mark, '.' | ',') {
        Ok(())
    } else {
        Err("the decimal mark must be \".\" or \",\"")
    }
}

fn single_delimiter(text: &str) -> Option<u8> {
    match *text.as_bytes() {
        [byte] if can_delimit(byte) => Some(byte),
        _ => None,
    }
}

fn thousands_mark(text: &str) -> Option<Option<char>> {
    if text == "none" {
        return Some(None);
    }
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(mark), None) if THOUSANDS_MARKS.contains(&mark) => Some(Some(mark)),
        _ => None,
    }
}
