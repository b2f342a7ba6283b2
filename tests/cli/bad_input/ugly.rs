//! Ugly files that must work.

use super::{
    Case,
    End::{Notes, Shows},
    GOOD,
    broken::gzip,
    case,
};

pub fn cases() -> Vec<Case> {
    let describe = |name, content: &[u8], part| {
        case(name, "describe --format json in.csv", Shows(part)).file("in.csv", content)
    };
    let as_text = |name, content: &[u8], part| {
        case(name, "describe in.csv", Shows(part)).file("in.csv", content)
    };
    let masked = |name, options: &str, content: &[u8], part| {
        case(
            name,
            format!("mask rankswap --window 9 {options} in.csv"),
            Shows(part),
        )
        .file("in.csv", content)
    };
    vec![
        describe("header only", b"a,b\n", "\"records\": 0"),
        describe("no trailing line end", b"a,b\n1,2\n3,4", "\"records\": 2"),
        describe(
            "one column",
            b"income\n918273645\n5.5\n2\n",
            "\"records\": 3",
        ),
        describe("one record", b"a,b\n918273645,2\n", "\"records\": 1"),
        describe(
            "all missing",
            b"a,b\nNA,1.5\n.,2.5\n",
            "every cell is missing",
        ),
        as_text("CR line ends", b"a,b\r1,2\r3,4\r", "line ends CR"),
        describe("tab", b"a\tb\n1.5\t2\n", "\"delimiter\": \"\\t\""),
        describe("bar", b"a|b\n1.5|2\n", "\"delimiter\": \"|\""),
        as_text(
            "decimal comma",
            b"a;b\n1,5;2,25\n3,5;4,75\n",
            "decimal mark , so",
        ),
        describe(
            "Windows-1252 name",
            b"a,caf\xE9\n1,2\n",
            "\"name\": \"caf\u{e9}\"",
        ),
        describe("a name twice", b"a,a\n1,2\n", "\"a_2\""),
        describe(
            "a name twice, noted",
            b"a,a\n1,2\n",
            "has a name that another has",
        ),
        describe("a name empty", b"a,\n1,2\n", "has no name in the header"),
        describe(
            "trailing delimiter throughout",
            b"a,b,\n1,2,\n3,4,\n",
            "\"V3\"",
        ),
        describe(
            "a quoted line end",
            b"a,b\n\"x\ny\",2\n\"z\",3\n",
            "\"records\": 2",
        ),
        describe(
            "a quote inside a cell",
            b"a,b\nfive\" pipe,2\nx,3\n",
            "\"records\": 2",
        ),
        describe(
            "blank lines between",
            b"a,b\n\n1,2\n\n\n3,4\n\n",
            "\"records\": 2",
        ),
        describe(
            "inf is text",
            b"a,b\n1.5,2\ninf,3\n2.5,4\n",
            "1 of 3 cells are not numbers",
        ),
        describe(
            "hexadecimal is text",
            b"a,b\n1.5,2\n0x1F,3\n2.5,4\n",
            "1 of 3 cells are not numbers",
        ),
        describe(
            "nan is missing",
            b"a,b\n1.5,2\nnan,3\n2.5,4\n",
            "\"missing\": 1",
        ),
        describe(
            "beyond f64 is text",
            b"a,b\n1.5,2\n1e999,3\n2.5,4\n",
            "1 of 3 cells are not numbers",
        ),
        as_text(
            "thousands marks",
            b"a;b\n1.234.567,5;x\n2.345.678,5;y\n",
            "thousands mark . numbers",
        ),
        describe(
            "leading zeros",
            b"zip,b\n00501,1.5\n01010,2.5\n",
            "codes, not numbers",
        ),
        describe(
            "sep= line",
            b"sep=;\na;b\n1;2\n",
            "the first line states it",
        ),
        describe("no header", b"1.5,-2\n2.5,3\n", "\"V1\""),
        describe("BOM", b"\xEF\xBB\xBFa,b\n1,2\n", "\"name\": \"a\""),
        case(
            "gzip without the name",
            "describe --format json in.csv",
            Shows("\"records\": 10"),
        )
        .file("in.csv", gzip(GOOD.as_bytes())),
        case(
            "wrong delimiter described",
            "describe --delimiter ; good.csv",
            Shows("10 records, 1 attri"),
        ),
        masked(
            "large integers stay",
            "--attributes x",
            b"big,x\n9007199254740993,1\n9007199254740995,2\n",
            "\n9007199254740993,2\n9007199254740995,1\n",
        ),
        masked(
            "leading zeros stay",
            "--attributes x",
            b"zip,x\n00501,1\n01010,2\n",
            "\n00501,2\n01010,1\n",
        ),
        masked(
            "thousands marks stay",
            "--attributes x",
            b"a;x\n1.234,5;1\n12.345,50;2\n",
            "\n1.234,5;2\n12.345,50;1\n",
        ),
        masked(
            "digits stay, blanks and exponents go",
            "",
            b"x\n 1.50\n2.0e0 \n",
            "x\n2.00\n1.50\n",
        ),
        masked("two records", "", b"x\n10\n20\n", "x\n20\n10\n"),
        masked(
            "CR only, masked",
            "",
            b"x,y\r10,a\r20,b\r",
            "x,y\r20,a\r10,b\r",
        ),
        masked(
            "missing stay in place",
            "",
            b"x,y\nNA,a\n10,b\n20,c\n",
            "x,y\nNA,a\n20,b\n10,c\n",
        ),
        case(
            "all constant, masked",
            "mask rankswap --window 1 in.csv",
            Notes("no value changed: all values are equal"),
        )
        .file("in.csv", "a,b\n918273645,x\n918273645,y\n"),
        case(
            "constant is not compared",
            "link --method am good.csv masked.csv",
            Notes("flat is not compared: it has no two different values"),
        ),
        case(
            "names are compared as names",
            "link --method am --known town good.csv masked.csv",
            Shows("by chance"),
        ),
        case(
            "identifier is left out",
            "mask rankswap --window 1 good.csv",
            Notes("person_id is left out of the masked file: identifier"),
        ),
        case(
            "standard input",
            "describe -",
            Shows("standard input: 10 records, 6 attributes"),
        )
        .stdin(GOOD),
    ]
}
