//! Records of one file in blocks, to be compared with a record of the other, many at a time.

use super::{
    Agreement,
    code::Span,
    lanes::{Codes, LANES},
};

/// Who is chosen: either file can be, and the other one chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// Seekers choose among the sought records.
    Sought,
    /// Sought records choose among the seekers.
    Seekers,
}

/// The records that are chosen, in their order.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    agreement: &'a Agreement,
    chosen: Chosen,
    /// For each block of records and each attribute the codes, or the first codes of the spans.
    codes: Vec<Codes>,
    /// If seekers are chosen, how many codes more the spans have.
    more: Vec<Codes>,
    /// For each block, the attributes that records miss. Empty if there are none.
    missing: Vec<Codes>,
}

impl<'a> Blocks<'a> {
    pub fn new(agreement: &'a Agreement, chosen: Chosen) -> Self {
        let width = agreement.width;
        let mut blocks = Self {
            agreement,
            chosen,
            codes: Vec::new(),
            more: Vec::new(),
            missing: Vec::new(),
        };
        let missing = match chosen {
            Chosen::Sought => {
                let code = |sought: usize, k: usize| agreement.codes[sought * width + k];
                blocks.codes = blocks.filled(width, code);
                &agreement.sought_missing
            }
            Chosen::Seekers => {
                let span = |seeker: usize, k: usize| agreement.spans[seeker * width + k];
                blocks.codes = blocks.filled(width, |seeker, k| span(seeker, k).first);
                blocks.more = blocks.filled(width, |seeker, k| span(seeker, k).more);
                &agreement.seekers_missing
            }
        };
        if missing.iter().any(|&bits| bits != 0) {
            blocks.missing = blocks.filled(1, |point, _| missing[point]);
        }
        blocks
    }

    /// Numbers of the records, `width` of each: block by block, those of all records of a block beside each other. 0 past
    /// the last record.
    fn filled(&self, width: usize, number: impl Fn(usize, usize) -> u32) -> Vec<Codes> {
        let n = self.n_points();
        let of_block = |place: usize| {
            std::array::from_fn(|lane| match place / width * LANES + lane {
                point if point < n => number(point, place % width),
                _ => 0,
            })
        };
        (0..n.div_ceil(LANES) * width).map(of_block).collect()
    }

    /// Number of records that can be chosen.
    pub fn n_points(&self) -> usize {
        match self.chosen {
            Chosen::Sought => self.agreement.n_sought,
            Chosen::Seekers => self.agreement.n_seekers,
        }
    }

    /// Number of records that choose.
    pub fn n_choosers(&self) -> usize {
        match self.chosen {
            Chosen::Sought => self.agreement.n_seekers,
            Chosen::Seekers => self.agreement.n_sought,
        }
    }

    /// The weights of the pairs of a chooser with the records of a block, summed in the order of the attributes.
    #[inline(always)]
    pub fn weigh(&self, block: usize, chooser: u32, weights: &[[f64; 2]]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        self.compare(block, chooser, weights, |_, lane, _, weight| {
            sums[lane] += weight;
        });
        sums
    }

    /// Shows the pairs of a chooser with the records of a block: attribute by attribute, for each lane whether they agree, and the weight
    /// of it.
    #[inline(always)]
    pub fn compare(
        &self,
        block: usize,
        chooser: u32,
        weights: &[[f64; 2]],
        mut show: impl FnMut(usize, usize, bool, f64),
    ) {
        let (agreement, chooser) = (self.agreement, chooser as usize);
        let width = agreement.width;
        let missed = match self.chosen {
            Chosen::Sought => agreement.seekers_missing[chooser],
            Chosen::Seekers => agreement.sought_missing[chooser],
        };
        for (k, &[agree, disagree]) in weights.iter().enumerate() {
            if missed >> k & 1 == 1 {
                continue;
            }
            let codes = &self.codes[block * width + k];
            let mut agrees = [false; LANES];
            match self.chosen {
                Chosen::Sought => {
                    let span = agreement.spans[chooser * width + k];
                    for (agrees, &code) in agrees.iter_mut().zip(codes) {
                        *agrees = span.holds(code);
                    }
                }
                Chosen::Seekers => {
                    let code = agreement.codes[chooser * width + k];
                    let more = &self.more[block * width + k];
                    for ((agrees, &first), &more) in agrees.iter_mut().zip(codes).zip(more) {
                        *agrees = Span { first, more }.holds(code);
                    }
                }
            }
            match self.missing.get(block) {
                None => {
                    for (lane, agrees) in agrees.into_iter().enumerate() {
                        show(k, lane, agrees, if agrees { agree } else { disagree });
                    }
                }
                Some(missing) => {
                    for (lane, agrees) in agrees.into_iter().enumerate() {
                        let weight = if agrees { agree } else { disagree };
                        let is_missing = missing[lane] >> k & 1 == 1;
                        show(k, lane, agrees, if is_missing { 0.0 } else { weight });
                    }
                }
            }
        }
    }
}
