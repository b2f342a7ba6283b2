//! Laws of microaggregation, whatever the algorithm.

use std::collections::BTreeMap;

use sdcrisk::{
    mask::{
        self, Details, Mask, Masked, Rounding,
        microaggregation::{Block, BlockOf, Blocks, Gaps, Microaggregation, Partition},
    },
    rng::{Purpose, Seed},
    statement::{ArcCost, Average, DistanceScale, Grouping},
    table::{AttrId, ReadOptions, Role, Roles, Table},
};

use crate::random_files::{self, Cells, Dice};

const ALGORITHMS: [Grouping; 10] = [
    Grouping::Mdav,
    Grouping::VMdav { gamma: 0.2 },
    Grouping::VMdav { gamma: 1.1 },
    Grouping::MdavMhm,
    Grouping::Exchange,
    Grouping::IndividualRanking,
    Grouping::Pca {
        cost: ArcCost::Projected,
    },
    Grouping::Pca {
        cost: ArcCost::Multivariate,
    },
    Grouping::Zscores {
        cost: ArcCost::Projected,
    },
    Grouping::Zscores {
        cost: ArcCost::Multivariate,
    },
];

fn method(grouping: Grouping, k: usize) -> Microaggregation {
    Microaggregation::new(grouping, Blocks::Together { k }).unwrap()
}

fn run(method: &Microaggregation, table: &Table) -> Masked {
    let on: Vec<AttrId> = table.ids().collect();
    method
        .mask(
            table.clone(),
            &on,
            &Seed::from_number(1).streams(Purpose::Mask, 0),
        )
        .unwrap()
}

fn blocks(masked: &Masked) -> &[Block] {
    let Details::Microaggregation(blocks) = &masked.details else {
        panic!("microaggregation tells its groups")
    };
    blocks
}

fn values(table: &Table, id: AttrId) -> Vec<f64> {
    table.numbers(id).unwrap().values.to_vec()
}

fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Continuous whatever few numbers there are.
fn continuous(cells: &Cells) -> Table {
    let names: Vec<String> = (0..cells[0].len()).map(|a| format!("'a{a}'")).collect();
    with_roles(
        &random_files::csv(cells),
        &format!("continuous = [{}]", names.join(",")),
    )
}

fn with_roles(csv: &str, roles: &str) -> Table {
    let options = ReadOptions {
        roles: Roles::parse(roles).unwrap(),
        ..ReadOptions::default()
    };
    Table::read("f.csv", csv.as_bytes().to_vec(), &options).unwrap()
}

#[test]
fn groups_are_of_k_to_2k_minus_1_records_that_become_equal() {
    let mut dice = Dice(11);
    for (records, attributes, k) in [(40, 3, 2), (61, 2, 5), (100, 4, 7), (23, 1, 3)] {
        let table = continuous(&random_files::cells(&mut dice, records, attributes, 0));
        for grouping in ALGORITHMS {
            let masked = run(&method(grouping, k), &table);
            for block in blocks(&masked) {
                let sizes = block.partition.sizes();
                assert_eq!(sizes.iter().sum::<usize>(), records, "{grouping:?}");
                assert!(
                    sizes.iter().all(|&size| size >= k),
                    "{grouping:?}: {sizes:?}"
                );
                // V-MDAV gives what is left over, fewer than k, to groups that may be full already.
                let most = match grouping {
                    Grouping::VMdav { .. } => 3 * k - 2,
                    _ => 2 * k - 1,
                };
                assert!(
                    sizes.iter().all(|&size| size <= most),
                    "{grouping:?}: {sizes:?}"
                );
                for name in &block.attributes {
                    let new = values(&masked.table, table.find(name).unwrap());
                    for group in block.partition.groups() {
                        assert!(
                            group
                                .iter()
                                .all(|&r| new[r as usize] == new[group[0] as usize])
                        );
                    }
                }
            }
        }
    }
}

/// SST = SSE + SSA, where SSA is what is left between the groups: the sum of squares of the masked attribute. The means stay.
#[test]
fn what_is_lost_and_what_is_left_is_what_there_was() {
    let mut dice = Dice(12);
    let table = continuous(&random_files::cells(&mut dice, 90, 4, 0));
    for grouping in ALGORITHMS {
        let masked = run(&method(grouping, 4), &table);
        let mut shares = Vec::new();
        for (id, effect) in table.ids().zip(&masked.effects) {
            let (old, new) = (values(&table, id), values(&masked.table, id));
            let sum = |values: &[f64]| values.iter().sum::<f64>();
            assert!(
                (sum(&old) - sum(&new)).abs() < 1e-9 * sum(&old).abs(),
                "{grouping:?}"
            );
            let sse: f64 = old.iter().zip(&new).map(|(a, b)| (a - b).powi(2)).sum();
            let (sst, ssa) = (squares(&old), squares(&new));
            assert!((sse + ssa - sst).abs() < 1e-9 * sst, "{grouping:?}");
            assert!((effect.squared_error.unwrap() - sse / sst).abs() < 1e-12);
            shares.push(100.0 * sse / sst);
        }
        // Standardised attributes have equal sums of squares, so the whole is the mean of the parts.
        let loss = mask::information_loss(&masked.effects).unwrap();
        assert!((loss - shares.iter().sum::<f64>() / 4.0).abs() < 1e-9);
    }
}

/// With one block, each masked record is there k times at least.
#[test]
fn a_complete_file_becomes_k_anonymous() {
    let mut dice = Dice(13);
    let table = continuous(&random_files::cells(&mut dice, 77, 3, 0));
    for k in [2, 3, 10] {
        let masked = run(&method(Grouping::Mdav, k), &table);
        let mut counts: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        for record in 0..77 {
            let key = table
                .ids()
                .map(|id| values(&masked.table, id)[record].to_bits())
                .collect();
            *counts.entry(key).or_default() += 1;
        }
        assert!(counts.values().all(|&count| count >= k));
    }
}

#[test]
fn missing_values_stay_missing_and_count_in_no_average() {
    let mut dice = Dice(14);
    let table = continuous(&random_files::cells(&mut dice, 80, 3, 6));
    for grouping in ALGORITHMS {
        for average in [Average::Mean, Average::Median] {
            let k = 3;
            let masked = run(&method(grouping, k).average(average), &table);
            let mut thin = vec![0; blocks(&masked).len()];
            for id in table.ids() {
                let (place, block) = blocks(&masked)
                    .iter()
                    .enumerate()
                    .find(|(_, block)| block.attributes.contains(&table.attribute(id).name))
                    .unwrap();
                assert_eq!(table.missing(id), masked.table.missing(id));
                let (old, new) = (values(&table, id), values(&masked.table, id));
                for group in block.partition.groups() {
                    let mut present: Vec<f64> = group
                        .iter()
                        .filter(|&&r| !table.is_missing(r as usize, id))
                        .map(|&r| old[r as usize])
                        .collect();
                    present.sort_by(f64::total_cmp);
                    let n = present.len();
                    thin[place] += if n < k { n } else { 0 };
                    let expected = match average {
                        _ if n == 0 => continue,
                        Average::Mean => present.iter().sum::<f64>() / n as f64,
                        Average::Median => (present[(n - 1) / 2] + present[n / 2]) / 2.0,
                    };
                    for &r in group.iter().filter(|&&r| !table.is_missing(r as usize, id)) {
                        assert!((new[r as usize] - expected).abs() <= 1e-12 * expected.abs());
                    }
                }
            }
            let counted: Vec<usize> = blocks(&masked)
                .iter()
                .map(|block| block.gaps.thin)
                .collect();
            assert_eq!(counted, thin, "{grouping:?}");
        }
    }
}

/// Univariate algorithms leave what is missing out of their groups, so that each group has k values.
#[test]
fn individual_ranking_groups_values_that_are_there() {
    let mut dice = Dice(15);
    let table = continuous(&random_files::cells(&mut dice, 60, 2, 4));
    let masked = run(&method(Grouping::IndividualRanking, 4), &table);
    for (id, block) in table.ids().zip(blocks(&masked)) {
        for record in 0..60 {
            let none = block.partition.group_of()[record] == Partition::NO_GROUP;
            assert_eq!(none, table.is_missing(record, id));
        }
        assert!(block.partition.sizes().iter().all(|&size| size >= 4));
        assert_eq!(block.gaps, Gaps::default());
    }
}

/// An ordinal attribute gets the lower median of its group, a nominal one the mode, in bytes that stood in the file.
#[test]
fn names_get_the_mode_and_codes_the_lower_median() {
    let mut dice = Dice(16);
    let towns = ["Hull", "\"York\"", "Leeds", "Ely"];
    let mut csv = String::from("income;town;class\n");
    for record in 0..70 {
        let town = match dice.roll(9) {
            0 => "NA",
            other => towns[other as usize % 4],
        };
        let class = match dice.roll(9) {
            0 => "NA".to_owned(),
            other => format!("{}", other % 5),
        };
        csv += &format!("{},5;{town};{class}\n", 100 * record + dice.roll(90));
    }
    let table = with_roles(
        &csv,
        "nominal = ['town']\nordinal = ['class']\ncontinuous = ['income']",
    );
    let (town, class) = (table.find("town").unwrap(), table.find("class").unwrap());
    for grouping in [
        Grouping::Mdav,
        Grouping::VMdav { gamma: 0.2 },
        Grouping::Exchange,
        Grouping::MdavMhm,
    ] {
        let masked = run(&method(grouping, 5), &table);
        for group in blocks(&masked)[0].partition.groups() {
            let there = |id: AttrId| {
                let all = group.iter().map(|&r| r as usize);
                all.filter(|&r| !table.is_missing(r, id))
                    .collect::<Vec<_>>()
            };
            let mut classes: Vec<f64> = there(class)
                .iter()
                .map(|&r| values(&table, class)[r])
                .collect();
            classes.sort_by(f64::total_cmp);
            for r in there(class) {
                assert_eq!(
                    values(&masked.table, class)[r],
                    classes[(classes.len() - 1) / 2]
                );
            }
            let count = |text: &str| {
                there(town)
                    .iter()
                    .filter(|&&r| table.text(r, town) == text)
                    .count()
            };
            for r in there(town) {
                let new = masked.table.text(r, town).into_owned();
                assert!(
                    there(town)
                        .iter()
                        .all(|&o| count(&table.text(o, town)) <= count(&new))
                );
                let bytes = masked.table.raw(r, town).into_owned();
                // Most towns are written without quotes, so all masked ones are.
                let mut unquoted = towns.iter().map(|town| town.trim_matches('"'));
                assert!(unquoted.any(|town| town.as_bytes() == bytes));
            }
        }
        for record in 0..70 {
            for id in [town, class] {
                assert_eq!(
                    table.is_missing(record, id),
                    masked.table.is_missing(record, id)
                );
            }
        }
    }
}

/// Other units and another origin change nothing where distances are standardised, and do where they are not.
#[test]
fn standardised_distances_do_not_depend_on_units() {
    let mut dice = Dice(17);
    let cells = random_files::cells(&mut dice, 50, 3, 0);
    let mut scaled = cells.clone();
    for record in &mut scaled {
        // A power of two, so that no rounding differs.
        record[0] = record[0].map(|value| 1024 * value);
    }
    let groups = |cells: &Cells, scale| {
        let masked = run(&method(Grouping::Mdav, 3).scale(scale), &continuous(cells));
        blocks(&masked)[0].partition.clone()
    };
    assert_eq!(
        groups(&cells, DistanceScale::Z),
        groups(&scaled, DistanceScale::Z)
    );
    assert_ne!(
        groups(&cells, DistanceScale::None),
        groups(&scaled, DistanceScale::None)
    );
}

#[test]
fn blocks_are_masked_each_with_its_k_and_nothing_else_is() {
    let mut dice = Dice(18);
    let table = continuous(&random_files::cells(&mut dice, 60, 4, 0));
    let block = |names: &[&str], k| BlockOf {
        attributes: names.iter().map(|&name| name.to_owned()).collect(),
        k,
    };
    let method = Microaggregation::new(
        Grouping::Mdav,
        Blocks::Named(vec![block(&["a2", "a0"], 3), block(&["a3"], 8)]),
    )
    .unwrap();
    let on: Vec<AttrId> = ["a2", "a0", "a3"]
        .iter()
        .map(|name| table.find(name).unwrap())
        .collect();
    let masked = method
        .mask(
            table.clone(),
            &on,
            &Seed::from_number(1).streams(Purpose::Mask, 0),
        )
        .unwrap();
    let sizes: Vec<usize> = blocks(&masked)
        .iter()
        .map(|block| block.partition.sizes().into_iter().min().unwrap())
        .collect();
    assert_eq!(sizes, [3, 8]);
    let a1 = table.find("a1").unwrap();
    assert_eq!(values(&table, a1), values(&masked.table, a1));
    let twice = Blocks::Named(vec![block(&["a0"], 3), block(&["a0", "a1"], 3)]);
    assert!(Microaggregation::new(Grouping::Mdav, twice).is_err());
}

#[test]
fn averages_have_the_decimals_of_their_attribute() {
    let csv = "count,amount\n1,1.5\n2,2\n4,2.5\n10,7\n11,8\n13,9.25\n";
    let table = with_roles(csv, "continuous = ['count', 'amount']");
    let masked = run(
        &method(Grouping::Mdav, 3).rounding(Rounding::Column),
        &table,
    );
    // (1 + 2 + 4) / 3 = 2.33 and (10 + 11 + 13) / 3 = 11.33; (1.5 + 2 + 2.5) / 3 = 2, (7 + 8 + 9.25) / 3 = 8.083
    let mut out = Vec::new();
    masked.table.write(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.starts_with("count,amount\n2,2\n2,2\n2,2\n11,8.08\n"),
        "{text}"
    );
}

#[test]
fn a_k_beyond_half_of_the_file_is_refused() {
    let table = continuous(&random_files::cells(&mut Dice(19), 11, 2, 0));
    let on: Vec<AttrId> = table.ids().collect();
    for (k, fits) in [
        (2, true),
        (5, true),
        (6, false),
        (11, false),
        (usize::MAX, false),
    ] {
        let result = method(Grouping::Mdav, k).mask(
            table.clone(),
            &on,
            &Seed::from_number(1).streams(Purpose::Mask, 0),
        );
        assert_eq!(result.is_ok(), fits, "k = {k}");
    }
    for k in [0, 1] {
        assert!(Microaggregation::new(Grouping::Mdav, Blocks::Together { k }).is_err());
    }
}

/// The mean of 98 and 100 is 99, which stands for missing here: it must not become a gap.
#[test]
fn an_average_that_is_a_code_for_missing_values_steps_aside() {
    let csv = "age\n98\n100\n99\n40\n42\n";
    let roles = "continuous = ['age']\n[missing]\nage = [99]";
    let table = with_roles(csv, roles);
    for (rounding, expected) in [
        (Rounding::Column, "100"),
        (Rounding::None, "99.00000000000001"),
    ] {
        let masked = run(&method(Grouping::Univariate, 2).rounding(rounding), &table);
        let mut out = Vec::new();
        masked.table.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, format!("age\n{expected}\n{expected}\n99\n41\n41\n"));
        assert_eq!(with_roles(&text, roles).missing(AttrId::new(0)).count(), 1);
    }
}

/// By hand: groups {1, 2, 3} and {4, 5, 6}. In the first, record 2 misses b; in the second, records 4 and 5 do.
#[test]
fn what_gaps_cost_is_counted() {
    let csv = "a,b\n1,1\n1.5,\n2,1.25\n50,\n51,\n52,9\n";
    let table = with_roles(csv, "continuous = ['a', 'b']");
    let masked = run(&method(Grouping::Mdav, 3), &table);
    let groups = blocks(&masked)[0].partition.groups();
    assert!(groups.contains(&vec![0, 1, 2]) && groups.contains(&vec![3, 4, 5]));
    // b: two values in the first group, one in the second. No record agrees with two others once gaps count.
    let expected = Gaps {
        thin: 3,
        alone: 1,
        rare: 6,
    };
    assert_eq!(blocks(&masked)[0].gaps, expected);
    assert_eq!(
        values(&masked.table, AttrId::new(1))[5],
        9.0,
        "it stands unchanged"
    );
}

/// Those who share gaps are grouped together: on the bundled people, of whom two in five miss something, gaps single out
/// few. (Grouped by their values alone, 652 of the 1000 were rare and 99 values stood unchanged.)
#[test]
fn gaps_come_together() {
    let people = include_bytes!("../../data/synthetic-census.csv").to_vec();
    let table = Table::read("people.csv", people, &ReadOptions::default()).unwrap();
    let method = method(Grouping::Mdav, 3);
    let on: Vec<AttrId> = table
        .ids()
        .filter(|&id| table.attribute(id).role == Role::QuasiIdentifier)
        .filter(|&id| method.objection(&table, id).is_none())
        .collect();
    let masked = method
        .mask(table, &on, &Seed::from_number(1).streams(Purpose::Mask, 0))
        .unwrap();
    let gaps = blocks(&masked)[0].gaps;
    assert!(gaps.rare < 100 && gaps.alone < 10, "{gaps:?}");
}

/// Who had the average all along must not be told by the way it is written.
#[test]
fn equal_values_are_written_alike() {
    let csv = "a;town;class\n1,00;x;1\n2,00;\"x\";01\n3,00; x;1\n7,50;y;3\n9,0;y;3,0\n10,50;y;3\n";
    let table = with_roles(
        csv,
        "continuous = ['a']\nnominal = ['town']\nordinal = ['class']",
    );
    let masked = run(&method(Grouping::Mdav, 3), &table);
    for id in table.ids() {
        for group in blocks(&masked)[0].partition.groups() {
            let bytes = |&record: &u32| masked.table.raw(record as usize, id).into_owned();
            assert!(group.iter().all(|record| bytes(record) == bytes(&group[0])));
        }
    }
    let town = &masked.effects[1];
    assert_eq!(
        (town.attribute.as_str(), town.changed),
        ("town", 0),
        "blanks and quotes are no change"
    );
}

#[test]
fn an_attribute_without_any_value_is_left_alone() {
    let table = Table::read(
        "f.csv",
        b"x,y\n,1.5\n,2.5\n,3.5\n,4.5\n".to_vec(),
        &ReadOptions::default(),
    )
    .unwrap();
    let method = method(Grouping::Mdav, 2);
    assert!(method.objection(&table, AttrId::new(0)).is_some());
    // Whoever insists gets an error, not a panic.
    let insisted = method.mask(
        table.clone(),
        &[AttrId::new(0)],
        &Seed::from_number(1).streams(Purpose::Mask, 0),
    );
    assert!(
        insisted
            .unwrap_err()
            .to_string()
            .contains("has no value at all")
    );
}
