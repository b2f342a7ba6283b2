//! `verify`: what is no certificate, and what speaks of other files.

use super::{Case, fails};
use crate::verify::{MASKED, ORIGINAL, certificate};

/// `verify c.json o.csv m.csv` with this certificate.
fn refused(name: &'static str, certificate: impl AsRef<[u8]>, says: &'static str) -> Case {
    fails(name, "verify c.json o.csv m.csv", 3, says)
        .file("o.csv", ORIGINAL)
        .file("m.csv", MASKED)
        .file("c.json", certificate)
}

pub fn cases() -> Vec<Case> {
    let whole = certificate(|_| ());
    let with = |old: &str, new: &str| {
        assert!(whole.contains(old), "{old} is not in {whole}");
        whole.replace(old, new)
    };
    let alike = |name, original: &str, masked: &str, says| {
        fails(name, "verify c.json o.csv m.csv", 3, says)
            .file("o.csv", original)
            .file("m.csv", masked)
            .file("c.json", &whole)
    };
    let shuffled = "\
name,x,y
geheim02,918273747,100
geheim01,918273645,2
geheim03,918273646,0
geheim04,918273745,101
geheim05,918273651,5
";
    vec![
        refused(
            "certificate that ends early",
            &whole[..whole.len() / 2],
            "is not a certificate (it ends too early",
        ),
        refused("certificate that is empty", "", "is not a certificate"),
        refused(
            "certificate that is a table",
            ORIGINAL,
            "is not a certificate",
        ),
        refused(
            "certificate that is not text",
            [0xff, 0xfe, 0x00],
            "is not UTF-8",
        ),
        refused(
            "certificate of another schema",
            with("certificate/2", "certificate/1"),
            "is not of the schema",
        ),
        refused(
            "certificate of no family",
            with("\"wm\"", "\"geheim\""),
            "of the wrong kind",
        ),
        refused(
            "certificate with NaN",
            with("[1.0,0.0]", "[NaN,0.0]"),
            "no JSON",
        ),
        refused(
            "certificate with infinity",
            with("[1.0,0.0]", "[1e999,0.0]"),
            "out of range",
        ),
        refused(
            "certificate with a negative record",
            with("[1,3,1.0]", "[-1,3,1.0]"),
            "of the wrong kind",
        ),
        refused(
            "certificate with a broken record",
            with("[1,3,1.0]", "[1.5,3,1.0]"),
            "of the wrong kind",
        ),
        refused(
            "certificate with a huge record",
            with("[1,3,1.0]", "[5000000000,3,1.0]"),
            "of the wrong kind",
        ),
        refused(
            "certificate with text for a number",
            with("\"linked\":3", "\"linked\":\"geheim\""),
            "of the wrong kind",
        ),
        refused(
            "certificate with too few parameters",
            with("[1.0,0.0]", "[1.0]"),
            "another number of parameters",
        ),
        refused(
            "certificate of a stranger",
            with("[\"x\",\"y\"]", "[\"x\",\"z\"]"),
            "does not have the attribute \"z\"",
        ),
        refused(
            "certificate with a name twice",
            with("[\"x\",\"y\"]", "[\"x\",\"x\"]"),
            "names no attribute, or one twice",
        ),
        refused(
            "certificate of a name as a number",
            with("[\"x\",\"y\"]", "[\"x\",\"name\"]"),
            "has other values",
        ),
        refused(
            "certificate of strangers held",
            with("\"held\":null", "\"held\":[9]"),
            "does not have",
        ),
        alike(
            "certificate of another value",
            &ORIGINAL.replace("101", "102"),
            MASKED,
            "o.csv: has other values",
        ),
        alike(
            "certificate of another release",
            ORIGINAL,
            &MASKED.replace(",5\n", ",6\n"),
            "m.csv: has other values",
        ),
        alike(
            "certificate of a longer file",
            &format!("{ORIGINAL}geheim06,1,2\n"),
            &format!("{MASKED}geheim06,1,2\n"),
            "o.csv: has 6 records",
        ),
        alike(
            "certificate of an empty file",
            "name,x,y\n",
            "name,x,y\n",
            "records",
        ),
        alike(
            "certificate of files turned round",
            MASKED,
            ORIGINAL,
            "o.csv: has other values",
        ),
        alike(
            "certificate of a shuffled release",
            ORIGINAL,
            shuffled,
            "m.csv: has other values",
        ),
        fails(
            "certificate and another pairing",
            "verify --key k.csv c.json o.csv m.csv",
            3,
            "are not paired as",
        )
        .file("o.csv", ORIGINAL)
        .file("m.csv", MASKED)
        .file("c.json", &whole)
        .file("k.csv", "masked,original\n1,2\n2,1\n3,3\n4,4\n5,5\n"),
        fails(
            "verify of one input twice",
            "verify c.json - -",
            2,
            "can be read only once",
        ),
        fails(
            "verify into its certificate",
            "verify -o c.json c.json good.csv masked.csv",
            2,
            "inputs are never overwritten",
        )
        .file("c.json", &whole),
        fails(
            "verify without a certificate",
            "verify none.json good.csv masked.csv",
            1,
            "there is no such file",
        ),
    ]
}
