//! How much memory a run may take: one limit, which the command line sets once and everything else asks before it allocates
//! what grows with more than the data.
//!
//! A result never depends on the limit: what would go beyond it is an error, not another way to compute.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Reason, Result};

/// Bytes; without a limit, all that there are.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets the limit of this process, in bytes.
pub fn limit_to(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The limit of this process, in bytes; `u64::MAX` where there is none.
pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Asks for the memory of an array before it is made: so many elements of so many bytes.
///
/// # Errors
/// Failed, when it is more than the limit; `what` begins the message ("the covariances of 5000 attributes"), and `remedy`
/// says what would need less.
pub fn check(what: &str, elements: u128, bytes: usize, remedy: &str) -> Result<()> {
    within(
        limit(),
        what,
        elements.saturating_mul(bytes as u128),
        remedy,
    )
}

fn within(limit: u64, what: &str, bytes: u128, remedy: &str) -> Result<()> {
    if bytes <= u128::from(limit) {
        return Ok(());
    }
    Err(Error::failed(format!(
        "{what} would take about {} of memory, more than the limit of {}",
        in_words(bytes),
        in_words(limit.into())
    ))
    .because(Reason::Memory {
        needed: bytes,
        limit: Some(limit),
    })
    .remedy(format!("{remedy}, or raise --memory-limit")))
}

/// A number of bytes with two or three digits and a unit, powers of a thousand.
pub fn in_words(bytes: u128) -> String {
    const UNITS: [&str; 7] = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit > 0 && value < 9.95 {
        format!("{value:.1} {}", UNITS[unit])
    } else {
        format!("{value:.0} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_compared_with_the_limit_as_a_whole() {
        // 5000² numbers of 8 bytes are 200 MB: exactly at the limit they are allowed, one byte below they are not.
        let bytes = 5000_u128 * 5000 * 8;
        assert!(within(200_000_000, "they", bytes, "Less").is_ok());
        let error = within(199_999_999, "the covariances", bytes, "Name fewer").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the covariances would take about 200 MB of memory, more than the limit of 200 MB. Name fewer, or raise \
             --memory-limit"
        );
        let (needed, limit) = (bytes, Some(199_999_999));
        assert_eq!(error.reason(), Some(&Reason::Memory { needed, limit }));
        // What no machine could count is refused, and nothing overflows.
        assert!(within(u64::MAX, "they", u128::MAX, "Less").is_err());
    }

    #[test]
    fn sizes_in_words() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1000, "1.0 kB"),
            (9_949, "9.9 kB"),
            (9_960, "10 kB"),
            (999_600, "1.0 MB"),
            (1_700_000_000, "1.7 GB"),
            (20_000_000_000, "20 GB"),
        ] {
            assert_eq!(in_words(bytes), words);
        }
    }
}
