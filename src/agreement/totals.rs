//! How many sought records agree with a seeker on all attributes of a set.

use super::{Agreement, code::Span};

/// For each seeker and each subset of `counted` (as bits by their places), how many of `records` agree on all of it; on nothing
/// at all agree all of them.
///
/// # Complexity
/// Equalities: O(n) a subset where combinations are few, else O(n log n). Intervals: at most two, O(n log n).
pub(super) fn totals(
    agreement: &Agreement,
    records: &[u32],
    counted: &[usize],
    all_equalities: bool,
) -> Vec<u32> {
    let sets = 1 << counted.len();
    let mut totals = vec![0; agreement.n_seekers * sets];
    if all_equalities {
        let groups = Groups {
            of_records: vec![0; records.len()],
            of_seekers: vec![Some(0); agreement.n_seekers],
            number: 1,
        };
        by_groups(agreement, records, counted, 0, 0, &groups, &mut totals);
        return totals;
    }
    let everybody = u32::try_from(records.len()).unwrap_or(u32::MAX);
    for of_seeker in totals.chunks_exact_mut(sets) {
        of_seeker[0] = everybody;
    }
    for (place, &k) in counted.iter().enumerate() {
        let sorted = sorted_codes(agreement, records, k);
        for seeker in 0..agreement.n_seekers {
            let (from, to) = window(&sorted, agreement.spans_of(seeker)[k]);
            totals[seeker * sets + (1 << place)] = small(to - from);
        }
    }
    if let [first, second] = *counted {
        let both = in_rectangles(agreement, records, first, second);
        for (of_seeker, count) in totals.chunks_exact_mut(sets).zip(both) {
            of_seeker[3] = count;
        }
    }
    totals
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn sorted_codes(agreement: &Agreement, records: &[u32], attribute: usize) -> Vec<u32> {
    let mut codes: Vec<u32> = records
        .iter()
        .map(|&record| agreement.codes[record as usize * agreement.width + attribute])
        .collect();
    codes.sort_unstable();
    codes
}

fn window(sorted: &[u32], span: Span) -> (usize, usize) {
    if span == Span::NONE {
        return (0, 0);
    }
    let from = sorted.partition_point(|&code| code < span.first);
    let to = sorted.partition_point(|&code| code <= span.first + span.more);
    (from, to)
}

/// Records and seekers by their combination of categories.
struct Groups {
    of_records: Vec<u32>,
    /// `None` where no record can agree.
    of_seekers: Vec<Option<u32>>,
    number: usize,
}

/// Fills in the totals of `set` and of all its extensions by the attributes from `next` on.
fn by_groups(
    agreement: &Agreement,
    records: &[u32],
    counted: &[usize],
    next: usize,
    set: usize,
    groups: &Groups,
    totals: &mut [u32],
) {
    let sets = 1 << counted.len();
    let mut sizes = vec![0_u32; groups.number];
    for &group in &groups.of_records {
        sizes[group as usize] += 1;
    }
    for (of_seeker, group) in totals.chunks_exact_mut(sets).zip(&groups.of_seekers) {
        of_seeker[set] = group.map_or(0, |group| sizes[group as usize]);
    }
    for place in next..counted.len() {
        let finer = refined(agreement, records, counted[place], groups);
        by_groups(
            agreement,
            records,
            counted,
            place + 1,
            set | 1 << place,
            &finer,
            totals,
        );
    }
}

/// The groups split by one more attribute.
fn refined(agreement: &Agreement, records: &[u32], attribute: usize, groups: &Groups) -> Groups {
    let code = |record: u32| agreement.codes[record as usize * agreement.width + attribute];
    let key = |group: u32, code: u32| u64::from(group) << 32 | u64::from(code);
    let keys: Vec<u64> = records
        .iter()
        .zip(&groups.of_records)
        .map(|(&record, &group)| key(group, code(record)))
        .collect();
    let mut different = keys.clone();
    different.sort_unstable();
    different.dedup();
    let find = |key: u64| different.binary_search(&key).ok().map(small);
    Groups {
        of_records: keys.iter().map(|&key| find(key).unwrap_or(0)).collect(),
        of_seekers: (0..agreement.n_seekers)
            .map(|seeker| {
                let span = agreement.spans_of(seeker)[attribute];
                groups.of_seekers[seeker].and_then(|group| find(key(group, span.first)))
            })
            .collect(),
        number: different.len(),
    }
}

/// For each seeker, how many records agree on both attributes: records enter in the order of the first, and a tree of sums over
/// the codes of the second says how many of those that are in have a code in a span.
fn in_rectangles(agreement: &Agreement, records: &[u32], first: usize, second: usize) -> Vec<u32> {
    let code = |record: u32, k: usize| agreement.codes[record as usize * agreement.width + k];
    let mut order: Vec<u32> = records.to_vec();
    order.sort_unstable_by_key(|&record| code(record, first));
    let sorted: Vec<u32> = order.iter().map(|&record| code(record, first)).collect();
    // Before how many records have entered a seeker asks: once to take away, once to add.
    let mut asked: Vec<(u32, u32, bool)> = Vec::with_capacity(2 * agreement.n_seekers);
    for seeker in 0..agreement.n_seekers {
        let spans = agreement.spans_of(seeker);
        let (from, to) = window(&sorted, spans[first]);
        if from < to && spans[second] != Span::NONE {
            asked.push((small(from), small(seeker), false));
            asked.push((small(to), small(seeker), true));
        }
    }
    asked.sort_unstable();
    let n_codes = order
        .iter()
        .map(|&record| code(record, second) as usize + 1)
        .max();
    let mut sums = Sums(vec![0; n_codes.unwrap_or(0)]);
    let mut counts = vec![0_u32; agreement.n_seekers];
    let mut entered = 0;
    for (place, seeker, adds) in asked {
        while entered < place as usize {
            sums.enter(code(order[entered], second) as usize);
            entered += 1;
        }
        let Span { first, more } = agreement.spans_of(seeker as usize)[second];
        let inside = sums.below(first as usize + more as usize + 1) - sums.below(first as usize);
        let count = &mut counts[seeker as usize];
        // The subtraction comes first: numbers wrap around and come back.
        *count = if adds {
            count.wrapping_add(inside)
        } else {
            count.wrapping_sub(inside)
        };
    }
    counts
}

/// How many entered at each place, as a binary indexed tree.
struct Sums(Vec<u32>);

impl Sums {
    fn enter(&mut self, place: usize) {
        let mut node = place + 1;
        while node <= self.0.len() {
            self.0[node - 1] += 1;
            node += node & node.wrapping_neg();
        }
    }

    /// How many entered before this place.
    fn below(&self, place: usize) -> u32 {
        let mut node = place.min(self.0.len());
        let mut sum = 0;
        while node > 0 {
            sum += self.0[node - 1];
            node &= node - 1;
        }
        sum
    }
}
