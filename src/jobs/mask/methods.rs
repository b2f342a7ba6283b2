//! From the parameters of a method to the method itself.

use super::{
    SecretKey,
    request::{
        ClusterNumber, CopulaRequest, FuzzyRequest, IpsoRequest, MaskRequest, MethodRequest,
        MicroaggregationRequest, PramRequest, RulesFile, SuppressRequest, TransitionsRequest,
    },
};
use crate::{
    error::{Error, Result},
    jobs::{
        Observer,
        groups::{self, Group},
    },
    mask::{
        Mask, Secret,
        copula::{self, Copula, Keep},
        fuzzy::{self, Clusters, FuzzyMicroaggregation},
        ipso::Ipso,
        microaggregation::{self, BlockOf, Microaggregation},
        noise::Noise,
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        pram::{Pram, StatedMatrix, Transitions},
        rank_swap::RankSwap,
        recode::{self, Recode},
        sample::Sample,
        sums::Sum,
        suppress::{self, Suppress},
    },
    table::{AttrId, Role, Table},
};

/// Where a risk decides how much is kept, what is looked at before does not depend on it.
const ANY: Keep = Keep::Mu(1.0);

impl MethodRequest {
    /// Refuses parameters that make no sense for any table.
    ///
    /// # Errors
    /// Usage; Input, for a rules file.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::RankSwap { reach, partner } => RankSwap::new(*reach, *partner).map(drop),
            Self::PBuckets { buckets } => PBuckets::new(*buckets).map(drop),
            Self::PDistribution { p } => PDistribution::new(*p).map(drop),
            Self::Noise { level, options } => Noise::new(*level, *options).map(drop),
            Self::Ipso(_) => Ok(()),
            Self::Microaggregation(request) => request
                .of_blocks(microaggregation::Blocks::Together {
                    k: request.k.unwrap_or(2),
                })
                .map(drop),
            Self::Fuzzy(request) => request.check(),
            Self::Copula(request) => {
                Copula::new(request.keep.stated().unwrap_or(ANY), request.options()).map(drop)
            }
            Self::Recode(rules) => rules.recoding().map(drop),
            &Self::Sample { size, .. } => Sample::new(size, Vec::new()).map(drop),
            Self::Pram(request) => request.method(Vec::new()).map(drop),
            Self::Suppress(SuppressRequest::Rules(rules)) => rules.suppression().map(drop),
            Self::Suppress(SuppressRequest::Key { k, .. }) => match k {
                0..2 => Err(Error::option_out_of_range(
                    "k",
                    2.0..,
                    &format!("{k} asks for nothing: every record matches itself"),
                )
                .remedy("Give a k of at least 2")),
                _ => Ok(()),
            },
        }
    }

    /// The attributes that the parameters name; `None` where the request or the roles decide.
    ///
    /// # Errors
    /// What the table objects to.
    pub(super) fn attributes(&self, table: &Table) -> Result<Option<Vec<AttrId>>> {
        match self {
            Self::Microaggregation(MicroaggregationRequest { groups, .. })
            | Self::Fuzzy(FuzzyRequest { groups, .. }) => {
                let groups = groups::parse_all(table, groups)?;
                Ok((!groups.is_empty()).then(|| groups::union(&groups)))
            }
            Self::Recode(rules) => rules.recoding()?.attributes(table).map(Some),
            Self::Suppress(request) => request.method(table)?.attributes(table).map(Some),
            Self::Sample { .. } => Ok(Some(Vec::new())),
            Self::RankSwap { .. }
            | Self::PBuckets { .. }
            | Self::PDistribution { .. }
            | Self::Noise { .. }
            | Self::Ipso(_)
            | Self::Pram(_)
            | Self::Copula(_) => Ok(None),
        }
    }
}

impl MethodRequest {
    /// Why its attributes cannot be masked in parts; `None` if each is masked by itself, and stated without the others.
    fn why_not_in_parts(&self) -> Option<&'static str> {
        match self {
            Self::RankSwap { .. } | Self::PBuckets { .. } | Self::PDistribution { .. } => None,
            Self::Noise { options, .. } => options
                .correlated
                .then_some("correlated noise is drawn for all attributes together"),
            Self::Ipso(_) | Self::Microaggregation(_) | Self::Fuzzy(_) | Self::Copula(_) => {
                Some("it masks several attributes together")
            }
            Self::Suppress(_) => Some("it looks at all attributes of a key"),
            Self::Sample { .. } => Some("it chooses records"),
            Self::Recode(_) => Some("it takes no longer than reading the file"),
            Self::Pram(_) => Some("its matrices are stated together"),
        }
    }
}

impl MaskRequest {
    /// Of what is released the attributes that this part masks, if it is one.
    ///
    /// # Errors
    /// Usage, when they cannot be masked one by one.
    pub(super) fn own(&self, table: &Table, dropped: &[AttrId]) -> Result<Option<Vec<AttrId>>> {
        let Some(shard) = self.shard else {
            return Ok(None);
        };
        let released: Vec<AttrId> = table.ids().filter(|id| !dropped.contains(id)).collect();
        let keeps = !self.kept.sums.is_empty() || self.kept.zeros_within.is_some();
        let why = match self.method.why_not_in_parts() {
            Some(why) => Some(why),
            None if keeps => Some("sums and zeros are kept for all attributes together"),
            None if released.len() < 2 => Some("the masked file has one attribute"),
            None => None,
        };
        match why {
            None => Ok(Some(
                shard
                    .of_all(released.len())
                    .map(|place| released[place])
                    .collect(),
            )),
            Some(why) => Err(
                Error::usage(format!("--shard has no way to do that: {why}"))
                    .remedy("Leave --shard out: one run makes it"),
            ),
        }
    }

    /// The method with its parameters, checked against the table.
    ///
    /// # Errors
    /// Usage and Input, when parameters make no sense for the table.
    pub(super) fn method(
        &self,
        table: &Table,
        key: Option<&SecretKey>,
        observer: &dyn Observer,
    ) -> Result<Box<dyn Mask>> {
        Ok(match &self.method {
            MethodRequest::RankSwap { reach, partner } => {
                Box::new(RankSwap::new(*reach, *partner)?)
            }
            MethodRequest::PBuckets { buckets } => Box::new(PBuckets::new(*buckets)?),
            MethodRequest::PDistribution { p } => Box::new(PDistribution::new(*p)?),
            MethodRequest::Noise { level, options } => Box::new(Noise::new(*level, *options)?),
            MethodRequest::Ipso(request) => Box::new(self.ipso(request, table)?),
            MethodRequest::Microaggregation(request) => Box::new(request.method(table, observer)?),
            MethodRequest::Fuzzy(request) => Box::new(request.method(table, observer)?),
            MethodRequest::Copula(request) => {
                let keep = request.keep.stated().unwrap_or(ANY);
                Box::new(Copula::new(
                    keep,
                    self.copula_options(request, table, key)?,
                )?)
            }
            MethodRequest::Recode(rules) => Box::new(rules.recoding()?),
            MethodRequest::Suppress(request) => Box::new(request.method(table)?),
            MethodRequest::Sample { size, strata } => {
                Box::new(Sample::new(*size, selected(strata.as_deref(), table)?)?)
            }
            MethodRequest::Pram(request) => {
                Box::new(request.method(selected(request.strata.as_deref(), table)?)?)
            }
        })
    }

    /// The attributes that make the strata within which the method is applied; none if there are no strata.
    ///
    /// # Errors
    /// Usage, for a method that has no strata or its own; what the table objects to.
    pub(super) fn strata(&self, table: &Table) -> Result<Vec<AttrId>> {
        let strata = selected(self.strata.as_deref(), table)?;
        if strata.is_empty() {
            return Ok(strata);
        }
        let why = match &self.method {
            MethodRequest::Recode(_) => {
                "--strata has no place in recode: a rule maps a value to the same one everywhere"
            }
            MethodRequest::Suppress(_) => {
                "--strata has no place in suppress: it draws nothing. To have k records alike within a stratum, name its attributes in the key"
            }
            MethodRequest::Sample { .. } | MethodRequest::Pram(_) => {
                "the strata of sample and pram are parameters of their own"
            }
            _ => return Ok(strata),
        };
        Err(Error::usage(why).remedy("Leave the strata of the step out"))
    }

    fn ipso(&self, request: &IpsoRequest, table: &Table) -> Result<Ipso> {
        let confidential = match &request.confidential {
            Some(list) => table.select(list)?,
            None => table.with_role(Role::Confidential),
        };
        self.refuse_dropped(
            table,
            &confidential,
            "is confidential here",
            "--confidential",
        )?;
        let names = table.names(&confidential);
        Ipso::new(request.variant, names, request.intercept, request.rounding)
    }

    /// The options of `copula`, with what depends on the table.
    pub(super) fn copula_options(
        &self,
        request: &CopulaRequest,
        table: &Table,
        key: Option<&SecretKey>,
    ) -> Result<copula::Options> {
        let given = match &request.given {
            Some(list) => table.select(list)?,
            None => Vec::new(),
        };
        self.refuse_dropped(table, &given, "is given here", "--given")?;
        let sums = self.kept.sums.iter();
        let totals: Vec<AttrId> = sums
            .map(|text| Ok(Sum::parse(table, text)?.total))
            .collect::<Result<_>>()?;
        if let Some(total) = totals.iter().find(|id| given.contains(id)) {
            return Err(Error::usage(
                "is given here, so it stays as it is: it cannot be worked out anew too",
            )
            .on_attribute(&table.attribute(*total).name)
            .remedy("Take it out of --given, or leave its --keep-sums out"));
        }
        let mut weights = Vec::new();
        for (names, number) in &request.weights {
            let ids = table.select(names)?;
            weights.extend(table.names(&ids).into_iter().map(|name| (name, *number)));
        }
        Ok(copula::Options {
            weights,
            given: table.names(&given),
            secret: request.secret(table, key)?,
            ..request.options()
        })
    }

    /// A statement that says attributes are kept is about a file that has them: they cannot be left out of it. `what` they are, by
    /// `option`.
    fn refuse_dropped(
        &self,
        table: &Table,
        kept: &[AttrId],
        what: &str,
        option: &str,
    ) -> Result<()> {
        let listed = match &self.dropped {
            Some(list) => table.select(list)?,
            None => Vec::new(),
        };
        for &id in kept {
            let attribute = table.attribute(id);
            let remedy = if listed.contains(&id) {
                format!("Take it out of --drop, or out of {option}")
            } else if attribute.role == Role::Identifier && !self.keeps_identifiers {
                format!(
                    "It was taken for an identifier: take it out of {option}, or declare its role in a roles file (--roles)"
                )
            } else {
                continue;
            };
            return Err(Error::usage(format!(
                "{what}, so it is kept: it cannot be left out of the masked file"
            ))
            .on_attribute(&attribute.name)
            .remedy(remedy));
        }
        Ok(())
    }
}

/// The attributes of a list; none without one.
fn selected(list: Option<&str>, table: &Table) -> Result<Vec<AttrId>> {
    list.map_or_else(|| Ok(Vec::new()), |list| table.select(list))
}

impl PramRequest {
    fn method(&self, strata: Vec<AttrId>) -> Result<Pram> {
        let transitions = match &self.transitions {
            TransitionsRequest::Keep(keep) => Transitions::Keep(*keep),
            TransitionsRequest::Matrix(RulesFile { file, text, .. }) => {
                Transitions::Stated(StatedMatrix::parse(file, text)?)
            }
        };
        Pram::new(transitions, self.invariant, strata)
    }
}

impl MicroaggregationRequest {
    fn of_blocks(&self, blocks: microaggregation::Blocks) -> Result<Microaggregation> {
        Ok(Microaggregation::new(self.algorithm, blocks)?
            .scale(self.scale)
            .average(self.average)
            .rounding(self.rounding))
    }

    fn method(&self, table: &Table, observer: &dyn Observer) -> Result<Microaggregation> {
        let groups = groups::parse_all(table, &self.groups)?;
        if groups.is_empty() {
            let k = self.k.ok_or_else(|| Error::usage("microagg needs --k"))?;
            return self.of_blocks(microaggregation::Blocks::Together { k });
        }
        if self.k.is_some() && groups.iter().all(|group| group.number.is_some()) {
            observer.unused("--k has no effect: every --group has a k of its own")?;
        }
        let block = |group: &Group| {
            let k = group.number.or(self.k).ok_or_else(|| {
                Error::usage("a --group has no k")
                    .remedy("Write it as 'a,b:3', or give --k for all that have none")
            })?;
            Ok(BlockOf {
                attributes: table.names(&group.attributes),
                k,
            })
        };
        let named = groups.iter().map(block).collect::<Result<_>>()?;
        self.of_blocks(microaggregation::Blocks::Named(named))
    }
}

impl ClusterNumber {
    /// The same kind of number, but this one.
    fn with(self, number: usize) -> Clusters {
        match self {
            Self::Count(_) => Clusters::Count(number),
            Self::Occupancy(_) => Clusters::Occupancy(number),
        }
    }

    fn number(self) -> usize {
        match self {
            Self::Count(number) | Self::Occupancy(number) => number,
        }
    }
}

impl FuzzyRequest {
    fn check(&self) -> Result<()> {
        if self.clusters.is_none() && self.groups.is_empty() && self.starting.is_none() {
            return Err(Error::usage("fuzzy needs a number of clusters").remedy(
                "Give --k (records that should share a centre, on average) or --clusters",
            ));
        }
        let clusters = self.clusters.unwrap_or(ClusterNumber::Occupancy(2));
        let clusters = clusters.with(clusters.number());
        self.of_blocks(fuzzy::Blocks::One(clusters)).map(drop)
    }

    fn of_blocks(&self, blocks: fuzzy::Blocks) -> Result<FuzzyMicroaggregation> {
        FuzzyMicroaggregation::new(self.m1, self.m2, blocks, self.settings)
    }

    fn method(&self, table: &Table, observer: &dyn Observer) -> Result<FuzzyMicroaggregation> {
        let blocks = match (&self.starting, self.clusters) {
            (Some(centres), _) => fuzzy::Blocks::One(Clusters::Starting(centres.clone())),
            (None, Some(clusters)) if self.groups.is_empty() => {
                fuzzy::Blocks::One(clusters.with(clusters.number()))
            }
            _ => self.blocks(groups::parse_all(table, &self.groups)?, observer)?,
        };
        self.of_blocks(blocks)
    }

    /// The blocks of the groups: each has a number of its own, or the call's.
    fn blocks(&self, groups: Vec<Group>, observer: &dyn Observer) -> Result<fuzzy::Blocks> {
        if groups.iter().all(|group| group.number.is_some()) {
            match self.clusters {
                Some(ClusterNumber::Occupancy(_)) => observer.unused(
                    "--k has no effect: every --group has a number of its own, which is k",
                )?,
                // As a number of clusters the groups' own would mean something else than without it.
                Some(ClusterNumber::Count(_)) => {
                    return Err(Error::usage(
                        "--clusters beside a number of its own in every --group: these could be k or clusters",
                    )
                    .remedy("Leave --clusters out: they are k; or leave the number of one --group out: all are clusters"));
                }
                None => {}
            }
        }
        let clusters = |number| match self.clusters {
            Some(kind) => kind.with(number),
            None => Clusters::Occupancy(number),
        };
        let number = self.clusters.map(ClusterNumber::number);
        let block = |group: Group| match group.number.or(number) {
            Some(number) => Ok((group.attributes, clusters(number))),
            None => Err(
                Error::usage("a --group without a number needs --k or --clusters")
                    .remedy("Write --group 'a,b:3', or add --k 3"),
            ),
        };
        let blocks = groups.into_iter().map(block);
        Ok(fuzzy::Blocks::Several(blocks.collect::<Result<_>>()?))
    }
}

impl CopulaRequest {
    /// What does not depend on a table.
    fn options(&self) -> copula::Options {
        copula::Options {
            allocation: self.allocation,
            weights: Vec::new(),
            components: self.components,
            protect_extremes: self.protect_extremes,
            given: Vec::new(),
            exact_moments: self.exact_moments,
            secret: None,
        }
    }

    fn secret(&self, table: &Table, key: Option<&SecretKey>) -> Result<Option<Secret>> {
        let Some(secret) = &self.secret else {
            return Ok(None);
        };
        let Some(key) = key else {
            return Err(Error::usage(
                "the noise is to come from a secret, and there is none",
            ));
        };
        let identifier = match &secret.identifier {
            Some(name) => table.find(name)?,
            None => match table.with_role(Role::Identifier)[..] {
                [id] => id,
                _ => {
                    return Err(Error::usage(
                        "--secret needs to know who is who: name the attribute that identifies people",
                    )
                    .remedy("Give it with --id; it need not reach the masked file"));
                }
            },
        };
        let name = table.attribute(identifier).name.clone();
        Secret::new(key.bytes.clone(), name)
            .map(Some)
            .map_err(|error| error.in_file(&key.file))
    }
}

impl RulesFile {
    fn recoding(&self) -> Result<Recode> {
        recode::Rules::with_files(&self.file, &self.text, &self.files).map(Recode::new)
    }

    fn suppression(&self) -> Result<Suppress> {
        suppress::Rules::parse(&self.file, &self.text).map(Suppress::new)
    }
}

impl SuppressRequest {
    fn method(&self, table: &Table) -> Result<Suppress> {
        match self {
            Self::Rules(rules) => rules.suppression(),
            Self::Key { k, key, missing } => {
                let key = table.names(&table.select(key)?);
                suppress::Rules::new(*k, key, *missing).map(Suppress::new)
            }
        }
    }
}
