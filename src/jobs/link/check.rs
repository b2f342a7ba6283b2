//! Whether a request makes sense, whoever made it. The command line objects to most of this itself, in words of its options.

use super::request::{AttackRequest, Attacks, LinkRequest, RankSwapping, Training, Wanted};
use crate::{
    attack::{
        involution::check_eps, kernel::Kernel, learned::family::Family,
        probabilistic::Probabilistic,
    },
    error::{Error, Result},
    evaluate::link::Assign,
};

impl LinkRequest {
    /// That it makes sense, as far as that can be said without tables. [`run`](super::run) begins with it.
    ///
    /// # Errors
    /// Usage, when a parameter cannot be, or two parts of the request contradict each other.
    pub fn check(&self) -> Result<()> {
        self.check_attacks()?;
        self.check_learning()?;
        self.check_shard()?;
        if let Some(RankSwapping::Percent(entries)) = &self.published.rank_swapping {
            let mut percent = entries.iter().map(|entry| entry.number);
            holds(
                percent.all(|p| (0.0..=100.0).contains(&p)),
                "a published percentage is not from 0 to 100",
            )?;
        }
        Ok(())
    }

    /// What is not the same in all parts, and what a part has no place for, is not made in parts.
    fn check_shard(&self) -> Result<()> {
        if self.shard.is_none() {
            return Ok(());
        }
        if self.draws_knowledge() && self.seed.is_none() {
            return Err(Error::usage(
                "what the intruder knows is drawn, and without a seed each part of --shard would draw its own",
            )
            .remedy("State --seed"));
        }
        if self.learning.wants_weights || self.learning.wants_certificate {
            return Err(Error::usage(
                "--shard has no way to do that: a part holds no weights and no certificate",
            )
            .remedy("Leave --shard out: one run makes it"));
        }
        Ok(())
    }

    fn check_attacks(&self) -> Result<()> {
        let attacks: Vec<&AttackRequest> = self.attacks.single_attacks().collect();
        let number = match &self.attacks {
            Attacks::Named(wanted) => wanted.len(),
            Attacks::ThatApply(attacks) => attacks.len(),
        };
        holds(number > 0, "asks for no attack")?;
        let any = |is: fn(&AttackRequest) -> bool| attacks.iter().any(|attack| is(attack));
        let by_aggregates = any(|attack| matches!(attack, AttackRequest::Aggregates(_)));
        holds(
            !by_aggregates || number == 1,
            "aggregates cannot be asked for with other attacks: it relates no attribute of one file to one of the other",
        )?;
        let weighs = any(|attack| {
            matches!(
                attack,
                AttackRequest::Likelihood
                    | AttackRequest::Involution { .. }
                    | AttackRequest::Probabilistic(_)
            )
        });
        holds(
            weighs || !matches!(self.assign, Assign::Balanced | Assign::Sampled(_)),
            "a balanced assignment needs likelihoods, which no attack that is asked for has",
        )?;
        let only_orders = any(|attack| {
            matches!(
                attack,
                AttackRequest::Kernel {
                    kernel: Kernel::Rbf | Kernel::Mahalanobis,
                    ..
                }
            )
        });
        holds(
            self.assign != Assign::OneToOne || !only_orders,
            "the kernels rbf and mahalanobis order pairs as am and md do, and are not added up by an assignment",
        )?;
        attacks.into_iter().try_for_each(AttackRequest::check)
    }

    fn check_learning(&self) -> Result<()> {
        let families: Vec<Family> = match &self.attacks {
            Attacks::Named(wanted) => (wanted.iter())
                .filter_map(|wanted| match wanted {
                    Wanted::Learned(family) => Some(*family),
                    Wanted::Attack(_) => None,
                })
                .collect(),
            Attacks::ThatApply(_) => Vec::new(),
        };
        let learning = &self.learning;
        match &learning.given {
            Some(given) => holds(
                families == [given.weights.family],
                "weights are given that are not of the one family that is asked for",
            )?,
            None => holds(
                families.is_empty() || self.assign == Assign::Best,
                "a distance is learned, and its bound proven, for records that take their best one by one, not jointly",
            )?,
        }
        holds(
            learning.seconds > 0.0 && learning.seconds.is_finite(),
            "a search needs a number of seconds above 0",
        )?;
        let splits = match learning.training {
            Some(Training::Drawn { splits, .. }) => splits,
            Some(Training::Listed(_)) | None => 1,
        };
        holds(splits > 0, "individuals to learn from are drawn 0 times")
    }
}

impl AttackRequest {
    fn check(&self) -> Result<()> {
        match self {
            Self::Probabilistic(Probabilistic {
                iterations,
                admissible,
                ..
            }) => {
                let is_probability = |p: f64| p > 0.0 && p < 1.0;
                let (m, u, prior) = iterations.start;
                holds(iterations.most > 0, "no iteration of EM fits nothing")?;
                holds(
                    [Some(m), Some(u), prior]
                        .into_iter()
                        .flatten()
                        .all(is_probability)
                        && m > u,
                    "EM starts from probabilities between 0 and 1, m above u",
                )?;
                let rates = admissible.map(|rates| [rates.false_links, rates.missed_matches]);
                holds(
                    rates.into_iter().flatten().all(is_probability),
                    "admissible error rates are between 0 and 1",
                )
            }
            Self::Microaggregation { nearest_clusters } => holds(
                *nearest_clusters != Some(0),
                "0 nearest averages would leave nobody as a candidate",
            ),
            Self::Involution { eps } => check_eps(*eps),
            Self::Nearest
            | Self::AlignedVariances(_)
            | Self::AlignedCovariances(_)
            | Self::UnrelatedCovariances(_)
            | Self::Kernel { .. }
            | Self::Gower
            | Self::RankSwapIntersection
            | Self::Aggregates(_)
            | Self::Likelihood => Ok(()),
        }
    }
}

/// Refuses a request of which something does not hold.
fn holds(condition: bool, otherwise: &str) -> Result<()> {
    if condition {
        return Ok(());
    }
    Err(Error::usage(otherwise))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        attack::mahalanobis::Singular,
        evaluate::knowledge::Knowledge,
        jobs::link::request::{Groups, Known, KnownRecords, OfAttribute, RecordList},
        statement::Grouping,
        stats::checked::Positive,
    };

    fn request(json: &str) -> LinkRequest {
        let plain = LinkRequest::of_attacks([AttackRequest::Nearest]);
        let mut document = serde_json::to_value(plain).unwrap();
        let changes: serde_json::Value = serde_json::from_str(json).unwrap();
        for (key, value) in changes.as_object().unwrap() {
            document[key] = value.clone();
        }
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(request("{}").check(), Ok(()));
        for (changes, what) in [
            (r#"{"attacks": {"named": []}}"#, "no attack"),
            (
                r#"{"attacks": {"named": [{"attack": {"involution": {"eps": 1.0}}}]}}"#,
                "--eps",
            ),
            (
                r#"{"attacks": {"named": [{"learned": "wm"}]}, "assign": "one-to-one"}"#,
                "learned",
            ),
            (r#"{"assign": {"sampled": 1}}"#, "likelihoods"),
            (
                r#"{"published": {"rank_swapping": {"percent": [{"name": null, "number": 101.0}]}, "groups": null}}"#,
                "percentage",
            ),
        ] {
            let error = request(changes).check().unwrap_err();
            assert!(error.what().contains(what), "{changes}: {}", error.what());
        }
    }

    #[test]
    fn what_a_type_cannot_hold_is_not_read() {
        for attack in [
            r#"{"md": {"ridge": -1.0}}"#,
            r#"{"kernel": {"kernel": {"polynomial": {"degree": 0}}, "singular": "refused"}}"#,
        ] {
            assert!(
                serde_json::from_str::<AttackRequest>(attack).is_err(),
                "{attack}"
            );
            let good = attack.replace("-1.0", "0.5").replace('0', "1");
            assert!(
                serde_json::from_str::<AttackRequest>(&good).is_ok(),
                "{good}"
            );
        }
    }

    /// A request can be kept or sent: what comes back is the same.
    #[test]
    fn a_request_survives_as_json() {
        let mut request = LinkRequest::of_attacks([
            AttackRequest::UnrelatedCovariances(Singular::Ridge(Positive::new(0.001).unwrap())),
            AttackRequest::Probabilistic(Probabilistic::default()),
            AttackRequest::Microaggregation {
                nearest_clusters: Some(3),
            },
        ]);
        request.known = Known::Among {
            sets: Knowledge::Random { size: 2, sets: 5 },
            attributes: Some("1-7".into()),
        };
        request.records = KnownRecords::Listed(RecordList::of_text("held.txt", "1\n\n7\n"));
        request.published.rank_swapping = Some(RankSwapping::Percent(vec![OfAttribute {
            name: Some("AGI".into()),
            number: 0.1,
        }]));
        request.published.groups = Some(Groups {
            groups: vec!["a,b:3".into()],
            algorithm: Grouping::Mdav,
        });
        request.assign = Assign::Sampled(u64::MAX);
        let text = serde_json::to_string(&request).unwrap();
        let back: LinkRequest = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{back:?}"), format!("{request:?}"));
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}
