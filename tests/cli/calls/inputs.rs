//! The files that are damaged: small tables, and everything that the program itself makes of them.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use super::draw::Draw;

/// Cells that must not be found outside of the tables: a name, an amount.
const CELLS: [&str; 2] = ["Qzwxcell", "738194.62"];

/// Whether a text has one of these cells, in any spelling of the decimal mark.
pub fn names_a_cell(text: &str) -> bool {
    CELLS.iter().any(|cell| text.contains(cell)) || text.contains("738194")
}

/// Files by name.
pub struct Inputs(BTreeMap<String, Vec<u8>>);

/// What the program makes once, from whole files: all of it must succeed.
const MADE: [&str; 25] = [
    "mask rankswap --p 20 --seed 1 --keep-identifiers --statement rankswap.sdc.json -o rankswap.csv a.csv",
    "mask noise --level 0.1 --seed 1 --keep-identifiers --statement noise.sdc.json -o noise.csv a.csv",
    "mask microagg --k 3 --attributes age,income,tax --keep-identifiers --statement microagg.sdc.json --partition partition.csv -o microagg.csv a.csv",
    "mask fuzzy --k 3 --m1 1.2 --m2 1.2 --seed 1 --attributes income,tax --keep-identifiers --statement fuzzy.sdc.json --centres centres.csv -o fuzzy.csv a.csv",
    "mask pbuckets --p 4 --seed 1 --keep-identifiers --statement pbuckets.sdc.json -o pbuckets.csv a.csv",
    "mask pdistribution --p 20 --seed 1 --keep-identifiers --shuffle key.csv --statement pdistribution.sdc.json -o pdistribution.csv a.csv",
    "mask ipso --variant a --attributes income,tax --confidential age,class --keep-identifiers --statement ipso.sdc.json -o ipso.csv a.csv",
    "mask recode --rules recode.toml --keep-identifiers --statement recode.sdc.json -o recode.csv a.csv",
    "mask suppress --rules suppress.toml --keep-identifiers --statement suppress.sdc.json -o suppress.csv a.csv",
    "mask pram --keep 0.7 --invariant --strata class --attributes region --seed 1 --keep-identifiers --statement pram.sdc.json -o pram.csv a.csv",
    "link --method wm --known income,tax --time-limit 5 --weights wm.json --certificate wm-proof.json -o wm-link.json --format json a.csv noise.csv",
    "link --method ci --known age,income,tax --weights ci.json --certificate ci-proof.json -o ci-link.json --format json a.csv noise.csv",
    "link --method sb-nc --known income,tax --weights sb.json --certificate sb-proof.json -o sb-link.json --format json a.csv noise.csv",
    "link --method am,md0,gower,prl,rsld,likelihood --statement rankswap.sdc.json --format json -o link.json a.csv rankswap.csv",
    "loss --clusters 3 --classify class --format json -o loss.json a.csv noise.csv",
    "risk --key region,class --confidential tax --format json -o risk.json a.csv noise.csv",
    "score --p 20 --format json -o score.json a.csv rankswap.csv",
    "evaluate --format json -o evaluate.json plan.toml",
    "evaluate --shard 1/1 -o part.json plan.toml",
    "match-attributes --format json -o match.json a.csv b.csv",
    "guess --format json -o guess.json a.csv rankswap.csv",
    "describe a.csv",
    "explain --format json -o explain.json wm.json",
    "verify --format json -o verify.json wm-proof.json a.csv noise.csv",
    "report -o page.html link.json loss.json risk.json score.json evaluate.json rankswap.sdc.json",
];

const PLAN: &str = r#"original = "a.csv"
attributes = "age,income,tax"
known = "sweep:2"
repeats = 2
seed = 1
attacks = ["rsld", "am", { method = "prl", assign = "one-to-one" }, { method = "wm", time-limit = 1 }]
losses = ["il", "sse_sst"]
risks = ["interval_disclosure_rank"]
[[mask]]
method = "rankswap"
p = [10, 20]
[[mask]]
method = "microagg"
k = [3]
[[published]]
source = "here"
"#;

const ROLES: &str = "identifier = ['id']\nquasi-identifier = ['age', 'region']\nconfidential = ['tax']\n\
                     continuous = ['income']\nordinal = ['class']\n[missing]\nage = [99, 'unknown']\n[file]\nna = ['NA', '']\n";

const RECODE: &str = "[age]\nbottom = 20\ntop = 70\ntop-label = '70+'\n[income]\nbreaks = [0, 1000, 5000]\n\
                      [region.groups]\n'east or west' = ['east', 'west']\n[class]\nround = 2\n";

const CROSS: &str = "[place]\njoin = ['region', 'class']\nseparator = '-'\n[first]\nof = 'region'\ncharacters = [1, 2]\n\
                     [age]\nround = 10\n";

const MATRIX: &str = "0;1;2;3;4\n0,7;0,1;0,1;0,1;0\n0;0,5;0,5;0;0\n0,25;0,25;0,25;0,25;0\n0;0;0;0,125;0,875\n0;0;0;0;1\n";

const SUPPRESS: &str =
    "k = 2\nkey = ['region', 'class']\nmissing-matches = 'any'\n[importance]\nclass = 5\n";

impl Inputs {
    /// Makes the files in this folder.
    pub fn new(program: &Path, folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let texts = [
            ("a.csv", table(1, 24)),
            ("b.csv", table(2, 15)),
            (
                "plan.toml",
                PLAN.replace("[[published]]\nsource = \"here\"\n", ""),
            ),
            ("roles.toml", ROLES.into()),
            ("recode.toml", RECODE.into()),
            ("cross.toml", CROSS.into()),
            ("suppress.toml", SUPPRESS.into()),
            ("matrix.csv", MATRIX.into()),
            ("records.txt", "1\n3\n4\n7\n8\n12\n20\n".into()),
        ];
        for (name, text) in &texts {
            fs::write(folder.join(name), text).unwrap();
        }
        for call in MADE {
            let mut words: Vec<&str> = call.split(' ').collect();
            words.push("-q");
            let made = Command::new(program)
                .args(words)
                .current_dir(folder)
                .output()
                .unwrap();
            let complaint = String::from_utf8_lossy(&made.stderr);
            assert!(
                matches!(made.status.code(), Some(0 | 4 | 5)),
                "{call}: {:?}\n{complaint}",
                made.status
            );
        }
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            files.insert(
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            );
        }
        // The same table as other programs write it.
        let text = String::from_utf8(files["a.csv"].clone()).unwrap();
        let continental = text
            .replace(',', ";")
            .replace('.', ",")
            .replace('\n', "\r\n");
        files.insert(
            "c.csv".into(),
            [&b"\xEF\xBB\xBF"[..], continental.as_bytes()].concat(),
        );
        let tabbed = text.replace(',', "\t").replace("region", "r\u{e9}gion");
        files.insert(
            "d.csv".into(),
            tabbed
                .chars()
                .map(|c| u8::try_from(u32::from(c)).unwrap())
                .collect(),
        );
        Self(files)
    }

    pub fn file(&self, name: &str) -> Vec<u8> {
        self.0[name].clone()
    }
}

/// Amounts, codes, names, gaps and weights, with the cells that must stay where they are.
fn table(seed: u64, records: usize) -> String {
    let mut draw = Draw::new(seed);
    let mut text = String::from("id,age,income,tax,region,class,weight\n");
    for record in 1..=records {
        let age = 18 + draw.below(60);
        let income = 500 + draw.below(9000);
        let tax = income / 5 + draw.below(300);
        let region = match record {
            3 | 9 => CELLS[0],
            _ => draw.of(&["north", "east", "south", "west"]),
        };
        let income = match record {
            5 => CELLS[1].into(),
            7 => "NA".into(),
            _ => format!("{income}.{:02}", draw.below(100)),
        };
        let class = draw.below(5);
        let weight = 1 + draw.below(40);
        text += &format!("{record},{age},{income},{tax},{region},{class},{weight}\n");
    }
    text
}
