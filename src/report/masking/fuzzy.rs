//! Of fuzzy microaggregation.

use super::Line;
use crate::{
    mask::fuzzy::Block,
    report::text,
    statement::{DistanceScale, FuzzyParameters},
};

pub(super) fn headline(parameters: &FuzzyParameters) -> String {
    let clusters: Vec<String> = parameters
        .blocks
        .iter()
        .map(|block| block.clusters.to_string())
        .collect();
    format!(
        "{} cluster{}, m1 = {}, m2 = {}, distances {}",
        clusters.join(" + "),
        if clusters == ["1"] { "" } else { "s" },
        parameters.m1,
        parameters.m2,
        match parameters.scale {
            DistanceScale::Z => "on standardised attributes",
            DistanceScale::None => "in the file's units",
        },
    )
}

pub(super) fn remarks(blocks: &[Block]) -> Vec<Line> {
    let mut remarks = Vec::new();
    for block in blocks {
        let name = match blocks {
            [_] => String::new(),
            _ => format!("{}: ", text::names(&block.attributes, 4)),
        };
        let note = |text: String| Line::Note(format!("{name}{text}"));
        remarks.push(if block.converged {
            note(course(block))
        } else {
            Line::Warning(format!("{name}{}", course(block)))
        });
        remarks.extend(fewer(block).map(note));
        remarks.push(note(occupancy(block)));
    }
    remarks.push(Line::Note(
        "note: fuzzy microaggregation gives k-anonymity on average only; no group has a guaranteed size".into(),
    ));
    remarks
}

/// How c-means went.
fn course(block: &Block) -> String {
    let iterations = match block.iterations {
        1 => "1 iteration".into(),
        n => format!("{n} iterations"),
    };
    if block.converged {
        format!(
            "c-means converged after {iterations}, objective {:.6}",
            block.objective
        )
    } else {
        format!(
            "c-means has not converged after {iterations} (objective {:.6}, a centre still moved by {:.1e} sd): raise --max-iterations or --tolerance",
            block.objective, block.movement
        )
    }
}

fn fewer(block: &Block) -> Option<String> {
    (block.n_clusters < block.wanted_clusters).then(|| {
        format!(
            "note: {} clusters instead of {}: there are no more different points",
            block.n_clusters, block.wanted_clusters
        )
    })
}

/// How many records share a centre.
fn occupancy(block: &Block) -> String {
    let mean = block.n_records as f64 / block.n_clusters.max(1) as f64;
    let least = block.least_occupancy();
    let below = match block.k {
        None => String::new(),
        Some(k) => format!(
            "; {} of the centres replaced fewer than {k} records",
            block.below(k)
        ),
    };
    let unused = match block
        .occupancies
        .iter()
        .filter(|&&records| records == 0)
        .count()
    {
        0 => String::new(),
        unused => format!("; {unused} replaced none"),
    };
    format!("records a centre: {mean:.1} on average, {least} at least{below}{unused}")
}
