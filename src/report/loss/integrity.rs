//! Totals, signs, zeros, ranges, categories and sums before and after.

use serde::{Deserialize, Serialize};

use crate::{loss::integrity::AttributeIntegrity, report::text};

/// What is still so, and what is not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Integrity {
    /// Of each attribute that was compared, numbers first.
    pub attributes: Vec<AttributeIntegrity>,
    /// Sums of attributes that the original keeps in nearly all records.
    pub sums: Vec<SumIntegrity>,
}

/// A total and its parts, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SumIntegrity {
    /// The sum, as `total = a + b`.
    pub sum: String,
    /// Original records in which it holds, and that have all of its values.
    pub before: [usize; 2],
    /// The same of the masked file.
    pub after: [usize; 2],
}

impl SumIntegrity {
    /// Whether it holds in as large a share of the records.
    pub fn is_kept(&self) -> bool {
        let ([held, of], [holds, now]) = (self.before, self.after);
        holds as u128 * of as u128 >= held as u128 * now as u128 && (now > 0 || of == 0)
    }
}

impl Integrity {
    /// The table of attributes: names and cells. Pairs that are equal are shown once.
    pub fn rows(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let counts = |pair: Option<[usize; 2]>| match pair {
            None => "–".into(),
            Some([before, after]) if before == after => before.to_string(),
            Some([before, after]) => format!("{before} → {after}"),
        };
        let rows = self.attributes.iter().map(|attribute| {
            let [total, change] = match attribute.total {
                None => ["–".to_string(), "–".to_string()],
                Some([before, after]) => [number(after), change(before, after)],
            };
            let outside =
                attribute
                    .outside
                    .map_or("–".into(), |[below, above]| match (below, above) {
                        (0, 0) => "0".to_string(),
                        (below, above) => format!("{below} below, {above} above"),
                    });
            vec![
                attribute.attribute.clone(),
                counts(Some(attribute.values)),
                total,
                change,
                counts(attribute.negative),
                counts(attribute.zero),
                outside,
                attribute
                    .unknown
                    .map_or("–".into(), |count| count.to_string()),
            ]
        });
        let header = vec![
            "",
            "values",
            "total",
            "change",
            "negative",
            "zero",
            "outside the range",
            "unknown category",
        ];
        (header, rows.collect())
    }

    /// A sentence for each sum.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |sum: &SumIntegrity| {
            let ([held, of], [holds, now]) = (sum.before, sum.after);
            format!(
                "{} held in {held} of {of} records and holds in {holds} of {now}",
                sum.sum
            )
        };
        self.sums.iter().map(sentence).collect()
    }

    /// For people; nothing where nothing was looked at.
    pub fn to_text(&self) -> String {
        if self.attributes.is_empty() {
            return String::new();
        }
        let (header, rows) = self.rows();
        let mut content = format!(
            "\nIntegrity (original → masked where they differ)\n{}",
            text::columns(&header, &rows, 1)
        );
        for sentence in self.sentences() {
            content += &text::paragraph(&format!("{sentence}."));
        }
        content
    }
}

/// A total as people read it: whole from a thousand on.
fn number(total: f64) -> String {
    if total.abs() >= 1000.0 || total.fract() == 0.0 {
        format!("{total:.0}")
    } else {
        format!("{total:.3}")
    }
}

/// By how much a total changed, of itself.
fn change(before: f64, after: f64) -> String {
    let change = (after - before) / before.abs();
    match () {
        () if before.total_cmp(&after).is_eq() => "0 %".into(),
        () if !change.is_finite() => "–".into(),
        () if change.abs() < 5e-5 => format!("{}0.00 %", if change < 0.0 { "−" } else { "+" }),
        () if change < 0.0 => format!("−{:.2} %", -100.0 * change),
        () => format!("+{:.2} %", 100.0 * change),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_totals_have_signs_and_no_division_by_zero() {
        assert_eq!(change(200.0, 150.0), "−25.00 %");
        assert_eq!(change(-200.0, -150.0), "+25.00 %");
        assert_eq!(change(0.0, 5.0), "–");
        assert_eq!(change(0.0, 0.0), "0 %");
        assert_eq!(change(1e9, 1e9 + 1.0), "+0.00 %");
    }

    #[test]
    fn a_sum_is_kept_by_share_and_not_by_count() {
        let sum = |before, after| SumIntegrity {
            sum: "a = b + c".into(),
            before,
            after,
        };
        // A sample of half the records in which all hold.
        assert!(sum([100, 100], [50, 50]).is_kept());
        assert!(!sum([100, 100], [49, 50]).is_kept());
        assert!(!sum([100, 100], [0, 0]).is_kept());
    }
}
