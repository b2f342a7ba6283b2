//! A picture that is being drawn, and one that is done.

use maud::{Markup, PreEscaped, html};

use super::style;

/// From this opacity of a shade on, text on it is of the class `on`.
pub const STRONG_SHADE: f64 = 0.72;

/// A picture that is being drawn, in pixels from the upper left corner.
#[derive(Debug)]
pub struct Picture {
    width: f64,
    height: f64,
    body: String,
}

/// A picture that is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// What it is, in a line.
    pub title: String,
    /// What it shows, for those who cannot see it.
    pub description: String,
    width: f64,
    height: f64,
    body: String,
}

/// Where a text stands about its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Picture {
    /// An empty one.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            body: String::new(),
        }
    }

    /// The two lines above everything.
    pub fn headline(&mut self, head: &str, below: &str) {
        self.text((16.0, 26.0), Anchor::Start, "ink head", head);
        self.text((16.0, 44.0), Anchor::Start, "dim small", below);
    }

    /// Draws a group that carries a text of its own, which readers of screens and pointers show.
    pub fn group(&mut self, title: &str, draw: impl FnOnce(&mut Self)) {
        let mut inside = Self::new(self.width, self.height);
        draw(&mut inside);
        self.put(&html! { g { title { (printable(title)) } (PreEscaped(inside.body)) } });
    }

    /// A box with round corners; opacity is from 0 to 1.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), class: &str, opacity: f64) {
        let opacity = format!("{:.3}", opacity.clamp(0.0, 1.0));
        self.put(&html! {
            rect x=(px(corner.0)) y=(px(corner.1)) width=(px(size.0)) height=(px(size.1)) rx="4" class=(class) fill-opacity=(opacity) {}
        });
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(&html! {
            line x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) class=(class) {}
        });
    }

    /// A line through several places.
    pub fn curve(&mut self, places: &[(f64, f64)], class: &str) {
        self.put(&html! { polyline points=(points(places)) class=(class) {} });
    }

    /// A closed form.
    pub fn polygon(&mut self, places: &[(f64, f64)], class: &str) {
        self.put(&html! { polygon points=(points(places)) class=(class) {} });
    }

    /// A circle.
    pub fn circle(&mut self, middle: (f64, f64), radius: f64, class: &str) {
        self.put(&html! {
            circle cx=(px(middle.0)) cy=(px(middle.1)) r=(px(radius)) class=(class) {}
        });
    }

    /// A line of text.
    pub fn text(&mut self, place: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        self.put(&html! {
            text x=(px(place.0)) y=(px(place.1)) text-anchor=(anchor.word()) class=(class) { (printable(text)) }
        });
    }

    /// A line of text that is read from below, around its place.
    pub fn upright_text(&mut self, place: (f64, f64), class: &str, text: &str) {
        let turned = format!("rotate(-90 {} {})", px(place.0), px(place.1));
        self.put(&html! {
            text x=(px(place.0)) y=(px(place.1)) text-anchor="middle" class=(class) transform=(turned) { (printable(text)) }
        });
    }

    /// The picture, done. `description` is what it shows, for those who cannot see it.
    pub fn done(self, title: &str, description: &str) -> Drawing {
        Drawing {
            title: printable(title),
            description: printable(description),
            width: self.width,
            height: self.height,
            body: self.body,
        }
    }

    fn put(&mut self, element: &Markup) {
        self.body += &element.0;
        self.body.push('\n');
    }
}

impl Drawing {
    /// As a file of its own.
    pub fn standalone(&self) -> String {
        let inside = html! {
            style { (PreEscaped(style::sheet())) }
            rect width="100%" height="100%" class="ground" {}
        };
        self.element("title", "desc", &inside).0 + "\n"
    }

    /// As a part of a page that has the style sheet of pictures; `id` is one that nothing else in the page has.
    pub fn inline(&self, id: &str) -> Markup {
        self.element(&format!("{id}-title"), &format!("{id}-desc"), &html! {})
    }

    fn element(&self, title: &str, description: &str, first: &Markup) -> Markup {
        let (width, height) = (format!("{:.0}", self.width), format!("{:.0}", self.height));
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) class="picture"
                role="img" aria-labelledby={ (title) " " (description) } {
                title id=(title) { (self.title) }
                desc id=(description) { (self.description) }
                (first)
                (PreEscaped(&self.body))
            }
        }
    }
}

fn px(length: f64) -> String {
    format!("{length:.1}")
}

fn points(places: &[(f64, f64)]) -> String {
    let places: Vec<String> = places
        .iter()
        .map(|place| format!("{},{}", px(place.0), px(place.1)))
        .collect();
    places.join(" ")
}

/// Text that XML can hold: line ends and tabs become blanks, other characters that it cannot hold U+FFFD.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => ' ',
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// A text of at most so many characters; the last one of a longer text becomes `…`.
pub fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.into()
    } else {
        text.chars()
            .take(most.saturating_sub(1))
            .chain(std::iter::once('…'))
            .collect()
    }
}
