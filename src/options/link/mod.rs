//! The options of `sdcrisk link`, and what they mean.

mod aggregates;
mod learned;
mod methods;
mod microaggregation;
mod probabilistic;
mod published;
mod releases;
mod settle;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};

use super::{
    files::Files,
    output::{DetailArgs, ReportArgs},
    read::ReadArgs,
    records::{NumberOrFile, known_records},
    rules::RecodingRules,
    values::rate_limit,
};
use crate::{
    attack::Direction,
    error::Result,
    evaluate::{knowledge::Knowledge, link::Assign, score::Ties, shard::Shard},
    jobs::link::{
        LinkRequest,
        request::{Alignment, Known},
    },
};
use methods::{AttackName, MethodArgs};
pub(super) use probabilistic::{FitArg, ProbabilisticArgs};
use published::PublishedArgs;
pub(super) use published::{has_p_below_1, rank_swapping};
pub use releases::ReleasesArgs;

/// Said where a seed decides nothing.
pub(super) const SEED_IS_UNUSED: &str = "--seed has no effect: nothing in this call is random (it decides --known random:..., --known-records N, --train-records N and --posterior sampled)";

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  sdcrisk link --method am,rsld --p 5 orig.csv masked.csv
  sdcrisk mask rankswap --p 5 f.csv | sdcrisk link --method am,rsld --p 5 f.csv -
  sdcrisk link --method rsld --statement masked.sdc.json --known sweep:7 orig.csv masked.csv
  sdcrisk link --method am,microagg --statement masked.sdc.json orig.csv masked.csv
  sdcrisk link --method microagg --algorithm mdav --group 'age,income:3' --group 'rent,tax:5' orig.csv masked.csv
  sdcrisk link --method likelihood --statement masked.sdc.json --assign balanced orig.csv masked.csv
  sdcrisk link --method likelihood --statement masked.sdc.json --assign balanced --posterior sampled orig.csv masked.csv
  sdcrisk link --method likelihood --statement 2025.sdc.json --also 2026.csv --also-statement 2026.sdc.json --release-id pseudonym orig.csv 2025.csv
  sdcrisk link --method involution --statement masked.sdc.json --known first:3 orig.csv masked.csv
  sdcrisk link --method am --id person --known age,income --known-records 400 orig.csv masked.csv
  sdcrisk link --method am,prl --recode crosswalk.toml orig.csv masked-by-others.csv
  sdcrisk link --method am --known first:3 --format json --fail-above 5% orig.csv masked.csv
  sdcrisk link --method am,rsld --p 5 --shard 2/4 -o part2.json orig.csv masked.csv    # on the second of four machines; then merge
  sdcrisk link --method aggregates --attributes 1-7 --attributes-masked 8-13 orig.csv masked.csv
  sdcrisk link --method am,md,wm,ci --time-limit 20 orig.csv masked.csv
  sdcrisk link --method ci --weights w.json --certificate proof.json orig.csv masked.csv
  sdcrisk link --method wm --train-records 400 --train-splits 10 orig.csv masked.csv

A masked file in other terms than the original wants a crosswalk (--recode): the rules of 'mask recode', and sections that make attributes
which only the masked file has. They look at the original as it is; where there is a statement, it is of the file that they make:
  [age]
  breaks = [18, 65]
  [REGION]
  of = \"NUTS2\"                   # another name for NUTS2
  [DISTRICT]
  of = \"AREA\"
  characters = [3, 5]            # of its third to fifth characters
  [PLACE]
  join = [\"LAND\", \"KREIS\"]     # one behind the other
  separator = \"-\"                # with this between them; nothing without it

Methods that an intruder can use:
  am (= dbrl, dbrl1)  nearest record, attributes standardised
  md0                 Mahalanobis distance, from the covariances of the two files
  kernel              distance in the space of a kernel: --kernel poly (default), rbf, tanh
  gower               Gower's dissimilarity, for files with names and gaps
  prl                 probabilistic: which attributes agree (--agree), weighed by a model that is fitted (--fit)
  rsld                what was published about rank swapping: only records within the window of ranks are possible
  microagg            what was published about microaggregation: only records of groups near by are possible
  likelihood          the published law (rankswap, pbuckets, pdistribution, noise, fuzzy, microagg): the most likely record, and how likely it is
  involution (= swaps) the published law of rankswap, pbuckets or pdistribution, and that a swap has two sides: who took a value gave
                      its holder their own; undoes swapping where the intruder knows some attributes of everybody
  aggregates          files that share no attribute but rank people in the same way: each file's numbers are made into the same
                      aggregates (most of them, at least half, ...); by itself, attributes by --attributes and
                      --attributes-masked ('match-attributes' finds out whether attributes are shared after all)
Worst cases, computed from the true pairs (what the best distance of its kind would find):
  dbrl2               differences divided by their sd over the true pairs
  md                  Mahalanobis distance by the covariance of the true pairs' differences; kernel mahalanobis is the same
  prl --fit known     m and u counted from the true pairs
Worst cases that are searched for, with a proof that no distance of the kind links more (not among 'all'; --time-limit each):
  wm, wm-m            weighted mean of squared differences; with positive weights
  owa                 ordered weighted mean
  ci, ci-m, ci-2      Choquet integral: a weight for every set of attributes; of a submodular, of a 2-additive measure
  sb, sb-nc, sb-pd    bilinear form; not negative on the files; positive definite")]
pub struct LinkArgs {
    /// The original file: what the intruder could know
    #[arg(value_name = "ORIGINAL.csv")]
    pub original: PathBuf,
    /// The masked file; - is standard input
    #[arg(value_name = "MASKED.csv")]
    pub masked: PathBuf,
    #[command(flatten)]
    methods: MethodArgs,
    /// What the intruder knows: a,b,c | first:7 | sweep:7 | subsets:3 | random:5x20 | worst:7 (the few sets of 7 attributes that disclose most) [default: all that can be compared]
    #[arg(long, value_name = "KNOWN", help_heading = "The intruder")]
    known: Option<String>,
    /// The attributes that --known counts among: names or positions [default: all quasi-identifiers]
    #[arg(long, value_name = "LIST", help_heading = "The intruder")]
    attributes: Option<String>,
    /// How many records the intruder holds (drawn at random), or a file with one record number (or identifier) a line
    #[arg(long, value_name = "N|FILE", help_heading = "The intruder")]
    known_records: Option<NumberOrFile>,
    /// Who looks for whom
    #[arg(
        long,
        value_enum,
        default_value = "original-to-masked",
        help_heading = "The intruder"
    )]
    direction: DirectionArg,
    /// Rules that bring the original into the terms of the masked file first: those of 'mask recode', other names, attributes joined and split
    #[arg(long, value_name = "RULES.toml", value_hint = ValueHint::AnyPath, help_heading = "The intruder")]
    pub recode: Option<RecodingRules>,
    #[command(flatten)]
    pub published: PublishedArgs,
    #[command(flatten)]
    pub releases: ReleasesArgs,
    /// How a tie of t records counts that holds the true one: 1/t, 0, or 1
    #[arg(long, value_enum, default_value = "fair", help_heading = "Counting")]
    ties: TiesArg,
    /// Each record its best, all at once one to one, or each its most likely given one to one (balanced: likelihood and prl; involution always)
    #[arg(long, value_enum, default_value = "best", help_heading = "Counting")]
    assign: AssignArg,
    /// With --assign balanced: likelihoods scaled until rows and columns sum to one, or permutations drawn [default: scaled]
    #[arg(long, value_enum, help_heading = "Counting")]
    posterior: Option<PosteriorArg>,
    /// Column that identifies people in both files, A=B where the masked file has another name for it [default: the order of the records]
    #[arg(
        long,
        value_name = "COLUMN",
        conflicts_with = "shuffle_key",
        help_heading = "Counting"
    )]
    pub id: Option<String>,
    /// The key file that mask wrote when it shuffled the records
    #[arg(long, value_name = "KEYFILE", alias = "key", help_heading = "Counting")]
    pub shuffle_key: Option<PathBuf>,
    /// Write one line a record: whom it is linked with, and its distance (CSV; of prl, likelihood and involution the negative log-weight); with --shard the part holds them, and 'merge' writes them
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub links: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub detail: DetailArgs,
    /// Judge part I of N of the records that look for a partner, and write it (JSON) for 'sdcrisk merge'; of attacks that link jointly or learn, one part makes all
    #[arg(
        long,
        value_name = "I/N",
        conflicts_with_all = ["format", "brief", "explain", "weights", "certificate", "fail_above", "fail_above_extremes"],
        help_heading = "Output"
    )]
    pub shard: Option<Shard>,
    /// End with exit status 10 when a rate is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    pub fail_above: Option<f64>,
    /// End with exit status 10 when a rate among extremes is above this: those in the top or bottom 1 % of a known attribute, or in the 1 % farthest from the mean
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    pub fail_above_extremes: Option<f64>,
    /// Repeatable random choices of --known random:, --known-records N and --train-records N; other draws of --posterior sampled
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DirectionArg {
    /// Each record of the intruder looks for its masked record
    OriginalToMasked,
    /// Each masked record looks for its record in the intruder's file
    MaskedToOriginal,
}

impl From<DirectionArg> for Direction {
    fn from(arg: DirectionArg) -> Self {
        match arg {
            DirectionArg::OriginalToMasked => Self::OriginalToMasked,
            DirectionArg::MaskedToOriginal => Self::MaskedToOriginal,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TiesArg {
    Fair,
    Strict,
    Optimistic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AssignArg {
    Best,
    OneToOne,
    Balanced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PosteriorArg {
    /// Balanced likelihoods: quick, and nearly right
    Scaled,
    /// Permutations drawn with their probability: right but for chance, and slower
    Sampled,
}

impl LinkArgs {
    /// The files that are read.
    pub fn inputs(&self, files: &dyn Files) -> impl Iterator<Item = PathBuf> {
        let learned = &self.methods.learned;
        let lists = [&self.known_records, &learned.train_records];
        let lists = lists.into_iter().flatten().filter_map(NumberOrFile::file);
        let single = [&self.shuffle_key, &learned.use_weights];
        let single = single
            .into_iter()
            .flatten()
            .chain(&self.published.statement);
        [&self.original, &self.masked]
            .into_iter()
            .map(PathBuf::as_path)
            .chain(self.read.input())
            .chain(single.map(PathBuf::as_path))
            .chain(lists)
            .chain(self.releases.inputs())
            .map(Path::to_path_buf)
            .chain(self.recode.iter().flat_map(|rules| rules.inputs(files)))
    }

    /// Where what was learned goes, and its proof.
    pub fn learned_outputs(&self) -> [&Option<PathBuf>; 2] {
        let learned = &self.methods.learned;
        [&learned.weights, &learned.certificate]
    }

    /// Which attributes the intruder knows.
    fn known(&self) -> Result<Known> {
        Known::parse(self.known.as_deref(), self.attributes.as_deref())
    }

    /// Whether permutations are drawn.
    fn samples(&self) -> bool {
        self.posterior == Some(PosteriorArg::Sampled)
    }

    /// Whether anything in this call is random.
    fn is_random(&self) -> Result<bool> {
        Ok(self.samples() || self.draws_knowledge()?)
    }

    /// Whether what the intruder knows is drawn.
    fn draws_knowledge(&self) -> Result<bool> {
        Ok(self.record_count().is_some()
            || self.methods.learned.train_count().is_some()
            || self.known()?.family().is_some_and(Knowledge::is_random))
    }

    /// The same call with this seed, if anything in it is random.
    ///
    /// # Errors
    /// Usage, when `--known` makes no sense.
    pub fn seeded(self, number: u64) -> Result<Self> {
        let seed = self.is_random()?.then_some(number);
        Ok(Self { seed, ..self })
    }

    /// Whether a method named uses a statement of the masking, and nothing else was said of it.
    pub fn wants_statement(&self) -> bool {
        let uses = [
            AttackName::Rsld,
            AttackName::Likelihood,
            AttackName::Involution,
            AttackName::Microagg,
        ];
        uses.into_iter().any(|method| self.methods.names(method))
            && self.published.of_rank_swapping().is_none()
            && self.published.microaggregation.group.is_empty()
    }

    /// Whether this call makes one attack: a single method, and not all that apply.
    pub(super) fn is_one_attack(&self) -> bool {
        self.methods.method.len() == 1 && !self.methods.takes_all()
    }

    /// The call as it is meant. Small files that it names are read: lists of records and weights; tables and statements are not.
    ///
    /// # Errors
    /// Usage, when a parameter makes no sense; what reading objects to.
    pub fn request(&self, files: &dyn Files) -> Result<LinkRequest> {
        let methods = &self.methods;
        Ok(LinkRequest {
            attacks: methods.attacks(&self.published, self.attributes.as_ref())?,
            standardize: methods.asked_standardize(),
            known: self.known()?,
            records: known_records(self.known_records.as_ref(), files)?,
            direction: self.direction(),
            published: self.published.request()?,
            crosswalk: (self.recode.as_ref())
                .map(|rules| rules.rules(files))
                .transpose()?,
            alignment: Alignment::stated(self.id.as_deref(), self.shuffle_key.is_some()),
            release_id: self.releases.release_id.clone(),
            ties: self.ties(),
            assign: self.assign(),
            learning: methods.learned.request(&methods.families(), files)?,
            wants_links: self.links.is_some(),
            seed: self.seed,
            shard: self.shard,
        })
    }

    /// How many records the intruder knows, if these are drawn.
    fn record_count(&self) -> Option<usize> {
        self.known_records.as_ref()?.number()
    }

    /// Who looks for whom.
    pub fn direction(&self) -> Direction {
        self.direction.into()
    }

    fn ties(&self) -> Ties {
        match self.ties {
            TiesArg::Fair => Ties::Fair,
            TiesArg::Strict => Ties::Strict,
            TiesArg::Optimistic => Ties::Optimistic,
        }
    }

    fn assign(&self) -> Assign {
        match self.assign {
            AssignArg::Best => Assign::Best,
            AssignArg::OneToOne => Assign::OneToOne,
            // A report can be repeated: permutations hide nothing, so they need no secret seed.
            AssignArg::Balanced if self.samples() => Assign::Sampled(self.seed.unwrap_or(0)),
            AssignArg::Balanced => Assign::Balanced,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Parser, ValueEnum};

    use super::{methods::MethodName, *};
    use crate::{
        jobs::{
            Quiet,
            link::request::{AttackRequest, Attacks, KnownRecords, Wanted},
        },
        options::files::NoFiles,
    };

    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Call {
        #[command(flatten)]
        link: LinkArgs,
    }

    fn request(options: &str) -> Result<LinkRequest> {
        let words = options.split(' ').chain(["a.csv", "b.csv"]);
        let args = Call::try_parse_from(words).unwrap().link;
        args.settled(false, &Quiet)?.request(&NoFiles)
    }

    #[test]
    fn every_method_becomes_the_attack_of_its_name() {
        for method in MethodName::value_variants() {
            let word = method.to_possible_value().unwrap().get_name().to_owned();
            let request = request(&format!("--method {word} --p 5"));
            match request.map(|request| request.attacks) {
                Ok(Attacks::Named(wanted)) => match &wanted[..] {
                    [Wanted::Attack(attack)] => assert_eq!(attack.name(), word),
                    [Wanted::Learned(family)] => assert_eq!(family.name(), word),
                    _ => panic!("{word} is {wanted:?}"),
                },
                Ok(Attacks::ThatApply(attacks)) => {
                    assert_eq!((word.as_str(), attacks.len()), ("all", 11));
                }
                Err(error) => panic!("{word}: {error}"),
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_no_request() {
        for (options, what) in [
            ("--method all --degree 0", "makes all records equal"),
            ("--method md --ridge 0", "--ridge is a share"),
            ("--method all --p 0.05", "looks like a fraction"),
            ("--method rsld --window X=a,3", "--window wants a number"),
            ("--method rsld --window 0", "no value was moved"),
            (
                "--method am --known first:0",
                "wants a number of attributes",
            ),
            ("--method all --eps 1", "--eps is a share"),
        ] {
            let error = request(options).unwrap_err();
            assert!(error.what().contains(what), "{options}: {}", error.what());
        }
    }

    #[test]
    fn what_was_typed_is_meant() {
        let typed = "--method rsld,prl --p X=2,5 --agree Y=rank:3 --known sweep:3 --attributes X,Y --known-records 7 --seed 1";
        let request = request(typed).unwrap();
        let swapping = request.published.rank_swapping.as_ref().unwrap();
        assert_eq!((swapping.option(), swapping.names()), ("--p", vec!["X"]));
        assert!(matches!(request.records, KnownRecords::Drawn(7)));
        assert!(request.draws_knowledge() && request.seed == Some(1));
        let Known::Among { sets, attributes } = &request.known else {
            panic!("{:?}", request.known);
        };
        assert_eq!(
            (sets, attributes.as_deref()),
            (&Knowledge::Sweep(3), Some("X,Y"))
        );
        let mut attacks = request.attacks.single_attacks();
        assert!(matches!(
            attacks.next(),
            Some(AttackRequest::RankSwapIntersection)
        ));
        assert!(matches!(
            attacks.next(),
            Some(AttackRequest::Probabilistic(prl)) if prl.agree.named.contains_key("Y")
        ));
    }
}
