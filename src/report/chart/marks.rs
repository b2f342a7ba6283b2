//! The marks of series, each with its own colour and its own shape.

use super::{
    picture::{Anchor, Picture, short},
    style::SERIES,
};

/// Radius of a mark, in pixels.
pub const RADIUS: f64 = 5.0;

/// The class of the colour of a series.
pub fn colour(series: usize) -> String {
    format!("s{}", series % SERIES.len())
}

/// Draws the mark of a series: a circle, square, triangle, diamond, triangle on its head, cross, hexagon, star.
pub fn draw(picture: &mut Picture, series: usize, middle: (f64, f64), kind: &str) {
    const SHAPES: usize = 8;
    let class = format!("{kind} {}", colour(series));
    let around = |turned: f64, radii: &[f64]| -> Vec<(f64, f64)> {
        let corners = radii.len();
        (0..corners)
            .map(|corner| {
                let angle = (turned + corner as f64 / corners as f64) * std::f64::consts::TAU;
                let radius = radii[corner] * RADIUS;
                (
                    middle.0 + radius * angle.sin(),
                    middle.1 - radius * angle.cos(),
                )
            })
            .collect()
    };
    // Equal areas look equally large; sharp shapes need longer radii.
    let places = match series % SHAPES {
        0 => return picture.circle(middle, RADIUS, &class),
        1 => around(0.125, &[1.25; 4]),
        2 => around(0.0, &[1.45; 3]),
        3 => around(0.0, &[1.35; 4]),
        4 => around(0.5, &[1.45; 3]),
        5 => cross(middle),
        6 => around(0.0, &[1.15; 6]),
        _ => around(0.0, &[1.6, 0.7, 1.6, 0.7, 1.6, 0.7, 1.6, 0.7, 1.6, 0.7]),
    };
    picture.polygon(&places, &class);
}

/// A cross of equal arms.
fn cross((x, y): (f64, f64)) -> Vec<(f64, f64)> {
    const ARM: f64 = 0.45 * RADIUS;
    const END: f64 = 1.3 * RADIUS;
    let (near, far) = (ARM, END);
    [
        (-near, -far),
        (near, -far),
        (near, -near),
        (far, -near),
        (far, near),
        (near, near),
        (near, far),
        (-near, far),
        (-near, near),
        (-far, near),
        (-far, -near),
        (-near, -near),
    ]
    .map(|(right, down)| (x + right, y + down))
    .into()
}

/// How wide a text of 11 pixels is, about.
pub fn width_of(text: &str) -> f64 {
    const LETTER: f64 = 6.1;
    LETTER * text.chars().count() as f64
}

/// An entry of a legend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entry<'a> {
    /// A series by its number, with its name.
    Series(usize, &'a str),
    /// A line of a class, with its name.
    Line(&'static str, &'a str),
    /// A hollow mark, with what it says.
    Hollow(&'a str),
}

/// An entry and where it stands.
pub type Placed<'a> = (Entry<'a>, (f64, f64));

const LINE: f64 = 20.0;
const KEY: f64 = 26.0;
const MAX_LETTERS: usize = 42;

/// Lays a legend out in lines that are no longer than `width`, from a place on; gives what to draw and the height.
pub fn legend<'a>(entries: &[Entry<'a>], width: f64) -> (Vec<Placed<'a>>, f64) {
    let mut placed = Vec::new();
    let (mut x, mut y) = (0.0, 0.0);
    for &entry in entries {
        let (Entry::Series(_, name) | Entry::Line(_, name) | Entry::Hollow(name)) = entry;
        let long = KEY + width_of(&short(name, MAX_LETTERS)) + 14.0;
        if x > 0.0 && x + long > width {
            (x, y) = (0.0, y + LINE);
        }
        placed.push((entry, (x, y)));
        x += long;
    }
    let height = if entries.is_empty() { 0.0 } else { y + LINE };
    (placed, height)
}

/// Draws an entry of a legend.
pub fn draw_entry(picture: &mut Picture, entry: Entry<'_>, (x, y): (f64, f64)) {
    let middle = (x + KEY / 2.0 - 2.0, y + LINE / 2.0);
    let ends = ((x, middle.1), (x + KEY - 5.0, middle.1));
    let name = match entry {
        Entry::Series(series, name) => {
            draw(picture, series, middle, "mark");
            name
        }
        Entry::Line(class, name) => {
            picture.line(ends.0, ends.1, class);
            name
        }
        Entry::Hollow(name) => {
            draw(picture, 0, middle, "hollow");
            name
        }
    };
    let text = (x + KEY, middle.1 + 4.0);
    picture.text(text, Anchor::Start, "ink small", &short(name, MAX_LETTERS));
}
