//! Files that are no tables, and calls that cannot work with the table given.

use super::{Case, GOOD, fails};

/// `describe in.csv` of a file that is no table.
fn broken_file(
    name: &'static str,
    content: impl AsRef<[u8]>,
    status: i32,
    says: &'static str,
) -> Case {
    fails(name, "describe in.csv", status, says).file("in.csv", content)
}

fn utf16(text: &str, mark: bool) -> Vec<u8> {
    let units = mark
        .then_some(0xFEFF)
        .into_iter()
        .chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub fn cases() -> Vec<Case> {
    let ragged = |record: &str| GOOD.replace("geheim03,29,31000,3.25,Hull,7", record);
    let cut_gzip = gzip(GOOD.as_bytes());
    let cut_zstd = zstd::encode_all(GOOD.as_bytes(), 1).unwrap();
    vec![
        broken_file(
            "empty file",
            "",
            3,
            "sdcrisk: in.csv: the file holds no table: it is empty",
        ),
        broken_file(
            "only a BOM",
            b"\xEF\xBB\xBF",
            3,
            "in.csv: the file holds no table",
        ),
        broken_file(
            "only blank lines",
            "\n\r\n\n",
            3,
            "in.csv: the file holds no table",
        ),
        fails(
            "empty standard input",
            "describe -",
            3,
            "standard input: the file holds no table",
        ),
        fails(
            "empty masked file",
            "link --method am good.csv in.csv",
            3,
            "in.csv: the file holds",
        )
        .file("in.csv", ""),
        fails(
            "header only, masked",
            "mask rankswap --window 1 in.csv",
            3,
            "in.csv: has no records",
        )
        .file("in.csv", "a,b\n"),
        fails(
            "header only, linked",
            "link --method am good.csv in.csv",
            3,
            "in.csv: has no records",
        )
        .file("in.csv", "person,age,income\n"),
        broken_file(
            "a short record",
            ragged("geheim03,29"),
            3,
            "in.csv, line 4: this record has 2 cells, the first has 6",
        ),
        broken_file(
            "a long record",
            ragged("geheim03,29,31000,3.25,Hull,7,918273645"),
            3,
            "in.csv, line 4: this record has 7 cells, the first has 6",
        ),
        broken_file(
            "a short record after a quoted line end",
            "a,b\n\"geheim\n1\",2\n918273645\n",
            3,
            "in.csv, line 4: this record has 1 cell, the first has 2",
        ),
        broken_file(
            "trailing delimiter in records only",
            "a,b\n1,918273645,\n2,3,\n",
            3,
            "in.csv, line 2: this record has 3 cells, the first has 2",
        ),
        broken_file(
            "a title above the table",
            "Survey of geheim\na,b,c\n1,2,918273645\n3,4,5\n",
            3,
            "in.csv, line 2: this record has 3 cells, the first has 1 cell",
        ),
        broken_file(
            "unclosed quote",
            "a,b\n1,\"geheim\n2,918273645\n",
            3,
            "in.csv, line 2: a quoted cell begins here and is never closed",
        ),
        broken_file(
            "text after a closing quote",
            "a,b\n1,\"geheim\"918273645\n",
            3,
            "in.csv, line 2: text follows the closing quote of a cell",
        ),
        broken_file(
            "zero byte",
            "a,b\n1,918273645\n2,ge\0heim\n".to_owned() + &"3,4\n".repeat(9),
            3,
            "in.csv, line 3: a zero byte",
        ),
        broken_file(
            "UTF-16 with mark, cut off",
            utf16(GOOD, true).split_last().unwrap().1,
            3,
            "in.csv: the file begins as UTF-16 does, and is damaged",
        ),
        broken_file(
            "UTF-16 without mark",
            utf16(GOOD, false),
            3,
            "in.csv: the file looks like UTF-16",
        ),
        broken_file(
            "a spreadsheet",
            b"PK\x03\x04\x14\0\0\0\x08\0geheim",
            3,
            "in.csv: the file is a spread",
        ),
        fails(
            "cut gzip file",
            "describe in.csv.gz",
            3,
            "in.csv.gz: is compressed, but cannot be",
        )
        .file("in.csv.gz", &cut_gzip[..cut_gzip.len() / 2]),
        fails(
            "cut zstd file",
            "describe in.csv.zst",
            3,
            "in.csv.zst: is compressed, but cannot be",
        )
        .file("in.csv.zst", &cut_zstd[..cut_zstd.len() / 2]),
        fails("gzip that is none", "describe in.csv.gz", 3, "in.csv.gz: ")
            .file("in.csv.gz", b"\x1f\x8bgeheim 918273645"),
        fails(
            "no such file",
            "describe nofile.csv",
            1,
            "nofile.csv: cannot read it: there is no such",
        ),
        fails(
            "input is a folder",
            "describe .",
            if cfg!(feature = "parquet") { 3 } else { 1 },
            if cfg!(feature = "parquet") {
                "./good.csv: is no Parquet file"
            } else {
                ".: cannot read it: it is a folder"
            },
        ),
        fails(
            "stated UTF-8 is not",
            "describe --encoding utf-8 in.csv",
            3,
            "in.csv, line 3: the bytes of this line are not UTF-8",
        )
        .file("in.csv", b"a,b\n1,2\nJos\xE9 geheim,918273645\n"),
        fails(
            "wrong delimiter: nothing to mask",
            "mask rankswap --window 1 --delimiter ; good.csv",
            3,
            "good.csv: has identifiers only: nothing would be left in the masked file",
        ),
        fails(
            "wrong delimiter: ragged",
            "describe --delimiter , in.csv",
            3,
            "in.csv, line 2: this record has 2 cells, the first has 1 cell",
        )
        .file("in.csv", "a;b\n1,5;918273645\n2,5;3\n"),
        fails(
            "all missing, masked",
            "mask rankswap --window 1 in.csv",
            3,
            "has no attribute that rankswap",
        )
        .file("in.csv", "a,b\nNA,\n.,*\n"),
        fails(
            "all constant, linked",
            "link --method am in.csv in2.csv",
            3,
            "share no attribute",
        )
        .file("in.csv", "a,b\n918273645,5\n918273645,5\n")
        .file("in2.csv", "a,b\n918273645,5\n918273645,5\n"),
        fails(
            "one record, linked",
            "link --method am in.csv in2.csv",
            3,
            "share no attribute",
        )
        .file("in.csv", "a,b\n918273645,5\n")
        .file("in2.csv", "a,b\n918273645,5\n"),
        fails(
            "only text of one kind, linked",
            "link --method am in.csv in2.csv",
            3,
            "share no attribute",
        )
        .file("in.csv", "town,sex\ngeheim,f\ngeheim,f\n")
        .file("in2.csv", "town,sex\ngeheim,f\ngeheim,f\n"),
    ]
}
