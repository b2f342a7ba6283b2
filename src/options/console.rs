//! The options of all commands: messages, threads and memory.

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Messages, threads and memory")]
pub struct ConsoleArgs {
    /// Say nothing on standard error but errors, and what a masking does not protect
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Make every warning, and every note about an option without use, an error (exit status 2)
    #[arg(long, global = true)]
    pub strict: bool,
    /// Say more on standard error: how each used attribute was read
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Number of threads; the results do not depend on it [default: all processors]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// Stop rather than take more memory than this, for example 800MB or 4G [default: what the machine has free, less a tenth]
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    pub memory_limit: Option<u64>,
    /// Write one JSON line a stage to standard error: {"stage": "read", "seconds": 0.12}
    #[arg(long, global = true)]
    pub timings: bool,
}

/// A number of bytes: 800MB, 2G, 1.5GiB. Units are powers of a thousand, with an i powers of 1024; without one, bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "it must be a size such as 800MB, 2G or 1.5GiB".to_string();
    let text = text.trim();
    let digits = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = text[digits..].trim().to_ascii_lowercase();
    let (letter, base) = match unit.strip_suffix("ib") {
        Some(letter) => (letter, 1024.0_f64),
        None => (unit.strip_suffix('b').unwrap_or(&unit), 1000.0),
    };
    let power = match letter {
        "" if base < 1024.0 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    let bytes = number * base.powi(power);
    if !(1.0..1e18).contains(&bytes) {
        return Err(wrong());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to 10^18, as was just seen"
    )]
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_both_kinds() {
        assert_eq!(size("800MB"), Ok(800_000_000));
        assert_eq!(size("2G"), Ok(2_000_000_000));
        assert_eq!(size("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(size("64kib"), Ok(65_536));
        assert_eq!(size("1000"), Ok(1000));
        for text in [
            "",
            "G",
            "-1G",
            "0",
            "1e9",
            "2X",
            "2iB",
            "1.2.3G",
            "1e30T",
            "inf",
            "99999999T",
            "ü",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
