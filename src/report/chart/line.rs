//! Lines: a rate against a parameter, one line a series, with intervals, a line of reference, and what was published.

use super::{
    axis::{Axis, Scale},
    marks::{self, Entry},
    picture::{Drawing, Picture},
    plot::{self, Plot, Words},
};
use crate::report::text;

/// A series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Which colour and shape it has: the same in all pictures of a page.
    pub number: usize,
    /// Its points, from left to right.
    pub points: Vec<At>,
}

/// A point of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At {
    /// The value of the parameter, along the horizontal axis.
    pub x: f64,
    /// The rate, as a share.
    pub y: f64,
    /// Where y lies, if it is uncertain.
    pub interval: Option<[f64; 2]>,
    /// The rate that was published.
    pub published: Option<f64>,
}

const HEIGHT: f64 = 320.0;

/// What a line of reference is called that shows what guessing gives.
pub const BY_CHANCE: &str = "by chance";

/// The chart, with a dotted line of reference and what that is called.
pub fn drawing(
    series: &[Series],
    (name, reference): (&str, &[(f64, f64)]),
    words: &Words<'_>,
) -> Drawing {
    let all = || series.iter().flat_map(|series| &series.points);
    let along = all().map(|at| at.x).chain(reference.iter().map(|at| at.0));
    let up = all()
        .flat_map(|at| {
            let published = at.published.into_iter();
            published
                .chain([at.y])
                .chain(clipped(at).into_iter().flatten())
        })
        .chain(reference.iter().map(|at| at.1));
    let axes = (
        Some(Axis::over(along, Scale::Number, 8)),
        Axis::over(up, Scale::Share, 5),
    );
    let mut entries: Vec<Entry<'_>> = series
        .iter()
        .map(|series| Entry::Series(series.number, &series.name))
        .collect();
    if !reference.is_empty() {
        entries.push(Entry::Line("chance", name));
    }
    if all().any(|at| at.published.is_some()) {
        entries.push(Entry::Hollow("published"));
    }
    let (mut picture, plot) = Plot::begin(words, &entries, axes, HEIGHT);
    for series in series {
        draw_band(&mut picture, &plot, series);
    }
    if !reference.is_empty() {
        let places: Vec<(f64, f64)> = reference.iter().map(|at| plot.place(at.0, at.1)).collect();
        picture.curve(&places, "chance");
    }
    for series in series {
        draw_series(&mut picture, &plot, series);
    }
    picture.done(words.title, &described(series, words))
}

/// No rate is below 0 or above 1, whatever an interval by a normal distribution says.
fn clipped(at: &At) -> Option<[f64; 2]> {
    plot::clipped(at.interval, at.y, Some(1.0))
}

fn draw_band(picture: &mut Picture, plot: &Plot, series: &Series) {
    let ends: Vec<(f64, [f64; 2])> = series
        .points
        .iter()
        .filter_map(|at| Some((at.x, clipped(at)?)))
        .collect();
    let lower = ends.iter().map(|&(x, [low, _])| plot.place(x, low));
    let upper = ends.iter().rev().map(|&(x, [_, high])| plot.place(x, high));
    let edge: Vec<(f64, f64)> = lower.chain(upper).collect();
    if ends.len() > 1 {
        picture.polygon(&edge, &format!("band {}", marks::colour(series.number)));
    }
}

fn draw_series(picture: &mut Picture, plot: &Plot, series: &Series) {
    let places: Vec<(f64, f64)> = series
        .points
        .iter()
        .map(|at| plot.place(at.x, at.y))
        .collect();
    if places.len() > 1 {
        picture.curve(&places, &format!("curve {}", marks::colour(series.number)));
    }
    for at in &series.points {
        picture.group(&said(series, at), |picture| {
            if let ([_], Some([low, high])) = (&series.points[..], clipped(at)) {
                let class = format!("thin {}", marks::colour(series.number));
                picture.line(plot.place(at.x, low), plot.place(at.x, high), &class);
            }
            if let Some(published) = at.published {
                marks::draw(
                    picture,
                    series.number,
                    plot.place(at.x, published),
                    "hollow",
                );
            }
            marks::draw(picture, series.number, plot.place(at.x, at.y), "mark");
        });
    }
}

fn said(series: &Series, at: &At) -> String {
    let published = at.published.map_or(String::new(), |rate| {
        format!(", published {}", text::percent(rate))
    });
    format!(
        "{} at {}: {}{published}",
        series.name,
        at.x,
        text::percent(at.y)
    )
}

fn described(series: &[Series], words: &Words<'_>) -> String {
    const MAX: usize = 120;
    let items: Vec<String> = series
        .iter()
        .flat_map(|series| series.points.iter().map(move |at| said(series, at)))
        .take(MAX)
        .collect();
    format!("{} against {}. {}.", words.y, words.x, items.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval from -20 % to 130 % ends at 0 and at 1, and so does the axis.
    #[test]
    fn intervals_of_rates_end_at_0_and_1() {
        let at = |x: f64| At {
            x,
            y: 0.4,
            interval: Some([-0.2, 1.3]),
            published: None,
        };
        let series = Series {
            name: "am".into(),
            number: 0,
            points: vec![at(1.0), at(2.0)],
        };
        let words = Words {
            title: "rates",
            below: "",
            x: "p",
            y: "rate",
        };
        let svg = drawing(&[series], (BY_CHANCE, &[]), &words).standalone();
        assert!(svg.contains(">100 %") && !svg.contains(">120 %"), "{svg}");
        assert!(!svg.contains(">-"), "{svg}");
    }

    /// The diagonal of a calibration is no guess.
    #[test]
    fn a_line_of_reference_has_the_name_that_it_is_given() {
        let words = Words {
            title: "calibration",
            below: "",
            x: "stated",
            y: "true",
        };
        let diagonal = ("perfectly calibrated", &[(0.0, 0.0), (100.0, 1.0)][..]);
        let svg = drawing(&[], diagonal, &words).standalone();
        assert!(
            svg.contains("perfectly calibrated") && !svg.contains(BY_CHANCE),
            "{svg}"
        );
    }
}
