//! Steps that follow each other on one attribute, as the one step that has the law of all of them.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Method, NoiseParameters, Partner, PramParameters, RecodingRule, Statement, Step,
    TransitionMatrix,
};

/// A history in which one step stands for several on the same attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// The history, of which [`Laws`](super::Laws) are made. It is none that was published.
    pub statement: Statement,
    /// The attributes whose law includes a recoding: it is about values as they were before that.
    pub unrecoded: Vec<String>,
}

/// What a rule of the step at this place makes of categories, each of which comes to one; `None` where that cannot be known.
pub type Recoded<'a> = dyn Fn(usize, &RecodingRule, &[String]) -> Option<Vec<String>> + 'a;

impl Statement {
    /// The history with one step instead of several on one attribute, where the law of all of them is known.
    ///
    /// ```text
    /// pram, then pram       R = A B                     B over the categories that A yields
    /// pram, then recode     R_ac = Σ A_ab               over the b that became c
    /// noise, then noise     level = (1 + k)(1 + l) − 1  each variance is a share of that of the file at its step
    /// swap, then swap       displacements add up        rankswap in pairs, and pdistribution ([`Method::Swaps`])
    /// ```
    ///
    /// Steps of post-randomisation and of recoding may follow each other in any number. With strata in several of them, these must be
    /// the same, and unchanged in between; with strata in one, there is a product for each. Noise must be uncorrelated, and its mean and
    /// variance not restored; where it was rounded, it must have been the last time, too. A category that was drawn by A and is not in B
    /// was nobody's any more (a sample left it out): given that, the rows of A without it are scaled to sum 1. Swaps must have been of the
    /// whole file, with no sample in between, and without sums or zeros that were kept.
    ///
    /// Everything else is as it was, and attributes that were moved by several steps of other kinds, too. So are those that other steps depend
    /// on: attributes that make strata, or to which relations were kept.
    ///
    /// # Complexity
    /// O(categories³) for each pair of matrices.
    pub fn composed(&self, recoded: &Recoded<'_>) -> Composed {
        let mut composing = Composing {
            history: &self.steps,
            steps: self.steps.clone(),
            inserted: vec![Vec::new(); self.steps.len()],
            unrecoded: Vec::new(),
        };
        let moving = self.steps.iter().filter(|step| step.moves_values());
        let names: BTreeSet<&String> = moving.flat_map(|step| &step.attributes).collect();
        for name in names {
            composing.compose(name, recoded);
        }
        Composed {
            unrecoded: std::mem::take(&mut composing.unrecoded),
            statement: Self {
                steps: composing.steps(),
                ..self.clone()
            },
        }
    }
}

/// A history while attributes are composed, one after the other.
struct Composing<'a> {
    history: &'a [Step],
    /// The same steps, without what others stand for.
    steps: Vec<Step>,
    /// What follows each of them.
    inserted: Vec<Vec<Step>>,
    unrecoded: Vec<String>,
}

impl Composing<'_> {
    /// One step for all that were done to this attribute since it was moved first, if their law is known.
    fn compose(&mut self, name: &String, recoded: &Recoded<'_>) {
        let history = self.history;
        let changes = |step: &&Step| match step.method {
            Method::Recode(_) => step.attributes.contains(name),
            _ => step.moves_values() && step.changed().any(|changed| changed == name),
        };
        let moves = |step: &Step| step.moves_values() && changes(&step);
        let Some(first) = history.iter().position(moves) else {
            return;
        };
        let numbers = first + 1..history.len();
        let later: Vec<usize> = numbers.filter(|&at| changes(&&history[at])).collect();
        let depends = |step: &Step| step.moves_values() && step.was_given(name);
        let all = std::iter::once(first).chain(later.iter().copied());
        let is_masked = |at: usize| history[at].attributes.contains(name);
        if later.is_empty() || history.iter().any(depends) || !all.clone().all(is_masked) {
            return;
        }
        let composed = match &history[first].method {
            Method::Pram(stated) => self.post_randomised(name, (first, stated), &later, recoded),
            Method::Noise(_) => self.noise(&all.collect::<Vec<_>>()),
            Method::RankSwap(_) | Method::PDistribution(_) => self.swaps(&all.collect::<Vec<_>>()),
            _ => None,
        };
        let Some(method) = composed else { return };
        self.replace(name, first, method);
        for at in later {
            if matches!(history[at].method, Method::Recode(_)) && !self.unrecoded.contains(name) {
                self.unrecoded.push(name.clone());
            }
            self.steps[at].forget(name);
        }
    }

    /// Whether these attributes are what they were when the first of these steps was done, until the last was.
    fn stay(&self, names: &[String], first: usize, last: usize) -> bool {
        let between = &self.history[(first + 1).min(last)..=last];
        let mut changed = between.iter().flat_map(Step::changed);
        !changed.any(|name| names.contains(name))
    }

    /// The law of post-randomisation at the first of these places, and of what followed.
    fn post_randomised(
        &self,
        name: &String,
        (first, stated): (usize, &PramParameters),
        later: &[usize],
        recoded: &Recoded<'_>,
    ) -> Option<Method> {
        let mut law = stated.of_only(name);
        for &at in later {
            match &self.history[at].method {
                Method::Pram(next) => {
                    let twice = !law.strata.is_empty() && !next.strata.is_empty();
                    if twice && !(law.strata == next.strata && self.stay(&law.strata, first, at)) {
                        return None;
                    }
                    law = law.then(&next.of_only(name))?;
                }
                Method::Recode(next) => {
                    for rule in next.rules.iter().filter(|rule| rule.attribute == *name) {
                        law = law.merged(&|categories| recoded(at, rule, categories))?;
                    }
                }
                _ => return None,
            }
        }
        (!law.matrices.is_empty()).then_some(Method::Pram(law))
    }

    /// The law of noise that was added in all these steps.
    fn noise(&self, all: &[usize]) -> Option<Method> {
        let (&first, &last) = (all.first()?, all.last()?);
        let strata = &self.history[first].strata;
        let mut growth = 1.0;
        let mut law: Option<&NoiseParameters> = None;
        let mut rounded_before = 0;
        for &at in all {
            let step = &self.history[at];
            let Method::Noise(stated) = &step.method else {
                return None;
            };
            let is_plain = !stated.correlated && !stated.restored;
            if !is_plain || !step.kept.is_empty() || !step.within.is_empty() {
                return None;
            }
            if step.strata != *strata || law.is_some_and(|law| law.law != stated.law) {
                return None;
            }
            growth *= 1.0 + stated.level;
            rounded_before += usize::from(stated.rounded);
            law = Some(stated);
        }
        let law = law?;
        rounded_before -= usize::from(law.rounded);
        let unit_is_known = law.rounded || rounded_before == 0;
        (unit_is_known && self.stay(strata, first, last)).then(|| {
            Method::Noise(NoiseParameters {
                level: growth - 1.0,
                rounded_before,
                ..law.clone()
            })
        })
    }

    /// The law of swaps by displacement of ranks in all these steps.
    fn swaps(&self, all: &[usize]) -> Option<Method> {
        let (&first, &last) = (all.first()?, all.last()?);
        let records = self.history[first].records;
        let is_whole = |step: &Step| step.before() == records && step.records == records;
        if !self.history[first..=last].iter().all(is_whole) {
            return None;
        }
        let swap = |&at: &usize| {
            let step = &self.history[at];
            let is_plain = step.kept.is_empty() && step.strata.is_empty();
            let adds_up = match &step.method {
                Method::RankSwap(stated) => stated.partner != Partner::Cycle,
                Method::PDistribution(_) => true,
                _ => false,
            };
            (is_plain && adds_up).then(|| step.method.clone())
        };
        Some(Method::Swaps(all.iter().map(swap).collect::<Option<_>>()?))
    }

    /// Lets the step at this place mask the attribute by this method, or one that follows it where it masks others by its own.
    fn replace(&mut self, name: &String, at: usize, method: Method) {
        let step = &mut self.steps[at];
        if let (Method::Pram(own), Method::Pram(law)) = (&mut step.method, &method)
            && own.strata == law.strata
        {
            own.matrices.retain(|matrix| matrix.attribute != *name);
            own.matrices.extend(law.matrices.iter().cloned());
            return;
        }
        let alone = Step {
            method,
            attributes: vec![name.clone()],
            ..step.clone()
        };
        step.forget(name);
        let mut others = self.inserted[at].iter_mut();
        if others.find_map(|other| other.joined(&alone)).is_none() {
            self.inserted[at].push(alone);
        }
    }

    /// The steps, without those that have nothing left to move.
    fn steps(self) -> Vec<Step> {
        let is_left = |step: &Step| !step.moves_values() || step.changed().next().is_some();
        (self.steps.into_iter().zip(self.inserted))
            .flat_map(|(step, inserted)| std::iter::once(step).chain(inserted))
            .filter(is_left)
            .collect()
    }
}

impl Step {
    /// Takes over what another step of post-randomisation in the same strata does; `None` if it is none.
    fn joined(&mut self, other: &Self) -> Option<()> {
        let (Method::Pram(own), Method::Pram(more)) = (&mut self.method, &other.method) else {
            return None;
        };
        (own.strata == more.strata).then(|| {
            own.matrices.extend(more.matrices.iter().cloned());
            self.attributes.extend(other.attributes.iter().cloned());
        })
    }

    /// Leaves an attribute to another step.
    fn forget(&mut self, name: &String) {
        self.attributes.retain(|other| other != name);
        match &mut self.method {
            Method::Pram(stated) => stated.matrices.retain(|matrix| matrix.attribute != *name),
            Method::Recode(stated) => stated.rules.retain(|rule| rule.attribute != *name),
            _ => {}
        }
    }
}

impl PramParameters {
    /// What is stated of one attribute.
    fn of_only(&self, name: &str) -> Self {
        Self {
            matrices: self.of(name).cloned().collect(),
            ..self.clone()
        }
    }

    /// The categories that somebody can have.
    fn yielded(&self) -> BTreeSet<&String> {
        let yielded = self.matrices.iter().flat_map(|matrix| {
            let rows = matrix.probabilities.iter();
            let cells = rows.flat_map(|row| matrix.categories.iter().zip(row));
            cells
                .filter(|(_, p)| **p > 0.0)
                .map(|(category, _)| category)
        });
        yielded.collect()
    }

    /// Both, the other one last; `None` where it is about categories that this one does not yield.
    fn then(&self, next: &Self) -> Option<Self> {
        let yielded = self.yielded();
        let mut of_next = next.matrices.iter().flat_map(|matrix| &matrix.categories);
        if !of_next.all(|category| yielded.contains(category)) {
            return None;
        }
        let strata = if self.strata.is_empty() {
            &next.strata
        } else {
            &self.strata
        };
        let mut matrices = Vec::new();
        for own in &self.matrices {
            for other in &next.matrices {
                let in_all = own.stratum.is_empty() || other.stratum.is_empty();
                if in_all || own.stratum == other.stratum {
                    matrices.push(own.then(other));
                }
            }
        }
        Some(Self {
            invariant: self.invariant && next.invariant,
            strata: strata.clone(),
            matrices,
        })
    }

    /// The same with categories merged, by a map that is asked about all that this yields.
    fn merged(&self, map: &dyn Fn(&[String]) -> Option<Vec<String>>) -> Option<Self> {
        let before: Vec<String> = self.yielded().into_iter().cloned().collect();
        let after = map(&before)?;
        if after.len() != before.len() {
            return None;
        }
        let map: BTreeMap<&String, String> = before.iter().zip(after).collect();
        let merged = self.matrices.iter().map(|matrix| matrix.merged(&map));
        Some(Self {
            invariant: false,
            strata: self.strata.clone(),
            matrices: merged.collect(),
        })
    }
}

impl TransitionMatrix {
    /// The matrix of the same rows, of which the columns are named anew. A category that is new has a row of zeros: it was nobody's before.
    fn with_columns(&self, rows: Vec<BTreeMap<&String, f64>>) -> Self {
        let mut categories = self.categories.clone();
        for &name in rows.iter().flat_map(BTreeMap::keys) {
            if !categories.contains(name) {
                categories.push(name.clone());
            }
        }
        let none = BTreeMap::new();
        let probabilities = (0..categories.len()).map(|at| {
            let row = rows.get(at).unwrap_or(&none);
            let entry = |name: &String| row.get(name).copied().unwrap_or(0.0);
            categories.iter().map(entry).collect()
        });
        Self {
            attribute: self.attribute.clone(),
            stratum: self.stratum.clone(),
            probabilities: probabilities.collect(),
            categories,
        }
    }

    /// The product of both, of which one may be of all strata.
    fn then(&self, next: &Self) -> Self {
        let places = next.categories.iter().zip(&next.probabilities);
        let row_of: BTreeMap<&String, &Vec<f64>> = places.collect();
        let product = |row: &Vec<f64>| {
            let mut sums: BTreeMap<&String, f64> = BTreeMap::new();
            let mut there = 0.0;
            for (category, &p) in self.categories.iter().zip(row) {
                if let Some(row) = row_of.get(category).filter(|_| p > 0.0) {
                    there += p;
                    for (to, q) in next.categories.iter().zip(*row).filter(|(_, q)| **q > 0.0) {
                        *sums.entry(to).or_insert(0.0) += p * q;
                    }
                }
            }
            sums.values_mut().for_each(|p| *p /= there);
            sums
        };
        let mut both = self.with_columns(self.probabilities.iter().map(product).collect());
        if both.stratum.is_empty() {
            both.stratum.clone_from(&next.stratum);
        }
        both
    }

    /// The same with categories that became one added up.
    fn merged(&self, map: &BTreeMap<&String, String>) -> Self {
        let row = |row: &Vec<f64>| {
            let mut sums: BTreeMap<&String, f64> = BTreeMap::new();
            for (category, &p) in self.categories.iter().zip(row).filter(|(_, p)| **p > 0.0) {
                *sums
                    .entry(map.get(category).unwrap_or(category))
                    .or_insert(0.0) += p;
            }
            sums
        };
        self.with_columns(self.probabilities.iter().map(row).collect())
    }
}
