//! The report of `sdcrisk match-attributes`.

use serde::{Deserialize, Serialize};

use super::{spreadsheet, text};
use crate::schema::{ComparedBy, Distance, Family, Matching, Pair, Relation, ScaleBy, Situation};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.match-attributes/1";

/// What `sdcrisk match-attributes` found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Name of the first file.
    pub a: String,
    /// Name of the second file.
    pub b: String,
    /// Records of the first file.
    pub a_records: usize,
    /// Records of the second file.
    pub b_records: usize,
    /// How numbers were brought to one scale.
    pub scale: ScaleBy,
    /// How distributions were compared.
    pub distance: Distance,
    /// The distance of distributions without anything in common.
    pub greatest_distance: f64,
    /// Which relations were allowed.
    pub relation: Relation,
    /// Bandwidth of the densities in standardised units; null without attributes of numbers.
    pub bandwidth: Option<f64>,
    /// Which of the four situations of linkage the files are in.
    pub situation: SituationSummary,
    /// One entry an attribute of the first file that has a partner.
    pub pairs: Vec<MatchedPair>,
    /// Attributes of the first file without a partner.
    pub a_unmatched: Vec<String>,
    /// Attributes of the second file without a partner.
    pub b_unmatched: Vec<String>,
    /// Attributes that were not compared.
    pub left_out: Vec<LeftOutAttribute>,
}

/// One of the four situations, and what it was counted from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SituationSummary {
    /// Which of the four.
    pub family: Family,
    /// What the word means.
    pub meaning: String,
    /// Matched pairs.
    pub pairs: usize,
    /// Those that are recognised as one variable.
    pub same_variable: usize,
    /// Those recorded in the same terms.
    pub same_terms: usize,
}

/// A pair of attributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchedPair {
    /// Name in the first file.
    pub a: String,
    /// Name in the second file.
    pub b: String,
    /// By what they were compared.
    pub compared_by: ComparedBy,
    /// Their distance.
    pub distance: f64,
    /// The distance that chance would make of two samples of one distribution.
    pub chance: f64,
    /// The nearest other attribute of the second file.
    pub second: Option<String>,
    /// How far the next best is.
    pub second_distance: Option<f64>,
    /// How much farther it is.
    pub margin: Option<f64>,
    /// Attributes of the second file that cannot be distinguished from the partner.
    pub rivals: Vec<String>,
    /// Whether the distributions are equal, but for rounding.
    pub equal: bool,
    /// Whether the distributions are near enough to be those of one variable.
    pub alike: bool,
    /// Whether they are recognised as one variable.
    pub same_variable: bool,
    /// Whether they are recorded in the same terms.
    pub same_terms: bool,
}

/// An attribute that was not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutAttribute {
    /// Whose: `a` or `b`.
    pub file: String,
    /// Its name.
    pub attribute: String,
    /// Why.
    pub why: String,
}

impl From<Situation> for SituationSummary {
    fn from(situation: Situation) -> Self {
        Self {
            family: situation.family,
            meaning: situation.family.meaning().into(),
            pairs: situation.pairs,
            same_variable: situation.same_variable,
            same_terms: situation.same_terms,
        }
    }
}

impl SituationSummary {
    /// A sentence that names the situation and says why.
    pub fn sentence(&self) -> String {
        format!(
            "Situation: {} – {}, for {} of {} pairs are recognised as one variable and {} of {} are recorded in the same terms.",
            self.family.word(),
            self.meaning,
            self.same_variable,
            self.pairs,
            self.same_terms,
            self.pairs
        )
    }
}

impl From<&Pair> for MatchedPair {
    fn from(pair: &Pair) -> Self {
        Self {
            a: pair.a_name.clone(),
            b: pair.b_name.clone(),
            compared_by: pair.by,
            distance: pair.distance,
            chance: pair.chance,
            second: pair.second.as_ref().map(|second| second.name.clone()),
            second_distance: pair.second.as_ref().map(|second| second.distance),
            margin: pair.margin(),
            rivals: pair.rivals.iter().map(|rival| rival.name.clone()).collect(),
            equal: pair.equal,
            alike: pair.alike,
            same_variable: pair.same_variable,
            same_terms: pair.same_terms,
        }
    }
}

impl MatchReport {
    /// Puts what was found behind the head of the report: `head` has everything but the findings.
    #[must_use]
    pub fn with(self, matching: &Matching) -> Self {
        let left_out = ["a", "b"]
            .into_iter()
            .zip(&matching.left_out)
            .flat_map(|(file, left_out)| left_out.iter().map(move |left| (file, left)));
        let [a_unmatched, b_unmatched] = matching.unmatched.clone();
        Self {
            bandwidth: matching.bandwidth,
            situation: matching.situation.into(),
            pairs: matching.pairs.iter().map(MatchedPair::from).collect(),
            a_unmatched,
            b_unmatched,
            left_out: left_out
                .map(|(file, left)| LeftOutAttribute {
                    file: file.into(),
                    attribute: left.attribute.clone(),
                    why: left.why.clone(),
                })
                .collect(),
            ..self
        }
    }

    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// One line a pair, then one for each attribute without a partner.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = spreadsheet::writer(Vec::new());
        writer.write_record([
            "a",
            "b",
            "compared_by",
            "distance",
            "chance",
            "second",
            "second_distance",
            "margin",
            "rivals",
            "same_variable",
            "same_terms",
        ])?;
        for pair in &self.pairs {
            writer.serialize((
                &pair.a,
                &pair.b,
                pair.compared_by,
                pair.distance,
                pair.chance,
                &pair.second,
                pair.second_distance,
                pair.margin,
                pair.rivals.join("+"),
                pair.same_variable,
                pair.same_terms,
            ))?;
        }
        let mut alone = |a: &str, b: &str| {
            let mut record = [""; 11];
            (record[0], record[1]) = (a, b);
            writer.write_record(record)
        };
        self.a_unmatched
            .iter()
            .try_for_each(|name| alone(name, ""))?;
        self.b_unmatched
            .iter()
            .try_for_each(|name| alone("", name))?;
        spreadsheet::text(writer)
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = format!(
            "Which attribute of {} ({} records) is which of {} ({} records)\n",
            self.a, self.a_records, self.b, self.b_records
        );
        out += &text::paragraph(&format!(
            "By how values are distributed, whoever they belong to (distance: {}, 0 the same to {:.0} nothing in common; scale: {}; {}).",
            self.distance.word(),
            self.greatest_distance,
            self.scale.word(),
            self.relation.word()
        ));
        out.push('\n');
        out += &self.table();
        out.push('\n');
        for line in self.reading() {
            out += &text::paragraph(&line);
        }
        out
    }

    fn table(&self) -> String {
        let number = |number: f64| format!("{number:.4}");
        let rows: Vec<Vec<String>> = self
            .pairs
            .iter()
            .map(|pair| {
                vec![
                    pair.a.clone(),
                    pair.b.clone(),
                    pair.compared_by.word().into(),
                    verdict(pair),
                    number(pair.distance),
                    number(pair.chance),
                    pair.margin.map_or_else(|| "–".into(), number),
                    pair.second.clone().unwrap_or_else(|| "–".into()),
                ]
            })
            .collect();
        let header = [
            "of A",
            "is of B",
            "compared by",
            "verdict",
            "distance",
            "by chance",
            "margin",
            "next best",
        ];
        text::columns(&header, &rows, 4)
    }

    fn reading(&self) -> Vec<String> {
        let mut lines = vec![
            "How to read this: the smaller the distance, the more similar; by chance is what two samples of one distribution would \
             show; the margin says how much farther the next best is. No record was linked."
                .to_string(),
        ];
        let open: Vec<&MatchedPair> = self
            .pairs
            .iter()
            .filter(|pair| !pair.rivals.is_empty())
            .collect();
        if !open.is_empty() {
            let named: Vec<String> = open
                .iter()
                .map(|pair| {
                    format!(
                        "{} ({} or {})",
                        pair.a,
                        pair.b,
                        text::names(&pair.rivals, 3)
                    )
                })
                .collect();
            lines.push(format!(
                "Cannot be told apart by their distributions: {}. Shifts and multiples of one distribution look the same.",
                text::names(&named, 6)
            ));
        }
        let far: Vec<&str> = self
            .pairs
            .iter()
            .filter(|pair| !pair.alike)
            .map(|pair| pair.a.as_str())
            .collect();
        if !far.is_empty() {
            lines.push(format!(
                "Not similar, only the nearest that was left: {}.",
                text::names(&far, 10)
            ));
        }
        for (names, file) in [(&self.a_unmatched, "A"), (&self.b_unmatched, "B")] {
            if !names.is_empty() {
                lines.push(format!(
                    "Of {file} without a partner: {}.",
                    text::names(names, 10)
                ));
            }
        }
        if !self.left_out.is_empty() {
            let reasons: Vec<String> = self
                .left_out
                .iter()
                .map(|left| {
                    let file = left.file.to_uppercase();
                    format!("{} of {file} {}", left.attribute, left.why)
                })
                .collect();
            lines.push(format!("Not compared: {}.", text::names(&reasons, 10)));
        }
        lines.push(self.situation.sentence());
        lines
    }
}

/// What to make of a pair, in a few words.
fn verdict(pair: &MatchedPair) -> String {
    match (pair.rivals.len(), pair.alike) {
        (0, _) if pair.equal => "equal".into(),
        (0, true) => "similar".into(),
        (0, false) => "nearest, not similar".into(),
        (1, _) => "open: 1 rival".into(),
        (rivals, _) => format!("open: {rivals} rivals"),
    }
}
