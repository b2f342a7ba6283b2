//! Analyses on both files: what must hold whatever the files are, and slow programs that say the same.

use sdcrisk::{
    error::ErrorKind,
    figure::{Figure, find, value},
    loss::analyses::{
        Classifier, Formula, classification, clusters, partitions::PartitionAgreement, regression,
    },
    rng::{Purpose, Seed, Streams},
    stats::moments::moments,
    table::{ReadOptions, Table, pair::Pair},
};

use crate::random_files::{Cells, Dice, cells, csv};

fn streams() -> Streams {
    Seed::from_number(1).streams(Purpose::Analysis, 0)
}

fn pair(original: &str, masked: &str) -> Pair {
    let table =
        |csv: &str| Table::read("f.csv", csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let (original, masked) = (table(original), table(masked));
    let attributes: Vec<_> = original.ids().map(|id| [id, id]).collect();
    let records: Vec<_> = (0..original.n_records() as u32).map(|r| [r, r]).collect();
    Pair::new([&original, &masked], &attributes, &records)
}

/// Numbers with gaps and ties, moved by up to ±10.
fn moved(dice: &mut Dice, cells: &Cells) -> Cells {
    let mut move_by = |cell: &Option<i64>| cell.map(|value| value + dice.roll(21) as i64 - 10);
    let record = |record: &Vec<Option<i64>>| record.iter().map(&mut move_by).collect();
    cells.iter().map(record).collect()
}

/// A target of names in front: who has more of a2 than half of the others, mostly.
fn with_names(cells: &Cells, dice: &mut Dice) -> String {
    let mut text = String::new();
    for (line, record) in csv(cells)
        .lines()
        .zip(std::iter::once(None).chain(cells.iter().map(Some)))
    {
        let name = match record {
            None => "kind",
            Some(record) => match (record[2], dice.roll(8)) {
                (None, _) | (_, 0) => "other",
                (Some(value), _) if value > 60 => "high",
                _ => "low",
            },
        };
        text += &format!("{name},{line}\n");
    }
    text
}

fn formula(target: &str, predictors: Option<&[&str]>) -> Formula {
    Formula {
        target: target.into(),
        predictors: predictors.map(|names| names.iter().map(ToString::to_string).collect()),
    }
}

fn everything(pair: &Pair) -> Vec<Figure> {
    let options = clusters::Options {
        clusters: 3,
        starts: 4,
    };
    let classify = classification::Options {
        classifiers: Classifier::ALL.to_vec(),
        folds: 4,
        classes: None,
    };
    let regressed = formula("a3", Some(&["a0", "a1", "a2"]));
    [
        clusters::measure(pair, options, &streams()).unwrap(),
        classification::measure(pair, &formula("kind", None), &classify, &streams()).unwrap(),
        regression::measure(pair, &regressed, None).unwrap(),
    ]
    .into_iter()
    .flat_map(|analysis| analysis.figures)
    .collect()
}

/// The definitions, pair of records by pair of records.
#[test]
fn indices_are_those_of_counting_pairs() {
    let mut dice = Dice(5);
    for (records, groups) in [(2, 2), (3, 2), (17, 4), (40, 40), (60, 3)] {
        let mut labels =
            || -> Vec<u32> { (0..records).map(|_| dice.roll(groups) as u32).collect() };
        let (first, second) = (labels(), labels());
        let [mut both, mut one, mut other, mut neither] = [0.0_f64; 4];
        for i in 0..first.len() {
            for j in 0..i {
                match (first[i] == first[j], second[i] == second[j]) {
                    (true, true) => both += 1.0,
                    (true, false) => one += 1.0,
                    (false, true) => other += 1.0,
                    (false, false) => neither += 1.0,
                }
            }
        }
        let agreement = PartitionAgreement::new(&first, &second);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(
            agreement.rand(),
            (both + neither) / (both + one + other + neither),
        );
        if both + one + other > 0.0 {
            close(agreement.jaccard(), both / (both + one + other));
        }
        // 2 (ad − bc) / ((a+b)(b+d) + (a+c)(c+d)), another form of the adjusted index.
        let below = (both + one) * (one + neither) + (both + other) * (other + neither);
        if below > 0.0 {
            close(
                agreement.adjusted_rand(),
                2.0 * (both * neither - one * other) / below,
            );
        }
        let again = PartitionAgreement::new(&second, &first);
        assert_eq!(agreement.adjusted_rand(), again.adjusted_rand());
        let mut f = 0.0;
        for i in 0..groups as u32 {
            let size = |labels: &[u32], g: u32| labels.iter().filter(|&&l| l == g).count() as f64;
            let shared = |j: u32| {
                let pairs = first.iter().zip(&second);
                pairs.filter(|&(&a, &b)| a == i && b == j).count() as f64
            };
            let best = (0..groups as u32)
                .map(|j| 2.0 * shared(j) / (size(&first, i) + size(&second, j)).max(1.0))
                .fold(0.0, f64::max);
            f += size(&first, i) / first.len() as f64 * best;
        }
        close(agreement.f_measure(), f);
    }
}

/// Over all 5,040 orders of seven labels the adjusted index is 0 in the mean, by its definition.
#[test]
fn the_adjusted_index_of_random_labels_is_nothing_in_expectation() {
    fn orders(rest: &mut Vec<u32>, place: usize, see: &mut impl FnMut(&[u32])) {
        if place == rest.len() {
            return see(rest);
        }
        for other in place..rest.len() {
            rest.swap(place, other);
            orders(rest, place + 1, see);
            rest.swap(place, other);
        }
    }
    let first = [0, 0, 0, 1, 1, 2, 2];
    let (mut sum, mut count) = (0.0, 0);
    orders(&mut vec![0, 0, 0, 0, 1, 1, 2], 0, &mut |second| {
        sum += PartitionAgreement::new(&first, second).adjusted_rand();
        count += 1;
    });
    assert_eq!(count, 5040);
    assert!((sum / 5040.0).abs() < 1e-12, "{sum}");
}

/// Gaps, ties, repeated records; the same file twice loses nothing.
#[test]
fn an_unchanged_file_loses_nothing() {
    let mut dice = Dice(7);
    let file = with_names(&cells(&mut dice, 90, 4, 25), &mut Dice(8));
    let figures = everything(&pair(&file, &file));
    for (key, expected) in [
        ("kmeans_rand", 1.0),
        ("kmeans_adjusted_rand", 1.0),
        ("kmeans_jaccard", 1.0),
        ("kmeans_f", 1.0),
        ("kmeans_loss", 0.0),
        ("accuracy_tree_loss", 0.0),
        ("accuracy_knn_loss", 0.0),
        ("accuracy_bayes_loss", 0.0),
        ("accuracy_svm_loss", 0.0),
        ("regression_overlap", 1.0),
        ("regression_coefficient_difference", 0.0),
    ] {
        assert_eq!(value(&figures, key), Some(expected), "{key}");
    }
}

/// Both files in another order, and on one thread or three: every figure is the same to the last bit.
#[test]
fn neither_the_order_of_the_records_nor_threads_matter() {
    let mut dice = Dice(11);
    let original = cells(&mut dice, 80, 4, 30);
    let masked = moved(&mut dice, &original);
    let texts = [
        with_names(&original, &mut Dice(1)),
        with_names(&masked, &mut Dice(1)),
    ];
    let reordered = texts.clone().map(|text| {
        let lines: Vec<&str> = text.lines().collect();
        let body = &lines[1..];
        let mut other = format!("{}\n", lines[0]);
        for place in 0..body.len() {
            other += &format!("{}\n", body[place * 37 % body.len()]);
        }
        other
    });
    let pool = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    };
    let first = pool(1).install(|| everything(&pair(&texts[0], &texts[1])));
    let second = pool(3).install(|| everything(&pair(&reordered[0], &reordered[1])));
    assert_eq!(first, second);
    assert!(value(&first, "kmeans_adjusted_rand").unwrap() < 1.0);
    assert!(value(&first, "regression_overlap").unwrap() < 1.0);
}

/// Every figure lies within the range that it claims, also when nothing of the file is left.
#[test]
fn figures_stay_in_their_ranges() {
    for seed in 0..4 {
        let mut dice = Dice(seed);
        let original = cells(&mut dice, 60, 4, 0);
        let noise = cells(&mut dice, 60, 4, 0);
        let texts = [&original, &noise].map(|cells| with_names(cells, &mut Dice(seed)));
        for figure in everything(&pair(&texts[0], &texts[1])) {
            let value = figure.value.unwrap();
            let most = figure.what.most.unwrap_or(f64::INFINITY);
            assert!(
                (figure.what.least..=most).contains(&value),
                "{} {value}",
                figure.what.key
            );
        }
    }
}

/// Two attributes of numbers without ties and a class, for oracles: 41 records.
fn two_and_class(dice: &mut Dice, shift: f64) -> (String, Vec<[f64; 2]>, Vec<bool>) {
    let (mut text, mut points, mut classes) = ("class,x,y\n".to_string(), vec![], vec![]);
    for record in 0..41 {
        let class = dice.roll(2) == 1;
        let coordinate = |roll: u64| roll as f64 / 1e4 + record as f64 * 1e-6;
        let x = coordinate(dice.roll(30_000)) + if class { 1.5 } else { 0.0 } + shift;
        let y = 100.0 * coordinate(dice.roll(10_000));
        text += &format!("{},{x:.6},{y:.6}\n", if class { "yes" } else { "no" });
        points.push([
            format!("{x:.6}").parse().unwrap(),
            format!("{y:.6}").parse().unwrap(),
        ]);
        classes.push(class);
    }
    (text, points, classes)
}

fn standardised(points: &[[f64; 2]], without: usize) -> impl Fn([f64; 2]) -> [f64; 2] {
    let of = |axis: usize| {
        let rest = points
            .iter()
            .enumerate()
            .filter(move |&(r, _)| r != without);
        moments(rest.map(move |(_, point)| point[axis]))
    };
    let m = [of(0), of(1)];
    move |p| [0, 1].map(|axis: usize| (p[axis] - m[axis].mean) / m[axis].sd)
}

/// One record held out at a time: folds are then no matter of chance, and slow programs can say the accuracies.
fn one_held_out(classifier: Classifier, oracle: impl Fn(&[[f64; 2]], &[bool], [f64; 2]) -> bool) {
    let key = if classifier == Classifier::Bayes {
        "bayes"
    } else {
        "knn"
    };
    for seed in 0..5 {
        let (original, points, classes) = two_and_class(&mut Dice(seed), 0.0);
        let (masked, other_points, _) = two_and_class(&mut Dice(seed + 100), 0.7);
        // The masked file keeps the classes.
        let class_of = |record: usize| if classes[record] { "yes" } else { "no" };
        let masked: Vec<String> = masked
            .lines()
            .enumerate()
            .map(|(line, text)| match line {
                0 => text.to_string(),
                _ => format!("{},{}", class_of(line - 1), text.split_once(',').unwrap().1),
            })
            .collect();
        let options = classification::Options {
            classifiers: vec![classifier],
            folds: 41,
            classes: None,
        };
        let pair = pair(&original, &masked.join("\n"));
        let found =
            classification::measure(&pair, &formula("class", None), &options, &streams()).unwrap();
        for (side, training) in [("original", &points), ("masked", &other_points)] {
            let hit = |&held_out: &usize| {
                let z = standardised(training, held_out);
                let rest = |record: &usize| *record != held_out;
                let learned: Vec<[f64; 2]> = (0..41)
                    .filter(rest)
                    .map(|record| z(training[record]))
                    .collect();
                let of: Vec<bool> = (0..41).filter(rest).map(|record| classes[record]).collect();
                oracle(&learned, &of, z(points[held_out])) == classes[held_out]
            };
            let hits = (0..41).filter(hit).count();
            let found = value(&found.figures, &format!("accuracy_{key}_{side}")).unwrap();
            assert_eq!((found * 41.0).round() as usize, hits, "{seed} {side}");
        }
    }
}

#[test]
fn nearest_neighbours_are_those_of_looking_at_all() {
    one_held_out(Classifier::Neighbours, |learned, classes, at| {
        let squared = |p: &[f64; 2]| (p[0] - at[0]).powi(2) + (p[1] - at[1]).powi(2);
        let mut order: Vec<usize> = (0..learned.len()).collect();
        order.sort_by(|&a, &b| squared(&learned[a]).total_cmp(&squared(&learned[b])));
        order[..5].iter().filter(|&&record| classes[record]).count() >= 3
    });
}

/// The logarithm of share × Π normal densities; variances with divisor n, widened by 1e-9.
#[test]
fn naive_bayes_is_its_formula() {
    one_held_out(Classifier::Bayes, |learned, classes, at| {
        let weight = |class: bool| {
            let of: Vec<&[f64; 2]> = (learned.iter().zip(classes))
                .filter(|&(_, &c)| c == class)
                .map(|(p, _)| p)
                .collect();
            let n = of.len() as f64;
            let density = |axis: usize| {
                let mean = of.iter().map(|p| p[axis]).sum::<f64>() / n;
                let squares: f64 = of.iter().map(|p| (p[axis] - mean).powi(2)).sum();
                let variance = squares / n + 1e-9;
                -(at[axis] - mean).powi(2) / (2.0 * variance) - variance.ln() / 2.0
            };
            n.ln() + density(0) + density(1)
        };
        weight(true) > weight(false)
    });
}

/// Three classes far apart, one predictor that is constant within each of them and one that never varies.
#[test]
fn classes_far_apart_are_all_told_apart() {
    let mut text = "class,x,level,same\n".to_string();
    for record in 0..60 {
        let class = record % 3;
        let x = 100 * class + record / 3;
        text += &format!("c{class},{x},{},5\n", 7 * class);
    }
    let options = classification::Options {
        classifiers: Classifier::ALL.to_vec(),
        folds: 5,
        classes: None,
    };
    let pair = pair(&text, &text);
    let found =
        classification::measure(&pair, &formula("class", None), &options, &streams()).unwrap();
    for key in ["tree", "knn", "bayes", "svm"] {
        let figure = find(&found.figures, &format!("accuracy_{key}_masked")).unwrap();
        assert_eq!(figure.value, Some(1.0), "{key}");
        assert_eq!(figure.parts.len(), 3);
    }
    let most = value(&found.figures, "accuracy_most_frequent").unwrap();
    assert!((most - 1.0 / 3.0).abs() < 1e-15);
}

/// Masking that makes all targets one class teaches to say that class: half of the records are right.
#[test]
fn a_masked_file_of_one_class_teaches_that_class() {
    let (mut original, mut masked) = ("t,x\n".to_string(), "t,x\n".to_string());
    for record in 0..40 {
        original += &format!("{record},{}\n", record * 3);
        masked += &format!("5,{}\n", record * 3);
    }
    let options = classification::Options {
        classifiers: Classifier::ALL.to_vec(),
        folds: 4,
        classes: None,
    };
    let pair = pair(&original, &masked);
    let found = classification::measure(&pair, &formula("t", None), &options, &streams()).unwrap();
    for key in ["tree", "knn", "bayes", "svm"] {
        let masked = value(&found.figures, &format!("accuracy_{key}_masked"));
        assert_eq!(masked, Some(0.5), "{key}");
    }
}

/// With one predictor of two names the intercept is the mean of the frequent one, the coefficient the difference of means:
/// f 10, 14 and m 1, 2, 6: 3 and 9.
#[test]
fn names_are_indicators_of_all_but_the_most_frequent() {
    let file = "y,sex\n1,m\n10,f\n2,m\n14,f\n6,m\n";
    let found =
        regression::measure(&pair(file, file), &formula("y", Some(&["sex"])), None).unwrap();
    let fit = find(&found.figures, "regression_fit_original").unwrap();
    let named = |name: &str| {
        fit.parts
            .iter()
            .find(|part| part.name == name)
            .unwrap()
            .value
    };
    assert!((named("intercept").unwrap() - 3.0).abs() < 1e-12);
    assert!((named("sex=f").unwrap() - 9.0).abs() < 1e-12);
}

/// Overlaps do not depend on units: y = 2 t + 7 and x in thousandths.
#[test]
fn units_do_not_matter_to_a_regression() {
    let mut dice = Dice(3);
    let original = cells(&mut dice, 50, 3, 0);
    let masked = moved(&mut dice, &original);
    let text = |cells: &Cells, scaled: bool| {
        let mut text = "x,z,y\n".to_string();
        for record in cells {
            let [x, z, y] = [0, 1, 2].map(|place: usize| record[place].unwrap() as f64);
            text += &if scaled {
                format!("{},{z},{}\n", x / 1000.0, 2.0 * y + 7.0)
            } else {
                format!("{x},{z},{y}\n")
            };
        }
        text
    };
    let overlap = |scaled: bool| {
        let pair = pair(&text(&original, scaled), &text(&masked, scaled));
        let found = regression::measure(&pair, &formula("y", Some(&["x", "z"])), None).unwrap();
        let figure = find(&found.figures, "regression_overlap").unwrap();
        // Of the slopes; that of the intercept is of another quantity once the target is shifted.
        figure.parts[1..]
            .iter()
            .map(|part| part.value.unwrap())
            .collect::<Vec<f64>>()
    };
    for (plain, scaled) in overlap(false).iter().zip(overlap(true)) {
        assert!((plain - scaled).abs() < 1e-9, "{plain} {scaled}");
    }
}

#[test]
fn what_is_not_determined_is_refused_or_said() {
    let good = "y,a,b\n1,5,2\n2,3,9\n4,4,1\n3,8,2\n7,2,6\n";
    let constant = "y,a,b\n1,5,2\n2,5,9\n4,5,1\n3,5,2\n7,5,6\n";
    let double = "y,a,b\n1,5,10\n2,3,6\n4,4,8\n3,8,16\n7,2,4\n";
    let both = formula("y", Some(&["a", "b"]));
    for bad in [constant, double] {
        let error = regression::measure(&pair(bad, good), &both, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        let found = regression::measure(&pair(good, bad), &both, None)
            .unwrap()
            .figures;
        for key in ["regression_overlap", "regression_fit_masked"] {
            let figure = find(&found, key).unwrap();
            assert_eq!(figure.value, None);
            assert!(figure.why_not.as_ref().unwrap().contains("masked file"));
        }
        assert!(value(&found, "regression_fit_original").is_some());
    }
}

/// Starts and folds are results: what they are drawn from must not change unnoticed.
#[test]
fn the_draws_of_analyses_are_pinned() {
    use rand::Rng;
    let mut root = Seed::from_number(1).streams(Purpose::Analysis, 0).at(0);
    let mut again = Seed::from_number(1).streams(Purpose::Mask, 0).at(0);
    assert_eq!(Purpose::Analysis as u8, 5);
    assert_ne!(root.next_u64(), again.next_u64());
}
