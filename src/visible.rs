//! Text in which nothing is hidden: signs that steer a terminal, or the order in which text is shown, are spelled out.
//!
//! An attribute or a file can be named `income\u{1b}[2K`, and whoever reads a report or a log of it would see what the name
//! says, not what the program says. The spelling is that of JSON (`\u001b`), so that a JSON document says the same with it.

use std::{borrow::Cow, fmt::Write};

/// A name with all such signs spelled out, line ends and tabs too: it cannot end the line that it stands in.
#[must_use]
pub fn name(name: &str) -> Cow<'_, str> {
    spelled_out(name, is_hidden)
}

/// Lines of text with all such signs spelled out but line ends and tabs.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    spelled_out(text, |sign| is_hidden(sign) && !matches!(sign, '\n' | '\t'))
}

/// Whether a sign steers what is shown and is not seen itself: control characters, line and paragraph separators, and the
/// marks that turn the direction of writing.
fn is_hidden(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

fn spelled_out(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for sign in text.chars() {
        match sign {
            _ if !hidden(sign) => out.push(sign),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => {
                // All of them have four digits at most. Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(sign));
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_signs_are_spelled_as_in_json() {
        let text = "a\u{1b}[2K\u{7f}\u{9b}\u{202e}\r\u{2029}é 日本 \u{a0}";
        let seen = lines(text);
        assert_eq!(
            seen,
            "a\\u001b[2K\\u007f\\u009b\\u202e\\r\\u2029é 日本 \u{a0}"
        );
        let read: String = serde_json::from_str(&format!("\"{seen}\"")).unwrap();
        assert_eq!(read, text);
        assert_eq!(lines("a\n\tb"), "a\n\tb");
        assert_eq!(name("a\n\tb"), "a\\n\\tb");
    }
}
