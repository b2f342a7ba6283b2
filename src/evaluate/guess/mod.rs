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
mod finding;
pub mod fitted;
mod frequencies;
mod marginal;
mod moved;
mod places;
mod recoded;
mod regressed;
mod suppressed;

use columns::{Column, MISSING};
pub use finding::{Certainty, Finding};
use fitted::Drafts;
use marginal::{Marginal, Recoding};
use moved::Moved;

use super::truth::Truth;
use crate::table::{AttrId, Scale, Table};

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
