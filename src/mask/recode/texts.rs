//! The texts that cells can get, and what classes are called.

use crate::statement::RecodingRule;

/// Texts that cells can get, each once.
pub(super) struct Texts(pub(super) Vec<String>);

impl Texts {
    pub(super) fn add(&mut self, text: &str) -> u32 {
        let place = self
            .0
            .iter()
            .position(|known| known == text)
            .unwrap_or_else(|| {
                self.0.push(text.to_owned());
                self.0.len() - 1
            });
        // A rules file with 2^32 texts does not fit into memory.
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    pub(super) fn end(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

/// The texts of all classes: below the first break, between breaks, from the last one on; none without breaks.
pub(super) fn class_names(rule: &RecodingRule, mark: char) -> Vec<String> {
    let (Some(first), Some(last)) = (rule.breaks.first(), rule.breaks.last()) else {
        return Vec::new();
    };
    if rule.labels.len() > rule.breaks.len() {
        return rule.labels.clone();
    }
    let text = |number: &f64| number.to_string().replace('.', &mark.to_string());
    let between = if mark == ',' { ';' } else { ',' };
    let mut names = vec![format!("<{}", text(first))];
    if rule.labels.is_empty() {
        names.extend(
            rule.breaks
                .windows(2)
                .map(|pair| format!("[{}{between}{})", text(&pair[0]), text(&pair[1]))),
        );
    } else {
        names.extend(rule.labels.iter().cloned());
    }
    names.push(format!(">={}", text(last)));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_by_the_files_mark() {
        let rule = |labels: &[&str]| RecodingRule {
            breaks: vec![0.5, 1.0, 2000.0],
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            ..RecodingRule::default()
        };
        assert_eq!(
            class_names(&rule(&[]), '.'),
            ["<0.5", "[0.5,1)", "[1,2000)", ">=2000"]
        );
        assert_eq!(
            class_names(&rule(&[]), ','),
            ["<0,5", "[0,5;1)", "[1;2000)", ">=2000"]
        );
        assert_eq!(
            class_names(&rule(&["a", "b"]), '.'),
            ["<0.5", "a", "b", ">=2000"]
        );
        assert_eq!(
            class_names(&rule(&["w", "a", "b", "z"]), '.'),
            ["w", "a", "b", "z"]
        );
    }
}
