//! A household survey of people who do not exist, with the difficulties of an office's file.
//!
//! Semicolons, decimal commas and thousands dots, Windows-1252, line ends of Windows; region codes with leading zeros, a hierarchical code of
//! industry, -9 and 9999 for what is not known, weights, dates of birth, household numbers, remarks in free text, and an occupation that is
//! empty where nobody works. Regions differ in what people earn, industries in who works there, and members of a household share what belongs to
//! it. The same file comes out on every machine: the seed is fixed, and no logarithm or power is taken of a random number.

use std::fmt::Write;

use rand::{Rng, RngExt};

use crate::rng::{Purpose, Seed};

/// The names of the attributes.
const HEADER: &str = "person;household;region;birth;sex;education;status;occupation;industry;hours;wage;rent;household_income;weight;remarks";

/// Regions (state and district), and what is earned there, in percent of the mean.
const REGIONS: [(&str, i64); 14] = [
    ("01001", 122),
    ("01002", 104),
    ("01003", 96),
    ("02001", 99),
    ("02005", 88),
    ("03001", 108),
    ("03002", 93),
    ("03009", 84),
    ("04001", 101),
    ("04003", 91),
    ("05001", 97),
    ("05002", 86),
    ("09001", 131),
    ("09002", 118),
];

/// Levels of education, lowest first, and what they add to a wage, in percent.
const EDUCATION: [(&str, i64); 5] = [
    ("none", 0),
    ("primary", 8),
    ("apprenticeship", 25),
    ("secondary", 40),
    ("university", 85),
];

/// Industries (division and group), the occupation that is usual there, and its level of wages, in percent of the mean.
const INDUSTRIES: [(&str, &str, i64); 12] = [
    ("A01.1", "6111", 60),
    ("A01.4", "6121", 62),
    ("C10.1", "7511", 88),
    ("C10.7", "7512", 80),
    ("C25.6", "7223", 108),
    ("F41.2", "7112", 98),
    ("F43.3", "7131", 92),
    ("G47.1", "5223", 72),
    ("H49.4", "8332", 90),
    ("J62.0", "2512", 150),
    ("P85.2", "2341", 110),
    ("Q86.1", "3221", 105),
];

const REMARKS: [&str; 6] = [
    "Household moved in March; interviewed by telephone, the mother answered for all",
    "Respondent is the mayor of the village and asked for confidentiality",
    "Owner of the café beside the town hall, works at weekends only",
    "Twins, both born at the Wöchnerinnenheim; the grandmother lives next door",
    "Refused to state the rent, says that the flat belongs to an uncle in Málaga",
    "Second job as organist, paid in kind; third visit necessary",
];

/// The survey as bytes, with so many persons.
pub fn household_survey(persons: usize) -> Vec<u8> {
    let mut text = format!("{HEADER}\r\n");
    let mut written = 0;
    let mut household = 0_u64;
    while written < persons {
        let rng = &mut Seed::from_number(2026)
            .streams(Purpose::Shuffle, 2)
            .at(household);
        let members = members(rng).min(persons - written);
        let shared = Household::drawn(household, rng);
        let people: Vec<Person> = (0..members)
            .map(|place| person(place, &shared, rng))
            .collect();
        let wages: i64 = people.iter().map(|person| person.wage.unwrap_or(0)).sum();
        let income = wages + tens(shared.other_income);
        for person in people {
            written += 1;
            person.write(written, &shared, income, rng, &mut text);
        }
        household += 1;
    }
    // Every character of it is one byte of Windows-1252, of the value that Unicode has for it.
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect()
}

/// What the members of a household share.
struct Household {
    number: u64,
    region: &'static str,
    level: i64,
    /// From none to five, how good the jobs of the adults are.
    standing: i64,
    rent: Option<i64>,
    other_income: i64,
    weight: i64,
}

impl Household {
    fn drawn(number: u64, rng: &mut impl Rng) -> Self {
        // The first regions of the list are the large ones.
        let place = rng.random_range(0..REGIONS.len()) * rng.random_range(0..=REGIONS.len())
            / REGIONS.len();
        let (region, level) = REGIONS[place.min(REGIONS.len() - 1)];
        Self {
            number: 100_000 + number * 7,
            region,
            level,
            standing: rng.random_range(0..4) + rng.random_range(0..3),
            rent: match rng.random_range(0..20) {
                0..9 => Some(tens(
                    250 + rng.random_range(0..700) * level / 100 + rng.random_range(0..300),
                )),
                9 => Some(9999),
                _ => None,
            },
            other_income: if rng.random_bool(0.3) {
                rng.random_range(50..900)
            } else {
                0
            },
            weight: 8_000 + rng.random_range(0..9_000) + 300 * i64::try_from(place).unwrap_or(0),
        }
    }
}

struct Person {
    birth: (i64, u32, u32),
    sex: u32,
    education: usize,
    status: &'static str,
    /// Occupation, industry and hours of who works.
    job: Option<(String, &'static str, i64)>,
    wage: Option<i64>,
}

/// How many live together.
fn members(rng: &mut impl Rng) -> usize {
    match rng.random_range(0..100) {
        0..36 => 1,
        36..66 => 2,
        66..81 => 3,
        81..93 => 4,
        93..98 => 5,
        _ => 6 + usize::from(rng.random_bool(0.3)),
    }
}

fn person(place: usize, shared: &Household, rng: &mut impl Rng) -> Person {
    let age = match place {
        0 => 20 + rng.random_range(0..45) + rng.random_range(0..26),
        1 => 19 + rng.random_range(0..40) + rng.random_range(0..26),
        _ => rng.random_range(0..14) + rng.random_range(0..12),
    };
    let education = if age < 15 {
        0
    } else {
        (1 + rng.random_range(0..2_usize) + rng.random_range(0..3)).min(4)
    };
    let is_adult = (19..65).contains(&age);
    let status = match rng.random_range(0..100) {
        _ if age < 6 => "child",
        _ if age < 19 => "pupil",
        _ if age >= 65 => "retired",
        0..74 => "employed",
        74..82 => "self-employed",
        82..88 => "unemployed",
        _ if age < 27 => "student",
        _ => "at home",
    };
    let works = is_adult && status.contains("employed") && status != "unemployed";
    let job = works.then(|| {
        let (industry, occupation, level) = INDUSTRIES[rng.random_range(0..INDUSTRIES.len())];
        // One in five works in another occupation than the usual one.
        let occupation = if rng.random_bool(0.2) {
            INDUSTRIES[rng.random_range(0..INDUSTRIES.len())].1
        } else {
            occupation
        };
        let hours = match rng.random_range(0..40) {
            0 => -9,
            1..9 => 20 + rng.random_range(0..11),
            _ => 36 + rng.random_range(0..4) + rng.random_range(0..6),
        };
        (occupation.to_owned(), industry, hours, level)
    });
    let wage = job.as_ref().map(|(_, _, hours, level)| {
        let hours = if *hours < 0 { 38 } else { *hours };
        let base = 1_150 + 14 * (age.min(55) - 19) + 110 * shared.standing;
        let chance = 70 + rng.random_range(0..30) + rng.random_range(0..31);
        // A few earn a multiple.
        let times = if rng.random_bool(0.01) {
            2 + rng.random_range(0..4)
        } else {
            1
        };
        tens(
            base * (100 + EDUCATION[education].1) / 100 * level / 100 * shared.level / 100 * hours
                / 38
                * chance
                / 100
                * times,
        )
    });
    Person {
        birth: (2025 - age, rng.random_range(1..13), rng.random_range(1..29)),
        sex: 1 + rng.random_range(0..2),
        education,
        status,
        job: job.map(|(occupation, industry, hours, _)| (occupation, industry, hours)),
        wage,
    }
}

impl Person {
    fn write(
        &self,
        number: usize,
        shared: &Household,
        income: i64,
        rng: &mut impl Rng,
        text: &mut String,
    ) {
        let (year, month, day) = self.birth;
        let (occupation, industry, hours) = match &self.job {
            Some((occupation, industry, hours)) => (&occupation[..], *industry, hours.to_string()),
            None => ("", "", String::new()),
        };
        let wage = self.wage.map_or(String::new(), cents);
        let rent = shared.rent.map_or(String::new(), |rent| rent.to_string());
        let remarks = if rng.random_bool(0.04) {
            let (about, visit) = (rng.random_range(0..REMARKS.len()), rng.random_range(1..4));
            let (hour, minute) = (rng.random_range(8..20), rng.random_range(0..60));
            format!("\"{}; visit {visit}, {hour}:{minute:02}\"", REMARKS[about])
        } else {
            String::new()
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{:06};{};{};{day:02}.{month:02}.{year};{};{};{};{occupation};{industry};{hours};{wage};{rent};{};{},{:02};{remarks}\r\n",
            1_000 + number * 13 % 899_981,
            shared.number,
            shared.region,
            self.sex,
            EDUCATION[self.education].0,
            self.status,
            cents(income),
            shared.weight / 100,
            shared.weight % 100,
        );
    }
}

fn tens(amount: i64) -> i64 {
    (amount + 5) / 10 * 10
}

/// An amount with two decimals, a decimal comma and thousands dots.
fn cents(amount: i64) -> String {
    if amount < 1000 {
        format!("{amount},00")
    } else {
        format!("{}.{:03},00", amount / 1000, amount % 1000)
    }
}
