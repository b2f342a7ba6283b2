//! Risk without linkage: what a file, or a pair of files, gives away by counting and comparing values.
//!
//! | module | figures |
//! |---|---|
//! | [`classes`] | uniqueness, k-anonymity |
//! | [`individual`] | individual risk with sampling weights, prosecutor, journalist, marketer |
//! | [`suda`] | minimal sample uniques |
//! | [`diversity`], [`closeness`] | what records with the same key share |
//! | [`attribute`] | what is revealed about confidential attributes |
//! | [`interval`] | how close masked numbers are |
//! | [`records`] | the records most at risk |

pub mod attribute;
pub mod classes;
pub mod closeness;
pub mod confidential;
pub mod diversity;
pub mod individual;
pub mod interval;
pub mod records;
pub mod suda;

use crate::figure::Definition;

/// What any of them measures, module by module.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let modules: [&[&Definition]; 8] = [
        &classes::DEFINITIONS,
        &individual::DEFINITIONS,
        &suda::DEFINITIONS,
        &diversity::DEFINITIONS,
        &closeness::DEFINITIONS,
        &attribute::DEFINITIONS,
        &interval::DEFINITIONS,
        &interval::OF_CONFIDENTIAL,
    ];
    modules.into_iter().flatten().copied()
}
