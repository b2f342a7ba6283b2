//! Hitting sets that are good, quickly.

/// Builds hitting sets element by element.
#[derive(Debug, Clone)]
pub struct Greedy {
    n_elements: usize,
    sets: Vec<Vec<u32>>,
    /// The sets of each element.
    hits: Vec<Vec<u32>>,
}

impl Greedy {
    /// No sets.
    pub fn new(n_elements: usize) -> Self {
        Self {
            n_elements,
            sets: Vec::new(),
            hits: vec![Vec::new(); n_elements],
        }
    }

    /// Adds a set, which must not be empty.
    pub fn push(&mut self, set: Vec<u32>) {
        let place = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        for &e in &set {
            self.hits[e as usize].push(place);
        }
        self.sets.push(set);
    }

    /// The sets.
    pub fn sets(&self) -> &[Vec<u32>] {
        &self.sets
    }

    /// A hitting set without redundant elements: again and again the element with the greatest `favour · Σ 1/|S|` over its sets that are
    /// not hit yet. Redundant elements leave by ascending favour.
    pub fn hitting_set(&self, favour: &[f64]) -> Vec<u32> {
        let mut scores = vec![0.0; self.n_elements];
        for set in &self.sets {
            for &e in set {
                scores[e as usize] += weight(set);
            }
        }
        let mut is_hit = vec![false; self.sets.len()];
        let mut left = self.sets.len();
        let mut chosen = Vec::new();
        while left > 0 {
            let mut best = (0, f64::NEG_INFINITY);
            for (e, score) in scores.iter().enumerate() {
                let value = score * favour[e];
                if *score > 1e-9 && value > best.1 {
                    best = (e, value);
                }
            }
            if best.1 == f64::NEG_INFINITY {
                break;
            }
            chosen.push(u32::try_from(best.0).unwrap_or(u32::MAX));
            for &place in &self.hits[best.0] {
                let place = place as usize;
                if !is_hit[place] {
                    is_hit[place] = true;
                    left -= 1;
                    for &e in &self.sets[place] {
                        scores[e as usize] -= weight(&self.sets[place]);
                    }
                }
            }
            scores[best.0] = 0.0;
        }
        chosen.sort_by(|&a, &b| {
            favour[a as usize]
                .total_cmp(&favour[b as usize])
                .then(a.cmp(&b))
        });
        without_redundant(&self.sets, &self.hits, &chosen)
    }
}

fn weight(set: &[u32]) -> f64 {
    1.0 / f64::from(u32::try_from(set.len()).unwrap_or(u32::MAX))
}

/// The elements without those whose sets others hit, looked at in this order. `hits` has the sets of each element.
pub fn without_redundant(sets: &[Vec<u32>], hits: &[Vec<u32>], elements: &[u32]) -> Vec<u32> {
    let mut counts = vec![0_u32; sets.len()];
    for &e in elements {
        for &place in &hits[e as usize] {
            counts[place as usize] += 1;
        }
    }
    let mut kept = Vec::new();
    for &e in elements {
        let own = &hits[e as usize];
        if own.iter().all(|&place| counts[place as usize] >= 2) {
            for &place in own {
                counts[place as usize] -= 1;
            }
        } else {
            kept.push(e);
        }
    }
    kept.sort_unstable();
    kept
}
