//! What charts with two axes share: the head, the legend, the frame with its marks.

use super::{
    axis::Axis,
    marks::{self, Entry},
    picture::{Anchor, Picture, short},
};

/// The words around a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words<'a> {
    /// What it is, in a line.
    pub title: &'a str,
    /// A line below that.
    pub below: &'a str,
    /// What lies along the horizontal axis.
    pub x: &'a str,
    /// What lies along the vertical axis.
    pub y: &'a str,
}

/// The width of every chart, in pixels.
pub const WIDTH: f64 = 720.0;

const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const HEAD: f64 = 58.0;
const FOOT: f64 = 54.0;

/// An interval of a share, without what no share can be: below 0, or above `most`. It always holds the value that it is of.
pub fn clipped(interval: Option<[f64; 2]>, value: f64, most: Option<f64>) -> Option<[f64; 2]> {
    let [low, high] = interval?;
    let most = most.unwrap_or(f64::INFINITY);
    Some([low.max(value.min(0.0)), high.min(value.max(most))])
}

/// A frame with two axes, and its place in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plot {
    /// The horizontal axis; `None` where the chart marks it itself.
    pub x: Option<Axis>,
    /// The vertical axis.
    pub y: Axis,
    /// The upper left corner.
    pub corner: (f64, f64),
    /// Width and height.
    pub size: (f64, f64),
}

impl Plot {
    /// Begins a picture: head, legend and frame are drawn, a frame of this height is free for what follows.
    pub fn begin(
        words: &Words<'_>,
        entries: &[Entry<'_>],
        axes: (Option<Axis>, Axis),
        height: f64,
    ) -> (Picture, Self) {
        let (legend, legend_height) = marks::legend(entries, WIDTH - 32.0);
        let top = HEAD + legend_height + 6.0;
        let mut picture = Picture::new(WIDTH, top + height + FOOT);
        picture.headline(&short(words.title, 84), &short(words.below, 112));
        for (entry, (x, y)) in legend {
            marks::draw_entry(&mut picture, entry, (16.0 + x, HEAD + y));
        }
        let plot = Self {
            x: axes.0,
            y: axes.1,
            corner: (LEFT, top),
            size: (WIDTH - LEFT - RIGHT, height),
        };
        plot.frame(&mut picture, words);
        (picture, plot)
    }

    /// Where a pair of values is drawn.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let along = self.x.map_or(0.0, |axis| axis.share(x));
        (self.across(along), self.height_of(y))
    }

    /// Where a share of the width is.
    pub fn across(&self, share: f64) -> f64 {
        self.corner.0 + self.size.0 * share.clamp(0.0, 1.0)
    }

    /// Where a value of the vertical axis is.
    pub fn height_of(&self, y: f64) -> f64 {
        self.corner.1 + self.size.1 * (1.0 - self.y.share(y).clamp(0.0, 1.0))
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.corner.1 + self.size.1
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.corner.0 + self.size.0
    }

    fn frame(&self, picture: &mut Picture, words: &Words<'_>) {
        let (left, right, bottom) = (self.corner.0, self.right(), self.bottom());
        for (value, written) in self.y.marks() {
            let y = self.height_of(value);
            picture.line((left, y), (right, y), "grid");
            picture.text((left - 8.0, y + 4.0), Anchor::End, "dim small", &written);
        }
        for (value, written) in self.x.map(|axis| axis.marks()).unwrap_or_default() {
            let x = self.place(value, 0.0).0;
            picture.line((x, self.corner.1), (x, bottom), "grid");
            picture.text((x, bottom + 17.0), Anchor::Middle, "dim small", &written);
        }
        picture.line((left, bottom), (right, bottom), "frame");
        picture.line((left, self.corner.1), (left, bottom), "frame");
        let middle = ((left + right) / 2.0, self.corner.1 + self.size.1 / 2.0);
        picture.text(
            (middle.0, bottom + 40.0),
            Anchor::Middle,
            "ink",
            &short(words.x, 90),
        );
        picture.upright_text((18.0, middle.1), "ink", &short(words.y, 52));
    }
}
