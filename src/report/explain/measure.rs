//! What a measure says: of sets, of single attributes, of pairs.

use serde::Serialize;

use super::{Range, range, words};
use crate::{
    attack::learned::weights::{Basis, Weights, basis, set_name},
    report::text,
    stats::measure::{SetFunction, members, size},
};

/// A measure, read in every way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Measured {
    /// All sets but the empty one: by size from the whole down, within a size from the greatest measure.
    pub sets: Vec<SetOfAttributes>,
    /// What each attribute is worth on average, greatest first.
    pub shapley: Vec<Worth>,
    /// What each pair is worth beyond its parts, strongest first.
    pub interactions: Vec<Interaction>,
    /// All attributes, in the order in which they add up fastest.
    pub strongest_path: Vec<String>,
    /// The smallest sets that count nearly in full.
    pub decisive: Vec<String>,
    /// The attributes, bit by bit.
    #[serde(skip)]
    pub attributes: Vec<String>,
    /// The sets of `decisive`.
    #[serde(skip)]
    decisive_sets: Vec<usize>,
    /// The sets of `strongest_path`, from the first attribute to all.
    #[serde(skip)]
    pub path: Vec<usize>,
}

/// A set of attributes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SetOfAttributes {
    /// The attribute as the intruder's file names it.
    pub name: String,
    /// The names of the attributes in the set.
    pub attributes: Vec<String>,
    /// How much a difference in exactly these attributes counts, as a share of one in all.
    pub measure: f64,
    /// What it adds to its parts (Möbius transform).
    pub mass: f64,
    /// In which range the measure may vary without a link being lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Range,
    /// In which range the mass may vary without a link being lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass_range: Range,
    /// The set as a number: bit k is attribute k.
    #[serde(skip)]
    pub set: usize,
}

/// What an attribute is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Worth {
    /// The attribute.
    pub attribute: String,
    /// Its Shapley value.
    pub value: f64,
    /// In which range that may vary without a link being lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Range,
    /// Its place among the attributes.
    #[serde(skip)]
    pub place: usize,
}

/// What a pair is worth beyond its parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interaction {
    /// The names of both attributes.
    pub attributes: [String; 2],
    /// Its interaction index.
    pub value: f64,
}

/// From this measure on a set counts nearly in full.
const NEARLY_ALL: f64 = 0.9;

/// From this size on an interaction is worth a sentence.
const NOTABLE: f64 = 0.05;

/// How many sets of more than one attribute the text shows.
const MAX_SETS: usize = 26;

impl Measured {
    /// Reads it.
    pub fn new(weights: &Weights, measure: &SetFunction) -> Self {
        let attributes = weights.attributes.clone();
        let path = strongest_path(measure);
        let steps = std::iter::once(0).chain(path.iter().copied());
        let strongest_path = steps
            .zip(&path)
            .map(|(from, to)| set_name(from ^ to, &attributes))
            .collect();
        let decisive_sets = decisive(measure);
        let decisive = decisive_sets
            .iter()
            .map(|&set| set_name(set, &attributes))
            .collect();
        Self {
            sets: sets(weights, measure),
            shapley: shapley(weights, measure),
            interactions: interactions(&attributes, measure),
            strongest_path,
            decisive,
            attributes,
            decisive_sets,
            path,
        }
    }

    /// The sets, worths and interactions as tables for the terminal.
    pub fn to_text(&self) -> String {
        let mut out = self.shapley_table();
        if !self.interactions.is_empty() {
            out += "\n";
            out += &self.interaction_table();
        }
        out + "\n" + &self.set_table()
    }

    fn shapley_table(&self) -> String {
        let alone = |place: usize| {
            let found = self.sets.iter().find(|of| of.set == 1 << place);
            found.map_or(String::new(), |of| words::share(of.measure))
        };
        let rows: Vec<Vec<String>> = self
            .shapley
            .iter()
            .map(|worth| {
                vec![
                    worth.attribute.clone(),
                    words::bar(worth.value),
                    words::share(worth.value),
                    alone(worth.place),
                    words::range(worth.range, words::share),
                ]
            })
            .collect();
        let header = ["attribute", "", "Shapley value", "alone", "range"];
        words::columns(&header, rows, 2)
    }

    fn interaction_table(&self) -> String {
        const MAX: usize = 15;
        let rows: Vec<Vec<String>> = self
            .interactions
            .iter()
            .take(MAX)
            .map(|pair| {
                let reading = match pair.value {
                    v if v >= NOTABLE => "needed together",
                    v if v <= -NOTABLE => "either is enough",
                    _ => "hardly any",
                };
                vec![
                    pair.attributes.join(", "),
                    reading.into(),
                    format!("{:+.3}", pair.value),
                ]
            })
            .collect();
        let mut out = text::columns(&["pair", "", "interaction"], &rows, 2);
        if self.interactions.len() > MAX {
            out += &format!(
                "  and {} weaker ones (--format json has all)\n",
                self.interactions.len() - MAX
            );
        }
        out
    }

    fn set_table(&self) -> String {
        let shown = self.shown();
        let rows: Vec<Vec<String>> = shown
            .iter()
            .map(|of| {
                vec![
                    size(of.set).to_string(),
                    of.name.clone(),
                    words::bar(of.measure),
                    format!("{:.4}", of.measure),
                    format!("{:+.4}", of.mass),
                    words::range(of.range.or(of.mass_range), |figure| format!("{figure:.3}")),
                ]
            })
            .collect();
        let range = if self.sets.iter().any(|of| of.mass_range.is_some()) {
            "range of mass"
        } else {
            "range of measure"
        };
        let header = ["size", "set", "", "measure", "mass", range];
        let mut out = words::columns(&header, rows, 3);
        if shown.len() < self.sets.len() {
            out += &format!(
                "  and {} sets that are worth less or hold one of these (--format json has all)\n",
                self.sets.len() - shown.len()
            );
        }
        out
    }

    /// The sets of the text: the whole, the single attributes, and the strongest others; of equals the smaller.
    fn shown(&self) -> Vec<&SetOfAttributes> {
        let always = |of: &SetOfAttributes| [1, self.attributes.len()].contains(&size(of.set));
        let mut others: Vec<&SetOfAttributes> = self.sets.iter().filter(|of| !always(of)).collect();
        others.sort_by(|a, b| {
            let by_measure = b.measure.total_cmp(&a.measure);
            by_measure
                .then(size(a.set).cmp(&size(b.set)))
                .then(a.set.cmp(&b.set))
        });
        others.truncate(MAX_SETS);
        let mut chosen: Vec<usize> = others.iter().map(|of| of.set).collect();
        chosen.sort_unstable();
        let shows = |of: &&SetOfAttributes| always(of) || chosen.binary_search(&of.set).is_ok();
        self.sets.iter().filter(shows).collect()
    }

    /// What it says.
    pub fn in_words(&self, weights: &Weights) -> Vec<String> {
        let Some(first) = self.shapley.first() else {
            return Vec::new();
        };
        if first.value >= 1.0 - words::NOTHING && words::shows_key(weights) {
            return vec![words::key(&first.attribute)];
        }
        let mut said = vec![format!(
            "{} counts most: {} of the distance on average over all ways in which attributes can be combined (Shapley value). \
             To tell a person's masked record from others this distance looks at it before all else.",
            first.attribute,
            words::share(first.value)
        )];
        said.extend(self.of_decisive_sets());
        said.extend(self.of_interactions());
        said.extend(self.of_idle());
        if self.attributes.len() > 2 {
            said.push(format!(
                "In the order in which attributes add up fastest: {}.",
                self.strongest_path.join(", then ")
            ));
        }
        said
    }

    fn of_decisive_sets(&self) -> Option<String> {
        let all = (1 << self.attributes.len()) - 1;
        let names = |sets: &[usize], open: &str, close: &str| -> Vec<String> {
            let name = |&set: &usize| format!("{open}{}{close}", set_name(set, &self.attributes));
            sets.iter().map(name).collect()
        };
        // They are in the order of their sizes.
        let n_singles = self.decisive_sets.partition_point(|&set| size(set) == 1);
        let (singles, sets) = self.decisive_sets.split_at(n_singles);
        match (singles, sets) {
            ([], []) => None,
            ([], &[set]) if set == all => Some(
                "No smaller set of attributes counts nearly in full: records are far apart only if they differ in all of them."
                    .into(),
            ),
            ([], sets) => Some(format!(
                "No attribute counts nearly in full by itself. The smallest sets that do: {}. Records that differ in such a set \
                 are far apart whatever the rest says; its attributes complement one another.",
                words::list(&names(sets, "{", "}"))
            )),
            (singles, sets) => {
                let mut line = format!(
                    "A difference in {} alone counts nearly in full already, whatever the other attributes say.",
                    words::either(&names(singles, "", ""))
                );
                if !sets.is_empty() {
                    line += &format!(
                        " So does one in all of {}.",
                        words::either(&names(sets, "{", "}"))
                    );
                }
                Some(line)
            }
        }
    }

    fn of_interactions(&self) -> Vec<String> {
        let named = |pair: &&Interaction| {
            format!(
                "{} and {} ({:+.2})",
                pair.attributes[0], pair.attributes[1], pair.value
            )
        };
        let pick = |keep: &dyn Fn(f64) -> bool| -> Vec<String> {
            const MAX: usize = 3;
            let of_interest = self.interactions.iter().filter(|pair| keep(pair.value));
            of_interest.take(MAX).map(|pair| named(&pair)).collect()
        };
        let (together, either) = (pick(&|v| v >= NOTABLE), pick(&|v| v <= -NOTABLE));
        if together.is_empty() && either.is_empty() {
            return if self.interactions.is_empty() {
                Vec::new()
            } else {
                vec![format!(
                    "No two attributes interact by more than {NOTABLE}: this is nearly a weighted mean with the Shapley values as \
                 weights."
                )]
            };
        }
        let mut said = Vec::new();
        if !together.is_empty() {
            said.push(format!(
                "Needed together: {}. Only records that differ in both are told apart; each brings what the other lacks.",
                together.join("; ")
            ));
        }
        if !either.is_empty() {
            said.push(format!(
                "Either is enough: {}. A difference in one of the two already tells records apart; the other repeats it.",
                either.join("; ")
            ));
        }
        said
    }

    fn of_idle(&self) -> Option<String> {
        const IDLE: f64 = 0.005;
        let idle: Vec<&str> = self
            .shapley
            .iter()
            .filter(|worth| worth.value < IDLE)
            .map(|worth| worth.attribute.as_str())
            .collect();
        let (play, are) = match idle[..] {
            [] => return None,
            [_] => ("plays", "it is"),
            _ => ("play", "they are"),
        };
        Some(format!(
            "{} {play} next to no part: sets with and without count the same. That does not show that {are} safe: another \
             attribute may say the same.",
            words::list(&idle)
        ))
    }
}

fn sets(weights: &Weights, measure: &SetFunction) -> Vec<SetOfAttributes> {
    let masses = measure.mobius();
    let names = weights.names();
    let of_masses = basis(weights.family) == Basis::Mobius;
    let mut sets: Vec<SetOfAttributes> = (1..=measure.all())
        .map(|set| {
            let name = set_name(set, &weights.attributes);
            let place = if of_masses {
                names.iter().position(|other| *other == name)
            } else {
                Some(set - 1)
            };
            let range = place.and_then(|place| range(weights.ranges.as_ref(), place));
            SetOfAttributes {
                name,
                attributes: members(set)
                    .map(|k| weights.attributes[k].clone())
                    .collect(),
                measure: measure.of(set),
                mass: masses.of(set),
                range: range.filter(|_| !of_masses),
                mass_range: range.filter(|_| of_masses),
                set,
            }
        })
        .collect();
    sets.sort_by(|a, b| {
        let by_size = size(b.set).cmp(&size(a.set));
        by_size
            .then(b.measure.total_cmp(&a.measure))
            .then(a.set.cmp(&b.set))
    });
    sets
}

fn shapley(weights: &Weights, measure: &SetFunction) -> Vec<Worth> {
    let mut shapley: Vec<Worth> = measure
        .shapley()
        .into_iter()
        .enumerate()
        .map(|(place, value)| Worth {
            attribute: weights.attributes[place].clone(),
            value,
            range: range(weights.shapley_ranges.as_ref(), place),
            place,
        })
        .collect();
    shapley.sort_by(|a, b| b.value.total_cmp(&a.value));
    shapley
}

fn interactions(attributes: &[String], measure: &SetFunction) -> Vec<Interaction> {
    let n = attributes.len();
    let mut pairs: Vec<Interaction> = (0..n)
        .flat_map(|k| (k + 1..n).map(move |l| (k, l)))
        .map(|(k, l)| Interaction {
            attributes: [attributes[k].clone(), attributes[l].clone()],
            value: measure.interaction(k, l),
        })
        .collect();
    pairs.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    pairs
}

/// The sets on the way from one attribute to all, one more at a time, whose measures have the greatest sum; of equal ways the
/// one whose last attributes come first in the file.
fn strongest_path(measure: &SetFunction) -> Vec<usize> {
    // Of each set the greatest sum of a way to it, and the last attribute of that way.
    let mut ways = vec![(0.0, 0); measure.all() + 1];
    for set in 1..=measure.all() {
        let sum = |k: usize| ways[set ^ 1 << k].0 + measure.of(set);
        let best = members(set).fold(None, |best, k| match best {
            Some((most, _)) if most >= sum(k) => best,
            _ => Some((sum(k), k)),
        });
        ways[set] = best.unwrap_or_default();
    }
    let mut path = Vec::new();
    let mut set = measure.all();
    while set != 0 {
        path.push(set);
        set ^= 1 << ways[set].1;
    }
    path.reverse();
    path
}

/// The sets that count nearly in full, of which no part does; the smallest and strongest first, six at most.
fn decisive(measure: &SetFunction) -> Vec<usize> {
    const MAX: usize = 6;
    let full = |set: usize| measure.of(set) >= NEARLY_ALL;
    let mut sets: Vec<usize> = (1..=measure.all())
        .filter(|&set| full(set) && !members(set).any(|k| full(set ^ 1 << k)))
        .collect();
    sets.sort_by(|&a, &b| {
        let by_size = size(a).cmp(&size(b));
        by_size.then(measure.of(b).total_cmp(&measure.of(a)))
    });
    sets.truncate(MAX);
    sets
}
