//! Weights that are products of a factor an attribute: what they come to over all pairs of records, without the pairs.
//!
//! # What is computed
//! For each seeker x, over sought records y with weights w,
//!
//! ```text
//! L(x, y) = w(y) Π_k F_k(x_k, y_k)        the greatest L, Σ size · L, Σ size · L², …, and who is likely
//! ```
//!
//! What pairs have in common is worked out once. Attributes are gone through in an order; for each beginning `x_1 … x_j` of a seeker, and each
//! end `y_{j+1} … y_d` of a sought record,
//!
//! ```text
//! V(x_1 … x_j | y_{j+1} … y_d) = Σ over y_j of F_j(x_j, y_j) V(x_1 … x_{j−1} | y_j … y_d),        V(| y_1 … y_d) = size · w(y)
//! ```
//!
//! and `V(x_1 … x_d |)` is the sum. With the greatest in place of Σ it is the greatest. (Variable elimination; on a full grid of categories it is
//! the product of a vector with a Kronecker product of matrices, attribute by attribute.) Who is likely is found on the way back: an end of
//! which the greatest is too little is left with all records that have it.
//!
//! # Complexity
//! Σ over j of (different beginnings of j values) · (different ends from the jth value on), far less than the number of pairs where records share
//! values. Of many attributes it would be several times that number: then pairs are gone through one by one ([`Plan`]). Memory of `O(d · sought)` for each beginning that is being worked on: a few a thread.

use rayon::prelude::*;

/// Different records, by a code for each of their values.
#[derive(Debug)]
pub(super) struct Coded {
    /// Records × attributes.
    codes: Vec<u32>,
    /// For each attribute a record that has the code.
    firsts: Vec<Vec<u32>>,
}

impl Coded {
    /// Of so many records, which are compared attribute by attribute.
    pub fn new(
        n_records: usize,
        n_attributes: usize,
        compare: impl Fn(usize, u32, u32) -> std::cmp::Ordering + Sync,
    ) -> Self {
        let of_attribute = |attribute: usize| {
            let mut records: Vec<u32> = (0..).take(n_records).collect();
            records.sort_unstable_by(|&a, &b| compare(attribute, a, b).then(a.cmp(&b)));
            let (mut codes, mut firsts) = (vec![0; n_records], Vec::new());
            for (code, same) in
                (0..).zip(records.chunk_by(|&a, &b| compare(attribute, a, b).is_eq()))
            {
                same.iter()
                    .for_each(|&record| codes[record as usize] = code);
                firsts.push(same[0]);
            }
            (codes, firsts)
        };
        let attributes = (0..n_attributes).into_par_iter().map(of_attribute);
        let (columns, firsts): (Vec<Vec<u32>>, Vec<Vec<u32>>) = attributes.unzip();
        let row = |record: usize| columns.iter().map(move |codes| codes[record]);
        Self {
            codes: (0..n_records).flat_map(row).collect(),
            firsts,
        }
    }

    fn n_attributes(&self) -> usize {
        self.firsts.len()
    }

    fn n_codes(&self, attribute: usize) -> usize {
        self.firsts[attribute].len()
    }

    /// The codes of a record.
    #[inline]
    fn row(&self, record: u32) -> &[u32] {
        let width = self.n_attributes();
        &self.codes[record as usize * width..][..width]
    }

    /// All records.
    pub fn records(&self) -> Vec<u32> {
        (0..)
            .take(self.codes.len() / self.n_attributes().max(1))
            .collect()
    }

    /// Whether so many records have fewer codes in all attributes together than values.
    pub fn is_shorter_than(&self, n_records: usize) -> bool {
        let codes: usize = self.firsts.iter().map(Vec::len).sum();
        codes < n_records * self.n_attributes()
    }

    /// For each of some records, the sum over the attributes, in their order, of what `log_factors` says of the attribute of a record with the same
    /// code. It is asked about one record a code.
    pub fn sums(
        &self,
        records: &[u32],
        log_factors: impl Fn(usize, &[u32], &mut Vec<f64>),
    ) -> Vec<f64> {
        let of_codes = |(attribute, firsts): (usize, &Vec<u32>)| {
            let mut logs = Vec::new();
            log_factors(attribute, firsts, &mut logs);
            logs
        };
        let logs: Vec<Vec<f64>> = self.firsts.iter().enumerate().map(of_codes).collect();
        let sum = |&record: &u32| {
            let both = self.row(record).iter().zip(&logs);
            both.fold(0.0, |sum, (&code, logs)| sum + logs[code as usize])
        };
        records.iter().map(sum).collect()
    }
}

/// How two files are gone through, which follows from all records of both: the same whoever looks.
#[derive(Debug)]
pub(super) struct Plan {
    /// The order of the attributes.
    order: Vec<usize>,
    /// Whether beginnings and ends are so many that pairs of records are gone through instead, as if they had one attribute.
    pub one_by_one: bool,
}

/// An end that is added takes as long as so many attributes of a pair, and what is done once a pair as long as so many.
const TIMES: [u128; 2] = [10, 8];

impl Plan {
    /// Of two files of different records.
    pub fn new(files: [&Coded; 2]) -> Self {
        let n_attributes = files[0].n_attributes();
        let mut order: Vec<usize> = (0..n_attributes).collect();
        // Few beginnings meet many ends, and many beginnings few ends.
        order.sort_by_key(|&k| files.map(|of| of.n_codes(k)).into_iter().max());
        let backwards: Vec<usize> = order.iter().rev().copied().collect();
        let [beginnings, ends] = [(files[0], &order), (files[1], &backwards)]
            .map(|(file, order)| Tree::new(file, file.records(), order).n_nodes());
        let ends_added: u128 = beginnings
            .iter()
            .zip(ends.iter().rev())
            .map(|(&beginnings, &ends)| beginnings as u128 * ends as u128)
            .sum();
        let [a, b] = files.map(|file| file.records().len() as u128);
        let of_pairs = a * b * (n_attributes as u128 + TIMES[1]);
        Self {
            order,
            one_by_one: ends_added * TIMES[0] > of_pairs,
        }
    }
}

/// A beginning of records: its last code, and the place of what precedes it on the level above.
#[derive(Debug, Clone, Copy)]
struct Node {
    code: u32,
    parent: u32,
}

/// Records by their codes, one attribute after the other: on each level the different beginnings, in the order of their codes.
#[derive(Debug)]
struct Tree {
    levels: Vec<Vec<Node>>,
    /// The record of each beginning of all attributes.
    records: Vec<u32>,
}

impl Tree {
    /// Of these records, no two of which have the same codes.
    fn new(coded: &Coded, mut records: Vec<u32>, order: &[usize]) -> Self {
        let code = |record: u32, attribute: usize| coded.row(record)[attribute];
        records.par_sort_unstable_by(|&a, &b| {
            let codes = |record| order.iter().map(move |&k| code(record, k));
            codes(a).cmp(codes(b))
        });
        // The node of each record on the level above.
        let mut above = vec![0; records.len()];
        let levels = order.iter().map(|&attribute| {
            let mut nodes: Vec<Node> = Vec::new();
            for (&record, above) in records.iter().zip(&mut above) {
                let (code, parent) = (code(record, attribute), *above);
                let is_same = |last: &Node| last.code == code && last.parent == parent;
                if !nodes.last().is_some_and(is_same) {
                    nodes.push(Node { code, parent });
                }
                *above = u32::try_from(nodes.len() - 1).unwrap_or(u32::MAX);
            }
            nodes
        });
        Self {
            levels: levels.collect(),
            records,
        }
    }

    /// Of these records, as if they had one attribute and were each other's codes.
    fn of_wholes(records: Vec<u32>) -> Self {
        let node = |&code: &u32| Node { code, parent: 0 };
        Self {
            levels: vec![records.iter().map(node).collect()],
            records,
        }
    }

    /// Number of nodes of each level.
    fn n_nodes(&self) -> Vec<usize> {
        self.levels.iter().map(Vec::len).collect()
    }

    /// The nodes of a level that are below this one of the level above.
    fn below(&self, level: usize, parent: u32) -> std::ops::Range<usize> {
        let nodes = &self.levels[level];
        nodes.partition_point(|node| node.parent < parent)
            ..nodes.partition_point(|node| node.parent <= parent)
    }
}

/// What sought records with the same end come to for a beginning of a seeker.
#[derive(Debug, Clone, Copy)]
struct End<const POWERS: usize> {
    /// Its node in the tree of sought records.
    node: u32,
    /// Where those that it is made of begin, one attribute earlier.
    first: u32,
    /// How many records are possible.
    possible: u64,
    /// ln of the greatest weight, and of the greatest that is summed.
    greatest: [f64; 2],
    /// The sums of the first powers of weights.
    sums: [f64; POWERS],
}

/// What a beginning of a seeker comes to with each end of sought records that is possible.
struct Beginning<'a, const POWERS: usize> {
    ends: Vec<End<POWERS>>,
    /// ln of the factors of the last attribute, by the code of a sought record.
    logs: Vec<f64>,
    /// Without the last attribute.
    before: Option<&'a Self>,
}

/// What a sought record begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    /// ln of its weight; −∞ if it is nobody's.
    pub log: f64,
    /// ln of that in sums, where other weights are summed.
    pub summed: f64,
    /// How many records it stands for.
    pub size: u32,
}

/// What the sought records come to for a seeker.
pub(super) struct Sums<'a, const POWERS: usize> {
    products: &'a Products<'a>,
    beginning: &'a Beginning<'a, POWERS>,
}

/// The factors of two files.
pub(super) struct Products<'a> {
    seekers: Tree,
    sought: Tree,
    plan: &'a Plan,
    files: [&'a Coded; 2],
    log_factors: &'a LogFactors<'a>,
}

/// Puts ln of the factors of an attribute, for a seeker and each of some sought records, into a list that it clears first.
pub(super) type LogFactors<'a> = dyn Fn(usize, u32, &[u32], &mut Vec<f64>) + Sync + 'a;

impl<'a> Products<'a> {
    /// Of these seekers and sought records of two files of different ones, of which `plan` is, in either order.
    pub fn new(
        plan: &'a Plan,
        [seekers, sought]: [(&'a Coded, Vec<u32>); 2],
        log_factors: &'a LogFactors<'a>,
    ) -> Self {
        let files = [seekers.0, sought.0];
        let [seekers, sought] = if plan.one_by_one {
            [seekers.1, sought.1].map(Tree::of_wholes)
        } else {
            let backwards: Vec<usize> = plan.order.iter().rev().copied().collect();
            [
                Tree::new(seekers.0, seekers.1, &plan.order),
                Tree::new(sought.0, sought.1, &backwards),
            ]
        };
        Self {
            seekers,
            sought,
            plan,
            files,
            log_factors,
        }
    }

    /// What all sought records come to for each seeker, which `of_seeker` is shown: each seeker with that, in no order that matters.
    pub fn each<const POWERS: usize, T: Send>(
        &self,
        weight: impl Fn(u32) -> Weight,
        of_seeker: impl Fn(u32, Sums<'_, POWERS>) -> T + Sync,
    ) -> Vec<(u32, T)> {
        if self.seekers.records.is_empty() {
            return Vec::new();
        }
        let leaves = (0..).zip(&self.sought.records);
        let ends = leaves.filter_map(|(node, &record)| {
            let Weight { log, summed, size } = weight(record);
            let mut power = 0.0;
            let sums = std::array::from_fn(|_| {
                power += summed;
                f64::from(size) * power.exp()
            });
            (log > f64::NEG_INFINITY).then_some(End {
                node,
                first: 0,
                possible: u64::from(size),
                greatest: [log, summed],
                sums,
            })
        });
        let all = Beginning {
            ends: ends.collect(),
            logs: Vec::new(),
            before: None,
        };
        self.below(0, 0, &all, &of_seeker)
    }

    /// The same of the seekers below a node, with which `beginning` was made.
    fn below<const POWERS: usize, T: Send>(
        &self,
        level: usize,
        node: u32,
        beginning: &Beginning<'_, POWERS>,
        of_seeker: &(impl Fn(u32, Sums<'_, POWERS>) -> T + Sync),
    ) -> Vec<(u32, T)> {
        if level == self.seekers.levels.len() {
            let sums = Sums {
                products: self,
                beginning,
            };
            let seeker = self.seekers.records[node as usize];
            return vec![(seeker, of_seeker(seeker, sums))];
        }
        let of_node = |node: usize| {
            let code = self.seekers.levels[level][node].code;
            let longer = self.followed_by(level, code, beginning);
            let node = u32::try_from(node).unwrap_or(u32::MAX);
            self.below(level + 1, node, &longer, of_seeker)
        };
        let nodes = self.seekers.below(level, node);
        let above = level
            .checked_sub(1)
            .map(|above| &self.seekers.levels[above]);
        if above.is_none_or(|above| above.len() < PARTS) {
            nodes.into_par_iter().flat_map_iter(of_node).collect()
        } else {
            nodes.flat_map(of_node).collect()
        }
    }

    /// A beginning with one more code of a seeker.
    fn followed_by<'b, const POWERS: usize>(
        &self,
        level: usize,
        code: u32,
        before: &'b Beginning<'b, POWERS>,
    ) -> Beginning<'b, POWERS> {
        let logs = self.logs(level, code);
        let factors: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let nodes = &self.sought.levels[self.sought.levels.len() - 1 - level];
        let mut ends: Vec<End<POWERS>> = Vec::new();
        for (first, end) in (0..).zip(&before.ends) {
            let Node { code, parent } = nodes[end.node as usize];
            let log = logs[code as usize];
            if log == f64::NEG_INFINITY {
                continue;
            }
            if ends.last().is_none_or(|last| last.node != parent) {
                ends.push(End {
                    node: parent,
                    first,
                    possible: 0,
                    greatest: [f64::NEG_INFINITY; 2],
                    sums: [0.0; POWERS],
                });
            }
            let Some(sum) = ends.last_mut() else { continue };
            sum.possible += end.possible;
            for (greatest, own) in sum.greatest.iter_mut().zip(end.greatest) {
                *greatest = greatest.max(own + log);
            }
            let mut power = 1.0;
            for (sum, own) in sum.sums.iter_mut().zip(end.sums) {
                power *= factors[code as usize];
                *sum += own * power;
            }
        }
        Beginning {
            ends,
            logs,
            before: Some(before),
        }
    }
}

impl Products<'_> {
    /// ln of the factors of an attribute for a code of seekers and each code of sought records; of all attributes, where pairs are gone through one by
    /// one.
    fn logs(&self, level: usize, code: u32) -> Vec<f64> {
        let [seekers, sought] = self.files;
        if self.plan.one_by_one {
            return sought.sums(&sought.records(), |attribute, firsts, logs| {
                (self.log_factors)(attribute, code, firsts, logs);
            });
        }
        let mut logs = Vec::new();
        let attribute = self.plan.order[level];
        let seeker = seekers.firsts[attribute][code as usize];
        (self.log_factors)(attribute, seeker, &sought.firsts[attribute], &mut logs);
        logs
    }
}

/// Beginnings up to which what follows them is shared out among threads.
const PARTS: usize = 64;

impl<const POWERS: usize> Sums<'_, POWERS> {
    /// How many sought records are possible.
    pub fn possible(&self) -> u64 {
        self.whole().map_or(0, |whole| whole.possible)
    }

    /// ln of the greatest weight; −∞ if nobody is possible.
    pub fn greatest(&self) -> f64 {
        self.whole()
            .map_or(f64::NEG_INFINITY, |whole| whole.greatest[0])
    }

    /// Σ over sought records of the powers of their weights, up to rounding; nothing is said of what over- or underflows.
    pub fn sums(&self) -> [f64; POWERS] {
        self.whole().map_or([0.0; POWERS], |whole| whole.sums)
    }

    /// The end that has no attributes left.
    fn whole(&self) -> Option<&End<POWERS>> {
        self.beginning.ends.first()
    }

    /// Puts those of a weight, or of one that is summed, whose logarithm is at least this, up to rounding, into a list, with the logarithm that is
    /// summed.
    pub fn likely(&self, least: [f64; 2], list: &mut Vec<(u32, f64)>) {
        list.clear();
        if self.whole().is_some() {
            let products = self.products;
            let n_levels = products.seekers.levels.len();
            products.likely(self.beginning, 0, (0.0, least), n_levels, list);
        }
    }
}

impl Products<'_> {
    /// The same of the records of an end, whose later attributes add `log`; the beginning has so many codes.
    fn likely<const POWERS: usize>(
        &self,
        beginning: &Beginning<'_, POWERS>,
        place: usize,
        (log, least): (f64, [f64; 2]),
        n_codes: usize,
        list: &mut Vec<(u32, f64)>,
    ) {
        let end = &beginning.ends[place];
        let Some(before) = beginning.before else {
            let record = self.sought.records[end.node as usize];
            list.push((record, log + end.greatest[1]));
            return;
        };
        let next = beginning.ends.get(place + 1);
        let last = next.map_or(before.ends.len(), |next| next.first as usize);
        let nodes = &self.sought.levels[self.sought.levels.len() - n_codes];
        for place in end.first as usize..last {
            let part = &before.ends[place];
            let log = log + beginning.logs[nodes[part.node as usize].code as usize];
            let [weight, summed] = part.greatest;
            if log + weight >= least[0] || log + summed >= least[1] {
                self.likely(before, place, (log, least), n_codes - 1, list);
            }
        }
    }
}
