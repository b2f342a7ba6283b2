//! Weights as bars.

use super::{
    weighted::Weighted,
    words::{self, Headline},
};
use crate::report::chart::picture::{Anchor, Drawing, Picture, short};

/// Draws each weight as a bar from 0 to 100 %, with its range as a line.
pub fn draw(weighted: &Weighted, headline: &Headline, in_words: &[String]) -> Drawing {
    const LEFT: f64 = 220.0;
    const LONGEST: f64 = 360.0;
    const STEP: f64 = 30.0;
    const TOP: f64 = 64.0;
    const MAX_LETTERS: usize = 28;
    let height = TOP + STEP * weighted.weights.len() as f64 + 16.0;
    let mut picture = Picture::new(LEFT + LONGEST + 100.0, height);
    picture.headline(&headline.links, headline.kind);
    for (place, weight) in weighted.weights.iter().enumerate() {
        let top = TOP + STEP * place as f64;
        let figure = words::share(weight.weight);
        let range = words::range(weight.range, words::share);
        let said = if range.is_empty() {
            format!("{}: {figure}", weight.name)
        } else {
            format!(
                "{}: {figure}, anything from {range} links as many",
                weight.name
            )
        };
        picture.group(&said, |picture| {
            let name = short(&weight.name, MAX_LETTERS);
            picture.text((LEFT - 10.0, top + 16.0), Anchor::End, "ink", &name);
            let along = |share: f64| LEFT + LONGEST * share.clamp(0.0, 1.0);
            let length = along(weight.weight) - LEFT;
            picture.rectangle((LEFT, top + 4.0), (LONGEST, 16.0), "frame", 0.0);
            picture.rectangle((LEFT, top + 4.0), (length, 16.0), "shade", 1.0);
            if let Some((least, greatest)) = weight.range {
                let middle = top + 12.0;
                picture.line((along(least), middle), (along(greatest), middle), "range");
                for end in [least, greatest] {
                    picture.line((along(end), top + 6.0), (along(end), top + 18.0), "range");
                }
            }
            let after = LEFT + LONGEST + 10.0;
            picture.text((after, top + 16.0), Anchor::Start, "ink", &figure);
        });
    }
    headline.finish(picture, &in_words.join(" "))
}
