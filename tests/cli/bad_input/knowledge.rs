//! `link`: intruders who know what cannot be known, and records that cannot be aligned.

use super::{Case, End::Notes, GOOD, MASKED, case, fails};

/// `link --method am ... good.csv masked.csv`.
fn link(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("link --method am {options} good.csv masked.csv"),
        status,
        says,
    )
}

/// With three attributes that can be compared.
fn known(name: &'static str, known: &str, says: &'static str) -> Case {
    link(name, &format!("--known {known}"), 2, says)
}

/// `--known-records some.txt`.
fn records(name: &'static str, options: &str, content: &str, says: &'static str) -> Case {
    link(
        name,
        &format!("--known-records some.txt {options}"),
        3,
        says,
    )
    .file("some.txt", content)
}

pub fn cases() -> Vec<Case> {
    let shorter = GOOD.replace("geheim10,33,33500,5.5,Hull,7\n", "");
    let twice = GOOD.replace("geheim10", "geheim03");
    let others = MASKED.replace("geheim", "geheim9");
    vec![
        known("known: first 0", "first:0", "--known first: wants a number of attributes, 1 or more"),
        known("known: sweep x", "sweep:x", "--known sweep: wants a number of attributes, 1 or more"),
        known("known: subsets of nothing", "subsets:", "--known subsets: wants a number of attributes"),
        known("known: random without sets", "random:5", "--known random: wants a number of attributes"),
        known("known: random 0 sets", "random:2x0", "--known random: wants a number of attributes"),
        known("known: first too many", "first:5", "--known asks for 5 attributes, but the two files share 4 that can be compared"),
        known("known: sweep too many", "sweep:99", "--known asks for 99 attributes, but the two files share 4"),
        known("known: subsets too many", "subsets:5", "--known asks for 5 attributes, but the two files share 4"),
        known("known: more sets than there are", "random:2x7", "random:2x7 asks for 7 different sets; there are 6"),
        known("known: unknown attribute", "age,salary", "good.csv: there is no attribute \"salary\""),
        known("known: attribute twice", "age,age", "attribute \"age\": the attribute is in the list twice"),
        known("known: range backwards", "4-2", "the range 4-2 runs backwards"),
        known("known: unknown form", "frist:2", "there is no attribute \"frist:2\""),
        link("known: no spread", "--known age,flat", 3, "attribute \"flat\": cannot be compared: it has no two different values"),
        link("known: text against numbers", "--known town", 3, "attribute \"town\": cannot be compared: it is not a number in the original file, but in the other it is")
            .file("masked.csv", MASKED.replace("Hull", "1").replace("Leeds", "2").replace("York", "3")),
        link("attributes beside a list", "--attributes age --known age", 2, "--attributes has no effect beside a list of known attributes").idle(),
        link("among: unknown attribute", "--attributes salary --known first:1", 2, "there is no attribute \"salary\""),
        link("among: too few", "--attributes age,income --known first:3", 2, "share 2 that can be compared"),
        link("records: none", "--known-records 0", 2, "--known-records 0: the original file has 10 records. Give a number from 1 to 10"),
        link("records: too many", "--known-records 11", 2, "--known-records 11: the original file has 10 records"),
        link("records: no such file", "--known-records many", 1, "many: cannot read it: there is no such file"),
        records("records: empty file", "", "\n", "some.txt: names no record"),
        records("records: text", "", "1\ngeheim02\n", "some.txt, line 2: is not a record number from 1 to 10"),
        records("records: zero", "", "1\n0\n", "some.txt, line 2: is not a record number from 1 to 10"),
        records("records: beyond the last", "", "10\n11\n", "some.txt, line 2: is not a record number from 1 to 10"),
        records("records: twice", "", "3\n4\n3\n", "some.txt, line 3: names a record that an earlier line named"),
        records("records: unknown identifier", "--id person_id", "geheim01\ngeheim99\n", "some.txt, line 2: names no record of the original file"),
        fails("files of different length", "link --method am in.csv masked.csv", 3, "masked.csv: has 10 records, the original has 9: they cannot be the same people line by line. Name a column that identifies a record in both files with --id")
            .file("in.csv", &shorter),
        fails("identifier in one file only", "link --method am --id person_id good.csv in.csv", 2, "in.csv: there is no attribute \"person_id\"")
            .file("in.csv", MASKED.replace("person_id", "who")),
        fails("identifier twice in the original", "link --method am --id person_id in.csv masked.csv", 3, "in.csv, line 11, attribute \"person_id\": identifies a record that an earlier line identified already")
            .file("in.csv", &twice),
        fails("identifier twice in the masked file", "link --method am --id person_id good.csv in.csv", 3, "in.csv, line 11, attribute \"person_id\": identifies a record")
            .file("in.csv", &twice),
        fails("no identifier in common", "link --method am --id person_id good.csv in.csv", 3, "in.csv, attribute \"person_id\": no identifier of it occurs in the original file")
            .file("in.csv", &others),
        case("identifiers align a shorter file", "link --method am --id person_id good.csv in.csv", Notes("1 of 10 original records have no masked record"))
            .file("in.csv", &shorter),
        link("identifier and key", "--id person_id --key key.csv", 2, "cannot be used with").file("key.csv", "masked,original\n1,1\n"),
        link("key: no such file", "--key nofile.csv", 1, "nofile.csv: cannot read it"),
        link("key: other columns", "--key key.csv", 3, "key.csv, line 1: is not a line of two record numbers").file("key.csv", "a,b\n1,1\n"),
        link("key: text", "--key key.csv", 3, "key.csv, line 3: is not a line of two record numbers").file("key.csv", "masked,original\n1,1\n2,geheim\n"),
        link("key: record zero", "--key key.csv", 3, "key.csv, line 2: is not a line of two record numbers").file("key.csv", "masked,original\n0,1\n"),
        link("key: record twice", "--key key.csv", 3, "key.csv, line 3: names a record that does not exist").file("key.csv", "masked,original\n1,1\n2,1\n"),
        link("key: beyond the last", "--key key.csv", 3, "key.csv, line 2: names a record that does not exist").file("key.csv", "masked,original\n11,1\n"),
        link("key: names nobody", "--key key.csv", 3, "key.csv").file("key.csv", "masked,original\n"),
    ]
}
