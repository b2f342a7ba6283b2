//! `sdcrisk` masks microdata, attacks the masked file, and measures what the attack finds.
//!
//! A statistical office wants to publish microdata about people. It masks the file; then somebody tries to link the masked
//! records back to the people. This crate does both on one [`table::Table`].
//!
//! ```text
//!  original.csv ──► table ──► mask ──► masked.csv, and a statement of what was done
//!                                          │                     │
//!                            evaluate ◄────┘                     │
//!            knows the truth │  ▲ judges                         │
//!    the intruder's records, │  │ claims                         │
//!      the release, shuffled ▼  │                                ▼
//!                            attack  ◄───────────── what the office published
//! ```
//!
//! # Modules
//!
//! Arrows point one way: `cli → options → jobs → {evaluate, report, selftest} → {mask, attack, loss, risk, schema} →
//! {distance, agreement, stats, optimize, certificate, statement, rng} → {table, figure} → memory → {error, visible}`. `mask` and
//! `attack` never see each other, and `attack` never sees the true matches.
//!
//! | module | what |
//! |---|---|
//! | [`table`] | records and attributes, read from and written to CSV |
//! | [`mask`] | masking methods |
//! | [`attack`] | what an intruder does |
//! | [`loss`] | what masking took from a file, and from its analyses |
//! | [`risk`] | what a file, or a pair of files, gives away without any linkage |
//! | [`evaluate`] | what the intruder is given, and how their claims are judged |
//! | [`report`] | results for people and programs |
//! | [`selftest`] | worked examples of the literature, recomputed |
//! | [`schema`] | which attribute of one file is which of another |
//! | [`distance`], [`agreement`], [`stats`], [`optimize`] | what they compute with |
//! | [`certificate`] | proofs of learned optima in files, and their checker |
//! | [`statement`] | what is published about a masking |
//! | [`figure`] | a number with its definition, its range and its better end |
//! | [`memory`] | the limit of what a run may allocate |
//! | [`rng`] | every random draw |
//! | [`visible`] | names and text in which nothing is hidden |
//! | [`jobs`] | what the commands do: a request in, a report out |
//! | `options` | what can be typed, and the request that it means; not for other programs |
//! | [`cli`] | the program: files, the terminal, the clock |
//!
//! # Words
//!
//! A *record* is a person's line, an *attribute* a column, a *cell* where they meet. A *link* is a claimed pair, a *match*
//! a true one. The *intruder* knows some attributes of some records. A *candidate set* holds the masked records that what
//! was published leaves possible. A link is *certain* when that set holds one record.
//!
//! # Examples
//!
//! The files here have four or five records, so that every result can be checked by hand. A program asks for the work of a command by a
//! request ([`jobs`]); the last example does without.
//!
//! **Masking.** A request says with which method, and of which attributes; by default of all that the method can mask. What may be
//! published of it is in the step of a statement, which never has a seed.
//!
//! ```
//! use sdcrisk::{
//!     jobs::{Quiet, mask::{self, request::{MaskRequest, MethodRequest}}},
//!     mask::rank_swap::Reach,
//!     rng::Seed,
//!     statement::Partner,
//!     table::{ReadOptions, Table},
//! };
//!
//! let csv = "age,income\n31,1200\n45,2300\n52,1900\n38,2700\n";
//! let table = Table::read("people.csv", csv.into(), &ReadOptions::default())?;
//!
//! let swap = MethodRequest::RankSwap { reach: Reach::Window(1), partner: Partner::Unswapped };
//! let request = MaskRequest::new(swap);
//! let masking = mask::prepare(&request, &table, None, &Quiet)?;
//! let outcome = masking.run(table.clone(), &Seed::from_number(7), &Quiet)?;
//!
//! // Every age is still there, with somebody whose age was next in rank.
//! let mut file = Vec::new();
//! outcome.masked.table.write(&mut file).expect("memory takes it");
//! let text = String::from_utf8(file).expect("as the original");
//! let mut ages: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
//! ages.sort_unstable();
//! assert_eq!(ages, ["31", "38", "45", "52"]);
//! assert_eq!(outcome.masked.step.attributes, ["age", "income"]);
//! # Ok::<(), sdcrisk::error::Error>(())
//! ```
//!
//! **Attacking.** The judge needs to know who is who; the attack does not. Each result has the correct links under every rule for ties,
//! the rate with its interval, and the rate of guessing.
//!
//! ```
//! use sdcrisk::{
//!     evaluate::truth::Truth,
//!     jobs::{Quiet, link::{self, Input, LinkRequest, request::AttackRequest}},
//!     table::{ReadOptions, Table},
//! };
//!
//! let read = |name: &str, text: &str| Table::read(name, text.into(), &ReadOptions::default());
//! let original = read("people.csv", "age,income\n31,1200\n45,2300\n52,1900\n38,2700\n")?;
//! let masked = read("masked.csv", "age,income\n38,1200\n45,2300\n52,1900\n31,2700\n")?;
//! let truth = Truth::by_order(&original, &masked)?;
//!
//! let request = LinkRequest::of_attacks([AttackRequest::Nearest, AttackRequest::Gower]);
//! let outcome = link::run(&request, &Input::new(&original, &masked, &truth), &Quiet)?;
//! // Two ages were swapped, but incomes were not, and give everybody away.
//! assert_eq!(outcome.report.results[0].rate, 1.0);
//! assert_eq!(outcome.report.results[0].baseline, 0.25);
//! # Ok::<(), sdcrisk::error::Error>(())
//! ```
//!
//! **Measuring risk and loss.** Figures have keys, which their [definitions](figure::Definition) explain.
//!
//! ```
//! use sdcrisk::{
//!     evaluate::truth::Truth,
//!     figure,
//!     jobs::{Quiet, loss::{self, LossRequest}, pair::PairRequest, risk::{self, RiskRequest}},
//!     report::measurements::Measurements,
//!     table::{ReadOptions, Table},
//! };
//!
//! let read = |name: &str, text: &str| Table::read(name, text.into(), &ReadOptions::default());
//! let people = read("people.csv", "sex,town,income\nf,A,1200\nf,A,2300\nm,A,1900\nm,B,2700\n")?;
//! let masked = read("masked.csv", "sex,town,income\nf,A,2300\nf,A,1200\nm,A,1900\nm,B,2700\n")?;
//!
//! // Two women share a key; the man of A and the man of B are unique.
//! let request = RiskRequest { key: Some("sex,town".into()), ..RiskRequest::default() };
//! let outcome = risk::run(&request, risk::Files::One(people.clone()), None, &Quiet)?;
//! let report = Measurements::joined(vec![outcome.measurements])?;
//! assert_eq!(figure::value(&report.figures, "unique"), Some(2.0));
//!
//! // The two incomes differ by 1100; the mean of all is kept.
//! let truth = Truth::by_order(&people, &masked)?;
//! let files = PairRequest::default().files(people, masked, truth, &Quiet)?;
//! let report = loss::run(&LossRequest::default(), &files, None, &Quiet)?;
//! let loss = |key| figure::value(&report.measured.data, key);
//! assert_eq!(loss("mean_absolute_data"), Some((1100.0 + 1100.0) / 4.0));
//! assert_eq!(loss("mean_absolute_means"), Some(0.0));
//! # Ok::<(), sdcrisk::error::Error>(())
//! ```
//!
//! **Learning a distance.** The weights with which most records are linked, and a bound that no others exceed.
//!
//! ```
//! use sdcrisk::{
//!     attack::learned::{family::Family, weights::ProofStatus},
//!     evaluate::truth::Truth,
//!     jobs::{Quiet, link::{self, Input, LinkRequest, request::{Attacks, Wanted}}},
//!     table::{ReadOptions, Table},
//! };
//!
//! // Ages were kept, incomes drawn anew: a distance that goes by age links everybody.
//! let read = |name: &str, text: &str| Table::read(name, text.into(), &ReadOptions::default());
//! let original = read("people.csv", "age,income\n31,1200\n45,2300\n52,1900\n38,2700\n")?;
//! let masked = read("masked.csv", "age,income\n31,2700\n45,1200\n52,2300\n38,1900\n")?;
//! let truth = Truth::by_order(&original, &masked)?;
//!
//! let request = LinkRequest::new(Attacks::Named(vec![Wanted::Learned(Family::WeightedMean)]));
//! let outcome = link::run(&request, &Input::new(&original, &masked, &truth), &Quiet)?;
//! let weights = outcome.weights.expect("something was learned");
//! assert_eq!((weights.linked, weights.bound), (4, 4));
//! assert_eq!(weights.proof, ProofStatus::Optimal);
//! assert!(weights.parameters[0] > weights.parameters[1]);
//! # Ok::<(), sdcrisk::error::Error>(())
//! ```
//!
//! **Acting on an error.** A message is for people; a [`Reason`](error::Reason) has what a program needs.
//!
//! ```
//! use sdcrisk::{
//!     attack::mahalanobis::Singular,
//!     error::Reason,
//!     evaluate::truth::Truth,
//!     jobs::{Quiet, link::{self, Input, LinkRequest, request::AttackRequest}},
//!     table::{ReadOptions, Table},
//! };
//!
//! // The total is the sum of the others, so the covariances have no inverse.
//! let csv = "wage,rent,total\n10,1,11\n14,9,23\n20,4,24\n31,3,34\n35,8,43\n";
//! let people = Table::read("people.csv", csv.into(), &ReadOptions::default())?;
//! let truth = Truth::by_order(&people, &people)?;
//! let input = Input::new(&people, &people, &truth);
//!
//! let md = |singular| LinkRequest::of_attacks([AttackRequest::UnrelatedCovariances(singular)]);
//! let outcome = match link::run(&md(Singular::Refused), &input, &Quiet) {
//!     Err(error) => match error.reason() {
//!         Some(Reason::SingularCovariance { attributes }) => {
//!             assert_eq!(attributes, &["wage", "rent", "total"]);
//!             link::run(&md(Singular::PseudoInverse), &input, &Quiet)?
//!         }
//!         _ => return Err(error),
//!     },
//!     Ok(outcome) => outcome,
//! };
//! assert_eq!(outcome.report.results[0].rate, 1.0);
//! # Ok::<(), sdcrisk::error::Error>(())
//! ```
//!
//! **Without requests.** Methods and attacks are values of their own, for a program that makes new ones (`impl Mask`, `impl Attack`).
//!
//! ```
//! use sdcrisk::{
//!     attack::{Direction, distance_based::{DistanceBased, Standardize}},
//!     evaluate::{link::{Assign, Study, shared_attributes}, score::Ties, truth::{OriginalRecord, Truth}},
//!     mask::{Mask, rank_swap::{RankSwap, Reach}},
//!     rng::{Purpose, Seed},
//!     statement::Partner,
//!     table::{ReadOptions, Table},
//! };
//!
//! let csv = b"age,income\n31,1200\n45,2300\n52,1900\n38,2700\n".to_vec();
//! let original = Table::read("people.csv", csv.clone(), &ReadOptions::default())?;
//! let on: Vec<_> = original.ids().collect();
//!
//! let method = RankSwap::new(Reach::Window(1), Partner::Unswapped)?;
//! let copy = Table::read("people.csv", csv, &ReadOptions::default())?;
//! let masked = method.mask(copy, &on, &Seed::from_number(7).streams(Purpose::Mask, 0))?;
//!
//! let truth = Truth::by_order(&original, &masked.table)?;
//! let everybody = OriginalRecord::all(&original);
//! let study = Study::new(&original, &masked.table, &truth, everybody, Direction::OriginalToMasked);
//! let (known, _) = shared_attributes(&original, &masked.table, None);
//! let attack = DistanceBased { standardize: Standardize::Own };
//! let outcome = study.case(&known).attack(&attack, Assign::Best, false)?;
//! assert!((0.0..=1.0).contains(&outcome.score.rate(Ties::Fair)));
//! # Ok::<(), sdcrisk::error::Error>(())
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::float_cmp,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests compare exact figures of small examples"
    )
)]

pub mod agreement;
pub mod attack;
pub mod certificate;
pub mod cli;
pub mod distance;
pub mod error;
pub mod evaluate;
pub mod figure;
pub mod jobs;
pub mod loss;
pub mod mask;
pub mod memory;
pub mod optimize;
mod options;
pub mod report;
pub mod risk;
pub mod rng;
pub mod schema;
pub mod selftest;
pub mod statement;
pub mod stats;
pub mod table;
pub mod visible;
