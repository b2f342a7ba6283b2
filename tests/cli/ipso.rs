//! `mask ipso` as a user calls it.

use crate::sandbox::Sandbox;

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");
const SMALL: &str = "x;y;town\n1,5;2;u\n2,5;1;v\n4;5;u\n7,25;6;v\n9;3;u\n12;8;v\n";

fn small() -> Sandbox {
    Sandbox::with(&[("in.csv", SMALL)])
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for (options, status, says) in [
        ("--confidential x in.csv", 2, "--variant"),
        (
            "--variant d --confidential x in.csv",
            2,
            "invalid value 'd'",
        ),
        ("--variant a in.csv", 2, "Name them in --confidential"),
        (
            "--variant a --confidential z in.csv",
            2,
            "no attribute \"z\"",
        ),
        (
            "--strict --variant a --confidential x --seed 1 in.csv",
            2,
            "--seed has no effect",
        ),
        (
            "--variant b --confidential x --attributes x,y in.csv",
            2,
            "cannot be replaced too",
        ),
        (
            "--strict --variant b --confidential town --no-intercept in.csv",
            2,
            "--no-intercept has no effect",
        ),
        (
            "--variant b --confidential x --drop x in.csv",
            2,
            "attribute \"x\": is confidential here, so it is kept",
        ),
        (
            "--variant b --confidential x --attributes town in.csv",
            2,
            "has names, not numbers",
        ),
    ] {
        let ran = small().run(&format!("mask ipso {options}")).ended(status);
        assert!(ran.stderr.contains(says), "{options}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{options}");
    }
}

/// The three codes of `code` are ordinal by the roles file; z = x + y beside them.
#[test]
fn codes_are_left_alone_unless_named_and_combinations_are_told() {
    let mut text = "x,y,z,code\n".to_owned();
    for k in 0..30 {
        let (x, y) = (k * 7 % 31, k * k % 17);
        text += &format!("{x},{y},{},{}\n", x + y, k % 3);
    }
    let roles = "ordinal = ['code']\n";
    let sandbox = Sandbox::with(&[("in.csv", text.as_str()), ("r.toml", roles)]);
    let ran = sandbox
        .run("mask ipso --decimals full --variant b --confidential x --roles r.toml --statement s.json in.csv")
        .ended(0);
    let says = "code is not masked: it is ordinal: averages of codes would be no codes";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    let says = "replaced ones before it, and stays one: z";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    assert!(sandbox.text("s.json").contains("\"fitted\": 30"));
    let last = |line: &str| line.rsplit(',').next().map(str::to_owned);
    assert!(text.lines().map(last).eq(ran.text().lines().map(last)));
    for method in [
        "ipso --variant b --confidential x",
        "fuzzy --k 3 --m1 2 --m2 2",
    ] {
        let call = format!("mask {method} --roles r.toml --attributes y,code in.csv");
        let named = sandbox.run(&call).ended(0);
        assert!(!named.stderr.contains("is not masked"), "{}", named.stderr);
        let unnamed = sandbox
            .run(&call.replace("--attributes y,code ", ""))
            .ended(0);
        assert!(
            unnamed.stderr.contains("code is not masked"),
            "{}",
            unnamed.stderr
        );
    }
}

/// By hand: y on x, all else kept; new numbers have the file's decimal comma, kept cells their bytes.
#[test]
fn a_file_with_decimal_commas_stays_one() {
    let sandbox = small();
    let ran = sandbox
        .run("mask ipso --decimals full --variant a --confidential x --statement s.json in.csv")
        .ended(0);
    let text = ran.text();
    // Σx = 36.25, Σy = 25, Σx² = 302.0625; Σxy = 3 + 2.5 + 20 + 43.5 + 27 + 96 = 192.
    let slope = (192.0 - 36.25 * 25.0 / 6.0) / (302.0625 - 36.25 * 36.25 / 6.0);
    let first = 25.0 / 6.0 + slope * (1.5 - 36.25 / 6.0);
    let cells: Vec<&str> = text.lines().nth(1).unwrap().split(';').collect();
    assert_eq!((cells[0], cells[2]), ("1,5", "u"));
    let found: f64 = cells[1].replace(',', ".").parse().unwrap();
    assert!((found - first).abs() < 1e-12, "{found} {first}");
    let statement = sandbox.text("s.json");
    for part in ["\"ipso\"", "\"variant\": \"a\"", "\"intercept\": true"] {
        assert!(statement.contains(part), "{statement}");
    }
}

#[test]
fn roles_name_the_confidential_attributes() {
    let sandbox = small();
    sandbox.write("roles.toml", "confidential = ['x', 'town']\n");
    let by_role = sandbox
        .run("mask ipso --decimals full --variant c --seed 3 --roles roles.toml in.csv")
        .ended(0);
    let by_name = sandbox
        .run("mask ipso --decimals full --variant c --seed 3 --confidential x,town in.csv")
        .ended(0);
    assert_eq!(by_role.text(), by_name.text());
    assert!(
        by_role.stderr.contains("fitted on 6 of 6 records"),
        "{}",
        by_role.stderr
    );
}

#[test]
fn a_pipe_is_linked() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("in.csv", CENSUS);
    let report = sandbox
        .shell(
            "sdcrisk mask ipso --variant b --attributes income,tax --confidential rent --seed 1 in.csv \
             | sdcrisk link --method am --known income,tax --format json in.csv -",
        )
        .ended(0)
        .json();
    assert_eq!(report["results"][0]["records"], 1000);
}
