//! Parquet files in and out: what is found in them is what is found in CSV.

#[cfg(not(feature = "parquet"))]
mod without {
    use crate::sandbox::Sandbox;

    /// What somebody who has Parquet files reads of a program that was built without: what to do, and nothing is written.
    #[test]
    fn a_program_without_parquet_says_what_to_do() {
        let sandbox = Sandbox::with(&[("good.csv", "a,b\n1,2\n3,4\n5,6\n")]);
        sandbox.write("p.parquet", b"PAR1\x15\x04\x15\x10PAR1");
        sandbox.write("p.csv", sandbox.read("p.parquet"));
        for command in [
            "describe p.parquet",
            "describe p.csv",
            "link --method am good.csv p.csv",
            "mask rankswap --p 50 -o masked.parquet good.csv",
        ] {
            let ran = sandbox.run(command).ended(2);
            let message = "this program was built without Parquet. Build it with 'cargo build --release', without --no-default-features";
            assert!(ran.stderr.contains(message), "{command}: {}", ran.stderr);
            assert_eq!(sandbox.names(), ["good.csv", "p.csv", "p.parquet"]);
        }
    }
}

#[cfg(feature = "parquet")]
mod with {
    use std::{fs, path::Path, process::Command};

    use sdcrisk::table::{ReadOptions, Table};
    use serde_json::Value;

    use crate::sandbox::{PROGRAM, Sandbox};

    /// A CSV file as Parquet.
    fn parquet_of(csv: &[u8]) -> Vec<u8> {
        let table = Table::read("t.csv", csv.to_vec(), &ReadOptions::default()).unwrap();
        let mut bytes = Vec::new();
        table.write_parquet(None, &mut bytes).unwrap();
        bytes
    }

    fn data(name: &str) -> Vec<u8> {
        fs::read(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("data")
                .join(name),
        )
        .unwrap()
    }

    /// A result without what says which files it is of.
    fn result(ran: &crate::sandbox::Ran) -> Value {
        let mut json = ran.json();
        assert!(
            json["provenance"]["files"][0]["sha256"].is_string(),
            "{}",
            ran.command
        );
        json.as_object_mut().unwrap().remove("provenance");
        json
    }

    /// Bundled files and commands on a pair of them: figures, to the last digit, are those of CSV; also where one file is CSV and the other
    /// Parquet.
    #[test]
    fn results_are_those_of_csv() {
        let records = |name: &str, most: usize| {
            let text = String::from_utf8(data(name)).unwrap();
            text.lines()
                .take(1 + most)
                .map(|line| format!("{line}\n"))
                .collect::<String>()
                .into_bytes()
        };
        let census = records("census.csv", 150);
        let masked = {
            let sandbox = Sandbox::new();
            sandbox.write("o.csv", &census);
            sandbox
                .run("mask rankswap --p 5 --seed 1 -o m.csv o.csv")
                .ended(0);
            sandbox.read("m.csv")
        };
        for (original, masked, options) in [
            (&census, &masked, "--method am,prl,rsld --p 5"),
            (
                &data("rank-swapping-original.csv"),
                &data("rank-swapping-masked.csv"),
                "--method am,rsld --p 30",
            ),
            (
                &data("microaggregation-original.csv"),
                &data("microaggregation-masked.csv"),
                "--method am",
            ),
            (
                &data("handbook-swapping-original.csv"),
                &data("handbook-swapping-masked.csv"),
                "--method am",
            ),
            (
                &data("recoding-original.csv"),
                &data("recoding-masked.csv"),
                "--method gower",
            ),
        ] {
            let commands = [
                format!("link {options} --seed 1"),
                "loss".into(),
                "risk".into(),
            ];
            let of = |original: &[u8], masked: &[u8]| {
                let sandbox = Sandbox::new();
                sandbox.write("o", original);
                sandbox.write("m", masked);
                commands.each_ref().map(|command| {
                    let ran = sandbox.run(&format!("{command} --format json o m"));
                    assert!(ran.status == Some(0), "{command}: {}", ran.stderr);
                    result(&ran)
                })
            };
            let csv = of(original, masked);
            let (original_parquet, masked_parquet) = (parquet_of(original), parquet_of(masked));
            for (original, masked) in [
                (&original_parquet, &masked_parquet),
                (original, &masked_parquet),
                (&original_parquet, masked),
            ] {
                // The results are long: which of them differs is said, and not how.
                let equal = csv
                    .iter()
                    .zip(of(original, masked))
                    .map(|(csv, other)| *csv == other);
                assert_eq!(equal.collect::<Vec<_>>(), [true; 3], "{options}");
            }
        }
    }

    /// What a masking draws and writes, its statement, its key and what it says: the same of CSV and of Parquet, as CSV and as Parquet.
    #[test]
    fn maskings_are_those_of_csv() {
        for (file, method) in [
            ("census.csv", "rankswap --p 2"),
            ("inpatients.csv", "pram --keep 0.8"),
            ("enterprises.csv", "microagg --k 3"),
            ("recoding-original.csv", "sample --fraction 60%"),
        ] {
            let sandbox = Sandbox::new();
            sandbox.write("in.csv", data(file));
            sandbox.write("in.parquet", parquet_of(&data(file)));
            let seed = "--seed 7 --shuffle k";
            let mask = |input: &str, output: &str| {
                let command = format!(
                    "mask {method} {seed}-{output}.csv --statement {output}.json -o {output} {input}"
                );
                let said = sandbox.run(&command).ended(0).stderr;
                said.replace(input, "IN").replace(output, "OUT")
            };
            let said = mask("in.csv", "a.csv");
            assert_eq!(said, mask("in.parquet", "b.csv"), "{method}");
            assert_eq!(said, mask("in.parquet", "c.parquet"), "{method}");
            assert_eq!(said, mask("in.csv", "d.parquet"), "{method}");
            assert_eq!(sandbox.text("a.csv"), sandbox.text("b.csv"), "{method}");
            assert_eq!(
                sandbox.read("c.parquet"),
                sandbox.read("d.parquet"),
                "{method}"
            );
            for output in ["b.csv", "c.parquet", "d.parquet"] {
                assert_eq!(
                    sandbox.text("a.csv.json"),
                    sandbox.text(&format!("{output}.json"))
                );
                assert_eq!(
                    sandbox.text("k-a.csv.csv"),
                    sandbox.text(&format!("k-{output}.csv"))
                );
            }
            let back =
                Table::read("c", sandbox.read("c.parquet"), &ReadOptions::default()).unwrap();
            let mut text = Vec::new();
            back.write(&mut text).unwrap();
            assert_eq!(
                String::from_utf8(text).unwrap(),
                sandbox.text("a.csv"),
                "{method}"
            );
        }
    }

    /// A statement and a key of a masking of Parquet lead back to its records; parts of an attack know their inputs by sums.
    #[test]
    fn statements_keys_and_parts() {
        let sandbox = Sandbox::new();
        sandbox.write("in.parquet", parquet_of(&data("census.csv")));
        sandbox.run("mask rankswap --p 2 --seed 1 --shuffle key.csv --statement s.json -o m.parquet in.parquet").ended(0);
        let informed = "link --method rsld --statement s.json --shuffle-key key.csv --format json";
        let whole = sandbox
            .run(&format!("{informed} in.parquet m.parquet"))
            .ended(0);
        // Where the window is that of the masking, every true record is among its candidates: the key leads to it.
        assert_eq!(whole.json()["results"][0]["contains_true"], 1080);
        for part in ["1/2", "2/2"] {
            let name = part.replace('/', "-");
            sandbox
                .run(&format!(
                    "{} --shard {part} -o {name}.json in.parquet m.parquet",
                    informed.replace(" --format json", "")
                ))
                .ended(0);
        }
        let merged = sandbox
            .run("merge --format json 1-2.json 2-2.json")
            .ended(0);
        assert!(result(&merged) == result(&whole), "{}", merged.text());
        // A part of the same records in another file is foreign.
        sandbox.write("in.parquet", data("census.csv"));
        let again = format!(
            "{} --shard 2/2 -o other.json in.parquet m.parquet",
            informed.replace(" --format json", "")
        );
        sandbox.run(&again).ended(0);
        sandbox.run("merge 1-2.json other.json").ended(3);
    }

    /// A masking in parts, of Parquet as of CSV: the same columns, joined as CSV.
    #[test]
    fn maskings_in_parts() {
        let sandbox = Sandbox::new();
        sandbox.write("in.parquet", parquet_of(&data("census.csv")));
        let mask = "mask rankswap --p 2 --seed 1";
        sandbox
            .run(&format!("{mask} -o whole.csv in.parquet"))
            .ended(0);
        for part in ["1/2", "2/2"] {
            let name = part.replace('/', "-");
            sandbox
                .run(&format!("{mask} --shard {part} -o {name}.json in.parquet"))
                .ended(0);
        }
        sandbox
            .run("merge 1-2.json 2-2.json -o merged.csv")
            .ended(0);
        assert_eq!(sandbox.text("merged.csv"), sandbox.text("whole.csv"));
        let refused = sandbox
            .run("merge 1-2.json 2-2.json -o merged.parquet")
            .ended(2);
        assert!(
            refused.stderr.contains("parts are joined as CSV"),
            "{}",
            refused.stderr
        );
    }

    /// A folder as clusters write it, beside the same records in one CSV file.
    #[test]
    fn a_folder_of_parts_is_a_file() {
        let sandbox = Sandbox::new();
        let text = String::from_utf8(data("census.csv")).unwrap();
        let (header, records) = text.split_once('\n').unwrap();
        let records: Vec<&str> = records.lines().collect();
        fs::create_dir_all(sandbox.path("people/region=09")).unwrap();
        fs::create_dir_all(sandbox.path("people/region=01")).unwrap();
        let mut whole = format!("{header},region\n");
        for (region, part) in [("01", &records[..100]), ("09", &records[100..])] {
            for (number, records) in part.chunks(400).enumerate() {
                let lines: String = records.iter().map(|line| format!("{line}\n")).collect();
                let name = format!("people/region={region}/part-{number}.parquet");
                sandbox.write(&name, parquet_of(format!("{header}\n{lines}").as_bytes()));
                whole.extend(records.iter().map(|line| format!("{line},{region}\n")));
            }
        }
        sandbox.write("people/_SUCCESS", "");
        sandbox.write("people/.part.crc", "x");
        sandbox.write("whole.csv", &whole);
        let mask = |input: &str| {
            let ran = sandbox.run(&format!(
                "mask rankswap --p 2 --seed 1 --strata region --statement {input}.json {input}"
            ));
            ran.ended(0).text()
        };
        assert_eq!(mask("people"), mask("whole.csv"));
        assert_eq!(sandbox.text("people.json"), sandbox.text("whole.csv.json"));
        let sum = sandbox.run("risk --format json people").ended(0).json();
        let by_tools = sandbox
            .shell("cd people && sha256sum region=01/* region=09/* | sha256sum")
            .ended(0);
        let sum = sum["provenance"]["files"][0]["sha256"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(by_tools.text().starts_with(&sum), "{}", by_tools.text());
        // Nothing is written among the parts.
        let refused = sandbox
            .run("mask rankswap --p 2 -o people/region=09/masked.parquet people")
            .ended(2);
        assert!(
            refused
                .stderr
                .contains("it is in a folder that this call reads"),
            "{}",
            refused.stderr
        );
        sandbox.write("people/region=09/notes.txt", "x");
        let refused = sandbox.run("describe people").ended(3);
        assert!(
            refused
                .stderr
                .contains("people/region=09/notes.txt: is no Parquet file"),
            "{}",
            refused.stderr
        );
    }

    /// A plan, a recipe of two steps and new names take Parquet, too; and a file that cannot be written leaves what was there.
    #[test]
    fn plans_recipes_and_names() {
        let sandbox = Sandbox::new();
        sandbox.write("in.parquet", parquet_of(&data("census.csv")));
        sandbox.write("in.csv", data("census.csv"));
        sandbox.write(
            "recipe.toml",
            "[[step]]\nmethod = 'rankswap'\np = 2\nattributes = 'AGI'\n[[step]]\nmethod = 'microagg'\nk = 3\nattributes = 'TAXINC'\n",
        );
        for (input, output) in [
            ("in.csv", "a.csv"),
            ("in.parquet", "b.csv"),
            ("in.parquet", "c.parquet"),
        ] {
            sandbox
                .run(&format!("mask recipe.toml --seed 3 -o {output} {input}"))
                .ended(0);
        }
        assert_eq!(sandbox.text("a.csv"), sandbox.text("b.csv"));
        let masked = Table::read("c", sandbox.read("c.parquet"), &ReadOptions::default()).unwrap();
        let mut text = Vec::new();
        masked.write(&mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), sandbox.text("a.csv"));
        sandbox.write(
            "renamed.csv",
            sandbox.text("a.csv").replacen("AGI", "gross", 1),
        );
        sandbox
            .run("match-attributes --rename r.parquet in.parquet renamed.csv")
            .ended(0);
        let renamed = Table::read("r", sandbox.read("r.parquet"), &ReadOptions::default()).unwrap();
        assert!(renamed.find("AGI").is_ok());
        let rows = |bytes: &[u8]| {
            let sandbox = Sandbox::new();
            sandbox.write("in", bytes);
            let mask = "[[mask]]\nmethod = 'rankswap'\np = [2, 5]\n";
            let plan =
                format!("original = 'in'\nknown = 'first:3'\nseed = 1\nattacks = ['am']\n{mask}");
            sandbox.write("plan.toml", plan);
            sandbox
                .run("evaluate --format csv plan.toml")
                .ended(0)
                .text()
        };
        let census = data("census.csv");
        assert_eq!(rows(&parquet_of(&census)), rows(&census));
        sandbox.write("c.parquet", "old");
        sandbox
            .run("mask rankswap --p 2 --drop nothing -o c.parquet in.parquet")
            .ended(2);
        assert_eq!(sandbox.text("c.parquet"), "old");
    }

    /// Options on text have no use where all files are Parquet, and are for the other file where one is; roles are for both.
    #[test]
    fn options_on_text_are_noted() {
        let sandbox = Sandbox::new();
        let csv = "a;b\n1,5;2\n2,5;3\n3,5;9\n";
        sandbox.write("p", parquet_of(csv.as_bytes()));
        sandbox.write("t", csv);
        let ran = sandbox.run("describe --delimiter ; --header p").ended(0);
        for option in ["--delimiter", "--header"] {
            let note = format!("note: {option} has no effect: p is Parquet");
            assert!(ran.stderr.contains(&note), "{}", ran.stderr);
        }
        sandbox.run("describe --strict --delimiter ; p").ended(2);
        let pair = "link --method am --decimal-mark , --strict";
        for (original, masked, status) in [("p", "t", 0), ("t", "p", 0), ("p", "p", 2)] {
            sandbox
                .run(&format!("{pair} {original} {masked}"))
                .ended(status);
        }
        let roles = sandbox.run("roles --init p").ended(0).text();
        assert!(
            roles.contains("# It is Parquet") && !roles.contains("delimiter ="),
            "{roles}"
        );
        sandbox.write("roles.toml", &roles);
        let described = |file: &str| {
            let command = format!("describe --roles roles.toml --format json {file}");
            let json = sandbox.run(&command).ended(0).json();
            ["scale", "role", "minimum", "maximum"].map(|key| json["attributes"][0][key].clone())
        };
        assert_eq!(described("p"), described("t"));
        assert_eq!(
            described("t")[2],
            1.5,
            "the roles file says nothing of marks"
        );
    }

    /// pyarrow, pandas and DuckDB as oracles, where Python has them: `SDCRISK_PYTHON` or `python3`.
    #[test]
    fn other_programs_read_and_write_the_same() {
        let python = std::env::var("SDCRISK_PYTHON").unwrap_or_else(|_| "python3".into());
        let has_them = Command::new(&python)
            .args(["-c", "import pyarrow, pandas, duckdb"])
            .output();
        if !has_them.is_ok_and(|ran| ran.status.success()) {
            println!(
                "SKIPPED: there is no Python with pyarrow, pandas and duckdb (tests/reference/parquet.py)"
            );
            return;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/parquet.py");
        let ran = Command::new(&python)
            .arg(script)
            .arg(PROGRAM)
            .output()
            .unwrap();
        let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(ran.status.success(), "{}{}", said[0], said[1]);
    }
}
