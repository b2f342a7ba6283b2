//! The rules file of recoding.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::{
    code_lists::{self, Level},
    texts::class_names,
};
use crate::{
    error::{Error, Reason, Result, above},
    mask::rules_file::{Source, Value},
    statement::{Period, RecodingRule},
};

/// The keys of a section.
const KEYS: &str = "suppress, suppress-where, map, groups, codes, hierarchy, level, others, digits, bottom, bottom-label, top, top-label, round, truncate, breaks, labels";

/// Those that make a new attribute, which only a crosswalk does.
const MAKING: [&str; 4] = ["of", "characters", "join", "separator"];

/// The line of rules that stand in no file of rules.
const NOWHERE: u64 = 0;

/// What a rules file says of each attribute, in the order of the file.
///
/// The file is TOML, a section an attribute; names are those that `describe` shows. This is a whole one:
///
/// ```toml
/// [age]
/// bottom = 18                   # below 18 becomes 18
/// top    = 85                   # above 85 becomes 85
/// top-label = "85+"             # ... or this, and so does 85
/// round  = 5                    # what lies between, to multiples of 5
///
/// [income]
/// breaks = [0, 1000, 2000]      # <0  [0,1000)  [1000,2000)  >=2000
/// labels = ["low", "middle"]    # of the classes between breaks; or of all four
///
/// [birth]
/// truncate = "quarter"          # dates become the first of their "month", "quarter" or "year"
///
/// [marital]
/// suppress = ["not stated"]     # becomes missing
/// others   = "other"            # whatever is not named below
/// [marital.map]
/// "single" = "never married"
/// [marital.groups]
/// "widowed or divorced" = ["widowed", "divorced"]
///
/// [town.suppress-where]         # missing where all of this holds
/// illness = ["pregnancy"]
///
/// [occupation]
/// digits = 2                    # the first two characters of each code; shorter ones are kept
/// ```
///
/// Two rules read a CSV file beside the file of rules, whose first line has names: `codes = "list.csv"` has a code and its new text in each
/// line, `hierarchy = "nace.csv"` a code, its parent, the parent of that, and so on, of which `level = 1` (or its name) takes the place of
/// the code. Every value of the attribute must be in the file, unless `others` says what becomes of the rest.
///
/// # Example
/// ```
/// use sdcrisk::mask::recode::Rules;
/// assert!(Rules::parse("rules.toml", "[age]\ntop = 85\nround = 5").is_ok());
/// let error = Rules::parse("rules.toml", "[age]\nbreaks = [5, 1]").unwrap_err();
/// assert_eq!(error.location().line, Some(2));
/// ```
#[derive(Debug, Clone)]
pub struct Rules {
    pub(super) file: String,
    pub(super) sections: Vec<Section>,
}

/// The rules of one attribute, and where they stand.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub rule: RecodingRule,
    /// The line of the section.
    pub line: u64,
    /// The line of each key.
    pub lines: BTreeMap<String, u64>,
    /// The file of codes that must name every value of the attribute.
    pub complete_in: Option<String>,
    /// What the attribute is made of, where it is a new one.
    made: Written,
}

/// What a section says of the attributes that its own is made of.
#[derive(Debug, Clone, Default)]
struct Written {
    of: Option<String>,
    characters: Option<[usize; 2]>,
    join: Vec<String>,
    separator: String,
}

/// What a new attribute is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// Another attribute, or some of its characters: from the first to the last, counted from 1.
    Of(String, Option<[usize; 2]>),
    /// Several, one behind the other, with this between them.
    Joined(Vec<String>, String),
}

impl Rules {
    /// Reads the text of a rules file; `name` is used in messages only.
    ///
    /// # Errors
    /// Input, with the line: the text is not TOML, a key is unknown or of the wrong kind, two rules contradict each other,
    /// or a rule can have no effect. Whether the attributes exist is found out on a table.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        Self::with_files(name, text, &BTreeMap::new())
    }

    /// The files of codes that the text of a rules file names, each once. What is wrong with the text is for [`parse`](Self::parse) to say.
    pub fn files(name: &str, text: &str) -> Vec<String> {
        let sections = Source { name, text }.table().unwrap_or_default();
        let mut files = Vec::new();
        for section in sections
            .iter()
            .filter_map(|(_, section)| section.get_ref().as_table())
        {
            for (key, value) in section {
                let file = value.get_ref().as_str().filter(|_| is_file(key.get_ref()));
                files.extend(file.map(str::to_owned));
            }
        }
        files.sort();
        files.dedup();
        files
    }

    /// The same of rules that name files of codes, each of which is given with its text.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and Input, when a file that is named is not given, or is no list or hierarchy of codes.
    pub fn with_files(name: &str, text: &str, files: &BTreeMap<String, String>) -> Result<Self> {
        let rules = Self::of_crosswalk(name, text, files)?;
        for section in &rules.sections {
            if let Some(key) = (MAKING.into_iter()).find(|&key| section.lines.contains_key(key)) {
                return Err(section
                    .error(
                        key,
                        format!("{key} makes a new attribute, which a masking does not"),
                    )
                    .in_file(name)
                    .remedy(
                        "Only a crosswalk has it: --recode of 'link', 'loss', 'risk' and 'score'",
                    ));
            }
        }
        Ok(rules)
    }

    /// The same of a crosswalk, in which sections can make new attributes.
    pub(super) fn of_crosswalk(
        name: &str,
        text: &str,
        files: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let source = Source { name, text };
        let table = source.table()?;
        let mut sections = Vec::new();
        for (attribute, value) in &table {
            let line = source.line(attribute.span());
            let attribute = attribute.get_ref().clone().into_owned();
            let Some(keys) = value.get_ref().as_table() else {
                return Err(source
                    .error(value.span(), format!("{attribute:?} is no section"))
                    .remedy(format!(
                        "Rules stand in a section an attribute: [{attribute}]"
                    )));
            };
            sections.push(
                Section::parse(source, attribute.clone(), line, keys, files).map_err(|error| {
                    let error = error.on_attribute(attribute);
                    // What is wrong with a file of codes has its place there.
                    if error.location().file.is_some() {
                        error
                    } else {
                        error.at_line(line).in_file(name)
                    }
                })?,
            );
        }
        if sections.is_empty() {
            return Err(Error::input("holds no rules")
                .in_file(name)
                .remedy("'sdcrisk mask recode --help' shows a whole file"));
        }
        sections.sort_by_key(|section| section.line);
        Ok(Self {
            file: name.to_owned(),
            sections,
        })
    }
}

impl Rules {
    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// The rules that a statement published: as they were, but for what became missing, which stays as it is.
    ///
    /// # Errors
    /// Input, when a rule makes no sense.
    pub fn of_statement(published: &[RecodingRule]) -> Result<Self> {
        let section = |rule: &RecodingRule| {
            let rule = RecodingRule {
                suppressed: false,
                ..rule.clone()
            };
            let keys = [
                ("map", !rule.map.is_empty()),
                ("others", rule.others.is_some()),
                ("digits", rule.digits.is_some()),
                ("bottom", rule.bottom.is_some()),
                ("bottom-label", rule.bottom_label.is_some()),
                ("top", rule.top.is_some()),
                ("top-label", rule.top_label.is_some()),
                ("round", rule.round.is_some()),
                ("truncate", rule.truncate.is_some()),
                ("breaks", !rule.breaks.is_empty()),
                ("labels", !rule.labels.is_empty()),
            ];
            let keys = keys.into_iter().filter(|(_, is_there)| *is_there);
            let section = Section {
                rule,
                line: NOWHERE,
                lines: keys.map(|(key, _)| (key.to_owned(), NOWHERE)).collect(),
                // Whom the intruder knows need not be in the file that was recoded.
                complete_in: None,
                made: Written::default(),
            };
            if section.lines.is_empty() {
                // All that it made missing is not published.
                return Ok(None);
            }
            let checked = section.check();
            let named = checked.map_err(|error| error.on_attribute(&section.rule.attribute));
            named.map(|()| Some(section))
        };
        let sections = published.iter().map(section);
        let sections: Result<Vec<Option<Section>>> = sections.collect();
        Ok(Self {
            file: "the statement".to_owned(),
            sections: sections?.into_iter().flatten().collect(),
        })
    }
}

impl Section {
    fn parse(
        source: Source<'_>,
        attribute: String,
        line: u64,
        keys: &DeTable<'_>,
        files: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let mut section = Self {
            rule: RecodingRule {
                attribute,
                ..RecodingRule::default()
            },
            line,
            lines: BTreeMap::new(),
            complete_in: None,
            made: Written::default(),
        };
        // Categories must be named once, whichever rule does.
        let mut named = BTreeMap::new();
        for (key, value) in keys {
            section
                .lines
                .insert(key.get_ref().clone().into_owned(), source.line(key.span()));
            section
                .key(source, key.get_ref(), value, &mut named)
                .map_err(|error| {
                    // The key's place is known even where that of the fault is not.
                    error.at_line(source.line(key.span()))
                })?;
        }
        section.take_files(source, keys, files, &mut named)?;
        section.check()?;
        Ok(section)
    }

    /// Adds what the files of codes say to the map.
    fn take_files(
        &mut self,
        source: Source<'_>,
        keys: &DeTable<'_>,
        files: &BTreeMap<String, String>,
        named: &mut BTreeMap<String, String>,
    ) -> Result<()> {
        let value = |wanted: &str| {
            let mut keys = keys.iter();
            keys.find(|(key, _)| key.get_ref() == wanted)
                .map(|(_, value)| value)
        };
        let level = match value("level").map(|level| (level, level.get_ref())) {
            None => None,
            Some((_, DeValue::String(name))) => Some(Level::Named(name.clone().into_owned())),
            Some((level, _)) => Some(Level::Up(self.whole(source, "level", level)?)),
        };
        for key in ["codes", "hierarchy"] {
            let Some(value) = value(key) else { continue };
            let file = source.label(key, value)?;
            let level = match (key, &level) {
                ("codes", _) => &Level::Only,
                (_, Some(level)) => level,
                (_, None) => {
                    return Err(self
                        .error(key, "hierarchy needs level: which of the levels above a code takes its place")
                        .remedy("level = 1 is the parent of a code, 2 the parent of that; or the name of the level"));
                }
            };
            let text = files.get(&file).ok_or_else(|| {
                self.error(key, format!("names the file {file:?}, which is not there"))
            })?;
            for (code, new) in code_lists::codes(&file, text, level)? {
                name_once(named, &code, key)?;
                self.rule.map.insert(code, new);
            }
            self.complete_in = Some(file);
        }
        if level.is_some() && value("hierarchy").is_none() {
            return Err(self.error("level", "level has no effect without hierarchy"));
        }
        Ok(())
    }

    /// A whole number from 1.
    fn whole(&self, source: Source<'_>, key: &str, value: &Value<'_>) -> Result<usize> {
        let number = source.number(key, value)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number from 1 to a million"
        )]
        if number.fract() == 0.0 && (1.0..=1e6).contains(&number) {
            Ok(number as usize)
        } else {
            Err(self
                .error(key, format!("{key} must be a whole number from 1"))
                .outside(key, 1.0..))
        }
    }

    fn key(
        &mut self,
        source: Source<'_>,
        key: &str,
        value: &Value<'_>,
        named: &mut BTreeMap<String, String>,
    ) -> Result<()> {
        let rule = &mut self.rule;
        match key {
            "bottom" => rule.bottom = Some(source.number(key, value)?),
            "top" => rule.top = Some(source.number(key, value)?),
            "bottom-label" => rule.bottom_label = Some(source.label(key, value)?),
            "top-label" => rule.top_label = Some(source.label(key, value)?),
            "others" => rule.others = Some(source.label(key, value)?),
            "round" => rule.round = Some(source.number(key, value)?),
            "truncate" => {
                rule.truncate = Some(match source.label(key, value)?.as_str() {
                    "month" => Period::Month,
                    "quarter" => Period::Quarter,
                    "year" => Period::Year,
                    _ => {
                        return Err(Error::input(
                            "truncate is one of \"month\", \"quarter\" and \"year\"",
                        ));
                    }
                });
            }
            "breaks" => {
                for item in source.list(key, value)? {
                    rule.breaks.push(source.number("a break", item)?);
                }
            }
            "labels" => {
                for item in source.list(key, value)? {
                    rule.labels.push(source.label("a label", item)?);
                }
            }
            "suppress" => {
                rule.suppress = source.categories(key, value)?;
                for category in &rule.suppress {
                    name_once(named, category, "suppress")?;
                }
            }
            "map" => {
                for (category, label) in source.section(key, value)? {
                    let line = source.line(category.span());
                    let category = trimmed(category.get_ref());
                    name_once(named, &category, "map").map_err(|error| error.at_line(line))?;
                    rule.map
                        .insert(category, source.label("the new text", label)?);
                }
            }
            "groups" => {
                for (label, categories) in source.section(key, value)? {
                    let line = source.line(label.span());
                    let label = label.get_ref().clone().into_owned();
                    if trimmed(&label).is_empty() {
                        return Err(Error::input("a group without a name").at_line(line));
                    }
                    for category in source.categories("the group", categories)? {
                        name_once(named, &category, "groups")
                            .map_err(|error| error.at_line(line))?;
                        rule.map.insert(category, label.clone());
                    }
                }
            }
            "digits" => {
                let digits = self.whole(source, key, value)?;
                self.rule.digits = Some(digits);
            }
            "of" => self.made.of = Some(source.label(key, value)?),
            "characters" => {
                let places: Vec<usize> = (source.list(key, value)?)
                    .map(|place| self.whole(source, key, place))
                    .collect::<Result<_>>()?;
                self.made.characters = match places[..] {
                    [first, last] if first <= last => Some([first, last]),
                    _ => {
                        return Err(Error::input(
                            "characters has two places from 1, the first and the last character: [3, 5]",
                        ));
                    }
                };
            }
            "join" => {
                self.made.join = source.categories(key, value)?;
                if self.made.join.len() < 2 {
                    return Err(Error::input("join names two attributes or more")
                        .remedy("Of one attribute a new one is made by of = \"...\""));
                }
            }
            "separator" => match value.get_ref().as_str() {
                Some(text) => self.made.separator = text.to_owned(),
                None => return Err(Error::input("separator must be a text in quotes")),
            },
            // Read together when all keys are known.
            "codes" | "hierarchy" | "level" => {}
            "suppress-where" => {
                for (attribute, categories) in source.section(key, value)? {
                    let categories = source.categories("the condition", categories)?;
                    rule.suppress_where
                        .insert(attribute.get_ref().clone().into_owned(), categories);
                }
            }
            _ => {
                return Err(
                    Error::input(format!("there is no rule {key:?}")).remedy(format!(
                        "There are: {KEYS}; in a crosswalk (--recode) also {}",
                        MAKING.join(", ")
                    )),
                );
            }
        }
        Ok(())
    }

    /// What the attribute is made of; `None` where it is one of the file.
    pub fn origin(&self) -> Option<Origin> {
        let Written {
            of,
            characters,
            join,
            separator,
        } = &self.made;
        match of {
            Some(of) => Some(Origin::Of(of.clone(), *characters)),
            None if join.is_empty() => None,
            None => Some(Origin::Joined(join.clone(), separator.clone())),
        }
    }

    /// Whether it says anything of values, and not only what the attribute is made of.
    pub fn recodes(&self) -> bool {
        let mut keys = self.lines.keys();
        keys.any(|key| !MAKING.contains(&key.as_str()))
    }

    /// What is wrong with this key of the section.
    pub fn error(&self, key: &str, what: impl Into<String>) -> Error {
        let error = Error::input(what).on_attribute(&self.rule.attribute);
        match self.lines.get(key).copied().unwrap_or(self.line) {
            NOWHERE => error,
            line => error.at_line(line),
        }
    }

    /// Refuses rules that contradict each other or can have no effect.
    fn check(&self) -> Result<()> {
        let rule = &self.rule;
        let first = |keys: &[&'static str]| {
            keys.iter()
                .copied()
                .find(|&key| self.lines.contains_key(key))
        };
        if self.lines.is_empty() {
            return Err(self
                .error("", "the section holds no rule")
                .remedy(format!("There are: {KEYS}")));
        }
        for (key, needs) in [
            ("bottom-label", "bottom"),
            ("top-label", "top"),
            ("labels", "breaks"),
            ("characters", "of"),
            ("separator", "join"),
        ] {
            if first(&[key]).is_some() && first(&[needs]).is_none() {
                return Err(self.error(key, format!("{key} has no effect without {needs}")));
            }
        }
        if let [Some(key), Some(_)] = [first(&["join"]), first(&["of"])] {
            return Err(self.error(
                key,
                "join and of say different things of what the attribute is made of",
            ));
        }
        if let (false, Some(key)) = (
            rule.breaks.is_empty(),
            first(&["bottom", "top", "round", "digits"]),
        ) {
            return Err(self.error(
                key,
                format!("{key} has no effect: breaks make classes of all numbers"),
            ));
        }
        if rule.truncate.is_some()
            && let Some(key) = first(&["breaks", "bottom", "top", "round", "others"])
        {
            return Err(self.error(
                key,
                format!("{key} and truncate say different things of the same dates"),
            ));
        }
        if let (Some(_), Some(key)) = (rule.digits, first(&["bottom", "top", "round"])) {
            return Err(self.error(
                key,
                format!("{key} has no effect: digits makes codes of all values"),
            ));
        }
        if let (Some(_), Some(file)) = (rule.digits, &self.complete_in) {
            return Err(self.error(
                "digits",
                format!("digits has no effect: every value must be in {file}"),
            ));
        }
        if rule.others.is_some() {
            if rule.map.is_empty() {
                return Err(self
                    .error("others", "others would make all values equal")
                    .remedy("Name in map or groups what is to be told apart"));
            }
            if let Some(key) = first(&["breaks", "bottom", "top", "round", "digits"]) {
                return Err(self.error(
                    key,
                    format!("{key} has no effect: others takes every value that is not named"),
                ));
            }
        }
        if let (Some(bottom), Some(top)) = (rule.bottom, rule.top)
            && bottom >= top
        {
            return Err(self.error("top", "top must be more than bottom"));
        }
        if rule.round.is_some_and(|step| step <= 0.0) {
            return Err(self
                .error("round", "round must be more than 0: it rounds to multiples")
                .outside("round", above(0.0)));
        }
        if rule.suppress_where.contains_key(&rule.attribute) {
            return Err(self
                .error("suppress-where", "the condition is on the attribute itself")
                .remedy("Use suppress = [ ... ]"));
        }
        self.check_classes()
    }

    fn check_classes(&self) -> Result<()> {
        let RecodingRule { breaks, labels, .. } = &self.rule;
        if breaks.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(self.error("breaks", "breaks must ascend"));
        }
        if labels.is_empty() {
            return Ok(());
        }
        let n = breaks.len();
        if labels.len() != n + 1 && labels.len() != n - 1 {
            return Err(self
                .error("labels", format!("{} labels for {n} breaks", labels.len()))
                .remedy(match n {
                    1 => "One break makes two classes: give two labels".to_owned(),
                    _ => format!(
                        "Give {} labels for the classes between breaks, or {} with those below and above",
                        n - 1,
                        n + 1
                    ),
                }));
        }
        let mut sorted = class_names(&self.rule, '.');
        sorted.sort();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            Err(self
                .error("labels", "two classes have the same label")
                .remedy("Leave out the break between them, or give them different labels"))
        } else {
            Ok(())
        }
    }
}

/// Whether a key names a file of codes.
fn is_file(key: &str) -> bool {
    ["codes", "hierarchy"].contains(&key)
}

fn trimmed(text: &str) -> String {
    text.trim_matches(crate::table::BLANKS).to_owned()
}

fn name_once(named: &mut BTreeMap<String, String>, category: &str, by: &str) -> Result<()> {
    match named.insert(category.to_owned(), by.to_owned()) {
        None => Ok(()),
        Some(other) => Err(Error::input(if other == by {
            format!("{by} names the category {category:?} twice")
        } else {
            format!("both {other} and {by} name the category {category:?}")
        })
        .because(Reason::NamedTwice {
            name: category.to_owned(),
        })
        .remedy("A category has one fate: name it once")),
    }
}
