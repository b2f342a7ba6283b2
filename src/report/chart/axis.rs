//! Axes that begin, end and are marked at round numbers.

/// What the numbers along an axis are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Shares: 0.05 is written 5 %.
    Share,
    /// Numbers.
    Number,
}

/// An axis that begins, ends and is marked at round numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    scale: Scale,
    steps: Steps,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Steps {
    /// From `first · step` to `last · step`, marked at each step between.
    Equal { step: f64, first: i64, last: i64 },
    /// Logarithmic: from 10^`first` to 10^`last`, marked at each power and, where these are few, at 2 and 5 times each.
    Decades { first: i64, last: i64 },
}

/// Numbers farther from 0 are not drawn.
const FARTHEST: f64 = 1e12;

/// Numbers that are nearer to each other, as a share of their size, are one.
const ONE: f64 = 1e-9;

/// Numbers nearer to 0 are 0.
const NOTHING: f64 = 1e-12;

impl Axis {
    /// The shortest one that holds all values, in about so many steps of 1, 2 or 5 times a power of ten. It begins at 0
    /// if no value is negative and the least is not beyond half of the greatest. Without values it is from 0 to 1.
    pub fn over(values: impl IntoIterator<Item = f64>, scale: Scale, steps: u32) -> Self {
        let ends = values
            .into_iter()
            .filter(|value| value.abs() <= FARTHEST)
            .fold(None, |ends: Option<(f64, f64)>, value| {
                let (low, high) = ends.unwrap_or((value, value));
                Some((low.min(value), high.max(value)))
            });
        let (mut low, mut high) = ends.unwrap_or((0.0, 1.0));
        if low >= 0.0 && low <= high / 2.0 {
            low = 0.0;
        }
        if high - low <= NOTHING.max(ONE * high.abs().max(low.abs())) {
            (low, high) = if high.abs() <= NOTHING {
                (0.0, 1.0)
            } else {
                (low - low.abs() / 2.0, high + high.abs() / 2.0)
            };
        }
        let step = round_step((high - low) / f64::from(steps.max(1)));
        Self {
            scale,
            steps: Steps::Equal {
                step,
                first: whole((low / step + ONE).floor()),
                last: whole((high / step - ONE).ceil()),
            },
        }
    }

    /// A logarithmic one that holds all positive values; what is 0 or less lies before its beginning. Without positive values it is from
    /// 0.01 to 1.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>, scale: Scale) -> Self {
        let ends = values
            .into_iter()
            .filter(|value| (NOTHING..=FARTHEST).contains(value))
            .fold(None, |ends: Option<(f64, f64)>, value| {
                let (low, high) = ends.unwrap_or((value, value));
                Some((low.min(value), high.max(value)))
            });
        let (low, high) = ends.unwrap_or((0.01, 1.0));
        let first = whole((low.log10() + ONE).floor());
        Self {
            scale,
            steps: Steps::Decades {
                first,
                last: whole((high.log10() - ONE).ceil()).max(first + 1),
            },
        }
    }

    /// Whether a value can be drawn.
    pub fn holds(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.share(value))
    }

    /// How far along the axis a value is: 0 at its beginning, 1 at its end, beyond these outside.
    pub fn share(&self, value: f64) -> f64 {
        let (place, first, last) = match self.steps {
            Steps::Equal { step, first, last } => (value / step, first, last),
            Steps::Decades { first, last } => (value.max(0.0).log10(), first, last),
        };
        (place - first as f64) / (last - first).max(1) as f64
    }

    /// The marks: values and what is written at them.
    pub fn marks(&self) -> Vec<(f64, String)> {
        match self.steps {
            Steps::Equal { step, first, last } => (first..=last)
                .map(|number| {
                    let value = number as f64 * step;
                    (value, self.written(value, step))
                })
                .collect(),
            Steps::Decades { first, last } => {
                const FEW: i64 = 3;
                let times: &[f64] = if last - first <= FEW {
                    &[1.0, 2.0, 5.0]
                } else {
                    &[1.0]
                };
                let of_power = |power: f64| times.iter().map(move |times| times * power);
                (first..last)
                    .flat_map(|decade| of_power(power_of_ten(decade)))
                    .chain([power_of_ten(last)])
                    .map(|value| (value, self.written(value, value)))
                    .collect()
            }
        }
    }

    /// A value with the digits that distinguish it from others so far away.
    fn written(&self, value: f64, distance: f64) -> String {
        let (factor, unit) = match self.scale {
            Scale::Share => (100.0, " %"),
            Scale::Number => (1.0, ""),
        };
        let digits = digits_of(distance * factor);
        format!("{:.digits$}{unit}", value * factor)
    }
}

fn power_of_ten(decade: i64) -> f64 {
    10.0_f64.powi(i32::try_from(decade).unwrap_or(i32::MAX))
}

/// The least of 1, 2, 5 times a power of ten that is not below a length.
fn round_step(length: f64) -> f64 {
    let power = 10.0_f64.powf(length.log10().floor());
    let times = length / power;
    let round = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|&round| times <= round * (1.0 + ONE));
    round.unwrap_or(10.0) * power
}

/// Digits after the point that distinguish neighbouring multiples of a step.
fn digits_of(step: f64) -> usize {
    const MAX: i64 = 15;
    let digits = whole(-(step.log10() + ONE).floor()).clamp(0, MAX);
    usize::try_from(digits).unwrap_or(0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "of values that are drawn, which are some steps apart, or of a logarithm"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(values: &[f64], scale: Scale) -> Vec<String> {
        let axis = Axis::over(values.iter().copied(), scale, 5);
        axis.marks()
            .into_iter()
            .map(|(_, written)| written)
            .collect()
    }

    /// By hand: 0.37 / 5 = 0.074, so the step is 0.1; 48 / 5 = 9.6, so 10; 0.04 / 5 = 0.008, so 0.01, from 0.9 on.
    #[test]
    fn marks_are_round() {
        assert_eq!(
            written(&[0.02, 0.37], Scale::Share),
            ["0 %", "10 %", "20 %", "30 %", "40 %"]
        );
        assert_eq!(
            written(&[48.0], Scale::Number),
            ["20", "30", "40", "50", "60", "70", "80"],
            "one value stands in the middle"
        );
        assert_eq!(
            written(&[0.9, 0.94], Scale::Number),
            ["0.90", "0.91", "0.92", "0.93", "0.94"]
        );
        assert_eq!(
            written(&[-3.0, 7.0], Scale::Number),
            ["-4", "-2", "0", "2", "4", "6", "8"]
        );
        assert_eq!(
            written(&[0.0002, 0.001], Scale::Share),
            ["0.00 %", "0.02 %", "0.04 %", "0.06 %", "0.08 %", "0.10 %"]
        );
    }

    /// By hand: from 0.8 % to 300 % are the decades from 0.1 % to 1000 %; over more than three decades the powers alone.
    #[test]
    fn decades_are_marked_at_their_powers() {
        let axis = Axis::logarithmic([0.02, 0.0, 0.3], Scale::Share);
        let written: Vec<String> = axis.marks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            written,
            ["1 %", "2 %", "5 %", "10 %", "20 %", "50 %", "100 %"]
        );
        assert_eq!(axis.share(0.1), 0.5);
        assert!(!axis.holds(0.0) && !axis.holds(-1.0) && axis.holds(1.0));
        let axis = Axis::logarithmic([0.008, 3.0], Scale::Share);
        let written: Vec<String> = axis.marks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(written, ["0.1 %", "1 %", "10 %", "100 %", "1000 %"]);
        for value in [f64::NAN, 0.0, -1.0, 1e300] {
            assert!(
                Axis::logarithmic([value], Scale::Number).holds(0.1),
                "{value}"
            );
        }
    }

    #[test]
    fn every_value_is_held_and_marks_are_few() {
        let hard = [
            vec![],
            vec![0.0],
            vec![f64::NAN, f64::INFINITY, 1e300],
            vec![1e-320, 0.0],
            vec![1.0, 1.0 + 1e-16],
            vec![1e12, -1e12],
            vec![-5.0],
            vec![1e-7, 3e-7, 0.25],
            vec![0.3, 0.1 + 0.2],
        ];
        for values in hard {
            for steps in [1, 4, 9] {
                let axis = Axis::over(values.iter().copied(), Scale::Share, steps);
                let marks = axis.marks();
                assert!(
                    (2..=2 * steps as usize + 5).contains(&marks.len()),
                    "{values:?} {marks:?}"
                );
                for &value in values.iter().filter(|value| value.abs() <= FARTHEST) {
                    let share = axis.share(value);
                    assert!((-1e-6..=1.0 + 1e-6).contains(&share), "{value} {axis:?}");
                }
            }
        }
    }
}
