//! The risk of each record to be linked to its respondent, from the sample and its weights.

use rayon::prelude::*;

use super::classes::{KeyClasses, NO_KEY};
use crate::{
    error::{Error, Result, above},
    figure::{About, Definition, Figure, Group},
    stats::moments::sum,
    table::{AttrId, Table},
};

const FRANCONI: &str = "Benedetti and Franconi 1998; Hundepool et al. 2012, section 3.3";
const INTRUDERS: &str = "El Emam and Dankar 2008";

/// The mean individual risk.
pub static GLOBAL: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "individual_risk_global",
    "individual risk, mean",
    "mean over all records of the risk to be linked correctly: E(1/F | f) by Benedetti and Franconi with weights, 1/f without",
    FRANCONI,
);

/// The expected number of correct links.
pub static EXPECTED: Definition = Definition::count(
    Group::Risk(About::Linkability),
    "expected_reidentifications",
    "expected re-identifications",
    "sum of the individual risks: records expected to be linked correctly if everybody is looked for",
    FRANCONI,
);

/// The highest risk of an intruder who knows that their target is in the file.
pub static PROSECUTOR: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "prosecutor_risk",
    "prosecutor risk, highest",
    "1 / f of the rarest record: the intruder knows that the person is in the file",
    INTRUDERS,
);

/// The highest risk of an intruder who knows that their target is in the population.
pub static JOURNALIST: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "journalist_risk",
    "journalist risk, highest",
    "greatest 1 / F, F the sum of the weights of the records that match: the intruder knows that the person is in the population",
    INTRUDERS,
);

/// The share of records that an intruder links correctly who links them all.
pub static MARKETER: Definition = Definition::share(
    Group::Risk(About::Linkability),
    "marketer_risk",
    "marketer risk",
    "mean over all records of 1 / F, F the sum of the weights of the records that match, or their number without weights: the intruder links the whole file",
    INTRUDERS,
);

/// Expected records that are unique in the population.
pub static POPULATION_UNIQUE: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "population_unique",
    "population uniques, expected",
    "tau 1: sum over the unique records of P(F = 1 | f = 1) = 1 / F: how many of them are expected to be unique in the population, too",
    "Benedetti and Franconi 1998; Skinner and Elliot 2002",
);

/// Expected correct links of records that are unique in the sample.
pub static EXPECTED_UNIQUE: Definition = Definition::count(
    Group::Risk(About::Linkability),
    "expected_unique_reidentifications",
    "of unique records",
    "tau 2: sum of the individual risks of the unique records",
    "Benedetti and Franconi 1998; Skinner and Elliot 2002",
);

/// All figures of individual risk.
pub static DEFINITIONS: [&Definition; 7] = [
    &GLOBAL,
    &EXPECTED,
    &PROSECUTOR,
    &JOURNALIST,
    &MARKETER,
    &POPULATION_UNIQUE,
    &EXPECTED_UNIQUE,
];

/// The weights of a sample: how many people of the population each record stands for. Decimals are as good as whole numbers.
///
/// # Errors
/// Input, with the line: the attribute has no numbers, one is missing, or one is not above 0.
pub fn weights(table: &Table, attribute: AttrId) -> Result<Vec<f64>> {
    let name = &table.attribute(attribute).name;
    let refuse = |error: Error, record: usize, remedy: &str| {
        Err(error
            .in_file(table.name())
            .on_attribute(name)
            .at_line(table.line_of(record))
            .remedy(remedy))
    };
    let Some(numbers) = table.numbers(attribute) else {
        return Err(Error::input("holds no numbers, so it cannot be the weight")
            .in_file(table.name())
            .wrong_scale(name)
            .remedy("Name the column of sampling weights; 'sdcrisk describe' shows how columns are read"));
    };
    if let Some(record) = numbers.missing.records().next() {
        let remedy =
            "Every record stands for somebody: complete the weights, or leave --weights out";
        let error = Error::input("has no weight for this record").missing_values(name);
        return refuse(error, record, remedy);
    }
    if let Some(record) = numbers.values.iter().position(|&weight| weight <= 0.0) {
        let remedy =
            "A weight says how many people a record stands for: correct it, or leave --weights out";
        let error = Error::input("has a weight that is not above 0").outside("weights", above(0.0));
        return refuse(error, record, remedy);
    }
    Ok(numbers.values.to_vec())
}

/// The individual risk of a record whose key f records of the sample have, which stand for F of the population.
///
/// ```text
/// r = E(1/F | f),  F | f negative binomial with success probability p = f / F,  q = 1 − p
/// f = 1    p/q · ln(1/p)
/// f = 2    p/q − (p/q)² · ln(1/p)
/// f >= 3   p / (f − q), an approximation
/// F <= f   1/f
/// ```
///
/// The first two are summed as series near q = 0, where they would be differences of nearly equal numbers.
///
/// # Source
/// R. Benedetti, L. Franconi, "Statistical and technological solutions for controlled data dissemination", 1998; L. Franconi, S. Polettini, "Individual
/// risk estimation in mu-Argus: a review", PSD 2004, for the approximation.
pub fn individual_risk(sample: u32, population: f64) -> f64 {
    /// Below this q the series needs few terms.
    const NEAR: f64 = 0.05;
    const TERMS: i32 = 14;
    let f = f64::from(sample);
    if sample == 0 {
        return 0.0;
    }
    if population <= f {
        return 1.0 / f;
    }
    let p = f / population;
    // 1 - p without cancellation.
    let q = (population - f) / population;
    let series = |divisor: fn(f64) -> f64| -> f64 {
        p * (1..=TERMS)
            .rev()
            .fold(0.0, |sum, j| sum * q + 1.0 / divisor(f64::from(j)))
    };
    match sample {
        // ln(1/p)/q = sum of q^(j-1) / j.
        1 if q < NEAR => series(|j| j),
        1 => p / q * -p.ln(),
        // 1/q - p/q² · ln(1/p) = sum of q^(j-1) / (j (j+1)).
        2 if q < NEAR => series(|j| j * (j + 1.0)),
        2 => p / q * (1.0 - p / q * -p.ln()),
        _ => p / (f - q),
    }
}

/// The individual risk of every record; 0 where it has nothing of the key.
#[derive(Debug, Clone, PartialEq)]
pub struct IndividualRisks {
    /// How many people of the population each record's key stands for, if there are weights.
    pub population: Option<Vec<f64>>,
    /// The risk of each record.
    pub of_record: Vec<f64>,
}

impl IndividualRisks {
    /// The risks by these classes, with the weights of the records if there are any.
    pub fn new(classes: &KeyClasses, weights: Option<&[f64]>) -> Self {
        let population = weights.map(|weights| classes.weights(weights));
        let sizes = classes.sizes().par_iter().enumerate();
        let of_record = sizes.map(|(record, &size)| match &population {
            Some(population) => individual_risk(size, population[record]),
            None => individual_risk(size, f64::from(size)),
        });
        Self {
            of_record: of_record.collect(),
            population,
        }
    }

    /// Expected re-identifications and what the prosecutor, the journalist and the marketer find.
    ///
    /// The measures of the population are not defined without weights: nothing is known of it then.
    ///
    /// # Source
    /// K. El Emam, F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 15, 2008, for the three intruders.
    pub fn figures(&self, classes: &KeyClasses) -> Vec<Figure> {
        if classes.keyed() == 0 {
            return DEFINITIONS
                .map(|what| Figure::undefined(what, NO_KEY))
                .into();
        }
        let n = self.of_record.len() as u64;
        // Sums of many shares: in twice the working precision, else 412 is printed as 411.99999.
        let sum = |values: &[f64]| sum(values.iter().copied());
        let mean = |values: &[f64]| sum(values) / n as f64;
        let keyed = || (0..self.of_record.len()).filter(|&record| classes.sizes()[record] > 0);
        let people = |record: usize| match &self.population {
            // Weights below 1 cannot make a class of the population smaller than that of the sample.
            Some(population) => population[record].max(f64::from(classes.sizes()[record])),
            None => f64::from(classes.sizes()[record]),
        };
        let rarest = keyed().map(|record| classes.sizes()[record]).min();
        let rarest = rarest.map_or(1.0, f64::from);
        // A record with nothing of the key is linked by nobody.
        let sizes = classes.sizes().par_iter().enumerate();
        let one_of: Vec<f64> = sizes
            .map(|(record, &size)| if size > 0 { 1.0 / people(record) } else { 0.0 })
            .collect();
        let unique: Vec<usize> = keyed()
            .filter(|&record| classes.sizes()[record] == 1)
            .collect();
        let of_unique = |values: &[f64]| -> f64 {
            let values: Vec<f64> = unique.iter().map(|&record| values[record]).collect();
            sum(&values)
        };
        let n_unique = unique.len() as u64;
        let of_population = |what, value: f64, counted| match self.population {
            Some(_) => Figure::new(what, value, counted),
            None => Figure::undefined(what, "nothing is known of the population without --weights"),
        };
        vec![
            Figure::new(&GLOBAL, mean(&self.of_record), n),
            Figure::new(&EXPECTED, sum(&self.of_record), n),
            Figure::new(&PROSECUTOR, 1.0 / rarest, n),
            of_population(
                &JOURNALIST,
                1.0 / keyed().map(people).fold(f64::INFINITY, f64::min),
                n,
            ),
            Figure::new(&MARKETER, mean(&one_of), n),
            of_population(&POPULATION_UNIQUE, of_unique(&one_of), n_unique),
            of_population(&EXPECTED_UNIQUE, of_unique(&self.of_record), n_unique),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// p = 1/4: f = 1 of 4: (1/3) ln 4; f = 2 of 8: 1/3 − (1/9) ln 4; f = 3 of 12: (1/4) / (3 − 3/4) = 1/9.
    #[test]
    fn by_hand() {
        assert!(close(individual_risk(1, 4.0), 4_f64.ln() / 3.0));
        assert!(close(individual_risk(2, 8.0), 1.0 / 3.0 - 4_f64.ln() / 9.0));
        assert!(close(individual_risk(3, 12.0), 1.0 / 9.0));
        assert_eq!(individual_risk(4, 4.0), 0.25);
        assert_eq!(individual_risk(4, 0.5), 0.25);
        assert_eq!(individual_risk(0, 0.0), 0.0);
    }

    /// The definition, summed: E(1/F | f) = sum over F >= f of 1/F · C(F − 1, f − 1) p^f q^(F − f).
    #[test]
    fn the_closed_forms_are_the_expectation() {
        for f in [1_u32, 2] {
            for q in [0.9, 0.5, 0.06, 0.049, 1e-3, 1e-9] {
                let p: f64 = 1.0 - q;
                let mut term = p.powi(i32::try_from(f).unwrap());
                let mut sum = 0.0;
                for people in f..2000 {
                    sum += term / f64::from(people);
                    term *= q * f64::from(people) / f64::from(people - f + 1);
                }
                let found = individual_risk(f, f64::from(f) / p);
                assert!((found - sum).abs() < 1e-10, "{f} {q}: {found} {sum}");
            }
        }
    }

    #[test]
    fn risk_falls_with_the_population_and_never_exceeds_that_of_the_sample() {
        for f in 1..6_u32 {
            let mut last = 1.0 / f64::from(f);
            for step in 0..4000 {
                let people = f64::from(f) * (1.0 + f64::from(step) * f64::from(step) / 1e5);
                let risk = individual_risk(f, people);
                assert!(risk > 0.0 && risk <= last + 1e-12, "{f} {people}");
                last = risk;
            }
        }
    }
}
