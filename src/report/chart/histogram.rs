//! Histograms: how many records have a set of this size.

use super::{
    axis::{Axis, Scale},
    marks,
    picture::{Anchor, Drawing},
    plot::{Plot, Words},
};

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What is written below it.
    pub label: String,
    /// What it is, in full.
    pub name: String,
    /// How high it is.
    pub count: u64,
    /// Whether it is the one to look at.
    pub stands_out: bool,
}

const HEIGHT: f64 = 260.0;
/// The widest a bar is.
const WIDEST: f64 = 56.0;

/// The chart.
pub fn drawing(bars: &[Bar], words: &Words<'_>) -> Drawing {
    let counts = bars.iter().map(|bar| bar.count as f64).chain([0.0]);
    let axes = (None, Axis::over(counts, Scale::Number, 5));
    let (mut picture, plot) = Plot::begin(words, &[], axes, HEIGHT);
    let step = plot.size.0 / bars.len().max(1) as f64;
    let wide = (step * 0.72).min(WIDEST);
    // Labels that would run into each other are written at some bars only.
    let longest = bars
        .iter()
        .map(|bar| marks::width_of(&bar.label))
        .fold(1.0, f64::max);
    let every = (1..=bars.len())
        .find(|&every| step * every as f64 > longest + 4.0)
        .unwrap_or(1);
    for (place, bar) in bars.iter().enumerate() {
        let middle = plot.corner.0 + step * (place as f64 + 0.5);
        let top = plot.height_of(bar.count as f64);
        picture.group(&format!("{}: {}", bar.name, bar.count), |picture| {
            let class = if bar.stands_out { "minus" } else { "shade" };
            let size = (wide, plot.bottom() - top);
            if bar.count > 0 {
                picture.rectangle((middle - wide / 2.0, top), size, class, 1.0);
            }
            let count = bar.count.to_string();
            if bar.count > 0 && marks::width_of(&count) < step {
                picture.text((middle, top - 5.0), Anchor::Middle, "ink small", &count);
            }
            if place % every == 0 {
                let below = (middle, plot.bottom() + 17.0);
                picture.text(below, Anchor::Middle, "dim small", &bar.label);
            }
        });
    }
    let items: Vec<String> = bars
        .iter()
        .map(|bar| format!("{}: {}", bar.name, bar.count))
        .collect();
    picture.done(
        words.title,
        &format!("{} by {}. {}.", words.y, words.x, items.join("; ")),
    )
}
