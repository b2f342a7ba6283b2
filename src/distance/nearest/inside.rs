//! Who is in a box, without regard to distances.

use pulp::{Arch, Simd, WithSimd};

use super::{
    Neighbours,
    boxes::Constraint,
    rough::{Rough, Sieve},
    tiles::LANES,
    tree::{NO_NODE, Tree},
};

impl Neighbours {
    /// The point at each place. Points near each other stand near each other.
    pub fn points(&self) -> &[u32] {
        self.tree.tiles.order()
    }

    /// Appends the [places](Self::points) of all points in a box, in no particular order. Points just outside, closer to the box than single
    /// precision can tell, may be among them: check again where that matters.
    ///
    /// # Complexity
    /// Subtrees outside the box are not entered, and those inside are not looked at.
    pub fn inside(&self, constraints: &[Constraint], places: &mut Vec<u32>) {
        if self.tree.nodes.is_empty() || constraints.iter().any(Constraint::admits_nobody) {
            return;
        }
        Arch::new().dispatch(Inside {
            tree: &self.tree,
            rough: self.rough.as_ref(),
            constraints,
            places,
        });
    }
}

struct Inside<'a> {
    tree: &'a Tree,
    rough: Option<&'a Rough>,
    constraints: &'a [Constraint],
    places: &'a mut Vec<u32>,
}

impl WithSimd for Inside<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (tree, constraints) = (self.tree, self.constraints);
        let mut sieve = Sieve::new();
        let sifted = (self.rough).filter(|rough| rough.sieve(constraints, &mut sieve));
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let node = &tree.nodes[index as usize];
            // No closures: vector code is lost in one that is not inlined.
            let (apart, within) = match sifted {
                Some(rough) => rough.relations(simd, index as usize, &sieve),
                None => tree.relations(index as usize, constraints),
            };
            for child in 0..node.n_children as usize {
                if apart[child] {
                    continue;
                }
                let (start, end) = (node.start[child], node.start[child + 1]);
                if within[child] {
                    self.places.extend(start..end);
                } else if node.child[child] != NO_NODE {
                    open.push(node.child[child]);
                } else {
                    for tile in start as usize / LANES..(end as usize).div_ceil(LANES) {
                        let held = match sifted {
                            Some(rough) => rough.held(simd, tile, &sieve).map(|held| held.possible),
                            None => Some(tree.tiles.admitted(simd, tile, constraints)),
                        };
                        let places = (tile * LANES) as u32..end;
                        for (place, held) in places.zip(held.into_iter().flatten()) {
                            if held {
                                self.places.push(place);
                            }
                        }
                    }
                }
            }
        }
    }
}
