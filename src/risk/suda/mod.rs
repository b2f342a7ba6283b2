//! Special uniques (SUDA): who stands out by how few attributes.

mod search;
mod wildcards;

use serde::{Deserialize, Serialize};

use super::classes::KeyClasses;
use crate::{
    figure::{About, Definition, Figure, Group, Part, Unit},
    stats::keys::Set,
};
pub use search::minimal_uniques;

const SUDA: &str = "Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008";
const DIS: &str = "Skinner and Elliot 2002; Elliot 2005";

/// Records with a minimal sample unique.
pub static RECORDS: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "suda_records",
    "records that stand out",
    "records with a minimal sample unique: a set of attributes on which nobody else matches, while somebody does on each part of it; a missing value matches what it does in all measures of the key",
    SUDA,
);

/// All minimal sample uniques.
pub static SETS: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "suda_msu",
    "minimal sample uniques",
    "minimal sample uniques of all records; by attribute, its share of the scores: those of the sets that hold it, over all",
    SUDA,
)
.with_parts_in(Unit::Share)
.of_other_than_records();

/// DIS of the file.
pub static FILE: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "suda_dis",
    "DIS of the file",
    "probability that a unique match on the key is correct: U f / (U f + P (1 - f)), U the unique records, P those in pairs, f the sampling fraction: that of the option, else the records over the sum of the weights, else 1 %",
    DIS,
);

/// Mean DIS-SUDA.
pub static MEAN: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "suda_dis_mean",
    "DIS-SUDA, mean",
    "mean over all records of DIS-SUDA, the DIS of the file shared among the unique records by their scores",
    DIS,
);

/// Highest DIS-SUDA.
pub static HIGHEST: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "suda_dis_max",
    "DIS-SUDA, highest",
    "greatest DIS-SUDA of a record",
    DIS,
);

/// All figures of minimal sample uniques.
pub static DEFINITIONS: [&Definition; 5] = [&RECORDS, &SETS, &FILE, &MEAN, &HIGHEST];

/// How much a minimal sample unique of s among V attributes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// (V − s)!, the number of orders in which attributes can be added to it: Elliot's.
    #[default]
    Elliot,
    /// (2^(V − s) − 1) · s! (V − s)! / V!: the sets above it over the sets of its size.
    Subsets,
}

impl Scoring {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Elliot => "elliot",
            Self::Subsets => "subsets",
        }
    }

    /// The score of a set of `size` among `width` attributes.
    pub fn score(self, size: u32, width: u32) -> f64 {
        let above = f64::from(width - size);
        let factors = (1..=width - size).map(f64::from);
        match self {
            Self::Elliot => factors.product(),
            Self::Subsets => {
                let of_size = factors.fold(1.0, |sets, i| sets * i / (f64::from(size) + i));
                (above.exp2() - 1.0) * of_size
            }
        }
    }
}

/// What is asked of SUDA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Most attributes of a set that is looked for.
    pub most: u32,
    /// How sets count.
    pub scoring: Scoring,
    /// The share of the population that is in the sample, in 0..=1.
    pub fraction: f64,
}

/// What SUDA says of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Suda {
    /// For each record the number of its minimal sample uniques.
    pub sets: Vec<u32>,
    /// For each record the size of its smallest one; 0 where it has none.
    pub smallest: Vec<u32>,
    /// For each record the sum of their scores.
    pub scores: Vec<f64>,
    /// DIS-SUDA of each record; 0 where it has none, `None` if it is not defined for this file.
    pub dis: Option<Vec<f64>>,
    /// For each attribute of the key the share of the scores of sets that hold it.
    contributions: Vec<Option<f64>>,
    /// DIS of the file, or why there is none.
    of_file: Result<f64, &'static str>,
}

impl Suda {
    /// Searches the minimal sample uniques, and scores records by them.
    ///
    /// ```text
    /// score_i      = sum over the minimal sample uniques of record i of their score
    /// DIS          = U f / (U f + P (1 − f)),   U = #{ i : f_i = 1 },  P = #{ i : f_i = 2 }
    /// DIS-SUDA_i   = 1 / (1 + (U/DIS − U) / (score_i^Q · Σ_j score_j^(−Q))),   Q = 1 + (8 − V)/20,   j over the records with a score
    /// ```
    ///
    /// f_i is how many records match record i on the key, V the number of its attributes, f the sampling fraction. A record without a
    /// score has DIS-SUDA 0. It is not defined without unique records, and for V of 28 and more, where Q is not positive.
    ///
    /// # Missing
    /// See [`minimal_uniques`].
    pub fn new(classes: &KeyClasses, wanted: Wanted) -> Self {
        let keys = classes.keys();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most as many as a set has bits"
        )]
        let width = keys.width() as u32;
        let n = keys.n_records();
        let (mut sets, mut smallest, mut scores) = (vec![0; n], vec![0; n], vec![0.0; n]);
        let of_size: Vec<f64> = (0..=width)
            .map(|size| wanted.scoring.score(size, width))
            .collect();
        // For each attribute the number of sets that hold it, by their size.
        let mut holding = vec![[0_u64; Set::BITS as usize + 1]; keys.width()];
        for (record, of_record) in minimal_uniques(keys, wanted.most, classes.missing()) {
            let record = record as usize;
            for set in of_record {
                let size = set.count_ones();
                smallest[record] = match sets[record] {
                    0 => size,
                    _ => size.min(smallest[record]),
                };
                sets[record] += 1;
                scores[record] += of_size[size as usize];
                for place in (0..keys.width()).filter(|place| set >> place & 1 == 1) {
                    holding[place][size as usize] += 1;
                }
            }
        }
        let with_attribute = holding.iter().map(|numbers| {
            let scores = numbers.iter().zip(&of_size);
            scores.map(|(&number, score)| number as f64 * score).sum()
        });
        let all: f64 = scores.iter().sum();
        let contribution = |sum: f64| (all > 0.0).then(|| sum / all);
        let of_file = dis_of_file(classes, wanted.fraction);
        let dis = of_file
            .ok()
            .and_then(|dis| dis_suda(&scores, dis, classes, width));
        Self {
            sets,
            smallest,
            dis,
            scores,
            contributions: with_attribute.map(contribution).collect(),
            of_file,
        }
    }

    /// Who stands out; `names` are those of the key's attributes.
    pub fn figures(&self, classes: &KeyClasses, names: &[String]) -> Vec<Figure> {
        let counted = classes.keyed();
        if counted == 0 {
            let all = [&RECORDS, &SETS, &FILE, &MEAN, &HIGHEST];
            return all
                .map(|what| Figure::undefined(what, super::classes::NO_KEY))
                .into();
        }
        let stand_out = self.sets.iter().filter(|&&sets| sets > 0).count();
        let sets: u64 = self.sets.iter().copied().map(u64::from).sum();
        let parts = names.iter().zip(&self.contributions);
        let parts = parts.map(|(name, &value)| Part {
            name: name.clone(),
            value,
        });
        let (mean, highest) = match &self.dis {
            Some(dis) => {
                let n = dis.len() as u64;
                let mean = dis.iter().sum::<f64>() / dis.len() as f64;
                let highest = dis.iter().copied().fold(0.0, f64::max);
                (
                    Figure::new(&MEAN, mean, n),
                    Figure::new(&HIGHEST, highest, n),
                )
            }
            None => {
                let why = self.of_file.err().unwrap_or(
                    "the key has 28 attributes or more, for which the formula was not made",
                );
                (
                    Figure::undefined(&MEAN, why),
                    Figure::undefined(&HIGHEST, why),
                )
            }
        };
        vec![
            Figure::new(&RECORDS, stand_out as f64, counted),
            Figure::new(&SETS, sets as f64, counted).with_parts(parts.collect()),
            match self.of_file {
                Ok(dis) => Figure::new(&FILE, dis, counted),
                Err(why) => Figure::undefined(&FILE, why),
            },
            mean,
            highest,
        ]
    }
}

fn of_size(classes: &KeyClasses, size: u32) -> f64 {
    classes.sizes().iter().filter(|&&of| of == size).count() as f64
}

fn dis_of_file(classes: &KeyClasses, fraction: f64) -> Result<f64, &'static str> {
    let (unique, in_pairs) = (of_size(classes, 1), of_size(classes, 2));
    let correct = unique * fraction;
    if unique > 0.0 && correct > 0.0 {
        Ok(correct / (correct + in_pairs * (1.0 - fraction)))
    } else {
        Err("no record is unique on the key")
    }
}

fn dis_suda(scores: &[f64], dis: f64, classes: &KeyClasses, width: u32) -> Option<Vec<f64>> {
    let power = 1.0 + (8.0 - f64::from(width)) / 20.0;
    if power <= 0.0 {
        return None;
    }
    let unique = of_size(classes, 1);
    let odds = unique / dis - unique;
    let inverse: f64 = scores
        .iter()
        .filter(|&&score| score > 0.0)
        .map(|score| score.powf(-power))
        .sum();
    let of_record = |&score: &f64| {
        if score > 0.0 {
            1.0 / (1.0 + odds / (score.powf(power) * inverse))
        } else {
            0.0
        }
    };
    Some(scores.iter().map(of_record).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{figure::value, statement::MissingMatches, stats::keys::Keys};

    fn keys(rows: &[&[u32]]) -> Keys {
        let column = |place| rows.iter().map(|row| row[place]).collect();
        let columns: Vec<Vec<u32>> = (0..rows[0].len()).map(column).collect();
        Keys::of_codes(rows.len(), &columns)
    }

    /// Four records, V = 3: (1,1,1), (1,1,2), (1,2,1), (2,1,1). Record 0 shares every pair of values with another (1,1,· with record 1,
    /// 1,·,1 with 2, ·,1,1 with 3), so only all three attributes single it out: score 0! = 1. Records 1, 2 and 3 have one value of their own:
    /// score 2! = 2. U = 4, P = 0, so DIS = 1, and DIS-SUDA = 1 for all.
    #[test]
    fn four_records_by_hand() {
        let keys = keys(&[&[1, 1, 1], &[1, 1, 2], &[1, 2, 1], &[2, 1, 1]]);
        let found = minimal_uniques(&keys, 3, MissingMatches::Missing);
        let sets = [0b111, 0b100, 0b010, 0b001];
        let expected = (0..).zip(sets).map(|(record, set)| (record, vec![set]));
        assert_eq!(found, expected.collect::<Vec<_>>());
        let classes = KeyClasses::of_keys(keys, MissingMatches::Any);
        let wanted = Wanted {
            most: 3,
            scoring: Scoring::Elliot,
            fraction: 0.1,
        };
        let suda = Suda::new(&classes, wanted);
        assert_eq!(suda.scores, [1.0, 2.0, 2.0, 2.0]);
        assert_eq!(suda.smallest, [3, 1, 1, 1]);
        assert_eq!(suda.dis, Some(vec![1.0; 4]));
        let names = ["a", "b", "c"].map(String::from);
        let figures = suda.figures(&classes, &names);
        assert_eq!(value(&figures, "suda_records"), Some(4.0));
        assert_eq!(value(&figures, "suda_msu"), Some(4.0));
        // Each attribute is in the set of all three (1) and in one of its own (2), of 7 in all.
        let parts: Vec<_> = figures[1].parts.iter().map(|part| part.value).collect();
        assert_eq!(parts, [Some(3.0 / 7.0); 3]);
    }

    /// The same with a pair that looks alike: U = 4, P = 2, f = 0.1: DIS = 0.4 / (0.4 + 1.8) = 2/11, so U/DIS − U = 22 − 4 = 18. V = 3:
    /// Q = 1.25. Σ score^(−Q) = 1 + 3 · 2^(−1.25).
    #[test]
    fn dis_suda_by_hand() {
        let keys = keys(&[
            &[1, 1, 1],
            &[1, 1, 2],
            &[1, 2, 1],
            &[2, 1, 1],
            &[3, 3, 3],
            &[3, 3, 3],
        ]);
        let classes = KeyClasses::of_keys(keys, MissingMatches::Any);
        let wanted = Wanted {
            most: 3,
            scoring: Scoring::Elliot,
            fraction: 0.1,
        };
        let suda = Suda::new(&classes, wanted);
        let dis = suda.dis.unwrap();
        let sum = 1.0 + 3.0 * 2_f64.powf(-1.25);
        assert!((dis[0] - 1.0 / (1.0 + 18.0 / sum)).abs() < 1e-12);
        assert!((dis[1] - 1.0 / (1.0 + 18.0 / (2_f64.powf(1.25) * sum))).abs() < 1e-12);
        assert_eq!(dis[4..], [0.0, 0.0]);
    }

    /// V = 4: Elliot 3!, 2!, 1!, 0!; subsets (2^3 − 1)/4, (2^2 − 1)/6, (2 − 1)/4, 0.
    #[test]
    fn scores_by_hand() {
        let scores = |scoring: Scoring| [1, 2, 3, 4].map(|size| scoring.score(size, 4));
        assert_eq!(scores(Scoring::Elliot), [6.0, 2.0, 1.0, 1.0]);
        assert_eq!(scores(Scoring::Subsets), [1.75, 0.5, 0.25, 0.0]);
    }

    #[test]
    fn nothing_to_search() {
        for keys in [Keys::of_codes(0, &[Vec::new()]), Keys::of_codes(3, &[])] {
            assert_eq!(minimal_uniques(&keys, 3, MissingMatches::Any), []);
            let classes = KeyClasses::of_keys(keys, MissingMatches::Any);
            let wanted = Wanted {
                most: 3,
                scoring: Scoring::Subsets,
                fraction: 0.01,
            };
            let figures = Suda::new(&classes, wanted).figures(&classes, &[]);
            assert!(figures.iter().all(|figure| figure.why_not.is_some()));
        }
        // Doubles only: nobody stands out, and DIS is not defined.
        let doubles = keys(&[&[1, 2], &[1, 2]]);
        assert_eq!(minimal_uniques(&doubles, 2, MissingMatches::Any), []);
    }
}
