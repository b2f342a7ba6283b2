//! The bundled files are what data/README.md says.

#[path = "../../examples/synthetic_census.rs"]
#[allow(dead_code, reason = "the example's own main")]
mod generator;

const FILE: &str = include_str!("../../data/synthetic-census.csv");

#[test]
fn the_generator_still_gives_the_synthetic_census() {
    assert!(
        generator::synthetic_census(1000) == FILE,
        "run: cargo run --example synthetic_census"
    );
}

#[test]
fn it_has_the_difficulties_of_real_files() {
    let records: Vec<Vec<&str>> = FILE
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let number = |cell: &str| cell.parse::<i64>().ok();
    let column = |k: usize| records.iter().map(move |record| record[k]);
    // income = earnings + self_employed + interest + transfers
    for record in &records {
        if let Some(interest) = number(record[7]) {
            let parts: i64 = [5, 6, 8].iter().map(|&k| number(record[k]).unwrap()).sum();
            assert_eq!(number(record[9]).unwrap(), parts + interest);
        }
    }
    assert!(
        column(1).all(|code| code.len() == 2),
        "codes with leading zeros"
    );
    assert!(
        column(7).filter(|cell| *cell == "NA").count() >= 5,
        "missing values"
    );
    assert!(
        column(12).filter(|cell| cell.is_empty()).count() >= 200,
        "empty cells"
    );
    let capped = column(11).filter_map(number).max().unwrap();
    assert!(
        column(11)
            .filter(|cell| number(cell) == Some(capped))
            .count()
            >= 5,
        "a tie at the cap"
    );
    let mut incomes: Vec<i64> = column(9).filter_map(number).collect();
    incomes.sort_unstable();
    let mean = incomes.iter().sum::<i64>() / 1000;
    assert!(
        mean > incomes[500] * 11 / 10,
        "skewed: mean {mean}, median {}",
        incomes[500]
    );
}
