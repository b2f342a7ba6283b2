//! `sdcrisk match-attributes`: which attribute of one file is which of another.

use super::{
    Ending,
    console::Console,
    files::{Disk, Output, Plan, Privacy, keep_all},
    tables::read_table,
};
use crate::{
    error::Result,
    jobs::match_attributes,
    options::{match_attributes::MatchArgs, output::Format},
    report::text,
    schema::Relation,
};

pub fn run(args: &MatchArgs, console: &Console) -> anyhow::Result<Ending> {
    let request = args.request()?;
    let relation = request.options.relation;
    let mut outputs = args.outputs()?;
    let options = args.read.options(&Disk)?;
    let a = read_table(&args.a, &options, console)?;
    let options = options.for_another_file();
    let b = read_table(&args.b, &options, console)?;
    args.read.settle(&[&a, &b], console)?;
    let matched = match_attributes::run(&request, [&a, &b], console)?;
    console.stage("write", || -> anyhow::Result<()> {
        if let Some(renamed) = &mut outputs.renamed {
            let guesses = matched.guesses();
            if !guesses.is_empty() {
                console.note(&format!(
                    "note: of the new names {} are guesses: nothing is similar, or others are as near (see the report)",
                    text::names(&guesses, 8)
                ));
            }
            let names = matched.names_for(&b)?;
            renamed.write_table(&b, Some(&names))?;
        }
        let content = match args.report.format {
            Format::Text => matched.report.to_text() + &args.what_next(relation),
            Format::Json => matched.report.to_json(),
            Format::Csv => matched.report.to_csv()?,
        };
        outputs.report.write_text(&content)?;
        keep_all(outputs.renamed.into_iter().chain([outputs.report]))?;
        Ok(())
    })?;
    Ok(Ending::Done)
}

/// What a call writes.
struct Outputs {
    renamed: Option<Output>,
    report: Output,
}

impl MatchArgs {
    fn outputs(&self) -> Result<Outputs> {
        let mut plan = Plan::default();
        plan.input(&self.a)?;
        plan.input(&self.b)?;
        plan.each_input(self.read.input())?;
        plan.output(&self.report.to.output)?;
        if let Some(path) = &self.rename {
            plan.table_output(path)?;
        }
        let renamed = self
            .rename
            .as_deref()
            .map(|path| plan.open(path, Privacy::Ordinary));
        Ok(Outputs {
            renamed: renamed.transpose()?,
            report: plan.open(&self.report.to.output, Privacy::Ordinary)?,
        })
    }

    /// How the matched attributes are used.
    fn what_next(&self, relation: Relation) -> String {
        let from_standard_input = [&self.a, &self.b]
            .iter()
            .any(|path| path.as_os_str() == "-");
        let (a, b) = (self.a.display(), self.b.display());
        match (&self.rename, relation) {
            _ if from_standard_input => String::new(),
            (Some(renamed), _) => format!(
                "\nTo link them:  sdcrisk link --method am {a} {}\n",
                renamed.display()
            ),
            (None, Relation::OneToOne) => format!(
                "\nTo link them:  sdcrisk match-attributes --rename renamed.csv {a} {b}\n               \
                 sdcrisk link --method am {a} renamed.csv\n"
            ),
            (None, Relation::OneToMany) => String::new(),
        }
    }
}
