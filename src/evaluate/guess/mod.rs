//! Which masking, with which parameter, an original file and a masked one betray to somebody without documentation.
//!
//! | what is seen | what it says |
//! |---|---|
//! | every value is still there, but no longer beside the others | values changed places: swapping by rank, or `copula` |
//! | the least and the greatest values became one average each | `copula` |
//! | rows that occur several times, in new values | microaggregation, or centres of clusters |
//! | values that follow from the original ones, each by itself | recoding |
//! | gaps that were not there | local suppression |
//! | covariances with unmoved attributes that agree to many digits | `ipso` |
//! | new numbers near the old ones | noise |
//! | fewer records | a sample |
//!
//! Only collections of values are compared, so the order of either file's records decides nothing, unless it is known who is who. How
//! far values moved is found out by drafts ([`fitted`]).
//!
//! # Missing
//! A gap is a value like others in combinations of values; in displacements it is as far from a value as the file is long.
//!
//! # Randomness
//! Of drafts alone, which have a fixed seed: the same files give the same answer.
//!
//! # Privacy
//! Findings hold names of attributes, counts and parameters, never a value of a record.

mod aggregated;
mod columns;
mod displaced;
pub mod fitted;
mod marginal;
mod moved;
mod places;
mod regressed;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use columns::{Column, MISSING, combinations};
use fitted::Drafts;
use marginal::{Marginal, Recoding};
use moved::Moved;

use super::truth::Truth;
use crate::{
    stats::keys::{self, Keys},
    table::{AttrId, Scale, Table},
};

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// No other method of this program leaves this behind.
    Certain,
    /// It fits best, but something else could have done it.
    Likely,
    /// It is not known.
    Open,
}

impl Certainty {
    /// The word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Open => "not known",
        }
    }
}

/// What was found out about some attributes, or about the records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The attributes; none where it is about the records themselves.
    pub attributes: Vec<String>,
    /// The masking, as `sdcrisk mask` calls it; `none` where nothing was masked, null where it is not known.
    pub method: Option<String>,
    /// Its parameters, as far as they are known.
    pub parameters: Map<String, Value>,
    /// How sure it is.
    pub certainty: Certainty,
    /// What says so, in words.
    pub evidence: Vec<String>,
    /// What else it could be.
    pub alternatives: Vec<String>,
    /// Options of `sdcrisk link` that somebody would use who believes it.
    pub options: Vec<String>,
}

impl Finding {
    fn new(attributes: Vec<String>, method: Option<&str>, certainty: Certainty) -> Self {
        Self {
            attributes,
            method: method.map(Into::into),
            parameters: Map::new(),
            certainty,
            evidence: Vec::new(),
            alternatives: Vec::new(),
            options: Vec::new(),
        }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    fn since(mut self, evidence: impl Into<String>) -> Self {
        self.evidence.push(evidence.into());
        self
    }

    fn or(mut self, alternative: impl Into<String>) -> Self {
        self.alternatives.push(alternative.into());
        self
    }

    fn attack(mut self, options: impl Into<String>) -> Self {
        self.options.push(options.into());
        self
    }
}

/// Both files, and what is known of who is who.
pub struct Files<'a> {
    /// The original and the masked file.
    pub tables: [&'a Table; 2],
    /// The attributes that are looked at, by their places in either.
    pub attributes: &'a [[AttrId; 2]],
    /// Who is who, if that may be used.
    pub truth: Option<&'a Truth>,
}

/// What both files betray: first what is about records, then attributes in the order of the original.
pub fn guess(files: &Files<'_>, drafts: &dyn Drafts) -> Vec<Finding> {
    let columns = files.attributes.iter();
    let columns: Vec<Column> = columns.map(|&ids| Column::new(files.tables, ids)).collect();
    let marginals: Vec<Marginal> = columns.iter().map(Marginal::of).collect();
    let own = files.truth.map(|truth| {
        let mut own = vec![MISSING; files.tables[1].n_records()];
        for [original, masked] in truth.records() {
            own[masked as usize] = original;
        }
        own
    });
    let mut search = Search {
        files,
        columns: &columns,
        marginals: &marginals,
        own: own.filter(|own| own.iter().all(|&record| record != MISSING)),
        drafts,
        moved: Moved::default(),
        findings: Vec::new(),
    };
    search.run();
    let mut findings = search.findings;
    let place = |finding: &(Option<usize>, Finding)| finding.0.map_or(0, |place| place + 1);
    findings.sort_by_key(place);
    findings.into_iter().map(|(_, finding)| finding).collect()
}

/// What is known on the way.
struct Search<'a> {
    files: &'a Files<'a>,
    columns: &'a [Column],
    marginals: &'a [Marginal],
    /// The original record of each masked one, if it is known of all.
    own: Option<Vec<u32>>,
    drafts: &'a dyn Drafts,
    moved: Moved,
    /// With the place of the first attribute.
    findings: Vec<(Option<usize>, Finding)>,
}

impl Search<'_> {
    fn run(&mut self) {
        let kept = self.places(|marginal| *marginal == Marginal::Kept);
        self.moved = match &self.own {
            Some(own) => self.moved_in_place(&kept, own),
            None => moved::moved(self.columns, &kept),
        };
        self.records(&kept);
        self.constants();
        self.recodings();
        self.suppressions();
        let mut rest = self.places(|marginal| {
            matches!(
                marginal,
                Marginal::Changed
                    | Marginal::Frequencies
                    | Marginal::Recoded(Recoding::Merged { .. })
            )
        });
        self.aggregations(&mut rest);
        let ends = self.places(|marginal| matches!(marginal, Marginal::Ends { .. }));
        self.places_changed(&ends);
        self.unmoved();
        self.regressions(&mut rest);
        self.merged(&mut rest);
        self.frequencies(&mut rest);
        self.noise(&rest);
    }

    fn places(&self, wanted: impl Fn(&Marginal) -> bool) -> Vec<usize> {
        let marginals = self.marginals.iter().enumerate();
        marginals
            .filter(|(_, marginal)| wanted(marginal))
            .map(|(place, _)| place)
            .collect()
    }

    fn names(&self, places: &[usize]) -> Vec<String> {
        let name = |&place: &usize| self.columns[place].name.clone();
        places.iter().map(name).collect()
    }

    fn records_of(&self, side: usize) -> usize {
        self.files.tables[side].n_records()
    }

    fn is_whole(&self) -> bool {
        self.records_of(0) == self.records_of(1)
    }

    fn found(&mut self, places: &[usize], finding: Finding) {
        self.findings.push((places.first().copied(), finding));
    }

    /// Where it is known who is who: what is equal record by record.
    fn moved_in_place(&self, kept: &[usize], own: &[u32]) -> Moved {
        let is_in_place = |&&place: &&usize| {
            let [before, after] = &self.columns[place].codes;
            let mut pairs = own.iter().zip(after);
            pairs.all(|(&original, &code)| before[original as usize] == code)
        };
        let (together, alone): (Vec<usize>, Vec<usize>) =
            kept.iter().partition(|place| is_in_place(place));
        Moved {
            together,
            alone,
            blocks: Vec::new(),
        }
    }

    /// Whether there are fewer records.
    fn records(&mut self, kept: &[usize]) {
        let [before, after] = [0, 1].map(|side| self.records_of(side));
        if before == after {
            return;
        }
        if after > before {
            let finding = Finding::new(Vec::new(), None, Certainty::Open).since(format!(
                "the masked file has {after} records and the original {before}: it is not of these people alone"
            ));
            return self.found(&[], finding);
        }
        let all = kept.len() == self.columns.len() && self.moved.together.len() == kept.len();
        let share = after as f64 / before as f64;
        let certainty = if all {
            Certainty::Certain
        } else {
            Certainty::Likely
        };
        let mut finding = Finding::new(Vec::new(), Some("sample"), certainty)
            .with("fraction", places::digits(share, 3))
            .with("n", after)
            .since(format!(
                "{after} of {before} records are in the masked file"
            ))
            .attack(format!("--known-records {after}"));
        if all {
            finding = finding.since("each of them is in the original as it is");
        } else {
            finding = finding.or("a selection of records that is not at random");
        }
        self.found(&[], finding);
    }

    fn constants(&mut self) {
        let places = self.places(|marginal| *marginal == Marginal::Constant);
        if !places.is_empty() {
            let finding = Finding::new(self.names(&places), None, Certainty::Open)
                .since("one value in both files: whatever was done to it cannot be seen");
            self.found(&places, finding);
        }
    }

    fn recodings(&mut self) {
        for place in 0..self.columns.len() {
            let Marginal::Recoded(recoding) = &self.marginals[place] else {
                continue;
            };
            let names = self.names(&[place]);
            let certain = Finding::new(names.clone(), Some("recode"), Certainty::Certain);
            let finding = match recoding {
                Recoding::Merged { .. } => continue,
                Recoding::Coded(ends) => Self::coded(certain, *ends),
                Recoding::Rounded { step, coded } => Self::coded(
                    certain.with("round", places::digits(*step, 9)).since(
                        "every masked value is a multiple of one step, and rounding the original gives them all",
                    ),
                    *coded,
                ),
                Recoding::Classes(classes) => certain
                    .with("classes", *classes)
                    .since("numbers became classes"),
            };
            self.found(&[place], finding);
        }
    }

    fn coded(mut finding: Finding, ends: [usize; 2]) -> Finding {
        for (count, name, word) in [(ends[0], "bottom", "below"), (ends[1], "top", "above")] {
            if count > 0 {
                finding = finding
                    .with(&format!("{name}_coded"), count)
                    .since(format!("{count} values {word} a bound became the bound"));
            }
        }
        finding
    }

    /// Names, or codes, that were merged.
    fn merged(&mut self, rest: &mut Vec<usize>) {
        let is_merged = |place: &usize| {
            matches!(
                self.marginals[*place],
                Marginal::Recoded(Recoding::Merged { .. })
            )
        };
        let merged: Vec<usize> = rest.iter().copied().filter(is_merged).collect();
        rest.retain(|place| !merged.contains(place));
        for place in merged {
            let Marginal::Recoded(Recoding::Merged { gone, into }) = self.marginals[place] else {
                continue;
            };
            let finding = Finding::new(self.names(&[place]), Some("recode"), Certainty::Likely)
                .with("classes", self.columns[place].different(1))
                .since(format!(
                    "{gone} categories are gone, and the records of {into} others are as many more"
                ))
                .or("a category that was made anew for each record, as pram does");
            self.found(&[place], finding);
        }
    }

    fn suppressions(&mut self) {
        let places = self.places(|marginal| matches!(marginal, Marginal::Gaps { .. }));
        if places.is_empty() {
            return;
        }
        let count = |place: usize| match self.marginals[place] {
            Marginal::Gaps { new } => new,
            _ => 0,
        };
        let cells: usize = places.iter().map(|&place| count(place)).sum();
        let mut finding = Finding::new(self.names(&places), Some("suppress"), Certainty::Certain)
            .with("cells", cells);
        for &place in &places {
            finding = finding.since(format!(
                "{}: {} values became missing, all others are still there",
                self.columns[place].name,
                count(place)
            ));
        }
        if let Some((key, k)) = self.key_of_suppression(&places) {
            finding = finding.with("k", k).with("key", key.clone()).since(format!(
                "of {} each combination of values that is left matches {k} records at least, gaps match everything",
                key.join(", ")
            ));
        }
        self.found(&places, finding);
    }

    /// The key by which cells may have been suppressed, and the records that agree on it at least: the most categories, those with new gaps
    /// among them, of which no combination of values is alone.
    fn key_of_suppression(&self, places: &[usize]) -> Option<(Vec<String>, u32)> {
        /// Attributes beside those with gaps, of which all sets are tried.
        const MAX_OTHERS: usize = 7;
        /// Records of all sets together, at most.
        const MAX_RECORDS: usize = 20_000_000;
        let masked = self.files.tables[1];
        let is_category = |&place: &usize| {
            let column = &self.columns[place];
            self.marginals[place] == Marginal::Kept && column.scale != Scale::Continuous
        };
        let others = (0..self.columns.len()).filter(is_category);
        let mut others: Vec<usize> = others.take(MAX_OTHERS).collect();
        while masked.n_records() << others.len() > MAX_RECORDS && others.pop().is_some() {}
        let mut sets: Vec<u32> = (0..1 << others.len()).collect();
        sets.sort_by_key(|set: &u32| std::cmp::Reverse(set.count_ones()));
        let of_set = |set: u32| {
            let mut key: Vec<usize> = places.to_vec();
            let chosen = (0..others.len()).filter(|other| set >> other & 1 == 1);
            key.extend(chosen.map(|other| others[other]));
            key.sort_unstable();
            if key.len() > keys::MAX_ATTRIBUTES {
                return None;
            }
            let ids: Vec<AttrId> = key
                .iter()
                .map(|&place| self.columns[place].ids[1])
                .collect();
            let keys = Keys::of_table(masked, &ids);
            let matching = keys.matching();
            let something = (0..keys.n_records()).filter(|&record| keys.present(record) != 0);
            let least = something.map(|record| matching[record]).min()?;
            (least > 1).then(|| (set.count_ones(), least, self.names(&key)))
        };
        let mut found: Option<(u32, u32, Vec<String>)> = None;
        for set in sets {
            // Of as many attributes those on which most agree.
            if found
                .as_ref()
                .is_some_and(|(size, ..)| set.count_ones() < *size)
            {
                break;
            }
            if let Some(one) = of_set(set)
                && found.as_ref().is_none_or(|(_, least, _)| one.1 > *least)
            {
                found = Some(one);
            }
        }
        found.map(|(_, least, names)| (names, least))
    }

    fn aggregations(&mut self, rest: &mut Vec<usize>) {
        let mut by_k: Vec<(usize, Vec<usize>)> = Vec::new();
        let alone: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|&place| self.marginals[place] == Marginal::Changed)
            .collect();
        for place in alone {
            if let Some(k) = aggregated::by_rank(&self.columns[place]) {
                rest.retain(|&other| other != place);
                match by_k.iter_mut().find(|(other, _)| *other == k) {
                    Some((_, places)) => places.push(place),
                    None => by_k.push((k, vec![place])),
                }
            }
        }
        for (k, places) in by_k {
            let finding = Finding::new(self.names(&places), Some("microagg"), Certainty::Certain)
                .with("algorithm", "individual-ranking")
                .with("k", k)
                .since(format!(
                    "in ascending order the masked values are the averages of {k} or more neighbours, for each attribute by itself"
                ))
                .or("univariate microaggregation of each attribute")
                .attack(format!("--method microagg --k {k}"));
            self.found(&places, finding);
        }
        for block in aggregated::blocks(self.columns, rest) {
            rest.retain(|place| !block.columns.contains(place));
            let names = self.names(&block.columns);
            let shared = format!(
                "{} different rows, of which each occurs {} times at least",
                block.groups, block.least
            );
            let regular = block.regular >= 0.9 && block.least > 1;
            let finding = match block.means {
                Some(false) if !regular => self.fuzzy(names, &block).since(shared),
                Some(true) if regular => {
                    Self::aggregation(names, &block, Certainty::Certain).since(shared).since(
                        "means are those of the original, and hardly a row occurs more than twice as often as the rarest",
                    )
                }
                _ if regular => Self::aggregation(names, &block, Certainty::Likely)
                    .since(shared)
                    .or("centres of clusters (fuzzy)"),
                _ => {
                    let mut finding = self.fuzzy(names, &block).since(shared);
                    finding.certainty = Certainty::Likely;
                    finding.or("microaggregation, after which records were left out")
                }
            };
            self.found(&block.columns, finding);
        }
    }

    fn aggregation(names: Vec<String>, block: &aggregated::Block, certainty: Certainty) -> Finding {
        let k = block.least;
        let group = format!("{}:{k}", names.join(","));
        Finding::new(names, Some("microagg"), certainty)
            .with("k", k)
            .with("groups", block.groups)
            .attack(format!("--method microagg --group '{group}'"))
    }

    /// Centres of clusters.
    fn fuzzy(&self, names: Vec<String>, block: &aggregated::Block) -> Finding {
        // As `mask fuzzy --k` counts them: 1.5 k records a centre.
        let k = self.records_of(1) as f64 / (1.5 * block.groups as f64);
        Finding::new(names, Some("fuzzy"), Certainty::Certain)
            .with("clusters", block.groups)
            .with("k", places::digits(k, 2))
            .since("rows that occur several times, some much more often than others, and means that are not kept: centres to which records were drawn")
    }

    /// Attributes whose values changed places.
    fn places_changed(&mut self, ends: &[usize]) {
        let numbers = |place: &usize| self.columns[*place].values.is_some();
        let mut moving: Vec<usize> = (self.moved.alone.iter().copied())
            .filter(numbers)
            .chain(ends.iter().copied())
            .collect();
        moving.sort_unstable();
        let is_seen = moving.len() > 1 || !self.moved.together.is_empty() || self.own.is_some();
        if moving.is_empty() || !is_seen && ends.is_empty() {
            return;
        }
        self.moved.alone.retain(|place| !moving.contains(place));
        for (places, finding) in places::changed(self, &moving, !ends.is_empty()) {
            self.found(&places, finding);
        }
    }

    fn unmoved(&mut self) {
        let together = self.moved.together.clone();
        if !together.is_empty() {
            let evidence = match (&self.own, self.is_whole()) {
                (Some(_), _) => "every record has the values that it had",
                (None, true) => {
                    "each combination of their values is there as often as in the original"
                }
                (None, false) => "each combination of their values is in the original",
            };
            let finding = Finding::new(self.names(&together), Some("none"), Certainty::Certain)
                .since(evidence);
            self.found(&together, finding);
        }
        for block in self.moved.blocks.clone() {
            let finding = Finding::new(self.names(&block), None, Certainty::Open).since(
                "their values are all there, and stand beside each other as in the original, but not beside the others",
            );
            let finding = finding
                .or("none of them was masked")
                .or("they were moved together");
            self.found(&block, finding);
        }
        for place in self.moved.alone.clone() {
            let finding = Finding::new(self.names(&[place]), None, Certainty::Open)
                .since("its values are all there; whether they still belong to the same records cannot be seen")
                .or("not masked")
                .or("values changed places");
            self.found(&[place], finding);
        }
    }

    fn regressions(&mut self, rest: &mut Vec<usize>) {
        let is_new = |place: &usize| self.marginals[*place] == Marginal::Changed;
        let made: Vec<usize> = rest.iter().copied().filter(is_new).collect();
        let kept = self.places(|marginal| *marginal == Marginal::Kept);
        let kept: Vec<usize> = if self.moved.together.is_empty() {
            kept
        } else {
            self.moved.together.clone()
        };
        let Some(fit) = regressed::regressed(self.columns, &made, &kept) else {
            return;
        };
        rest.retain(|place| !made.contains(place));
        let variant = match (fit.is_fit, fit.covariances) {
            (true, _) => "a",
            (false, false) => "b",
            (false, true) => "c",
        };
        let on = self.names(&fit.on);
        let said = match variant {
            "a" => "the new values are what a regression on these predicts, and nothing else",
            "b" => "the regression was repeated, its residuals were drawn anew",
            _ => "the covariances of the new values are those of the original, too",
        };
        let finding = Finding::new(self.names(&made), Some("ipso"), Certainty::Certain)
            .with("variant", variant)
            .with("confidential", on.clone())
            .since(format!(
                "means, and covariances with {}, agree with the original's to all digits that rounding leaves",
                on.join(", ")
            ))
            .since(said);
        self.found(&made, finding);
    }

    fn frequencies(&mut self, rest: &mut Vec<usize>) {
        let is_of_codes = |place: &usize| self.marginals[*place] == Marginal::Frequencies;
        let places: Vec<usize> = rest.iter().copied().filter(is_of_codes).collect();
        rest.retain(|place| !places.contains(place));
        for place in places {
            let mut finding = Finding::new(self.names(&[place]), Some("pram"), Certainty::Likely)
                .since("the same categories, in other numbers");
            if let Some((share, of)) = self.share_kept(place) {
                finding = finding.with("keep", places::digits(share, 2)).since(format!(
                    "of {of} records that the unmasked attributes identify, this share kept its category"
                ));
            }
            self.found(
                &[place],
                finding.or("codes that were averaged, or got noise"),
            );
        }
    }

    /// The share of records that have the category that they had, and of how many it is known.
    fn share_kept(&self, place: usize) -> Option<(f64, usize)> {
        /// Fewer say too little.
        const MIN: usize = 30;
        let [before, after] = &self.columns[place].codes;
        let pairs: Vec<(u32, u32)> = match &self.own {
            Some(own) => (own.iter().zip(after))
                .map(|(&original, &code)| (before[original as usize], code))
                .collect(),
            None => {
                let of: Vec<&Column> = (self.moved.together.iter())
                    .map(|&place| &self.columns[place])
                    .collect();
                let keys = combinations(&of);
                let alone = |keys: &[u32], codes: &[u32]| {
                    let mut by_key: std::collections::BTreeMap<u32, Option<u32>> =
                        std::collections::BTreeMap::new();
                    for (&key, &code) in keys.iter().zip(codes) {
                        by_key
                            .entry(key)
                            .and_modify(|c| *c = None)
                            .or_insert(Some(code));
                    }
                    by_key
                };
                let [before, after] = [alone(&keys[0], before), alone(&keys[1], after)];
                let pair = |(key, code): (&u32, &Option<u32>)| {
                    Some((before.get(key).copied().flatten()?, (*code)?))
                };
                after.iter().filter_map(pair).collect()
            }
        };
        let same = pairs
            .iter()
            .filter(|(before, after)| before == after)
            .count();
        (pairs.len() >= MIN).then(|| (same as f64 / pairs.len() as f64, pairs.len()))
    }

    fn noise(&mut self, rest: &[usize]) {
        if rest.is_empty() {
            return;
        }
        let (amounts, others): (Vec<usize>, Vec<usize>) = rest.iter().partition(|&&place| {
            self.columns[place].values.is_some() && self.columns[place].scale == Scale::Continuous
        });
        if !others.is_empty() {
            let finding = Finding::new(self.names(&others), None, Certainty::Open)
                .since("codes or classes that the original does not have");
            self.found(&others, finding);
        }
        if !amounts.is_empty() {
            for (places, finding) in places::noise(self, &amounts) {
                self.found(&places, finding);
            }
        }
    }
}
