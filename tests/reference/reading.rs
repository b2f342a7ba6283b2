//! How the reference files are read, and that they are written back byte for byte.

use sdcrisk::table::{Role, Scale};

const FILES: [(&str, usize, usize, &[&str]); 8] = [
    ("census.csv", 1080, 13, &[]),
    ("eia.csv", 4092, 15, &["UTILITYID", "UTILNAME"]),
    ("eia10.csv", 4092, 10, &[]),
    ("tarragona.csv", 834, 13, &[]),
    ("testdata.csv", 4580, 15, &["ori_hid"]),
    ("francdat.csv", 8, 8, &[]),
    ("casc1.csv", 13, 7, &[]),
    ("microdata.csv", 13, 5, &[]),
];

#[test]
fn sizes_and_identifiers_are_as_documented_and_bytes_come_back() {
    for (file, records, attributes, identifiers) in FILES {
        let Some(table) = super::table(file) else {
            return;
        };
        assert_eq!(
            (table.n_records(), table.n_attributes()),
            (records, attributes),
            "{file}"
        );
        let found: Vec<&str> = table
            .attributes()
            .iter()
            .filter(|attribute| attribute.role == Role::Identifier)
            .map(|attribute| attribute.name.as_str())
            .collect();
        assert_eq!(found, identifiers, "{file}");
        let mut written = Vec::new();
        table.write(&mut written).unwrap();
        assert!(
            written == super::bytes(file).unwrap(),
            "{file} is not written back as it was"
        );
    }
}

#[test]
fn the_states_of_eia_are_nominal_and_its_amounts_continuous() {
    let Some(table) = super::table("eia.csv") else {
        return;
    };
    let scale = |name: &str| table.attribute(table.find(name).unwrap()).scale;
    assert_eq!(scale("STATE"), Scale::Nominal);
    assert_eq!(scale("RESREVENUE"), Scale::Continuous);
    assert_eq!(scale("MONTH"), Scale::Ordinal);
}
