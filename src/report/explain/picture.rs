//! Pictures: SVG that needs nothing else, reads in light and dark, and tells in words what it shows.

use std::fmt::Write as _;

use super::words::Headline;

/// Colours and letters. `.value` text stands on strong shades.
const STYLE: &str = "\
svg{font-family:system-ui,sans-serif;font-size:13px}\
.ground{fill:#ffffff}.ink{fill:#111827}.dim{fill:#4b5563}.shade{fill:#1e3a8a}.minus{fill:#9a3412}.on{fill:#ffffff}\
.frame{fill:none;stroke:#6b7280}.edge{stroke:#9ca3af;stroke-width:1}.strong{stroke:#b45309;stroke-width:3}\
.range{stroke:#b45309;stroke-width:2}.small{font-size:11px}.head{font-size:15px;font-weight:600}\
@media (prefers-color-scheme:dark){\
.ground{fill:#111827}.ink{fill:#f3f4f6}.dim{fill:#9ca3af}.shade{fill:#60a5fa}.minus{fill:#fb923c}.on{fill:#0b1220}\
.frame{stroke:#9ca3af}.edge{stroke:#4b5563}.strong{stroke:#fbbf24}.range{stroke:#fbbf24}}";

/// From this opacity of a shade on, text on it is of the class `on`.
pub const STRONG_SHADE: f64 = 0.72;

/// A picture that is being drawn, in pixels from the upper left corner.
#[derive(Debug)]
pub struct Picture {
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
    pub fn headline(&mut self, headline: &Headline) {
        self.text((16.0, 26.0), Anchor::Start, "ink head", &headline.links);
        self.text((16.0, 44.0), Anchor::Start, "dim small", headline.kind);
    }

    /// Draws a group that carries a text of its own, which readers of screens and pointers show.
    pub fn group(&mut self, title: &str, draw: impl FnOnce(&mut Self)) {
        self.put(format_args!("<g><title>{}</title>", escaped(title)));
        draw(self);
        self.body += "</g>\n";
    }

    /// A box with round corners; opacity is from 0 to 1.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), class: &str, opacity: f64) {
        let ((x, y), (width, height)) = (corner, size);
        let opacity = opacity.clamp(0.0, 1.0);
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="4" class="{class}" fill-opacity="{opacity:.3}"/>"#
        ));
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" class="{class}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// A line of text.
    pub fn text(&mut self, place: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="{anchor}" class="{class}">{}</text>"#,
            place.0,
            place.1,
            escaped(text)
        ));
    }

    /// The whole document. `description` is what the picture shows, for those who cannot see it.
    pub fn finish(self, headline: &Headline, description: &str) -> String {
        let Self {
            width,
            height,
            body,
        } = self;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" aria-labelledby="title desc">
<title id="title">{}</title>
<desc id="desc">{}</desc>
<style>{STYLE}</style>
<rect width="100%" height="100%" class="ground"/>
{body}</svg>
"#,
            escaped(&format!("{}: {}", headline.links, headline.kind)),
            escaped(description)
        )
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

/// Text as XML holds it. Characters that XML cannot hold become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&apos;",
            '\t' | '\n' | '\r' => safe.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A text of at most so many characters; the last one of a longer text becomes `…`.
pub fn short(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        false => text.into(),
        true => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(std::iter::once('…'))
            .collect(),
    }
}
