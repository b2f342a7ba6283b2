//! What a masking can write beside the masked file: private, like a seed.

use std::io::Write;

use crate::{
    mask::{
        Details, Masked, fuzzy,
        microaggregation::{self, Partition},
    },
    report::{io_error, spreadsheet},
};

/// The key of a shuffled file: which original record each masked record is, both counted from 1.
///
/// # Errors
/// Those of the output.
pub fn write_key(out: &mut dyn Write, order: &[u32]) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    writer
        .write_record(["masked", "original"])
        .map_err(io_error)?;
    for (masked, &original) in order.iter().enumerate() {
        writer
            .serialize((masked + 1, u64::from(original) + 1))
            .map_err(io_error)?;
    }
    writer.flush()
}

/// Which group or cluster each record is in, for attributes that were masked together.
struct Assignment<'a> {
    attributes: &'a [String],
    /// From 0, one a record of the original file.
    of_record: &'a [u32],
}

impl<'a> Assignment<'a> {
    fn of_groups(block: &'a microaggregation::Block) -> Self {
        Self {
            attributes: &block.attributes,
            of_record: block.partition.group_of(),
        }
    }

    fn of_clusters(block: &'a fuzzy::Block) -> Self {
        Self {
            attributes: &block.attributes,
            of_record: &block.cluster_of,
        }
    }
}

/// Writes a line for each record of the original file: its number, and those of its groups, all counted from 1, nothing where it
/// is in `none`. The columns are named by `word`, and by their attributes where there are several.
fn write_assignments(
    word: &str,
    columns: &[Assignment<'_>],
    none: u32,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    let mut header = vec!["record".to_owned()];
    header.extend(columns.iter().map(|column| match columns.len() {
        1 => word.to_owned(),
        _ => format!("{word} of {}", column.attributes.join("+")),
    }));
    writer.write_record(&header).map_err(io_error)?;
    let records = columns.first().map_or(0, |column| column.of_record.len());
    for record in 0..records {
        let mut line = vec![(record + 1).to_string()];
        line.extend(columns.iter().map(|column| match column.of_record[record] {
            number if number == none => String::new(),
            number => (u64::from(number) + 1).to_string(),
        }));
        writer.write_record(&line).map_err(io_error)?;
    }
    writer.flush()
}

/// Writes the group or the cluster of each record.
///
/// # Errors
/// Those of the output.
pub fn write_partition(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let (columns, word, none): (Vec<Assignment<'_>>, _, _) = match &masked.details {
        Details::Microaggregation(blocks) => {
            let columns = blocks.iter().map(Assignment::of_groups);
            (columns.collect(), "group", Partition::NO_GROUP)
        }
        _ => {
            let columns = clustered(masked).iter().map(Assignment::of_clusters);
            (columns.collect(), "cluster", fuzzy::Block::NO_CLUSTER)
        }
    };
    write_assignments(word, &columns, none, out)
}

fn clustered(masked: &Masked) -> &[fuzzy::Block] {
    match &masked.details {
        Details::Fuzzy(blocks) => blocks,
        _ => &[],
    }
}

/// The centres in the file's units, in the order of the clusters.
///
/// # Errors
/// Those of the output.
pub fn write_centres(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    for block in clustered(masked) {
        writer.write_record(&block.attributes).map_err(io_error)?;
        for centre in block.centres.chunks_exact(block.attributes.len().max(1)) {
            writer.serialize(centre).map_err(io_error)?;
        }
    }
    writer.flush()
}

/// The memberships of each record in each cluster; empty where the record has no value.
///
/// # Errors
/// Those of the output.
pub fn write_memberships(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    for block in clustered(masked) {
        let header = (1..=block.n_clusters).map(|cluster| cluster.to_string());
        writer
            .write_record(std::iter::once("record".to_owned()).chain(header))
            .map_err(io_error)?;
        let memberships = block.memberships.as_deref().unwrap_or_default();
        for (record, row) in memberships
            .chunks_exact(block.n_clusters.max(1))
            .enumerate()
        {
            let cells: Vec<Option<f64>> = match block.cluster_of[record] {
                fuzzy::Block::NO_CLUSTER => vec![None; row.len()],
                _ => row.iter().copied().map(Some).collect(),
            };
            writer.serialize((record + 1, cells)).map_err(io_error)?;
        }
    }
    writer.flush()
}
