//! Recoding, suppression, and what published categories still reveal.

use super::{Check, Example, pairs::table, printed, same};
use crate::{
    error::{Error, Result},
    figure::{self, Figure},
    mask::{
        Mask,
        recode::{Recode, Rules},
    },
    risk::{classes::KeyClasses, closeness, confidential::Confidential, diversity},
    rng::{Purpose, Seed},
    statement::MissingMatches,
    table::Table,
};

pub(super) static EXAMPLES: [Example; 3] = [
    Example {
        name: "recoding and suppression of six records",
        source: "V. Torra, \"La lluita contra el Big Brother\", 2007: Fitxer original, Fitxer públic",
        note: "Two marital statuses become one, two towns are suppressed. The slide's ages were perturbed by a method that it does not \
           name, so ages are left out.",
        recompute: six,
    },
    Example {
        name: "k-anonymity and l-diversity of twelve inpatients",
        source: "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, \"l-diversity: privacy beyond k-anonymity\", 2007, figures 2 and 3",
        note: "Both tables are 4-anonymous. In the first all four of a group have cancer; the second is 3-diverse.",
        recompute: inpatients,
    },
    Example {
        name: "t-closeness of nine salaries",
        source: "N. Li, T. Li, S. Venkatasubramanian, \"t-closeness: privacy beyond k-anonymity and l-diversity\", ICDE 2007, section 4 and table 4",
        note: "By zip and age the group 3000, 4000, 5000 is farthest from all nine; by zip alone it is 6000, 8000, 11000.",
        recompute: salaries,
    },
];

const RULES: &str = "\
[estat_civil.groups]
Vidu-o-Divorciat = [\"Vidu\", \"Divorciat\"]
[ciutat.suppress-where]
malaltia = [\"Embaras\"]
";

fn six() -> Result<Vec<Check>> {
    const SLIDE: &str = include_str!("../../data/recoding-masked.csv");
    let original = table("original", include_str!("../../data/recoding-original.csv"))?;
    let on = [original.find("estat_civil")?, original.find("ciutat")?];
    let recode = Recode::new(Rules::parse("rules", RULES)?);
    let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
    let masked = recode.mask(original, &on, &streams)?.table;
    let slide = table("slide", SLIDE)?;
    let mut checks = Vec::new();
    for name in ["estat_civil", "ciutat"] {
        let shown = |table: &Table| -> Result<String> {
            let id = table.find(name)?;
            let cells = (0..table.n_records()).map(|record| {
                if table.is_missing(record, id) {
                    "–".into()
                } else {
                    table.category(record, id)
                }
            });
            Ok(super::list(cells))
        };
        checks.push(same(name, shown(&slide)?, shown(&masked)?));
    }
    Ok(checks)
}

/// The records of a file by their values of some attributes.
fn alike(table: &Table, key: &[&str]) -> Result<KeyClasses> {
    let key: Vec<_> = key
        .iter()
        .map(|name| table.find(name))
        .collect::<Result<_>>()?;
    Ok(KeyClasses::new(table, &key, MissingMatches::Missing))
}

fn value(figures: &[Figure], key: &str) -> Result<f64> {
    figure::value(figures, key).ok_or_else(|| Error::failed(format!("{key} is not defined")))
}

fn inpatients() -> Result<Vec<Check>> {
    let table = table("inpatients", include_str!("../../data/inpatients.csv"))?;
    let conditions = [Confidential::of_table(&table, table.find("condition")?)];
    let wanted = diversity::Wanted { c: 1.0, l: None };
    let mut checks = Vec::new();
    for (figure, key, l) in [
        ("2", ["zip_2", "age_2"], 1.0),
        ("3", ["zip_3", "age_3"], 3.0),
    ] {
        let classes = alike(&table, &key)?;
        let k = value(&classes.figures(None), "k_anonymity")?;
        let different = value(
            &diversity::figures(&classes, &conditions, wanted),
            "l_diversity",
        )?;
        checks.push(printed(format!("figure {figure}: k"), 4.0, 0, k));
        checks.push(printed(
            format!("figure {figure}: distinct l"),
            l,
            0,
            different,
        ));
    }
    Ok(checks)
}

fn salaries() -> Result<Vec<Check>> {
    let table = table("salaries", include_str!("../../data/salaries.csv"))?;
    let salary = [Confidential::of_table(&table, table.find("salary")?)];
    let t = |key: &[&str]| -> Result<f64> {
        value(
            &closeness::figures(&alike(&table, key)?, &salary, None),
            "t_closeness",
        )
    };
    Ok(vec![
        printed("t of zip and age", 0.375, 3, t(&["zip", "age"])?),
        printed("t of zip", 0.167, 3, t(&["zip"])?),
    ])
}
