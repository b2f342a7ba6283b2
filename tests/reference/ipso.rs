//! IPSO on the Census file of the CASC project.

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        mahalanobis::{Mahalanobis, Scatter, Singular},
    },
    evaluate::{link::Assign, score::Score},
    mask::{Details, Masked, Rounding, ipso::Ipso},
    statement::IpsoVariant::{self, A, B, C},
    table::Table,
};

use super::study::{self, Files};
use crate::least_squares::least_squares;

const ROW_4: &str = "STATETAX,TAXINC,FICA";
const ROW_9: &str = "PTOTVAL,TAXINC,POTHVAL,FICA";

fn masked(original: &Table, replaced: &str, variant: IpsoVariant, intercept: bool) -> Masked {
    let on = original.select(replaced).unwrap();
    let kept = original
        .ids()
        .filter(|id| !on.contains(id))
        .map(|id| original.attribute(id).name.clone())
        .collect();
    let ipso = Ipso::new(variant, kept, intercept, Rounding::None).unwrap();
    study::masked(&ipso, original, &on, (4, 0))
}

fn linked(
    original: &Table,
    masked: &Table,
    known: &str,
    direction: Direction,
    attack: &dyn Attack,
) -> Score {
    let mut files = Files::new(original, masked);
    let on = original.select(known).unwrap();
    files.shared.retain(|pair| on.contains(&pair.original));
    assert_eq!(files.shared.len(), on.len());
    let study = files.towards(direction);
    let case = study.case(&files.shared);
    let outcome = case.attack(attack, Assign::Best, false);
    outcome.unwrap().score
}

/// The table of correct links by IPSO-A on Census in V. Torra's slides has nine rows without labels. Of all splits of the 13
/// attributes, one gives row 4 (98 by DBRL1, 87 by DBRL2) and one row 9 (109 and 104, from the masked records to the originals).
#[test]
fn two_rows_of_the_published_table_come_out() {
    let Some(original) = super::table("census.csv") else {
        return;
    };
    let row_4 = masked(&original, ROW_4, A, true).table;
    let row_9 = masked(&original, ROW_9, A, false).table;
    let standardize = Standardize::Own;
    let attacks: [Box<dyn Attack>; 2] = [
        Box::new(DistanceBased { standardize }),
        Box::new(Mahalanobis {
            scatter: Scatter::AlignedVariances,
            standardize,
            singular: Singular::PseudoInverse,
        }),
    ];
    let strict = attacks.map(|attack| {
        let row_4 = linked(
            &original,
            &row_4,
            ROW_4,
            Direction::OriginalToMasked,
            attack.as_ref(),
        );
        let row_9 = linked(
            &original,
            &row_9,
            ROW_9,
            Direction::MaskedToOriginal,
            attack.as_ref(),
        );
        [row_4.strict, row_9.strict]
    });
    assert_eq!(strict, [[98, 109], [87, 104]]);
}

/// PTOTVAL = PEARNVAL + POTHVAL holds in every record: one of the three adds nothing to the other two.
#[test]
fn the_refit_is_exact_and_the_dependent_attribute_is_found() {
    let Some(original) = super::table("census.csv") else {
        return;
    };
    let column = |table: &Table, name: &str| {
        let id = table.find(name).unwrap();
        table.numbers(id).unwrap().values.to_vec()
    };
    let replaced: Vec<&str> = ROW_4.split(',').collect();
    // Householder's least squares on nine independent ones of the ten.
    let mut x: Vec<Vec<f64>> = original
        .attributes()
        .iter()
        .map(|attribute| attribute.name.as_str())
        .filter(|name| !replaced.contains(name) && *name != "PTOTVAL")
        .map(|name| column(&original, name))
        .collect();
    x.push(vec![1.0; 1080]);
    let refit = |table: &Table| -> Vec<(Vec<f64>, Vec<f64>)> {
        let fit = |name: &&str| least_squares(&x, &column(table, name));
        replaced.iter().map(fit).collect()
    };
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let before = refit(&original);
    for variant in [A, B, C] {
        let result = masked(&original, ROW_4, variant, true);
        let Details::Ipso(fit) = &result.details else {
            panic!("no fit")
        };
        assert_eq!((fit.columns, fit.rank), (11, 10));
        assert_eq!(fit.added_nothing.len(), 1);
        assert!(["PTOTVAL", "PEARNVAL", "POTHVAL"].contains(&fit.added_nothing[0].as_str()));
        let after = refit(&result.table);
        let (mut worst_b, mut worst_s) = (0.0_f64, 0.0_f64);
        for i in 0..3 {
            for (k, (old, new)) in before[i].0.iter().zip(&after[i].0).enumerate() {
                // A coefficient in units of what it moves: sizes of x against the size of y.
                let size = (product(&before[i].1, &before[i].1) / product(&x[k], &x[k])).sqrt();
                worst_b = worst_b.max((old - new).abs() / old.abs().max(size));
            }
            for j in 0..3 {
                let scale = (product(&before[i].1, &before[i].1)
                    * product(&before[j].1, &before[j].1))
                .sqrt();
                let old = product(&before[i].1, &before[j].1);
                let new = product(&after[i].1, &after[j].1);
                worst_s = worst_s.max((old - new).abs() / scale);
            }
        }
        println!("{variant:?}: coefficients within {worst_b:.1e}, covariance within {worst_s:.1e}");
        assert!(worst_b < 1e-9, "{variant:?}: {worst_b}");
        assert!(variant != C || worst_s < 1e-9, "{worst_s}");
    }
}
