//! A file that was masked in the library, and a study of it: what most of these tests begin with.

use sdcrisk::{
    attack::Direction,
    evaluate::{
        link::{Shared, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    mask::{Mask, Masked},
    rng::{Purpose, Seed},
    table::{AttrId, Table},
};

/// One of the masked files that a seed gives.
pub fn masked(
    method: &dyn Mask,
    original: &Table,
    on: &[AttrId],
    (seed, file): (u64, u32),
) -> Masked {
    let streams = Seed::from_number(seed).streams(Purpose::Mask, file);
    method.mask(original.clone(), on, &streams).unwrap()
}

/// An original and a masked file, with the records of both in the same order.
pub struct Files<'a> {
    original: &'a Table,
    masked: &'a Table,
    truth: Truth,
    /// The attributes that can be compared.
    pub shared: Vec<Shared>,
}

impl<'a> Files<'a> {
    pub fn new(original: &'a Table, masked: &'a Table) -> Self {
        Self {
            original,
            masked,
            truth: Truth::by_order(original, masked).unwrap(),
            shared: shared_attributes(original, masked, None).0,
        }
    }

    /// Everybody is known, and looked for in the masked file.
    pub fn study(&self) -> Study<'_> {
        self.towards(Direction::OriginalToMasked)
    }

    /// Everybody is known.
    pub fn towards(&self, direction: Direction) -> Study<'_> {
        let everybody = (0..)
            .take(self.original.n_records())
            .map(OriginalRecord)
            .collect();
        Study::new(
            self.original,
            self.masked,
            &self.truth,
            everybody,
            direction,
        )
    }

    /// So many people are known, drawn without a pattern, and looked for in the masked file.
    pub fn study_of(&self, many: usize) -> Study<'_> {
        let n = self.original.n_records();
        // 7919 is a prime beyond n: each record once.
        let held = (0..many).map(|i| u32::try_from(i * 7919 % n).unwrap());
        let direction = Direction::OriginalToMasked;
        Study::new(
            self.original,
            self.masked,
            &self.truth,
            held.map(OriginalRecord).collect(),
            direction,
        )
    }
}
