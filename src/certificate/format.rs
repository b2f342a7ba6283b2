//! The file: what is claimed, and why.
//!
//! # Numbers
//! Records are numbered from 1 as they stand in their file, and so are the generators of a cell. In a pair the first is the seeker (the
//! record that looks for its partner; of the original file if `direction` is `original-to-masked`), the second the competitor (of the
//! other file), which is not the seeker's partner.
//!
//! # Rows
//! The row v of a pair is what its features are more than those of the seeker and its partner, so that `v·p` is the difference of
//! the two squared distances, and the competitor is beaten iff `v·p > 0`. With squared standardised differences `diff_k` and standardised
//! differences `d_k` the features, and with them the parameters, are, in this order:
//!
//! ```text
//! wm, wm-m        diff_1 … diff_n
//! owa             the same, sorted, the greatest first
//! ci, ci-m        one a non-empty set A of attributes, by the number Σ 2^(k−1) over k ∈ A:  with diff_(1) ≤ diff_(2) ≤ …
//!                 diff_(k) − diff_(k−1) for the set {(k) … (n)}, 0 for all others        (the parameters are μ(A))
//! ci-2            diff_1 … diff_n, then min(diff_k, diff_l) for k < l, row by row         (the Möbius transform)
//! sb, sb-nc, sb-pd    d_1² … d_n², then 2 d_k d_l for k < l, row by row                   (the entries S_kl)
//! ```
//!
//! # Parameters
//! The proof speaks of all parameters in P, which the family defines:
//!
//! ```text
//! wm, wm-m, owa   0 ≤ p ≤ 1, Σ p = 1
//! ci              0 ≤ μ ≤ 1, μ(V) = 1, A ⊆ B ⇒ μ(A) ≤ μ(B)
//! ci-m            and μ(A) + μ(B) ≥ μ(A ∪ B) + μ(A ∩ B)
//! ci-2            0 ≤ m_k ≤ 1, −1 ≤ m_kl ≤ 1, Σ m = 1, m_k + Σ_{l ∈ T} m_kl ≥ 0 for all T
//! sb              −1 ≤ S_kl ≤ 1
//! sb-nc           and d² ≥ 0 for all pairs of the two files
//! sb-pd           and uᵀSu ≥ 0 for all u
//! ```
//!
//! # Claim
//! The parameters link `linked` records: all their rows are positive. For no parameters in P are there more than `bound` records whose rows
//! are all positive. There is no margin on either side.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The schema name and version of this file.
pub const SCHEMA: &str = "sdcrisk.certificate/2";

/// The families of learned distances, by their names on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Family {
    /// The weighted mean.
    #[serde(rename = "wm")]
    WeightedMean,
    /// With positive weights.
    #[serde(rename = "wm-m")]
    WeightedMeanMetric,
    /// The ordered weighted mean.
    #[serde(rename = "owa")]
    OrderedWeightedMean,
    /// The Choquet integral.
    #[serde(rename = "ci")]
    Choquet,
    /// Of a submodular measure.
    #[serde(rename = "ci-m")]
    ChoquetMetric,
    /// Of a 2-additive measure.
    #[serde(rename = "ci-2")]
    ChoquetTwoAdditive,
    /// The symmetric bilinear form.
    #[serde(rename = "sb")]
    Bilinear,
    /// Not negative on the pairs of the two files.
    #[serde(rename = "sb-nc")]
    BilinearNonNegative,
    /// Positive definite.
    #[serde(rename = "sb-pd")]
    BilinearDefinite,
}

impl Family {
    const ALL: [(Self, &'static str); 9] = [
        (Self::WeightedMean, "wm"),
        (Self::WeightedMeanMetric, "wm-m"),
        (Self::OrderedWeightedMean, "owa"),
        (Self::Choquet, "ci"),
        (Self::ChoquetMetric, "ci-m"),
        (Self::ChoquetTwoAdditive, "ci-2"),
        (Self::Bilinear, "sb"),
        (Self::BilinearNonNegative, "sb-nc"),
        (Self::BilinearDefinite, "sb-pd"),
    ];

    /// The family of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, word)| *word == name);
        found.map(|(family, _)| *family)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(family, _)| *family == self);
        found.map_or("", |(_, word)| word)
    }
}

/// Who looks for whom.
///
/// This and [`Standardize`] are the checker's own, and not those of `attack`: a mistake in what a word means there must not be
/// repeated here, where it is to be found. A certificate means what this file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Each original record that the intruder holds looks for its masked record.
    OriginalToMasked,
    /// Each masked record looks for its original.
    MaskedToOriginal,
}

/// By what the files are standardised: as `link --standardize` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Standardize {
    /// Each by its own means and sds.
    Own,
    /// Both by those of the masked file.
    Masked,
    /// Both by those of the original records that the intruder holds.
    Original,
    /// Not at all.
    None,
}

/// A proof that can be checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Certificate {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program that wrote it.
    pub version: String,
    /// The family of distances.
    pub family: Family,
    /// Names of the attributes that the intruder knows, in the order of the features.
    pub known: Vec<String>,
    /// Who looks for whom.
    pub direction: Direction,
    /// By what the files are standardised.
    pub standardize: Standardize,
    /// The files, and the true matches.
    pub files: Files,
    /// The original records that the intruder holds, ascending; null if they hold all.
    pub held: Option<Vec<u32>>,
    /// Seekers that have a partner.
    pub records: usize,
    /// The parameters whose links are claimed, in the order of the family.
    pub parameters: Vec<f64>,
    /// How many records they link.
    pub linked: usize,
    /// How many records any parameters link at most.
    pub bound: usize,
    /// Records that no parameters link, each with the competitor that shows it: a pair whose row is nowhere positive in P by itself.
    ///
    /// For the mean families it has no positive coefficient. For the Choquet integral no `diff_k` of the competitor is above the
    /// partner's (more of every difference is more distance). For bilinear forms the row is zero.
    pub never: Vec<Pair>,
    /// Why no parameters link more than `bound`.
    pub proof: Proof,
}

/// The two files, and the true matches in them, so that others are noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Files {
    /// What the original was like: its records and values.
    pub original: File,
    /// The masked one.
    pub masked: File,
    /// Digest of the true matches ([`super::fingerprint`]).
    pub pairing: String,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// Number of records.
    pub records: usize,
    /// Digest of the values of the known attributes ([`super::fingerprint`]).
    pub values: String,
}

/// A seeker and a competitor, as `[record, competitor]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Pair(pub u32, pub u32);

impl Pair {
    /// Of records numbered from 0 in their files.
    pub fn of_rows(seeker: u32, competitor: u32) -> Self {
        Self(seeker.saturating_add(1), competitor.saturating_add(1))
    }
}

/// A pair with a multiplier, which is positive, of its row scaled to a greatest coefficient of 1: `[record, competitor, multiplier]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Weighted(pub u32, pub u32, pub f64);

impl Weighted {
    /// Of records numbered from 0 in their files.
    pub fn of_rows(seeker: u32, competitor: u32, multiplier: f64) -> Self {
        let Pair(record, competitor) = Pair::of_rows(seeker, competitor);
        Self(record, competitor, multiplier)
    }
}

/// Why no parameters link more than the bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Each conflict costs a record, and no fewer than `dropped` records (that are not in `never`) hit all conflicts:
    /// `records − |never| − dropped` are left.
    Covering {
        /// Records that cannot all be linked.
        conflicts: Vec<Conflict>,
        /// The least number of records that hit all conflicts.
        dropped: usize,
    },
    /// The simplex (wm, owa) is covered by cells, and in none of them more records than the bound can be linked.
    Cells {
        /// A tree, in depth-first order: after a split the first half with all below it, then the second.
        nodes: Vec<Node>,
    },
    /// A search that leaves nothing that could be checked.
    Search {
        /// What was searched, for people: words that follow "the bound rests on". Nothing follows from them, and `verify` does not read them.
        rests_on: String,
    },
}

/// Records that no parameters link together.
///
/// With rows v scaled to a greatest coefficient of 1 and their multipliers λ, half-spaces a (`a·p ≥ 0` in P) and theirs η, and for
/// families with `Σ p = 1` the multiplier θ of that plane:
///
/// ```text
/// r = Σ λ v + Σ η a + θ 1,      Σ_k max(r_k lower_k, r_k upper_k) − θ  ≤  0
/// ```
///
/// says that not all of these rows are positive, so that one of their records at least is not linked. Multipliers are rounded. Where terms
/// cancel, it is others near them for which the inequality holds, and a checker finds these: the rows, and what is to be 0, say which.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conflict {
    /// Rows with their multipliers λ.
    pub rows: Vec<Weighted>,
    /// Half-spaces with their multipliers η, which are positive: `[half-space, multiplier]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub half_spaces: Vec<(HalfSpace, f64)>,
    /// θ, of either sign.
    #[serde(default)]
    pub plane: f64,
}

/// A half-space that P lies in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum HalfSpace {
    /// Monotonicity (ci, ci-m, ci-2): `μ(grow ∪ {by}) − μ(grow) ≥ 0`.
    Monotone {
        /// A set of attributes, perhaps empty.
        grow: Vec<String>,
        /// An attribute that is not in it.
        by: String,
    },
    /// Submodularity (ci-m): `μ(S ∪ {k}) + μ(S ∪ {l}) − μ(S ∪ {k, l}) − μ(S) ≥ 0`.
    Submodular {
        /// S, perhaps empty.
        beside: Vec<String>,
        /// k and l, which are not in it.
        of: (String, String),
    },
    /// Definiteness (sb-pd): `uᵀSu ≥ 0`.
    Direction {
        /// u.
        direction: Vec<f64>,
    },
    /// A pair of records whose d² is not negative (sb-nc); its features are scaled to a greatest coefficient of 1.
    Pair {
        /// Seeker and sought record (here the partner is one, too).
        pair: Pair,
    },
}

impl HalfSpace {
    /// Names a half-space that is given by its coefficients, which are 1 and −1, by ascending parameter: as a space of parameters
    /// lists them.
    ///
    /// `None` for one that is not monotonicity or submodularity of the family.
    pub fn of_coefficients(
        family: Family,
        known: &[String],
        coefficients: &[(u32, f64)],
    ) -> Option<Self> {
        match family {
            Family::Choquet | Family::ChoquetMetric => of_sets(known, coefficients),
            Family::ChoquetTwoAdditive => of_interactions(known, coefficients),
            _ => None,
        }
    }
}

/// From coefficients of the measure: a set is a number with bit k for attribute k, its parameter that number − 1.
fn of_sets(known: &[String], coefficients: &[(u32, f64)]) -> Option<HalfSpace> {
    let sets = |positive: bool| -> Vec<u64> {
        let of_sign = coefficients
            .iter()
            .filter(|entry| (entry.1 > 0.0) == positive);
        of_sign.map(|entry| u64::from(entry.0) + 1).collect()
    };
    let names = |set: u64| -> Vec<String> {
        let members = known.iter().enumerate();
        let members = members.filter(|(k, _)| *k < 64 && set >> k & 1 == 1);
        members.map(|(_, name)| name.clone()).collect()
    };
    let single = |set: u64| match names(set).as_slice() {
        [name] => Some(name.clone()),
        _ => None,
    };
    let (plus, minus) = (sets(true), sets(false));
    match (plus.as_slice(), minus.as_slice()) {
        (&[greater], &[] | &[_]) => {
            let set = minus.first().copied().unwrap_or(0);
            (set & !greater == 0).then_some(HalfSpace::Monotone {
                grow: names(set),
                by: single(greater & !set)?,
            })
        }
        (&[with_k, with_l], &[.., union]) => {
            let set = with_k & with_l;
            let without = match set {
                0 => vec![],
                set => vec![set],
            };
            let fits = union == with_k | with_l && minus[..minus.len() - 1] == without;
            fits.then_some(HalfSpace::Submodular {
                beside: names(set),
                of: (single(with_k & !set)?, single(with_l & !set)?),
            })
        }
        _ => None,
    }
}

/// From coefficients of the Möbius transform: `m_k + Σ_{l ∈ T} m_kl`.
fn of_interactions(known: &[String], coefficients: &[(u32, f64)]) -> Option<HalfSpace> {
    let n = known.len();
    let parameter = |place: usize| {
        let (parameter, value) = coefficients.get(place)?;
        (*value > 0.0).then_some(usize::try_from(*parameter).ok()?)
    };
    let by = parameter(0).filter(|&k| k < n)?;
    let mut grow = Vec::new();
    for place in 1..coefficients.len() {
        let (k, l) = pair_at(n, parameter(place)?)?;
        let other = match (k == by, l == by) {
            (true, false) => l,
            (false, true) => k,
            _ => return None,
        };
        grow.push(known[other].clone());
    }
    Some(HalfSpace::Monotone {
        grow,
        by: known[by].clone(),
    })
}

/// The pair k < l of a parameter that comes after n single ones.
fn pair_at(n: usize, parameter: usize) -> Option<(usize, usize)> {
    let mut pairs = (0..n).flat_map(|k| (k + 1..n).map(move |l| (k, l)));
    pairs.nth(parameter.checked_sub(n)?)
}

/// A node of a tree of simplicial cones. The root is the cone of the unit vectors (p ≥ 0); each cone has as many generators as
/// there are parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// `[a, b, at]`: the generator `g = g_a + at · g_b` (exactly) replaces generator b in the first half and generator a in the
    /// second. Generators are numbered from 1; `at` is positive.
    Split(u32, u32, f64),
    /// In this cell no parameters link more than `records − |never| − |wrong| −` (the least number of other records that hit all
    /// `conflicts`).
    Leaf {
        /// Pairs whose rows are nowhere positive in the cell, one a record.
        #[serde(default)]
        wrong: Vec<Pair>,
        /// Rows with multipliers whose sum is nowhere positive in the cell.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        conflicts: Vec<Vec<Weighted>>,
    },
}

impl Node {
    /// A split of generators numbered from 0.
    pub fn split(a: usize, b: usize, at: f64) -> Self {
        let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1);
        Self::Split(number(a), number(b), at)
    }
}

impl Certificate {
    /// The file, one record of the proof after the other, without white space.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads the file of this name.
    ///
    /// # Errors
    /// Input, when it is no certificate, one of another schema, or one that says nothing.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        let wrong = |what: String| {
            Error::input(what)
                .in_file(name)
                .remedy("Give the file that 'sdcrisk link --certificate FILE' wrote")
        };
        let certificate: Self = serde_json::from_str(text)
            .map_err(|error| wrong(format!("is not a certificate ({})", without_values(&error))))?;
        if certificate.schema != SCHEMA {
            return Err(wrong(format!("is not of the schema {SCHEMA}")));
        }
        Ok(certificate)
    }
}

/// What a JSON error says of place and kind: its full text could quote the content.
fn without_values(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Syntax => "no JSON, or a number that is out of range",
        serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Data => "a key is missing or of the wrong kind",
        serde_json::error::Category::Io => "unreadable",
    };
    match error.line() {
        0 => kind.into(),
        line => format!("{kind}, line {line}, column {}", error.column()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        ["A", "B", "C"].map(String::from).to_vec()
    }

    /// By hand: in ci the parameter of {A} is 0, of {A, B} 2, of {C} 3, of {A, C} 4, of all three 6.
    #[test]
    fn half_spaces_of_a_measure_are_named_by_their_sets() {
        let name = |coefficients: &[(u32, f64)]| {
            HalfSpace::of_coefficients(Family::ChoquetMetric, &known(), coefficients)
        };
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        assert_eq!(
            name(&[(2, -1.0), (6, 1.0)]),
            Some(HalfSpace::Monotone {
                grow: names(&["A", "B"]),
                by: "C".into()
            })
        );
        assert_eq!(
            name(&[(0, -1.0), (2, 1.0), (4, 1.0), (6, -1.0)]),
            Some(HalfSpace::Submodular {
                beside: names(&["A"]),
                of: ("B".into(), "C".into())
            })
        );
        assert_eq!(
            name(&[(0, 1.0), (3, 1.0), (4, -1.0)]),
            Some(HalfSpace::Submodular {
                beside: vec![],
                of: ("A".into(), "C".into())
            })
        );
        // {B} does not grow to {A, C}; {A} and {C} do not meet in {B}.
        assert_eq!(name(&[(1, -1.0), (4, 1.0)]), None);
        assert_eq!(name(&[(0, 1.0), (1, -1.0), (3, 1.0), (4, -1.0)]), None);
        assert_eq!(name(&[(0, 1.0), (2, 1.0)]), None);
        assert_eq!(name(&[]), None);
    }

    /// By hand: of three attributes the pairs AB, AC, BC are the parameters 3, 4, 5.
    #[test]
    fn half_spaces_of_interactions_are_named_by_their_sets() {
        let name = |coefficients: &[(u32, f64)]| {
            HalfSpace::of_coefficients(Family::ChoquetTwoAdditive, &known(), coefficients)
        };
        assert_eq!(
            name(&[(1, 1.0), (3, 1.0), (5, 1.0)]),
            Some(HalfSpace::Monotone {
                grow: vec!["A".into(), "C".into()],
                by: "B".into()
            })
        );
        assert_eq!(name(&[(1, 1.0), (4, 1.0)]), None);
        assert_eq!(name(&[(1, 1.0), (6, 1.0)]), None);
        assert_eq!(name(&[]), None);
    }

    #[test]
    fn it_reads_back_to_the_last_bit() {
        let digest = || "0".repeat(64);
        let file = || File {
            records: 3,
            values: digest(),
        };
        let mut certificate = Certificate {
            schema: SCHEMA.into(),
            version: "0.1.0".into(),
            family: Family::Choquet,
            known: known(),
            direction: Direction::OriginalToMasked,
            standardize: Standardize::Own,
            files: Files {
                original: file(),
                masked: file(),
                pairing: digest(),
            },
            held: None,
            records: 3,
            parameters: vec![0.1, 1.0 / 3.0, 5e-324, 1.797e308],
            linked: 2,
            bound: 2,
            never: vec![Pair::of_rows(0, 2)],
            proof: Proof::Covering {
                conflicts: vec![Conflict {
                    rows: vec![Weighted::of_rows(0, 1, 0.3), Weighted(2, 1, 2.0 / 3.0)],
                    half_spaces: vec![(
                        HalfSpace::Monotone {
                            grow: vec!["A".into()],
                            by: "B".into(),
                        },
                        0.7,
                    )],
                    plane: -0.1,
                }],
                dropped: 1,
            },
        };
        let proofs = [
            certificate.proof.clone(),
            Proof::Cells {
                nodes: vec![
                    Node::split(0, 1, 0.1),
                    Node::Leaf {
                        wrong: vec![Pair(1, 2)],
                        conflicts: vec![vec![Weighted(1, 2, 0.9)]],
                    },
                ],
            },
            Proof::Search {
                rests_on: "a solver".into(),
            },
        ];
        for proof in proofs {
            certificate.proof = proof;
            let text = certificate.to_json();
            assert_eq!(
                Certificate::from_json("c.json", &text).unwrap(),
                certificate
            );
        }
    }

    #[test]
    fn what_is_no_certificate_is_refused_without_quoting_it() {
        for text in ["", "{", "[]", r#"{"schema":"geheim"}"#, "1e999", "NaN"] {
            let error = Certificate::from_json("c.json", text).unwrap_err();
            let message = error.to_string();
            assert!(
                message.starts_with("c.json: is not a certificate"),
                "{message}"
            );
            assert!(!message.contains("geheim"), "{message}");
        }
    }
}
