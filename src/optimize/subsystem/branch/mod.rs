//! Branch and cut over blocks.

mod oracle;
mod vertex;

use oracle::{Oracle, Reply};
use std::collections::BTreeSet;
use vertex::{End, Vertex};

use super::{Answer, Conflict, Problem, Proof, Start, Watch};

const WHOLE: f64 = 1e-6;

/// A conflict as a cut.
#[derive(Debug, Clone)]
struct Cut {
    blocks: Vec<usize>,
    conflict: Conflict,
}

#[derive(Debug, Clone)]
struct Node {
    bound: f64,
    fixed: Vec<(usize, bool)>,
}

/// Counters.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// nodes
    pub nodes: usize,
    /// Oracle programmes.
    pub asked: usize,
    /// Pivots of the covering programme.
    pub pivots: usize,
    /// Cuts.
    pub cuts: usize,
    /// Root bound.
    pub root: f64,
    /// seconds in separation, covering
    pub seconds: [f64; 3],
}

struct Search<'a> {
    problem: &'a Problem,
    oracle: Oracle<'a>,
    cover: Vertex,
    cuts: Vec<Cut>,
    known: BTreeSet<Vec<usize>>,
    best: Vec<f64>,
    satisfied: usize,
    stats: Stats,
    up: Vec<(f64, usize)>,
    down: Vec<(f64, usize)>,
}

impl<'a> Search<'a> {
    fn n(&self) -> usize {
        self.problem.rows.n_blocks()
    }
    /// Nodes are of use only if they drop no more than this.
    fn allowed(&self) -> f64 {
        self.n() as f64 - self.satisfied as f64 - 1.0
    }
    fn consider(&mut self, parameters: &[f64]) {
        let count = self.problem.count(parameters);
        if count > self.satisfied {
            self.satisfied = count;
            self.best = parameters.to_vec();
            if std::env::var("V").is_ok() {
                eprintln!(
                    "  new best {count} at node {} cuts {}",
                    self.stats.nodes,
                    self.cuts.len()
                );
            }
        }
    }
    fn blocks_of(&self, conflict: &Conflict) -> Vec<usize> {
        let mut blocks: Vec<usize> = conflict
            .rows
            .iter()
            .map(|&(row, _)| self.problem.rows.block_of(row))
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
    /// Leaves out blocks as long as the rest stays in conflict, those of greatest weight first.
    fn shrink(&mut self, conflict: Conflict, weight: &[f64]) -> Cut {
        let mut blocks = self.blocks_of(&conflict);
        let mut conflict = conflict;
        let mut order = blocks.clone();
        order.sort_by(|&a, &b| weight[b].total_cmp(&weight[a]));
        for block in order {
            if blocks.len() == 1 || blocks.binary_search(&block).is_err() {
                continue;
            }
            let mut asked = vec![false; self.n()];
            for &other in &blocks {
                asked[other] = other != block;
            }
            match self.oracle.ask(&asked) {
                Reply::Conflict(less) => {
                    conflict = less;
                    blocks = self.blocks_of(&conflict);
                }
                Reply::Together(_) | Reply::Unknown => {}
            }
        }
        Cut { blocks, conflict }
    }
    fn add(&mut self, cut: Cut) -> bool {
        if !self.known.insert(cut.blocks.clone()) {
            return false;
        }
        self.cover
            .push_row(cut.blocks.iter().map(|&b| (b as u32, 1.0)), 1.0, false);
        self.cuts.push(cut);
        true
    }
    /// Adds cuts that z violates: how many; none with whole z means that z is a solution.
    fn separate(&mut self, z: &[f64], most: usize, deep: bool) -> (usize, bool) {
        let n = self.n();
        let mut found = 0;
        let mut asked: Vec<bool> = z.iter().map(|&z| z < WHOLE).collect();
        let mut spread: Vec<f64> = z
            .iter()
            .enumerate()
            .map(|(b, z)| z + 1e-3 * ((b * 7919 + self.stats.nodes * 31) % 1009) as f64 / 1009.0)
            .collect();
        let mut unknown = false;
        let base;
        loop {
            match self.oracle.ask(&asked) {
                Reply::Together(p) => {
                    self.consider(&p);
                    base = p;
                    break;
                }
                Reply::Unknown => {
                    unknown = true;
                    base = Vec::new();
                    break;
                }
                Reply::Conflict(conflict) => {
                    let cut = self.shrink(conflict, &spread);
                    for &b in &cut.blocks {
                        asked[b] = false;
                    }
                    if self.add(cut) {
                        found += 1;
                    }
                    if found >= most {
                        return (found, true);
                    }
                }
            }
        }
        if found > 0 {
            return (found, !unknown);
        }
        if unknown {
            return (0, false);
        }
        let _ = base;
        // Fractional.
        let mut slack: Vec<f64> = z
            .iter()
            .map(|&z| if z > 1.0 - WHOLE { f64::INFINITY } else { z })
            .collect();
        for _ in 0..most {
            let Some((p, blocks)) = self.oracle.relaxed(&slack) else {
                break;
            };
            self.consider(&p);
            let mut asked = vec![false; n];
            for &b in &blocks {
                asked[b] = true;
            }
            let Reply::Conflict(conflict) = self.oracle.ask(&asked) else {
                break;
            };
            let cut = self.shrink(conflict, &spread);
            let total: f64 = cut.blocks.iter().map(|&b| z[b]).sum();
            for &b in &cut.blocks {
                if z[b] > WHOLE {
                    slack[b] = f64::INFINITY;
                }
            }
            if total < 1.0 - 1e-3 && self.add(cut) {
                found += 1;
            }
        }
        if found > 0 && !deep {
            return (found, true);
        }
        if !deep {
            return (found, true);
        }
        // Grow: from the kept blocks, in order of z.
        let mut order: Vec<usize> = (0..n)
            .filter(|&b| z[b] >= WHOLE && z[b] < 1.0 - WHOLE)
            .collect();
        for round in 0..order.len().min(most) {
            order.sort_by(|&a, &b| spread[a].total_cmp(&spread[b]));
            let mut asked: Vec<bool> = z.iter().map(|&z| z < WHOLE).collect();
            let first = order[round];
            asked[first] = true;
            let mut reply = self.oracle.ask(&asked);
            let mut sum = z[first];
            for &b in &order {
                if matches!(reply, Reply::Conflict(_)) {
                    break;
                }
                if let Reply::Together(p) = &reply {
                    let p = p.clone();
                    self.consider(&p);
                    if self.problem.satisfies(b, &p) {
                        asked[b] = true;
                        continue;
                    }
                }
                if b == first {
                    continue;
                }
                asked[b] = true;
                sum += z[b];
                reply = self.oracle.ask(&asked);
            }
            let _ = sum;
            if let Reply::Conflict(conflict) = reply {
                let cut = self.shrink(conflict, &spread);
                let total: f64 = cut.blocks.iter().map(|&b| z[b]).sum();
                for &b in &cut.blocks {
                    spread[b] += 0.2;
                }
                if total < 1.0 - 1e-3 && self.add(cut) {
                    found += 1;
                }
            }
        }
        (found, true)
    }

    fn enter(&mut self, fixed: &[(usize, bool)]) {
        for b in 0..self.n() {
            self.cover.set_bounds(b, 0.0, 1.0);
        }
        for &(b, dropped) in fixed {
            let v = f64::from(u8::from(dropped));
            self.cover.set_bounds(b, v, v);
        }
        self.cover.locate();
    }

    /// Works on a node: `None` if nothing better is below it, else the block to branch on.
    fn work(&mut self, node: &mut Node) -> Option<usize> {
        let root = node.fixed.is_empty();
        let mut last = f64::NEG_INFINITY;
        let mut idle = 0;
        loop {
            let cutoff = self.allowed() + WHOLE;
            let t = std::time::Instant::now();
            let end = self.cover.solve(cutoff, 5000);
            self.stats.seconds[0] += t.elapsed().as_secs_f64();
            match end {
                End::Cutoff | End::Infeasible => return None,
                End::Unknown => {
                    self.cover.reset();
                    if self.cover.solve(cutoff, 50_000) != End::Optimal {
                        return None;
                    }
                }
                End::Optimal => {}
            }
            let objective = self.cover.objective();
            node.bound = node.bound.max(objective);
            let z = self.cover.x().to_vec();
            // Reduced costs.
            let fixes: Vec<(usize, bool)> = self
                .cover
                .multipliers()
                .filter_map(|(tight, m)| match tight {
                    vertex::Tight::Bound(b)
                        if self.cover.bounds(b).0 < self.cover.bounds(b).1
                            && objective + m.abs() > cutoff =>
                    {
                        Some((b, m < 0.0))
                    }
                    _ => None,
                })
                .collect();
            for (b, dropped) in fixes {
                let v = f64::from(u8::from(dropped));
                self.cover.set_bounds(b, v, v);
                if !root {
                    node.fixed.push((b, dropped));
                }
            }
            let whole = z.iter().all(|&z| z < WHOLE || z > 1.0 - WHOLE);
            idle = if objective > last + if root { 0.005 } else { 0.05 } {
                0
            } else {
                idle + 1
            };
            last = objective;
            let t = std::time::Instant::now();
            let (found, sure) = self.separate(&z, if root { 10 } else { 4 }, root || idle == 0);
            self.stats.seconds[1] += t.elapsed().as_secs_f64();
            if whole && found == 0 {
                // A solution: it was considered.
                if !sure {
                    if std::env::var("V").is_ok() {
                        eprintln!("unknown");
                    }
                }
                return None;
            }
            if root && std::env::var("V").is_ok() {
                eprintln!(
                    "root {objective:.3} cuts {} best {}",
                    self.cuts.len(),
                    self.satisfied
                );
            }
            if found > 0 && idle < if root { 8 } else { 2 } {
                continue;
            }
            if found > 0 {
                // Solve once more, so that the branching sees the new cuts.
                continue_or(&mut self.cover, cutoff)?;
                node.bound = node.bound.max(self.cover.objective());
                let z = self.cover.x();
                if z.iter().all(|&z| z < WHOLE || z > 1.0 - WHOLE) {
                    continue;
                }
            }
            return Some(self.choose(node));
        }
    }

    /// The block to branch on.
    fn choose(&mut self, node: &Node) -> usize {
        let t = std::time::Instant::now();
        let z = self.cover.x().to_vec();
        let objective = self.cover.objective();
        let mut best = (f64::NEG_INFINITY, usize::MAX);
        let average = |costs: &[(f64, usize)]| {
            let (s, c) = costs
                .iter()
                .filter(|c| c.1 > 0)
                .fold((0.0, 0), |a, c| (a.0 + c.0 / c.1 as f64, a.1 + 1));
            if c == 0 { 1.0 } else { s / c as f64 }
        };
        let (up, down) = (average(&self.up), average(&self.down));
        let guess = |costs: &(f64, usize), all: f64| {
            if costs.1 == 0 {
                all
            } else {
                costs.0 / costs.1 as f64
            }
        };
        let mut candidates: Vec<(f64, usize)> = (0..self.n())
            .filter(|&b| z[b] > WHOLE && z[b] < 1.0 - WHOLE)
            .map(|b| {
                let u = guess(&self.up[b], up) * (1.0 - z[b]);
                let d = guess(&self.down[b], down) * z[b];
                (u.max(1e-6) * d.max(1e-6), b)
            })
            .collect();
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let cutoff = self.allowed() + WHOLE;
        let mut since = 0;
        for &(score, b) in &candidates {
            let reliable = self.up[b].1.min(self.down[b].1) >= 8;
            let score = if reliable {
                score
            } else {
                let saved = self.cover.clone();
                let mut gains = [0.0; 2];
                for (place, v) in [(0, 0.0), (1, 1.0)] {
                    self.cover.set_bounds(b, v, v);
                    self.cover.locate();
                    let end = self.cover.solve(cutoff, 30);
                    gains[place] = match end {
                        End::Cutoff | End::Infeasible => cutoff - objective + 1.0,
                        _ => (self.cover.objective() - objective).max(0.0),
                    };
                    self.cover.clone_from(&saved);
                }
                self.down[b].0 += gains[0] / z[b];
                self.down[b].1 += 1;
                self.up[b].0 += gains[1] / (1.0 - z[b]);
                self.up[b].1 += 1;
                gains[0].max(1e-6) * gains[1].max(1e-6)
            };
            if score > best.0 {
                best = (score, b);
                since = 0;
            } else {
                since += 1;
                if since >= 8 {
                    break;
                }
            }
        }
        self.stats.seconds[2] += t.elapsed().as_secs_f64();
        let _ = node;
        best.1
    }
}

fn continue_or(cover: &mut Vertex, cutoff: f64) -> Option<()> {
    match cover.solve(cutoff, 5000) {
        End::Cutoff | End::Infeasible => None,
        _ => Some(()),
    }
}

/// Solve.
pub fn solve(problem: &Problem, start: Start, watch: &dyn Watch) -> Answer {
    search(problem, start, watch).0
}

/// Solve, with counters.
pub fn search(problem: &Problem, start: Start, watch: &dyn Watch) -> (Answer, Stats) {
    let n = problem.rows.n_blocks();
    let mut search = Search {
        problem,
        oracle: Oracle::new(problem),
        cover: Vertex::new(vec![1.0; n], vec![0.0; n], vec![1.0; n]),
        cuts: Vec::new(),
        known: BTreeSet::new(),
        best: Vec::new(),
        satisfied: 0,
        stats: Stats::default(),
        up: vec![(0.0, 0); n],
        down: vec![(0.0, 0); n],
    };
    if let Some(p) = &start.parameters {
        search.best.clone_from(p);
        search.satisfied = problem.count(p);
    }
    let mut open = vec![Node {
        bound: 0.0,
        fixed: Vec::new(),
    }];
    let mut stopped = false;
    while let Some(place) = pick(&open, search.stats.nodes) {
        if watch.stops() {
            stopped = true;
            break;
        }
        let mut node = open.swap_remove(place);
        if node.bound > search.allowed() + WHOLE {
            continue;
        }
        search.enter(&node.fixed);
        loop {
            search.stats.nodes += 1;
            let Some(block) = search.work(&mut node) else {
                break;
            };
            if search.stats.nodes == 1 {
                search.stats.root = node.bound;
            }
            if std::env::var("V").is_ok() && search.stats.nodes % 200 == 0 {
                let least = open.iter().fold(node.bound, |l, n| l.min(n.bound));
                eprintln!(
                    "nodes {} open {} bound {least:.3} depth {} cuts {} best {} asked {} {:?}",
                    search.stats.nodes,
                    open.len(),
                    node.fixed.len(),
                    search.cuts.len(),
                    search.satisfied,
                    search.oracle.solved,
                    search.stats.seconds
                );
            }
            let drop_first = search.cover.x()[block] > 0.5;
            let mut other = node.clone();
            other.fixed.push((block, !drop_first));
            open.push(other);
            node.fixed.push((block, drop_first));
            let v = f64::from(u8::from(drop_first));
            search.cover.set_bounds(block, v, v);
            search.cover.locate();
            if watch.stops() {
                open.push(node);
                break;
            }
        }
    }
    let bound = if stopped {
        n - open
            .iter()
            .fold(f64::INFINITY, |l: f64, n| l.min(n.bound))
            .ceil()
            .max(0.0) as usize
    } else {
        search.satisfied
    };
    search.stats.asked = search.oracle.solved;
    search.stats.cuts = search.cuts.len();
    search.stats.pivots = search.cover.pivots;
    let proof = Proof::Covering {
        conflicts: search.cuts.iter().map(|c| c.conflict.clone()).collect(),
        dropped: n - bound,
    };
    (
        Answer {
            parameters: search.best,
            satisfied: search.satisfied,
            bound: bound.max(search.satisfied),
            proof,
        },
        search.stats,
    )
}

fn pick(open: &[Node], _nodes: usize) -> Option<usize> {
    (0..open.len()).min_by(|&a, &b| {
        open[a]
            .bound
            .total_cmp(&open[b].bound)
            .then(open[b].fixed.len().cmp(&open[a].fixed.len()))
    })
}
