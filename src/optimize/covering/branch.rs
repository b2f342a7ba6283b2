//! Branch and bound with the linear relaxation.

use super::{Ended, Greedy, Known, Oracle, without_redundant};
use crate::optimize::simplex::{Outcome, Simplex};

/// Sums of rounding in the relaxation.
const SLACK: f64 = 1e-6;

/// Sets added to the relaxation at a time.
const AT_ONCE: usize = 60;

/// Branches whose effect is tried out in both directions before their averages are trusted.
const RELIABLE: u32 = 4;

/// Elements that are tried out at a node.
const TRIED: usize = 8;

/// The oracle is asked about the relaxation at one of so many nodes at least.
const MAX_WAIT: usize = 31;

/// Elements of which the relaxation takes more than these shares, are they enough?
const SHARES: [f64; 3] = [SLACK, 0.2, 0.5];

/// What is settled on the way to a node: elements that are in or out.
type Path = Vec<(u32, bool)>;

/// What a branch cost, on average.
#[derive(Debug, Clone, Copy, Default)]
struct Effect {
    sum: f64,
    count: u32,
}

struct Search<'a> {
    sets: Vec<Vec<u32>>,
    hits: Vec<Vec<u32>>,
    n: usize,
    most: usize,
    program: Simplex,
    present: Vec<bool>,
    /// Bounds that stand in the program.
    settled: Vec<Option<bool>>,
    effects: Vec<[Effect; 2]>,
    /// Nodes to let pass before the oracle is asked about a relaxation again, and how many have.
    wait: usize,
    waited: usize,
    oracle: &'a mut dyn Oracle,
}

enum Node {
    Closed,
    /// These elements hit all sets, and are few enough.
    Hit(Vec<u32>),
    /// The oracle knew more sets.
    Again,
    Stopped,
    /// The element to branch on, what reduced costs settle below, and the relaxation's bound here.
    Open(u32, Path, f64),
}

/// A part of the search that is still open: what is settled, and the bound of its parent.
struct Part {
    path: Path,
    bound: f64,
}

/// Searches for a hitting set that the oracle accepts. The sets must be reduced if that is wanted; the search adds what the oracle reveals.
pub(super) fn search(sets: Vec<Vec<u32>>, n: usize, oracle: &mut dyn Oracle) -> Ended {
    let mut search = Search::new(sets, n, oracle);
    let mut open = vec![Part {
        path: Path::new(),
        bound: 0.0,
    }];
    let mut greedy = Some(search.greedy());
    while let Some(part) = open.pop() {
        let stopped = |open: &[Part]| {
            let least = open.iter().fold(part.bound, |least, p| least.min(p.bound));
            Ended::Stopped(ceiling(least, n))
        };
        if search.oracle.stops() {
            return stopped(&open);
        }
        let node = match greedy.take() {
            Some(elements) if elements.len() <= search.most => Node::Hit(elements),
            _ => search.visit(&part.path),
        };
        match node {
            Node::Closed => {}
            Node::Stopped => return stopped(&open),
            Node::Again => open.push(part),
            Node::Hit(elements) => {
                let before = search.most;
                let point = search.program.point().to_vec();
                let (new, _) = search.ask(&elements, &point);
                match search.oracle.most() {
                    None => return stopped(&open),
                    Some(most) => search.most = most.min(before),
                }
                if new == 0 && search.most == before {
                    return Ended::Accepted(elements);
                }
                open.push(part);
            }
            Node::Open(element, settled, bound) => {
                let bound = bound.max(part.bound);
                let mut with = part.path;
                with.extend(settled);
                let mut without = with.clone();
                with.push((element, true));
                without.push((element, false));
                open.extend([without, with].map(|path| Part { path, bound }));
            }
        }
    }
    Ended::Exhausted(search.most)
}

/// The bound of the relaxation at the root.
pub(super) fn relaxation(sets: Vec<Vec<u32>>, n: usize) -> usize {
    let mut oracle = Known {
        most: n,
        stops: &|| false,
    };
    let mut search = Search::new(sets, n, &mut oracle);
    search.solve(None);
    ceiling(search.program.bound(), n)
}

/// The least whole number that is not below a bound, but for rounding.
fn ceiling(bound: f64, n: usize) -> usize {
    (0..n).find(|&k| k as f64 >= bound - SLACK).unwrap_or(n)
}

impl<'a> Search<'a> {
    fn new(sets: Vec<Vec<u32>>, n: usize, oracle: &'a mut dyn Oracle) -> Self {
        let mut search = Self {
            sets: Vec::new(),
            hits: vec![Vec::new(); n],
            n,
            most: oracle.most().unwrap_or(0),
            program: Simplex::new(vec![1.0; n], vec![0.0; n], vec![1.0; n]),
            present: Vec::new(),
            settled: vec![None; n],
            effects: vec![[Effect::default(); 2]; n],
            wait: 0,
            waited: 0,
            oracle,
        };
        for set in sets {
            search.push(set);
        }
        search
    }

    fn push(&mut self, set: Vec<u32>) {
        for &e in &set {
            self.hits[e as usize].push(to_u32(self.sets.len()));
        }
        self.sets.push(set);
        self.present.push(false);
    }

    /// Tells the oracle elements, and where the search is: how many more sets there are, and whether the point violates any.
    fn ask(&mut self, elements: &[u32], point: &[f64]) -> (usize, bool) {
        let shares: Vec<(u32, f64)> = (0..self.n)
            .filter(|&e| point[e] > SLACK)
            .map(|e| (to_u32(e), point[e]))
            .collect();
        let new = self.oracle.ask(elements, &shares);
        let count = new.len();
        let mut violated = false;
        for set in new {
            let sum: f64 = set.iter().map(|&e| point[e as usize]).sum();
            violated |= sum < 1.0 - 1e-3;
            self.push(set);
        }
        (count, violated)
    }

    fn greedy(&self) -> Vec<u32> {
        let mut greedy = Greedy::new(self.n);
        for set in &self.sets {
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
            for set in &self.sets {
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
            self.settle(to_u32(e), value);
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
        // Now: what is tried out later has bounds of its own in the program.
        let bound = self.program.bound();
        let point = self.program.point().to_vec();
        let rounded = self.rounded(&point);
        if rounded.len() <= self.most {
            return Node::Hit(rounded);
        }
        if self.asks_too_much(&point) {
            return Node::Again;
        }
        let settled = self.by_reduced_costs(&point);
        for &(e, value) in &settled {
            self.settle(e, Some(value));
        }
        self.choose(&point, settled, bound)
    }

    /// Asks the oracle for sets that the relaxation violates: less and less often as long as there are none.
    fn asks_too_much(&mut self, point: &[f64]) -> bool {
        if self.waited < self.wait {
            self.waited += 1;
            return false;
        }
        self.waited = 0;
        let new = SHARES.iter().any(|&least| {
            let elements: Vec<u32> = (0..self.n)
                .filter(|&e| point[e] > least)
                .map(to_u32)
                .collect();
            self.ask(&elements, point).1
        });
        self.wait = if new {
            0
        } else {
            (2 * self.wait + 1).min(MAX_WAIT)
        };
        new
    }

    /// The point rounded: elements by descending value as long as they hit something new, then without redundant ones.
    fn rounded(&self, point: &[f64]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.n)
            .map(to_u32)
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
            return (0..=to_u32(self.n)).collect();
        }
        chosen.reverse();
        without_redundant(&self.sets, &self.hits, &chosen)
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
            let name = to_u32(e);
            if reduced[e] > room && point[e] < 0.5 {
                settled.push((name, false));
            } else if -reduced[e] > room && point[e] > 0.5 {
                settled.push((name, true));
            }
        }
        settled
    }

    /// The element that moves the bound most in both directions.
    fn choose(&mut self, point: &[f64], mut settled: Path, bound: f64) -> Node {
        let base = self.program.objective();
        let average = self.average();
        let mut candidates: Vec<(f64, u32)> = (0..self.n)
            .filter(|&e| self.settled[e].is_none() && point[e] > 1e-6 && point[e] < 1.0 - 1e-6)
            .map(|e| {
                let name = to_u32(e);
                (self.promise(e, point[e], average), name)
            })
            .collect();
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, u32)> = None;
        let mut tried = 0;
        for &(promise, e) in &candidates {
            if self.oracle.stops() {
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
            Some((_, e)) => Node::Open(e, settled, bound),
            None => self.any(point, settled, bound),
        }
    }

    /// A point of whole numbers that rounding did not accept, or all candidates settled: any open element.
    fn any(&self, point: &[f64], settled: Path, bound: f64) -> Node {
        let open = (0..self.n)
            .filter(|&e| self.settled[e].is_none())
            .max_by(|&a, &b| point[a].total_cmp(&point[b]).then(b.cmp(&a)));
        match open {
            Some(e) => Node::Open(to_u32(e), settled, bound),
            // All is settled and hits all sets, or the program would have been infeasible.
            None => {
                let chosen: Vec<u32> = (0..self.n)
                    .filter(|&e| self.settled[e] == Some(true))
                    .map(to_u32)
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

fn to_u32(element: usize) -> u32 {
    u32::try_from(element).unwrap_or(u32::MAX)
}
