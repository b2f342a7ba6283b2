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

/// A share as a percentage with as many digits as distinguish it from 0 and from 100 %.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let distance = percent.min(100.0 - percent).abs();
    let digits = match distance {
        d if d == 0.0 || d >= 1.0 => 1,
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the logarithm of a number below 1 is negative, and that of no f64 is below -400"
        )]
        d => 1 + (-d.log10()).ceil() as usize,
    };
    format!("{percent:.digits$} %")
}

/// A number of records: whole when it is whole, else with one decimal place.
pub fn count(number: f64) -> String {
    if number.fract() == 0.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.1}")
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
            (0.9996, "99.960 %"),
            (1e-6, "0.00010 %"),
            (1.0 / 3e6, "0.000033 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(names(&["a", "b"], 3), "a, b");
        assert_eq!(names(&["a", "b", "c"], 1), "a and 2 more");
    }
}
