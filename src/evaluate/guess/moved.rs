//! Which attributes of a release still stand beside each other as in the original.

use rayon::prelude::*;

use super::columns::{Column, are_together, combinations};

/// As many different combinations of values at least must be equal in both files, so that it is not by chance.
const MIN_COMBINATIONS: usize = 20;

/// What still stands together.
#[derive(Debug, Default)]
pub struct Moved {
    /// The most attributes whose combinations of values are those of the original, if these are many enough to say so.
    pub together: Vec<usize>,
    /// Attributes that moved against all others.
    pub alone: Vec<usize>,
    /// Other sets that moved against the rest, but not within.
    pub blocks: Vec<Vec<usize>>,
}

/// Splits attributes whose values were kept, each with its place in `columns`, by whether their combinations were kept.
///
/// # Complexity
/// A sort of the records for each pair of attributes.
pub fn moved(columns: &[Column], kept: &[usize]) -> Moved {
    let of = |places: &[usize]| -> Vec<&Column> { places.iter().map(|&k| &columns[k]).collect() };
    if kept.len() > 1 && are_together(&of(kept)) {
        return Moved::of_sets(columns, vec![kept.to_vec()]);
    }
    let pairs: Vec<[usize; 2]> = (0..kept.len())
        .flat_map(|j| (0..j).map(move |k| [k, j]))
        .collect();
    let fit: Vec<bool> = pairs
        .par_iter()
        .map(|&[k, j]| are_together(&of(&[kept[k], kept[j]])))
        .collect();
    let mut friends = vec![vec![false; kept.len()]; kept.len()];
    for (&[k, j], fit) in pairs.iter().zip(fit) {
        friends[k][j] = fit;
        friends[j][k] = fit;
    }
    let degree = |place: &usize| friends[*place].iter().filter(|&&fit| fit).count();
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(degree(place)));
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for place in order {
        let fits = |set: &&mut Vec<usize>| {
            let mut with: Vec<usize> = set.iter().map(|&member| kept[member]).collect();
            with.push(kept[place]);
            set.iter().all(|&member| friends[place][member]) && are_together(&of(&with))
        };
        match sets.iter_mut().find(fits) {
            Some(set) => set.push(place),
            None => sets.push(vec![place]),
        }
    }
    let sets = sets.into_iter().map(|set| {
        let mut set: Vec<usize> = set.into_iter().map(|member| kept[member]).collect();
        set.sort_unstable();
        set
    });
    Moved::of_sets(columns, sets.collect())
}

impl Moved {
    fn of_sets(columns: &[Column], mut sets: Vec<Vec<usize>>) -> Self {
        sets.sort_by_key(|set| (std::cmp::Reverse(set.len()), set.first().copied()));
        let mut moved = Self::default();
        for set in sets {
            let of: Vec<&Column> = set.iter().map(|&place| &columns[place]).collect();
            let is_evident = || {
                let mut codes = combinations(&of)[1].clone();
                codes.sort_unstable();
                codes.dedup();
                codes.len() >= MIN_COMBINATIONS
            };
            match set.len() {
                0 => {}
                1 => moved.alone.extend(set),
                _ if moved.together.is_empty() && is_evident() => moved.together = set,
                _ => moved.blocks.push(set),
            }
        }
        moved.alone.sort_unstable();
        moved
    }
}
