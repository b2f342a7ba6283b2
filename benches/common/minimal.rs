//! The yardstick of reading and writing: a minimal program on the `csv` crate.

use std::io::{Read, Write};

/// Parses every cell to `f64` and writes it back, record by record.
pub fn csv_crate(input: impl Read, output: impl Write) {
    let mut reader = csv::Reader::from_reader(input);
    let mut writer = csv::Writer::from_writer(output);
    writer
        .write_record(reader.headers().expect("a header"))
        .expect("room for the output");
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).expect("a record") {
        for cell in &record {
            let value: f64 = cell.parse().expect("a number");
            writer
                .write_field(value.to_string())
                .expect("room for the output");
        }
        writer
            .write_record(None::<&[u8]>)
            .expect("room for the output");
    }
    writer.flush().expect("room for the output");
}
