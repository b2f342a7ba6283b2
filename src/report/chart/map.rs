//! The risk-utility map: what a masking costs to the right, what it leaves to an intruder upwards.

use super::{
    axis::{Axis, Scale},
    marks::{self, Entry, RADIUS},
    picture::{Anchor, Drawing, Picture, short},
    plot::{Plot, Words},
};

/// One setting of a masking method.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The method: settings of one method have one shape and one colour, and a faint line in their order.
    pub method: String,
    /// What tells the setting from others of the method, for example `p = 5`.
    pub label: String,
    /// Information loss, as a share.
    pub loss: f64,
    /// Its interval.
    pub loss_interval: Option<[f64; 2]>,
    /// Risk, as a share.
    pub risk: f64,
    /// Its interval.
    pub risk_interval: Option<[f64; 2]>,
    /// Whether it is on the front: no other setting is at least as good in both and better in one.
    pub pareto: bool,
    /// The risk that was published for this setting.
    pub published: Option<f64>,
}

const HEIGHT: f64 = 420.0;
const MOST_LETTERS: usize = 26;

/// The map as an SVG file.
///
/// # Complexity
/// Quadratic in the points: labels keep clear of each other.
pub fn svg(points: &[Point], words: &Words<'_>) -> String {
    drawing(points, words).standalone()
}

/// The map.
pub fn drawing(points: &[Point], words: &Words<'_>) -> Drawing {
    let points: Vec<&Point> = points
        .iter()
        .filter(|point| point.loss.is_finite() && point.risk.is_finite())
        .collect();
    let methods = methods(&points);
    let losses = points
        .iter()
        .flat_map(|point| with_interval(point.loss, point.loss_interval));
    let risks = points.iter().flat_map(|point| {
        with_interval(point.risk, point.risk_interval)
            .into_iter()
            .chain(point.published)
    });
    let axes = (
        Some(Axis::over(losses, Scale::Share, 7)),
        Axis::over(risks, Scale::Share, 6),
    );
    let entries = entries(&points, &methods);
    let (mut picture, plot) = Plot::begin(words, &entries, axes, HEIGHT);
    draw_front(&mut picture, &plot, &points);
    for (series, method) in methods.iter().enumerate() {
        let own: Vec<&Point> = of(&points, method).collect();
        let trail: Vec<(f64, f64)> = own
            .iter()
            .map(|point| plot.place(point.loss, point.risk))
            .collect();
        if trail.len() > 1 {
            let class = format!("trail {}", marks::colour(series));
            picture.curve(&trail, &class);
        }
        for point in &own {
            draw_intervals(&mut picture, &plot, point, series);
        }
    }
    for (series, method) in methods.iter().enumerate() {
        for point in of(&points, method) {
            draw_point(&mut picture, &plot, point, series);
        }
    }
    draw_labels(&mut picture, &plot, &points);
    picture.done(words.title, &described(&points, words))
}

/// The methods in the order in which they come.
fn methods<'a>(points: &[&'a Point]) -> Vec<&'a str> {
    let mut methods: Vec<&str> = Vec::new();
    for point in points {
        if !methods.contains(&point.method.as_str()) {
            methods.push(&point.method);
        }
    }
    methods
}

fn of<'a>(points: &'a [&'a Point], method: &'a str) -> impl Iterator<Item = &'a Point> {
    points
        .iter()
        .copied()
        .filter(move |point| point.method == method)
}

fn with_interval(value: f64, interval: Option<[f64; 2]>) -> Vec<f64> {
    let mut values = vec![value];
    values.extend(interval.into_iter().flatten());
    values
}

fn entries<'a>(points: &[&Point], methods: &[&'a str]) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = methods
        .iter()
        .enumerate()
        .map(|(series, method)| Entry::Series(series, method))
        .collect();
    if points.iter().any(|point| point.pareto) {
        entries.push(Entry::Line("front", "Pareto front"));
    }
    if points.iter().any(|point| point.published.is_some()) {
        entries.push(Entry::Hollow("published"));
    }
    entries
}

/// The settings on the front, joined by the edge of what they are better than.
fn draw_front(picture: &mut Picture, plot: &Plot, points: &[&Point]) {
    let mut front: Vec<&Point> = points
        .iter()
        .copied()
        .filter(|point| point.pareto)
        .collect();
    front.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(b.risk.total_cmp(&a.risk)));
    let mut edge: Vec<(f64, f64)> = Vec::new();
    for point in front {
        let place = plot.place(point.loss, point.risk);
        if let Some(&(_, y)) = edge.last() {
            edge.push((place.0, y));
        }
        edge.push(place);
    }
    if edge.len() > 1 {
        picture.curve(&edge, "front");
    }
}

fn draw_intervals(picture: &mut Picture, plot: &Plot, point: &Point, series: usize) {
    let class = format!("thin {}", marks::colour(series));
    if let Some([low, high]) = point.loss_interval {
        picture.line(
            plot.place(low, point.risk),
            plot.place(high, point.risk),
            &class,
        );
    }
    if let Some([low, high]) = point.risk_interval {
        picture.line(
            plot.place(point.loss, low),
            plot.place(point.loss, high),
            &class,
        );
    }
}

fn draw_point(picture: &mut Picture, plot: &Plot, point: &Point, series: usize) {
    picture.group(&said(point), |picture| {
        if let Some(published) = point.published {
            marks::draw(picture, series, plot.place(point.loss, published), "hollow");
        }
        marks::draw(picture, series, plot.place(point.loss, point.risk), "mark");
    });
}

fn said(point: &Point) -> String {
    let published = point.published.map_or(String::new(), |risk| {
        format!(", published {}", percent(risk))
    });
    format!(
        "{} {}: loss {}, risk {}{published}{}",
        point.method,
        point.label,
        percent(point.loss),
        percent(point.risk),
        if point.pareto {
            ", on the Pareto front"
        } else {
            ""
        }
    )
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A box: left, top, right, bottom.
type Box = [f64; 4];

fn meet(a: Box, b: Box) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Writes the labels where they cover neither marks nor each other; settings on the front come first. One that finds no room is
/// left out: it is in the text of its mark, and in the description.
fn draw_labels(picture: &mut Picture, plot: &Plot, points: &[&Point]) {
    const MOST: usize = 400;
    if points.len() > MOST {
        return;
    }
    let around = |(x, y): (f64, f64)| {
        [
            x - RADIUS - 1.0,
            y - RADIUS - 1.0,
            x + RADIUS + 1.0,
            y + RADIUS + 1.0,
        ]
    };
    let mut taken: Vec<Box> = points
        .iter()
        .map(|point| around(plot.place(point.loss, point.risk)))
        .collect();
    let mut order: Vec<&Point> = points.to_vec();
    order.sort_by_key(|point| !point.pareto);
    for point in order {
        let label = short(&point.label, MOST_LETTERS);
        let (x, y) = plot.place(point.loss, point.risk);
        let width = marks::width_of(&label);
        let places = [
            (x + 10.0, y - 7.0, Anchor::Start),
            (x + 10.0, y + 15.0, Anchor::Start),
            (x - 10.0, y - 7.0, Anchor::End),
            (x - 10.0, y + 15.0, Anchor::End),
            (x + 11.0, y + 4.0, Anchor::Start),
            (x - 11.0, y + 4.0, Anchor::End),
            (x, y - 11.0, Anchor::Middle),
            (x, y + 19.0, Anchor::Middle),
            (x + 16.0, y - 18.0, Anchor::Start),
            (x + 16.0, y + 26.0, Anchor::Start),
        ];
        let free = places.into_iter().find_map(|(x, y, anchor)| {
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            let covers = [left, y - 10.0, left + width, y + 3.0];
            let inside = covers[0] >= plot.corner.0 + 2.0
                && covers[2] <= plot.right() + 16.0
                && covers[1] >= plot.corner.1 - 8.0
                && covers[3] <= plot.bottom() - 2.0;
            (inside && !taken.iter().any(|&other| meet(covers, other)))
                .then_some((x, y, anchor, covers))
        });
        if let Some((x, y, anchor, covers)) = free {
            taken.push(covers);
            picture.text((x, y), anchor, "ink small", &label);
        }
    }
}

fn described(points: &[&Point], words: &Words<'_>) -> String {
    const MOST: usize = 60;
    let mut told: Vec<String> = points.iter().take(MOST).map(|point| said(point)).collect();
    if points.len() > MOST {
        told.push(format!("and {} more", points.len() - MOST));
    }
    if told.is_empty() {
        told.push("no setting has both a loss and a risk".into());
    }
    format!("{} against {}. {}.", words.y, words.x, told.join("; "))
}
