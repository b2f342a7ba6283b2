//! Of recoding.

use super::Line;
use crate::mask::Masked;

pub(super) fn headline(masked: &Masked, rules: Option<&str>) -> String {
    let rules = rules.unwrap_or("rules");
    match masked.effects.len() {
        1 => format!("1 attribute by {rules}"),
        n => format!("{n} attributes by {rules}"),
    }
}

pub(super) fn remarks(masked: &Masked, suppressed: &[usize], notes: &[String]) -> Vec<Line> {
    let gone: Vec<String> = (masked.effects.iter().zip(suppressed))
        .filter(|&(_, &count)| count > 0)
        .map(|(effect, count)| format!("{} {count}", effect.attribute))
        .collect();
    let mut remarks = Vec::new();
    if !gone.is_empty() {
        remarks.push(Line::Note(format!("became missing: {}", gone.join(", "))));
    }
    let note = |note: &String| Line::Note(format!("note: {note}"));
    remarks.extend(notes.iter().map(note));
    remarks
}
