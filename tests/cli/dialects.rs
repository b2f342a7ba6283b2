//! In every dialect, what is not masked is written back byte for byte, and masked cells in the one spelling of their attribute.

use crate::sandbox::Sandbox;

/// A file as its parts: what stands before and after the cell of `income` in each record.
struct File {
    name: &'static str,
    start: Vec<u8>,
    records: Vec<[Vec<u8>; 3]>,
    options: &'static str,
}

impl File {
    fn new(
        name: &'static str,
        start: &[u8],
        options: &'static str,
        records: &[[&[u8]; 3]],
    ) -> Self {
        Self {
            name,
            start: start.to_vec(),
            options,
            records: records
                .iter()
                .map(|record| record.map(<[u8]>::to_vec))
                .collect(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let records = self.records.iter().flat_map(|record| record.concat());
        self.start.iter().copied().chain(records).collect()
    }

    /// The cells of `income`, each one of `known`, in a file that must agree with this one everywhere else.
    #[track_caller]
    fn incomes(&self, masked: &[u8], known: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut rest = masked
            .strip_prefix(self.start.as_slice())
            .unwrap_or_else(|| panic!("{}: the start differs: {}", self.name, show(masked)));
        let mut incomes = Vec::new();
        for [before, _, after] in &self.records {
            rest = rest
                .strip_prefix(before.as_slice())
                .unwrap_or_else(|| panic!("{}: differs before income: {}", self.name, show(rest)));
            let end = known
                .iter()
                .filter(|income| {
                    rest.starts_with(income) && rest[income.len()..].starts_with(after)
                })
                .map(Vec::len)
                .max()
                .unwrap_or_else(|| panic!("{}: no such income: {}", self.name, show(rest)));
            incomes.push(rest[..end].to_vec());
            rest = &rest[end + after.len()..];
        }
        assert!(
            rest.is_empty(),
            "{}: more at the end: {}",
            self.name,
            show(rest)
        );
        incomes
    }
}

fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn files() -> Vec<File> {
    vec![
        File::new(
            "semicolons, decimal commas, CRLF, BOM, quotes, blanks",
            b"\xEF\xBB\xBF\"town\";income;\"rate \"\"net\"\"\"\r\n",
            "",
            &[
                [b"\"M\xC3\xA1laga; Sur\";", b"1200,50", b";\"0,10\"\r\n"],
                [b"Le\xC3\xB3n;", b"900", b"; 1,5 \r\n"],
                [b"\"two\r\nlines\";", b" 17,0", b";2,50\r\n"],
                [b"\"\";", b"\"4,25\"", b";\r\n"],
            ],
        ),
        File::new(
            "Windows-1252, comma, no line end at the end",
            b"caf\xE9,income,zip\n",
            "",
            &[
                [b"M\xFCnchen,", b"1.50", b",00501\n"],
                [b"\x80uro,", b"2", b",01010\n"],
                [b"K\xF6ln,", b"3e2", b",9007199254740993"],
            ],
        ),
        File::new(
            "tab, CR, missing cells",
            b"a\tincome\tb\r",
            "",
            &[
                [b"x y\t", b"10", b"\tNA\r"],
                [b"\t", b"20", b"\t.\r"],
                [b"z\t", b"30", b"\t*\r"],
            ],
        ),
        File::new(
            "bar, mixed line ends, blank lines",
            b"a|income|b\n",
            "",
            &[
                [b"\"q|q\"|", b"-1.0", b"|1\r\n"],
                [b"p|", b"+2", b"|2\n\n"],
                [b"r|", b".5", b"|3\n"],
            ],
        ),
        File::new(
            "thousands marks, stated",
            b"a;income;b\n",
            "--thousands-mark . --decimal-mark ,",
            &[
                [b"1.000;", b"1.234.567,80", b";1.000,0\n"],
                [b"2.000;", b"12.345", b";x\n"],
                [b"3.000;", b"7", b";y\n"],
            ],
        ),
        File::new(
            "a line that states the delimiter, duplicate and empty names",
            b"sep=;\nx;income;x;\n",
            "",
            &[
                [b"1;", b"5", b";2;3\n"],
                [b"4;", b"6", b";5;6\n"],
                [b"7;", b"7", b";8;\n"],
            ],
        ),
        File::new(
            "no header",
            b"",
            "--no-header --attributes V2",
            &[
                [b"1,", b"5.5", b",a\n"],
                [b"2,", b"6.5", b",b\n"],
                [b"3,", b"7.5", b",c\n"],
            ],
        ),
    ]
}

#[test]
fn all_but_the_masked_attribute_is_byte_identical() {
    for file in files() {
        let sandbox = Sandbox::new();
        sandbox.write("in.csv", file.bytes());
        let attributes = if file.options.contains("--attributes") {
            ""
        } else {
            "--attributes income"
        };
        // The sign and the leading zero of a code are for a roles file to allow.
        sandbox.write("roles.toml", "continuous = ['income']");
        let roles = match attributes {
            "" => "",
            _ => "--roles roles.toml",
        };
        let masked = sandbox
            .run(&format!(
                "mask rankswap --window 1 {attributes} {roles} {} in.csv",
                file.options
            ))
            .ended(0);
        let originals: Vec<Vec<u8>> = match file.name {
            // Two cells end in no zero, two have two decimals: with two decimals all are written alike. No quotes, as most.
            "semicolons, decimal commas, CRLF, BOM, quotes, blanks" => {
                vec![
                    b"1200,50".to_vec(),
                    b"900,00".to_vec(),
                    b"17,00".to_vec(),
                    b"4,25".to_vec(),
                ]
            }
            "Windows-1252, comma, no line end at the end" => {
                vec![b"1.50".to_vec(), b"2.00".to_vec(), b"300.00".to_vec()]
            }
            "bar, mixed line ends, blank lines" => {
                vec![b"-1.0".to_vec(), b"2.0".to_vec(), b".5".to_vec()]
            }
            "thousands marks, stated" => {
                vec![b"1.234.567,8".to_vec(), b"12.345".to_vec(), b"7".to_vec()]
            }
            _ => file
                .records
                .iter()
                .map(|[_, income, _]| income.clone())
                .collect(),
        };
        let incomes = file.incomes(&masked.stdout, &originals);
        assert_ne!(incomes, originals, "{}: nothing was swapped", file.name);
        let sorted = |mut cells: Vec<Vec<u8>>| {
            cells.sort();
            cells
        };
        assert_eq!(sorted(incomes), sorted(originals), "{}", file.name);
    }
}

#[test]
fn describe_says_how_each_dialect_was_read() {
    for (file, facts) in files().iter().zip([
        [
            "delimiter ;",
            "decimal mark ,",
            "encoding utf-8",
            "line ends CRLF",
        ],
        [
            "delimiter ,",
            "decimal mark .",
            "encoding windows-1252",
            "line ends LF",
        ],
        [
            "delimiter tab",
            "decimal mark .",
            "encoding utf-8",
            "line ends CR",
        ],
        [
            "delimiter |",
            "decimal mark .",
            "encoding utf-8",
            "line ends mixed",
        ],
        [
            "delimiter ;",
            "decimal mark ,",
            "thousands mark .",
            "line ends LF",
        ],
        ["delimiter ;", "the first line states it", "V4", "x_2"],
        ["delimiter ,", "header line no", "V1", "V3"],
    ]) {
        let sandbox = Sandbox::new();
        sandbox.write("in.csv", file.bytes());
        let options = file
            .options
            .split(" --attributes")
            .next()
            .unwrap_or_default();
        let said = sandbox
            .run(&format!("describe {options} in.csv"))
            .ended(0)
            .text();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for fact in facts {
            assert!(
                said.contains(fact),
                "{}: {fact} is not in\n{said}",
                file.name
            );
        }
        let records = format!("in.csv: {} records", file.records.len());
        assert!(said.starts_with(&records), "{}: {said}", file.name);
    }
}

/// A file and its copy in another dialect hold the same numbers, so an attack finds the same.
#[test]
fn a_copy_in_another_dialect_gives_the_same_figures() {
    let census =
        String::from_utf8(include_bytes!("../../data/synthetic-census.csv").to_vec()).unwrap();
    let sandbox = Sandbox::with(&[("in.csv", &census)]);
    sandbox
        .run("mask rankswap --p 3 --seed 6 -o m.csv in.csv")
        .ended(0);
    let foreign = |text: &str| -> Vec<u8> {
        let lines = text
            .lines()
            .map(|line| line.replace(',', ";").replace('.', ",") + "\r\n");
        lines
            .collect::<String>()
            .replacen("region", "regi\u{f3}n", 1)
            .chars()
            .map(|c| c as u8)
            .collect()
    };
    sandbox.write("in2.csv", foreign(&census));
    sandbox.write("m2.csv", foreign(&sandbox.text("m.csv")));
    let results = |files: &str| {
        sandbox
            .run(&format!(
                "link --method am,rsld --p 3 --known income,tax,age --format json {files}"
            ))
            .ended(0)
            .json()["results"]
            .clone()
    };
    assert_eq!(results("in.csv m.csv"), results("in2.csv m2.csv"));
    sandbox
        .run("mask rankswap --p 3 --seed 6 -o again.csv in2.csv")
        .ended(0);
    assert!(sandbox.read("again.csv") == sandbox.read("m2.csv"));
}
