//! Attribute disclosure: what is revealed about confidential attributes, whoever the records belong to.

use rayon::prelude::*;

use super::{
    classes::KeyClasses,
    confidential::{Confidential, parts, why_not},
};
use crate::{
    figure::{About, Definition, Figure, Group, Part},
    rng::{Purpose, Seed},
    table::{
        Scale,
        pair::{Pair, PairedCategories},
    },
};

const ANONYMETER: &str = "Giomi, Boenisch, Wehmeyer and Tasnadi 2023 (Anonymeter)";

/// Records whose class gives a value away.
pub static HOMOGENEITY: Definition = Definition::share(
    Group::Risk(About::Inference),
    "attribute_disclosure_homogeneity",
    "values given away",
    "share of records for which all records with the same key have one and the same value of a confidential attribute",
    "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007",
);

/// How often the nearest masked record has the true value.
pub static INFERENCE: Definition = Definition::share(
    Group::Risk(About::Inference),
    "attribute_disclosure_inference",
    "inference, attack",
    "share of records whose confidential value is that of the masked record nearest in the known attributes, which are the key (without one all that are compared; numbers: within the tolerance), mean over the confidential attributes",
    ANONYMETER,
);

/// How often a random masked record has the true value.
pub static BASELINE: Definition = Definition::share(
    Group::Risk(About::Inference),
    "attribute_disclosure_baseline",
    "inference, baseline",
    "the same for a masked record chosen at random: what is learned from the file without knowing anything of the person",
    ANONYMETER,
);

/// What the attack adds.
pub static RISK: Definition = Definition::share(
    Group::Risk(About::Inference),
    "attribute_disclosure_risk",
    "inference, beyond baseline",
    "(attack - baseline) / (1 - baseline), not below 0, mean over the confidential attributes",
    ANONYMETER,
);

/// All figures of confidential attributes.
pub static DEFINITIONS: [&Definition; 4] = [&HOMOGENEITY, &INFERENCE, &BASELINE, &RISK];

/// The share of records of which a confidential value is known as soon as their key is: all records with the same key have the same one.
///
/// A record that is alone gives its value away, too. The figure counts a record if it gives away a value of any
/// confidential attribute; its parts are the attributes.
///
/// # Missing
/// A gap of the key is a value of its own. A gap of the confidential attribute reveals nothing: a group whose other values agree gives that
/// value away for those who have it.
///
/// # Complexity
/// O(n log n) an attribute.
pub fn homogeneity(classes: &KeyClasses, confidential: &[Confidential]) -> Figure {
    if let Some(why) = why_not(classes, confidential) {
        return Figure::undefined(&HOMOGENEITY, why);
    }
    let n = classes.alike().len();
    let mut given_away = vec![false; n];
    let counted = classes.keyed();
    let shares: Vec<Option<f64>> = confidential
        .iter()
        .map(|attribute| {
            let mut records = 0_u64;
            for group in classes.groups() {
                if attribute.counts(group).len() != 1 {
                    continue;
                }
                let has = |&&record: &&u32| attribute.codes[record as usize] != 0;
                for &record in group.iter().filter(has) {
                    given_away[record as usize] = true;
                    records += 1;
                }
            }
            (attribute.n_values > 0).then(|| records as f64 / counted as f64)
        })
        .collect();
    let records = given_away.iter().filter(|&&given| given).count();
    Figure::new(&HOMOGENEITY, records as f64 / counted as f64, counted)
        .with_parts(parts(confidential, &shares))
}

/// Cells that are compared at most: beyond that only some records, drawn at random, are attacked.
const MAX_COMPARISONS: usize = 1_000_000_000;

/// What decides who is attacked in large files.
const SEED: u64 = 1;

/// Distances that differ by no more are equal: sums of the same steps in another order.
const EQUAL: f64 = 1e-12;

/// Inference: the intruder knows some attributes of a person, takes the nearest masked record, and believes its confidential values.
///
/// ```text
/// attack     mean over attributes of   mean over i of the share of nearest records j whose value y_j is right about x_i
/// baseline   mean over attributes of   mean over i of the share of all masked records whose value is right about x_i
/// risk       mean over attributes of   max(0, (attack − baseline) / (1 − baseline))
/// right      numbers: |y − x| <= tolerance · |x|;   names: y = x
/// ```
///
/// Near is Gower's distance: for numbers |a − b| over the range of the attribute in both files, for names 0 or 1, the mean over the
/// attributes that both records have. Tied records share the guess. An attribute of which the baseline is always right has no
/// risk: nothing is left to be found out.
///
/// # Recoded values
/// Whether a class is right about a number (a region about a town) cannot be found out by comparing them: never equal would read as no
/// risk. Where numbers became classes, or no masked name is an original one, there is no figure of that attribute nor of all of them.
///
/// # Missing
/// A person without a confidential value is not asked about; a masked record without one is a wrong guess, in the attack and in the
/// baseline. Somebody of whom nothing is known that a masked record has cannot be found: a wrong guess.
///
/// # Complexity
/// O(n) a person and known attribute; in large files as many persons are attacked (`counted` says how many) as compare 10^9 cells at
/// most.
///
/// # Randomness
/// Those persons are drawn at random, each set of them with the same probability: files are often sorted, and every k-th record of such a
/// file may be like no other. They hide nothing, so the seed is fixed, and the same
/// files give the same figure.
///
/// # Source
/// M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi, "A unified framework for quantifying privacy risk in synthetic data", PoPETs 2023; the
/// baseline is theirs in expectation, the intruder's targets are the people of the file itself (no control group).
pub fn inference(known: &Pair, secret: &Pair, tolerance: f64) -> Vec<Figure> {
    let all = [&INFERENCE, &BASELINE, &RISK];
    let undefined = |why: &str| all.map(|what| Figure::undefined(what, why)).to_vec();
    let secrets = Secret::all(secret, tolerance);
    if secrets.is_empty() {
        return undefined(
            "no attribute is confidential; --confidential or a roles file names them",
        );
    }
    let points = Points::new(known);
    if points.width() == 0 {
        return undefined("nothing that both files have is known of a person");
    }
    let work = known.n_records * points.width();
    let most = (MAX_COMPARISONS / work.max(1)).max(1);
    let targets = targets(known.n_records, most);
    let of_target = |&target: &usize| -> Vec<Option<f64>> {
        let nearest = points.nearest(target);
        let rightness = |secret: &Secret| secret.rightness(target, &nearest);
        secrets.iter().map(rightness).collect()
    };
    let attacks: Vec<Vec<Option<f64>>> = targets.par_iter().map(of_target).collect();
    let mut table = Vec::new();
    for (place, secret) in secrets.iter().enumerate() {
        if secret.is_recoded() {
            table.push([None; 3]);
            continue;
        }
        let attack = mean(attacks.iter().filter_map(|rightness| rightness[place]));
        let baseline = mean(targets.iter().filter_map(|&target| secret.baseline(target)));
        let risk = match (attack, baseline) {
            (Some(attack), Some(baseline)) if baseline < 1.0 => {
                Some(((attack - baseline) / (1.0 - baseline)).max(0.0))
            }
            _ => None,
        };
        table.push([attack, baseline, risk]);
    }
    let counted = targets.len() as u64;
    let recoded = secrets.iter().find(|secret| secret.is_recoded());
    let figure = |(column, what): (usize, &&'static Definition)| {
        let values = table.iter().map(|row| row[column]);
        let parts = secrets.iter().zip(values.clone());
        let parts = parts.map(|(secret, value)| Part {
            name: secret.name.clone(),
            value,
        });
        let figure = match (recoded, mean(values.flatten())) {
            (Some(secret), _) => Figure::undefined(what, secret.why_recoded()),
            (None, Some(value)) => Figure::new(what, value, counted),
            (None, None) if column == 2 => Figure::undefined(
                what,
                "any masked record is right: nothing is left to be found out",
            ),
            (None, None) => Figure::undefined(what, "nobody has a confidential value"),
        };
        figure.with_parts(parts.collect())
    };
    all.iter().enumerate().map(figure).collect()
}

/// Who is attacked, in the order of the file: everybody, or as many as can be, drawn at random.
fn targets(records: usize, most: usize) -> Vec<usize> {
    if records <= most {
        return (0..records).collect();
    }
    let mut rng = Seed::from_number(SEED)
        .streams(Purpose::Analysis, 0)
        .of_attribute("inference");
    let mut drawn = rand::seq::index::sample(&mut rng, records, most).into_vec();
    drawn.sort_unstable();
    drawn
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

/// What is known of people and of masked records.
struct Points<'a> {
    known: &'a Pair,
    /// One over half the range of each attribute of numbers; 0 where all are equal. Differences are halved, too, so that none is beyond all
    /// numbers.
    scales: Vec<f64>,
}

impl<'a> Points<'a> {
    fn new(known: &'a Pair) -> Self {
        let numbers = &known.numbers;
        let scale = |attribute: usize| {
            let values = numbers.original.cells(attribute);
            let values = values.chain(numbers.masked.cells(attribute)).flatten();
            let (low, high) = values
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
            if high > low {
                1.0 / (0.5 * high - 0.5 * low)
            } else {
                0.0
            }
        };
        Self {
            known,
            scales: (0..numbers.names.len()).map(scale).collect(),
        }
    }

    fn width(&self) -> usize {
        self.scales.len() + self.known.categories.len()
    }

    /// The masked records that are nearest to a person.
    fn nearest(&self, target: usize) -> Vec<u32> {
        let distances: Vec<f64> = (0..self.known.n_records)
            .map(|masked| self.distance(target, masked))
            .collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let records = (0_u32..).zip(distances);
        records
            .filter(|&(_, distance)| distance.is_finite() && distance <= least + EQUAL)
            .map(|(record, _)| record)
            .collect()
    }

    /// Infinite where nothing can be compared.
    fn distance(&self, target: usize, masked: usize) -> f64 {
        let numbers = &self.known.numbers;
        let (mut sum, mut compared) = (0.0, 0_u32);
        for (attribute, scale) in self.scales.iter().enumerate() {
            let mine = numbers.original.value(target, attribute);
            if let (Some(a), Some(b)) = (mine, numbers.masked.value(masked, attribute)) {
                sum += (0.5 * a - 0.5 * b).abs() * scale;
                compared += 1;
            }
        }
        for attribute in &self.known.categories {
            if let (Some(a), Some(b)) = (attribute.original[target], attribute.masked[masked]) {
                sum += if a == b { 0.0 } else { 1.0 };
                compared += 1;
            }
        }
        match compared {
            0 => f64::INFINITY,
            _ => sum / f64::from(compared),
        }
    }
}

/// A confidential attribute in both files.
struct Secret<'a> {
    name: String,
    values: Values<'a>,
}

enum Values<'a> {
    Numbers {
        original: Vec<Option<f64>>,
        masked: Vec<Option<f64>>,
        /// The masked values, ascending.
        sorted: Vec<f64>,
        tolerance: f64,
    },
    Names {
        names: &'a PairedCategories,
        /// How many masked records have each name.
        counts: Vec<u64>,
    },
}

impl<'a> Secret<'a> {
    fn all(secret: &'a Pair, tolerance: f64) -> Vec<Self> {
        let numbers = secret.numbers.names.iter().enumerate();
        let numbers = numbers.map(|(attribute, name)| {
            let masked: Vec<Option<f64>> = secret.numbers.masked.cells(attribute).collect();
            let mut sorted: Vec<f64> = masked.iter().copied().flatten().collect();
            sorted.sort_unstable_by(f64::total_cmp);
            Self {
                name: name.clone(),
                values: Values::Numbers {
                    original: secret.numbers.original.cells(attribute).collect(),
                    masked,
                    sorted,
                    tolerance,
                },
            }
        });
        let names = secret.categories.iter().map(|names| {
            let mut counts = vec![0; names.labels.len()];
            for &name in names.masked.iter().flatten() {
                counts[name as usize] += 1;
            }
            Self {
                name: names.name.clone(),
                values: Values::Names { names, counts },
            }
        });
        numbers.chain(names).collect()
    }

    /// Whether its masked values are of another kind than the original ones, so that none can be called right or wrong.
    fn is_recoded(&self) -> bool {
        let Values::Names { names, counts } = &self.values else {
            return false;
        };
        let mut in_original = vec![false; names.labels.len()];
        for &name in names.original.iter().flatten() {
            in_original[name as usize] = true;
        }
        let masked = || {
            in_original
                .iter()
                .zip(counts)
                .filter(|(_, count)| **count > 0)
        };
        let is_new = |(known, _): (&bool, &u64)| !known;
        let is_asked = in_original.contains(&true);
        match names.scale {
            // A number that is grouped in part only is new where it is grouped.
            Scale::Continuous => is_asked && masked().any(is_new),
            _ => is_asked && masked().next().is_some() && masked().all(is_new),
        }
    }

    fn why_recoded(&self) -> String {
        format!(
            "{} was recoded: its masked values cannot be compared with the original ones",
            self.name
        )
    }

    /// The share of these masked records that are right about a person; `None` if the person has no value.
    fn rightness(&self, target: usize, guesses: &[u32]) -> Option<f64> {
        let share = |right: &dyn Fn(usize) -> bool| {
            let hits = guesses
                .iter()
                .filter(|&&guess| right(guess as usize))
                .count();
            hits as f64 / guesses.len().max(1) as f64
        };
        match &self.values {
            Values::Numbers {
                original,
                masked,
                tolerance,
                ..
            } => {
                let truth = original[target]?;
                let close = |guess: f64| (guess - truth).abs() <= tolerance * truth.abs();
                Some(share(&|guess| masked[guess].is_some_and(close)))
            }
            Values::Names { names, .. } => {
                let truth = names.original[target]?;
                Some(share(&|guess| names.masked[guess] == Some(truth)))
            }
        }
    }

    /// The share of all masked records that are right about a person.
    fn baseline(&self, target: usize) -> Option<f64> {
        match &self.values {
            Values::Numbers {
                original,
                sorted,
                tolerance,
                masked,
            } => {
                let truth = original[target]?;
                let reach = tolerance * truth.abs();
                let below = sorted.partition_point(|guess| truth - guess > reach);
                let through = sorted.partition_point(|guess| guess - truth <= reach);
                Some((through - below) as f64 / masked.len() as f64)
            }
            Values::Names { names, counts } => {
                let truth = names.original[target]?;
                Some(counts[truth as usize] as f64 / names.masked.len() as f64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        figure::value,
        statement::MissingMatches,
        stats::keys::Keys,
        table::{ReadOptions, Table},
    };

    fn pair(before: &str, after: &str) -> Pair {
        let table = |csv: &str| {
            Table::read("t.csv", csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
        };
        let (before, after) = (table(before), table(after));
        let ids: Vec<_> = before.ids().zip(after.ids()).map(|(a, b)| [a, b]).collect();
        let n = u32::try_from(before.n_records()).unwrap();
        let records: Vec<_> = (0..n).map(|record| [record, record]).collect();
        Pair::new([&before, &after], &ids, &records)
    }

    /// Groups {1, 2, 3}, {4}, {5, 6}: the first shares the value 1, where record 3 has none of its own; the second gives its value away; the
    /// third has two. So records 1, 2 and 4 of 6.
    #[test]
    fn homogeneity_by_hand() {
        let keys = Keys::of_codes(6, &[vec![1, 1, 1, 2, 3, 3]]);
        let classes = KeyClasses::of_keys(keys, MissingMatches::Any);
        let disease = Confidential {
            name: "disease".into(),
            ordered: false,
            codes: vec![1, 1, 0, 2, 1, 2],
            n_values: 2,
        };
        let figure = homogeneity(&classes, &[disease]);
        assert_eq!((figure.value, figure.counted), (Some(0.5), 6));
        assert!(homogeneity(&classes, &[]).why_not.is_some());
    }

    /// Ages 20, 30, 60 were masked to 22, 28, 60: each is nearest to itself but 30 → 28 and 20 → 22 are right, too: all three. Incomes 100,
    /// 104, 300 came out as they were: with a tolerance of 5 % the baseline is right about 100 (100, 104) by 2/3, about 104 (100, 104) by 2/3, about
    /// 300 by 1/3: 5/9. Risk (1 − 5/9) / (4/9) = 1. Sex f, f, m was suppressed for the second: attack 2/3; baseline f 1/3, f 1/3, m 1/3:
    /// risk (1/3) / (2/3) = 1/2.
    #[test]
    fn inference_by_hand() {
        let known = pair("age\n20\n30\n60\n", "age\n22\n28\n60\n");
        let secret = pair(
            "income,sex\n100,f\n104,f\n300,m\n",
            "income,sex\n100,f\n104,NA\n300,m\n",
        );
        let figures = inference(&known, &secret, 0.05);
        let parts = |key: &str| -> Vec<f64> {
            let figure = figures
                .iter()
                .find(|figure| figure.what.key == key)
                .unwrap();
            figure
                .parts
                .iter()
                .map(|part| part.value.unwrap())
                .collect()
        };
        let close = |found: Vec<f64>, expected: [f64; 2]| {
            let mut pairs = found.iter().zip(expected);
            assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        close(parts("attribute_disclosure_inference"), [1.0, 2.0 / 3.0]);
        close(
            parts("attribute_disclosure_baseline"),
            [5.0 / 9.0, 1.0 / 3.0],
        );
        close(parts("attribute_disclosure_risk"), [1.0, 0.5]);
        assert!((value(&figures, "attribute_disclosure_risk").unwrap() - 0.75).abs() < 1e-12);
    }

    /// Both masked records are equally near and one is right: half a hit each. A random record is as good: no risk.
    #[test]
    fn ties_share_the_guess() {
        let known = pair("town\na\na\n", "town\na\na\n");
        let secret = pair("sex\nf\nm\n", "sex\nf\nm\n");
        let figures = inference(&known, &secret, 0.05);
        assert_eq!(value(&figures, "attribute_disclosure_inference"), Some(0.5));
        assert_eq!(value(&figures, "attribute_disclosure_risk"), Some(0.0));
    }

    /// Ages became classes of which each holds every original age; a guess is never equal, and was not wrong. Incomes beside them are
    /// reported in their part, but the figure of both is none. A town that was swapped is no recoding.
    #[test]
    fn what_was_recoded_cannot_be_right_or_wrong() {
        let known = pair("town\na\nb\n", "town\na\nb\n");
        for (before, after) in [
            ("age,x\n31.5,1\n38.25,2\n", "age,x\n30-39,1\n30-39,2\n"),
            ("age,x\n31.5,1\n38.25,2\n", "age,x\n31.5,1\n35+,2\n"),
            ("age,x\nHull,1\nYork,2\n", "age,x\nnorth,1\nnorth,2\n"),
        ] {
            let figures = inference(&known, &pair(before, after), 0.05);
            for figure in figures {
                assert!(figure.value.is_none(), "{after}");
                assert!(figure.why_not.unwrap().starts_with("age was recoded"));
                let value = |name: &str| {
                    let part = figure.parts.iter().find(|part| part.name == name);
                    part.unwrap().value
                };
                assert_eq!((value("age"), value("x").is_some()), (None, true));
            }
        }
        let swapped = pair("town\nHull\nYork\n", "town\nYork\nHull\n");
        let figures = inference(&known, &swapped, 0.05);
        assert_eq!(value(&figures, "attribute_disclosure_inference"), Some(0.0));
    }

    #[test]
    fn what_is_not_defined_says_why() {
        let known = pair("town\na\nb\n", "town\na\nb\n");
        let nothing = Pair::new([&table(), &table()], &[], &[[0, 0], [1, 1]]);
        for figures in [
            inference(&known, &nothing, 0.05),
            inference(&nothing, &known, 0.05),
        ] {
            assert!(figures.iter().all(|figure| figure.why_not.is_some()));
        }
        // All have the same value: nothing is left to be found out.
        let same = pair("sex\nf\nf\n", "sex\nf\nf\n");
        let figures = inference(&known, &same, 0.05);
        assert_eq!(value(&figures, "attribute_disclosure_inference"), Some(1.0));
        assert!(figures[2].why_not.is_some());
    }

    fn table() -> Table {
        let csv = b"x\n1\n2\n".to_vec();
        Table::read("t.csv", csv, &ReadOptions::default()).unwrap()
    }

    /// Of 100,000 people 1,000 are drawn. Every hundredth would be of one kind where kinds take turns; of 100 kinds each is met 10 times on
    /// average, with an sd of √(1000 · 0.01 · 0.99) = 3.1: none more than 25 times.
    #[test]
    fn who_is_attacked_does_not_follow_the_order_of_the_file() {
        let drawn = targets(100_000, 1000);
        assert_eq!((drawn.len(), targets(5, 5)), (1000, vec![0, 1, 2, 3, 4]));
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        let mut of_kind = [0; 100];
        drawn.iter().for_each(|person| of_kind[person % 100] += 1);
        assert!(of_kind.iter().all(|&met| met <= 25), "{of_kind:?}");
    }
}
