//! Recoding, suppression, and what published categories still tell.

use super::{Check, Example, pairs::table, same};
use crate::{
    error::Result,
    mask::{
        Mask,
        recode::{Recode, Rules},
    },
    rng::{Purpose, Seed},
};

pub(super) static EXAMPLES: [Example; 1] = [Example {
    name: "recoding and suppression of six records",
    source: "V. Torra, \"La lluita contra el Big Brother\", 2007: Fitxer original, Fitxer públic",
    note: "Two marital statuses become one, two towns are suppressed. The slide's ages were perturbed by a method that it does not \
           name, so ages are left out.",
    recompute: six,
}];

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
        let shown = |table: &crate::table::Table| -> Result<String> {
            let id = table.find(name)?;
            let cells = (0..table.n_records()).map(|record| match table.is_missing(record, id) {
                true => "–".into(),
                false => table.category(record, id),
            });
            Ok(super::list(cells))
        };
        checks.push(same(name, shown(&slide)?, shown(&masked)?));
    }
    Ok(checks)
}
