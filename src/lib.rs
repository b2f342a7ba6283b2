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
//! Arrows point one way: `cli → jobs → {evaluate, report, selftest} → {mask, attack, loss, risk, schema} → {distance, agreement, stats,
//! optimize, certificate, statement, rng} → {table, figure} → memory → {error, visible}`. `mask` and `attack` never see each other, and `attack` never sees who is whom.
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
//! | [`cli`] | the program: words, files, the terminal |
//!
//! # Words
//!
//! A *record* is a person's line, an *attribute* a column, a *cell* where they meet. A *link* is a claimed pair, a *match*
//! a true one. The *intruder* knows some attributes of some records. A *candidate set* holds the masked records that what
//! was published leaves possible. A link is *certain* when that set holds one record.
//!
//! # Example
//!
//! ```
//! use sdcrisk::{
//!     attack::{Direction, distance_based::{DistanceBased, Standardize}},
//!     evaluate::{link::{Assign, Study, shared_attributes}, score::Ties, truth::Truth},
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
//! let everybody = (0..original.n_records() as u32).collect();
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
pub mod report;
pub mod risk;
pub mod rng;
pub mod schema;
pub mod selftest;
pub mod statement;
pub mod stats;
pub mod table;
pub mod visible;
