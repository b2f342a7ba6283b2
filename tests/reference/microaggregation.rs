//! Information loss of MDAV and V-MDAV on the reference files, 100·SSE/SST of z-scored attributes.
//!
//! The figures of MDAV are those of the literature (J. Domingo-Ferrer, A. Martínez-Ballesté, J.M. Mateo-Sanz, F. Sebé,
//! "Efficient multivariate data-oriented microaggregation", VLDB Journal 15, 2006, and later tables), to more decimals than
//! are printed there: EIA 0.48, 1.67 and 3.84, Census 5.69, 7.49, 9.09 and 14.16, Tarragona 16.93 and 22.46.

use sdcrisk::{
    mask::microaggregation::{Axis, Partition, Space, mdav, v_mdav},
    stats::moments::moments_by_attribute,
    table::{AttrId, Matrix},
};

/// The attributes of a file that are asked for, standardised (n − 1).
fn space(file: &str, wanted: impl Fn(usize, &str) -> bool) -> Option<Space> {
    let table = super::table(file)?;
    let on: Vec<AttrId> = table
        .ids()
        .enumerate()
        .filter(|&(place, id)| wanted(place, &table.attribute(id).name))
        .map(|(_, id)| id)
        .collect();
    let records: Vec<u32> = (0..u32::try_from(table.n_records()).unwrap()).collect();
    let numbers: Vec<_> = on.iter().map(|&id| table.numbers(id).unwrap()).collect();
    let mut points = Matrix::gather(&numbers, &records);
    let moments = moments_by_attribute(&points);
    points.map(|attribute, value| (value - moments[attribute].mean) / moments[attribute].sd);
    let axes = vec![Axis::Mean; on.len()];
    Some(Space { points, axes })
}

/// SST of a standardised attribute is n − 1.
fn loss(space: &Space, partition: &Partition) -> f64 {
    let cells = (space.points.n_records() - 1) * space.points.n_attributes();
    100.0 * partition.sse(&space.points) / cells as f64
}

fn check(space: &Space, figures: &[(usize, f64)]) {
    for &(k, published) in figures {
        let partition = mdav(space, k);
        let loss = loss(space, &partition);
        println!("MDAV k={k}: {loss:.6}, expected {published:.6}");
        assert!((loss - published).abs() < 5.1e-7, "k={k}: {loss:.7}");
        let sizes = partition.sizes();
        assert!(sizes.iter().all(|size| (k..2 * k).contains(size)));
        // As many groups as can be, but for the last one, which takes up what is left.
        assert_eq!(sizes.len(), space.points.n_records() / k);
    }
}

#[test]
fn mdav_on_census() {
    let Some(space) = space("census.csv", |_, _| true) else {
        return;
    };
    let figures = [(3, 5.692186), (4, 7.494700), (5, 9.088435), (10, 14.155930)];
    check(&space, &figures);
}

#[test]
fn mdav_on_tarragona() {
    let Some(space) = space("tarragona.csv", |_, _| true) else {
        return;
    };
    check(&space, &[(3, 16.932588), (5, 22.461860)]);
}

/// The eleven attributes of the literature are the ten amounts and UTILITYID.
#[test]
fn mdav_on_eia() {
    let Some(space) = space("eia.csv", |place, name| name == "UTILITYID" || place >= 5) else {
        return;
    };
    assert_eq!(space.points.n_attributes(), 11);
    let figures = [(3, 0.482939), (4, 0.671345), (5, 1.666675), (10, 3.839670)];
    check(&space, &figures);
}

/// The best of gamma 0, 0.2 and 1.1 for k = 3, 4, 5 and 10. The figures are those of another program on the same files; it
/// settles differently what V-MDAV leaves open, hence the tolerance.
#[test]
fn v_mdav_on_tarragona_and_census() {
    let figures = [
        ("tarragona.csv", [16.951, 19.694, 22.872, 33.253]),
        ("census.csv", [5.662, 7.514, 9.007, 14.073]),
    ];
    for (file, expected) in figures {
        let Some(space) = space(file, |_, _| true) else {
            return;
        };
        for (k, expected) in [3, 4, 5, 10].into_iter().zip(expected) {
            let losses = [0.0, 0.2, 1.1].map(|gamma| loss(&space, &v_mdav(&space, k, gamma)));
            println!("V-MDAV {file} k={k}: {losses:.3?}, expected {expected:.3}");
            let best = losses.into_iter().fold(f64::INFINITY, f64::min);
            assert!((best - expected).abs() < 0.005, "{file} k={k}: {best:.3}");
        }
    }
}
