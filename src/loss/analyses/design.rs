//! From attributes of two files to what an analysis computes with: targets, predictors, records, columns of numbers.

use std::cmp::Ordering;

use crate::{
    error::{Counted, Difference, Error, ErrorKind, Reason, Result},
    stats::moments::{Moments, moments},
    table::{
        Scale,
        matrix::columns::Columns,
        pair::{Pair, PairedCategories, PairedNumbers},
    },
};

/// Names with more categories than this are no predictors: nearly every record would have one of its own.
pub(super) const MAX_CATEGORIES: usize = 50;

/// Names of one category are no predictors: they become no column at all.
const ONE_CATEGORY: &str = "has one category only among the records that are used";

/// One of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Original,
    Masked,
}

pub(super) const SIDES: [Side; 2] = [Side::Original, Side::Masked];

/// An attribute in both files.
#[derive(Debug)]
pub(super) enum Variable<'a> {
    Number(Number<'a>),
    Levels(Levels),
}

/// An attribute of amounts or ordered codes.
#[derive(Debug)]
pub(super) struct Number<'a> {
    numbers: &'a PairedNumbers,
    place: usize,
}

/// An attribute of names; categories are numbered in the order of their labels, so that the order of records does not matter.
#[derive(Debug)]
pub(super) struct Levels {
    pub name: String,
    pub labels: Vec<String>,
    original: Vec<Option<u32>>,
    masked: Vec<Option<u32>>,
}

impl Number<'_> {
    /// The values as categories, where only their order is relied on and they are few.
    pub fn as_levels(&self) -> Option<Levels> {
        if self.numbers.scales[self.place] != Scale::Ordinal {
            return None;
        }
        let levels = Levels::of_numbers(self.numbers, self.place);
        (levels.labels.len() <= MAX_CATEGORIES).then_some(levels)
    }

    pub fn value(&self, side: Side, record: usize) -> Option<f64> {
        match side {
            Side::Original => self.numbers.original.value(record, self.place),
            Side::Masked => self.numbers.masked.value(record, self.place),
        }
    }
}

impl Levels {
    fn new(categories: &PairedCategories) -> Self {
        let mut order: Vec<u32> = (0..).take(categories.labels.len()).collect();
        order.sort_by_key(|&code| &categories.labels[code as usize]);
        let mut rank = vec![0; order.len()];
        for (place, &code) in (0..).zip(&order) {
            rank[code as usize] = place;
        }
        let ranks = |codes: &[Option<u32>]| {
            let of = |code: &Option<u32>| code.map(|code| rank[code as usize]);
            codes.iter().map(of).collect()
        };
        let label = |&code: &u32| categories.labels[code as usize].clone();
        Self {
            name: categories.name.clone(),
            labels: order.iter().map(label).collect(),
            original: ranks(&categories.original),
            masked: ranks(&categories.masked),
        }
    }

    /// Codes that are numbers, but of which only equality says something.
    fn of_numbers(numbers: &PairedNumbers, place: usize) -> Self {
        let all = numbers.original.cells(place);
        let mut values: Vec<f64> = all.chain(numbers.masked.cells(place)).flatten().collect();
        values.sort_by(f64::total_cmp);
        // Minus zero is zero.
        values.dedup_by(|a, b| a.partial_cmp(&b) == Some(Ordering::Equal));
        let codes = |side: &Columns| {
            let code = |value: f64| {
                u32::try_from(values.partition_point(|&other| other < value)).unwrap_or(u32::MAX)
            };
            side.cells(place).map(|value| value.map(code)).collect()
        };
        Self {
            name: numbers.names[place].clone(),
            labels: values.iter().map(f64::to_string).collect(),
            original: codes(&numbers.original),
            masked: codes(&numbers.masked),
        }
    }

    pub fn code(&self, side: Side, record: usize) -> Option<u32> {
        match side {
            Side::Original => self.original[record],
            Side::Masked => self.masked[record],
        }
    }

    /// Whether both files have a category in common: if not, one of them was recoded, and nothing can be compared.
    fn is_comparable(&self) -> bool {
        let mut seen = vec![false; self.labels.len()];
        for &code in self.original.iter().flatten() {
            seen[code as usize] = true;
        }
        self.masked
            .iter()
            .flatten()
            .any(|&code| seen[code as usize])
    }

    /// Whether these records are all of one category, in both files.
    fn is_of_one_category(&self, records: &[usize]) -> bool {
        let codes = |side| records.iter().filter_map(move |&r| self.code(side, r));
        let mut all = SIDES.into_iter().flat_map(codes);
        let first = all.next();
        all.all(|code| Some(code) == first)
    }

    /// Why this is no predictor, in words that follow its name.
    fn objection(&self) -> Option<Error> {
        if self.labels.len() > MAX_CATEGORIES {
            let many = [self.labels.len() as u128, MAX_CATEGORIES as u128];
            return Some(Error::too_many(
                ErrorKind::Usage,
                Counted::Categories,
                many,
                |many, limit| format!("has {many} different names, more than {limit}"),
            ));
        }
        (!self.is_comparable()).then(|| {
            Error::usage("has no category in common with the masked file").because(
                Reason::FilesDiffer {
                    by: Difference::Values,
                },
            )
        })
    }
}

impl<'a> Variable<'a> {
    /// The attributes of a pair of files: numbers, then names.
    pub fn all(pair: &'a Pair) -> Vec<Self> {
        let numbers = &pair.numbers;
        let number = |place: usize| match numbers.scales[place] {
            Scale::Nominal => Self::Levels(Levels::of_numbers(numbers, place)),
            Scale::Continuous | Scale::Ordinal => Self::Number(Number { numbers, place }),
        };
        let names = pair.categories.iter().map(Levels::new).map(Self::Levels);
        (0..numbers.names.len()).map(number).chain(names).collect()
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Number(number) => &number.numbers.names[number.place],
            Self::Levels(levels) => &levels.name,
        }
    }

    fn is_present(&self, record: usize) -> bool {
        SIDES.into_iter().all(|side| match self {
            Self::Number(number) => number.value(side, record).is_some(),
            Self::Levels(levels) => levels.code(side, record).is_some(),
        })
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        SIDES
            .into_iter()
            .map(|side| match self {
                Self::Number(number) => {
                    let value = |record| number.value(side, record).unwrap_or(0.0);
                    value(a).total_cmp(&value(b))
                }
                Self::Levels(levels) => levels.code(side, a).cmp(&levels.code(side, b)),
            })
            .fold(Ordering::Equal, Ordering::then)
    }
}

/// The records that miss none of some attributes in either file, in an order of their values: equal records aside, which are
/// interchangeable, the order of the files does not matter.
pub(super) fn complete_records(n_records: usize, variables: &[&Variable<'_>]) -> Vec<usize> {
    let is_complete = |&record: &usize| variables.iter().all(|v| v.is_present(record));
    let mut records: Vec<usize> = (0..n_records).filter(is_complete).collect();
    records.sort_by(|&a, &b| {
        variables
            .iter()
            .map(|variable| variable.compare(a, b))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    records
}

/// So many records, in words.
pub(super) fn counted(records: usize) -> String {
    match records {
        1 => "1 record".into(),
        _ => format!("{records} records"),
    }
}

/// In words how many records an analysis leaves out, if any.
pub(super) fn left_out(analysis: &str, used: usize, all: usize) -> Option<String> {
    (used < all).then(|| {
        format!(
            "{analysis}: {} of {all} records miss something that it needs, and are left out",
            all - used
        )
    })
}

/// A target and its predictors, by the names of attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// What is explained.
    pub target: String,
    /// By what; `None`: by all other attributes that are compared.
    pub predictors: Option<Vec<String>>,
}

/// The target, the predictors, and the records that have them all in both files.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    pub target: Variable<'a>,
    pub predictors: Vec<Variable<'a>>,
    pub records: Vec<usize>,
    pub notes: Vec<String>,
}

impl<'a> Sample<'a> {
    /// # Errors
    /// Usage: an attribute is not compared, named twice, or a named predictor cannot be one. Input: nothing is left to predict
    /// from, or no record has everything.
    pub fn new(pair: &'a Pair, formula: &Formula, analysis: &str) -> Result<Self> {
        let mut variables = Variable::all(pair);
        let target = take(&mut variables, &formula.target)?;
        let mut notes = Vec::new();
        let mut predictors = match &formula.predictors {
            Some(names) => {
                let mut predictors = Vec::new();
                for name in names {
                    if *name == formula.target {
                        return Err(Error::usage("is target and predictor at once")
                            .named_twice(name)
                            .remedy("A target is trivially predicted by itself: leave it out of the predictors"));
                    }
                    let predictor = take(&mut variables, name)?;
                    if let Some(why) = objection(&predictor) {
                        return Err(Error::usage(format!(
                            "{}, and cannot be a predictor",
                            why.what()
                        ))
                        .for_the_reason_of(&why)
                        .on_attribute(name)
                        .remedy("Leave it out of the predictors"));
                    }
                    predictors.push(predictor);
                }
                predictors
            }
            None => {
                variables.retain(|variable| match objection(variable) {
                    None => true,
                    Some(why) => {
                        notes.push(format!(
                            "{analysis}: {} is no predictor: it {}",
                            variable.name(),
                            why.what()
                        ));
                        false
                    }
                });
                variables
            }
        };
        let nothing_left = |predictors: &[Variable<'_>]| {
            if predictors.is_empty() {
                Err(
                    Error::input("there is no attribute from which it could be predicted")
                        .because(Reason::NothingToCompare)
                        .on_attribute(&formula.target)
                        .remedy("Compare more attributes with --attributes"),
                )
            } else {
                Ok(())
            }
        };
        nothing_left(&predictors)?;
        let mut all = vec![&target];
        all.extend(&predictors);
        let records = complete_records(pair.n_records, &all);
        if records.is_empty() {
            return Err(Error::too_few_records(0, 1, |_, _| {
                "no record has it and all predictors in both files".into()
            })
            .on_attribute(&formula.target)
            .remedy("Name fewer predictors: target~a,b"));
        }
        let alike = |variable: &Variable<'_>| match variable {
            Variable::Number(_) => false,
            Variable::Levels(levels) => levels.is_of_one_category(&records),
        };
        if formula.predictors.is_some() {
            if let Some(predictor) = predictors.iter().find(|&predictor| alike(predictor)) {
                return Err(
                    Error::usage(format!("{ONE_CATEGORY}, and cannot be a predictor"))
                        .constant(predictor.name())
                        .remedy("Leave it out of the predictors"),
                );
            }
        } else {
            predictors.retain(|predictor| {
                let is_alike = alike(predictor);
                if is_alike {
                    let name = predictor.name();
                    notes.push(format!(
                        "{analysis}: {name} is no predictor: it {ONE_CATEGORY}"
                    ));
                }
                !is_alike
            });
            nothing_left(&predictors)?;
        }
        let names: Vec<&str> = predictors.iter().map(Variable::name).collect();
        let summary = format!(
            "{analysis}: {} by {}, over {}",
            formula.target,
            names.join(", "),
            counted(records.len())
        );
        notes.insert(0, summary);
        notes.extend(left_out(analysis, records.len(), pair.n_records));
        Ok(Self {
            target,
            predictors,
            records,
            notes,
        })
    }

    /// The predictors as columns of numbers over the records: a number is a column; names are an indicator for each category
    /// but the one that most original records have (of several, the first).
    pub fn columns(&self) -> Vec<Column> {
        self.predictors
            .iter()
            .flat_map(|predictor| match predictor {
                Variable::Number(number) => vec![Column::of_number(number, &self.records)],
                Variable::Levels(levels) => Column::indicators(levels, &self.records),
            })
            .collect()
    }
}

fn objection(variable: &Variable<'_>) -> Option<Error> {
    match variable {
        Variable::Number(_) => None,
        Variable::Levels(levels) => levels.objection(),
    }
}

fn take<'a>(variables: &mut Vec<Variable<'a>>, name: &str) -> Result<Variable<'a>> {
    match variables.iter().position(|variable| variable.name() == name) {
        Some(place) => Ok(variables.remove(place)),
        None => Err(Error::usage("is not among the attributes that are compared, or is named twice")
            .because(Reason::UnknownAttribute { name: name.to_owned(), file: None })
            .on_attribute(name)
            .remedy("Name attributes that both files have, each once, and give all of them to --attributes if you use it")),
    }
}

/// A predictor in numbers, in both files, over the records of a sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub name: String,
    pub original: Vec<f64>,
    pub masked: Vec<f64>,
}

impl Column {
    pub fn of_number(number: &Number<'_>, records: &[usize]) -> Self {
        let values = |side| {
            let value = |&record: &usize| number.value(side, record).unwrap_or(0.0);
            records.iter().map(value).collect()
        };
        Self {
            name: number.numbers.names[number.place].clone(),
            original: values(Side::Original),
            masked: values(Side::Masked),
        }
    }

    fn indicators(levels: &Levels, records: &[usize]) -> Vec<Self> {
        let mut counts = vec![[0_usize; 2]; levels.labels.len()];
        for &record in records {
            for (place, side) in SIDES.into_iter().enumerate() {
                if let Some(code) = levels.code(side, record) {
                    counts[code as usize][place] += 1;
                }
            }
        }
        let most = counts.iter().map(|count| count[0]).max();
        let base = counts.iter().position(|count| Some(count[0]) == most);
        (0..)
            .zip(&counts)
            .filter(|&(code, count)| Some(code as usize) != base && *count != [0, 0])
            .map(|(code, _)| {
                let values = |side| {
                    let is = |&record: &usize| levels.code(side, record) == Some(code);
                    records.iter().map(|r| f64::from(u8::from(is(r)))).collect()
                };
                Self {
                    name: format!("{}={}", levels.name, levels.labels[code as usize]),
                    original: values(Side::Original),
                    masked: values(Side::Masked),
                }
            })
            .collect()
    }

    pub fn of(&self, side: Side) -> &[f64] {
        match side {
            Side::Original => &self.original,
            Side::Masked => &self.masked,
        }
    }
}

/// How a column is brought to mean 0 and standard deviation 1 (n − 1). One without spread, or beyond the range of numbers,
/// becomes 0 throughout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standard(Moments);

impl Standard {
    /// By the moments of these values.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        Self(moments(values))
    }

    pub fn mean(self) -> f64 {
        self.0.mean
    }

    pub fn sd(self) -> f64 {
        self.0.sd
    }

    /// Whether it can bring anything to a standard deviation of 1.
    pub fn is_defined(self) -> bool {
        self.0.sd > 0.0 && self.0.sd.is_finite()
    }

    pub fn apply(self, value: f64) -> f64 {
        let score = (value - self.0.mean) / self.0.sd;
        if score.is_finite() { score } else { 0.0 }
    }
}
