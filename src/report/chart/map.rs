//! The risk-utility map: what a masking costs to the right, what it leaves to an intruder upwards.

use super::{
    axis::{Axis, Scale},
    marks::{self, Entry, RADIUS},
    picture::{Anchor, Drawing, Picture, short},
    plot::{self, Plot, Words},
};
use crate::report::text::percent;

/// One setting of a masking method.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The method: settings of one method have one shape and one colour; a faint line joins those that differ in one number alone.
    pub method: String,
    /// What distinguishes the setting from others of the method, for example `p=5`: words joined by blanks, each a parameter with its value.
    pub label: String,
    /// Information loss, as a share.
    pub loss: f64,
    /// Where the loss lies over masked files, if there are several.
    pub loss_interval: Option<[f64; 2]>,
    /// Risk, as a share.
    pub risk: f64,
    /// Where the risk lies over masked files, if there are several.
    pub risk_interval: Option<[f64; 2]>,
    /// Whether it is on the front: no other setting is at least as good in both and better in one.
    pub pareto: bool,
    /// The risk that was published for this setting.
    pub published: Option<f64>,
}

const HEIGHT: f64 = 420.0;
const MAX_LETTERS: usize = 26;
/// Of more settings than these, those on the front alone are labelled.
const MAX_LABELS: usize = 15;
/// Where the greatest loss is more than so many times the middle one, most settings would be one heap at the left: the axis is logarithmic.
const FAR: f64 = 20.0;

/// The map.
///
/// # Complexity
/// Quadratic in the points: labels keep clear of each other.
pub fn drawing(points: &[Point], words: &Words<'_>) -> Drawing {
    let points: Vec<&Point> = points
        .iter()
        .filter(|point| point.loss.is_finite() && point.risk.is_finite())
        .collect();
    let methods = methods(&points);
    let (x, below_x) = loss_axis(&points, words.x);
    let risks = points.iter().flat_map(|point| {
        with_interval(point.risk, clipped_risk(point))
            .into_iter()
            .chain(point.published)
    });
    let axes = (Some(x), Axis::over(risks, Scale::Share, 6));
    let entries = entries(&points, &methods);
    let words = &Words {
        x: &below_x,
        ..*words
    };
    let (mut picture, plot) = Plot::begin(words, &entries, axes, HEIGHT);
    for (series, method) in methods.iter().enumerate() {
        let own: Vec<&Point> = of(&points, method).collect();
        for trail in trails(&own) {
            let places: Vec<(f64, f64)> = trail
                .iter()
                .map(|point| plot.place(point.loss, point.risk))
                .collect();
            picture.curve(&places, &format!("trail {}", marks::colour(series)));
        }
        for point in &own {
            draw_intervals(&mut picture, &plot, point, series);
        }
    }
    draw_front(&mut picture, &plot, &points);
    for (series, method) in methods.iter().enumerate() {
        for point in of(&points, method) {
            draw_point(&mut picture, &plot, point, series);
        }
    }
    draw_labels(&mut picture, &plot, &points);
    picture.done(words.title, &described(&points, words))
}

/// The axis of losses, and what it is called: logarithmic where one loss is far beyond the middle one.
fn loss_axis(points: &[&Point], name: &str) -> (Axis, String) {
    let mut losses: Vec<f64> = points.iter().map(|point| point.loss).collect();
    losses.sort_by(f64::total_cmp);
    let is_far = match (losses.get(losses.len() / 2), losses.last()) {
        (Some(&middle), Some(&greatest)) => middle > 0.0 && greatest > FAR * middle,
        _ => false,
    };
    if is_far {
        let from_zero = losses.first().is_some_and(|&least| least <= 0.0);
        let zero = if from_zero {
            "; 0 at the left edge"
        } else {
            ""
        };
        let name = format!("{name} (logarithmic{zero})");
        return (Axis::logarithmic(losses, Scale::Share), name);
    }
    let ends = points
        .iter()
        .flat_map(|point| with_interval(point.loss, clipped_loss(point)));
    (Axis::over(ends, Scale::Share, 7), name.to_owned())
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

/// The parameters of a label that are numbers: the place of the word, the name, the value.
fn numbers(label: &str) -> impl Iterator<Item = (usize, &str, f64)> {
    label
        .split_whitespace()
        .enumerate()
        .filter_map(|(place, word)| {
            let (name, value) = word.split_once('=')?;
            Some((place, name, value.parse().ok()?))
        })
}

/// A setting, and where it stands along a parameter.
type Placed<'a> = (f64, &'a Point);

/// Settings of one method that differ in one number alone, each group in the order of that number: the parameter with the most
/// different values is it, the first of these. Algorithms and options are not joined, so lines do not fan between them.
fn trails<'a>(points: &[&'a Point]) -> Vec<Vec<&'a Point>> {
    let mut values: Vec<(&str, Vec<f64>)> = Vec::new();
    for (_, name, value) in points.iter().flat_map(|point| numbers(&point.label)) {
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) if values.iter().all(|other| other.total_cmp(&value).is_ne()) => {
                values.push(value);
            }
            Some(_) => {}
            None => values.push((name, vec![value])),
        }
    }
    let Some((along, _)) = (values.iter().rev()).max_by_key(|(_, values)| values.len()) else {
        return Vec::new();
    };
    let mut groups: Vec<(Vec<&str>, Vec<Placed<'a>>)> = Vec::new();
    for point in points {
        let Some((place, _, value)) = numbers(&point.label).find(|(_, name, _)| name == along)
        else {
            continue;
        };
        let mut others: Vec<&str> = point.label.split_whitespace().collect();
        others.remove(place);
        match groups.iter_mut().find(|(known, _)| *known == others) {
            Some((_, group)) => group.push((value, point)),
            None => groups.push((others, vec![(value, point)])),
        }
    }
    groups.retain(|(_, group)| group.len() > 1);
    for (_, group) in &mut groups {
        group.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let without_values =
        |(_, group): (_, Vec<Placed<'a>>)| group.into_iter().map(|(_, point)| point).collect();
    groups.into_iter().map(without_values).collect()
}

/// No loss is negative, whatever an interval by a normal distribution says.
fn clipped_loss(point: &Point) -> Option<[f64; 2]> {
    plot::clipped(point.loss_interval, point.loss, None)
}

/// No risk is below 0 or above 1.
fn clipped_risk(point: &Point) -> Option<[f64; 2]> {
    plot::clipped(point.risk_interval, point.risk, Some(1.0))
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
    let edge = front(plot, points);
    if edge.len() > 1 {
        picture.curve(&edge, "front");
    }
}

/// The corners of the front, from left to right: every side is level or upright.
fn front(plot: &Plot, points: &[&Point]) -> Vec<(f64, f64)> {
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
    edge
}

fn draw_intervals(picture: &mut Picture, plot: &Plot, point: &Point, series: usize) {
    let class = format!("thin {}", marks::colour(series));
    if let Some([low, high]) = clipped_loss(point) {
        picture.line(
            plot.place(low, point.risk),
            plot.place(high, point.risk),
            &class,
        );
    }
    if let Some([low, high]) = clipped_risk(point) {
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

/// A box: left, top, right, bottom.
type Box = [f64; 4];

fn meet(a: Box, b: Box) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Writes the labels where they cover neither marks nor each other, and off the front where there is room; settings on the front come
/// first, and of many settings they are the only ones. One that finds no room is left out: it is in the text of its mark, and in the
/// description.
fn draw_labels(picture: &mut Picture, plot: &Plot, points: &[&Point]) {
    const MAX: usize = 400;
    if points.len() > MAX {
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
    let edge = front(plot, points);
    let sides: Vec<Box> = edge
        .windows(2)
        .map(|ends| {
            let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
            [x.min(to_x), y.min(to_y), x.max(to_x), y.max(to_y)]
        })
        .collect();
    let mut order: Vec<&Point> = points.to_vec();
    let has_front = points.iter().any(|point| point.pareto);
    order.retain(|point| point.pareto || !has_front || points.len() <= MAX_LABELS);
    order.sort_by_key(|point| !point.pareto);
    for point in order {
        let label = short(&point.label, MAX_LETTERS);
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
        let fits = |(x, y, anchor): (f64, f64, Anchor), clear: &[Box]| {
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
            let mut others = taken.iter().chain(clear);
            (inside && !others.any(|&other| meet(covers, other))).then_some((x, y, anchor, covers))
        };
        let free = (places.iter().find_map(|&place| fits(place, &sides)))
            .or_else(|| places.iter().find_map(|&place| fits(place, &[])));
        if let Some((x, y, anchor, covers)) = free {
            taken.push(covers);
            picture.text((x, y), anchor, "ink small halo", &label);
        }
    }
}

fn described(points: &[&Point], words: &Words<'_>) -> String {
    const MAX: usize = 60;
    let mut items: Vec<String> = points.iter().take(MAX).map(|point| said(point)).collect();
    if points.len() > MAX {
        items.push(format!("and {} more", points.len() - MAX));
    }
    if items.is_empty() {
        items.push("no setting has both a loss and a risk".into());
    }
    format!("{} against {}. {}.", words.y, words.x, items.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(label: &str, loss: f64, pareto: bool) -> Point {
        Point {
            method: "mask".into(),
            label: label.into(),
            loss,
            loss_interval: Some([loss - 1.0, loss + 0.1]),
            risk: 0.5,
            risk_interval: Some([-0.2, 1.2]),
            pareto,
            published: None,
        }
    }

    const WORDS: Words<'static> = Words {
        title: "map",
        below: "",
        x: "loss",
        y: "risk",
    };

    fn trail_labels(labels: &[&str]) -> Vec<Vec<String>> {
        let points: Vec<Point> = labels
            .iter()
            .map(|label| point(label, 0.1, false))
            .collect();
        let points: Vec<&Point> = points.iter().collect();
        let labels = |trail: Vec<&Point>| trail.iter().map(|point| point.label.clone()).collect();
        trails(&points).into_iter().map(labels).collect()
    }

    /// Two algorithms at three values of k each: two lines, none between the algorithms.
    #[test]
    fn lines_join_what_differs_in_one_number_alone() {
        assert_eq!(
            trail_labels(&[
                "k=10 algorithm=mdav",
                "k=3 algorithm=mdav",
                "k=3 algorithm=pca",
                "k=5 algorithm=pca",
                "k=7 algorithm=none g=2",
            ]),
            [
                ["k=3 algorithm=mdav", "k=10 algorithm=mdav"],
                ["k=3 algorithm=pca", "k=5 algorithm=pca"]
            ]
        );
        assert!(trail_labels(&["algorithm=mdav", "algorithm=pca"]).is_empty());
        assert!(trail_labels(&["", "p"]).is_empty());
    }

    /// Intervals that reach below 0 or above 1 do not move the axes there.
    #[test]
    fn axes_of_shares_hold_shares_only() {
        let points = [point("p=1", 0.1, true), point("p=2", 0.3, true)];
        let svg = drawing(&points, &WORDS).standalone();
        assert!(!svg.contains(">-") && !svg.contains(">120 %"), "{svg}");
        assert!(svg.contains(">100 %"));
    }

    /// By hand: the middle of 0.1, 0.2, 0.3 is 0.2, of which 5 is 25 times; then marks stand at powers of ten, 0.1 and 1 as far from each
    /// other as 1 and 10.
    #[test]
    fn a_loss_far_beyond_the_others_makes_the_axis_logarithmic() {
        let of = |losses: &[f64]| {
            let points: Vec<Point> = losses
                .iter()
                .map(|&loss| Point {
                    loss_interval: None,
                    ..point("p=1", loss, false)
                })
                .collect();
            let points: Vec<&Point> = points.iter().collect();
            loss_axis(&points, "loss")
        };
        assert_eq!(of(&[0.1, 0.2, 0.3]).1, "loss");
        let (axis, name) = of(&[0.1, 0.2, 5.0]);
        assert_eq!(name, "loss (logarithmic)");
        assert_eq!(axis.share(1.0), 0.5, "from 10 % to 1000 %");
        assert_eq!(
            of(&[0.0, 0.2, 5.0]).1,
            "loss (logarithmic; 0 at the left edge)"
        );
        assert_eq!(of(&[0.0, 0.0, 5.0]).1, "loss", "most are 0");
        assert_eq!(of(&[]).1, "loss");
    }

    /// Of sixteen settings the one on the front alone has its label in the map; of fifteen all that have room.
    #[test]
    fn of_many_settings_those_on_the_front_are_labelled() {
        let labels = |count: u32| {
            let points: Vec<Point> = (0..count)
                .map(|p| point(&format!("p={p}"), f64::from(p + 1) / 10.0, p == 4))
                .collect();
            drawing(&points, &WORDS)
                .standalone()
                .matches("small halo")
                .count()
        };
        assert_eq!(labels(16), 1);
        assert!(labels(15) > 1);
    }

    /// What is drawn later lies above: the front above the lines of methods, below the marks.
    #[test]
    fn the_front_lies_above_the_lines_of_methods() {
        let points = [point("p=1", 0.1, true), point("p=2", 0.3, true)];
        let svg = drawing(&points, &WORDS).standalone();
        let place = |class: &str| svg.find(&format!("class=\"{class}")).unwrap();
        assert!(svg.rfind("<polyline").unwrap() > place("trail"));
        assert!(svg.rfind("class=\"front\"").unwrap() > place("trail"));
        assert!(svg.rfind("class=\"mark").unwrap() > svg.rfind("class=\"front\"").unwrap());
    }
}
