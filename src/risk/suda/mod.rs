//! Special uniques (SUDA): who stands out by how few attributes.

use rayon::prelude::*;

use super::classes::KeyClasses;
use crate::{
    figure::{Better, Definition, Figure, Part, Unit},
    stats::keys::{Keys, Set},
};

const SUDA: &str = "Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008";
const DIS: &str = "Skinner and Elliot 2002; Elliot 2005";

/// Records with a minimal sample unique.
pub static RECORDS: Definition = count(
    "suda_records",
    "records that stand out",
    "records with a minimal sample unique: a set of attributes on which nobody else is equal, while somebody is on each part of it",
    SUDA,
);

/// All minimal sample uniques.
pub static SETS: Definition = count(
    "suda_msu",
    "minimal sample uniques",
    "minimal sample uniques of all records; by attribute, its share of the scores: those of the sets that hold it, over all",
    SUDA,
);

/// DIS of the file.
pub static FILE: Definition = share(
    "suda_dis",
    "DIS of the file",
    "probability that a unique match on the key is correct: U f / (U f + P (1 - f)), U the unique records, P those in pairs, f the sampling fraction",
);

/// Mean DIS-SUDA.
pub static MEAN: Definition = share(
    "suda_dis_mean",
    "DIS-SUDA, mean",
    "mean over all records of DIS-SUDA, the DIS of the file shared among the unique records by their scores",
);

/// Highest DIS-SUDA.
pub static HIGHEST: Definition = share(
    "suda_dis_max",
    "DIS-SUDA, highest",
    "greatest DIS-SUDA of a record",
);

const fn count(
    key: &'static str,
    name: &'static str,
    says: &'static str,
    source: &'static str,
) -> Definition {
    Definition {
        key,
        name,
        says,
        source,
        better: Better::Lower,
        least: 0.0,
        most: None,
        unit: Unit::Count,
    }
}

const fn share(key: &'static str, name: &'static str, says: &'static str) -> Definition {
    Definition {
        key,
        name,
        says,
        source: DIS,
        better: Better::Lower,
        least: 0.0,
        most: Some(1.0),
        unit: Unit::Share,
    }
}

/// How much a minimal sample unique of s among V attributes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scoring {
    /// (V − s)!, the number of orders in which attributes can be added to it: Elliot's.
    #[default]
    Elliot,
    /// (2^(V − s) − 1) · s! (V − s)! / V!: the sets above it over the sets of its size.
    Subsets,
}

impl Scoring {
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
        let mut with_attribute = vec![0.0; keys.width()];
        for (record, set) in minimal_uniques(keys, wanted.most) {
            let record = record as usize;
            let size = set.count_ones();
            let score = wanted.scoring.score(size, width);
            smallest[record] = match sets[record] {
                0 => size,
                _ => size.min(smallest[record]),
            };
            sets[record] += 1;
            scores[record] += score;
            for (place, sum) in with_attribute.iter_mut().enumerate() {
                *sum += f64::from(set >> place & 1) * score;
            }
        }
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
            contributions: with_attribute.into_iter().map(contribution).collect(),
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
    let of_record = |&score: &f64| match score > 0.0 {
        true => 1.0 / (1.0 + odds / (score.powf(power) * inverse)),
        false => 0.0,
    };
    Some(scores.iter().map(of_record).collect())
}

/// All minimal sample uniques of at most `most` attributes: (record, set of attributes) pairs, by record, then by set.
///
/// A set of attributes is a minimal sample unique of a record if no other record has the same values on it, while on each proper part of it
/// some record has. The empty set does not count as a part: in a file of one record each attribute is a minimal unique.
///
/// # Missing
/// A gap is no value: a set never holds an attribute that the record misses, and a record that misses one of its attributes
/// is nobody's equal on it.
///
/// # Search
/// As SUDA2 does, sets grow by one attribute at a time, and only among the records that are not yet alone: what is unique on a set leaves
/// the branch. Records that have an exact double can be unique on nothing; they stand in their group as one that hides others, and a group
/// without anybody else is left. Attributes are ordered by the number of their values, so that groups fall apart early.
/// Branches (by the attribute with most values) run in parallel; sets are visited in the order of their bits, hence after all
/// their parts, and are minimal if no part of them was found.
///
/// # Complexity
/// O(n) for each set of attributes that is visited, with n the records that are not unique on it; 2^V sets without
/// a cap. Memory O(V n) and 8 bytes a minimal unique.
///
/// # Source
/// A. M. Manning, D. J. Haglin, J. A. Keane, "A recursive search algorithm for statistical disclosure assessment", Data Mining and Knowledge
/// Discovery 16, 2008.
pub fn minimal_uniques(keys: &Keys, most: u32) -> Vec<(u32, Set)> {
    let rows = Rows::new(keys);
    let branches: Vec<Found> = (0..rows.codes.len())
        .into_par_iter()
        .rev()
        .map(|top| rows.branch(top, most))
        .collect();
    let mut all = Vec::new();
    let mut of_row = Vec::new();
    for row in (0..rows.records.len()).filter(|&row| rows.alone[row]) {
        of_row.clear();
        for branch in branches.iter().rev() {
            let lower = of_row.len();
            for set in branch.of(row) {
                let part = |known: &Set| known & set == *known;
                if !of_row[..lower].iter().any(part) {
                    of_row.push(set);
                }
            }
        }
        all.extend(
            of_row
                .iter()
                .map(|&set| (rows.records[row], rows.renamed(set))),
        );
    }
    all.sort_unstable();
    all
}

/// The different keys, each once, with attributes in the order of the search.
struct Rows {
    /// The first record of each key.
    records: Vec<u32>,
    /// Whether it is the only one.
    alone: Vec<bool>,
    /// Attribute by attribute, those with few values first.
    codes: Vec<Vec<u32>>,
    /// The place in the key of each attribute.
    places: Vec<usize>,
    greatest: u32,
}

/// Groups of rows that agree on a set of attributes.
#[derive(Default)]
struct Groups {
    rows: Vec<u32>,
    /// Where each group begins, and the end.
    starts: Vec<usize>,
}

impl Rows {
    fn new(keys: &Keys) -> Self {
        let alike = keys.classes(Set::MAX);
        let n_keys = alike.iter().max().map_or(0, |&most| most as usize + 1);
        let mut members = vec![0_u32; n_keys];
        let mut first = vec![0_u32; n_keys];
        for (&class, record) in alike.iter().zip(0_u32..) {
            if members[class as usize] == 0 {
                first[class as usize] = record;
            }
            members[class as usize] += 1;
        }
        let mut places: Vec<usize> = (0..keys.width()).collect();
        places.sort_by_key(|&place| keys.greatest()[place]);
        let column = |&place: &usize| -> Vec<u32> {
            let code = |&record: &u32| keys.of(record as usize)[place];
            first.iter().map(code).collect()
        };
        Self {
            alone: members.iter().map(|&members| members == 1).collect(),
            codes: places.iter().map(column).collect(),
            greatest: keys.greatest().iter().copied().max().unwrap_or(0),
            records: first,
            places,
        }
    }

    /// A set of the search as a set of the key.
    fn renamed(&self, set: Set) -> Set {
        let members = self.places.iter().enumerate();
        members.fold(0, |renamed, (bit, &place)| {
            renamed | (set >> bit & 1) << place
        })
    }

    /// The uniques on sets whose last attribute is `top`, none of them part of another.
    fn branch(&self, top: usize, most: u32) -> Found {
        let everybody = Groups {
            rows: (0_u32..).take(self.records.len()).collect(),
            starts: vec![0, self.records.len()],
        };
        let mut search = Search {
            rows: self,
            most,
            of_code: vec![OfCode::default(); self.greatest as usize + 1],
            met: Vec::new(),
            found: Found {
                last: vec![NONE; self.records.len()],
                sets: Vec::new(),
            },
        };
        if most > 0 {
            search.add(&everybody, 0, top);
        }
        search.found
    }
}

/// The uniques that were found, each with the one before it of the same row.
struct Found {
    last: Vec<u32>,
    sets: Vec<(Set, u32)>,
}

const NONE: u32 = u32::MAX;

impl Found {
    /// The sets of a row, the last first.
    fn of(&self, row: usize) -> impl Iterator<Item = Set> {
        let mut at = self.last[row];
        std::iter::from_fn(move || {
            let &(set, before) = self.sets.get(at as usize)?;
            at = before;
            Some(set)
        })
    }

    fn add_if_minimal(&mut self, row: usize, set: Set) {
        if self.of(row).any(|known| known & set == known) {
            return;
        }
        // Beyond four thousand million sets nothing could be kept.
        if let Ok(next) = u32::try_from(self.sets.len()) {
            self.sets.push((set, self.last[row]));
            self.last[row] = next;
        }
    }
}

/// The rows of a group with one value.
#[derive(Clone, Copy, Default)]
struct OfCode {
    rows: u32,
    alone: u32,
    next: usize,
}

/// A search through one branch.
struct Search<'a> {
    rows: &'a Rows,
    most: u32,
    /// Scratch space, one entry a code; empty between groups.
    of_code: Vec<OfCode>,
    met: Vec<u32>,
    found: Found,
}

impl Search<'_> {
    /// Adds an attribute to a set, and to what comes of it all that are before that attribute.
    fn add(&mut self, groups: &Groups, set: Set, attribute: usize) {
        let set = set | 1 << attribute;
        let grows = set.count_ones() < self.most && attribute > 0;
        let groups = self.split(groups, set, attribute, grows);
        if groups.rows.is_empty() {
            return;
        }
        for before in 0..attribute {
            self.add(&groups, set, before);
        }
    }

    /// Splits groups by an attribute. Who is alone then is unique; the groups that can still have a unique are given back if they are
    /// `wanted`.
    fn split(&mut self, groups: &Groups, set: Set, attribute: usize, wanted: bool) -> Groups {
        let rows = self.rows;
        let codes = &rows.codes[attribute];
        let mut finer = Groups::default();
        for bounds in groups.starts.windows(2) {
            let group = &groups.rows[bounds[0]..bounds[1]];
            let present = || group.iter().filter(|&&row| codes[row as usize] != 0);
            for &row in present() {
                let of_code = &mut self.of_code[codes[row as usize] as usize];
                if of_code.rows == 0 {
                    self.met.push(codes[row as usize]);
                }
                of_code.rows += 1;
                of_code.alone += u32::from(rows.alone[row as usize]);
            }
            let mut end = finer.rows.len();
            for &code in &self.met {
                let of_code = &mut self.of_code[code as usize];
                if wanted && of_code.rows > 1 && of_code.alone > 0 {
                    finer.starts.push(end);
                    of_code.next = end;
                    end += of_code.rows as usize;
                }
            }
            finer.rows.resize(end, 0);
            for &row in present() {
                let of_code = &mut self.of_code[codes[row as usize] as usize];
                if of_code.rows == 1 && of_code.alone == 1 {
                    self.found.add_if_minimal(row as usize, set);
                } else if wanted && of_code.rows > 1 && of_code.alone > 0 {
                    finer.rows[of_code.next] = row;
                    of_code.next += 1;
                }
            }
            for code in self.met.drain(..) {
                self.of_code[code as usize] = OfCode::default();
            }
        }
        finer.starts.push(finer.rows.len());
        finer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{figure::value, statement::MissingMatches};

    fn keys(rows: &[&[u32]]) -> Keys {
        let column = |place| rows.iter().map(|row| row[place]).collect();
        let columns: Vec<Vec<u32>> = (0..rows[0].len()).map(column).collect();
        Keys::of_codes(rows.len(), &columns)
    }

    /// The definition: unique on the set, not unique on it without any one of its attributes (nor on nothing).
    fn slow(keys: &Keys, most: u32) -> Vec<(u32, Set)> {
        let n = keys.n_records();
        let unique = |record: usize, set: Set| {
            let has = |other: usize| {
                (0..keys.width())
                    .filter(|place| set >> place & 1 == 1)
                    .all(|place| {
                        let (mine, theirs) = (keys.of(record)[place], keys.of(other)[place]);
                        mine == theirs
                    })
            };
            keys.present(record) & set == set && (0..n).all(|other| other == record || !has(other))
        };
        let mut all = Vec::new();
        for record in 0..n {
            for set in 1..1 << keys.width() {
                let parts = (0..keys.width()).filter(|place| set >> place & 1 == 1);
                let mut parts = parts.map(|place| set & !(1 << place));
                let minimal = parts.all(|part| part == 0 || !unique(record, part));
                if set.count_ones() <= most && unique(record, set) && minimal {
                    all.push((u32::try_from(record).unwrap(), set));
                }
            }
        }
        all
    }

    /// Four records, V = 3: (1,1,1), (1,1,2), (1,2,1), (2,1,1). Record 0 shares every pair of values with another (1,1,· with record 1,
    /// 1,·,1 with 2, ·,1,1 with 3), so only all three attributes single it out: score 0! = 1. Records 1, 2 and 3 have one value of their own:
    /// score 2! = 2. U = 4, P = 0, so DIS = 1, and DIS-SUDA = 1 for all.
    #[test]
    fn four_records_by_hand() {
        let keys = keys(&[&[1, 1, 1], &[1, 1, 2], &[1, 2, 1], &[2, 1, 1]]);
        let found = minimal_uniques(&keys, 3);
        assert_eq!(found, [(0, 0b111), (1, 0b100), (2, 0b010), (3, 0b001)]);
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
    fn the_search_finds_what_the_definition_says() {
        let mut state = 7_u64;
        let mut roll = |sides: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            u32::try_from((state >> 33) % u64::from(sides)).unwrap()
        };
        for case in 0..150 {
            let (n, width) = (1 + roll(40) as usize, 1 + roll(6) as usize);
            let sides = 2 + roll(5);
            let gaps = case % 3 == 0;
            let cells: Vec<Vec<u32>> = (0..n)
                .map(|_| {
                    let cell = |place: u32, roll: &mut dyn FnMut(u32) -> u32| {
                        let code = 1 + roll(sides + place);
                        if gaps && roll(5) == 0 { 0 } else { code }
                    };
                    (0..u32::try_from(width).unwrap())
                        .map(|place| cell(place, &mut roll))
                        .collect()
                })
                .collect();
            let rows: Vec<&[u32]> = cells.iter().map(Vec::as_slice).collect();
            let keys = keys(&rows);
            for most in [1, 2, 6] {
                assert_eq!(minimal_uniques(&keys, most), slow(&keys, most), "{cells:?}");
            }
        }
    }

    #[test]
    fn nothing_to_search() {
        for keys in [Keys::of_codes(0, &[Vec::new()]), Keys::of_codes(3, &[])] {
            assert_eq!(minimal_uniques(&keys, 3), []);
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
        assert_eq!(minimal_uniques(&doubles, 2), []);
    }
}
