//! Analyses of a small pair of files against scikit-learn and statsmodels, recorded by `analyses.py` beside this file.

use sdcrisk::{
    figure::{Figure, find, value},
    loss::analyses::{
        Classifier, Formula, classification, clusters, partitions::PartitionAgreement, regression,
    },
    rng::{Purpose, Seed, Streams},
    table::{ReadOptions, Table, pair::Pair},
};
use serde_json::Value;

fn recorded() -> Value {
    serde_json::from_str(include_str!("data/analyses.json")).unwrap()
}

fn pair() -> Pair {
    let table =
        |csv: &str| Table::read("f.csv", csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let original = table(include_str!("data/analyses-original.csv"));
    let masked = table(include_str!("data/analyses-masked.csv"));
    let attributes: Vec<_> = original.ids().map(|id| [id, id]).collect();
    let records: Vec<_> = (0..original.n_records() as u32).map(|r| [r, r]).collect();
    Pair::new([&original, &masked], &attributes, &records)
}

fn streams() -> Streams {
    Seed::from_number(1).streams(Purpose::Analysis, 0)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
        "{found} {expected}"
    );
}

fn parts(figure: &Figure) -> Vec<f64> {
    let parts = figure.parts.iter();
    parts.map(|part| part.value.unwrap()).collect()
}

#[test]
fn indices_of_given_labels_are_those_of_scikit_learn() {
    let recorded = recorded();
    let labels = |row: usize| -> Vec<u32> {
        let row = numbers(&recorded["labels"][row]);
        row.into_iter().map(|label| label as u32).collect()
    };
    let agreement = PartitionAgreement::new(&labels(0), &labels(1));
    let expected = &recorded["indices"];
    close(agreement.rand(), number(&expected["rand"]));
    close(
        agreement.adjusted_rand(),
        number(&expected["adjusted_rand"]),
    );
    close(agreement.jaccard(), number(&expected["jaccard"]));
}

/// scikit-learn took the best of 100 starts, which is the optimum if anything is.
#[test]
fn clusters_are_those_of_scikit_learn() {
    let options = clusters::Options {
        clusters: 3,
        starts: 20,
    };
    let found = clusters::measure(&pair(), options, &streams()).unwrap();
    let expected = &recorded()["k_means"];
    for key in ["rand", "adjusted_rand", "jaccard"] {
        let found = value(&found.figures, &format!("kmeans_{key}")).unwrap();
        close(found, number(&expected[key]));
    }
}

#[test]
fn coefficients_intervals_and_overlaps_are_those_of_statsmodels() {
    let formula = Formula {
        target: "y".into(),
        predictors: Some(["a", "b", "c", "d"].map(String::from).to_vec()),
    };
    let found = regression::measure(&pair(), &formula, None)
        .unwrap()
        .figures;
    let expected = &recorded()["regression"];
    for side in ["original", "masked"] {
        let figure = find(&found, &format!("regression_fit_{side}")).unwrap();
        let expected = &expected[side];
        close(figure.value.unwrap(), number(&expected["r_squared"]));
        for (place, found) in parts(figure).chunks(3).enumerate() {
            close(found[0], number(&expected["estimates"][place]));
            close(found[1], number(&expected["intervals"][place][0]));
            close(found[2], number(&expected["intervals"][place][1]));
        }
    }
    for (key, expected) in [
        ("regression_overlap", &expected["overlaps"]),
        (
            "regression_coefficient_difference",
            &expected["differences"],
        ),
    ] {
        let figure = find(&found, key).unwrap();
        let expected = numbers(expected);
        assert_eq!(figure.counted, 5);
        close(figure.value.unwrap(), expected.iter().sum::<f64>() / 5.0);
        for (found, expected) in parts(figure).iter().zip(&expected) {
            close(*found, *expected);
        }
    }
}

/// With as many folds as records every record is held out alone, whatever is drawn: the accuracies are counts out of 150.
#[test]
fn accuracies_with_one_record_held_out_are_those_of_scikit_learn() {
    let formula = Formula {
        target: "y".into(),
        predictors: None,
    };
    let options = classification::Options {
        classifiers: vec![Classifier::Neighbours, Classifier::Bayes],
        folds: 150,
        classes: None,
    };
    let found = classification::measure(&pair(), &formula, &options, &streams()).unwrap();
    for key in ["knn", "bayes"] {
        let expected = numbers(&recorded()["leave_one_out"][key]);
        for (side, expected) in ["original", "masked"].iter().zip(expected) {
            let found = value(&found.figures, &format!("accuracy_{key}_{side}")).unwrap();
            assert_eq!((found * 150.0).round(), expected, "{key} {side}");
        }
    }
    assert_eq!(value(&found.figures, "accuracy_most_frequent"), Some(0.5));
}
