//! The schemas in `docs/schemas` are true of what the program writes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{explain::WEIGHTS, sandbox::Sandbox};

/// What of a value is not as a schema says, a line each with its place; by the keywords that the schemas in `docs/schemas` use.
struct Check<'a> {
    root: &'a Value,
}

impl<'a> Check<'a> {
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(place) => self
                .root
                .pointer(place.trim_start_matches('#'))
                .unwrap_or_else(|| panic!("{place} is not there")),
            None => schema,
        }
    }

    fn faults(&self, schema: &'a Value, value: &Value, place: &str) -> Vec<String> {
        let mut faults = self.known_faults(schema, value, place);
        for key in self.unknown_keys(schema, value) {
            faults.push(format!(
                "{place} has {key}, of which the schema says nothing"
            ));
        }
        faults
    }

    /// The faults of what the schema names: of a choice, other parts of the schema may name the other keys.
    fn known_faults(&self, schema: &'a Value, value: &Value, place: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let Some(keywords) = schema.as_object() else {
            assert!(schema.is_boolean(), "{schema}");
            return faults;
        };
        let at = |what: String| format!("{place} {what}");
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                "$ref" => {
                    let inner = self.known_faults(self.resolved(schema), value, place);
                    faults.extend(inner);
                }
                "type" if !is_of_type(wanted, value) => faults.push(at(format!("is no {wanted}"))),
                "const" if value != wanted => faults.push(at(format!("is not {wanted}"))),
                "enum" if !wanted.as_array().unwrap().contains(value) => {
                    faults.push(at(format!("is none of {wanted}")));
                }
                "minimum" if value.is_number() && value.as_f64() < wanted.as_f64() => {
                    faults.push(at(format!("is below {wanted}")));
                }
                "anyOf" | "oneOf" => {
                    let is_one = |schema| self.known_faults(schema, value, place).is_empty();
                    if !wanted.as_array().unwrap().iter().any(is_one) {
                        faults.push(at(format!("is none of the choices: {value}")));
                    }
                }
                "required" => {
                    for key in wanted.as_array().unwrap() {
                        if value.is_object() && value.get(key.as_str().unwrap()).is_none() {
                            faults.push(at(format!("lacks {key}")));
                        }
                    }
                }
                "properties" => {
                    for (key, schema) in wanted.as_object().unwrap() {
                        if let Some(value) = value.get(key) {
                            let inner = self.faults(schema, value, &format!("{place}.{key}"));
                            faults.extend(inner);
                        }
                    }
                }
                "additionalProperties" => {
                    let stated = keywords.get("properties").and_then(Value::as_object);
                    for (key, value) in value.as_object().into_iter().flatten() {
                        if stated.is_none_or(|stated| !stated.contains_key(key)) {
                            let inner = self.faults(wanted, value, &format!("{place}.{key}"));
                            faults.extend(inner);
                        }
                    }
                }
                "items" => {
                    for (number, value) in value.as_array().into_iter().flatten().enumerate() {
                        let inner = self.faults(wanted, value, &format!("{place}[{number}]"));
                        faults.extend(inner);
                    }
                }
                "prefixItems" => {
                    let pairs = value.as_array().into_iter().flatten();
                    for (value, schema) in pairs.zip(wanted.as_array().unwrap()) {
                        let inner = self.faults(schema, value, place);
                        faults.extend(inner);
                    }
                }
                "minItems" | "maxItems" => {
                    let n = value.as_array().map_or(0, Vec::len) as u64;
                    let wanted = wanted.as_u64().unwrap();
                    let is_kept = if keyword == "minItems" {
                        n >= wanted
                    } else {
                        n <= wanted
                    };
                    if value.is_array() && !is_kept {
                        faults.push(at(format!("has {n} entries")));
                    }
                }
                "type" | "const" | "enum" | "minimum" | "$defs" | "$schema" | "title"
                | "default" | "description" | "format" | "minLength" | "maxLength" => {}
                other => panic!("{other} is not looked at"),
            }
        }
        faults
    }

    /// The keys of an object that no part of its schema names.
    fn unknown_keys(&self, schema: &'a Value, value: &Value) -> Vec<String> {
        let mut known = BTreeSet::new();
        if !self.keys(schema, &mut known) {
            return Vec::new();
        }
        let entries = value.as_object().into_iter().flatten();
        let keys = entries.map(|(key, _)| key.clone());
        keys.filter(|key| !known.contains(key.as_str())).collect()
    }

    /// The keys that a schema names; false if it allows any.
    fn keys(&self, schema: &'a Value, known: &mut BTreeSet<&'a str>) -> bool {
        let schema = self.resolved(schema);
        let Some(keywords) = schema.as_object() else {
            return false;
        };
        let named = keywords.get("properties").and_then(Value::as_object);
        known.extend(named.into_iter().flatten().map(|(key, _)| key.as_str()));
        let parts = ["anyOf", "oneOf"].into_iter();
        let parts = parts.filter_map(|keyword| keywords.get(keyword)?.as_array());
        let mut are_all_named = true;
        let mut has_parts = false;
        for part in parts.flatten().filter(|part| part["type"] != "null") {
            has_parts = true;
            are_all_named &= self.keys(part, known);
        }
        (named.is_some() || has_parts)
            && are_all_named
            && !keywords.contains_key("additionalProperties")
    }
}

fn is_of_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no type of JSON: {other}"),
    };
    match wanted.as_array() {
        Some(any) => any.iter().any(is),
        None => is(wanted),
    }
}

/// The schema of a document, which its `schema` names.
fn schema_of(document: &Value) -> Value {
    let name = document["schema"].as_str().unwrap();
    let file = name
        .trim_start_matches("sdcrisk.")
        .split('/')
        .next()
        .unwrap();
    let path = format!("{}/docs/schemas/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

fn faults(document: &Value) -> Vec<String> {
    let schema = schema_of(document);
    Check { root: &schema }.faults(&schema, document, "")
}

const ORIGINAL: &str = "id,region,age,income,tax\n1,N,31,1200,130\n2,S,42,1510,210\n3,N,55,900,80\n4,W,23,700,40\n5,S,37,2100,330\n\
     6,W,61,1900,300\n7,N,48,1300,160\n8,S,29,1100,110\n9,W,52,1750,260\n10,N,34,1420,170\n11,S,45,980,90\n12,W,39,2600,450\n";

const PLAN: &str = "original = \"in.csv\"\nattributes = \"age,income,tax\"\nknown = \"first:2\"\nrepeats = 2\nseed = 1\n\
     attacks = [\"am\", \"rsld\"]\nlosses = [\"il\"]\nrisks = [\"interval_disclosure_rank\"]\n\n[[mask]]\nmethod = \"rankswap\"\n";

#[test]
fn what_every_command_writes_is_as_its_schema_says() {
    let grid = format!("{PLAN}p = [10, 20]\n");
    let range = format!("{PLAN}p = {{ from = 10, to = 40 }}\n");
    let sandbox = Sandbox::with(&[
        ("in.csv", ORIGINAL),
        ("grid.toml", &grid),
        ("range.toml", &range),
        ("w.json", WEIGHTS),
    ]);
    let masked = sandbox.run(
        "mask rankswap --p 20 --seed 1 --attributes age,income,tax --statement s.json -o m.csv in.csv",
    );
    masked.ended(0);
    let known = "--known age,income";
    let learned = format!(
        "link --method wm {known} --weights ww.json --certificate c.json --format json in.csv m.csv"
    );
    let calls = [
        format!("link --method all --p 20 {known} --format json in.csv m.csv"),
        "link --method am --known sweep:3 --assign one-to-one --format json in.csv m.csv".into(),
        format!("link --method prl {known} --format json in.csv m.csv"),
        format!(
            "link --method likelihood --assign balanced --posterior sampled --statement s.json {known} --format json in.csv m.csv"
        ),
        learned,
        "loss --format json --by-attribute --clusters 2 --regress tax~income in.csv m.csv".into(),
        "risk --format json --key region,age --confidential income in.csv m.csv".into(),
        "risk --format json --key region --msu-size 2 in.csv".into(),
        "score --format json --p 20 --attributes age,income,tax in.csv m.csv".into(),
        "describe --format json in.csv".into(),
        "match-attributes --format json in.csv m.csv".into(),
        "guess --format json in.csv m.csv".into(),
        "evaluate --format json grid.toml".into(),
        "evaluate --shard 1/2 grid.toml".into(),
        format!("link --method am,rsld --p 20 {known} --shard 1/2 in.csv m.csv"),
        // The second part makes the attack whole that cannot be cut.
        format!("link --method all --assign one-to-one --p 20 {known} --shard 2/2 in.csv m.csv"),
        format!("link --method am --links l.csv {known} --shard 1/2 in.csv m.csv"),
        "search --format json --risk-at-most 60% range.toml".into(),
        "search --shard 1/2 --risk-at-most 60% range.toml".into(),
        "explain --format json w.json".into(),
        "verify --format json c.json in.csv m.csv".into(),
        "selftest --format json".into(),
    ];
    let mut documents: Vec<(String, Value)> = calls
        .into_iter()
        .map(|call| {
            let document = sandbox.run(&call).json();
            (call, document)
        })
        .collect();
    // One history of all methods: what each publishes.
    let mut before = String::from("in.csv");
    sandbox.write(
        "rules.toml",
        "[age]\nround = 5\ntop = 60\n[region.groups]\nsouth = [\"S\", \"W\"]\n",
    );
    for (number, method) in [
        "recode --rules rules.toml --drop id",
        "rankswap --p 20 --attributes age,income,tax",
        "pbuckets --p 3 --attributes income",
        "pdistribution --p 40 --strata region --attributes tax",
        "noise --level .1 --attributes tax",
        "ipso --variant c --confidential tax --attributes age,income",
        "microagg --k 3 --algorithm individual-ranking --attributes age,income",
        "fuzzy --clusters 2 --m1 2 --m2 2 --attributes age,income",
        "copula --mu 2 --attributes age,income --given region",
        "pram --keep 0.7 --invariant --attributes region",
        "suppress --k 2 --key region",
        "sample --n 9 --strata region",
    ]
    .iter()
    .enumerate()
    {
        let after = (number > 0).then(|| format!("--after h{}.json", number - 1));
        let after = after.unwrap_or_default();
        let call = format!(
            "mask {method} --seed 1 {after} --statement h{number}.json -o h{number}.csv {before}"
        );
        sandbox.run(&call).ended(0);
        before = format!("h{number}.csv");
    }
    for file in ["ww.json", "c.json", "s.json", "h11.json"] {
        let text = sandbox.text(file);
        documents.push((file.into(), serde_json::from_str(&text).unwrap()));
    }
    for (call, document) in &documents {
        let faults = faults(document);
        assert!(faults.is_empty(), "{call}: {faults:#?}");
    }
}

/// The check itself must see what is wrong, or it says nothing.
#[test]
fn a_document_that_is_not_as_its_schema_says_is_noticed() {
    let sandbox = Sandbox::with(&[("in.csv", ORIGINAL)]);
    let good = sandbox.run("risk --format json --key region in.csv").json();
    assert_eq!(faults(&good), Vec::<String>::new());
    let changes: [(&str, Value, &str); 4] = [
        ("/schema", json!("sdcrisk.risk/9"), ".schema is not"),
        (
            "/scenario/records",
            json!(-12),
            ".scenario.records is below 0",
        ),
        (
            "/scenario/missing_matches",
            json!("some"),
            ".scenario.missing_matches is none of",
        ),
        (
            "/figures/0/unit",
            json!("miles"),
            ".figures[0].unit is none of",
        ),
    ];
    for (place, value, says) in changes {
        let mut document = good.clone();
        *document.pointer_mut(place).unwrap() = value;
        let faults = faults(&document);
        assert!(
            faults.iter().any(|fault| fault.starts_with(says)),
            "{place}: {faults:?}"
        );
    }
    let mut document = good;
    let scenario = document["scenario"].as_object_mut().unwrap();
    scenario.remove("original");
    scenario.insert("of_next_year".into(), json!(1));
    let faults = faults(&document);
    assert!(
        faults.contains(&".scenario lacks \"original\"".to_owned()),
        "{faults:?}"
    );
    assert!(
        faults
            .iter()
            .any(|fault| fault.contains("has of_next_year")),
        "{faults:?}"
    );
}
