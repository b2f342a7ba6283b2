//! From the keys of a plan to what they stand for.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{
    Plan, PlannedAttack, PlannedFile, PlannedMask, PlannedOption, PlannedRange, Published, READING,
    source::{Entry, Source},
};
use crate::{
    error::{Error, Result},
    figure::Definition,
    loss,
    risk::interval,
};

/// More settings than this are a mistake.
const MAX_SETTINGS: usize = 10_000;

/// What makes up IL, unless the plan says which losses are measured.
static USUAL_LOSS: &Definition = &loss::IL;
/// What makes up DR beside the attacks, unless the plan says which risks are measured.
static USUAL_RISK: &Definition = &interval::BY_RANK;

/// A plan that is being read.
pub(super) struct Reader<'a> {
    source: Source<'a>,
    title: Option<String>,
    /// Keys at the top that are about an original.
    only: FileKeys,
    files: Vec<FileKeys>,
    masks: Vec<PlannedMask>,
    attacks: Vec<PlannedAttack>,
    losses: Option<Vec<String>>,
    risks: Option<Vec<String>>,
    seed: Option<u64>,
    scenario: Vec<PlannedOption>,
    published: Vec<Published>,
}

/// What a plan says of an original.
#[derive(Default)]
struct FileKeys {
    original: Option<(String, u64)>,
    attributes: Option<String>,
    known: Option<Vec<String>>,
    repeats: Option<u32>,
    records: Option<String>,
    reading: Vec<PlannedOption>,
}

const FILE_KEYS: [&str; 5] = ["original", "attributes", "known", "repeats", "records"];
const SCENARIO: [&str; 3] = ["known-records", "direction", "ties"];

impl<'a> Reader<'a> {
    pub fn new(source: Source<'a>) -> Self {
        Self {
            source,
            title: None,
            only: FileKeys::default(),
            files: Vec::new(),
            masks: Vec::new(),
            attacks: Vec::new(),
            losses: None,
            risks: None,
            seed: None,
            scenario: Vec::new(),
            published: Vec::new(),
        }
    }

    pub fn top(&mut self, entry: &Entry<'_, 'a>) -> Result<()> {
        let source = self.source;
        match entry.key.as_str() {
            "title" => self.title = Some(source.text(entry)?),
            "seed" => self.seed = Some(source.whole(entry)?),
            "losses" => self.losses = Some(source.texts(entry)?),
            "risks" => self.risks = Some(source.texts(entry)?),
            "attacks" => self.attacks = self.attacks(entry)?,
            "file" => {
                for (line, table) in source.tables(entry)? {
                    let file = self.file(line, table)?;
                    self.files.push(file);
                }
            }
            "mask" => {
                for (line, table) in source.tables(entry)? {
                    let mask = self.mask(line, table)?;
                    self.masks.push(mask);
                }
            }
            "published" => {
                for (line, table) in source.tables(entry)? {
                    self.published.extend(self.published(line, table)?);
                }
            }
            key if SCENARIO.contains(&key) => self.scenario.push(self.option(entry)?),
            _ => {
                let mut only = std::mem::take(&mut self.only);
                let known = only.take(source, entry)?;
                self.only = only;
                if !known {
                    let others = [
                        "title",
                        "seed",
                        "losses",
                        "risks",
                        "attacks",
                        "file",
                        "mask",
                        "published",
                    ];
                    let known = [&FILE_KEYS[..], &others, &SCENARIO, &READING].concat();
                    return Err(source.unknown(entry, "a plan", &known));
                }
            }
        }
        Ok(())
    }

    fn option(&self, entry: &Entry<'_, 'a>) -> Result<PlannedOption> {
        Ok(PlannedOption {
            name: entry.key.clone(),
            value: self.source.value(&entry.key, entry.value)?,
            line: entry.line,
        })
    }

    fn file(&self, line: u64, table: &DeTable<'a>) -> Result<FileKeys> {
        let mut keys = FileKeys::default();
        for entry in self.source.entries(table) {
            if !keys.take(self.source, &entry)? {
                let known = [&FILE_KEYS[..], &READING].concat();
                return Err(self.source.unknown(&entry, "[[file]]", &known));
            }
        }
        if keys.original.is_some() {
            Ok(keys)
        } else {
            Err(self
                .source
                .error(line, "[[file]] names no original")
                .remedy("Write original = \"FILE.csv\""))
        }
    }

    fn mask(&self, line: u64, table: &DeTable<'a>) -> Result<PlannedMask> {
        let source = self.source;
        let mut mask = PlannedMask {
            method: String::new(),
            line,
            name: None,
            files: Vec::new(),
            known: None,
            settings: vec![Vec::new()],
            range: None,
        };
        for entry in source.entries(table) {
            match entry.key.as_str() {
                "method" => mask.method = source.text(&entry)?,
                "name" => mask.name = Some(source.text(&entry)?),
                "file" => mask.files = source.texts(&entry)?,
                "known" => mask.known = Some(source.texts(&entry)?),
                _ => match entry.value.get_ref() {
                    DeValue::Table(table) => {
                        let range = self.range(&entry, table)?;
                        if let Some(other) = mask.range.replace(range) {
                            return Err(source
                                .error(entry.line, "a masking has one range at most")
                                .remedy(format!(
                                    "Write a list of values for {} or for {}",
                                    other.name, entry.key
                                )));
                        }
                    }
                    _ => {
                        let option = self.option(&entry)?;
                        mask.settings = self.grid(mask.settings, option)?;
                    }
                },
            }
        }
        if !mask.method.is_empty() {
            Ok(mask)
        } else {
            Err(source
                .error(line, "[[mask]] names no method")
                .remedy("Write for example method = \"rankswap\""))
        }
    }

    /// `{ from = A, to = B }`.
    fn range(&self, entry: &Entry<'_, 'a>, table: &DeTable<'a>) -> Result<PlannedRange> {
        let source = self.source;
        let wrong = |what: &str| {
            source
                .error(entry.line, format!("{}: {what}", entry.key))
                .remedy(format!(
                    "Write for example {} = {{ from = 1, to = 30 }}",
                    entry.key
                ))
        };
        let (mut from, mut to) = (None, None);
        for end in source.entries(table) {
            let value = source.value(&end.key, end.value)?.as_f64();
            match end.key.as_str() {
                "from" => from = value,
                "to" => to = value,
                _ => return Err(source.unknown(&end, "a range", &["from", "to"])),
            }
        }
        match (from, to) {
            (Some(from), Some(to)) if from < to => Ok(PlannedRange {
                name: entry.key.clone(),
                from,
                to,
                line: entry.line,
            }),
            (Some(_), Some(_)) => Err(wrong("from must be less than to")),
            _ => Err(wrong("a range has two numbers, from and to")),
        }
    }

    /// Every setting with every value of one more option, the last option changing fastest.
    fn grid(
        &self,
        settings: Vec<Vec<PlannedOption>>,
        option: PlannedOption,
    ) -> Result<Vec<Vec<PlannedOption>>> {
        let values = match &option.value {
            Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        let refuse = |what: String| Err(self.source.error(option.line, what));
        if values.is_empty() {
            return refuse(format!(
                "{} is an empty list: nothing would be masked",
                option.name
            ));
        }
        if (1..values.len()).any(|place| values[..place].contains(&values[place])) {
            return refuse(format!("{} names a value twice", option.name));
        }
        if settings.len().saturating_mul(values.len()) > MAX_SETTINGS {
            return refuse(format!(
                "the grid has more than {MAX_SETTINGS} settings from here on"
            ));
        }
        let with = |setting: &Vec<PlannedOption>, value: &Value| {
            let mut setting = setting.clone();
            setting.push(PlannedOption {
                value: value.clone(),
                ..option.clone()
            });
            setting
        };
        Ok(settings
            .iter()
            .flat_map(|setting| values.iter().map(move |value| (setting, value)))
            .map(|(setting, value)| with(setting, value))
            .collect())
    }

    fn attacks(&self, entry: &Entry<'_, 'a>) -> Result<Vec<PlannedAttack>> {
        let source = self.source;
        let wrong = |line| {
            source
                .error(line, "attacks must be a list of methods of link, or of tables")
                .remedy("Write for example attacks = [\"am\", { method = \"prl\", agree = \"sd:0.1\" }]")
        };
        let list = entry
            .value
            .get_ref()
            .as_array()
            .ok_or_else(|| wrong(entry.line))?;
        let mut attacks: Vec<PlannedAttack> = Vec::new();
        for item in list.iter() {
            let line = source.line(&item.span());
            let attack = match item.get_ref() {
                DeValue::String(method) => PlannedAttack {
                    name: method.to_string(),
                    method: method.to_string(),
                    line,
                    known: None,
                    options: Vec::new(),
                },
                DeValue::Table(table) => self.attack(line, table)?,
                _ => return Err(wrong(line)),
            };
            if attacks.iter().any(|other| other.name == attack.name) {
                return Err(source
                    .error(line, format!("there are two attacks {:?}", attack.name))
                    .remedy("Give one of them a name of its own: name = \"...\""));
            }
            attacks.push(attack);
        }
        Ok(attacks)
    }

    fn attack(&self, line: u64, table: &DeTable<'a>) -> Result<PlannedAttack> {
        let source = self.source;
        let (mut name, mut method, mut known) = (None, None, None);
        let mut options = Vec::new();
        for entry in source.entries(table) {
            match entry.key.as_str() {
                "method" => method = Some(source.text(&entry)?),
                "name" => name = Some(source.text(&entry)?),
                "known" => known = Some(source.texts(&entry)?),
                _ => options.push(self.option(&entry)?),
            }
        }
        let Some(method) = method else {
            return Err(source
                .error(line, "an attack names no method")
                .remedy("Write for example { method = \"prl\", agree = \"sd:0.1\" }"));
        };
        Ok(PlannedAttack {
            name: name.unwrap_or_else(|| method.clone()),
            method,
            line,
            known,
            options,
        })
    }

    /// Published figures: those of one setting, or columns of a table, whose lists are as long as each other.
    fn published(&self, line: u64, table: &DeTable<'a>) -> Result<Vec<Published>> {
        let source = self.source;
        let (mut file, mut method, mut name, mut citation) = (None, None, None, None);
        let mut unit = 1.0;
        let mut parameters = Vec::new();
        let mut measures = Vec::new();
        for entry in source.entries(table) {
            match entry.key.as_str() {
                "file" => file = Some(source.text(&entry)?),
                "method" => method = Some(source.text(&entry)?),
                "name" => name = Some(source.text(&entry)?),
                "source" => citation = Some(source.text(&entry)?),
                "unit" => {
                    unit = match source.text(&entry)?.as_str() {
                        "share" => 1.0,
                        "percent" => 100.0,
                        _ => {
                            return Err(
                                source.error(entry.line, "unit must be \"percent\" or \"share\"")
                            );
                        }
                    }
                }
                "measures" => {
                    let Some(table) = entry.value.get_ref().as_table() else {
                        return Err(source
                            .error(entry.line, "measures must be a table of measures")
                            .remedy("Write for example measures = { rsld = 0.77, il = 0.1 }"));
                    };
                    for entry in source.entries(table) {
                        measures.push(self.option(&entry)?);
                    }
                }
                _ => parameters.push(self.option(&entry)?),
            }
        }
        let Some(citation) = citation else {
            return Err(source
                .error(line, "[[published]] names no source")
                .remedy("Say where the figures were published: source = \"...\""));
        };
        if measures.is_empty() {
            return Err(source
                .error(line, "[[published]] has no measures")
                .remedy("Write for example measures = { rsld = 0.77, il = 0.1 }"));
        }
        let lists = [&parameters[..], &measures[..]].concat();
        let rows = lists.iter().find_map(|option| option.value.as_array());
        let rows = rows.map_or(1, Vec::len);
        let at = |option: &PlannedOption, row: usize| match &option.value {
            Value::Array(list) if list.len() == rows => Ok(list[row].clone()),
            Value::Array(_) => Err(source.error(
                option.line,
                format!(
                    "the lists of [[published]] are not as long as each other: {}",
                    option.name
                ),
            )),
            value => Ok(value.clone()),
        };
        let number = |option: &PlannedOption, row: usize| {
            at(option, row)?.as_f64().ok_or_else(|| {
                source.error(option.line, format!("{} must be a number", option.name))
            })
        };
        (0..rows)
            .map(|row| {
                Ok(Published {
                    line,
                    file: file.clone(),
                    method: method.clone(),
                    name: name.clone(),
                    parameters: parameters
                        .iter()
                        .map(|option| Ok((option.name.clone(), at(option, row)?)))
                        .collect::<Result<_>>()?,
                    measures: measures
                        .iter()
                        .map(|option| Ok((option.name.clone(), number(option, row)? / unit)))
                        .collect::<Result<_>>()?,
                    source: citation.clone(),
                })
            })
            .collect()
    }

    pub fn finished(self) -> Result<Plan> {
        let source = self.source;
        let lacks =
            |what: &str, remedy: &str| Err(Error::input(what).in_file(source.name).remedy(remedy));
        let files: Vec<PlannedFile> = match (&self.only.original, self.files) {
            (Some((_, line)), files) if !files.is_empty() => {
                return Err(source
                    .error(*line, "original and [[file]] both name files")
                    .remedy("Name all originals by [[file]]"));
            }
            (None, files) => files
                .into_iter()
                .filter_map(|file| file.planned(&self.only))
                .collect(),
            (Some(_), _) => {
                let nothing = FileKeys::default();
                self.only.planned(&nothing).into_iter().collect()
            }
        };
        if files.is_empty() {
            return lacks("names no original", "Write original = \"FILE.csv\"");
        }
        for (place, file) in files.iter().enumerate() {
            if files[..place]
                .iter()
                .any(|other| other.original == file.original)
            {
                return Err(source.error(file.line, "names a file that was named before"));
            }
        }
        for mask in &self.masks {
            let is_named = |name: &String| files.iter().any(|file| file.is_called(name));
            if let Some(stranger) = mask.files.iter().find(|name| !is_named(name)) {
                return Err(source
                    .error(
                        mask.line,
                        format!("[[mask]] is for a file {stranger:?} that the plan does not name"),
                    )
                    .remedy("Give its name as original has it"));
            }
        }
        if self.masks.is_empty() {
            return lacks(
                "has no [[mask]]: nothing would be masked",
                "Add [[mask]], method = \"rankswap\", p = [2, 5, 10]",
            );
        }
        let losses = self.losses.unwrap_or_else(|| vec![USUAL_LOSS.key.into()]);
        let risks = self.risks.unwrap_or_else(|| vec![USUAL_RISK.key.into()]);
        if losses.is_empty() && risks.is_empty() && self.attacks.is_empty() {
            return lacks(
                "measures nothing",
                "Add attacks = [\"am\"], losses = [\"il\"] or risks = [\"interval_disclosure_rank\"]",
            );
        }
        for (what, keys) in [("losses", &losses), ("risks", &risks)] {
            if let Some(twice) = (1..keys.len()).find(|&place| keys[..place].contains(&keys[place]))
            {
                return lacks(
                    &format!("names {:?} twice in {what}", keys[twice]),
                    "Name each once",
                );
            }
        }
        Ok(Plan {
            title: self.title,
            files,
            masks: self.masks,
            attacks: self.attacks,
            losses,
            risks,
            seed: self.seed,
            scenario: self.scenario,
            published: self.published,
        })
    }
}

impl FileKeys {
    /// Takes a key; `false` if it is none of these.
    fn take(&mut self, source: Source<'_>, entry: &Entry<'_, '_>) -> Result<bool> {
        match entry.key.as_str() {
            "original" => self.original = Some((source.text(entry)?, entry.line)),
            "attributes" => self.attributes = Some(source.text(entry)?),
            "known" => self.known = Some(source.texts(entry)?),
            "repeats" => {
                let repeats = u32::try_from(source.whole(entry)?).ok();
                self.repeats = Some(repeats.filter(|&repeats| repeats > 0).ok_or_else(|| {
                    source.error(entry.line, "repeats must be a whole number, 1 or more")
                })?);
            }
            "records" => {
                self.records = Some(match source.value("records", entry.value)? {
                    Value::String(text) => text,
                    Value::Number(number) if number.as_u64().is_some() => number.to_string(),
                    _ => {
                        return Err(source.error(
                            entry.line,
                            "records must be a number, or the name of a file",
                        ));
                    }
                });
            }
            key if READING.contains(&key) => self.reading.push(PlannedOption {
                name: entry.key.clone(),
                value: source.value(&entry.key, entry.value)?,
                line: entry.line,
            }),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The file, with what is said of all where it says nothing itself; `None` for keys that name no original.
    fn planned(self, all: &Self) -> Option<PlannedFile> {
        let (original, line) = self.original?;
        Some(PlannedFile {
            original,
            line,
            attributes: self.attributes.or_else(|| all.attributes.clone()),
            known: self.known.or_else(|| all.known.clone()).unwrap_or_default(),
            repeats: self.repeats.or(all.repeats),
            records: self.records.or_else(|| all.records.clone()),
            reading: if self.reading.is_empty() {
                all.reading.clone()
            } else {
                self.reading
            },
        })
    }
}
