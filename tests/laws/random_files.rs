//! Files that chance makes: ties, duplicates, gaps, skew.

use sdcrisk::table::{ReadOptions, Table};

/// A small generator of its own, so that no test depends on the crate's.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Cells of a file: `None` is missing.
pub type Cells = Vec<Vec<Option<i64>>>;

/// `records` × `attributes` integers: the first attribute has many ties, the others spread more and more; one cell in
/// `gap` is missing (0: none); every seventh record repeats the one before.
pub fn cells(dice: &mut Dice, records: usize, attributes: usize, gap: u64) -> Cells {
    let mut cells: Cells = Vec::new();
    for record in 0..records {
        if record % 7 == 6 {
            cells.push(cells[record - 1].clone());
            continue;
        }
        let level = dice.roll(40) as i64;
        cells.push(
            (0..attributes)
                .map(|attribute| {
                    let missing = gap > 0 && dice.roll(gap) == 0;
                    let spread = 5 * 4_u64.pow(attribute.min(6) as u32);
                    let value = level * attribute as i64 + dice.roll(spread) as i64;
                    (!missing).then_some(value)
                })
                .collect(),
        );
    }
    cells
}

/// As CSV with names a0, a1, ….
pub fn csv(cells: &Cells) -> String {
    let width = cells.first().map_or(1, Vec::len);
    let names: Vec<String> = (0..width)
        .map(|attribute| format!("a{attribute}"))
        .collect();
    let mut text = names.join(",") + "\n";
    for record in cells {
        let line: Vec<String> = record
            .iter()
            .map(|cell| cell.map_or("NA".to_string(), |value| value.to_string()))
            .collect();
        text += &(line.join(",") + "\n");
    }
    text
}

/// The cells of a CSV text written by the program, one attribute after the other as in [`csv`].
pub fn parse(text: &str) -> Cells {
    text.lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().ok()).collect())
        .collect()
}

/// As the program reads them.
pub fn table(cells: &Cells) -> Table {
    Table::read("f.csv", csv(cells).into_bytes(), &ReadOptions::default()).unwrap()
}
