use super::*;
use crate::statement::{
    NoiseLaw, Partner, RankSwapParameters, RecodeParameters, SampleParameters, SampleSize,
};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn matrix(on: &str, stratum: &[&str], categories: &[&str], rows: &[&[f64]]) -> TransitionMatrix {
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
