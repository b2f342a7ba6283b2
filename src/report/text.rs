//! How numbers and tables look to people.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table with a header line and columns set flush: the first left, as many as `left` says, the others right.
pub fn columns(header: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header.to_vec());
    for row in rows {
        table.add_row(row.clone());
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 2 } else { 1 }, 1));
        column.set_cell_alignment(if index < left {
            CellAlignment::Left
        } else {
            CellAlignment::Right
        });
    }
    table
        .lines()
        .map(|line| line.trim_end().to_string() + "\n")
        .collect()
}

/// A share as a percentage: one decimal place, two significant digits below 1 %, and near 100 % as many as keep it from being rounded to that.
pub fn percent(share: f64) -> String {
    const MAX_DIGITS: usize = 15;
    let percent = share * 100.0;
    let size = percent.abs();
    let least = if size == 0.0 || size >= 1.0 {
        1
    } else {
        1 + leading_zeros(size)
    };
    let looks_whole = |digits: usize| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "at most 15"
        )]
        let scale = 10_f64.powi(digits as i32);
        let rounded = (size * scale).round() - 100.0 * scale;
        rounded == 0.0 && size - 100.0 != 0.0
    };
    let digits = (least..MAX_DIGITS).find(|&digits| !looks_whole(digits));
    let digits = digits.unwrap_or(least.min(MAX_DIGITS));
    format!("{percent:.digits$} %")
}

/// How many places behind the point the first digit of a number between 0 and 1 has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the logarithm of a number below 1 is negative, and that of no f64 is below -400"
)]
fn leading_zeros(below_1: f64) -> usize {
    (-below_1.log10()).ceil() as usize
}

/// A number of records: whole when it is whole to one decimal place, else with that; a little above 0 is not 0.
pub fn count(records: f64) -> String {
    let tenths = (10.0 * records).round();
    if tenths == 0.0 {
        number(records)
    } else if tenths % 10.0 == 0.0 {
        format!("{:.0}", tenths / 10.0)
    } else {
        format!("{records:.1}")
    }
}

/// A number of any size: three significant digits, whole numbers whole; with an exponent from ten millions on and below a thousandth.
pub fn number(value: f64) -> String {
    const LARGE: f64 = 1e7;
    const SMALL: f64 = 1e-3;
    let size = value.abs();
    if size == 0.0 {
        "0".into()
    } else if !(SMALL..LARGE).contains(&size) {
        format!("{value:.2e}")
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 1.0 {
        format!("{value:.2}")
    } else {
        let digits = 2 + leading_zeros(size);
        format!("{value:.digits$}")
    }
}

/// Names joined for reading, cut after `most` with the number of the rest.
pub fn names(names: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        rest => format!("{} and {rest} more", shown.join(", ")),
    }
}

/// What a report begins with: each of these as a paragraph.
pub fn warnings(doubts: impl IntoIterator<Item = String>) -> String {
    let paragraphs = doubts
        .into_iter()
        .map(|doubt| paragraph(&format!("Warning: {doubt}")));
    let mut all: String = paragraphs.collect();
    if !all.is_empty() {
        all.push('\n');
    }
    all
}

/// A paragraph broken into lines of at most 96 characters, each indented by two.
pub fn paragraph(text: &str) -> String {
    const WIDTH: usize = 96;
    let mut lines = String::new();
    let mut line = String::from(" ");
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

/// What must be said of several cases (`cases` is their word), each kind once, with the number of cases where there are more than one. Two
/// remarks of which `kind` is equal are of one kind; the first is shown.
pub fn kinds(of_cases: &[&[String]], cases: &str, kind: impl Fn(&str) -> String) -> Vec<String> {
    let mut kinds: Vec<(String, &String, usize, bool)> = Vec::new();
    for remark in of_cases.iter().copied().flatten() {
        let key = kind(remark);
        match kinds.iter_mut().find(|(other, ..)| *other == key) {
            Some((_, first, count, differs)) => {
                *count += 1;
                *differs |= *first != remark;
            }
            None => kinds.push((key, remark, 1, false)),
        }
    }
    let shown = |(_, first, count, differs): (String, &String, usize, bool)| match (
        of_cases.len(),
        differs,
    ) {
        (1, _) => first.clone(),
        (all, false) => format!("in {count} of {all} {cases}: {first}"),
        (all, true) => {
            format!("in {count} of {all} {cases}, of which this is the first: {first}")
        }
    };
    kinds.into_iter().map(shown).collect()
}

/// A remark without its figures: the kind of one that says how many.
pub fn without_figures(remark: &str) -> String {
    remark
        .split(|c: char| c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three cases: two did not converge, after different numbers of iterations; one attribute went to its limit, once.
    #[test]
    fn remarks_of_one_kind_are_shown_once_with_their_cases() {
        let remark = |text: &str| text.to_string();
        let cases = [
            vec![remark("not done after 10 iterations: allow more")],
            vec![
                remark("not done after 200 iterations: allow more"),
                remark("m of age went to its limit: rarely so"),
            ],
            vec![],
        ];
        let cases: Vec<&[String]> = cases.iter().map(Vec::as_slice).collect();
        assert_eq!(
            kinds(&cases, "cases", without_figures),
            [
                "in 2 of 3 cases, of which this is the first: not done after 10 iterations: allow more",
                "in 1 of 3 cases: m of age went to its limit: rarely so",
            ]
        );
        // A single case needs no count.
        assert_eq!(kinds(&cases[..1], "cases", without_figures), cases[0]);
    }

    #[test]
    fn percentages_show_what_distinguishes_them() {
        for (share, text) in [
            (0.0, "0.0 %"),
            (0.5, "50.0 %"),
            (1.0, "100.0 %"),
            (0.000_926, "0.093 %"),
            (0.9946, "99.5 %"),
            (0.999, "99.9 %"),
            (0.9996, "99.96 %"),
            (0.999_996, "99.9996 %"),
            (1.000_04, "100.004 %"),
            (1e-6, "0.00010 %"),
            (1.0 / 3e6, "0.000033 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    /// The boundary cases of the rule, worked out by hand.
    #[test]
    fn numbers_have_three_significant_digits_and_whole_ones_all() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (2477.6105, "2478"),
            (-41.26, "-41.3"),
            (2.0, "2.00"),
            (0.0317, "0.0317"),
            (0.001, "0.00100"),
            (0.000_5, "5.00e-4"),
            (9_999_999.0, "9999999"),
            (1.439e13, "1.44e13"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            [1080.0, 149.97, 101.5, 0.04].map(count),
            ["1080", "150", "101.5", "0.0400"]
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(names(&["a", "b"], 3), "a, b");
        assert_eq!(names(&["a", "b", "c"], 1), "a and 2 more");
    }
}
