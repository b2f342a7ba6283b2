//! Several steps, one after the other: a recipe.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{Outcome, Prepared, SecretKey, prepare, request::MaskRequest};
use crate::{
    error::{Error, Result},
    jobs::Observer,
    mask::{Details, Masked},
    rng::{Purpose, Seed},
    statement::{Method, Statement},
    table::Table,
};

/// Maskings that follow each other: each is done to what the one before gave.
///
/// A recipe does what as many calls of `mask` do that are given the statement of the call before and the same seed: the same bytes, the
/// same statement.
///
/// # Example
/// ```
/// use sdcrisk::{
///     jobs::{
///         Quiet,
///         mask::{recipe::{self, RecipeRequest}, request::{MaskRequest, MethodRequest}},
///     },
///     mask::rank_swap::Reach,
///     rng::Seed,
///     statement::{Partner, SampleSize},
///     table::{ReadOptions, Table},
/// };
///
/// let csv = "age,income\n31,1200\n45,2300\n52,1900\n38,2700\n";
/// let table = Table::read("people.csv", csv.into(), &ReadOptions::default())?;
/// let swap = MethodRequest::RankSwap { reach: Reach::Window(1), partner: Partner::Unswapped };
/// let sample = MethodRequest::Sample { size: SampleSize::Records(3), strata: None };
/// let request = RecipeRequest { steps: [swap, sample].map(MaskRequest::new).into() };
/// let release = recipe::run(&request, table, &[], &Seed::from_number(7), &Quiet)?;
///
/// let methods = release.statement().map(|statement| statement.methods());
/// assert_eq!(methods.as_deref(), Some("rankswap, sample"));
/// // Which of the four each of the three is: for the office alone.
/// assert_eq!(release.origin().len(), 3);
/// # Ok::<(), sdcrisk::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecipeRequest {
    /// The steps, in the order in which they are done.
    pub steps: Vec<MaskRequest>,
}

impl RecipeRequest {
    /// Whether a seed decides what becomes of the records.
    pub fn is_random(&self) -> bool {
        self.steps.iter().any(MaskRequest::is_random)
    }
}

/// Does all steps of a recipe to a table; [`Release::then`] says what each of them did. `keys` are the secrets of steps whose noise comes from one, by their places.
///
/// # Errors
/// Usage and Input, when a step makes no sense for what the steps before it gave, or there is none; the message begins with the step.
pub fn run(
    request: &RecipeRequest,
    table: Table,
    keys: &[Option<SecretKey>],
    seed: &Seed,
    observer: &dyn Observer,
) -> Result<Release> {
    let mut release = Release::new(table);
    for (place, step) in request.steps.iter().enumerate() {
        let key = keys.get(place).and_then(Option::as_ref);
        let prepared = release.prepared(step, key, observer);
        prepared
            .and_then(|prepared| release.mask(&prepared, seed))
            .map_err(|error| error.during(format_args!("step {}", place + 1)))?;
    }
    if request.steps.is_empty() {
        return Err(Error::usage("a recipe without a step masks nothing"));
    }
    Ok(release)
}

/// A file on its way from the original to what is released: its records after some steps, what may be published of these, and which of
/// the original's records they are.
#[derive(Debug, Clone)]
pub struct Release {
    table: Table,
    statement: Option<Statement>,
    /// Whether the table is as a step left it, and not as it was read.
    is_masked: bool,
    /// For each record the original's, once some were left out or changed places.
    origin: Option<Vec<u32>>,
}

impl Release {
    /// The file as it was collected: no step is done yet.
    pub fn new(table: Table) -> Self {
        Self {
            table,
            statement: None,
            is_masked: false,
            origin: None,
        }
    }

    /// A file to which steps were done already.
    pub fn after(table: Table, earlier: Statement) -> Self {
        Self {
            statement: Some(earlier),
            ..Self::new(table)
        }
    }

    /// How many steps were done, those before it was read included: which streams of random numbers the next one draws from.
    fn steps(&self) -> u32 {
        let steps = self.statement.as_ref().map_or(0, |done| done.steps.len());
        u32::try_from(steps).unwrap_or(u32::MAX)
    }

    /// Does one step more. Roles and scales are those of the file as the step before left it, as if it had been written and read.
    ///
    /// # Errors
    /// Usage and Input, when the request makes no sense for the file.
    pub fn then(
        &mut self,
        request: &MaskRequest,
        key: Option<&SecretKey>,
        seed: &Seed,
        observer: &dyn Observer,
    ) -> Result<Outcome> {
        let prepared = self.prepared(request, key, observer)?;
        let outcome = prepared.run(self.table.clone(), seed, observer)?;
        self.take(&outcome.masked);
        Ok(outcome)
    }

    /// A step, checked against the file as it is now.
    ///
    /// # Errors
    /// Usage and Input, when the request makes no sense for the file.
    pub(in crate::jobs) fn prepared(
        &mut self,
        request: &MaskRequest,
        key: Option<&SecretKey>,
        observer: &dyn Observer,
    ) -> Result<Prepared> {
        if self.is_masked {
            self.table.reread()?;
            self.is_masked = false;
        }
        if key.is_some() && self.statement.as_ref().is_some_and(draws_from_secret) {
            observer.warn(
                "an earlier step took its noise from a secret already: with the same secret and the same people, this step adds the same noise \
                 once more",
            )?;
        }
        Ok(prepare(request, &self.table, key, observer)?.after(self.steps()))
    }

    /// Does a step that was prepared for the file as it is now.
    ///
    /// # Errors
    /// What the method objects to.
    pub(in crate::jobs) fn mask(&mut self, prepared: &Prepared, seed: &Seed) -> Result<()> {
        let masked = prepared.mask(self.table.clone(), seed)?;
        self.take(&masked);
        Ok(())
    }

    fn take(&mut self, masked: &Masked) {
        if let Details::Sample { selected, .. } = &masked.details {
            let origin = selected.iter().map(|&record| self.origin_of(record));
            self.origin = Some(origin.collect());
        }
        self.table = masked.table.clone();
        self.is_masked = true;
        match &mut self.statement {
            Some(statement) => statement.append([masked.step.clone()]),
            None => self.statement = Some(masked.step.clone().into()),
        }
    }

    fn origin_of(&self, record: u32) -> u32 {
        match &self.origin {
            Some(origin) => origin[record as usize],
            None => record,
        }
    }

    /// Puts the records in random order, as a part of the last step that was done; nothing happens to a file as it was read.
    ///
    /// # Randomness
    /// `Purpose::Shuffle`, one permutation, from the streams of the last step.
    pub fn shuffle(&mut self, seed: &Seed) {
        let steps = self.steps();
        let last = self
            .statement
            .as_mut()
            .and_then(|done| done.steps.last_mut());
        let Some(step) = last.filter(|_| self.is_masked) else {
            return;
        };
        step.shuffled = true;
        let mut order: Vec<u32> = (0..self.table.n_records())
            .filter_map(|record| u32::try_from(record).ok())
            .collect();
        order.shuffle(&mut seed.streams(Purpose::Shuffle, steps - 1).at(0));
        let origin = order.iter().map(|&record| self.origin_of(record));
        self.origin = Some(origin.collect());
        self.table = self.table.clone().reordered(order);
    }

    /// The records as they are now.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What may be published of the steps; `None` if none was done.
    pub fn statement(&self) -> Option<&Statement> {
        self.statement.as_ref()
    }

    /// For each record, which one it is of the file that the first of these steps was done to, from 0.
    pub fn origin(&self) -> Vec<u32> {
        match &self.origin {
            Some(origin) => origin.clone(),
            None => (0..).take(self.table.n_records()).collect(),
        }
    }
}

/// Whether the noise of a step came from a secret.
fn draws_from_secret(statement: &Statement) -> bool {
    let mut steps = statement.steps.iter();
    steps.any(|step| matches!(&step.method, Method::Copula(copula) if copula.secret))
}
