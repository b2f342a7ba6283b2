//! A measure as the lattice of its sets (Hasse diagram).

use super::{
    measure::{Measured, SetOfAttributes},
    words::{self, Headline},
};
use crate::{
    report::chart::picture::{Anchor, Drawing, Picture, STRONG_SHADE, short},
    stats::measure::{members, size},
};

/// Widths and heights, in pixels.
const WIDTH: f64 = 80.0;
const LINE: f64 = 13.0;
const GAP: (f64, f64) = (8.0, 12.0);
const BETWEEN_LEVELS: f64 = 46.0;
const TOP: f64 = 64.0;
const LEGEND_STEP: f64 = 20.0;

/// Levels with more sets are broken into rows.
const MAX_IN_ROW: usize = 12;

/// With more attributes each level shows its strongest sets only.
const MAX_WHOLE: usize = 7;

/// How many those are.
const MAX_IN_LEVEL: usize = 12;

/// Letters of a line in a box.
const MAX_IN_LINE: usize = 12;

/// A set and where it stands.
struct Node<'a> {
    of: &'a SetOfAttributes,
    middle: (f64, f64),
}

/// What sets are called in their boxes.
struct Names<'a> {
    attributes: &'a [String],
    /// Short names, no two of them the same.
    short: Vec<String>,
}

impl<'a> Names<'a> {
    fn of(attributes: &'a [String]) -> Self {
        const LEAST: usize = 3;
        let mut short: Vec<String> = Vec::new();
        for (place, name) in attributes.iter().enumerate() {
            let others = || {
                attributes
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != place)
            };
            let begins = |length: usize| name.chars().take(length).collect::<String>();
            let distinguished = (LEAST..=MAX_IN_LINE - 2)
                .map(begins)
                .find(|start| !others().any(|(_, other)| other.starts_with(start.as_str())));
            let found = distinguished.filter(|start| !short.contains(start));
            short.push(found.unwrap_or_else(|| format!("{}#{}", begins(LEAST), place + 1)));
        }
        Self { attributes, short }
    }

    /// The name of a set in lines: an attribute by its name, a larger set by short names, those of most attributes by what is not in them.
    fn lines(&self, set: usize) -> Vec<String> {
        let n = self.attributes.len();
        let all = (1_usize << n) - 1;
        if size(set) == 1 {
            let name = members(set).map(|k| short(&self.attributes[k], MAX_IN_LINE));
            return name.collect();
        }
        if set == all {
            return vec!["all".into()];
        }
        let (mut lines, of) = if size(set) * 2 > n + 1 {
            (vec!["all but".to_owned()], all ^ set)
        } else {
            (Vec::new(), set)
        };
        let mut line = String::new();
        for k in members(of) {
            let name = &self.short[k];
            if !line.is_empty() && line.chars().count() + name.chars().count() >= MAX_IN_LINE {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += name;
        }
        lines.push(line);
        lines
    }
}

/// Draws all sets, the whole on top, one level a size, shaded by measure, with a line where an attribute comes in; the
/// strongest path is thick.
///
/// # Source
/// The form of the figures 1 and 2 of D. Abril, G. Navarro-Arribas, V. Torra, "Choquet integral for record linkage", 2012.
pub fn draw(measured: &Measured, headline: &Headline, in_words: &[String]) -> Drawing {
    let n = measured.attributes.len();
    let levels = levels(measured);
    let widest = levels.iter().map(|level| level.len().min(MAX_IN_ROW)).max();
    let least_width = 640.0_f64;
    let width = least_width.max(32.0 + (WIDTH + GAP.0) * widest.unwrap_or(1) as f64);
    let names = Names::of(&measured.attributes);
    let sets = levels.iter().flatten().map(|of| of.set);
    let lines = sets.map(|set| names.lines(set).len()).max().unwrap_or(1);
    let height = 25.0 + LINE * lines as f64;
    let (nodes, bottom) = placed(&levels, width, height);
    let empty = (width / 2.0, bottom + height / 2.0);
    let legend = bottom + height + 34.0;
    let mut picture = Picture::new(width, legend + LEGEND_STEP * (n + 1) as f64);
    picture.headline(&headline.links, headline.kind);
    draw_edges(&mut picture, measured, &nodes, empty, height);
    for node in &nodes {
        draw_node(&mut picture, node, &names.lines(node.of.set), height);
    }
    picture.group("no attribute: 0", |picture| {
        node_box(picture, (empty, height), &["∅".into()], "0", 0.0);
    });
    draw_legend(&mut picture, measured, &names.short, legend);
    headline.finish(picture, &described(measured, in_words))
}

/// The sets to show, by size from the whole down, each level by number; the sets of the strongest path are always among them.
fn levels(measured: &Measured) -> Vec<Vec<&SetOfAttributes>> {
    let n = measured.attributes.len();
    let most = if n > MAX_WHOLE {
        MAX_IN_LEVEL
    } else {
        usize::MAX
    };
    (1..=n)
        .rev()
        .map(|level| {
            // They come by descending measure; of equal ones the path's is to stay.
            let of_level = || measured.sets.iter().filter(move |of| size(of.set) == level);
            let on_path = of_level().filter(|of| measured.path.contains(&of.set));
            let others = of_level().filter(|of| !measured.path.contains(&of.set));
            let mut shown: Vec<&SetOfAttributes> = on_path.chain(others).take(most).collect();
            shown.sort_by_key(|of| of.set);
            shown
        })
        .collect()
}

/// Gives each set its place; and where the next level would begin.
fn placed<'a>(
    levels: &[Vec<&'a SetOfAttributes>],
    width: f64,
    height: f64,
) -> (Vec<Node<'a>>, f64) {
    let mut nodes = Vec::new();
    let mut top = TOP;
    for level in levels {
        let rows = level.len().div_ceil(MAX_IN_ROW).max(1);
        for row in level.chunks(level.len().div_ceil(rows).max(1)) {
            let left = width / 2.0 - (WIDTH + GAP.0) * (row.len() - 1) as f64 / 2.0;
            for (place, of) in row.iter().enumerate() {
                let middle = (left + (WIDTH + GAP.0) * place as f64, top + height / 2.0);
                nodes.push(Node { of, middle });
            }
            top += height + GAP.1;
        }
        top += BETWEEN_LEVELS - GAP.1;
    }
    (nodes, top)
}

fn draw_edges(
    picture: &mut Picture,
    measured: &Measured,
    nodes: &[Node<'_>],
    empty: (f64, f64),
    height: f64,
) {
    let mut place: Vec<(usize, (f64, f64))> = nodes
        .iter()
        .map(|node| (node.of.set, node.middle))
        .collect();
    place.push((0, empty));
    place.sort_by_key(|&(set, _)| set);
    let below = |set: usize| {
        let found = place.binary_search_by_key(&set, |&(other, _)| other);
        found.ok().map(|found| place[found].1)
    };
    let on_path = |set: usize, smaller: usize| {
        measured.path.contains(&set) && (smaller == 0 || measured.path.contains(&smaller))
    };
    // The strong lines come last, on top of the others.
    for strong in [false, true] {
        for node in nodes {
            for smaller in members(node.of.set).map(|k| node.of.set ^ 1 << k) {
                if on_path(node.of.set, smaller) != strong {
                    continue;
                }
                if let Some((x, y)) = below(smaller) {
                    let from = (node.middle.0, node.middle.1 + height / 2.0);
                    let class = if strong { "strong" } else { "edge" };
                    picture.line(from, (x, y - height / 2.0), class);
                }
            }
        }
    }
}

fn draw_node(picture: &mut Picture, node: &Node<'_>, name: &[String], height: f64) {
    let figure = format!("{:.4}", node.of.measure);
    let range = words::range(node.of.range, |figure| format!("{figure:.4}"));
    let said = if range.is_empty() {
        format!("{}: {figure}", node.of.name)
    } else {
        format!(
            "{}: {figure}, anything from {range} links as many",
            node.of.name
        )
    };
    picture.group(&said, |picture| {
        node_box(
            picture,
            (node.middle, height),
            name,
            &figure,
            node.of.measure,
        );
    });
}

/// A box, given by its middle and height, with a name of some lines and a figure below it.
fn node_box(
    picture: &mut Picture,
    (middle, height): ((f64, f64), f64),
    name: &[String],
    figure: &str,
    shade: f64,
) {
    let corner = (middle.0 - WIDTH / 2.0, middle.1 - height / 2.0);
    let extent = (WIDTH, height);
    let ink = if shade >= STRONG_SHADE { "on" } else { "ink" };
    picture.rectangle(corner, extent, "ground", 1.0);
    picture.rectangle(corner, extent, "shade", shade);
    picture.rectangle(corner, extent, "frame", 0.0);
    let small = format!("{ink} small");
    let above = LINE * (name.len() as f64 - 1.0) / 2.0 + 3.0;
    for (place, line) in name.iter().enumerate() {
        let y = middle.1 - above + LINE * place as f64;
        picture.text((middle.0, y), Anchor::Middle, &small, line);
    }
    let below = middle.1 + height / 2.0 - 6.0;
    picture.text((middle.0, below), Anchor::Middle, &small, figure);
}

fn draw_legend(picture: &mut Picture, measured: &Measured, short_names: &[String], top: f64) {
    const MAX_LETTERS: usize = 60;
    let all = 1_usize << measured.attributes.len();
    let head = if measured.attributes.len() > MAX_WHOLE {
        format!(
            "The {MAX_IN_LEVEL} strongest sets of each size, of {} in all. Thick: the strongest path.",
            all - 1
        )
    } else {
        "Shade and figure: measure of the set. Thick: the strongest path.".into()
    };
    picture.text((16.0, top), Anchor::Start, "dim small", &head);
    for (place, name) in measured.attributes.iter().enumerate() {
        let worth = measured.shapley.iter().find(|worth| worth.place == place);
        let share = worth.map_or(String::new(), |worth| words::share(worth.value));
        let name = short(name, MAX_LETTERS);
        let line = format!("{} = {name}: Shapley value {share}", short_names[place]);
        let y = top + LEGEND_STEP * (place + 1) as f64;
        picture.text((16.0, y), Anchor::Start, "ink", &line);
    }
}

/// What the picture shows, for those who cannot see it.
fn described(measured: &Measured, in_words: &[String]) -> String {
    const MAX: usize = 40;
    let mut order: Vec<&SetOfAttributes> = measured.sets.iter().collect();
    order.sort_by(|a, b| b.measure.total_cmp(&a.measure));
    let sets: Vec<String> = order
        .iter()
        .take(MAX)
        .map(|of| format!("{} {:.4}", of.name, of.measure))
        .collect();
    let rest = if order.len() > MAX {
        format!(" and {} weaker ones", order.len() - MAX)
    } else {
        String::new()
    };
    format!(
        "The lattice of all sets of attributes, the whole on top, each with its measure: {}{rest}. {}",
        sets.join("; "),
        in_words.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: `inc` begins two names, `income` is the beginning of one, and so distinguishes nothing; `tax` is one whole name.
    #[test]
    fn sets_are_called_by_names_that_differ() {
        let attributes: Vec<String> = ["income", "income_tax", "age", "tax", "region"]
            .map(str::to_owned)
            .into();
        let names = Names::of(&attributes);
        assert_eq!(names.short, ["inc#1", "income_", "age", "tax", "reg"]);
        let lines = |set: usize| names.lines(set);
        assert_eq!(lines(0b00010), ["income_tax"]);
        assert_eq!(lines(0b10101), ["inc#1 age", "reg"]);
        assert_eq!(lines(0b11110), ["all but", "inc#1"]);
        assert_eq!(lines(0b11111), ["all"]);
    }
}
