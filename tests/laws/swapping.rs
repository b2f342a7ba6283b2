//! What all rank-swapping methods without a window obey, and what their tests share.

use sdcrisk::{
    mask::{Details, Mask, Masked, p_buckets::PBuckets, p_distribution::PDistribution},
    rng::{Purpose, Seed},
    table::{AttrId, ReadOptions, Table},
};

use crate::{
    chi_square::assert_same_law,
    random_files::{self, Cells, Dice, table},
};

pub fn mask(method: &dyn Mask, table: Table, seed: u64) -> Masked {
    let on: Vec<AttrId> = table
        .ids()
        .filter(|&id| method.objection(&table, id).is_none())
        .collect();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    method.mask(table, &on, &streams).unwrap()
}

pub fn written(table: &Table) -> String {
    let mut text = Vec::new();
    table.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// `draws` independent maskings of the values 0 to n−1: the value that came to each place, which is the place of its
/// partner. Each attribute of a file is a masking of its own.
pub fn maskings(method: &dyn Mask, n: usize, draws: usize) -> Vec<Vec<usize>> {
    const AT_ONCE: usize = 200;
    let cells: Cells = (0..n).map(|i| vec![Some(i as i64); AT_ONCE]).collect();
    let original = table(&cells);
    let mut all = Vec::new();
    for seed in 0..draws.div_ceil(AT_ONCE) {
        let masked = mask(method, original.clone(), seed as u64);
        for id in masked.table.ids() {
            let numbers = masked.table.numbers(id).unwrap();
            all.push(numbers.values.iter().map(|&value| value as usize).collect());
        }
    }
    all.truncate(draws);
    all
}

/// How often each of `classes` comes.
pub fn counts(of: impl Iterator<Item = usize>, classes: usize) -> Vec<u32> {
    let mut counts = vec![0; classes];
    of.for_each(|class| counts[class] += 1);
    counts
}

/// Two programs draw by one law: the partner of every third value, and how many swaps of a file are long.
pub fn assert_same_swaps(fast: &[Vec<usize>], slow: &[Vec<usize>]) {
    let n = fast[0].len();
    for place in (0..n).step_by(3).chain([n - 1]) {
        let partner = |all: &[Vec<usize>]| counts(all.iter().map(|masked| masked[place]), n);
        assert_same_law(&partner(fast), &partner(slow));
    }
    let long = |all: &[Vec<usize>]| {
        let of = |masked: &Vec<usize>| {
            let far = |&(place, &other): &(usize, &usize)| place.abs_diff(other) > n / 6;
            masked.iter().enumerate().filter(far).count()
        };
        counts(all.iter().map(of), n + 1)
    };
    assert_same_law(&long(fast), &long(slow));
}

fn methods() -> Vec<Box<dyn Mask>> {
    vec![
        Box::new(PBuckets::new(1).unwrap()),
        Box::new(PBuckets::new(9).unwrap()),
        Box::new(PBuckets::new(60).unwrap()),
        Box::new(PDistribution::new(4.0).unwrap()),
        Box::new(PDistribution::new(100.0).unwrap()),
    ]
}

#[test]
fn a_masked_attribute_is_a_permutation_with_gaps_in_place() {
    let mut dice = Dice(61);
    for method in methods() {
        for gap in [0, 5] {
            let original = random_files::cells(&mut dice, 131, 4, gap);
            let masked = mask(method.as_ref(), table(&original), dice.roll(99));
            let result = random_files::parse(&written(&masked.table));
            for attribute in 0..4 {
                let column = |cells: &Cells| -> Vec<Option<i64>> {
                    cells.iter().map(|record| record[attribute]).collect()
                };
                let (mut before, mut after) = (column(&original), column(&result));
                let gaps = |values: &[Option<i64>]| -> Vec<bool> {
                    values.iter().map(Option::is_none).collect()
                };
                assert_eq!(gaps(&before), gaps(&after), "missing values stay");
                before.sort_unstable();
                after.sort_unstable();
                assert_eq!(before, after, "a permutation");
            }
        }
    }
}

/// With all values different the swaps can be read off: x went to where y was, and y to where x was. Of an odd number
/// exactly one stays.
#[test]
fn swaps_are_disjoint_pairs_and_one_stays_of_an_odd_number() {
    for method in methods() {
        for n in [100, 101] {
            for masked in maskings(method.as_ref(), n, 20) {
                for (place, &partner) in masked.iter().enumerate() {
                    assert_eq!(masked[partner], place, "the partner of my partner is me");
                }
                let stay = (0..n).filter(|&place| masked[place] == place).count();
                assert_eq!(stay, n % 2, "{method:?}");
            }
        }
        let cells: Cells = (0..101).map(|i| vec![Some(i * 37 % 101)]).collect();
        let masked = mask(method.as_ref(), table(&cells), 3);
        let Details::Swapping { without_partner } = &masked.details else {
            panic!("swapping tells who found no partner")
        };
        assert_eq!((masked.effects[0].changed, without_partner[0]), (100, 1));
    }
}

#[test]
fn equal_values_written_differently_are_written_in_one_way() {
    let text = "a\n1\n1.0\n1.00\n1\n1.0\n";
    for method in [
        Box::new(PBuckets::new(2).unwrap()) as Box<dyn Mask>,
        Box::new(PDistribution::new(60.0).unwrap()),
    ] {
        let table = Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default());
        let masked = mask(method.as_ref(), table.unwrap(), 3);
        assert_eq!(written(&masked.table), "a\n1.0\n1.0\n1.0\n1.0\n1.0\n");
        assert_eq!(masked.effects[0].changed, 0);
    }
}

/// Of 40 equal values and one greater, the greater one is swapped with each of the equal ones alike: where equal values
/// stand in the file does not matter. 40 classes of 100 expected.
#[test]
fn ties_are_broken_at_random() {
    let cells: Cells = (0..41)
        .map(|i| vec![Some(i64::from(i == 40)); 200])
        .collect();
    let original = table(&cells);
    for method in [
        Box::new(PBuckets::new(3).unwrap()) as Box<dyn Mask>,
        Box::new(PDistribution::new(10.0).unwrap()),
    ] {
        let mut places = vec![0_u32; 40];
        for seed in 0..20 {
            let masked = mask(method.as_ref(), original.clone(), seed);
            for id in masked.table.ids() {
                let values = masked.table.numbers(id).unwrap().values;
                let place = values.iter().position(|&value| value == 1.0).unwrap();
                // At 40 it found no partner: 41 is odd.
                if let Some(count) = places.get_mut(place) {
                    *count += 1;
                }
            }
        }
        crate::chi_square::assert_drawn_by(&places, &[1.0; 40]);
    }
}

#[test]
fn threads_and_other_attributes_change_nothing() {
    let mut dice = Dice(63);
    let cells = random_files::cells(&mut dice, 500, 6, 8);
    for method in methods() {
        let run = |threads: usize, attributes: &[usize]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let masked = pool.unwrap().install(|| {
                let table = table(&cells);
                let ids: Vec<AttrId> = table.ids().collect();
                let on: Vec<AttrId> = attributes.iter().map(|&k| ids[k]).collect();
                let streams = Seed::from_number(8).streams(Purpose::Mask, 0);
                written(&method.mask(table, &on, &streams).unwrap().table)
            });
            random_files::parse(&masked)
        };
        let all = [0, 1, 2, 3, 4, 5];
        let full = run(1, &all);
        assert_eq!(full, run(2, &all));
        assert_eq!(full, run(4, &all));
        let part = run(2, &[4, 1]);
        for (record, (full, part)) in full.iter().zip(&part).enumerate() {
            assert_eq!((part[1], part[4]), (full[1], full[4]));
            assert_eq!(part[0], cells[record][0], "what is not masked stays");
        }
    }
}
