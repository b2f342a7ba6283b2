use super::*;

/// Sets that look random, of a fixed sequence.
fn sets(case: u32, n_elements: u32, n_sets: usize, size: usize) -> Vec<Vec<u32>> {
    let mut state = u64::from(case).wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 33).unwrap()
    };
    (0..n_sets)
        .map(|_| {
            let mut set: Vec<u32> = (0..size).map(|_| next() % n_elements).collect();
            set.sort_unstable();
            set.dedup();
            set
        })
        .collect()
}

/// The least number of elements, over all choices.
fn brute_force(sets: &[Vec<u32>], n_elements: u32) -> usize {
    (0_u32..1 << n_elements)
        .filter(|choice| {
            sets.iter()
                .all(|set| set.iter().any(|e| choice >> e & 1 == 1))
        })
        .map(|choice| choice.count_ones() as usize)
        .min()
        .unwrap()
}

fn hits_all(sets: &[Vec<u32>], elements: &[u32]) -> bool {
    sets.iter()
        .all(|set| set.iter().any(|e| elements.contains(e)))
}

#[test]
fn the_decision_is_that_of_trying_all_choices() {
    for case in 0..120 {
        let n = 4 + case % 9;
        let sets = sets(
            case,
            n,
            3 + (case as usize * 7) % 30,
            2 + (case as usize) % 3,
        );
        let least = brute_force(&sets, n);
        let bound = lower_bound(&sets, n as usize).unwrap();
        assert!(bound <= least);
        assert_eq!(
            decide(&sets, n as usize, least - 1, &|| false),
            Decision::Impossible
        );
        match decide(&sets, n as usize, least, &|| false) {
            Decision::Hit(elements) => {
                assert!(elements.len() <= least && hits_all(&sets, &elements));
            }
            other => panic!("{other:?}"),
        }
        let mut greedy = Greedy::new(n as usize);
        sets.iter().for_each(|set| greedy.push(set.clone()));
        let elements = greedy.hitting_set(&vec![1.0; n as usize]);
        assert!(hits_all(&sets, &elements));
        for left_out in &elements {
            let others: Vec<u32> = elements.iter().copied().filter(|e| e != left_out).collect();
            assert!(!hits_all(&sets, &others), "redundant");
        }
    }
}

/// The points of the projective plane of order 3 (13 points, 13 lines of 4): the lines of a difference set {0, 1, 3, 9} modulo 13. Any line
/// is a smallest set that hits all lines, since any two meet, and three points do not hit more than 3 · 4 = 12 lines.
#[test]
fn the_lines_of_a_projective_plane() {
    let lines: Vec<Vec<u32>> = (0..13)
        .map(|shift| [0, 1, 3, 9].map(|e| (e + shift) % 13).to_vec())
        .collect();
    assert_eq!(decide(&lines, 13, 3, &|| false), Decision::Impossible);
    assert!(matches!(decide(&lines, 13, 4, &|| false), Decision::Hit(found) if found.len() == 4));
    // 1/4 each: 13/4, rounded up.
    assert_eq!(lower_bound(&lines, 13), Some(4));
}

#[test]
fn an_empty_set_is_hit_by_nothing_and_no_sets_by_nothing_at_all() {
    let sets = vec![vec![0], Vec::new()];
    assert_eq!(decide(&sets, 2, 2, &|| false), Decision::Impossible);
    assert_eq!(lower_bound(&sets, 2), None);
    assert_eq!(decide(&[], 2, 0, &|| false), Decision::Hit(Vec::new()));
    assert_eq!(lower_bound(&[], 2), Some(0));
}

/// Tells one set that is not hit at a time.
struct Hidden {
    sets: Vec<Vec<u32>>,
    most: usize,
    revealed: Vec<Vec<u32>>,
}

impl Oracle for Hidden {
    fn ask(&mut self, elements: &[u32], _: &[(u32, f64)]) -> Vec<Vec<u32>> {
        let missed = self
            .sets
            .iter()
            .find(|set| !set.iter().any(|e| elements.contains(e)));
        self.revealed.extend(missed.cloned());
        missed.cloned().into_iter().collect()
    }

    fn most(&self) -> Option<usize> {
        Some(self.most)
    }

    fn stops(&self) -> bool {
        false
    }
}

fn explore_hidden(sets: &[Vec<u32>], n_elements: usize, most: usize) -> Ended {
    let mut hidden = Hidden {
        sets: sets.to_vec(),
        most,
        revealed: Vec::new(),
    };
    loop {
        let revealed = hidden.revealed.clone();
        match explore(&revealed, n_elements, &mut hidden) {
            Ended::Crowded => assert!(hidden.revealed.len() > revealed.len()),
            ended => return ended,
        }
    }
}

#[test]
fn sets_that_are_told_one_by_one_have_the_same_answer() {
    for case in 0..60 {
        let n = 4 + case % 9;
        let sets = sets(
            case,
            n,
            3 + (case as usize * 7) % 30,
            2 + (case as usize) % 3,
        );
        let least = brute_force(&sets, n);
        assert_eq!(
            explore_hidden(&sets, n as usize, least - 1),
            Ended::Exhausted(least - 1)
        );
        match explore_hidden(&sets, n as usize, least) {
            Ended::Accepted(elements) => {
                assert!(elements.len() <= least && hits_all(&sets, &elements))
            }
            other => panic!("{other:?}"),
        }
    }
}

/// 150 pairs {2k, 2k + 1}: 150 elements hit them, and fewer do not. The elements come in by and by: more than there is room for.
#[test]
fn more_elements_than_there_is_room_for_come_in_turns() {
    let pairs: Vec<Vec<u32>> = (0..150).map(|k| vec![2 * k, 2 * k + 1]).collect();
    assert_eq!(explore_hidden(&pairs, 300, 149), Ended::Exhausted(149));
    assert!(
        matches!(explore_hidden(&pairs, 300, 150), Ended::Accepted(found) if found.len() == 150)
    );
}

/// A cycle of 5 elements, 800 times: 3 elements hit each cycle, and 2 of its pairs have nothing in common.
#[test]
fn very_many_elements_have_the_bound_of_disjoint_sets() {
    let cycles: Vec<Vec<u32>> = (0..800_u32)
        .flat_map(|cycle| (0..5).map(move |k| vec![5 * cycle + k, 5 * cycle + (k + 1) % 5]))
        .collect();
    assert_eq!(lower_bound(&cycles, 4_000), Some(1_600));
    assert_eq!(decide(&cycles, 4_000, 1_600, &|| false), Decision::Unknown);
    assert_eq!(explore_hidden(&cycles, 4_000, 0), Ended::Exhausted(0));
}

/// Fewer and fewer elements are wanted, sets are revealed one by one, and at the question of this number whether to stop the answer is yes.
struct Interrupted {
    hidden: Hidden,
    stop_at: usize,
    asked: std::cell::Cell<usize>,
}

impl Oracle for Interrupted {
    fn ask(&mut self, elements: &[u32], shares: &[(u32, f64)]) -> Vec<Vec<u32>> {
        let missed = self.hidden.ask(elements, shares);
        if missed.is_empty() {
            self.hidden.most = self.hidden.most.min(elements.len() - 1);
        }
        missed
    }

    fn most(&self) -> Option<usize> {
        self.hidden.most()
    }

    fn stops(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get() > self.stop_at
    }
}

/// Whether so few elements hit all sets: one of the first set that is not hit must be among them.
fn is_hit_by(sets: &[Vec<u32>], most: usize, chosen: &mut Vec<u32>) -> bool {
    let missed = sets
        .iter()
        .find(|set| !set.iter().any(|e| chosen.contains(e)));
    let Some(missed) = missed else { return true };
    if chosen.len() == most {
        return false;
    }
    missed.iter().any(|&e| {
        chosen.push(e);
        let hit = is_hit_by(sets, most, chosen);
        chosen.pop();
        hit
    })
}

#[test]
fn stopped_at_any_question_the_bound_is_not_above_the_optimum() {
    let mut best = 0;
    for case in 24..30 {
        let n = 24 + case % 3;
        let sets = sets(case, n, 60 + case as usize, 3 + (case as usize) % 2);
        let least = (0..)
            .find(|&most| is_hit_by(&sets, most, &mut Vec::new()))
            .unwrap();
        let all = sets.len();
        for (known, most) in [(all, least), (30, least), (30, n as usize)] {
            // Each of the first questions, and none.
            for stop_at in (0..80).chain([usize::MAX]) {
                let mut oracle = Interrupted {
                    hidden: Hidden {
                        sets: sets.clone(),
                        most,
                        revealed: Vec::new(),
                    },
                    stop_at,
                    asked: std::cell::Cell::new(0),
                };
                match explore(&sets[..known], n as usize, &mut oracle) {
                    Ended::Stopped(bound) => {
                        assert!(bound <= least, "case {case}, stopped at {stop_at}");
                        best = best.max(bound);
                    }
                    ended => {
                        assert_eq!(ended, Ended::Exhausted(least - 1));
                        break;
                    }
                }
            }
        }
    }
    assert!(best > 5, "some bounds say something");
}
