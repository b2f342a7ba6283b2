//! A matrix as a heat map.

use super::{matrix::Bilinear, words::Headline};
use crate::report::chart::picture::{Anchor, Drawing, Picture, STRONG_SHADE, short};

/// Draws each entry as a square, shaded by its size in one of two colours by its sign, with its figure in it.
pub fn draw(bilinear: &Bilinear, headline: &Headline, in_words: &[String]) -> Drawing {
    const LEFT: f64 = 200.0;
    const TOP: f64 = 92.0;
    const SIDE: f64 = 58.0;
    const MAX_LETTERS: usize = 24;
    /// What fits above a square.
    const MAX_ABOVE: usize = 7;
    let n = bilinear.attributes.len() as f64;
    let least_width = 640.0_f64;
    let width = least_width.max(LEFT + SIDE * n + 16.0);
    let mut picture = Picture::new(width, TOP + SIDE * n + 40.0);
    picture.headline(&headline.links, headline.kind);
    let greatest = bilinear
        .matrix
        .iter()
        .flatten()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for (k, name) in bilinear.attributes.iter().enumerate() {
        let along = k as f64 * SIDE;
        picture.group(name, |picture| {
            let row = (LEFT - 8.0, TOP + along + SIDE / 2.0 + 4.0);
            picture.text(row, Anchor::End, "ink", &short(name, MAX_LETTERS));
            let above = (LEFT + along + SIDE / 2.0, TOP - 8.0);
            picture.text(above, Anchor::Middle, "dim small", &short(name, MAX_ABOVE));
        });
        for (l, other) in bilinear.attributes.iter().enumerate() {
            let entry = bilinear.matrix[k][l];
            let shade = if greatest > 0.0 {
                entry.abs() / greatest
            } else {
                0.0
            };
            let corner = (LEFT + l as f64 * SIDE, TOP + along);
            picture.group(&format!("{name}, {other}: {entry:+.3}"), |picture| {
                let (colour, square) = (if entry < 0.0 { "minus" } else { "shade" }, (SIDE, SIDE));
                picture.rectangle(corner, square, "frame", 0.0);
                picture.rectangle(corner, square, colour, shade);
                let middle = (corner.0 + SIDE / 2.0, corner.1 + SIDE / 2.0 + 4.0);
                let ink = if shade >= STRONG_SHADE {
                    "on small"
                } else {
                    "ink small"
                };
                picture.text(middle, Anchor::Middle, ink, &format!("{entry:+.2}"));
            });
        }
    }
    let foot = (16.0, TOP + SIDE * n + 26.0);
    let legend =
        "+ blue, − orange; the stronger the shade, the more the product of two differences counts";
    picture.text(foot, Anchor::Start, "dim small", legend);
    headline.finish(picture, &in_words.join(" "))
}
