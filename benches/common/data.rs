//! Generated files: whole numbers, 13 attributes, the same bytes for the same seed.

use std::io::Write;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Attributes of every generated file.
pub const ATTRIBUTES: usize = 13;

/// Skewed and correlated amounts, as incomes, taxes and contributions are: log-normal, two groups of attributes that share
/// one factor and have another of their own. The spectrum of their correlations is near that of the census file of the
/// literature, whose first two components also hold three quarters of the variance.
pub fn correlated(n_records: usize, seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    file(n_records, || {
        let factors: [f64; 3] = std::array::from_fn(|_| normal(&mut rng));
        std::array::from_fn(|place| {
            let step = place as f64 / (ATTRIBUTES - 1) as f64;
            let (share, spread) = (0.995 - 0.145 * step, 0.4 + 0.6 * step);
            let common = 0.8 * factors[0] + 0.6 * factors[1 + place % 2];
            let own = (1.0 - share * share).sqrt() * normal(&mut rng);
            (13.9 - 3.0 * step + spread * (share * common + own)).exp()
        })
    })
}

/// Thirteen attributes that have nothing to do with each other, normal: no record is near any other, and nothing is
/// to be learned from a part of the attributes about the rest.
pub fn independent(n_records: usize, seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    file(n_records, || {
        std::array::from_fn(|_| (500_000.0 + 100_000.0 * normal(&mut rng)).max(0.0))
    })
}

fn file(n_records: usize, mut record: impl FnMut() -> [f64; ATTRIBUTES]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(n_records * 96 + 128);
    let names: Vec<String> = (1..=ATTRIBUTES).map(|place| format!("X{place}")).collect();
    bytes.extend_from_slice(names.join(",").as_bytes());
    bytes.push(b'\n');
    for _ in 0..n_records {
        for (place, value) in record().into_iter().enumerate() {
            let separator = if place == 0 { "" } else { "," };
            write!(bytes, "{separator}{value:.0}").expect("memory");
        }
        bytes.push(b'\n');
    }
    bytes.shrink_to_fit();
    bytes
}

/// A standard normal number (Box and Muller).
pub fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(rng)).cos()
}

/// A number of `0..1`, of 53 random bits.
fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
