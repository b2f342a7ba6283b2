//! What goes wrong with files: bytes, lines, columns, numbers.

use super::draw::Draw;

/// Texts that stand where a number or a word stood.
const STRANGE: [&str; 36] = [
    "",
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "0.5",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "NaN",
    "inf",
    "-inf",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "99999999999999999999",
    "4294967296",
    "18446744073709551615",
    "9007199254740993",
    "1,5",
    "1.234,56",
    "1 000",
    "NA",
    "*",
    "[1;2)",
    "ü",
    "\u{202e}",
    "\u{0}",
    "=1+1",
    "x\ty",
    "a,b",
    "2024-02-31",
];

/// Cells and numbers that leave a file in shape.
const CELLS: [&str; 28] = [
    "",
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "7",
    "0.5",
    "-3.25",
    "1e308",
    "-1e308",
    "1e-320",
    "1e16",
    "4294967296",
    "9007199254740993",
    "99999999999999999999",
    "2147483648",
    "0.30000000000000004",
    "NA",
    "x",
    "north",
    "65536",
    "1e-17",
    "24",
    "25",
    "1000000000",
    "1e154",
    "-1e-154",
];

/// Bytes that mean something to a reader of tables or of text formats.
const TELLING: &[u8] = b",;|\t\"\"'\n\r .-+eE0123456789aN*=[]{}:#\\\xEF\xBB\xBF\xE9\x80\xFF\x00";

/// Damages a file; whether its first line may be another one now.
pub fn damaged(draw: &mut Draw, name: &str, bytes: &mut Vec<u8>) -> bool {
    let first = first_line(bytes).to_vec();
    // Most damage leaves the form of the file: what breaks it is found by the readers, and nothing behind them is reached.
    match draw.below(4) {
        0 => (0..=draw.below(4)).for_each(|_| once(draw, bytes)),
        _ if name.ends_with(".csv") => (0..=draw.below(5)).for_each(|_| in_shape(draw, bytes)),
        _ => (0..=draw.below(3)).for_each(|_| another_number(draw, bytes)),
    }
    first_line(bytes) != first
}

/// A cell, a column or a record becomes another one, the table stays a table.
fn in_shape(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let value = draw.of(&CELLS[..]).as_bytes().to_vec();
    let (column, record) = (draw.below(7), 1 + draw.below(24));
    let other = draw.of(&CELLS[..]).as_bytes().to_vec();
    match draw.below(10) {
        0 => each_cell(bytes, |line, place, cell| {
            if line > 0 && place == column {
                value.clone()
            } else {
                cell
            }
        }),
        1 => each_cell(bytes, |line, place, cell| {
            match line > 0 && place == column {
                true if line % 2 == 0 => value.clone(),
                true => other.clone(),
                false => cell,
            }
        }),
        2 => each_cell(
            bytes,
            |line, _, cell| if line == record { value.clone() } else { cell },
        ),
        3 => without_a_column(draw, bytes),
        _ => each_cell(bytes, |line, place, cell| {
            if line == record && place == column {
                value.clone()
            } else {
                cell
            }
        }),
    }
}

/// A number becomes another one, as texts of JSON and TOML have them.
fn another_number(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let is_part = |byte: u8| byte.is_ascii_digit() || b".-+eE".contains(&byte);
    let starts: Vec<usize> = (1..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && b" :[,=-".contains(&bytes[at - 1]))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[draw.below(starts.len())];
    let length = bytes[start..]
        .iter()
        .take_while(|&&byte| is_part(byte))
        .count();
    let number = draw.of(&[
        "0",
        "1",
        "2",
        "3",
        "7",
        "0.5",
        "1e308",
        "1e-320",
        "4294967295",
        "4294967296",
        "18446744073709551615",
        "1e16",
        "1000000",
        "null",
        "24",
        "25",
        "\"x\"",
        "1e-9",
    ]);
    bytes.splice(start..start + length, number.bytes());
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes
        .split(|&byte| byte == b'\n' || byte == b'\r')
        .next()
        .unwrap_or_default()
}

fn once(draw: &mut Draw, bytes: &mut Vec<u8>) {
    match draw.below(20) {
        0 => bytes.clear(),
        1 => bytes.truncate(first_line(bytes).len() + 1),
        2 => {
            // One record, or two.
            let kept = 2 + draw.below(2);
            *bytes = lines(bytes).into_iter().take(kept).flatten().collect();
        }
        3 => drop(bytes.splice(0..0, *b"\xEF\xBB\xBF")),
        4 => repeat_a_name(draw, bytes),
        5 | 6 => without_a_column(draw, bytes),
        7 => {
            let (from, to) = draw
                .of(&[
                    &(b',', b';'),
                    &(b',', b'\t'),
                    &(b'.', b','),
                    &(b'\n', b'\r'),
                ])
                .to_owned();
            let from_line = draw.below(4);
            let mut line = 0;
            for byte in bytes.iter_mut() {
                line += usize::from(*byte == b'\n');
                if *byte == from && line >= from_line {
                    *byte = to;
                }
            }
        }
        8 | 9 => {
            let mut all = lines(bytes);
            if !all.is_empty() {
                let at = draw.below(all.len());
                match draw.below(3) {
                    0 => drop(all.remove(at)),
                    1 => all.insert(at, all[at].clone()),
                    _ => all.insert(at, b"\n".to_vec()),
                }
            }
            *bytes = all.concat();
        }
        10..=14 => another_word(draw, bytes),
        15 => {
            // One column of numbers gets the same value everywhere.
            let value = draw.of(&STRANGE[..]);
            let column = draw.below(7);
            each_cell(bytes, |line, place, cell| {
                if line > 0 && place == column {
                    value.into()
                } else {
                    cell
                }
            });
        }
        _ => a_byte(draw, bytes),
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

fn each_cell(bytes: &mut Vec<u8>, change: impl Fn(usize, usize, Vec<u8>) -> Vec<u8>) {
    let mut out = Vec::new();
    for (line, text) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let end = text
            .iter()
            .position(|byte| b"\r\n".contains(byte))
            .unwrap_or(text.len());
        let cells: Vec<Vec<u8>> = text[..end]
            .split(|byte| b",;\t".contains(byte))
            .enumerate()
            .map(|(place, cell)| change(line, place, cell.to_vec()))
            .collect();
        out.extend(cells.join(&b","[..]));
        out.extend(&text[end..]);
    }
    *bytes = out;
}

fn without_a_column(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let column = draw.below(6);
    let mut out = Vec::new();
    for text in bytes.split_inclusive(|&byte| byte == b'\n') {
        let mut cells: Vec<&[u8]> = text.split(|&byte| byte == b',').collect();
        if column + 1 < cells.len() {
            cells.remove(column);
        }
        out.extend(cells.join(&b","[..]));
    }
    *bytes = out;
}

fn repeat_a_name(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let end = first_line(bytes).len();
    let mut names: Vec<Vec<u8>> = bytes[..end]
        .split(|&byte| byte == b',')
        .map(<[u8]>::to_vec)
        .collect();
    let (to, from) = (draw.below(names.len()), draw.below(names.len()));
    names[to] = names[from].clone();
    bytes.splice(..end, names.join(&b","[..]));
}

/// A word or number, wherever it stands, becomes a strange one.
fn another_word(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || b".-+_".contains(&byte) || byte >= 0x80;
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| is_word(bytes[at]) && (at == 0 || !is_word(bytes[at - 1])))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[draw.below(starts.len())];
    let length = bytes[start..]
        .iter()
        .take_while(|&&byte| is_word(byte))
        .count();
    let word = draw.of(&STRANGE[..]).bytes();
    bytes.splice(start..start + length, word);
}

fn a_byte(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let (at, other) = (draw.below(bytes.len() + 1), draw.below(bytes.len() + 1));
    let byte = TELLING[draw.below(TELLING.len())];
    let (from, to) = (at.min(other), at.max(other));
    match draw.below(5) {
        0 if at < bytes.len() => bytes[at] = byte,
        1 if at < bytes.len() => bytes[at] ^= 1 << draw.below(8),
        2 if to - from < bytes.len() / 3 => drop(bytes.drain(from..to)),
        3 if to - from < bytes.len() / 3 => {
            let again = bytes[from..to].to_vec();
            bytes.splice(from..from, again);
        }
        _ => bytes.insert(at, byte),
    }
}
