//! The two encodings that are read, and how a file that is neither is told apart.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use rayon::prelude::*;

use crate::error::{Error, Result};

/// How the characters of a file are written as bytes.
///
/// Both hold ASCII as it is, so the bytes of a file are never converted: a cell is decoded when its text is
/// asked for, and what no method touched is written back byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8 (and so also ASCII).
    #[serde(rename = "utf-8")]
    Utf8,
    /// Windows-1252, which agrees with ISO-8859-1 on every letter.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

impl Encoding {
    /// The word used in files, options and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// The text of these bytes of a file.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Windows1252 => {
                encoding_rs::WINDOWS_1252
                    .decode_without_bom_handling(bytes)
                    .0
            }
        }
    }

    /// The bytes of this text, or `None` if the encoding lacks one of its characters.
    pub(super) fn encode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Utf8 => Some(text.as_bytes().to_vec()),
            Self::Windows1252 => {
                let (bytes, _, lossy) = encoding_rs::WINDOWS_1252.encode(text);
                (!lossy).then(|| bytes.into_owned())
            }
        }
    }
}

/// The bytes that a UTF-8 file may begin with.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What the marks at the start of a UTF-16 file are called.
fn utf_16(bytes: &[u8]) -> Option<(&'static encoding_rs::Encoding, &'static str)> {
    match bytes {
        // That of UTF-32.
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some((encoding_rs::UTF_16LE, "little endian")),
        [0xFE, 0xFF, ..] => Some((encoding_rs::UTF_16BE, "big endian")),
        _ => None,
    }
}

/// The text of a file that begins with the mark of UTF-16, in UTF-8 and without the mark, and which UTF-16 it was; `None` for any other file.
///
/// A table is text of its file with marks where its cells are, and both need ASCII to be single bytes.
///
/// # Errors
/// It is not UTF-16 all along, or is stated to be something else than UTF-16 or UTF-8.
pub(super) fn from_utf_16(
    bytes: &[u8],
    stated: Option<Encoding>,
) -> Result<Option<(Vec<u8>, &'static str)>> {
    let Some((encoding, order)) = utf_16(bytes) else {
        return Ok(None);
    };
    if stated == Some(Encoding::Windows1252) {
        return Err(
            Error::input("the file begins as UTF-16 does, and windows-1252 is stated")
                .remedy("Leave the encoding out"),
        );
    }
    // Two bytes become three at most.
    crate::memory::check(
        "a file converted from UTF-16",
        bytes.len() as u128 * 5,
        1,
        "Convert it to UTF-8 first",
    )?;
    match encoding.decode_without_bom_handling_and_without_replacement(&bytes[2..]) {
        Some(text) => Ok(Some((text.into_owned().into_bytes(), order))),
        None => Err(
            Error::input("the file begins as UTF-16 does, and is damaged or cut off")
                .remedy("Export the table again, if possible as UTF-8"),
        ),
    }
}

/// Which encoding the file has, and why.
///
/// # Errors
/// The bytes hold a zero byte (UTF-16 without its mark, a compressed file, no text at all), or are not of the encoding `stated`.
pub(super) fn detect(bytes: &[u8], stated: Option<Encoding>) -> Result<(Encoding, String)> {
    refuse_binary(bytes)?;
    let is_ascii = bytes.par_chunks(LOOK).all(<[u8]>::is_ascii);
    let invalid = if is_ascii {
        None
    } else {
        std::str::from_utf8(bytes).err()
    };
    match (stated, invalid) {
        (Some(Encoding::Utf8), Some(invalid)) => {
            Err(Error::input("the bytes of this line are not UTF-8")
                .at_line(1 + line_ends(&bytes[..invalid.valid_up_to()]))
                .remedy("State the encoding of the file, for example --encoding windows-1252"))
        }
        (Some(encoding), _) => Ok((encoding, "stated".to_owned())),
        (None, None) if bytes.starts_with(BOM) => Ok((
            Encoding::Utf8,
            "the file begins with the UTF-8 mark".to_owned(),
        )),
        (None, None) if is_ascii => Ok((
            Encoding::Utf8,
            "every byte is ASCII, the same in both encodings".to_owned(),
        )),
        (None, None) => Ok((
            Encoding::Utf8,
            "every byte sequence is valid UTF-8".to_owned(),
        )),
        (None, Some(invalid)) => Ok((
            Encoding::Windows1252,
            format!(
                "line {} holds bytes that are not UTF-8",
                1 + line_ends(&bytes[..invalid.valid_up_to()])
            ),
        )),
    }
}

/// Bytes that one thread looks at in one go.
const LOOK: usize = 1 << 20;

fn refuse_binary(bytes: &[u8]) -> Result<()> {
    const CONVERT: &str = "Convert it first: iconv -f UTF-16 -t UTF-8 IN.csv > OUT.csv";
    if bytes.starts_with(&[0x1F, 0x8B]) || bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        return Err(Error::input("the file is compressed (gzip or zstd)")
            .remedy("Give it a name that ends in .gz or .zst, or decompress it first"));
    }
    let looked = bytes.par_chunks(LOOK).enumerate();
    let zero = looked
        .filter_map(|(chunk, bytes)| Some(chunk * LOOK + memchr::memchr(0, bytes)?))
        .min();
    let Some(zero) = zero else {
        return Ok(());
    };
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(Error::input("the file is a spreadsheet or a zip archive")
            .remedy("Save the sheet as CSV, or unpack the archive first"));
    }
    let start = &bytes[..bytes.len().min(1_000)];
    if start.iter().filter(|&&byte| byte == 0).count() * 4 >= start.len() {
        return Err(
            Error::input("the file looks like UTF-16 without its mark at the start")
                .remedy(CONVERT),
        );
    }
    Err(
        Error::input("a zero byte: this is not a text file, or it is damaged")
            .at_line(1 + line_ends(&bytes[..zero]))
            .remedy("Export the table again as CSV text"),
    )
}

/// How many lines end in these bytes; CRLF ends one, and so does a CR or LF alone.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_1252_gives_every_byte_back() {
        for byte in 1..=u8::MAX {
            let text = Encoding::Windows1252.decode(&[byte]).into_owned();
            assert_eq!(
                Encoding::Windows1252.encode(&text),
                Some(vec![byte]),
                "byte {byte:#x}"
            );
        }
        assert_eq!(Encoding::Windows1252.decode(b"caf\xE9 \x80"), "café €");
        assert_eq!(Encoding::Windows1252.encode("Ω"), None);
    }

    #[test]
    fn every_kind_of_line_end_ends_one_line() {
        assert_eq!(line_ends(b"a\nb\r\nc\rd"), 3);
        assert_eq!(line_ends(b"\r\r\n\n\r"), 4);
        assert_eq!(line_ends(b""), 0);
    }
}
