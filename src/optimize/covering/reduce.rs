//! What need not be looked at: sets that contain others, elements that others replace.

/// What is left.
#[derive(Debug)]
pub(super) struct Reduced {
    /// The sets that are left, of new numbers of elements, ascending.
    pub sets: Vec<Vec<u32>>,
    /// What the elements were called.
    pub names: Vec<u32>,
    /// Elements that some smallest hitting set has.
    pub forced: Vec<u32>,
    /// There is an empty set.
    pub impossible: bool,
}

/// Applies, until nothing changes:
///
/// - a set that contains another is hit with it,
/// - an element whose sets another element also hits is not needed,
/// - the element of a set of one is.
pub(super) fn reduce(sets: &[Vec<u32>], n_elements: usize) -> Reduced {
    let mut sets: Vec<Vec<u32>> = sets.to_vec();
    for set in &mut sets {
        set.sort_unstable();
        set.dedup();
    }
    let mut forced = Vec::new();
    let impossible = sets.iter().any(Vec::is_empty);
    loop {
        minimal(&mut sets);
        let units: Vec<u32> = sets
            .iter()
            .filter(|set| set.len() == 1)
            .map(|set| set[0])
            .collect();
        forced.extend_from_slice(&units);
        sets.retain(|set| set.len() > 1);
        let replaced = replaced(&sets, n_elements);
        for set in &mut sets {
            set.retain(|&e| !replaced[e as usize]);
        }
        if !replaced.contains(&true) {
            break;
        }
    }
    let mut numbers = vec![u32::MAX; n_elements];
    let mut names = Vec::new();
    for set in &mut sets {
        for element in set {
            let number = &mut numbers[*element as usize];
            if *number == u32::MAX {
                *number = u32::try_from(names.len()).unwrap_or(u32::MAX);
                names.push(*element);
            }
            *element = *number;
        }
    }
    for set in &mut sets {
        set.sort_unstable();
    }
    Reduced {
        sets,
        names,
        forced,
        impossible,
    }
}

/// Leaves sets out that contain another (or equal one before them).
pub(super) fn minimal(sets: &mut Vec<Vec<u32>>) {
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    sets.dedup();
    let marks: Vec<u64> = sets.iter().map(|set| mark(set)).collect();
    let mut kept: Vec<usize> = Vec::new();
    for place in 0..sets.len() {
        let (set, own) = (&sets[place], marks[place]);
        let contains = kept.iter().any(|&other| {
            marks[other] & !own == 0
                && sets[other].len() < set.len()
                && sets[other].iter().all(|e| set.binary_search(e).is_ok())
        });
        if !contains {
            kept.push(place);
        }
    }
    *sets = kept
        .into_iter()
        .map(|place| std::mem::take(&mut sets[place]))
        .collect();
}

/// A bit for each element, with collisions.
fn mark(set: &[u32]) -> u64 {
    set.iter().fold(0, |mark, &e| {
        mark | 1 << (e.wrapping_mul(0x9E37_79B1) >> 26)
    })
}

/// How many sets without common elements are found when small ones are taken first.
pub(super) fn packing(sets: &[Vec<u32>], n_elements: usize) -> usize {
    let mut order: Vec<&Vec<u32>> = sets.iter().collect();
    order.sort_by_key(|set| set.len());
    let mut taken = vec![false; n_elements];
    let mut count = 0;
    for set in order {
        if set.iter().all(|&e| !taken[e as usize]) {
            count += 1;
            for &e in set {
                taken[e as usize] = true;
            }
        }
    }
    count
}

/// Which elements hit only sets that another, which stays, hits too.
fn replaced(sets: &[Vec<u32>], n_elements: usize) -> Vec<bool> {
    let words = sets.len().div_ceil(64);
    let mut hits = vec![0_u64; n_elements * words];
    let mut degrees = vec![0_usize; n_elements];
    for (place, set) in sets.iter().enumerate() {
        for &e in set {
            hits[e as usize * words + place / 64] |= 1 << (place % 64);
            degrees[e as usize] += 1;
        }
    }
    let of = |e: usize| &hits[e * words..(e + 1) * words];
    let mut replaced = vec![false; n_elements];
    for e in (0..n_elements).filter(|&e| degrees[e] > 0) {
        // Whoever replaces e hits the first of its sets.
        let Some(first) = of(e).iter().position(|word| *word != 0) else {
            continue;
        };
        let place = first * 64 + of(e)[first].trailing_zeros() as usize;
        replaced[e] = sets[place].iter().any(|&other| {
            let f = other as usize;
            f != e
                && !replaced[f]
                && (degrees[f] > degrees[e] || (degrees[f] == degrees[e] && f < e))
                && of(e).iter().zip(of(f)).all(|(a, b)| a & !b == 0)
        });
    }
    replaced
}
