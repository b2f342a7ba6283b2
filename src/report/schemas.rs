//! The JSON schemas of what users are given: `docs/schemas/`, made from the types that write it.
//!
//! Unit tests alone see this module. `SDCRISK_WRITE_DOCS=1 cargo test --lib schemas` writes the files anew.

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use schemars::{JsonSchema, generate::SchemaSettings};
    use serde_json::{Value, json};

    use crate::report::{
        describe,
        evaluate::{self, EvaluateReport},
        explain, guess, link, loss, match_attributes, part, risk, score, search, selftest, verify,
    };
    use crate::{
        attack::learned::weights,
        certificate::format,
        statement::{self, Statement},
    };

    /// The schema of a type, with the name that its documents have under `schema`.
    fn schema<T: JsonSchema>(name: &str, what: &str) -> (String, Value) {
        let generator = SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator();
        let mut schema = generator.into_root_schema_for::<T>().to_value();
        schema["title"] = name.into();
        schema["description"] = what.into();
        schema["properties"]["schema"] = json!({
            "description": "Which schema this is, with its version.",
            "const": name,
        });
        let file = name.trim_start_matches("sdcrisk.");
        let (file, _) = file.split_once('/').unwrap();
        (format!("{file}.json"), schema)
    }

    fn all() -> Vec<(String, Value)> {
        vec![
            schema::<link::Json<'_>>(link::SCHEMA, "What 'sdcrisk link --format json' writes."),
            schema::<loss::LossJson>(loss::SCHEMA, "What 'sdcrisk loss --format json' writes."),
            schema::<risk::RiskJson>(risk::SCHEMA, "What 'sdcrisk risk --format json' writes."),
            schema::<score::ScoreReport>(
                score::SCHEMA,
                "What 'sdcrisk score --format json' writes.",
            ),
            schema::<EvaluateReport>(
                evaluate::SCHEMA,
                "What 'sdcrisk evaluate --format json' writes.",
            ),
            schema::<search::SearchReport>(
                search::SCHEMA,
                "What 'sdcrisk search --format json' writes.",
            ),
            schema::<describe::Json<'_>>(
                describe::SCHEMA,
                "What 'sdcrisk describe --format json' writes.",
            ),
            schema::<part::Part>(
                part::SCHEMA,
                "What 'sdcrisk evaluate', 'link' and 'mask' write with --shard I/N.",
            ),
            schema::<match_attributes::MatchReport>(
                match_attributes::SCHEMA,
                "What 'sdcrisk match-attributes --format json' writes.",
            ),
            schema::<guess::GuessReport>(
                guess::SCHEMA,
                "What 'sdcrisk guess --format json' writes.",
            ),
            schema::<explain::Explanation>(
                explain::SCHEMA,
                "What 'sdcrisk explain --format json' writes.",
            ),
            schema::<verify::VerifyReport>(
                verify::SCHEMA,
                "What 'sdcrisk verify --format json' writes.",
            ),
            schema::<selftest::SelftestReport>(
                selftest::SCHEMA,
                "What 'sdcrisk selftest --format json' writes.",
            ),
            schema::<Statement>(statement::SCHEMA, "What 'sdcrisk mask --statement' writes."),
            schema::<weights::Document>(weights::SCHEMA, "What 'sdcrisk link --weights' writes."),
            schema::<format::Certificate>(
                format::SCHEMA,
                "What 'sdcrisk link --certificate' writes.",
            ),
        ]
    }

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas")
    }

    #[test]
    fn the_schemas_in_docs_are_those_of_the_types() {
        let write = std::env::var_os("SDCRISK_WRITE_DOCS").is_some();
        for (file, schema) in all() {
            let path = folder().join(&file);
            let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
            if write {
                std::fs::create_dir_all(folder()).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                found == text,
                "docs/schemas/{file} is not what the types say: SDCRISK_WRITE_DOCS=1 cargo test --lib schemas"
            );
        }
    }

    /// A file that no type stands behind would be believed and never change.
    #[test]
    fn every_schema_in_docs_has_its_type() {
        let made: Vec<String> = all().into_iter().map(|(file, _)| file).collect();
        for entry in std::fs::read_dir(folder()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(made.contains(&name), "docs/schemas/{name} is of no type");
        }
    }
}
