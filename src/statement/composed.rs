//! Steps that follow each other on one attribute, as the one step that has the law of all of them.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::{
        NoiseLaw, Partner, RankSwapParameters, RecodeParameters, SampleParameters, SampleSize,
    };

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn matrix(
        on: &str,
        stratum: &[&str],
        categories: &[&str],
        rows: &[&[f64]],
    ) -> TransitionMatrix {
        TransitionMatrix {
            attribute: on.into(),
            stratum: stratum.iter().map(|&name| Some(name.to_owned())).collect(),
            categories: names(categories),
            probabilities: rows.iter().map(|row| row.to_vec()).collect(),
        }
    }

    fn pram(strata: &[&str], matrices: Vec<TransitionMatrix>) -> Step {
        let mut on: Vec<String> = matrices
            .iter()
            .map(|matrix| matrix.attribute.clone())
            .collect();
        on.dedup();
        let stated = PramParameters {
            invariant: false,
            strata: names(strata),
            matrices,
        };
        Step::new(Method::Pram(stated), 100, on)
    }

    fn recode(on: &str) -> Step {
        let rules = vec![RecodingRule {
            attribute: on.into(),
            digits: Some(1),
            ..RecodingRule::default()
        }];
        Step::new(
            Method::Recode(RecodeParameters { rules }),
            100,
            names(&[on]),
        )
    }

    fn noise(level: f64, rounded: bool, on: &[&str]) -> Step {
        let stated = NoiseParameters {
            law: NoiseLaw::Normal,
            level,
            correlated: false,
            restored: false,
            rounded,
            rounded_before: 0,
        };
        Step::new(Method::Noise(stated), 100, names(on))
    }

    /// Rules keep the first character.
    fn composed(steps: Vec<Step>) -> Composed {
        let mut statement = Statement::from(steps[0].clone());
        statement.append(steps[1..].iter().cloned());
        assert_eq!(statement.nonsense(), None);
        statement.composed(&|_, rule, categories| {
            let kept = |name: &String| name.chars().take(rule.digits.unwrap_or(9)).collect();
            Some(categories.iter().map(kept).collect())
        })
    }

    fn matrices(step: &Step) -> &[TransitionMatrix] {
        match &step.method {
            Method::Pram(stated) => &stated.matrices,
            other => panic!("{other:?}"),
        }
    }

    fn assert_is(found: &TransitionMatrix, expected: &TransitionMatrix) {
        assert_eq!(
            (&found.attribute, &found.stratum, &found.categories),
            (&expected.attribute, &expected.stratum, &expected.categories)
        );
        let cells = |of: &TransitionMatrix| of.probabilities.concat();
        for (a, b) in cells(found).iter().zip(cells(expected)) {
            assert!((a - b).abs() < 1e-12, "{found:?}");
        }
    }

    /// .9 · .8 + .1 · .3 = .75 and .2 · .8 + .8 · .3 = .4.
    #[test]
    fn two_matrices_are_multiplied() {
        let first = pram(
            &[],
            vec![matrix("a", &[], &["f", "m"], &[&[0.9, 0.1], &[0.2, 0.8]])],
        );
        // In another order: from m to m .7, from f to f .8.
        let second = pram(
            &[],
            vec![matrix("a", &[], &["m", "f"], &[&[0.7, 0.3], &[0.2, 0.8]])],
        );
        let found = composed(vec![first.clone(), second.clone()]);
        assert_eq!((found.statement.steps.len(), found.unrecoded.len()), (1, 0));
        let product = matrix("a", &[], &["f", "m"], &[&[0.75, 0.25], &[0.4, 0.6]]);
        assert_is(&matrices(&found.statement.steps[0])[0], &product);
        // A third time: .75 · .8 + .25 · .3 = .675, .4 · .8 + .6 · .3 = .5.
        let found = composed(vec![first, second.clone(), second]);
        let product = matrix("a", &[], &["f", "m"], &[&[0.675, 0.325], &[0.5, 0.5]]);
        assert_is(&matrices(&found.statement.steps[0])[0], &product);
    }

    /// a1, a2 and b1 become a and b: of a1, .6 + .3 and .1; of b1, .2 + .2 and .6. Nobody was a or b before.
    #[test]
    fn columns_are_merged_by_a_recoding() {
        let rows: [&[f64]; 3] = [&[0.6, 0.3, 0.1], &[0.1, 0.9, 0.0], &[0.2, 0.2, 0.6]];
        let first = pram(&[], vec![matrix("a", &[], &["a1", "a2", "b1"], &rows)]);
        let found = composed(vec![first.clone(), recode("a")]);
        assert_eq!(found.unrecoded, ["a"]);
        let merged: [&[f64]; 5] = [
            &[0.0, 0.0, 0.0, 0.9, 0.1],
            &[0.0, 0.0, 0.0, 1.0, 0.0],
            &[0.0, 0.0, 0.0, 0.4, 0.6],
            &[0.0; 5],
            &[0.0; 5],
        ];
        let expected = matrix("a", &[], &["a1", "a2", "b1", "a", "b"], &merged);
        assert_is(&matrices(&found.statement.steps[0])[0], &expected);
        let rules = |step: &Step| match &step.method {
            Method::Recode(stated) => stated.rules.len(),
            _ => panic!("no recoding"),
        };
        assert_eq!(rules(&found.statement.steps[1]), 0);
        // And changed once more, from a to b with .5: .9 · .5 = .45 of a1 stays a.
        let last = pram(
            &[],
            vec![matrix("a", &[], &["a", "b"], &[&[0.5, 0.5], &[0.0, 1.0]])],
        );
        let found = composed(vec![first, recode("a"), last]);
        let row = &matrices(&found.statement.steps[0])[0].probabilities[0];
        assert!((row[3] - 0.45).abs() < 1e-12 && (row[4] - 0.55).abs() < 1e-12);
    }

    /// One of both is in strata: a product for each. What a sample left nobody of is not in the second matrix: of .5, .3 and .2 remain .5
    /// and .3, and .5 / .8 = .625.
    #[test]
    fn strata_and_categories_that_nobody_has_any_more() {
        let all: [&[f64]; 3] = [&[0.5, 0.3, 0.2], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
        let first = pram(&[], vec![matrix("a", &[], &["x", "y", "z"], &all)]);
        let identity: [&[f64]; 2] = [&[1.0, 0.0], &[0.0, 1.0]];
        let second = pram(
            &["s"],
            vec![
                matrix("a", &["n"], &["x", "y"], &identity),
                matrix("a", &["w"], &["x", "y", "z"], &all),
            ],
        );
        let found = composed(vec![first.clone(), second.clone()]);
        let found = matrices(&found.statement.steps[0]);
        let in_north: [&[f64]; 3] = [&[0.625, 0.375, 0.0], &[0.0, 1.0, 0.0], &[0.0; 3]];
        assert_is(&found[0], &matrix("a", &["n"], &["x", "y", "z"], &in_north));
        let in_west: [&[f64]; 3] = [&[0.25, 0.45, 0.3], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
        assert_is(&found[1], &matrix("a", &["w"], &["x", "y", "z"], &in_west));
        // Strata of another kind, or changed in between, have no product; nor has a category that the first cannot yield.
        let recoded = vec![second.clone(), recode("s"), second.clone()];
        assert_eq!(composed(recoded.clone()).statement.steps, recoded);
        let other = pram(&["t"], vec![matrix("a", &["n"], &["x", "y"], &identity)]);
        let otherwise = vec![second.clone(), other];
        assert_eq!(composed(otherwise.clone()).statement.steps, otherwise);
        let strange = pram(&[], vec![matrix("a", &[], &["x", "q"], &identity)]);
        let strange = vec![first, strange];
        assert_eq!(composed(strange.clone()).statement.steps, strange);
        let twice = composed(vec![second.clone(), second]);
        assert_eq!(matrices(&twice.statement.steps[0]).len(), 2);
    }

    /// Var(X) becomes 1.1 and then 1.1 · 1.2 = 1.32 times as great.
    #[test]
    fn levels_of_noise_are_of_the_file_at_their_step() {
        let steps = vec![noise(0.1, true, &["a", "b"]), noise(0.2, true, &["b"])];
        let found = composed(steps).statement.steps;
        let level = |step: &Step| match &step.method {
            Method::Noise(stated) => (stated.level, stated.rounded_before),
            other => panic!("{other:?}"),
        };
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].attributes.as_slice(), level(&found[0])),
            (&names(&["a"])[..], (0.1, 0))
        );
        assert_eq!(found[1].attributes, ["b"]);
        assert!((level(&found[1]).0 - 0.32).abs() < 1e-12);
        assert_eq!(level(&found[1]).1, 1);
        // Rounded once, to decimals that the release does not show.
        let steps = vec![noise(0.1, true, &["a"]), noise(0.2, false, &["a"])];
        assert_eq!(composed(steps.clone()).statement.steps, steps);
    }

    #[test]
    fn all_else_stays_as_it_is() {
        let swap = Method::RankSwap(RankSwapParameters {
            p: None,
            window: 3,
            partner: Partner::Unswapped,
        });
        let swap = Step::new(swap, 100, names(&["a"]));
        let once = pram(
            &[],
            vec![matrix("a", &[], &["x", "y"], &[&[0.5, 0.5], &[0.0, 1.0]])],
        );
        let by_a = pram(&["a"], vec![matrix("b", &["x"], &["u"], &[&[1.0]])]);
        let mut correlated = noise(0.1, false, &["a"]);
        if let Method::Noise(stated) = &mut correlated.method {
            stated.correlated = true;
        }
        let sample = Step::new(
            Method::Sample(SampleParameters {
                size: SampleSize::Records(100),
                strata: names(&["a"]),
            }),
            100,
            Vec::new(),
        );
        for steps in [
            vec![swap.clone(), noise(0.1, false, &["a"])],
            vec![noise(0.1, false, &["a"]), recode("a")],
            vec![once.clone(), swap],
            vec![correlated.clone(), correlated],
            // Strata of another step.
            vec![once.clone(), by_a, once.clone()],
            vec![recode("a"), once.clone(), sample.clone()],
        ] {
            assert_eq!(composed(steps.clone()).statement.steps, steps);
        }
        // A sample moves nothing.
        assert_eq!(
            composed(vec![once.clone(), sample, once])
                .statement
                .steps
                .len(),
            2
        );
    }
}
