//! The arrows between modules, read from the imports.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// For each module of the crate, the modules that it may import. Arrows point one way.
const MAY_IMPORT: [(&str, &[&str]); 24] = [
    ("error", &[]),
    ("memory", &["error"]),
    ("visible", &[]),
    ("table", &["error", "memory", "visible"]),
    ("figure", &[]),
    (
        "loss",
        &[
            "error",
            "memory",
            "table",
            "figure",
            "stats",
            "statement",
            "rng",
        ],
    ),
    (
        "risk",
        &["error", "table", "figure", "stats", "statement", "rng"],
    ),
    ("rng", &["error"]),
    ("statement", &["error", "visible"]),
    ("stats", &["error", "table"]),
    ("optimize", &["error", "stats"]),
    ("certificate", &["error", "table", "stats"]),
    ("distance", &["table", "stats"]),
    ("agreement", &["table", "stats", "distance"]),
    (
        "mask",
        &["error", "table", "rng", "statement", "stats", "distance"],
    ),
    (
        "attack",
        &[
            "error",
            "memory",
            "visible",
            "table",
            "statement",
            "stats",
            "distance",
            "agreement",
            "optimize",
        ],
    ),
    ("schema", &["error", "table", "stats", "optimize"]),
    (
        "evaluate",
        &[
            "error",
            "memory",
            "table",
            "rng",
            "statement",
            "stats",
            "distance",
            "agreement",
            "attack",
            "loss",
            "risk",
            "figure",
        ],
    ),
    (
        "selftest",
        &[
            "error",
            "table",
            "rng",
            "statement",
            "stats",
            "optimize",
            "attack",
            "mask",
            "loss",
            "risk",
            "figure",
            "evaluate",
        ],
    ),
    (
        "report",
        &[
            "error",
            "selftest",
            "figure",
            "loss",
            "risk",
            "agreement",
            "table",
            "statement",
            "stats",
            "attack",
            "evaluate",
            "mask",
            "schema",
            "certificate",
        ],
    ),
    (
        "jobs",
        &[
            "error",
            "loss",
            "risk",
            "figure",
            "table",
            "rng",
            "statement",
            "optimize",
            "mask",
            "attack",
            "figure",
            "loss",
            "risk",
            "stats",
            "schema",
            "evaluate",
            "report",
            "certificate",
        ],
    ),
    (
        "options",
        &[
            "error",
            "visible",
            "table",
            "statement",
            "stats",
            "agreement",
            "optimize",
            "mask",
            "attack",
            "loss",
            "risk",
            "schema",
            "evaluate",
            "report",
            "jobs",
        ],
    ),
    (
        "cli",
        &[
            "error",
            "memory",
            "visible",
            "table",
            "rng",
            "statement",
            "optimize",
            "mask",
            "attack",
            "figure",
            "schema",
            "evaluate",
            "report",
            "certificate",
            "selftest",
            "jobs",
            "options",
        ],
    ),
    ("lib", &[]),
];

/// What the intruder may know of a table: numbers without names of files, of records, or of the true matches.
const ATTACK_MAY_TAKE_FROM_TABLE: [&str; 4] = ["matrix", "Matrix", "Scale", "Values"];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Source without comments and white space, up to its unit tests; nothing of a file that holds such tests.
fn code(path: &Path) -> String {
    if path.ends_with("tests.rs") {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap())
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect()
}

/// The first names behind every `crate::`, also inside braces: `crate::{a::b, c}` gives `a` and `c`.
fn crate_imports(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        names.extend(first_names(rest));
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

fn first_names(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![identifier(rest)];
    };
    let mut names = Vec::new();
    let mut depth = 0;
    let mut at_start = true;
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            _ if at_start => {
                names.push(identifier(&group[i..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(source()).unwrap();
    let first = inside
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

#[test]
fn arrows_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.into_iter().collect();
    let mut used = BTreeSet::new();
    let mut seen = 0;
    for path in rust_files(&source()) {
        let module = module_of(&path);
        if module == "main" || module == "lib" {
            continue;
        }
        // A path through `super` must not leave its module by the back door.
        let inside = path.strip_prefix(source()).unwrap();
        let depth = inside.components().count() - usize::from(inside.ends_with("mod.rs"));
        let climbs = "super::".repeat(depth);
        assert!(
            !code(&path).contains(&climbs),
            "{} climbs out of {module}",
            path.display()
        );
        let may = allowed
            .get(module.as_str())
            .unwrap_or_else(|| panic!("{module} has no arrows yet: add them"));
        for import in crate_imports(&code(&path)) {
            seen += 1;
            assert!(
                import == module || may.contains(&import.as_str()),
                "{} imports {import}, which {module} may not see",
                path.display()
            );
            used.insert((module.clone(), import));
        }
    }
    assert!(seen > 50, "the reader of imports reads too little: {seen}");
    for (module, may) in MAY_IMPORT {
        for import in may {
            assert!(
                used.contains(&(module.into(), (*import).into())),
                "{module} imports no {import}: take the arrow out of MAY_IMPORT"
            );
        }
    }
}

/// The rule with scientific weight: no attack can look up the true matches, or how a masking was drawn.
#[test]
fn the_intruder_sees_matrices_and_nothing_else_of_a_table() {
    let mut seen = 0;
    for path in rust_files(&source().join("attack")) {
        let code = code(&path);
        let words: Vec<&str> = code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        for forbidden in [
            "Truth", "Study", "Masked", "Table", "AttrId", "evaluate", "mask", "rng", "Seed",
            "Purpose", "fs", "env",
        ] {
            assert!(
                !words.contains(&forbidden),
                "{} names {forbidden}",
                path.display()
            );
        }
        for rest in code.split("table::").skip(1) {
            for name in first_names(rest) {
                seen += 1;
                assert!(
                    ATTACK_MAY_TAKE_FROM_TABLE.contains(&name.as_str()),
                    "{} takes {name}",
                    path.display()
                );
            }
        }
    }
    assert!(
        seen > 0,
        "no attack imports a matrix: the reader of imports is broken"
    );
}

/// Below the command line nothing touches files, the terminal, the environment or the clock, and only options know the parser.
#[test]
fn only_the_command_line_touches_the_world() {
    for path in rust_files(&source()) {
        let module = module_of(&path);
        if ["cli", "main", "lib"].contains(&module.as_str()) {
            continue;
        }
        let code = code(&path);
        for forbidden in [
            "clap::", "println!", "stdout()", "stdin()", "stderr()", "anyhow",
        ] {
            let may = module == "options" && forbidden == "clap::";
            assert!(
                may || !code.contains(forbidden),
                "{} uses {forbidden}",
                path.display()
            );
        }
        for rest in code.split("std::").skip(1) {
            for name in first_names(rest) {
                assert!(
                    !["fs", "env", "time"].contains(&name.as_str()),
                    "{} uses std::{name}",
                    path.display()
                );
            }
        }
    }
}

/// Options are about words: a file that they name is a name, and who reads it is given to them.
#[test]
fn options_read_and_write_nothing() {
    let mut seen = 0;
    for path in rust_files(&source().join("options")) {
        let code = code(&path);
        for forbidden in [
            ".is_file()",
            ".is_dir()",
            ".exists()",
            "Path::is_",
            "canonicalize",
            "metadata",
        ] {
            assert!(
                !code.contains(forbidden),
                "{} uses {forbidden}",
                path.display()
            );
        }
        for rest in code.split("std::").skip(1) {
            for name in first_names(rest) {
                seen += 1;
                assert!(
                    !["io", "net", "process", "thread"].contains(&name.as_str()),
                    "{} uses std::{name}",
                    path.display()
                );
            }
        }
    }
    assert!(seen > 20, "the reader of imports reads too little: {seen}");
}

/// Random generators are built in one file.
#[test]
fn one_file_builds_generators() {
    for path in rust_files(&source()) {
        if module_of(&path) != "rng" {
            assert!(!code(&path).contains("rand_chacha"), "{}", path.display());
        }
    }
}

/// Solvers from elsewhere are called in one file.
#[test]
fn one_file_names_the_solvers_from_elsewhere() {
    let home = source().join("optimize/milp.rs");
    for path in rust_files(&source()) {
        let names_one = code(&path).contains("good_lp");
        assert_eq!(names_one, path == home, "{}", path.display());
    }
}
