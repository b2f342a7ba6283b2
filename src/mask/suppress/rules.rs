//! The parameters of local suppression, from options or a rules file.

use std::collections::BTreeMap;

use crate::{
    error::{Counted, Error, Reason, Result, above},
    mask::rules_file::Source,
    statement::{MissingMatches, SuppressParameters},
};

use super::MAX_KEY;

/// The rules of a suppression, checked as far as they can be without a table.
///
/// The file is TOML; names are those that `describe` shows. This is a whole one:
///
/// ```toml
/// k   = 3
/// key = ["sex", "age", "town", "marital"]
/// missing-matches = "any"        # or "missing": a missing value matches only missing ones
/// [importance]                   # 1 where nothing is said; the higher, the less willingly suppressed
/// sex = 5
/// [suppress]                     # categories that go wherever they stand, before anything is counted
/// town = ["Gisclareny"]
/// ```
#[derive(Debug, Clone)]
pub struct Rules {
    pub(super) file: Option<String>,
    pub(super) lines: BTreeMap<String, u64>,
    pub(super) parameters: SuppressParameters,
}

impl Rules {
    /// Suppression for k-anonymity on a key, all its attributes equally important.
    ///
    /// # Errors
    /// Usage, when k is below 2, or the key is empty, names an attribute twice or more than [`MAX_KEY`].
    pub fn new(k: usize, key: Vec<String>, missing: MissingMatches) -> Result<Self> {
        let rules = Self {
            file: None,
            lines: BTreeMap::new(),
            parameters: SuppressParameters {
                k,
                key,
                missing,
                importance: BTreeMap::new(),
                suppress: BTreeMap::new(),
                suppressed: Vec::new(),
            },
        };
        rules.check()?;
        Ok(rules)
    }

    /// Reads the text of a rules file; `name` is used in messages only.
    ///
    /// # Errors
    /// Input, with the line: the text is not TOML, a key is unknown, missing or of the wrong kind, or a rule can have no
    /// effect. Whether the attributes exist is found out on a table.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let source = Source { name, text };
        let mut lines = BTreeMap::new();
        let (mut k, mut key, mut missing) = (None, Vec::new(), MissingMatches::default());
        let (mut importance, mut suppress) = (BTreeMap::new(), BTreeMap::new());
        for (word, value) in &source.table()? {
            lines.insert(
                word.get_ref().clone().into_owned(),
                source.line(word.span()),
            );
            let word = word.get_ref().as_ref();
            match word {
                "k" => {
                    let number = source.number(word, value)?;
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "checked"
                    )]
                    let whole = if number.fract() == 0.0 && (0.0..=1e15).contains(&number) {
                        number as usize
                    } else {
                        return Err(source.error(value.span(), "k must be a whole number"));
                    };
                    k = Some(whole);
                }
                "key" => key = source.categories(word, value)?,
                "missing-matches" => {
                    missing = match value.get_ref().as_str() {
                        Some("any") => MissingMatches::Any,
                        Some("missing") => MissingMatches::Missing,
                        _ => {
                            return Err(source.error(
                                value.span(),
                                "missing-matches must be \"any\" or \"missing\"",
                            ));
                        }
                    }
                }
                "importance" => {
                    for (attribute, value) in source.section(word, value)? {
                        let weight = source.number("importance", value)?;
                        if weight <= 0.0 {
                            return Err(source
                                .error(value.span(), "importance must be more than 0")
                                .outside("importance", above(0.0)));
                        }
                        importance.insert(attribute.get_ref().clone().into_owned(), weight);
                    }
                }
                "suppress" => {
                    for (attribute, value) in source.section(word, value)? {
                        let categories = source.categories("suppress", value)?;
                        suppress.insert(attribute.get_ref().clone().into_owned(), categories);
                    }
                }
                _ => {
                    return Err(Error::input(format!("there is no rule {word:?}"))
                        .in_file(name)
                        .at_line(lines[word])
                        .remedy("There are: k, key, missing-matches, [importance], [suppress]"));
                }
            }
        }
        let Some(k) = k else {
            return Err(Error::input("says no k")
                .in_file(name)
                .remedy("For example k = 3: nobody is one of fewer than 3"));
        };
        let rules = Self {
            file: Some(name.to_owned()),
            lines,
            parameters: SuppressParameters {
                k,
                key,
                missing,
                importance,
                suppress,
                suppressed: Vec::new(),
            },
        };
        rules.check()?;
        Ok(rules)
    }

    /// What is wrong with this rule: of the file, or of the options.
    pub(super) fn error(&self, word: &str, what: impl Into<String>) -> Error {
        match (&self.file, self.lines.get(word)) {
            (Some(file), Some(&line)) => Error::input(what).in_file(file).at_line(line),
            (Some(file), None) => Error::input(what).in_file(file),
            (None, _) => Error::usage(what),
        }
    }

    fn check(&self) -> Result<()> {
        let SuppressParameters {
            k, key, importance, ..
        } = &self.parameters;
        if *k < 2 {
            return Err(self
                .error(
                    "k",
                    format!("k = {k} has no effect: every record matches itself"),
                )
                .outside("k", 2.0..)
                .remedy("Give a k of at least 2"));
        }
        if key.is_empty() {
            return Err(self
                .error("key", "names no key")
                .remedy("Name the attributes that an intruder may know together"));
        }
        if let Some(twice) = (1..key.len()).find(|&at| key[..at].contains(&key[at])) {
            return Err(self
                .error("key", "the attribute is in the key twice")
                .named_twice(&key[twice]));
        }
        if key.len() > MAX_KEY {
            return Err(self.error("key", format!("a key of {} attributes; at most {MAX_KEY} are possible", key.len()))
                .because(Reason::TooMany { of: Counted::Attributes, asked: key.len() as u128, limit: MAX_KEY as u128 })
                .remedy("Take attributes that an intruder may really know together; recode the others first"));
        }
        match importance.keys().find(|name| !key.contains(name)) {
            None => Ok(()),
            Some(name) => Err(self
                .error(
                    "importance",
                    "has an importance, but is not in the key: it can have no effect",
                )
                .on_attribute(name)),
        }
    }
}
