//! Branch and bound with the linear relaxation.

use super::{Decision, Greedy, without_redundant};
use crate::optimize::simplex::{Outcome, Simplex};

/// Sums of rounding in the relaxation.
const SLACK: f64 = 1e-6;

/// Sets added to the relaxation at a time.
const AT_ONCE: usize = 60;

/// Branches whose effect is tried out in both directions before their averages are trusted.
const RELIABLE: u32 = 4;

/// Elements that are tried out at a node.
const TRIED: usize = 8;

/// What is settled on the way to a node: elements that are in or out.
type Path = Vec<(u32, bool)>;

/// What a branch cost, on average.
#[derive(Debug, Clone, Copy, Default)]
struct Effect {
    sum: f64,
    count: u32,
}

struct Search<'a> {
    sets: &'a [Vec<u32>],
    hits: Vec<Vec<u32>>,
    n: usize,
    most: usize,
    program: Simplex,
    present: Vec<bool>,
    /// Bounds that stand in the program.
    settled: Vec<Option<bool>>,
    effects: Vec<[Effect; 2]>,
    stops: &'a dyn Fn() -> bool,
}

enum Node {
    Closed,
    Hit(Vec<u32>),
    Stopped,
    /// The element to branch on, and what reduced costs settle below.
    Open(u32, Path),
}

/// Whether `most` elements hit all sets, which are reduced.
pub(super) fn search(
    sets: &[Vec<u32>],
    n: usize,
    most: usize,
    stops: &dyn Fn() -> bool,
) -> Decision {
    if sets.is_empty() {
        return Decision::Hit(Vec::new());
    }
    let mut search = Search::new(sets, n, most, stops);
    let greedy = search.greedy();
    if greedy.len() <= most {
        return Decision::Hit(greedy);
    }
    let mut open: Vec<Path> = vec![Vec::new()];
    while let Some(path) = open.pop() {
        if stops() {
            return Decision::Unknown;
        }
        match search.visit(&path) {
            Node::Closed => {}
            Node::Hit(elements) => return Decision::Hit(elements),
            Node::Stopped => return Decision::Unknown,
            Node::Open(element, settled) => {
                let mut with = path;
                with.extend(settled);
                let mut without = with.clone();
                with.push((element, true));
                without.push((element, false));
                open.push(without);
                open.push(with);
            }
        }
    }
    Decision::Impossible
}

/// The bound of the relaxation at the root.
pub(super) fn relaxation(sets: &[Vec<u32>], n: usize) -> usize {
    if sets.is_empty() {
        return 0;
    }
    let mut search = Search::new(sets, n, n, &|| false);
    search.solve(None);
    let bound = (search.program.bound() - SLACK).ceil().max(0.0);
    (0..=n).find(|&k| k as f64 >= bound).unwrap_or(n)
}

impl<'a> Search<'a> {
    fn new(sets: &'a [Vec<u32>], n: usize, most: usize, stops: &'a dyn Fn() -> bool) -> Self {
        let mut hits = vec![Vec::new(); n];
        for (place, set) in sets.iter().enumerate() {
            for &e in set {
                hits[e as usize].push(u32::try_from(place).unwrap_or(u32::MAX));
            }
        }
        Self {
            sets,
            hits,
            n,
            most,
            program: Simplex::new(vec![1.0; n], vec![0.0; n], vec![1.0; n]),
            present: vec![false; sets.len()],
            settled: vec![None; n],
            effects: vec![[Effect::default(); 2]; n],
            stops,
        }
    }

    fn greedy(&self) -> Vec<u32> {
        let mut greedy = Greedy::new(self.n);
        for set in self.sets {
            greedy.push(set.clone());
        }
        greedy.hitting_set(&vec![1.0; self.n])
    }

    fn settle(&mut self, element: u32, value: Option<bool>) {
        let e = element as usize;
        if self.settled[e] != value {
            self.settled[e] = value;
            let (low, high) = match value {
                None => (0.0, 1.0),
                Some(true) => (1.0, 1.0),
                Some(false) => (0.0, 0.0),
            };
            self.program.set_bounds(e, low, high);
        }
    }

    /// Settles the path and what follows from it; false if it is impossible.
    fn follow(&mut self, path: &Path) -> bool {
        let mut wanted = vec![None; self.n];
        for &(e, value) in path {
            wanted[e as usize] = Some(value);
        }
        loop {
            let mut changed = false;
            for set in self.sets {
                let mut free = None;
                let mut count = 0;
                let hit = set.iter().any(|&e| {
                    if wanted[e as usize].is_none() {
                        free = Some(e);
                        count += 1;
                    }
                    wanted[e as usize] == Some(true)
                });
                match (hit, count, free) {
                    (true, _, _) => {}
                    (_, 1, Some(e)) => {
                        wanted[e as usize] = Some(true);
                        changed = true;
                    }
                    (_, 0, _) => return false,
                    _ => {}
                }
            }
            if !changed {
                break;
            }
        }
        for (e, value) in wanted.into_iter().enumerate() {
            self.settle(u32::try_from(e).unwrap_or(u32::MAX), value);
        }
        true
    }

    /// Solves the relaxation, with the sets that it violates: false if nothing costs at most this.
    fn solve(&mut self, most: Option<f64>) -> bool {
        loop {
            let outcome = match most {
                Some(most) => self.program.decide(most),
                None => self.program.solve(),
            };
            match outcome {
                Outcome::Over | Outcome::Infeasible => return false,
                // Nothing is known: branching goes on.
                Outcome::Stalled => return true,
                Outcome::Under | Outcome::Optimal => {}
            }
            let point = self.program.point();
            let mut missing: Vec<(f64, usize)> = (0..self.sets.len())
                .filter(|&place| !self.present[place])
                .map(|place| {
                    (
                        self.sets[place].iter().map(|&e| point[e as usize]).sum(),
                        place,
                    )
                })
                .filter(|&(sum, _): &(f64, usize)| sum < 1.0 - SLACK)
                .collect();
            if missing.is_empty() {
                return true;
            }
            missing.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, place) in missing.iter().take(AT_ONCE) {
                self.present[place] = true;
                let row = self.sets[place].iter().map(|&e| (e, 1.0)).collect();
                self.program.add_row(row, 1.0, f64::INFINITY);
            }
        }
    }

    fn limit(&self) -> f64 {
        self.most as f64 + SLACK
    }

    fn visit(&mut self, path: &Path) -> Node {
        if !self.follow(path) || !self.solve(Some(self.limit())) {
            return Node::Closed;
        }
        let point = self.program.point().to_vec();
        let rounded = self.rounded(&point);
        if rounded.len() <= self.most {
            return Node::Hit(rounded);
        }
        let settled = self.by_reduced_costs(&point);
        for &(e, value) in &settled {
            self.settle(e, Some(value));
        }
        self.choose(&point, settled)
    }

    /// The point rounded: elements by descending value as long as they hit something new, then without redundant ones.
    fn rounded(&self, point: &[f64]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.n)
            .map(|e| u32::try_from(e).unwrap_or(u32::MAX))
            .filter(|&e| self.settled[e as usize] != Some(false))
            .collect();
        let key = |e: u32| point[e as usize] + 1e-4 * self.hits[e as usize].len() as f64;
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)).then(a.cmp(&b)));
        let mut is_hit = vec![false; self.sets.len()];
        let mut chosen = Vec::new();
        for e in order {
            let mut new = false;
            for &place in &self.hits[e as usize] {
                new |= !is_hit[place as usize];
                is_hit[place as usize] = true;
            }
            if new {
                chosen.push(e);
            }
        }
        if is_hit.contains(&false) {
            return (0..=u32::try_from(self.n).unwrap_or(u32::MAX)).collect();
        }
        chosen.reverse();
        without_redundant(self.sets, &self.hits, &chosen)
    }

    /// Elements that would cost too much, in or out.
    fn by_reduced_costs(&self, point: &[f64]) -> Path {
        let room = self.limit() - self.program.bound();
        let reduced = self.program.reduced_costs(false);
        let mut settled = Vec::new();
        for e in 0..self.n {
            if self.settled[e].is_some() {
                continue;
            }
            let name = u32::try_from(e).unwrap_or(u32::MAX);
            if reduced[e] > room && point[e] < 0.5 {
                settled.push((name, false));
            } else if -reduced[e] > room && point[e] > 0.5 {
                settled.push((name, true));
            }
        }
        settled
    }

    /// The element that moves the bound most in both directions.
    fn choose(&mut self, point: &[f64], mut settled: Path) -> Node {
        let base = self.program.objective();
        let average = self.average();
        let mut candidates: Vec<(f64, u32)> = (0..self.n)
            .filter(|&e| self.settled[e].is_none() && point[e] > 1e-6 && point[e] < 1.0 - 1e-6)
            .map(|e| {
                let name = u32::try_from(e).unwrap_or(u32::MAX);
                (self.promise(e, point[e], average), name)
            })
            .collect();
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, u32)> = None;
        let mut tried = 0;
        for &(promise, e) in &candidates {
            if (self.stops)() {
                return Node::Stopped;
            }
            let [out, into] = self.effects[e as usize];
            if out.count.min(into.count) >= RELIABLE || tried >= TRIED {
                if best.is_none_or(|(greatest, _)| promise > greatest) {
                    best = Some((promise, e));
                }
                continue;
            }
            tried += 1;
            let value = point[e as usize];
            let down = self.probe(e, false, base, value);
            let up = self.probe(e, true, base, value);
            match (down, up) {
                (None, None) => return Node::Closed,
                (None, Some(_)) => {
                    settled.push((e, true));
                    self.settle(e, Some(true));
                }
                (Some(_), None) => {
                    settled.push((e, false));
                    self.settle(e, Some(false));
                }
                (Some(down), Some(up)) => {
                    let score = product(down, up);
                    if best.is_none_or(|(greatest, _)| score > greatest) {
                        best = Some((score, e));
                    }
                }
            }
        }
        match best {
            Some((_, e)) => Node::Open(e, settled),
            None => self.any(point, settled),
        }
    }

    /// A point of whole numbers that rounding did not accept, or all candidates settled: any open element.
    fn any(&self, point: &[f64], settled: Path) -> Node {
        let open = (0..self.n)
            .filter(|&e| self.settled[e].is_none())
            .max_by(|&a, &b| point[a].total_cmp(&point[b]).then(b.cmp(&a)));
        match open {
            Some(e) => Node::Open(u32::try_from(e).unwrap_or(u32::MAX), settled),
            // All is settled and hits all sets, or the program would have been infeasible.
            None => {
                let chosen: Vec<u32> = (0..self.n)
                    .filter(|&e| self.settled[e] == Some(true))
                    .map(|e| u32::try_from(e).unwrap_or(u32::MAX))
                    .collect();
                let hit = |set: &Vec<u32>| set.iter().any(|e| chosen.binary_search(e).is_ok());
                if chosen.len() <= self.most && self.sets.iter().all(hit) {
                    Node::Hit(chosen)
                } else {
                    Node::Closed
                }
            }
        }
    }

    /// How much the bound rises if an element is in or out; `None` if that is impossible.
    fn probe(&mut self, e: u32, value: bool, base: f64, now: f64) -> Option<f64> {
        self.settle(e, Some(value));
        let possible = self.solve(Some(self.limit()));
        let rise = (self.program.objective() - base).max(0.0);
        self.settle(e, None);
        let distance = if value { 1.0 - now } else { now };
        let cost = if possible { rise } else { self.limit() - base };
        let effect = &mut self.effects[e as usize][usize::from(value)];
        effect.count += 1;
        effect.sum += cost / distance.max(1e-3);
        possible.then_some(rise)
    }

    fn average(&self) -> [f64; 2] {
        [0, 1].map(|side| {
            let (sum, count) = self.effects.iter().fold((0.0, 0), |(sum, count), effect| {
                (sum + effect[side].sum, count + effect[side].count)
            });
            if count == 0 {
                1.0
            } else {
                sum / f64::from(count)
            }
        })
    }

    fn promise(&self, e: usize, value: f64, average: [f64; 2]) -> f64 {
        let of = |side: usize| {
            let effect = self.effects[e][side];
            if effect.count == 0 {
                average[side]
            } else {
                effect.sum / f64::from(effect.count)
            }
        };
        product(of(0) * value, of(1) * (1.0 - value))
    }
}

fn product(down: f64, up: f64) -> f64 {
    down.max(1e-6) * up.max(1e-6)
}
