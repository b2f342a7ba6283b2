//! An original of a plan: its records, and what is measured on it.

use crate::{
    error::{Error, Result},
    evaluate::{comparable, knowledge, plan::Plan, truth::Truth},
    figure::Figure,
    loss,
    risk::interval,
    rng::{Purpose, Seed},
    table::{Table, pair::Pair},
};

/// An original.
#[derive(Debug)]
pub struct Original {
    /// Which file of the plan it is.
    pub place: usize,
    /// Its name in reports.
    pub name: String,
    /// Its records, as far as the plan uses them.
    pub table: Table,
}

/// What was measured of a masked file.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// The measures of loss.
    pub losses: Vec<Figure>,
    /// The measures of risk without linkage.
    pub risks: Vec<Figure>,
    /// What changed and is not in IL.
    pub not_in_il: Vec<String>,
}

impl Original {
    /// So many of its records, drawn at random.
    ///
    /// # Errors
    /// Input, when there are not so many, or none is asked for.
    ///
    /// # Randomness
    /// `Purpose::Knowledge`, at the last place.
    pub fn drawn(table: Table, count: usize, seed: u64) -> Result<Table> {
        let all = table.n_records();
        if count == 0 || count > all {
            return Err(
                Error::input(format!("records = {count}: the file has {all} records"))
                    .outside("records", 1.0..=all as f64)
                    .remedy(format!("Give a number from 1 to {all}")),
            );
        }
        let streams = Seed::from_number(seed).streams(Purpose::Knowledge, 0);
        let drawn = knowledge::sample(all, count, &mut streams.at(u64::MAX));
        let drawn = drawn.into_iter().filter_map(|r| u32::try_from(r).ok());
        Ok(table.reordered(drawn.collect()))
    }

    /// The measures of loss and of risk that a plan asks for, of a masked file of which it is known who is who.
    ///
    /// # Errors
    /// Usage or Input, when the files share no attribute that is compared; Failed, for want of memory.
    pub(super) fn measured(&self, masked: &Table, truth: &Truth, plan: &Plan) -> Result<Measured> {
        let mut measured = Measured::default();
        if plan.losses.is_empty() && plan.risks.is_empty() {
            return Ok(measured);
        }
        let attributes = plan.files[self.place].attributes.as_deref();
        let (compared, _) = comparable::compared([&self.table, masked], attributes, None)?;
        let ids: Vec<_> = (compared.iter())
            .map(|shared| [shared.original, shared.masked])
            .collect();
        let pair = Pair::new([&self.table, masked], &ids, &truth.records());
        if !plan.losses.is_empty() {
            loss::check_memory(&pair)?;
            measured.losses = loss::figures(&pair, &[]);
            measured.not_in_il = loss::not_in_il(&pair);
        }
        if !plan.risks.is_empty() {
            measured.risks = interval::figures(&pair.numbers);
        }
        Ok(measured)
    }
}

/// Whether the measures that a plan names exist.
///
/// # Errors
/// Input, when one does not.
pub(super) fn check_measures(name: &str, plan: &Plan) -> Result<()> {
    let measures = [
        ("losses", &plan.losses, loss::definitions()),
        ("risks", &plan.risks, interval::DEFINITIONS.to_vec()),
    ];
    for (what, keys, definitions) in measures {
        let known: Vec<&str> = definitions
            .iter()
            .map(|definition| definition.key)
            .collect();
        if let Some(key) = keys.iter().find(|key| !known.contains(&key.as_str())) {
            return Err(Error::input(format!("{what} names {key:?}, which is none"))
                .in_file(name)
                .remedy(format!("There are: {}", known.join(", "))));
        }
    }
    Ok(())
}
