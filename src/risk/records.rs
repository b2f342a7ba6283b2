//! The risks of single records, and those most at risk.

use std::cmp::Ordering;

use super::{classes::KeyClasses, individual::IndividualRisks, suda::Suda};

/// What is measured of one record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordRisk {
    /// Its place in the file, from 0.
    pub record: usize,
    /// How many records match it on the key; 0 if it has nothing of the key.
    pub matching: u32,
    /// How many people of the population they stand for, if there are weights.
    pub population: Option<f64>,
    /// Its individual risk.
    pub individual: f64,
    /// How it stands out, if that was searched.
    pub special: Option<Special>,
}

/// How a record stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Special {
    /// The number of its minimal sample uniques.
    pub sets: u32,
    /// The size of the smallest; 0 if there is none.
    pub smallest: u32,
    /// Its SUDA score: the higher, the more it stands out.
    pub score: f64,
    /// DIS-SUDA, where it is defined.
    pub dis: Option<f64>,
}

/// The measures of each record of a file.
#[derive(Debug, Clone, Copy)]
pub struct RecordRisks<'a> {
    /// The classes of the key.
    pub classes: &'a KeyClasses,
    /// The individual risks.
    pub individual: &'a IndividualRisks,
    /// Special uniques, if they were searched.
    pub suda: Option<&'a Suda>,
}

impl RecordRisks<'_> {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.classes.sizes().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The measures of one record.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn of(&self, record: usize) -> RecordRisk {
        let population = self.individual.population.as_ref();
        RecordRisk {
            record,
            matching: self.classes.sizes()[record],
            population: population.map(|population| population[record]),
            individual: self.individual.of_record[record],
            special: self.suda.map(|suda| Special {
                sets: suda.sets[record],
                smallest: suda.smallest[record],
                score: suda.scores[record],
                dis: suda.dis.as_ref().map(|dis| dis[record]),
            }),
        }
    }

    /// The records most at risk, the first `most` of them: by individual risk, then by score, then by place. Records with
    /// nothing of the key are never among them.
    pub fn most_at_risk(&self, most: usize) -> Vec<RecordRisk> {
        let mut order: Vec<usize> = (0..self.len())
            .filter(|&record| self.classes.sizes()[record] > 0)
            .collect();
        if most < order.len() {
            order.select_nth_unstable_by(most, |&a, &b| self.compare(a, b));
            order.truncate(most);
        }
        order.sort_unstable_by(|&a, &b| self.compare(a, b));
        order.into_iter().map(|record| self.of(record)).collect()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let risk = |record: usize| self.individual.of_record[record];
        let score = |record: usize| self.suda.map_or(0.0, |suda| suda.scores[record]);
        let by_risk = risk(b).total_cmp(&risk(a));
        let by_score = score(b).total_cmp(&score(a));
        by_risk.then(by_score).then(a.cmp(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        risk::suda::{Scoring, Wanted},
        statement::MissingMatches,
        stats::keys::Keys,
    };

    /// Keys (1,1), (1,1), (1,2), (3,3), (-,-): records 2 and 3 are unique; 3 by either attribute (score 1! + 1! = 2), 2 by the second
    /// alone (1). Record 4 has nothing.
    #[test]
    fn by_risk_then_score_then_place() {
        let keys = Keys::of_codes(5, &[vec![1, 1, 1, 3, 0], vec![1, 1, 2, 3, 0]]);
        let classes = KeyClasses::of_keys(keys, MissingMatches::Any);
        let individual = IndividualRisks::new(&classes, None);
        let wanted = Wanted {
            most: 2,
            scoring: Scoring::Elliot,
            fraction: 0.01,
        };
        let suda = Suda::new(&classes, wanted);
        let risks = RecordRisks {
            classes: &classes,
            individual: &individual,
            suda: Some(&suda),
        };
        let order = |most| -> Vec<usize> {
            let found = risks.most_at_risk(most);
            found.iter().map(|risk| risk.record).collect()
        };
        assert_eq!(order(9), [3, 2, 0, 1]);
        assert_eq!(order(3), [3, 2, 0]);
        assert_eq!(order(0), [0; 0]);
    }
}
