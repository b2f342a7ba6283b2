//! The slow obvious answers, by comparing with every point: the oracle of the fast paths.

use super::{
    answer::{Contest, Link},
    boxes::Boxes,
};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// How the rival of one query compares with the other points; see [`super::Neighbours::contests`].
pub fn contest(
    points: &Matrix,
    metric: &Metric,
    (queries, query): (&Matrix, usize),
    rival: Option<u32>,
    within: Option<&Boxes>,
) -> Contest {
    let candidates = candidates(points, query, within);
    let key = |point: u32| metric.key(queries.record(query), points.record(point as usize));
    let inside = rival.is_some_and(|rival| candidates.contains(&rival));
    let closer = rival.is_some_and(|rival| candidates.iter().any(|&c| key(c) < key(rival)));
    let tied = match rival {
        Some(rival) if inside && !closer => {
            candidates.iter().filter(|&&c| key(c) == key(rival)).count() as u32
        }
        _ => 0,
    };
    Contest {
        candidates: candidates.len() as u32,
        inside,
        closer,
        tied,
    }
}

/// The nearest points of one query and the rival's place; see [`super::Neighbours::links`].
pub fn link(
    points: &Matrix,
    metric: &Metric,
    (queries, query): (&Matrix, usize),
    rival: Option<u32>,
    within: Option<&Boxes>,
    limit: usize,
) -> Link {
    let candidates = candidates(points, query, within);
    let key = |point: u32| metric.key(queries.record(query), points.record(point as usize));
    let least = candidates
        .iter()
        .map(|&c| key(c))
        .fold(f64::INFINITY, f64::min);
    let mut nearest: Vec<u32> = candidates
        .iter()
        .copied()
        .filter(|&c| key(c) == least)
        .collect();
    let tied = nearest.len() as u32;
    nearest.truncate(limit);
    let place = rival
        .filter(|rival| candidates.contains(rival))
        .map(|rival| {
            1 + candidates
                .iter()
                .filter(|&&candidate| key(candidate) < key(rival))
                .count() as u32
        });
    Link {
        nearest,
        tied,
        key: least,
        candidates: candidates.len() as u32,
        place,
    }
}

fn candidates(points: &Matrix, query: usize, within: Option<&Boxes>) -> Vec<u32> {
    (0..points.n_records() as u32)
        .filter(|&p| within.is_none_or(|boxes| boxes.admits(query, points.record(p as usize))))
        .collect()
}
