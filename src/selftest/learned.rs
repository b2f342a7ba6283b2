//! Learned distances, and the measure of a Choquet integral.

use std::sync::Arc;

use super::{Check, Example, list, pairs::Pair, printed, same};
use crate::{
    attack::{
        Direction,
        distance_based::Standardize,
        learned::{Learner, family::Family},
    },
    error::{Error, Result},
    evaluate::link::Assign,
    optimize::subsystem::{Patient, portfolio::Engine},
    stats::measure::{SetFunction, members, size},
};

pub(super) static EXAMPLES: [Example; 3] = [
    Example {
        name: "weights learned from twelve records",
        source: "the authors' code to the chapter of D. Abril, G. Navarro-Arribas, V. Torra on privacy preserving data mining and \
                 disclosure risk: objective 3, that is 9 of 12 linked",
        note: "On the groups that their masking program made; weights are not unique, the objective is. The links are recounted by the \
               plain linkage, and the bound is proven.",
        recompute: twelve,
    },
    Example {
        name: "an attribute that was not masked",
        source: "D. Abril, G. Navarro-Arribas, V. Torra, \"Choquet integral for record linkage\", Annals of Operations Research 195, 2012, \
                 on key attributes; three records of the code named above: objective 0",
        note: "All weight on the unmasked attribute links everybody.",
        recompute: three,
    },
    Example {
        name: "the measure of a Choquet integral",
        source: "D. Abril, G. Navarro-Arribas, V. Torra, \"Choquet integral for record linkage\", Annals of Operations Research 195, 2012, \
                 table 3 (M4-28), equation 18 and section 4.2",
        note: "",
        recompute: choquet,
    },
];

fn learned(original: &str, masked: &str) -> Result<Vec<Check>> {
    let pair = Pair::new(original, masked)?;
    let learner = Learner {
        family: Family::WeightedMean,
        standardize: Standardize::Own,
        engine: Engine::Auto,
        keeps_proof: false,
        wants_ranges: false,
        watch: Arc::new(Patient),
    };
    let (lesson, recounted) =
        pair.with_case(&pair.shared()?, Direction::OriginalToMasked, |case| {
            let lesson = case.learn(&learner)?;
            let recounted = case.attack(&lesson.distance, Assign::Best, false)?;
            Ok((lesson, recounted.score))
        })?;
    let expected = if pair.original.n_records() == 12 {
        9
    } else {
        3
    };
    Ok(vec![
        same("linked by the best weights", expected, recounted.strict),
        same("no weights link more than", expected, lesson.bound),
    ])
}

fn twelve() -> Result<Vec<Check>> {
    learned(
        include_str!("../../data/learned-twelve-original.csv"),
        include_str!("../../data/learned-twelve-masked.csv"),
    )
}

fn three() -> Result<Vec<Check>> {
    learned(
        include_str!("../../data/learned-three-original.csv"),
        include_str!("../../data/learned-three-masked.csv"),
    )
}

/// Table 3; its leftmost digit is the first attribute, which is the lowest bit of a set here.
fn measure() -> Result<SetFunction> {
    let wrong = || Error::failed("the bundled measure cannot be read");
    let mut values = vec![0.0; 16];
    for line in include_str!("../../data/choquet-measure.csv")
        .lines()
        .skip(1)
    {
        let (digits, weight) = line.split_once(',').ok_or_else(wrong)?;
        let places = (0..).zip(digits.chars()).filter(|(_, digit)| *digit == '1');
        let set: usize = places.map(|(place, _)| 1 << place).sum();
        *values.get_mut(set).ok_or_else(wrong)? = weight.parse().map_err(|_| wrong())?;
    }
    SetFunction::new(values).ok_or_else(wrong)
}

fn choquet() -> Result<Vec<Check>> {
    let measure = measure()?;
    let with_first = (0..=measure.all()).filter(|set| set & 1 == 1);
    let least = with_first
        .map(|set| measure.of(set))
        .fold(f64::INFINITY, f64::min);
    let pairs = (0..=measure.all()).filter(|&set| size(set) == 2);
    let best = pairs.max_by(|&a, &b| measure.of(a).total_cmp(&measure.of(b)));
    let best = members(best.unwrap_or_default()).map(|k| format!("V{}", k + 1));
    let again = measure.mobius().from_mobius();
    let off = (0..=measure.all()).map(|set| (again.of(set) - measure.of(set)).abs());
    let masses = measure.mobius().choquet_of_masses(&[0.5, 2.0, 1.0, 0.25]);
    Ok(vec![
        // "All subsets which include it have a weight greater than 0.999."
        printed(
            "the least weight of a set with the first attribute",
            0.999_168,
            6,
            least,
        ),
        same("the pair with the greatest weight", "V1, V3", list(best)),
        printed(
            "greatest error of the measure from its Möbius transform",
            0.0,
            9,
            off.fold(0.0, f64::max),
        ),
        // In layers, by hand: 0.25 μ(V) + 0.25 μ(V1, V2, V3) + 0.5 μ(V2, V3) + 1 μ(V2).
        printed(
            "the integral of the differences (0.5, 2, 1, 0.25), from the masses",
            0.587_627_25,
            8,
            masses,
        ),
    ])
}
