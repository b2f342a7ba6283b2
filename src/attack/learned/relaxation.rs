//! Learning a distance: from two aligned files to the best parameters and a bound that nothing exceeds.

use rayon::prelude::*;

use super::{
    differences::Differences,
    family::{Family, Scratch},
    presolve,
};
use crate::{
    error::Result,
    optimize::subsystem::{Answer, Problem, Proof, ROUNDING, Start, Watch},
};

/// The best distance of a family, and why there is none better.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The parameters, in the family's space.
    pub parameters: Vec<f64>,
    /// How many seekers they link: all competitors are farther than the partner by more than rounding. Counted over all pairs.
    pub satisfied: usize,
    /// No parameters of the family link more (with a margin above [`crate::optimize::subsystem::MARGIN`]).
    pub bound: usize,
    /// Why: of `problem`, to whose bound the seekers of `always` come.
    pub proof: Proof,
    /// The problem that the proof speaks of. Each row is one of the competitors of its block's seeker, and is called
    /// ([`crate::optimize::subsystem::Rows::label`]) by the sought record's number. It need not hold all competitors: a bound for some holds for all.
    pub problem: Problem,
    /// The seeker of each block.
    pub block_seekers: Vec<u32>,
    /// Seekers that no parameters link, each with a competitor that is nowhere farther than the partner.
    pub never: Vec<(u32, u32)>,
    /// Seekers that no competitor stands against. Together with the blocks, the never linked and those without a partner these
    /// are all.
    pub always: Vec<u32>,
    /// For `sb-nc`: the pair (seeker, sought) of each listed half-space of `problem`, in order.
    pub pairs: Vec<(u32, u32)>,
}

/// Finds the parameters that link the most seekers to their partners (`partners[seeker]`; `None`: no partner, never linked).
///
/// `engine` solves a problem, from a start with what is known already ([`Start::parameters`], [`Start::conflicts`]); it is asked as often as rows have
/// to be added to the problem. When the watch stops it, what it has is what is returned: the bound holds always.
///
/// # Errors
/// Usage, when the family has too many parameters for this many attributes.
pub fn learn(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
    engine: &mut dyn FnMut(&Problem, Start) -> Answer,
    _watch: &dyn Watch,
) -> Result<Learned> {
    let space = family.space(differences.n_attributes())?;
    let presolved = presolve::all_rows(differences, family, partners);
    let problem = Problem {
        space,
        rows: presolved.rows,
    };
    let answer = engine(&problem, Start::default());
    Ok(Learned {
        satisfied: count(differences, family, partners, &answer.parameters),
        parameters: answer.parameters,
        bound: answer.bound + presolved.always.len(),
        proof: answer.proof,
        problem,
        block_seekers: presolved.block_seekers,
        never: presolved.never,
        always: presolved.always,
        pairs: Vec::new(),
    })
}

/// How many seekers these parameters link, over all pairs.
pub fn count(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
    parameters: &[f64],
) -> usize {
    let n = differences.n_attributes();
    partners
        .par_iter()
        .enumerate()
        .map_init(
            || (Scratch::new(n), Vec::new()),
            |(scratch, row), (seeker, partner)| {
                partner.is_some_and(|partner| {
                    (0..differences.n_sought())
                        .filter(|&competitor| competitor != partner as usize)
                        .all(|competitor| {
                            let partner = partner as usize;
                            family.row(differences, seeker, partner, competitor, scratch, row);
                            is_positive(row, parameters)
                        })
                })
            },
        )
        .filter(|&linked| linked)
        .count()
}

/// Whether a row is positive by more than rounding, as [`Problem::satisfies`] has it.
pub(super) fn is_positive(row: &[f64], parameters: &[f64]) -> bool {
    let (mut value, mut size) = (0.0, 0.0);
    for (v, p) in row.iter().zip(parameters) {
        let term = v * p;
        value += term;
        size += term.abs();
    }
    value > ROUNDING * size
}
