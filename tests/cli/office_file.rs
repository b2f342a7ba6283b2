//! A file as an office has it: what `describe` shows of it, what `mask` refuses, and the roles file that answers.

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// 240 people, three to a household. What is in it, by column: a household number, a day of birth (90 days), a person number with a
/// check separator that two share, an e-mail address of a third of the people (two share one), remarks (80 different), a weight, an income with the code
/// 9999999 (12 times), an age with 99 (24 times), a class with 9, an education in words.
fn office() -> String {
    let mut text = String::from(
        "haushaltsnr;geburtsdatum;svnr;kontakt;bemerkung;gewicht;einkommen;alter;klasse;bildung\n",
    );
    for r in 0..240_u32 {
        let contact = match r % 3 {
            0 => format!("person{}@example.org", r.max(3)),
            _ => String::new(),
        };
        let remark = match r % 3 {
            0 => format!("ist vor {r} Jahren wegen der Arbeit in der Mühle zugezogen"),
            _ => "keine".into(),
        };
        let income = match r % 20 {
            3 => "9999999".into(),
            _ => format!("{},50", 9_000 + r * 6_133 % 9_973),
        };
        text += &format!(
            "{};{:02}.{:02}.19{:02};{:04}-{:06};{contact};{remark};{},25;{income};{};{};{}\n",
            4_000 + r / 3 * 7,
            1 + r % 90 % 28,
            1 + r % 90 % 12,
            40 + r % 90 % 60,
            1_000 + r.max(1) * 37 % 9_000,
            r.max(1) * 4_099,
            1 + r % 7,
            match r % 10 {
                4 => 99,
                _ => 18 + r % 60,
            },
            match r % 30 {
                7 => 9,
                _ => 1 + r % 5,
            },
            ["none", "primary", "secondary", "tertiary"][r as usize % 4],
        );
    }
    text
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[("in.csv", &office())])
}

fn described(sandbox: &Sandbox, options: &str) -> Value {
    let ran = sandbox.run(&format!("describe --format json {options} in.csv"));
    ran.ended(0).json()
}

fn attribute<'a>(described: &'a Value, name: &str) -> &'a Value {
    let all = described["attributes"].as_array().unwrap();
    all.iter().find(|found| found["name"] == name).unwrap()
}

/// The smallest and largest of 9000 + r · 6133 mod 9973 over the r that are kept, by a loop beside the program; 12 of 240 incomes are the code.
#[test]
fn describe_shows_ranges_the_most_frequent_value_and_suspected_codes() {
    let sandbox = sandbox();
    let described = described(&sandbox, "");
    assert_eq!(described["private"], true);
    let incomes = || {
        (0..240_u32)
            .filter(|r| r % 20 != 3)
            .map(|r| 9_000 + r * 6_133 % 9_973)
    };
    let income = attribute(&described, "einkommen");
    assert_eq!(income["minimum"], f64::from(incomes().min().unwrap()) + 0.5);
    assert_eq!(income["maximum"], 9_999_999.0);
    let frequent = &income["most_frequent"];
    assert_eq!(
        (&frequent["value"], &frequent["cells"]),
        (&"9999999".into(), &12.into())
    );
    assert_eq!(frequent["share"], 0.05);
    let suspects = |name: &str| {
        let list = attribute(&described, name)["suspected_missing"]
            .as_array()
            .unwrap();
        list.iter()
            .map(|code| {
                (
                    code["marker"].as_str().unwrap().to_owned(),
                    code["cells"].as_u64().unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(suspects("einkommen"), [("9999999".into(), 12)]);
    assert_eq!(suspects("alter"), [("99".into(), 24)]);
    assert_eq!(suspects("klasse"), [("9".into(), 8)]);
    for name in ["haushaltsnr", "gewicht", "bildung", "svnr"] {
        assert!(suspects(name).is_empty(), "{name}");
    }
    assert_eq!(attribute(&described, "gewicht")["perhaps_weights"], true);
    // Sixty of each word.
    let education = attribute(&described, "bildung");
    assert_eq!(education["most_frequent"]["value"], "none");
    assert_eq!(education["most_frequent"]["share"], 0.25);
    assert_eq!(education["minimum"], Value::Null);
    assert_eq!(
        attribute(&described, "kontakt")["most_frequent"]["cells"],
        2
    );
    // What is stated is no suspicion.
    sandbox.write(
        "na.toml",
        "[missing]\neinkommen = [9999999]\nalter = [99]\nklasse = [9]",
    );
    let stated = self::described(&sandbox, "--roles na.toml");
    for name in ["einkommen", "alter", "klasse"] {
        let attribute = attribute(&stated, name);
        assert_eq!(
            attribute["suspected_missing"],
            Value::Array(Vec::new()),
            "{name}"
        );
    }
    assert_eq!(attribute(&stated, "alter")["maximum"], 77.0);
}

#[test]
fn describe_says_what_is_private_and_the_external_page_has_no_value() {
    let sandbox = sandbox();
    let text = sandbox.run("describe in.csv").ended(0).text();
    assert!(text.contains("it is private"), "{text}");
    assert!(text.contains("9999999 (12 cells)"), "{text}");
    let json = sandbox.run("describe --format json in.csv").ended(0).stdout;
    sandbox.write("d.json", json);
    sandbox.run("report --external -o p.html d.json").ended(0);
    let page = sandbox.text("p.html");
    assert!(
        page.contains("einkommen") && !page.contains("9999999"),
        "{page}"
    );
}

/// The attributes that a refusal says to drop.
fn refused(ran: Ran) -> Vec<String> {
    let ran = ran.ended(3);
    let says = "look as if they identified people";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    // Names and kinds, and nothing that a cell says.
    assert!(!ran.stderr.contains("example.org"), "{}", ran.stderr);
    let (_, after) = ran.stderr.split_once("--drop ").unwrap();
    let (list, _) = after.split_once(", or state").unwrap();
    list.split(',').map(str::to_owned).collect()
}

#[test]
fn mask_refuses_likely_identifiers_until_a_role_is_stated() {
    let sandbox = sandbox();
    let all = [
        "haushaltsnr",
        "geburtsdatum",
        "svnr",
        "kontakt",
        "bemerkung",
    ];
    let mask = |options: &str| {
        sandbox.run(&format!(
            "mask rankswap --p 5 --attributes einkommen {options} -o m.csv in.csv"
        ))
    };
    assert_eq!(refused(mask("")), all);
    assert!(!sandbox.path("m.csv").exists());
    assert_eq!(
        refused(mask("--drop svnr,kontakt")),
        ["haushaltsnr", "geburtsdatum", "bemerkung"]
    );
    mask(&format!("--drop {}", all.join(","))).ended(0);
    mask("--keep-identifiers").ended(0);
    let header = |name: &str| {
        let text = sandbox.text(name);
        text.lines().next().unwrap().to_owned()
    };
    assert!(header("m.csv").contains("svnr"));
    // A role is an answer: identifiers are left out, others stay.
    sandbox.write(
        "roles.toml",
        "identifier = ['haushaltsnr', 'svnr', 'kontakt', 'bemerkung']\nquasi-identifier = ['geburtsdatum']",
    );
    mask("--roles roles.toml").ended(0);
    assert_eq!(
        header("m.csv"),
        "geburtsdatum;gewicht;einkommen;alter;klasse;bildung"
    );
    // It is the same for methods that mask nothing of it, and for plans.
    assert_eq!(
        refused(sandbox.run("mask sample --fraction 0.5 -o s.csv in.csv")),
        all
    );
    sandbox.write("recode.toml", "[klasse]\ntop = 4\n");
    assert_eq!(
        refused(sandbox.run("mask recode --rules recode.toml -o s.csv in.csv")),
        all
    );
    let plan = |drop: &str| {
        format!(
            "original = 'in.csv'\nattacks = ['am']\nlosses = ['il']\n[[mask]]\nmethod = 'rankswap'\np = 5\nattributes = 'einkommen,gewicht'\n{drop}"
        )
    };
    sandbox.write("plan.toml", plan(""));
    assert_eq!(refused(sandbox.run("evaluate --into r plan.toml")), all);
    sandbox.write("plan.toml", plan(&format!("drop = '{}'", all.join(","))));
    sandbox.run("evaluate --into r plan.toml").ended(0);
}

/// Names that a roles file must quote: read by the file that was written, the table is the same but for the reasons.
#[test]
fn a_roles_file_that_was_written_gives_the_same_table() {
    let odd = "a.b,\"say \"\"no\"\"\",größe,größe,,a b,[x],#,x\\y\n";
    let cells: String = (0..30)
        .map(|r| {
            format!(
                "{r}.5,x{},{},{},{},{:02},{},NA,\n",
                r % 3,
                r % 4,
                r,
                r % 7,
                r % 5,
                1 + r
            )
        })
        .collect();
    let euro = "preis;menge\n1.234.567,5;3\n2.345.678,25;4\n";
    let thousands = "a,b\n\"1,234\",5\n\"2,345\",6\n";
    for (name, text, options) in [
        ("office", office(), ""),
        ("odd names", format!("{odd}{cells}"), ""),
        ("no header", cells, "--no-header"),
        ("no header, seen", "1.5,-2\n2.5,3\n".into(), ""),
        ("one attribute", "income\n1\n\n3\nNaN\n".into(), ""),
        ("marks", euro.into(), ""),
        ("ambiguous marks", thousands.into(), ""),
        (
            "stated codes",
            "a,b\n1,-9\n2,\nNaN,3\n".into(),
            "--na ',-9'",
        ),
        (
            "Windows-1252",
            "gr\u{f6}\u{df}e;name\n1;\u{e4}\n".into(),
            "",
        ),
        ("no records", "a,b\n".into(), "--header"),
    ] {
        let bytes = match name {
            "Windows-1252" => text.chars().map(|sign| sign as u8).collect(),
            _ => text.into_bytes(),
        };
        let sandbox = Sandbox::new();
        sandbox.write("in.csv", bytes);
        sandbox
            .run(&format!("roles --init {options} -o roles.toml in.csv"))
            .ended(0);
        let plain = |options: &str| {
            let mut value = described(&sandbox, options);
            value["dialect"]["reasons"].take();
            value["first_line_doubt"].take();
            for attribute in value["attributes"].as_array_mut().unwrap() {
                attribute["scale_reason"].take();
                attribute["role_reason"].take();
            }
            value
        };
        // By the roles file alone: it has what the options said.
        assert_eq!(plain("--roles roles.toml"), plain(options), "{name}");
        // And once more from what was stated.
        sandbox
            .run("roles --init --roles roles.toml -o again.toml in.csv")
            .ended(0);
        assert_eq!(plain("--roles again.toml"), plain(options), "{name}");
    }
}

#[test]
fn a_roles_file_answers_for_nothing_that_nobody_looked_at() {
    let sandbox = sandbox();
    sandbox.run("roles --init -o roles.toml in.csv").ended(0);
    let text = sandbox.text("roles.toml");
    assert!(
        !text.contains("example.org") && !text.contains("Mühle"),
        "{text}"
    );
    assert!(text.contains("# na = [\"9999999\"]"), "{text}");
    let mask = "mask rankswap --p 5 --attributes einkommen --roles roles.toml -o m.csv in.csv";
    assert_eq!(
        refused(sandbox.run(mask)),
        [
            "haushaltsnr",
            "geburtsdatum",
            "svnr",
            "kontakt",
            "bemerkung"
        ]
    );
    // Uncommented, each is an answer.
    sandbox.write(
        "roles.toml",
        text.replace("# role = \"quasi-identifier\"", "role = \"identifier\""),
    );
    sandbox.run(mask).ended(0);
    sandbox.run("roles in.csv").ended(2);
    sandbox.run("roles --init -o in.csv in.csv").ended(2);
}

/// Three lines of title, of which one has a quote and one is blank, above a table that is wrong on line 7.
#[test]
fn lines_above_the_table_are_skipped_and_not_written() {
    let title = "Einkommen 2023; vertraulich\r\nAmt \"Nord, Ost\r\n\r\n";
    let table: String = (0..30)
        .map(|r| format!("{};{},5\r\n", 20 + r % 40, r * r))
        .collect();
    let table = format!("age;income\r\n{table}");
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", format!("\u{feff}{title}{table}"));
    sandbox.write("plain.csv", format!("\u{feff}{table}"));
    sandbox.write("wide.csv", "Einkommen 2023\na;b;c\n1;2;3\n4;5;6\n");
    let ran = sandbox.run("describe wide.csv").ended(3);
    assert!(ran.stderr.contains("--skip-lines"), "{}", ran.stderr);
    let mask = |options: &str, name: &str| {
        let call = format!("mask rankswap --p 20 --seed 1 {options} {name}");
        sandbox.run(&call).ended(0)
    };
    let masked = mask("--skip-lines 3", "in.csv");
    let says = "note: in.csv: the first 3 lines are skipped, and not written";
    assert!(masked.stderr.contains(says), "{}", masked.stderr);
    assert_eq!(masked.stdout, mask("", "plain.csv").stdout);
    assert!(
        masked.text().starts_with("\u{feff}age;income\r\n"),
        "{masked:?}"
    );
    // Nothing of the title where no method touches a cell.
    sandbox.write("recode.toml", "[age]\ntop = 1000\n");
    let recode = "mask recode --rules recode.toml --skip-lines 3 in.csv";
    assert_eq!(
        sandbox.run(recode).ended(0).text(),
        sandbox.text("plain.csv")
    );
    // The masked file has no title to be skipped.
    sandbox.write("m.csv", &masked.stdout);
    sandbox.write("roles.toml", "[file]\nskip-lines = 3\n");
    for options in ["--skip-lines 3", "--roles roles.toml"] {
        sandbox
            .run(&format!("link --method am {options} in.csv m.csv"))
            .ended(0);
    }
    let described = described(&sandbox, "--skip-lines 3");
    assert_eq!(described["dialect"]["skipped_lines"], 3);
    assert_eq!(described["dialect"]["line_end"], "cr-lf");
    // Lines are counted in the file as it is.
    sandbox.write(
        "in.csv",
        format!("{title}age;income\r\n1;2\r\n3;4\r\n5\r\n"),
    );
    let ran = sandbox.run("describe --skip-lines 3 in.csv").ended(3);
    assert!(
        ran.stderr
            .contains("in.csv, line 7: this record has 1 cell"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.run("describe --skip-lines 8 in.csv").ended(3);
    assert!(ran.stderr.contains("the file has 7"), "{}", ran.stderr);
    sandbox.run("describe --skip-lines x in.csv").ended(2);
}

/// The same table in UTF-8 and in UTF-16 of either order: what is masked is the same, in UTF-8 without a mark.
#[test]
fn utf_16_is_read_and_written_as_utf_8() {
    let rows: String = (0..30)
        .map(|r| format!("{};Zoë 𝄞{};{},5\r\n", r + 1, r % 3, r * r))
        .collect();
    let text = format!("Größe;name;income\r\n{rows}");
    let sandbox = Sandbox::with(&[("utf-8.csv", &text)]);
    let bytes = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(order).collect()
    };
    sandbox.write("le.csv", bytes(u16::to_le_bytes));
    sandbox.write("be.csv", bytes(u16::to_be_bytes));
    let mask = |name: &str| {
        let call = format!("mask rankswap --p 20 --seed 1 --attributes income {name}");
        sandbox.run(&call).ended(0)
    };
    let expected = mask("utf-8.csv").stdout;
    for (name, order) in [("le.csv", "little endian"), ("be.csv", "big endian")] {
        let masked = mask(name);
        assert_eq!(masked.stdout, expected, "{name}");
        let says = format!("note: {name}: the file is UTF-16 ({order}): it is written as UTF-8");
        assert!(masked.stderr.contains(&says), "{}", masked.stderr);
        let json = sandbox
            .run(&format!("describe --format json {name}"))
            .ended(0)
            .json();
        assert_eq!(json["dialect"]["encoding"], "utf-8");
        assert_eq!(attribute(&json, "Größe")["role"], "identifier");
        let ran = sandbox
            .run(&format!("describe --encoding windows-1252 {name}"))
            .ended(3);
        assert!(
            ran.stderr.contains("begins as UTF-16 does"),
            "{}",
            ran.stderr
        );
    }
    // A roles file that was written says utf-8, and still reads it.
    sandbox.run("roles --init -o roles.toml le.csv").ended(0);
    sandbox.run("describe --roles roles.toml le.csv").ended(0);
    // What a result says of a file is of the file as it is: the sum of its bytes.
    sandbox.write("m.csv", &expected);
    let link = "link --method am --format json le.csv m.csv";
    let found = sandbox.run(link).ended(0).json();
    let sum = sandbox.shell("sha256sum le.csv | cut -c1-64").text();
    assert_eq!(found["provenance"]["files"][0]["sha256"], sum.trim());
}

/// What `mask` writes, and what attacks, losses and risks find, for a file and the same file with `texts` in the place of the numbers of
/// the attribute `a`: whatever is done must be the same, number for number.
fn agrees_with_numbers(
    numbers: &str,
    stated_numbers: &str,
    texts: &str,
    stated_texts: &str,
    as_text: &dyn Fn(&str) -> String,
    maskings: &[&str],
    matrices: [&str; 2],
) {
    let sandbox = Sandbox::with(&[
        ("n.csv", numbers),
        ("n.toml", stated_numbers),
        ("t.csv", texts),
        ("t.toml", stated_texts),
        ("n-matrix.csv", matrices[0]),
        ("t-matrix.csv", matrices[1]),
    ]);
    for masking in maskings {
        for file in ["n", "t"] {
            let masking = masking.replace("FILE", file);
            sandbox
                .run(&format!(
                    "mask {masking} --roles {file}.toml -o {file}-m.csv {file}.csv"
                ))
                .ended(0);
        }
        let translated: String = (sandbox.text("n-m.csv").lines())
            .map(|line| {
                let (first, rest) = line.split_once(',').unwrap();
                match first {
                    "a" => format!("{line}\n"),
                    _ => format!("{},{rest}\n", as_text(first)),
                }
            })
            .collect();
        assert_eq!(sandbox.text("t-m.csv"), translated, "{masking}");
        let changed = sandbox.text("t-m.csv") != sandbox.text("t.csv");
        assert!(changed, "{masking} changed nothing");
        for call in [
            "link --method am,gower,prl,md0",
            "link --method rsld,likelihood --p 20",
            "loss",
            "risk --key a,b",
        ] {
            let found = |file: &str| {
                let ran = sandbox.run(&format!(
                    "{call} --format json --roles {file}.toml {file}.csv {file}-m.csv"
                ));
                let mut json = ran.ended(0).json();
                json["provenance"].take();
                // Days and places in an order have no totals, signs and zeros; their codes have.
                json["integrity"].take();
                let text = serde_json::to_string_pretty(&json).unwrap();
                text.replace("n.csv", "t.csv").replace("n-m.csv", "t-m.csv")
            };
            assert_eq!(found("n"), found("t"), "{masking}: {call}");
        }
    }
}

/// Four levels of education of 60 people, two of whom did not answer, with ties in all of them; written in words and as codes.
#[test]
fn ordered_text_is_what_codes_are() {
    let levels = ["none", "lower, secondary", "upper \"B\"", "höher", "Dr."];
    let table = |cell: &dyn Fn(usize) -> String| {
        let mut text = String::from("a,b,c\n");
        for r in 0..60_usize {
            let a = match r {
                13 | 40 => String::new(),
                _ => cell(r * r * 7 % 23 % 4),
            };
            text += &format!("{a},{},{}.5\n", r * 5 % 9, r * 37 % 61);
        }
        text
    };
    let quoted = |level: &str| match level {
        "none" | "höher" | "Dr." => level.to_owned(),
        _ => format!("\"{}\"", level.replace('"', "\"\"")),
    };
    let as_text = |code: &str| match code {
        "" => String::new(),
        code => quoted(levels[code.parse::<usize>().unwrap() - 1]),
    };
    // Nobody has the fifth level before, and a tenth or so has it afterwards.
    let rows = "0.9;0;0;0;0.1\n0;0.9;0;0;0.1\n0;0;0.9;0;0.1\n0;0;0;0.9;0.1\n0;0;0;0;1\n";
    let common = "continuous = ['c']\nordinal = ['b'";
    agrees_with_numbers(
        &table(&|level| (level + 1).to_string()),
        &format!("{common}, 'a']"),
        &table(&|level| quoted(levels[level])),
        &format!(
            "{common}]\n[order]\na = ['none', 'lower, secondary', 'upper \"B\"', 'höher', 'Dr.']"
        ),
        &as_text,
        &[
            "rankswap --p 20 --seed 3",
            "pbuckets --p 4 --seed 3",
            "pdistribution --p 20 --seed 3",
            "microagg --k 3",
            "copula --mu 2 --seed 3",
            "pram --keep 0.6 --seed 3 --attributes a",
            "pram --matrix FILE-matrix.csv --seed 3 --attributes a",
        ],
        [
            &format!("1;2;3;4;5\n{rows}"),
            &format!("none;\"lower, secondary\";\"upper \"\"B\"\"\";höher;Dr.\n{rows}"),
        ],
    );
}

#[test]
fn an_order_says_what_it_does_not_name_and_what_recoding_makes_of_it() {
    let sandbox = Sandbox::with(&[
        (
            "in.csv",
            "age,school\n1,none\n2,high\n3,\n4,PhD\n5,low\n6,none\n7,high\n",
        ),
        ("o.toml", "[order]\nschool = ['none', 'low', 'high', 'PhD']"),
        ("short.toml", "[order]\nschool = ['none', 'low', 'high']"),
    ]);
    let ran = sandbox.run("describe --roles short.toml in.csv").ended(3);
    let says = "in.csv, line 5, attribute \"school\": 1 cells hold a value that the [order] of the roles file does not name";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    assert!(!ran.stderr.contains("PhD"), "{}", ran.stderr);
    let school = described(&sandbox, "--roles o.toml");
    let school = attribute(&school, "school");
    assert_eq!(
        (&school["scale"], &school["missing"]),
        (&"ordinal".into(), &1.into())
    );
    assert_eq!(school["range"], serde_json::json!(["none", "PhD"]));
    assert_eq!(
        (&school["minimum"], &school["maximum"]),
        (&1.0.into(), &4.0.into())
    );
    // The second value is the lowest that stays, the third the highest; one text is made of two.
    for (rules, expected) in [
        ("bottom = 2\ntop = 3", "low high  high low low high"),
        (
            "top = 3\ntop-label = 'high'",
            "none high  high low none high",
        ),
        (
            "[school.groups]\nlow = ['none']",
            "low high  PhD low low high",
        ),
        ("breaks = [2, 3]\nlabels = ['n', 'l', 'h']", "n h  h l n h"),
    ] {
        sandbox.write("recode.toml", format!("[school]\n{rules}\n"));
        let ran = sandbox
            .run("mask recode --rules recode.toml --roles o.toml in.csv")
            .ended(0);
        let cells: Vec<String> = (ran.text().lines().skip(1))
            .map(|line| line.split_once(',').unwrap().1.to_owned())
            .collect();
        assert_eq!(cells.join(" "), expected, "{rules}");
    }
    for (roles, says) in [
        ("[order]\nschool = ['low']", "fewer than two"),
        ("[order]\nschool = ['low', ' low']", "a value twice"),
        (
            "nominal = ['school']\n[order]\nschool = ['low', 'high']",
            "another scale",
        ),
        (
            "[order]\nschool = ['low', 'high']\n[dates]\nschool = '%d.%m.%Y'",
            "has an order, and a form of dates",
        ),
        ("[dates]\nage = '%d.%m.%y'", "a year of two digits"),
        ("[empty]\nschool = 'perhaps'", "unknown variant"),
    ] {
        sandbox.write("bad.toml", roles);
        let ran = sandbox.run("describe --roles bad.toml in.csv").ended(3);
        assert!(ran.stderr.contains(says), "{roles}: {}", ran.stderr);
    }
}

/// The days from 1 January 1970 on, counted one by one, as `12.03.1980`.
fn days(count: usize) -> Vec<String> {
    let mut days = Vec::with_capacity(count);
    let (mut year, mut month, mut day) = (1970, 1, 1);
    while days.len() < count {
        days.push(format!("{day:02}.{month:02}.{year}"));
        let leap = year % 4 == 0;
        let length = [
            31,
            28 + i32::from(leap),
            31,
            30,
            31,
            30,
            31,
            31,
            30,
            31,
            30,
            31,
        ];
        day += 1;
        if day > length[month - 1] {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
    }
    days
}

/// Dates of 60 people, one of whom is missing, masked and attacked as the numbers of their days are.
#[test]
fn dates_are_what_numbers_of_days_are() {
    let days = days(20_000);
    let table = |cell: &dyn Fn(usize) -> String| {
        let mut text = String::from("a,b,c\n");
        for r in 0..60_usize {
            let a = match r {
                13 => String::new(),
                _ => cell(4_000 + r * 1_117 % 7_000 / 3),
            };
            text += &format!("{a},{},{}.5\n", r * 5 % 9, r * 37 % 61);
        }
        text
    };
    let common = "quasi-identifier = ['a']\nordinal = ['b']\ncontinuous = ['c'";
    agrees_with_numbers(
        &table(&|day| day.to_string()),
        &format!("{common}, 'a']"),
        &table(&|day| days[day].clone()),
        &format!("{common}]\n[dates]\na = '%d.%m.%Y'"),
        &|number| match number {
            "" => String::new(),
            number => days[number.parse::<usize>().unwrap()].clone(),
        },
        &[
            "rankswap --p 20 --seed 3",
            "microagg --k 3",
            "noise --level 0.01 --seed 3 --attributes a,c",
            "copula --mu 2 --seed 3",
        ],
        ["", ""],
    );
}

#[test]
fn dates_are_cut_off_and_written_in_their_form() {
    let sandbox = Sandbox::with(&[
        (
            "in.csv",
            "birth,x\n31.08.1980,1\n1.1.1979,2\n,3\n29.02.2000,4\n12.12.1899,5\n",
        ),
        (
            "roles.toml",
            "quasi-identifier = ['birth']\n[dates]\nbirth = '%d.%m.%Y'",
        ),
    ]);
    for (period, expected) in [
        ("month", "01.08.1980 01.01.1979  01.02.2000 01.12.1899"),
        ("quarter", "01.07.1980 01.01.1979  01.01.2000 01.10.1899"),
        ("year", "01.01.1980 01.01.1979  01.01.2000 01.01.1899"),
    ] {
        sandbox.write("recode.toml", format!("[birth]\ntruncate = '{period}'\n"));
        let call =
            "mask recode --rules recode.toml --roles roles.toml --statement s.json -o m.csv in.csv";
        sandbox.run(call).ended(0);
        let text = sandbox.text("m.csv");
        let cells: Vec<&str> = text
            .lines()
            .skip(1)
            .map(|line| line.split_once(',').unwrap().0)
            .collect();
        assert_eq!(cells.join(" "), expected, "{period}");
        // An intruder who has read the statement cuts off their own dates: each is found at a distance of 0.
        sandbox
            .run("link --method am --known birth --statement s.json --roles roles.toml --links l.csv in.csv m.csv")
            .ended(0);
        let links = sandbox.text("l.csv");
        let distances: Vec<&str> = (links.lines().skip(1))
            .filter_map(|line| line.split(',').nth(2))
            .collect();
        let exact = distances
            .iter()
            .filter(|&&distance| distance == "0")
            .count();
        assert_eq!(exact, 4, "{links}");
    }
    let ran = sandbox
        .run("mask recode --rules recode.toml in.csv")
        .ended(3);
    assert!(
        ran.stderr.contains("truncate needs dates"),
        "{}",
        ran.stderr
    );
    sandbox.write("wrong.csv", "birth,x\n31.08.1980,1\n31.06.1979,2\n");
    let ran = sandbox
        .run("describe --roles roles.toml wrong.csv")
        .ended(3);
    assert!(
        ran.stderr
            .contains("wrong.csv, line 3, attribute \"birth\": 1 cells are no dates"),
        "{}",
        ran.stderr
    );
    sandbox.write("recode.toml", "[birth]\ntruncate = 'year'\nround = 5\n");
    let ran = sandbox
        .run("mask recode --rules recode.toml --roles roles.toml in.csv")
        .ended(3);
    assert!(ran.stderr.contains("different things"), "{}", ran.stderr);
}

/// A child has no occupation: what is found is what is found where the cell says so.
#[test]
fn empty_cells_that_are_a_category_count_as_one() {
    let table = |child: &str| {
        let mut text = String::from("job,age,zip\n");
        for r in 0..40 {
            let job = match r % 8 {
                0 | 3 => child,
                5 => "NA",
                6 => "cook",
                _ => "smith",
            };
            text += &format!("{job},{},{}\n", 5 + r * 7 % 31, r % 5);
        }
        text
    };
    let sandbox = Sandbox::with(&[
        ("in.csv", &table("")),
        ("word.csv", &table("child")),
        ("empty.toml", "[empty]\njob = 'category'"),
        ("none.toml", "[empty]\nzip = 'missing'"),
    ]);
    let missing =
        |options: &str| attribute(&described(&sandbox, options), "job")["missing"].clone();
    assert_eq!(missing("--roles empty.toml"), 5);
    assert_eq!(missing("--roles none.toml"), 15);
    for call in [
        "risk --key job,age --format json --missing-matches missing A.csv",
        "risk --key job,zip --format json A.csv A-m.csv",
        "link --method am,gower,prl --format json A.csv A-m.csv",
        "loss --format json A.csv A-m.csv",
    ] {
        let found = |name: &str, options: &str| {
            sandbox
                .run(&format!(
                    "mask rankswap --p 20 --seed 1 {options} -o {name}-m.csv {name}.csv"
                ))
                .ended(0);
            let ran = sandbox.run(&format!("{} {options}", call.replace('A', name)));
            let mut json = ran.ended(0).json();
            json["provenance"].take();
            let text = serde_json::to_string_pretty(&json).unwrap();
            text.replace(&format!("{name}.csv"), "")
                .replace(&format!("{name}-m.csv"), "")
                .replace("\"child\"", "\"\"")
        };
        assert_eq!(
            found("in", "--roles empty.toml"),
            found("word", "--roles none.toml"),
            "{call}"
        );
    }
    // What is suppressed is marked by what is missing still.
    sandbox.write(
        "recode.toml",
        "[job]\nsuppress = ['cook']\n[job.map]\n'' = 'child'\n",
    );
    let ran = sandbox
        .run("mask recode --rules recode.toml --roles empty.toml in.csv")
        .ended(0);
    let expected = table("child").replace("cook,", "NA,");
    assert_eq!(ran.text(), expected);
}
