//! From the rows of a grid to what is said of each setting: means over masked files, the Pareto front, published figures.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::Value;

use super::{
    grid::{self, Row, Setting},
    measures::{Name, Rate, RiskAxis, Whole, known_axis, known_name},
    plan::Published,
    status::Status,
};
use crate::{figure::Definition, loss, stats::interval::resampled_mean};

/// A mean over the masked files of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// Measures by name, in the order of reports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measures(pub Vec<(Name, Measure)>);

impl Measures {
    /// The measure of this name, if there is one.
    pub fn find(&self, name: &Name) -> Option<&Measure> {
        let mut all = self.0.iter();
        all.find(|(other, _)| other == name)
            .map(|(_, measure)| measure)
    }

    /// The mean of this measure, where it is defined.
    pub fn mean(&self, name: &Name) -> Option<f64> {
        self.find(name)?.mean
    }

    /// The mean of a figure of the whole file, where it is defined.
    pub fn whole(&self, whole: Whole) -> Option<f64> {
        self.mean(&Name::Whole(whole))
    }

    /// The mean rate of the attack that links most.
    pub fn highest_rate(&self) -> Option<f64> {
        let links = self.0.iter().filter(|(name, _)| name.is_links());
        links
            .filter_map(|(_, measure)| measure.mean)
            .max_by(f64::total_cmp)
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

/// Measures that only a later version knows are passed over.
impl<'de> Deserialize<'de> for Measures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByName;
        impl<'de> Visitor<'de> for ByName {
            type Value = Measures;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("measures by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Measures, A::Error> {
                let mut measures = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    match Name::parse(&name) {
                        Some(name) => measures.push((name, map.next_value()?)),
                        None => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(Measures(measures))
            }
        }
        deserializer.deserialize_map(ByName)
    }
}

/// A published figure beside the measured one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The key of the measure.
    pub measure: String,
    /// What was published.
    pub value: f64,
    /// What was measured, less that; `null` if it was not measured.
    pub difference: Option<f64>,
    /// Where it was published.
    pub source: String,
}

impl Comparison {
    /// The measure, if it is known.
    pub fn name(&self) -> Option<Name> {
        Name::parse(&self.measure)
    }
}

/// What is said of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettingSummary {
    /// The original and the masking, with its options.
    #[serde(flatten)]
    pub setting: Setting,
    /// Masked files.
    pub runs: usize,
    /// The attributes that changed in any of them and are not in IL (see [`Row::not_in_il`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_il: Vec<String>,
    /// Whether a limit stopped a search on any of them before its proof.
    pub is_limited: bool,
    /// Means over the masked files of the setting.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Measure>"))]
    pub measures: Measures,
    /// Whether it is on the Pareto front: no other setting of the same original is at least as good in both loss and risk and better in one.
    pub pareto: bool,
    /// What was published of it.
    pub published: Vec<Comparison>,
}

/// What a map of risk and loss shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Axes {
    /// The measure of loss; `null` if there is none.
    #[serde(deserialize_with = "known_name")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub loss: Option<Name>,
    /// The measure of risk, or `highest attack rate`; `null` if there is none.
    #[serde(deserialize_with = "known_axis")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub risk: Option<RiskAxis>,
}

impl Axes {
    /// IL if it was measured of any setting of which it sees all that changed, else the first loss that sees it, else the first loss; DR if every setting has it, else that of 2001, else the highest attack rate, else the
    /// first measure of risk.
    pub fn of(settings: &[SettingSummary]) -> Self {
        let all = || {
            settings
                .iter()
                .flat_map(|setting| setting.measures.0.iter())
        };
        let is_measured = |name: &Name| {
            settings
                .iter()
                .any(|setting| setting.measures.mean(name).is_some())
        };
        let is_everywhere = |&whole: &Whole| {
            !settings.is_empty() && settings.iter().all(|s| s.measures.whole(whole).is_some())
        };
        let score = [Whole::Dr, Whole::Dr2001].into_iter().find(is_everywhere);
        let linked = all().any(|(name, measure)| name.is_links() && measure.mean.is_some());
        let first_risk = || {
            let mut names = all().map(|(name, _)| name);
            names.find(|name| matches!(name, Name::Risk(_))).cloned()
        };
        let il = Name::Whole(Whole::Il);
        let other_loss = || {
            let losses = || {
                all()
                    .map(|(name, _)| name)
                    .filter(|name| matches!(name, Name::Loss(_)))
            };
            let partial = settings.iter().any(|setting| !setting.not_in_il.is_empty());
            let seeing = losses().find(|name| partial && sees_all(name));
            seeing.or_else(|| losses().next()).cloned()
        };
        Self {
            risk: match (score, linked) {
                (Some(score), _) => Some(RiskAxis::Measure(Name::Whole(score))),
                (None, true) => Some(RiskAxis::HighestRate),
                (None, false) => first_risk().map(RiskAxis::Measure),
            },
            loss: Some(il).filter(is_measured).or_else(other_loss),
        }
    }

    /// Where a setting stands: loss and risk. It stands nowhere where the loss does not see all that changed.
    pub fn place(&self, setting: &SettingSummary) -> Option<[f64; 2]> {
        let loss = self.loss.as_ref()?;
        if !setting.not_in_il.is_empty() && !sees_all(loss) {
            return None;
        }
        let loss = setting.measures.mean(loss)?;
        let risk = match self.risk.as_ref()? {
            RiskAxis::HighestRate => setting.measures.highest_rate()?,
            RiskAxis::Measure(name) => setting.measures.mean(name)?,
        };
        Some([loss, risk])
    }
}

/// Whether a measure of loss is of all attributes, numbers or not.
fn sees_all(name: &Name) -> bool {
    let is_of_all = |what: &Definition| {
        [loss::CHANGED.key, loss::SUPPRESSED.key, loss::IL_ALL.key].contains(&what.key)
    };
    matches!(name, Name::Loss(what) if is_of_all(what))
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

fn measures(rows: &[&Row]) -> Measures {
    let Some(first) = rows.first() else {
        return Measures::default();
    };
    let mut measures = Vec::new();
    let mut add = |name: Name, value: &dyn Fn(&Row) -> Option<f64>| {
        let what = name.definition();
        let values = rows.iter().map(|row| value(row));
        measures.push((name, Measure::of(values, Some(what))));
    };
    for whole in Whole::ALL {
        add(Name::Whole(whole), &|row| whole.of(row));
    }
    for (place, attack) in first.attacks.iter().enumerate() {
        for rate in Rate::ALL {
            let value = |row: &Row| rate.of(row.attacks.get(place)?);
            let mut values = rows.iter().map(|row| value(row));
            let is_there = match rate {
                Rate::Links => true,
                // Attacks without candidate sets have a rate of 0.
                Rate::Certain => values.any(|rate| rate.is_some_and(|rate| rate > 0.0)),
                Rate::Extremes | Rate::Far | Rate::Bound => values.any(|rate| rate.is_some()),
            };
            if is_there {
                add(Name::Attack(rate, attack.name.clone()), &value);
            }
        }
    }
    for key in first.losses.keys() {
        if let Some(name) = Name::loss(key) {
            add(name, &|row| row.losses.get(key).and_then(Value::as_f64));
        }
    }
    for key in first.risks.keys() {
        if let Some(name) = Name::risk(key) {
            add(name, &|row| row.risks.get(key).and_then(Value::as_f64));
        }
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

/// The measure that a plan calls by its full name or by the last part of it: `rsld` is `attack:rsld`, `pil` is `loss:pil`.
fn called(name: &str, measures: &Measures) -> Option<Name> {
    let meant = [
        Name::parse(name),
        Some(Name::Attack(Rate::Links, name.into())),
        Name::loss(name),
        Name::risk(name),
    ];
    let mut meant = meant.into_iter().flatten();
    meant.find(|name| measures.find(name).is_some())
}

fn comparisons(setting: &Setting, measures: &Measures, published: &[Published]) -> Vec<Comparison> {
    let about = published
        .iter()
        .filter(|published| is_about(published, setting));
    about
        .flat_map(|published| {
            published.measures.iter().map(|(name, value)| {
                let measure = called(name, measures);
                let mean = measure.as_ref().and_then(|name| measures.mean(name));
                Comparison {
                    measure: measure.map_or_else(|| name.clone(), |name| name.to_string()),
                    value: *value,
                    difference: mean.map(|mean| mean - value),
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
            let measure = Measure::of(
                values.into_iter().map(Some),
                Name::parse(name).map(|name| name.definition()),
            );
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
