//! From the rows of a grid to what is said of each setting: means over masked files, the Pareto front, published figures.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use super::{
    grid::{self, AttackRow, Row, Setting},
    overall,
    plan::Published,
    status::Status,
};
use crate::{figure::Definition, loss, risk::interval, stats::interval::resampled_mean};

/// A mean over the masked files of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measure {
    /// The mean over the files on which it is defined; `null` if there are none.
    pub mean: Option<f64>,
    /// Interval of the mean at 95 %, by Student's t, cut at the ends of what the measure can be; `null` for fewer than two files.
    pub interval: Option<[f64; 2]>,
    /// Half of the interval before it was cut: the t times the standard error.
    #[serde(skip)]
    pub half: Option<f64>,
    /// The files on which it is defined.
    pub runs: usize,
}

impl Measure {
    /// Of the values of some masked files, of a measure that lies between the ends of its definition.
    ///
    /// ```text
    /// mean ± t · sqrt(s² / runs), cut at the ends          s² the variance (n−1), t its 97.5 % quantile at runs − 1 degrees of freedom
    /// ```
    ///
    /// It says how well the mean over all masked files that the method could give is known from these, for this one original: not what
    /// another original would give. Of few files t is large, and the interval would reach beyond what the measure can be; cutting it
    /// there loses nothing, since the mean over all files lies between the ends.
    pub fn of(values: impl Iterator<Item = Option<f64>>, what: Option<&Definition>) -> Self {
        let defined: Vec<f64> = values.flatten().collect();
        let whole = (defined.len() > 1).then(|| resampled_mean(&defined, 0.0));
        Self {
            mean: grid::mean(defined.iter().copied()),
            interval: whole.map(|interval| what.map_or(interval, |what| what.clipped(interval))),
            half: whole.map(|[low, high]| (high - low) / 2.0),
            runs: defined.len(),
        }
    }
}

static ATTACK: Definition = Definition::share(
    "attack",
    "links",
    "share of records linked correctly, a mean over what the intruder knows",
    "counted",
);

static CERTAIN: Definition = Definition::share(
    "certain",
    "certain links",
    "share of records with one candidate only, which is the right one",
    "counted",
);

static EXTREMES: Definition = Definition::share(
    "extremes",
    "links among extremes",
    "share of records in the top or bottom 1 % of a known attribute that are linked correctly",
    "counted",
);

static FAR: Definition = Definition::share(
    "far",
    "links far from the mean",
    "share of the 1 % of records farthest from the mean (Mahalanobis) that are linked correctly",
    "counted",
);

static BOUND: Definition = Definition::share(
    "bound",
    "proven bound of links",
    "share of records that no distance of the family links more of",
    "counted",
);

/// What the measure of this name is, as settings name them: `il`, `dr`, `attack:am`, `loss:changed`, ...; `None` if nothing is known of it.
pub fn definition(name: &str) -> Option<&'static Definition> {
    match name.split_once(':') {
        None if name == "il" => loss::definition(name),
        None => {
            let mut overall = [
                &overall::DR,
                &overall::SCORE,
                &overall::DR_2001,
                &overall::SCORE_2001,
                &overall::DR_STRONGEST,
            ]
            .into_iter();
            overall.find(|what| what.key == name)
        }
        Some(("attack", _)) => Some(&ATTACK),
        Some(("certain", _)) => Some(&CERTAIN),
        Some(("extremes", _)) => Some(&EXTREMES),
        Some(("far", _)) => Some(&FAR),
        Some(("bound", _)) => Some(&BOUND),
        Some(("loss", key)) => loss::definition(key),
        Some(("risk", key)) => interval::DEFINITIONS
            .into_iter()
            .find(|what| what.key == key),
        Some(_) => None,
    }
}

/// Measures by name, in the order of reports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measures(pub Vec<(String, Measure)>);

impl Measures {
    /// The mean of this measure, where it is defined.
    pub fn mean(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(other, _)| other == name)?.1.mean
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, measure) in &self.0 {
            map.serialize_entry(name, measure)?;
        }
        map.end()
    }
}

/// A published figure beside the measured one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The measure.
    pub measure: String,
    /// What was published.
    pub value: f64,
    /// What was measured, less that; `null` if it was not measured.
    pub difference: Option<f64>,
    /// Where it was published.
    pub source: String,
}

/// What is said of a setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingSummary {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Masked files.
    pub runs: usize,
    /// The attributes that changed in any of them and are not in IL (see [`Row::not_in_il`]).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_in_il: Vec<String>,
    /// Whether a limit stopped a search on any of them before its proof.
    pub is_limited: bool,
    /// The means: `il`, `dr`, `score`, `attack:NAME`, `certain:NAME`, `extremes:NAME`, `far:NAME`, `loss:KEY`, `risk:KEY`.
    pub measures: Measures,
    /// Whether it is on the Pareto front: no other setting of the same original is at least as good in both loss and risk and better in one.
    pub pareto: bool,
    /// What was published of it.
    pub published: Vec<Comparison>,
}

/// What a map of risk and loss shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Axes {
    /// The measure of loss; `null` if there is none.
    pub loss: Option<String>,
    /// The measure of risk: a name of a measure, or `highest attack rate`; `null` if there is none.
    pub risk: Option<String>,
}

/// The risk axis where the attacks of settings differ.
pub const HIGHEST: &str = "highest attack rate";

impl Axes {
    /// IL if it was measured of any setting of which it sees all that changed, else the first loss that sees it, else the first loss; DR if every setting has it, else that of 2001, else the highest attack rate, else the
    /// first measure of risk.
    pub fn of(settings: &[SettingSummary]) -> Self {
        let names = |prefix: &str| -> Vec<String> {
            let all = settings.iter().flat_map(|setting| &setting.measures.0);
            let mut names: Vec<String> = Vec::new();
            for (name, _) in all.filter(|(name, _)| name.starts_with(prefix)) {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            names
        };
        let has_all = |name: &&str| {
            !settings.is_empty() && settings.iter().all(|s| s.measures.mean(name).is_some())
        };
        let has_some = |name: &&str| {
            settings
                .iter()
                .any(|setting| setting.measures.mean(name).is_some())
        };
        let linked = names("attack:").iter().any(|name| has_some(&name.as_str()));
        let score = ["dr", "dr_2001"].into_iter().find(has_all);
        let risk = match (score, linked) {
            (Some(score), _) => Some(score.to_string()),
            (None, true) => Some(HIGHEST.to_string()),
            (None, false) => names("risk:").into_iter().next(),
        };
        let loss = Some("il".to_string()).filter(|il| has_some(&il.as_str()));
        Self {
            loss: loss.or_else(|| {
                let all = names("loss:");
                let partial = settings.iter().any(|setting| !setting.not_in_il.is_empty());
                let sees_all = all.iter().find(|name| partial && sees_all(name));
                sees_all.or(all.first()).cloned()
            }),
            risk,
        }
    }

    /// Where a setting stands: loss and risk. It stands nowhere where the loss does not see all that changed.
    pub fn place(&self, setting: &SettingSummary) -> Option<[f64; 2]> {
        let loss = self.loss.as_deref()?;
        if !setting.not_in_il.is_empty() && !sees_all(loss) {
            return None;
        }
        let loss = setting.measures.mean(loss)?;
        let risk = match self.risk.as_deref()? {
            HIGHEST => {
                let attacks = setting.measures.0.iter();
                attacks
                    .filter(|(name, _)| name.starts_with("attack:"))
                    .filter_map(|(_, measure)| measure.mean)
                    .max_by(f64::total_cmp)?
            }
            name => setting.measures.mean(name)?,
        };
        Some([loss, risk])
    }
}

/// Whether a measure of loss is of all attributes, numbers or not.
fn sees_all(loss: &str) -> bool {
    matches!(loss, "loss:changed" | "loss:suppressed")
}

/// Which points of loss and risk are on the Pareto front: those that no other beats in one without being worse in the other.
/// Equal points are on it together; one that is not defined is not.
///
/// # Complexity
/// n² comparisons.
pub fn pareto(points: &[Option<[f64; 2]>]) -> Vec<bool> {
    let beats =
        |a: &[f64; 2], b: &[f64; 2]| a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
    points
        .iter()
        .map(|point| {
            point.is_some_and(|point| !points.iter().flatten().any(|other| beats(other, &point)))
        })
        .collect()
}

/// What is said of each setting. `rows` are in the order of settings and runs.
pub fn summaries(
    settings: &[Setting],
    rows: &[Row],
    published: &[Published],
) -> Vec<SettingSummary> {
    let mut rows_of: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        rows_of.entry(row.setting).or_default().push(row);
    }
    let mut summaries: Vec<SettingSummary> = settings
        .iter()
        .map(|setting| {
            let own = rows_of.remove(&setting.setting).unwrap_or_default();
            let measures = measures(&own);
            SettingSummary {
                runs: own.len(),
                not_in_il: not_in_il(&own),
                is_limited: own
                    .iter()
                    .flat_map(|row| &row.attacks)
                    .any(|a| a.status == Status::Limit),
                published: comparisons(setting, &measures, published),
                measures,
                pareto: false,
                setting: setting.clone(),
            }
        })
        .collect();
    let axes = Axes::of(&summaries);
    // Losses of different files cannot be compared.
    let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, summary) in summaries.iter().enumerate() {
        by_file
            .entry(summary.setting.file.clone())
            .or_default()
            .push(place);
    }
    for of_file in by_file.into_values() {
        let points: Vec<_> = (of_file.iter())
            .map(|&place| axes.place(&summaries[place]))
            .collect();
        for (place, is_on) in of_file.into_iter().zip(pareto(&points)) {
            summaries[place].pareto = is_on;
        }
    }
    summaries
}

/// Every attribute that a masked file names, once.
fn not_in_il(rows: &[&Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(|row| &row.not_in_il) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// A rate that not every attack has.
type RateOf = fn(&AttackRow) -> Option<f64>;

fn measures(rows: &[&Row]) -> Measures {
    let Some(first) = rows.first() else {
        return Measures::default();
    };
    let mut measures = Vec::new();
    let mut add = |name: String, value: &dyn Fn(&Row) -> Option<f64>| {
        let what = definition(&name);
        measures.push((name, Measure::of(rows.iter().map(|row| value(row)), what)));
    };
    add("il".into(), &|row| row.il);
    add("dr".into(), &|row| row.dr);
    add("score".into(), &|row| row.score);
    add("dr_2001".into(), &|row| row.dr_2001);
    add("score_2001".into(), &|row| row.score_2001);
    add("dr_strongest".into(), &|row| row.dr_strongest);
    for (place, attack) in first.attacks.iter().enumerate() {
        add(format!("attack:{}", attack.name), &|row| {
            row.attacks.get(place)?.rate
        });
        let certain = |row: &Row| row.attacks.get(place)?.certain_rate;
        if rows
            .iter()
            .any(|row| certain(row).is_some_and(|rate| rate > 0.0))
        {
            add(format!("certain:{}", attack.name), &certain);
        }
        let optional: [(&str, RateOf); 3] = [
            ("extremes", |attack| attack.extremes_rate),
            ("far", |attack| attack.far_rate),
            ("bound", |attack| attack.bound_rate),
        ];
        for (what, rate) in optional {
            let value = |row: &Row| rate(row.attacks.get(place)?);
            if rows.iter().any(|row| value(row).is_some()) {
                add(format!("{what}:{}", attack.name), &value);
            }
        }
    }
    for key in first.losses.keys() {
        add(format!("loss:{key}"), &|row| {
            row.losses.get(key).and_then(Value::as_f64)
        });
    }
    for key in first.risks.keys() {
        add(format!("risk:{key}"), &|row| {
            row.risks.get(key).and_then(Value::as_f64)
        });
    }
    Measures(measures)
}

/// Whether published figures are about this setting.
pub fn is_about(published: &Published, setting: &Setting) -> bool {
    let says = |said: &Option<String>, is: &str| said.as_ref().is_none_or(|said| said == is);
    says(&published.file, &setting.file)
        && says(&published.method, &setting.method)
        && says(&published.name, setting.name.as_deref().unwrap_or_default())
        && published.parameters.iter().all(|(name, value)| {
            setting.parameters.get(name).is_some_and(|own| {
                // 2 and 2.0 are one number.
                own == value || (own.is_number() && own.as_f64() == value.as_f64())
            })
        })
}

/// The full name of a measure that a plan may call by its last part: `rsld` is `attack:rsld`, `pil` is `loss:pil`.
pub fn full_name(name: &str, measures: &Measures) -> Option<String> {
    let has = |full: &String| measures.0.iter().any(|(other, _)| other == full);
    ["", "attack:", "loss:", "risk:"]
        .into_iter()
        .map(|prefix| format!("{prefix}{name}"))
        .find(has)
}

fn comparisons(setting: &Setting, measures: &Measures, published: &[Published]) -> Vec<Comparison> {
    let about = published
        .iter()
        .filter(|published| is_about(published, setting));
    about
        .flat_map(|published| {
            published.measures.iter().map(|(name, value)| {
                let measure = full_name(name, measures).unwrap_or_else(|| name.clone());
                Comparison {
                    difference: measures.mean(&measure).map(|mean| mean - value),
                    measure,
                    value: *value,
                    source: published.source.clone(),
                }
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (1, 5) and (5, 1) are the ends; (2, 2) beats (3, 2) and (2, 3), which are worse in one and equal in the other; two equal
    /// points are both on the front.
    #[test]
    fn the_front_is_what_nothing_beats() {
        let points = [
            Some([1.0, 5.0]),
            Some([3.0, 2.0]),
            Some([2.0, 2.0]),
            None,
            Some([2.0, 3.0]),
            Some([5.0, 1.0]),
            Some([2.0, 2.0]),
        ];
        assert_eq!(
            pareto(&points),
            [true, false, true, false, false, true, true]
        );
        assert_eq!(pareto(&[]), Vec::<bool>::new());
    }

    /// 0.2, 0.4, 0.6: mean 0.4, s² = 0.04, half = 4.302653 · sqrt(0.04 / 3) = 4.302653 · 0.11547005 = 0.49682755.
    #[test]
    fn the_interval_is_that_of_student() {
        let values = [Some(0.2), None, Some(0.4), Some(0.6)];
        let measure = Measure::of(values.into_iter(), None);
        assert_eq!(measure.runs, 3);
        assert!((measure.mean.unwrap() - 0.4).abs() < 1e-15);
        let [low, high] = measure.interval.unwrap();
        assert!((low - (0.4 - 0.496_827_55)).abs() < 1e-8, "{low}");
        assert!((high - (0.4 + 0.496_827_55)).abs() < 1e-8, "{high}");
        assert_eq!(Measure::of([Some(1.0)].into_iter(), None).interval, None);
        assert_eq!(Measure::of([None].into_iter(), None).mean, None);
    }

    /// The same values: 0.4 − 0.497 is below what any measure can be; 0.7, 0.9, 1.1 give 0.9 + 0.497, which is above what a share can
    /// be, not what a loss can be. The half that people are shown beside the mean stays whole.
    #[test]
    fn an_interval_ends_where_its_measure_does() {
        let of = |values: [f64; 3], name: &str| {
            let measure = Measure::of(values.into_iter().map(Some), definition(name));
            assert!(
                (measure.half.unwrap() - 0.496_827_55).abs() < 1e-8,
                "{name}"
            );
            measure.interval.unwrap()
        };
        for name in [
            "attack:am",
            "certain:am",
            "bound:ci",
            "dr_2001",
            "loss:pil",
            "loss:changed",
            "loss:mlodak",
            "risk:interval_disclosure_rank",
        ] {
            assert_eq!(of([0.2, 0.4, 0.6], name)[0], 0.0, "{name}");
            assert_eq!(of([0.7, 0.9, 1.1], name)[1], 1.0, "{name}");
        }
        // The weights of DR, as printed, add up to 0.998.
        assert!((of([0.7, 0.9, 1.1], "dr")[1] - 0.998).abs() < 1e-15);
        for name in ["il", "loss:il1s", "score", "score_2001"] {
            assert_eq!(of([0.2, 0.4, 0.6], name)[0], 0.0, "{name}");
            assert!(of([0.7, 0.9, 1.1], name)[1] > 1.39, "{name}");
        }
    }
}
