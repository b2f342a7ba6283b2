//! Right certificates of small files, changed at random: whatever `verify` still calls proved is true by another program
//! ([`super::certificate_oracle`]).

use std::{cell::RefCell, collections::BTreeMap};

use num_bigint::BigInt;
use sdcrisk::{
    certificate::{
        Certificate, Pairing,
        check::{self, Outcome},
        format::SCHEMA,
    },
    table::{AttrId, ReadOptions, Table},
};
use serde_json::{Value, json};

use super::{
    certificate_oracle::{FAMILIES, Halves, against, claims, cone, pairs},
    random_files::Dice,
};

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Certificates changed and checked, unless `SDCRISK_MUTATIONS` says how many.
const MUTATIONS: usize = 20_000;

/// Files with what was asked of them: optima by family and direction.
struct Ground {
    halves: Halves,
    tables: [Table; 2],
    optima: RefCell<BTreeMap<(String, bool), usize>>,
}

impl Ground {
    fn new(halves: Halves) -> Self {
        let table = |name: &str, records: &[Vec<i64>]| {
            let mut text = NAMES[..records[0].len()].join(",") + "\n";
            for record in records {
                let cells = record.iter().map(|&half| (half as f64 / 2.0).to_string());
                text += &(cells.collect::<Vec<_>>().join(",") + "\n");
            }
            let options = ReadOptions {
                header: Some(true),
                ..ReadOptions::default()
            };
            Table::read(name, text.into_bytes(), &options).unwrap()
        };
        Self {
            tables: [
                table("o.csv", &halves.original),
                table("m.csv", &halves.masked),
            ],
            halves,
            optima: RefCell::default(),
        }
    }

    fn optimum(&self, family: &str, turned: bool) -> usize {
        let mut optima = self.optima.borrow_mut();
        let key = (family.to_string(), turned);
        *(optima.entry(key)).or_insert_with(|| self.halves.optimum(family, turned))
    }

    fn with_pairing<T>(&self, work: impl FnOnce(&Pairing<'_>) -> T) -> T {
        let [original, masked] = &self.tables;
        let known: Vec<(AttrId, AttrId)> = original.ids().map(|id| (id, id)).collect();
        let masked_of: Vec<Option<u32>> = (0..original.n_records() as u32).map(Some).collect();
        work(&Pairing {
            original,
            masked,
            known: &known,
            masked_of: &masked_of,
        })
    }

    /// What `verify` makes of a certificate; `None` if it refuses it.
    fn verify(&self, certificate: &Value) -> Option<Outcome> {
        let certificate = Certificate::from_json("c.json", &certificate.to_string()).ok()?;
        let [original, masked] = &self.tables;
        let known = check::attributes(&certificate, original, masked).ok()?;
        let verdict = self.with_pairing(|pairing| {
            let known = &known[..];
            check::check(&certificate, &Pairing { known, ..*pairing })
        });
        verdict.ok().map(|verdict| verdict.outcome())
    }

    fn claims(&self, certificate: &Value) -> Result<(), String> {
        let mut optimum = |family: &str, turned| self.optimum(family, turned);
        claims(certificate, &self.halves, &mut optimum)
    }
}

/// Whole and half numbers with ties, duplicates, an attribute that does not differ, and an outlier.
fn grounds(dice: &mut Dice) -> Vec<Ground> {
    let mut grounds = Vec::new();
    for round in 0..14 {
        let (n, d) = if round % 3 == 2 { (5, 3) } else { (6, 2) };
        let mut original: Vec<Vec<i64>> = (0..n)
            .map(|_| (0..d).map(|_| 2 * dice.roll(4) as i64).collect())
            .collect();
        if round % 4 == 1 {
            original[1] = original[0].clone();
        }
        let mut masked = original.clone();
        for record in &mut masked {
            for cell in record {
                *cell += dice.roll(5) as i64 - 2;
            }
        }
        match round % 5 {
            2 => masked[2] = masked[3].clone(),
            3 => {
                original[0][0] = 6_000_000;
                masked[0][0] = 6_000_000;
            }
            4 => masked
                .iter_mut()
                .skip(1)
                .for_each(|record| record[1] += 6_000_000),
            _ => {}
        }
        grounds.push(Ground::new(Halves { original, masked }));
    }
    grounds
}

/// a / b as a floating-point number.
fn quotient(a: &BigInt, b: &BigInt) -> f64 {
    let shifted: BigInt = (a << 120) / b;
    shifted.to_string().parse::<f64>().unwrap() / 2.0_f64.powi(120)
}

fn greatest(vector: &[i128]) -> BigInt {
    let greatest = vector.iter().map(|v| v.abs()).max().unwrap_or(0);
    BigInt::from(greatest.max(1))
}

/// Parameters of a family, in eighths, which need not link many.
fn parameters(family: &str, d: usize, dice: &mut Dice) -> Vec<f64> {
    let eighth = |k: u64| k as f64 / 8.0;
    let first = 1 + dice.roll(6);
    let weights = match d {
        2 => vec![eighth(first), eighth(8 - first)],
        _ => vec![eighth(first), eighth(1), eighth(7 - first)],
    };
    match family {
        "ci" | "ci-m" => (1..1_usize << d)
            .map(|set| {
                (0..d)
                    .filter(|k| set >> k & 1 == 1)
                    .map(|k| weights[k])
                    .sum()
            })
            .collect(),
        "wm" | "wm-m" | "owa" => weights,
        _ => weights
            .into_iter()
            .chain(pairs(d).iter().map(|_| 0.0))
            .collect(),
    }
}

/// A right certificate of a family, by conflicts: all sets of records that cannot be linked and hold no other.
fn by_conflicts(ground: &Ground, family: &str, turned: bool, dice: &mut Dice) -> Value {
    let rows = ground.halves.rows(family, turned);
    let n = rows.len();
    let conditions = cone(family, &ground.halves, &NAMES, turned);
    let mut sets: Vec<usize> = (1..1 << n).collect();
    sets.sort_by_key(|set| set.count_ones());
    let mut minimal: Vec<usize> = Vec::new();
    let mut conflicts = Vec::new();
    for set in sets {
        if minimal.iter().any(|other| other & set == *other) {
            continue;
        }
        let Some(found) = against(&rows, set, &conditions) else {
            continue;
        };
        minimal.push(set);
        let of_rows = found.rows.iter().map(|(i, place, multiplier)| {
            let (competitor, row) = &rows[*i][*place];
            let multiplier = multiplier * greatest(row);
            json!([i + 1, competitor + 1, quotient(&multiplier, &found.by)])
        });
        let of_conditions = found.conditions.iter().filter_map(|(place, multiplier)| {
            let condition = &conditions[*place];
            let name = condition.name.clone()?;
            // A row is four times as large here as it is; so is a pair.
            let multiplier = match name.get("pair") {
                Some(_) => multiplier * greatest(&condition.coefficients),
                None => multiplier / BigInt::from(1),
            };
            Some(json!([name, quotient(&multiplier, &found.by)]))
        });
        conflicts.push(json!({
            "rows": of_rows.collect::<Vec<_>>(),
            "half_spaces": of_conditions.collect::<Vec<_>>(),
            "plane": 0.0,
        }));
    }
    let optimum = match family {
        "sb-pd" => ground.optimum("sb", turned),
        family => ground.optimum(family, turned),
    };
    let proof = json!({"covering": {"conflicts": conflicts, "dropped": n - optimum}});
    certificate(ground, family, turned, optimum, proof, dice)
}

/// A right certificate by cells: the edge of the first two weights, cut again and again.
fn by_cells(ground: &Ground, family: &str, turned: bool, dice: &mut Dice) -> Value {
    let rows = ground.halves.rows(family, turned);
    let d = ground.halves.original[0].len();
    let unit = |k: usize| (0..d).map(|l| i128::from(k == l)).collect::<Vec<i128>>();
    let mut pending: Vec<(Vec<Vec<i128>>, usize)> = vec![((0..d).map(unit).collect(), 0)];
    let (mut nodes, mut bound) = (Vec::new(), 0);
    while let Some((generators, depth)) = pending.pop() {
        let is_against = |row: &[i128]| {
            let at = |g: &Vec<i128>| g.iter().zip(row).map(|(g, v)| g * v).sum::<i128>();
            generators.iter().all(|g| at(g) <= 0)
        };
        if depth < 4 {
            let (a, b) = (depth % d, (depth + 1) % d);
            let at = 1 + dice.roll(2) as i128;
            let new: Vec<i128> = (0..d)
                .map(|k| generators[a][k] + at * generators[b][k])
                .collect();
            nodes.push(json!({"split": [a + 1, b + 1, at as f64]}));
            let half = |replaced: usize| {
                let mut generators = generators.clone();
                generators[replaced].clone_from(&new);
                (generators, depth + 1)
            };
            pending.extend([half(a), half(b)]);
            continue;
        }
        let wrong = rows.iter().enumerate().filter_map(|(i, all)| {
            let (competitor, _) = all.iter().find(|(_, row)| is_against(row))?;
            Some(json!([i + 1, competitor + 1]))
        });
        let wrong: Vec<Value> = wrong.collect();
        bound = bound.max(rows.len() - wrong.len());
        nodes.push(json!({"leaf": {"wrong": wrong}}));
    }
    let proof = json!({"cells": {"nodes": nodes}});
    certificate(ground, family, turned, bound, proof, dice)
}

fn certificate(
    ground: &Ground,
    family: &str,
    turned: bool,
    bound: usize,
    proof: Value,
    dice: &mut Dice,
) -> Value {
    let d = ground.halves.original[0].len();
    let n = ground.halves.original.len();
    let mut certificate = json!({
        "schema": SCHEMA,
        "version": "0",
        "family": family,
        "known": &NAMES[..d],
        "direction": if turned { "masked-to-original" } else { "original-to-masked" },
        "standardize": "none",
        "files": ground.with_pairing(|pairing| serde_json::to_value(pairing.files()).unwrap()),
        "held": null,
        "records": n,
        "parameters": parameters(family, d, dice),
        "linked": 0,
        "bound": bound,
        "never": [],
        "proof": proof,
    });
    // What is linked, by the program that is asked later.
    let linked = (0..=n).rev().find(|&linked| {
        certificate["linked"] = linked.into();
        !matches!(ground.claims(&certificate), Err(why) if why.ends_with(" linked"))
    });
    certificate["linked"] = linked.unwrap().into();
    certificate
}

/// The places of all values of some kind.
fn places(value: &Value, path: &str, is_wanted: &dyn Fn(&Value) -> bool, found: &mut Vec<String>) {
    if is_wanted(value) {
        found.push(path.to_string());
    }
    match value {
        Value::Array(entries) => {
            for (k, entry) in entries.iter().enumerate() {
                places(entry, &format!("{path}/{k}"), is_wanted, found);
            }
        }
        Value::Object(entries) => {
            for (key, entry) in entries {
                places(entry, &format!("{path}/{key}"), is_wanted, found);
            }
        }
        _ => {}
    }
}

/// A value of some kind, at random.
fn any<'a>(
    json: &'a mut Value,
    is_wanted: &dyn Fn(&Value) -> bool,
    dice: &mut Dice,
) -> Option<&'a mut Value> {
    let mut found = Vec::new();
    places(json, "", is_wanted, &mut found);
    let path = found.get(dice.roll(found.len().max(1) as u64) as usize)?;
    json.pointer_mut(path)
}

fn change_number(number: &mut Value, dice: &mut Dice) {
    let old = number.as_f64().unwrap();
    let by = dice.roll(7) as f64 - 3.0;
    let changed = match dice.roll(10) {
        0 => old + 1.0,
        1 => old - 1.0,
        2 => old * 2.0,
        3 => old / 2.0,
        4 => -old,
        5 => 0.0,
        6 => old + by,
        7 => old * (1.0 + by * 1e-7),
        8 => f64::from_bits(old.to_bits().wrapping_add(1)),
        _ => by,
    };
    let is_whole = (number.is_u64() || number.is_i64()) && changed.fract() == 0.0;
    *number = if is_whole {
        json!(changed as i64)
    } else {
        json!(changed)
    };
}

/// Bound and cover go together, so that no contradiction gives it away.
fn lower_the_bound(json: &mut Value) {
    let lower = |value: &mut Value, by: i64| {
        if let Some(number) = value.as_i64() {
            *value = json!(number + by);
        }
    };
    lower(&mut json["bound"], -1);
    if json["proof"].get("covering").is_some() {
        lower(&mut json["proof"]["covering"]["dropped"], 1);
    }
}

fn mutate(json: &mut Value, others: &[(usize, Value)], dice: &mut Dice) {
    let is_list = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
    match dice.roll(12) {
        0..=3 => {
            if let Some(number) = any(json, &Value::is_number, dice) {
                change_number(number, dice);
            }
        }
        4 => {
            if let Some(Value::Array(list)) = any(json, &is_list, dice) {
                let place = dice.roll(list.len() as u64) as usize;
                list.remove(place);
            }
        }
        5 => {
            if let Some(Value::Array(list)) = any(json, &is_list, dice) {
                let place = dice.roll(list.len() as u64) as usize;
                list.push(list[place].clone());
            }
        }
        6 => {
            if let Some(Value::Array(list)) = any(json, &is_list, dice) {
                let roll = |dice: &mut Dice| dice.roll(list.len() as u64) as usize;
                let (a, b) = (roll(dice), roll(dice));
                list.swap(a, b);
            }
        }
        7 => json["family"] = json!(FAMILIES[dice.roll(9) as usize]),
        8 => lower_the_bound(json),
        9 => {
            let n = dice.roll(7);
            json["never"] = (0..n)
                .map(|_| json!([1 + dice.roll(6), 1 + dice.roll(6)]))
                .collect();
        }
        10 => {
            let key = ["linked", "bound", "records", "margin"][dice.roll(4) as usize];
            json[key] = json!(dice.roll(7));
        }
        _ => {
            // A part of another certificate.
            let other = &others[dice.roll(others.len() as u64) as usize].1;
            let key = ["proof", "parameters", "never", "direction"][dice.roll(4) as usize];
            json[key] = other[key].clone();
            if dice.roll(8) == 0 {
                json["proof"] = json!({"search": {"rests_on": "a proof"}});
            }
        }
    }
}

/// Certificates by an oracle are proved; of those changed once to three times, or given with other files, none is that is false.
#[test]
fn nothing_false_is_proved() {
    let mut dice = Dice(14);
    let grounds = grounds(&mut dice);
    let mut certificates: Vec<(usize, Value)> = Vec::new();
    for (place, ground) in grounds.iter().enumerate() {
        for family in FAMILIES {
            let turned = (place + family.len()) % 2 == 1;
            certificates.push((place, by_conflicts(ground, family, turned, &mut dice)));
            if matches!(family, "wm" | "wm-m" | "owa") {
                certificates.push((place, by_cells(ground, family, turned, &mut dice)));
            }
        }
    }
    for (place, certificate) in &certificates {
        let outcome = grounds[*place].verify(certificate);
        assert_eq!(outcome, Some(Outcome::Proved), "{place}: {certificate}");
        assert_eq!(
            grounds[*place].claims(certificate),
            Ok(()),
            "{place}: {certificate}"
        );
    }
    let wanted = std::env::var("SDCRISK_MUTATIONS")
        .ok()
        .and_then(|text| text.parse().ok());
    let (mut proved, mut wrong, mut named, mut refused) = (0, 0, 0, 0);
    for _ in 0..wanted.unwrap_or(MUTATIONS) {
        let (place, certificate) = &certificates[dice.roll(certificates.len() as u64) as usize];
        let mut changed = certificate.clone();
        let mut ground = &grounds[*place];
        if dice.roll(12) == 0 {
            // Other files, to which it is made to belong.
            ground = &grounds[dice.roll(grounds.len() as u64) as usize];
            let files = ground.with_pairing(|pairing| pairing.files());
            changed["files"] = serde_json::to_value(files).unwrap();
        }
        for _ in 0..1 + dice.roll(3) {
            mutate(&mut changed, &certificates, &mut dice);
        }
        match ground.verify(&changed) {
            Some(Outcome::Proved) => {
                proved += 1;
                assert_eq!(ground.claims(&changed), Ok(()), "{changed}");
            }
            Some(Outcome::Wrong) => wrong += 1,
            Some(Outcome::Named) => named += 1,
            None => refused += 1,
        }
    }
    println!("{proved} proved, {wrong} wrong, {named} not proved, {refused} refused");
    // Changes that make nothing false (an order, a multiplier) leave some proved.
    assert!(
        proved > 100 && wrong > 1000 && named > 10,
        "{proved} {wrong} {named}"
    );
}
