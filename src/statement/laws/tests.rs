use super::*;
use crate::statement::{
    NoiseLaw, NoiseParameters, Partner, RankSwapParameters, RecodeParameters, RecodingRule,
};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn swap(window: usize, on: &[&str]) -> Step {
    let method = Method::RankSwap(RankSwapParameters {
        p: None,
        window,
        partner: Partner::Unswapped,
    });
    Step::new(method, 100, names(on))
}

fn noise(on: &[&str]) -> Step {
    let method = Method::Noise(NoiseParameters {
        level: 0.1,
        correlated: false,
        restored: false,
        rounded: false,
        law: NoiseLaw::Normal,
        rounded_before: 0,
    });
    Step::new(method, 100, names(on))
}

fn recode(on: &str) -> Step {
    let rules = vec![RecodingRule {
        attribute: on.to_owned(),
        top: Some(85.0),
        ..RecodingRule::default()
    }];
    Step::new(
        Method::Recode(RecodeParameters { rules }),
        100,
        names(&[on]),
    )
}

fn laws(steps: Vec<Step>, complete: bool) -> Laws {
    let mut statement = Statement::from(steps[0].clone());
    statement.append(steps[1..].iter().cloned());
    statement.complete = complete;
    Laws::of(&statement)
}

/// Which of a, b, c, d each law speaks of.
fn scopes(laws: &Laws) -> Vec<String> {
    let scopes = laws.laws().iter().map(|law| &law.scope);
    scopes
        .map(|scope| {
            ["a", "b", "c", "d"]
                .into_iter()
                .filter(|name| scope.has(name))
                .collect()
        })
        .collect()
}

#[test]
fn each_attribute_has_the_law_of_the_step_that_moved_it() {
    // d was not moved: the first law says that it is equal.
    let found = laws(vec![swap(3, &["a"]), noise(&["b", "c"])], true);
    assert_eq!(scopes(&found), ["ad", "bc"]);
    let Windows {
        of_attribute, law, ..
    } = found.windows().unwrap();
    let scope = &law.scope;
    assert_eq!(
        of_attribute.iter().collect::<Vec<_>>(),
        [(&"a".to_owned(), &vec![3])]
    );
    assert!(scope.has("a") && scope.has("d") && !scope.has("b"));
    // Alone, the law of noise says so, too.
    let alone = found
        .find(|method| matches!(method, Method::Noise(_)))
        .unwrap();
    assert!(["b", "c", "d"].iter().all(|name| alone.scope.has(name)));
    assert!(!alone.scope.has("a"));
}

#[test]
fn steps_by_the_same_law_are_one() {
    let found = laws(vec![swap(3, &["a"]), noise(&["c"]), swap(3, &["b"])], true);
    assert_eq!(scopes(&found), ["abd", "c"]);
    assert_eq!(found.laws()[0].step.attributes, ["a", "b"]);
    let found = laws(vec![swap(3, &["a"]), swap(4, &["b"])], true);
    assert_eq!(scopes(&found), ["acd", "b"]);
}

#[test]
fn windows_of_two_swaps_follow_each_other() {
    let found = laws(
        vec![swap(3, &["a", "b"]), swap(4, &["a"]), noise(&["b"])],
        true,
    );
    let Windows {
        of_attribute, law, ..
    } = found.windows().unwrap();
    let scope = &law.scope;
    assert_eq!(
        of_attribute.iter().collect::<Vec<_>>(),
        [(&"a".to_owned(), &vec![3, 4])]
    );
    assert!(!scope.has("b") && scope.has("a") && scope.has("c"));
    // Likelihoods have no law of what was moved twice.
    assert_eq!(scopes(&found), ["cd", "", ""]);
    let without: Vec<&str> = found.without().map(|(name, _)| name).collect();
    assert_eq!(without, ["a", "b"]);
}

#[test]
fn recoding_first_changes_no_law_and_recoding_later_ends_it() {
    let first = laws(vec![recode("a"), swap(3, &["a", "b"])], true);
    assert_eq!(scopes(&first), ["abcd"]);
    let later = laws(vec![swap(3, &["a", "b"]), recode("a")], true);
    assert_eq!(scopes(&later), ["bcd"]);
    assert!(!later.windows().unwrap().of_attribute.contains_key("a"));
    assert!(!later.windows().unwrap().law.scope.has("a"));
}

#[test]
fn of_an_incomplete_history_only_what_was_moved_has_a_law() {
    let found = laws(vec![swap(3, &["a"]), noise(&["b"])], false);
    assert_eq!(scopes(&found), ["a", "b"]);
    assert!(!found.windows().unwrap().law.scope.has("d"));
    assert!(!found.unmoved().has("d"));
}

/// Values that were masked within strata have a law where the strata are what was collected, recoded at most, and before.
#[test]
fn a_law_within_strata_needs_them_as_they_were() {
    let within = |strata: &str, step: Step| Step {
        strata: names(&[strata]),
        ..step
    };
    let found = laws(
        vec![recode("d"), within("d", swap(3, &["a"])), noise(&["b"])],
        true,
    );
    assert_eq!(scopes(&found), ["acd", "b"]);
    let law = &found.laws()[0];
    assert!(law.applies_to("a", &names(&["a", "d"])) && !law.applies_to("a", &names(&["a", "c"])));
    assert!(law.applies_to("c", &names(&["a", "c"])));
    // Strata that were moved, before or after, or of which it is not known.
    let moved = laws(vec![swap(2, &["d"]), within("d", swap(3, &["a"]))], true);
    assert_eq!(scopes(&moved), ["bcd", ""]);
    assert!(!moved.windows().unwrap().law.scope.has("a"));
    let moved = laws(vec![within("d", swap(3, &["a"])), noise(&["d"])], true);
    assert_eq!(scopes(&moved), ["bc", "d"]);
    let recoded = laws(vec![within("d", swap(3, &["a"])), recode("d")], true);
    assert_eq!(scopes(&recoded), ["bcd"]);
    let unknown = laws(vec![within("d", swap(3, &["a"])), swap(2, &["b"])], false);
    assert_eq!(scopes(&unknown), ["", "b"]);
    // What makes the strata differs from the original: nothing is known of what was masked within.
    let mut found = laws(vec![within("d", swap(3, &["a"])), swap(3, &["b"])], true);
    assert_eq!(scopes(&found), ["acd", "b"]);
    found.contradict("d");
    assert_eq!(scopes(&found), ["c", "b"]);
    let windows = &found.windows().unwrap().law.scope;
    assert!(!windows.has("a") && windows.has("c"));
}

/// Steps of one method are one law only within the same strata; windows are seen by one way of making strata.
#[test]
fn swaps_within_other_strata_are_other_laws() {
    let within = |strata: &[&str], step: Step| Step {
        strata: names(strata),
        ..step
    };
    let steps = vec![
        within(&["d"], swap(3, &["a"])),
        swap(3, &["b"]),
        within(&["d"], swap(3, &["c"])),
    ];
    let found = laws(steps, true);
    assert_eq!(scopes(&found), ["acd", "b"]);
    let Windows {
        of_attribute, law, ..
    } = found.windows().unwrap();
    assert_eq!(of_attribute.keys().collect::<Vec<_>>(), ["a", "c"]);
    assert!(law.scope.has("d") && !law.scope.has("b"));
}

#[test]
fn what_contradicts_the_history_leaves_all_laws() {
    let mut found = laws(vec![swap(3, &["a"]), noise(&["b"])], true);
    found.contradict("d");
    found.contradict("b");
    assert_eq!(scopes(&found), ["ac", ""]);
    assert!(!found.windows().unwrap().law.scope.has("d"));
}
