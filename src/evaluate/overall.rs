//! The score of the literature: information loss and disclosure risk in one number, with every term that it is made of.

use crate::figure::{Definition, Figure, Group};

const SOURCE_2001: &str = "Domingo-Ferrer, Torra 2001";
const SOURCE_2007: &str = "Torra 2007; Nin, Herranz, Torra 2008";

/// What each of the three record linkages weighs in [`Overall::dr`], as printed; a third of a half would be 0.1667.
const LINKAGE: f64 = 0.166;
/// What interval disclosure weighs.
const INTERVAL: f64 = 0.5;

/// The transparency attack's links.
pub static RSLD: Definition = Definition::share(
    Group::Score,
    "rsld",
    "linked by the published window (RSLD)",
    "correct links per record of the intersection attack on rank swapping, mean over the cases of known attributes",
    SOURCE_2007,
);
/// Distance-based links.
pub static DLD: Definition = Definition::share(
    Group::Score,
    "dld",
    "linked by distance (DLD)",
    "correct links per record to the nearest record of standardised attributes, mean over the cases of known attributes",
    SOURCE_2001,
);
/// Probabilistic links.
pub static PLD: Definition = Definition::share(
    Group::Score,
    "pld",
    "linked by agreement (PLD)",
    "correct links per record of probabilistic record linkage, mean over the cases of known attributes",
    SOURCE_2001,
);
/// Interval disclosure.
pub static ID: Definition = Definition::share(
    Group::Score,
    "id",
    "inside a narrow interval (ID)",
    "share of original values inside an interval of ranks around the masked value, of p % of the records in total, mean over p = 1, ..., 10 and attributes",
    SOURCE_2001,
);
/// Disclosure risk with the transparency attack.
pub static DR: Definition = Definition::share(
    Group::Score,
    "dr",
    "disclosure risk (DR)",
    "0.166 (RSLD + DLD + PLD) + 0.5 ID; the weights are those printed and add up to 0.998",
    SOURCE_2007,
)
// 3 · 0.166 + 0.5: the printed weights are cut, not rounded to one.
.at_most(3.0 * LINKAGE + INTERVAL);
/// Loss and risk in one number.
pub static SCORE: Definition =
    Definition::share(Group::Score, "score", "score", "0.5 (IL + DR)", SOURCE_2007).unbounded();
/// Disclosure risk as first published.
pub static DR_2001: Definition = Definition::share(
    Group::Score,
    "dr_2001",
    "disclosure risk, form of 2001",
    "0.5 (DLD + PLD)/2 + 0.5 ID",
    SOURCE_2001,
);
/// The score as first published.
pub static SCORE_2001: Definition = Definition::share(
    Group::Score,
    "score_2001",
    "score, form of 2001",
    "0.5 (IL + DR), with DR in the form of 2001",
    SOURCE_2001,
)
.unbounded();

/// Loss of all attributes and risk in one number.
pub static SCORE_ALL: Definition = Definition::share(
    Group::Score,
    "score_all",
    "score, all attributes",
    "0.5 (IL_all + DR), with the form of DR that comes first: for files in which attributes changed that are not numbers, of which IL says nothing",
    "the project's own, after Domingo-Ferrer, Torra 2001",
)
.unbounded();

/// The strongest attack.
pub static STRONGEST: Definition = Definition::share(
    Group::Score,
    "strongest",
    "linked by the strongest attack",
    "correct links per record of the attack and the known attributes that link the most, of all attacks that were run",
    "the project's own",
);
/// Disclosure risk by the strongest attack.
pub static DR_STRONGEST: Definition = Definition::share(
    Group::Score,
    "dr_strongest",
    "disclosure risk, strongest attack",
    "0.5 of the highest rate over all attacks and all sets of known attributes + 0.5 ID",
    "the project's own, after Domingo-Ferrer, Torra 2001",
);

/// All of them; IL is a loss, and has its definition there.
pub static DEFINITIONS: [&Definition; 11] = [
    &RSLD,
    &DLD,
    &PLD,
    &ID,
    &STRONGEST,
    &DR,
    &SCORE,
    &DR_2001,
    &SCORE_2001,
    &SCORE_ALL,
    &DR_STRONGEST,
];

/// A record linkage that is a term of DR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// Links by the published window of rank swapping.
    Rsld,
    /// Links by distance.
    Dld,
    /// Links by agreement.
    Pld,
}

impl Term {
    /// All, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Rsld, Self::Dld, Self::Pld];

    /// What it is.
    pub fn definition(self) -> &'static Definition {
        match self {
            Self::Rsld => &RSLD,
            Self::Dld => &DLD,
            Self::Pld => &PLD,
        }
    }

    /// The attack of the literature, by its name on the command line.
    pub fn method(self) -> &'static str {
        match self {
            Self::Rsld => "rsld",
            Self::Dld => "am",
            Self::Pld => "prl",
        }
    }

    /// What people call it.
    pub fn name(self) -> String {
        self.definition().key.to_uppercase()
    }
}

/// The terms of the score, as fractions (the papers print percent); `None` where a term was not measured.
///
/// ```text
/// DR = 0.166 (RSLD + DLD + PLD) + 0.5 ID        0 … 0.998     score = (IL + DR) / 2
/// 2001: DR = 0.5 (DLD + PLD)/2 + 0.5 ID         0 … 1         score = (IL + DR) / 2
/// strongest: DR = 0.5 (highest rate) + 0.5 ID   0 … 1
/// ```
///
/// The published forms average over attacks and over what the intruder knows, so a weak attack lowers them; the third form takes the
/// attack and the known attributes that link the most.
///
/// Lower is better in all. IL has no upper bound: a mean variation divides by values that can be near zero. A score is therefore for
/// comparing masked files of *one* original.
///
/// # Source
/// J. Domingo-Ferrer, V. Torra, "A quantitative comparison of disclosure control methods for microdata", 2001; with RSLD: V. Torra,
/// "La lluita contra el Big Brother", 2007, after J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure
/// risk", Data & Knowledge Engineering 64, 2008.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overall {
    /// Information loss, of the attributes that are numbers in both files.
    pub il: Option<f64>,
    /// Whether other attributes changed, too: IL is then no loss of the file, and there is no score.
    pub il_is_partial: bool,
    /// Information loss of all attributes.
    pub il_all: Option<f64>,
    /// Share linked by the intersection attack on rank swapping.
    pub rsld: Option<f64>,
    /// Share linked by distance.
    pub dld: Option<f64>,
    /// Share linked by probabilistic record linkage.
    pub pld: Option<f64>,
    /// Interval disclosure.
    pub id: Option<f64>,
    /// Share linked by the strongest attack in its worst case.
    pub strongest: Option<f64>,
}

impl Overall {
    /// A term.
    pub fn term(&self, term: Term) -> Option<f64> {
        match term {
            Term::Rsld => self.rsld,
            Term::Dld => self.dld,
            Term::Pld => self.pld,
        }
    }

    /// DR = 0.166 (RSLD + DLD + PLD) + 0.5 ID; `None` if a term is absent (see [`Overall::figures`] for which).
    pub fn dr(&self) -> Option<f64> {
        let linked = self.rsld? + self.dld? + self.pld?;
        Some(LINKAGE * linked + INTERVAL * self.id?)
    }

    /// IL, if all that changed is in it.
    pub fn whole_il(&self) -> Option<f64> {
        self.il.filter(|_| !self.il_is_partial)
    }

    /// (IL + DR) / 2; `None` where IL is of a part of what changed.
    pub fn score(&self) -> Option<f64> {
        Some(f64::midpoint(self.whole_il()?, self.dr()?))
    }

    /// DR = 0.5 (DLD + PLD)/2 + 0.5 ID, which needs no transparency attack.
    pub fn dr_2001(&self) -> Option<f64> {
        let linked = f64::midpoint(self.dld?, self.pld?);
        Some((1.0 - INTERVAL) * linked + INTERVAL * self.id?)
    }

    /// (IL + DR) / 2 with the DR of 2001.
    pub fn score_2001(&self) -> Option<f64> {
        Some(f64::midpoint(self.whole_il()?, self.dr_2001()?))
    }

    /// (IL_all + DR) / 2, with DR in the form of 2001 where there is no RSLD.
    pub fn score_all(&self) -> Option<f64> {
        Some(f64::midpoint(
            self.il_all?,
            self.dr().or_else(|| self.dr_2001())?,
        ))
    }

    /// Whether IL is not all that there is to say: what changed is not in it, or there are no numbers.
    pub fn needs_mixed(&self) -> bool {
        self.whole_il().is_none() && self.il_all.is_some()
    }

    /// The score with the loss of all attributes.
    pub fn mixed(&self) -> Figure {
        let dr = self.dr().or_else(|| self.dr_2001());
        if self.id.is_none() && self.il_all.is_some() {
            let why = "DR is absent: its interval disclosure is of numbers. IL_all (or entropy_loss) and the strongest attack say what was lost and found";
            return Figure::undefined(&SCORE_ALL, why);
        }
        figure(
            &SCORE_ALL,
            self.score_all(),
            &[("IL_all", self.il_all), ("DR", dr)],
        )
    }

    /// DR = 0.5 of the highest rate + 0.5 ID.
    pub fn dr_strongest(&self) -> Option<f64> {
        Some((1.0 - INTERVAL) * self.strongest? + INTERVAL * self.id?)
    }

    /// DR, score, both in the form of 2001, and DR by the strongest attack; an absent one names the terms that it lacks. `counted` is their number of terms.
    pub fn figures(&self) -> [Figure; 5] {
        let (il, rsld) = (("IL", self.il), ("RSLD", self.rsld));
        let both = [("DLD", self.dld), ("PLD", self.pld), ("ID", self.id)];
        let with = |more: &[Named]| [more, &both].concat();
        let score = |what, value, terms: &[Named]| {
            if self.il_is_partial && self.il.is_some() {
                Figure::undefined(
                    what,
                    "IL is of numbers only, and other attributes changed; score_all counts them",
                )
            } else {
                figure(what, value, terms)
            }
        };
        [
            figure(&DR, self.dr(), &with(&[rsld])),
            score(&SCORE, self.score(), &with(&[il, rsld])),
            figure(&DR_2001, self.dr_2001(), &with(&[])),
            score(&SCORE_2001, self.score_2001(), &with(&[il])),
            figure(
                &DR_STRONGEST,
                self.dr_strongest(),
                &[("the strongest attack", self.strongest), ("ID", self.id)],
            ),
        ]
    }
}

type Named = (&'static str, Option<f64>);

fn figure(what: &'static Definition, value: Option<f64>, terms: &[Named]) -> Figure {
    match value {
        Some(value) => Figure::new(what, value, terms.len() as u64),
        None => {
            let lacking = terms.iter().filter(|(_, value)| value.is_none());
            let names: Vec<&str> = lacking.map(|(name, _)| *name).collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            Figure::undefined(what, format!("{} {verb} absent", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure;

    const ALL: Overall = Overall {
        il: Some(0.3),
        il_is_partial: false,
        il_all: Some(0.4),
        rsld: Some(0.6),
        dld: Some(0.5),
        pld: Some(0.4),
        id: Some(0.8),
        strongest: Some(0.9),
    };

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-15)
    }

    /// 0.166 · 1.5 + 0.4 = 0.649, (0.3 + 0.649)/2 = 0.4745; 0.5 · 0.45 + 0.4 = 0.625, (0.3 + 0.625)/2 = 0.4625;
    /// 0.5 · 0.9 + 0.4 = 0.85.
    #[test]
    fn all_terms_by_hand() {
        assert!(near(ALL.dr(), 0.649) && near(ALL.score(), 0.4745));
        assert!(near(ALL.dr_2001(), 0.625) && near(ALL.score_2001(), 0.4625));
        assert!(near(ALL.dr_strongest(), 0.85));
    }

    /// Everybody linked by every attack and every value inside: 3 · 0.166 + 0.5, not 1, since the printed weights are cut.
    #[test]
    fn the_printed_weights_add_up_to_0_998() {
        let worst = Overall {
            il: Some(0.0),
            il_is_partial: false,
            il_all: Some(0.0),
            rsld: Some(1.0),
            dld: Some(1.0),
            pld: Some(1.0),
            id: Some(1.0),
            strongest: Some(1.0),
        };
        assert!(near(worst.dr(), 0.998) && near(DR.most, 0.998));
        assert!(near(worst.score(), 0.499));
        assert_eq!(
            (worst.dr_2001(), worst.score_2001()),
            (Some(1.0), Some(0.5))
        );
    }

    /// Classes and names are not in IL: the score would call their recoding free.
    #[test]
    fn there_is_no_score_where_il_does_not_see_what_changed() {
        let partial = Overall {
            il_is_partial: true,
            ..ALL
        };
        assert_eq!((partial.score(), partial.score_2001()), (None, None));
        assert_eq!((partial.dr(), partial.dr_2001()), (ALL.dr(), ALL.dr_2001()));
        // What takes its place: (0.4 + 0.649)/2, or with the DR of 2001 (0.4 + 0.625)/2.
        assert!(partial.needs_mixed() && !ALL.needs_mixed());
        assert!(near(partial.mixed().value, 0.5245));
        let without = Overall {
            rsld: None,
            ..partial
        };
        assert!(near(without.mixed().value, 0.5125));
        let names_only = Overall {
            il: None,
            id: None,
            ..without
        };
        assert!(names_only.needs_mixed());
        let why = names_only.mixed().why_not.unwrap();
        assert!(why.contains("entropy_loss"), "{why}");
        let figures = partial.figures();
        for key in ["score", "score_2001"] {
            let why = figure::find(&figures, key).unwrap().why_not.as_deref();
            assert!(why.unwrap().contains("numbers only"), "{why:?}");
        }
    }

    /// A file that was not rank swapped has no RSLD: the form of 2001 stays, and the other says what it lacks.
    #[test]
    fn absent_terms_are_named() {
        let without = Overall { rsld: None, ..ALL };
        assert_eq!((without.dr(), without.score()), (None, None));
        assert_eq!(without.score_2001(), ALL.score_2001());
        let why = |overall: &Overall, key| {
            let figures = overall.figures();
            figure::find(&figures, key).unwrap().why_not.clone()
        };
        assert_eq!(why(&without, "dr").unwrap(), "RSLD is absent");
        assert_eq!(why(&without, "dr_2001"), None);
        let nothing = Overall::default();
        assert_eq!(
            why(&nothing, "score").unwrap(),
            "IL, RSLD, DLD, PLD, ID are absent"
        );
        assert_eq!(why(&nothing, "dr_2001").unwrap(), "DLD, PLD, ID are absent");
    }
}
