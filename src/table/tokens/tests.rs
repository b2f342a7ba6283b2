use proptest::prelude::*;

use super::*;

/// What there is to know of a layout, or why there is none.
fn filled(bytes: &[u8], keep_blank_lines: bool, in_pieces: bool) -> Result<String, String> {
    let mut layout = Layout::new(2 - usize::from(keep_blank_lines));
    let mut tokens = Tokenizer::new(bytes, 0, b',');
    if keep_blank_lines {
        tokens.keep_blank_lines();
    }
    let blank = if in_pieces {
        layout.fill(&mut tokens)
    } else {
        let mut blank = BlankLines::default();
        layout
            .fill_until(&mut tokens, bytes.len(), &mut blank)
            .map(|()| {
                blank.skipped += tokens.skipped_lines();
                blank
            })
    };
    let blank = blank.map_err(|error| error.to_string())?;
    // Which bytes were looked at last is its own affair.
    (tokens.block, tokens.ends) = (0..0, 0);
    let records: Vec<_> = (0..layout.n_records())
        .map(|record| {
            (
                layout.start(record),
                layout.ends(record),
                layout.line_of(bytes, record),
            )
        })
        .collect();
    Ok(format!(
        "{records:?} {blank:?} {tokens:?} {:?}",
        layout.lines
    ))
}

proptest! {
    /// Cut in pieces of some 64 bytes, files are the same records, lines and faults as cut from the first byte to the last: short and
    /// long lines, blank ones, all kinds of line ends, quoted cells with line ends and quotes, quotes that are none, and in some files
    /// a quote that is never closed or a record of too many cells.
    #[test]
    fn pieces_are_cut_as_the_whole_is(
        lines in prop::collection::vec(("[ab 1]{0,12}", "[ab 1]{0,3}", 0..40_u8), 0..120),
        keep_blank_lines: bool,
        odd in prop::option::of((0..120_usize, 0..2_u8)),
        quotes in 0..3_u8,
    ) {
        let mut text = String::new();
        for (at, (first, second, kind)) in lines.iter().enumerate() {
            let first = match (quotes, kind) {
                (1.., 20..25) => format!("\"{first}\""),
                (1.., 25..27) => format!("\"{first}\"\"\n{first}\""),
                (1.., 27) => format!("a\"{first}"),
                (2, 28..36) => format!("\"{}\"", first.replace('1', "\n")),
                _ => first.clone(),
            };
            let cells = if keep_blank_lines { first } else { format!("{first},{second}") };
            match (odd, kind) {
                (Some((place, 0)), _) if place == at => text += "\"a",
                (Some((place, _)), _) if place == at => text += "a,b,c",
                (_, 0) => text += "",
                (_, 1) => text += "  ",
                (_, 2) => text += &cells.repeat(1 + 20 * usize::from(keep_blank_lines)),
                _ => text += &cells,
            }
            text += match kind {
                5..8 => "\r\n",
                8 => "\r",
                9 => "\n\n",
                10 if at + 1 == lines.len() => "",
                _ => "\n",
            };
        }
        let bytes = text.as_bytes();
        prop_assert_eq!(filled(bytes, keep_blank_lines, true), filled(bytes, keep_blank_lines, false));
    }

    /// The bits of a block say of each byte what a plain look at it says.
    #[test]
    fn blocks_are_looked_through_as_their_bytes_are(bytes in prop::collection::vec(prop::sample::select(b"\x00\x01\x7f\x80\xff,-+\n\r".to_vec()), BLOCK)) {
        for delimiter in *b"\x00\x01\x80\xff," {
            let tokens = Tokenizer::new(&bytes, 0, delimiter);
            let ends = ends_among(bytes.first_chunk().unwrap(), delimiter);
            for (place, &byte) in bytes.iter().enumerate() {
                prop_assert_eq!(ends >> place & 1 == 1, tokens.ends_cell(byte));
            }
        }
    }
}
