//! The colours of pictures, in light and in dark.

use std::fmt::Write as _;

/// A colour: in light, and in dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// On a light ground, as `#rrggbb`.
    pub light: &'static str,
    /// On a dark ground.
    pub dark: &'static str,
}

const fn colour(light: &'static str, dark: &'static str) -> Colour {
    Colour { light, dark }
}

/// What everything stands on.
pub const GROUND: Colour = colour("#ffffff", "#111827");

/// Letters and lines: classes, the property that is coloured, the colour.
const INKS: [(&str, &str, Colour); 14] = [
    (".ground", "fill", GROUND),
    (".ink", "fill", colour("#111827", "#f3f4f6")),
    (".dim", "fill", colour("#4b5563", "#a8b0bd")),
    (".shade", "fill", colour("#1e3a8a", "#60a5fa")),
    (".minus", "fill", colour("#9a3412", "#fb923c")),
    (".halo", "stroke", GROUND),
    (".on", "fill", colour("#ffffff", "#0b1220")),
    (".frame", "stroke", colour("#6b7280", "#9ca3af")),
    (".grid", "stroke", colour("#e5e7eb", "#273246")),
    (".edge", "stroke", colour("#9ca3af", "#4b5563")),
    (".strong", "stroke", colour("#b45309", "#fbbf24")),
    (".range", "stroke", colour("#b45309", "#fbbf24")),
    (".front", "stroke", colour("#374151", "#d1d5db")),
    (".chance", "stroke", colour("#4b5563", "#a8b0bd")),
];

/// Of several series: after M. Okabe and K. Ito, "Color Universal Design", 2008, each moved away from the ground until it stands out
/// (a contrast of 3 at least). Shapes distinguish series where colours do not.
pub const SERIES: [Colour; 8] = [
    colour("#0072b2", "#56b4e9"),
    colour("#c44e00", "#ff8a3d"),
    colour("#007f5f", "#2fd3a4"),
    colour("#a23b84", "#ef9ccb"),
    colour("#806000", "#f0c040"),
    colour("#4f46b8", "#a79bff"),
    colour("#4b5563", "#c3cad5"),
    colour("#a3241c", "#ff8f87"),
];

/// What does not depend on light and dark.
const FORMS: &str = "\
.picture{font-family:system-ui,sans-serif;font-size:13px}\
.picture .frame{fill:none}.picture .edge{stroke-width:1}.picture .strong{stroke-width:3}.picture .range{stroke-width:2}\
.picture .small{font-size:11px}.picture .halo{paint-order:stroke;stroke-width:3.5;stroke-linejoin:round}.picture .head{font-size:15px;font-weight:600}\
.picture .grid{stroke-width:1}.picture .curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\
.picture .thin{stroke-width:1}.picture .trail{fill:none;stroke-width:1.2;stroke-opacity:.45}\
.picture .band{fill-opacity:.14}.picture .hollow{stroke-width:1.8}.picture .mark{stroke-width:1}\
.picture .front{fill:none;stroke-width:2.4;stroke-dasharray:7 4}.picture .chance{fill:none;stroke-width:1.4;stroke-dasharray:2 3}";

/// The style sheet of all pictures. It speaks of what is inside `.picture` only, so that it can stand in a page too. Paper is light.
pub fn sheet() -> String {
    let mut sheet = FORMS.to_string();
    rules(&mut sheet, |colour| colour.light);
    sheet += "@media screen and (prefers-color-scheme:dark){";
    rules(&mut sheet, |colour| colour.dark);
    sheet + "}"
}

fn rules(sheet: &mut String, shown: fn(Colour) -> &'static str) {
    // Writing to a string cannot fail.
    for (class, property, colour) in INKS {
        let _ = write!(sheet, ".picture {class}{{{property}:{}}}", shown(colour));
    }
    for (place, &colour) in SERIES.iter().enumerate() {
        let (ink, ground) = (shown(colour), shown(GROUND));
        let _ = write!(
            sheet,
            ".picture .s{place}.curve,.picture .s{place}.thin,.picture .s{place}.trail{{stroke:{ink}}}\
             .picture .s{place}.mark{{fill:{ink};stroke:{ground}}}.picture .s{place}.band{{fill:{ink}}}\
             .picture .s{place}.hollow{{stroke:{ink};fill:{ground}}}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance and contrast as WCAG 2.2 defines them.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let channel = |at: usize| {
                let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if value <= 0.04045 {
                    value / 12.92
                } else {
                    ((value + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The definition's own ends: black on white is 21, a colour on itself 1.
    #[test]
    fn contrast_is_that_of_the_definition() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        assert!((contrast("#123456", "#123456") - 1.0).abs() < 1e-9);
    }

    /// WCAG 2.2: 3 for what a picture is understood by (1.4.11), 4.5 for text (1.4.3).
    #[test]
    fn marks_and_letters_stand_out_in_light_and_dark() {
        let text = INKS
            .iter()
            .filter(|(class, ..)| [".ink", ".dim"].contains(class));
        let lines = INKS.iter().filter(|(class, ..)| {
            [".strong", ".range", ".front", ".chance", ".frame"].contains(class)
        });
        let wanted = text
            .map(|(class, _, colour)| (*class, *colour, 4.5))
            .chain(lines.map(|(class, _, colour)| (*class, *colour, 3.0)))
            .chain(SERIES.map(|colour| ("series", colour, 3.0)));
        for (class, colour, least) in wanted {
            assert!(
                contrast(colour.light, GROUND.light) >= least,
                "{class} {colour:?}"
            );
            assert!(
                contrast(colour.dark, GROUND.dark) >= least,
                "{class} {colour:?}"
            );
        }
    }
}
