//! What a certificate claims of small files, decided from the definitions alone: another program than `verify`, which reads the JSON by
//! itself, and has rows, sums and optima of its own.
//!
//! Files are of halves of whole numbers and not standardised, so that all features are whole numbers (four times the squares). Parameters
//! are taken times 2¹⁰⁷⁴, where every floating-point number is whole. How many records can be linked is found by asking each set of records:
//! Gordan's alternative, as a linear program in whole numbers.

use num_bigint::{BigInt, Sign};
use serde_json::Value;

/// Two aligned files, in halves.
#[derive(Clone)]
pub struct Halves {
    pub original: Vec<Vec<i64>>,
    pub masked: Vec<Vec<i64>>,
}

/// The families that are known here.
pub const FAMILIES: [&str; 9] = [
    "wm", "wm-m", "owa", "ci", "ci-m", "ci-2", "sb", "sb-nc", "sb-pd",
];

pub fn pairs(d: usize) -> Vec<(usize, usize)> {
    (0..d)
        .flat_map(|k| (k + 1..d).map(move |l| (k, l)))
        .collect()
}

fn is_form(family: &str) -> bool {
    family.starts_with("sb")
}

/// What parameters multiply in the distance of two records.
pub fn features(family: &str, a: &[i64], b: &[i64]) -> Vec<i128> {
    let d: Vec<i128> = a.iter().zip(b).map(|(a, b)| i128::from(a - b)).collect();
    let n = d.len();
    let mut squares: Vec<i128> = d.iter().map(|d| d * d).collect();
    match family {
        "owa" => {
            squares.sort_unstable();
            squares.reverse();
        }
        // The part of the squares that all of a set have and nobody else.
        "ci" | "ci-m" => {
            return (1..1_usize << n)
                .map(|set| {
                    let of = |inside: bool| (0..n).filter(move |k| (set >> k & 1 == 1) == inside);
                    let least = of(true).map(|k| squares[k]).min().unwrap();
                    let most = of(false).map(|k| squares[k]).max().unwrap_or(0);
                    (least - most).max(0)
                })
                .collect();
        }
        "ci-2" => {
            let least: Vec<i128> = pairs(n)
                .iter()
                .map(|&(k, l)| squares[k].min(squares[l]))
                .collect();
            squares.extend(least);
        }
        _ if is_form(family) => squares.extend(pairs(n).iter().map(|&(k, l)| 2 * d[k] * d[l])),
        _ => {}
    }
    squares
}

/// A condition `a·p ≥ 0` of all parameters, up to a factor, and what a certificate calls it, if it names it.
pub struct Condition {
    pub coefficients: Vec<i128>,
    pub name: Option<Value>,
}

fn named(set: usize, names: &[&str]) -> Vec<String> {
    let members = names.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
    members.map(|(_, name)| name.to_string()).collect()
}

/// The conditions whose cone is that of the family; of `sb-pd` none, a cone that holds it.
pub fn cone(family: &str, files: &Halves, names: &[&str], turned: bool) -> Vec<Condition> {
    let n = files.original[0].len();
    let sets = 1_usize << n;
    let mut conditions = Vec::new();
    let mut push = |dimension: usize, entries: &[(usize, i128)], name: Option<Value>| {
        let mut coefficients = vec![0; dimension];
        for &(k, value) in entries {
            coefficients[k] += value;
        }
        conditions.push(Condition { coefficients, name });
    };
    match family {
        "wm" | "wm-m" | "owa" => (0..n).for_each(|k| push(n, &[(k, 1)], None)),
        "ci" | "ci-m" => {
            for set in 0..sets {
                for k in (0..n).filter(|k| set >> k & 1 == 0) {
                    let mut entries = vec![((set | 1 << k) - 1, 1)];
                    if set > 0 {
                        entries.push((set - 1, -1));
                    }
                    let name = serde_json::json!({"grow": named(set, names), "by": names[k]});
                    push(sets - 1, &entries, Some(name));
                    for l in (k + 1..n).filter(|l| family == "ci-m" && set >> l & 1 == 0) {
                        let (a, b) = (set | 1 << k, set | 1 << l);
                        let mut entries = vec![(a - 1, 1), (b - 1, 1), ((a | b) - 1, -1)];
                        if set > 0 {
                            entries.push((set - 1, -1));
                        }
                        let of = [names[k], names[l]];
                        let name = serde_json::json!({"beside": named(set, names), "of": of});
                        push(sets - 1, &entries, Some(name));
                    }
                }
            }
        }
        "ci-2" => {
            let all = pairs(n);
            for k in 0..n {
                for set in (0..sets).filter(|set| set >> k & 1 == 0) {
                    let with = |&(a, b): &(usize, usize)| {
                        (a == k && set >> b & 1 == 1) || (b == k && set >> a & 1 == 1)
                    };
                    let places = all.iter().enumerate().filter(|(_, pair)| with(pair));
                    let mut entries: Vec<_> = places.map(|(place, _)| (n + place, 1)).collect();
                    entries.push((k, 1));
                    let name = serde_json::json!({"grow": named(set, names), "by": names[k]});
                    push(n + all.len(), &entries, Some(name));
                }
            }
        }
        "sb-nc" => {
            let (seekers, sought) = files.sides(turned);
            for (i, a) in (1..).zip(seekers) {
                for (j, b) in (1..).zip(sought) {
                    let entries: Vec<_> = features(family, a, b).into_iter().enumerate().collect();
                    let name = serde_json::json!({"pair": [i, j]});
                    push(entries.len(), &entries, Some(name));
                }
            }
        }
        _ => {}
    }
    conditions
}

impl Halves {
    fn sides(&self, turned: bool) -> (&Vec<Vec<i64>>, &Vec<Vec<i64>>) {
        if turned {
            (&self.masked, &self.original)
        } else {
            (&self.original, &self.masked)
        }
    }

    /// For each seeker, its competitors and their rows.
    pub fn rows(&self, family: &str, turned: bool) -> Vec<Vec<(usize, Vec<i128>)>> {
        let (seekers, sought) = self.sides(turned);
        let of = |i: usize| {
            let own = features(family, &seekers[i], &sought[i]);
            let others = (0..sought.len()).filter(move |&j| j != i);
            let row = move |j: usize| {
                let other = features(family, &seekers[i], &sought[j]);
                (j, other.iter().zip(&own).map(|(a, b)| a - b).collect())
            };
            others.map(row).collect()
        };
        (0..seekers.len()).map(of).collect()
    }

    /// The most records that parameters of the family link; of `sb-pd` of all forms.
    pub fn optimum(&self, family: &str, turned: bool) -> usize {
        let rows = self.rows(family, turned);
        let names = ["x", "y", "z"];
        let cone = cone(family, self, &names, turned);
        let n = rows.len();
        let mut sets: Vec<usize> = (0..1 << n).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
        let is_linkable = |set: &usize| against(&rows, *set, &cone).is_none();
        sets.into_iter()
            .find(is_linkable)
            .map_or(0, |set| set.count_ones() as usize)
    }
}

/// Why a set of records cannot be linked together: multipliers, not negative, of the rows (by seeker and place) and of the conditions, whose sum is 0.
pub struct Against {
    pub rows: Vec<(usize, usize, BigInt)>,
    pub conditions: Vec<(usize, BigInt)>,
    /// All of them are to be divided by this.
    pub by: BigInt,
}

/// `None` if some parameters link these records.
pub fn against(
    rows: &[Vec<(usize, Vec<i128>)>],
    set: usize,
    cone: &[Condition],
) -> Option<Against> {
    let chosen: Vec<(usize, usize)> = (0..rows.len())
        .filter(|i| set >> i & 1 == 1)
        .flat_map(|i| (0..rows[i].len()).map(move |place| (i, place)))
        .collect();
    let vectors: Vec<&Vec<i128>> = chosen.iter().map(|&(i, place)| &rows[i][place].1).collect();
    let (n_rows, width) = (vectors.len(), vectors.first()?.len());
    let vectors: Vec<&Vec<i128>> = vectors
        .into_iter()
        .chain(cone.iter().map(|condition| &condition.coefficients))
        .collect();
    let columns = vectors.len();
    // Σ x v = 0 and Σ x = 1 over the rows, x ≥ 0: the first phase of the simplex method, in whole numbers with a common denominator.
    let mut table: Vec<Vec<BigInt>> = (0..width)
        .map(|k| {
            vectors
                .iter()
                .map(|v| BigInt::from(v[k]))
                .chain([BigInt::from(0)])
                .collect()
        })
        .collect();
    let one = |column: usize| BigInt::from(u8::from(column < n_rows || column == columns));
    table.push((0..=columns).map(one).collect());
    let costs: Vec<BigInt> = (0..=columns)
        .map(|column| -table.iter().map(|row| &row[column]).sum::<BigInt>())
        .collect();
    table.push(costs);
    let last = width + 1;
    let mut basis: Vec<usize> = (columns..columns + last).collect();
    let mut by = BigInt::from(1);
    // Bland's rule: the first that helps.
    while let Some(enters) = (0..columns).find(|&c| table[last][c].sign() == Sign::Minus) {
        let positive = (0..last).filter(|&row| table[row][enters].sign() == Sign::Plus);
        let leaves = positive.min_by(|&a, &b| {
            let ratio = |row: usize, other: usize| &table[row][columns] * &table[other][enters];
            ratio(a, b).cmp(&ratio(b, a)).then(basis[a].cmp(&basis[b]))
        })?;
        let pivot = table[leaves].clone();
        for (number, row) in table
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| *row != leaves)
        {
            let factor = row[enters].clone();
            for (value, of_pivot) in row.iter_mut().zip(&pivot) {
                *value = (&*value * &pivot[enters] - &factor * of_pivot) / &by;
            }
            assert!(number == last || row[columns].sign() != Sign::Minus);
        }
        by.clone_from(&pivot[enters]);
        basis[leaves] = enters;
    }
    if table[last][columns].sign() != Sign::NoSign {
        return None;
    }
    let mut found = Against {
        rows: Vec::new(),
        conditions: Vec::new(),
        by,
    };
    for (row, &variable) in basis.iter().enumerate() {
        let value = table[row][columns].clone();
        if variable >= columns || value.sign() == Sign::NoSign {
            continue;
        }
        match variable.checked_sub(n_rows) {
            None => found
                .rows
                .push((chosen[variable].0, chosen[variable].1, value)),
            Some(condition) => found.conditions.push((condition, value)),
        }
    }
    Some(found)
}

/// A floating-point number times 2¹⁰⁷⁴.
fn fixed(value: f64) -> BigInt {
    let bits = value.to_bits();
    let (power, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let size = match power {
        0 => BigInt::from(fraction),
        power => BigInt::from(fraction | 1 << 52) << (power - 1),
    };
    if value < 0.0 { -size } else { size }
}

fn dot(p: &[BigInt], v: &[i128]) -> BigInt {
    p.iter().zip(v).map(|(p, v)| p * v).sum()
}

fn is_positive(value: &BigInt) -> bool {
    value.sign() == Sign::Plus
}

/// Leading minors, for three attributes at most.
fn is_definite(n: usize, p: &[BigInt]) -> bool {
    let all = pairs(n);
    let of = |k: usize, l: usize| {
        if k == l {
            &p[k]
        } else {
            &p[n + all
                .iter()
                .position(|&pair| pair == (k.min(l), k.max(l)))
                .unwrap()]
        }
    };
    let two = |a: usize, b: usize, c: usize, d: usize| of(a, c) * of(b, d) - of(a, d) * of(b, c);
    let three =
        || of(0, 0) * two(1, 2, 1, 2) - of(0, 1) * two(1, 2, 0, 2) + of(0, 2) * two(1, 2, 0, 1);
    is_positive(of(0, 0))
        && (n < 2 || is_positive(&two(0, 1, 0, 1)))
        && (n < 3 || is_positive(&three()))
}

/// Whether parameters are some of a family.
fn is_member(family: &str, files: &Halves, turned: bool, parameters: &[f64]) -> bool {
    let n = files.original[0].len();
    let p: Vec<BigInt> = parameters.iter().map(|&p| fixed(p)).collect();
    let one = fixed(1.0);
    let sum: BigInt = p.iter().sum();
    let names = ["x", "y", "z"];
    let within = |least: &BigInt| p.iter().all(|p| least <= p && *p <= one);
    let of_cone = || {
        let all = cone(family, files, &names, turned);
        all.iter()
            .all(|of| dot(&p, &of.coefficients).sign() != Sign::Minus)
    };
    of_cone()
        && match family {
            "wm" | "owa" => sum == one,
            "wm-m" => sum == one && p.iter().all(is_positive),
            "ci" | "ci-m" => p.last() == Some(&one),
            "ci-2" => sum == one && within(&-&one),
            "sb-pd" => within(&-&one) && is_definite(n, &p),
            _ => within(&-&one),
        }
}

/// Checks what a certificate claims of these files, given how many records can be linked at most. `Err`: what is false.
pub fn claims(
    certificate: &Value,
    files: &Halves,
    optimum: &mut dyn FnMut(&str, bool) -> usize,
) -> Result<(), String> {
    let text = |key: &str| certificate[key].as_str().unwrap_or_default().to_string();
    let number = |key: &str| certificate[key].as_u64().map_or(usize::MAX, |n| n as usize);
    let (family, turned) = (text("family"), text("direction") == "masked-to-original");
    let parameters: Vec<f64> = (certificate["parameters"].as_array().into_iter().flatten())
        .map(|p| p.as_f64().unwrap_or(f64::NAN))
        .collect();
    let rows = files.rows(&family, turned);
    let width = rows[0][0].1.len();
    if parameters.len() != width || !is_member(&family, files, turned, &parameters) {
        return Err("no member of the family".into());
    }
    let p: Vec<BigInt> = parameters.iter().map(|&p| fixed(p)).collect();
    let is_linked =
        |of: &&Vec<(usize, Vec<i128>)>| of.iter().all(|row| is_positive(&dot(&p, &row.1)));
    let linked = rows.iter().filter(is_linked).count();
    let optimum = match family.as_str() {
        // Nothing here decides it; what is linked bounds it from below.
        "sb-pd" => linked,
        family => optimum(family, turned),
    };
    match () {
        () if number("records") != rows.len() => Err("records".into()),
        () if number("linked") > linked => Err(format!("{linked} linked")),
        () if number("bound") < linked => Err("more linked than the bound".into()),
        () if number("bound") < optimum => Err(format!("the optimum is {optimum}")),
        () => Ok(()),
    }
}

/// Two attributes. Record 1 is at its own place in x and 1 off in y, its competitor the other way round; record 2 likewise with x and y exchanged: no
/// weights link both, a bilinear form neither (S_11 > S_22 and S_22 > S_11); 1/2 off instead, equal weights do.
#[test]
fn optima_by_hand() {
    let files = |off: i64| Halves {
        original: vec![vec![0, 0], vec![200, 200], vec![2, 0], vec![200, 202]],
        masked: vec![
            vec![0, off],
            vec![200 + off, 200],
            vec![2, 0],
            vec![200, 202],
        ],
    };
    for family in FAMILIES {
        // The ordered differences are the same: neither is ever linked.
        let expected = if family == "owa" { 2 } else { 3 };
        assert_eq!(files(2).optimum(family, false), expected, "{family}");
        assert_eq!(files(1).optimum(family, false), 4, "{family}");
    }
    assert_eq!(fixed(1.0), BigInt::from(1) << 1074);
    assert_eq!(fixed(-5e-324), BigInt::from(-1));
    assert!(is_definite(2, &[fixed(1.0), fixed(1.0), fixed(0.999)]));
    assert!(!is_definite(2, &[fixed(1.0), fixed(1.0), fixed(1.0)]));
}
