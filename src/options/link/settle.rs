//! What cannot go together in a call of `link`, and what has no use in it.

use super::{
    AssignArg, LinkArgs, SEED_IS_UNUSED,
    aggregates::AggregatesArgs,
    methods::{AttackName, KernelArg},
    microaggregation::MicroaggregationArgs,
    published::has_p_below_1,
};
use crate::{
    error::{Error, Result},
    jobs::Observer,
};

impl LinkArgs {
    /// The same call without the options that have no use in it, each of which is noted: what follows never sees them.
    /// `stated` is whether there is a statement of the masking; one without use is still checked against the masked file.
    ///
    /// # Errors
    /// Usage, when options contradict each other; under `--strict`, when one has no use.
    pub fn settled(&self, stated: bool, observer: &dyn Observer) -> Result<Self> {
        let mut args = self.clone();
        args.refuse_contradictions(stated)?;
        args.settle_published(observer)?;
        args.methods.settle(observer)?;
        args.settle_aggregates(observer)?;
        args.releases.settle(observer)?;
        if args.posterior.is_some() && args.assign != AssignArg::Balanced {
            observer.unused("--posterior has no effect without --assign balanced")?;
            args.posterior = None;
        }
        if args.attributes.is_some() && !args.aggregates() && args.known()?.family().is_none() {
            observer.unused("--attributes has no effect beside a list of known attributes")?;
            args.attributes = None;
        }
        if args.seed.is_some() && !args.is_random()? {
            observer.unused(SEED_IS_UNUSED)?;
            args.seed = None;
        }
        Ok(args)
    }

    fn refuse_contradictions(&self, stated: bool) -> Result<()> {
        let refuse = |what: &str, remedy: &str| Err(Error::usage(what).remedy(remedy));
        self.methods.refuse_contradictions()?;
        self.releases.refuse_contradictions(&self.methods.method)?;
        self.refuse_beside_aggregates()?;
        let weighs = [
            AttackName::Likelihood,
            AttackName::Involution,
            AttackName::Prl,
        ]
        .into_iter()
        .any(|method| self.methods.names(method));
        if self.assign == AssignArg::Balanced && !weighs {
            return refuse(
                "--assign balanced needs likelihoods, which no method named has",
                "Use --method likelihood or prl, or --assign one-to-one",
            );
        }
        let rsld = self.methods.names(AttackName::Rsld) && !self.methods.takes_all();
        if rsld && !stated && self.published.of_rank_swapping().is_none() {
            return refuse(
                "rsld needs to know what was published about rank swapping",
                "Give --p, --window, or --statement FILE",
            );
        }
        let learns =
            !self.methods.families().is_empty() && self.methods.learned.use_weights.is_none();
        if learns && self.assign != AssignArg::Best {
            return refuse(
                "a distance is learned, and its bound proven, for records that are each linked to their nearest, not jointly",
                "Learn first (--weights FILE), then link with --use-weights FILE --assign one-to-one",
            );
        }
        let orders_only = [KernelArg::Rbf, KernelArg::Mahalanobis];
        let kernel = self.methods.kernel();
        if self.assign == AssignArg::OneToOne
            && kernel.is_some_and(|kernel| orders_only.contains(&kernel))
        {
            return refuse(
                "the kernels rbf and mahalanobis order pairs as am and md do, and are not added up by an assignment",
                "Name am or md, or --kernel poly",
            );
        }
        Ok(())
    }

    /// Whether the files are linked by aggregates.
    fn aggregates(&self) -> bool {
        self.methods.names(AttackName::Aggregates)
    }

    /// What cannot go together with aggregates, or within them.
    fn refuse_beside_aggregates(&self) -> Result<()> {
        if !self.aggregates() {
            return Ok(());
        }
        if self.methods.method.len() > 1 {
            return Err(Error::usage(
                "aggregates cannot be named with other methods: it relates no attribute of one file to one of the other",
            )
            .remedy("Run it by itself"));
        }
        self.methods.aggregates.refuse_contradictions()
    }

    /// Notes the options that have no use with or without the method aggregates, and takes them away.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    fn settle_aggregates(&mut self, observer: &dyn Observer) -> Result<()> {
        if self.aggregates() {
            if self.known.take().is_some() {
                observer.unused(
                    "--known has no effect with the method aggregates: --attributes names those of the original, --attributes-masked those of the masked file",
                )?;
            }
            return Ok(());
        }
        if let Some(option) = self.methods.aggregates.given() {
            observer.unused(&format!(
                "{option} has no effect without the method aggregates"
            ))?;
            self.methods.aggregates = AggregatesArgs::default();
        }
        Ok(())
    }

    fn settle_published(&mut self, observer: &dyn Observer) -> Result<()> {
        let [rsld, likelihood, involution, microagg] = [
            AttackName::Rsld,
            AttackName::Likelihood,
            AttackName::Involution,
            AttackName::Microagg,
        ]
        .map(|method| self.methods.names(method));
        let published = &mut self.published;
        let swapping = rsld || likelihood || involution;
        if let (Some(option), false) = (published.of_rank_swapping(), swapping) {
            observer.unused(&format!(
                "{option} has no effect: only rsld, likelihood and involution use what was published about rank swapping"
            ))?;
            (published.p, published.window) = (Vec::new(), Vec::new());
            published.p_unit = None;
        }
        if let (Some(option), false) = (published.microaggregation.given(), microagg) {
            observer.unused(&format!(
                "{option} has no effect: only microagg uses what was published about microaggregation"
            ))?;
            published.microaggregation = MicroaggregationArgs::default();
        }
        if published.microaggregation.algorithm.is_some()
            && published.microaggregation.group.is_empty()
        {
            observer.unused("--algorithm has no effect without --group")?;
            published.microaggregation.algorithm = None;
        }
        if published.p_unit.is_some() && !has_p_below_1(&published.p) {
            observer.unused("--p-unit has no effect without a --p below 1")?;
            published.p_unit = None;
        }
        Ok(())
    }
}
