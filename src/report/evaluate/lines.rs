//! For the next program: a line a masked file.

use serde_json::Value;

use super::EvaluateReport;
use crate::{
    error::{Error, Result},
    evaluate::grid::Row,
    report::{io_error, spreadsheet},
};

impl EvaluateReport {
    /// One line a masked file, for the next program. Rates and losses are fractions; what is not defined is empty.
    ///
    /// # Errors
    /// None in practice: it writes to memory.
    pub fn to_csv(&self) -> Result<String> {
        let failed = |error: csv::Error| Error::failed(io_error(error).to_string());
        let columns = Columns::of(&self.rows);
        let mut writer = spreadsheet::writer(Vec::new());
        writer.write_record(columns.header()).map_err(failed)?;
        for row in &self.rows {
            writer.write_record(columns.line(row)).map_err(failed)?;
        }
        spreadsheet::text(writer).map_err(failed)
    }
}

/// What there is of each attack, in this order.
const OF_ATTACK: [&str; 6] = ["attack", "certain", "extremes", "far", "status", "caveats"];

/// The columns of the CSV form: of all rows, in the order in which they come.
struct Columns {
    attacks: Vec<String>,
    losses: Vec<String>,
    risks: Vec<String>,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        let mut columns = Self {
            attacks: Vec::new(),
            losses: Vec::new(),
            risks: Vec::new(),
        };
        let add = |to: &mut Vec<String>, name: &String| {
            if !to.contains(name) {
                to.push(name.clone());
            }
        };
        for row in rows {
            row.attacks
                .iter()
                .for_each(|attack| add(&mut columns.attacks, &attack.name));
            row.losses
                .keys()
                .for_each(|key| add(&mut columns.losses, key));
            row.risks
                .keys()
                .for_each(|key| add(&mut columns.risks, key));
        }
        columns
    }

    fn header(&self) -> Vec<String> {
        let fixed = [
            "setting",
            "file",
            "method",
            "parameters",
            "run",
            "seed",
            "il",
            "dr",
            "score",
            "dr_2001",
            "score_2001",
            "dr_strongest",
        ];
        let mut header: Vec<String> = fixed.map(String::from).to_vec();
        header.extend(self.losses.iter().map(|key| format!("loss:{key}")));
        header.extend(self.risks.iter().map(|key| format!("risk:{key}")));
        for attack in &self.attacks {
            header.extend(OF_ATTACK.map(|what| format!("{what}:{attack}")));
        }
        header
    }

    fn line(&self, row: &Row) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let parameters: Vec<String> = row
            .parameters
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}={text}"),
                value => format!("{name}={value}"),
            })
            .collect();
        let mut line = vec![
            row.setting.to_string(),
            row.file.clone(),
            row.method.clone(),
            parameters.join(" "),
            row.run.to_string(),
            row.seed.map_or(String::new(), |seed| seed.to_string()),
        ];
        line.extend(
            [
                row.il,
                row.dr,
                row.score,
                row.dr_2001,
                row.score_2001,
                row.dr_strongest,
            ]
            .map(number),
        );
        let of = |values: &serde_json::Map<String, Value>, key: &String| {
            number(values.get(key).and_then(Value::as_f64))
        };
        line.extend(self.losses.iter().map(|key| of(&row.losses, key)));
        line.extend(self.risks.iter().map(|key| of(&row.risks, key)));
        for name in &self.attacks {
            let attack = row.attacks.iter().find(|attack| attack.name == *name);
            line.push(number(attack.and_then(|attack| attack.rate)));
            line.push(number(attack.and_then(|attack| attack.certain_rate)));
            line.push(number(attack.and_then(|attack| attack.extremes_rate)));
            line.push(number(attack.and_then(|attack| attack.far_rate)));
            line.push(attack.map_or(String::new(), |attack| attack.status.word().to_owned()));
            line.push(attack.map_or(String::new(), |attack| attack.caveats.join("; ")));
        }
        line
    }
}
