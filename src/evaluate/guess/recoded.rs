//! Attributes that were recoded.

use super::{
    Certainty, Finding, Search,
    marginal::{Marginal, Recoding},
    places,
};

impl Search<'_> {
    /// Values that follow from the original ones, each by itself.
    pub(super) fn recodings(&mut self) {
        for place in 0..self.columns.len() {
            let Marginal::Recoded(recoding) = &self.marginals[place] else {
                continue;
            };
            let names = self.names(&[place]);
            let certain = Finding::new(names.clone(), Some("recode"), Certainty::Certain);
            let finding = match recoding {
                Recoding::Merged { .. } => continue,
                Recoding::Coded(ends) => Self::coded(certain, *ends),
                Recoding::Rounded { step, coded } => Self::coded(
                    certain.with("round", places::digits(*step, 9)).since(
                        "every masked value is a multiple of one step, and rounding the original gives them all",
                    ),
                    *coded,
                ),
                Recoding::Classes(classes) => certain
                    .with("classes", *classes)
                    .since("numbers became classes"),
            };
            self.found(&[place], finding);
        }
    }

    fn coded(mut finding: Finding, ends: [usize; 2]) -> Finding {
        for (count, name, word) in [(ends[0], "bottom", "below"), (ends[1], "top", "above")] {
            if count > 0 {
                finding = finding
                    .with(&format!("{name}_coded"), count)
                    .since(format!("{count} values {word} a bound became the bound"));
            }
        }
        finding
    }

    /// Names, or codes, that were merged.
    pub(super) fn merged(&mut self, rest: &mut Vec<usize>) {
        let is_merged = |place: &usize| {
            matches!(
                self.marginals[*place],
                Marginal::Recoded(Recoding::Merged { .. })
            )
        };
        let merged: Vec<usize> = rest.iter().copied().filter(is_merged).collect();
        rest.retain(|place| !merged.contains(place));
        for place in merged {
            let Marginal::Recoded(Recoding::Merged { gone, into }) = self.marginals[place] else {
                continue;
            };
            let finding = Finding::new(self.names(&[place]), Some("recode"), Certainty::Likely)
                .with("classes", self.columns[place].different(1))
                .since(format!(
                    "{gone} categories are gone, and the records of {into} others are as many more"
                ))
                .or("a category that was made anew for each record, as pram does");
            self.found(&[place], finding);
        }
    }
}
