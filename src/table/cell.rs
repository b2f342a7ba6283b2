//! From the bytes of a cell to what they say.

use std::borrow::Cow;

/// The cell without its quotes; doubled quotes inside become single ones, spaces stay.
///
/// `raw` is a cell as the tokenizer cuts it: if it begins with a quote, that quote is closed and only blanks follow.
pub(super) fn unquoted(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = inside_quotes(raw) else {
        return Cow::Borrowed(raw);
    };
    if memchr::memchr(b'"', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    // Inside a quoted cell quotes come in pairs.
    while let Some(at) = memchr::memchr(b'"', rest) {
        text.extend_from_slice(&rest[..=at]);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    Cow::Owned(text)
}

/// What a number or a missing-value marker is read from: the cell without quotes and without blanks around.
pub(super) fn content(raw: &[u8]) -> &[u8] {
    match raw {
        [first, .., last] if !special(*first) && !special(*last) => raw,
        _ => trimmed(inside_quotes(raw).unwrap_or(raw)),
    }
}

fn special(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"')
}

/// Without the spaces and tabs around.
pub(super) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

fn inside_quotes(raw: &[u8]) -> Option<&[u8]> {
    let rest = raw.strip_prefix(b"\"")?;
    let close = memchr::memrchr(b'"', rest)?;
    Some(&rest[..close])
}

/// One to eight bytes as one number, the first one its lowest byte.
#[inline(always)]
pub(super) fn word_of(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    // Bytes that are taken twice are the same.
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
        }
        _ => {
            u64::from(bytes[0])
                | u64::from(bytes[n / 2]) << (8 * (n / 2))
                | u64::from(bytes[n - 1]) << (8 * (n - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_are_taken_off_and_pairs_made_single() {
        for (raw, text) in [
            (r#"a"#, "a"),
            (r#""a""#, "a"),
            (r#""""#, ""),
            (r#""""""#, "\""),
            (r#""say ""no"", twice""#, r#"say "no", twice"#),
            (r#""a"  "#, "a"),
            (r#" "a""#, r#" "a""#),
            (r#"a"b"#, r#"a"b"#),
        ] {
            assert_eq!(&*unquoted(raw.as_bytes()), text.as_bytes(), "{raw}");
        }
    }

    #[test]
    fn content_has_no_blanks_around_it() {
        for (raw, text) in [
            ("5", "5"),
            (" 5\t", "5"),
            ("\" 5 \"", "5"),
            ("  ", ""),
            ("\"\"", ""),
        ] {
            assert_eq!(content(raw.as_bytes()), text.as_bytes(), "{raw:?}");
        }
    }

    proptest! {
        #[test]
        fn words_hold_bytes_in_their_order(bytes in prop::collection::vec(any::<u8>(), 1..9)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(&bytes);
            prop_assert_eq!(word_of(&bytes), u64::from_le_bytes(all));
        }
    }
}
