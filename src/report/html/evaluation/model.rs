//! What `evaluate` found, as its JSON says it.

use crate::{
    evaluate::{
        measures::{Name, RiskAxis, Whole},
        summary::SettingSummary,
    },
    report::{evaluate::EvaluateReport, html::parts::base_name},
};

/// A mean over masked files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub mean: f64,
    pub interval: Option<[f64; 2]>,
}

/// A setting on the page.
impl SettingSummary {
    pub(in crate::report::html) fn measure(&self, name: &Name) -> Option<Mean> {
        let measure = self.measures.find(name)?;
        Some(Mean {
            mean: measure.mean?,
            interval: measure.interval,
        })
    }

    pub(in crate::report::html) fn published(&self, name: &Name) -> Option<f64> {
        let mut all = self.published.iter();
        all.find(|published| published.name().as_ref() == Some(name))
            .map(|published| published.value)
    }

    fn names(&self) -> impl Iterator<Item = &Name> {
        self.measures.0.iter().map(|(name, _)| name)
    }

    /// The attack with the highest rate.
    fn strongest_attack(&self) -> Option<&Name> {
        self.names()
            .filter(|name| name.is_links())
            .filter_map(|name| Some((self.measure(name)?.mean, name)))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name)
    }

    /// What it belongs to: the masking of the plan.
    pub(in crate::report::html) fn masking(&self) -> &str {
        let setting = &self.setting;
        setting.name.as_deref().unwrap_or(&setting.method)
    }

    /// What distinguishes it from others of its masking.
    pub(in crate::report::html) fn place(&self) -> String {
        let label = &self.setting.label;
        match label.strip_prefix(self.masking()) {
            Some("") | None => label.clone(),
            Some(rest) => rest.trim_start().into(),
        }
    }
}

/// What `evaluate` found, on the page.
impl EvaluateReport {
    /// The risk of a setting on the map, and what was published of it.
    pub(in crate::report::html) fn risk_of(
        &self,
        setting: &SettingSummary,
    ) -> Option<(Mean, Option<f64>)> {
        let name = match self.axes.risk.as_ref()? {
            RiskAxis::HighestRate => setting.strongest_attack()?,
            RiskAxis::Measure(name) => name,
        };
        Some((setting.measure(name)?, setting.published(name)))
    }

    /// All measures of all settings, in the order in which they come.
    pub(in crate::report::html) fn measures(&self, is_wanted: impl Fn(&Name) -> bool) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for name in self.settings.iter().flat_map(SettingSummary::names) {
            if is_wanted(name) && !names.contains(name) {
                names.push(name.clone());
            }
        }
        // One column is enough for the same number.
        if names.contains(&Name::Whole(Whole::Il)) {
            names.retain(|name| !name.is_il_again());
        }
        names
    }

    pub(in crate::report::html) fn file_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for setting in &self.settings {
            let file = setting.setting.file.as_str();
            if !names.contains(&file) {
                names.push(file);
            }
        }
        names
    }

    pub(in crate::report::html) fn of_file<'a>(
        &'a self,
        file: &'a str,
    ) -> impl Iterator<Item = &'a SettingSummary> {
        self.settings
            .iter()
            .filter(move |setting| setting.setting.file == file)
    }

    /// The settings on the front, file by file.
    pub(in crate::report::html) fn summary(&self) -> Vec<String> {
        let line = |file: &str| {
            let all = self.of_file(file).count();
            let front: Vec<&str> = self
                .of_file(file)
                .filter(|setting| setting.pareto)
                .map(|setting| setting.setting.label.as_str())
                .collect();
            (!front.is_empty()).then(|| {
                format!(
                    "Of {all} settings on {}, {} are on the Pareto front, where no other is at least as good in both loss and risk and better in one: {}.",
                    base_name(file),
                    front.len(),
                    crate::report::text::names(&front, 6)
                )
            })
        };
        self.file_names().into_iter().filter_map(line).collect()
    }
}
