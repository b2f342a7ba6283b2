//! `sdcrisk demo`: the main job on bundled data, explained.

use super::{Ending, console::Console, files};
use crate::{
    evaluate::score::Ties,
    jobs::demo::{self, PERCENTAGES, Row},
    options::demo::DemoArgs,
    report::text,
    table::{ReadOptions, Table},
};

/// The bundled file: the program needs no other to show what it does.
const PEOPLE: &str = include_str!("../../data/synthetic-census.csv");

/// The grid of data/plans/demo.toml, of which the file stands beside the plan here.
fn plan() -> String {
    include_str!("../../data/plans/demo.toml")
        .replace("../synthetic-census.csv", "people.csv")
        .replace(
            "data/plans/demo.toml --into demo-results",
            "--into results plan.toml",
        )
}

/// How many people are in the household survey.
const SURVEY: usize = 20_000;

/// How many enterprises are in theirs.
const ENTERPRISES: usize = 2_000;

pub fn run(args: &DemoArgs, console: &Console) -> anyhow::Result<Ending> {
    if args.data {
        files::print(PEOPLE)?;
        return Ok(Ending::Done);
    }
    if args.plan {
        files::print(&plan())?;
        return Ok(Ending::Done);
    }
    if args.survey {
        files::print_bytes(&demo::household_survey(SURVEY))?;
        return Ok(Ending::Done);
    }
    if args.enterprises {
        files::print_bytes(&demo::enterprise_survey(ENTERPRISES))?;
        return Ok(Ending::Done);
    }
    let table = || {
        Table::read(
            "synthetic-census.csv",
            PEOPLE.as_bytes().to_vec(),
            &ReadOptions::default(),
        )
    };
    let original = table()?;
    let mut rows = Vec::new();
    for p in PERCENTAGES {
        console.progress(&format!("masking at p = {p} %, attacking"));
        rows.push(demo::run(p, &original, table()?)?);
    }
    let compared = rows.first().map_or(0, |row| row.known);
    files::print(&explained(&original, compared, &rows))?;
    Ok(Ending::Done)
}

fn explained(original: &Table, compared: usize, rows: &[Row]) -> String {
    let records = original.n_records();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                format!("{}", row.p),
                row.window.to_string(),
                text::percent(row.am.rate(Ties::Fair)),
                text::percent(row.rsld.rate(Ties::Fair)),
                text::percent(row.involution.rate(Ties::Fair)),
                text::percent(row.rsld.certain as f64 / records.max(1) as f64),
                format!("{:.1}", row.rsld.candidates_mean),
                text::percent(row.am.baseline()),
            ]
        })
        .collect();
    let mut out = format!(
        "A bundled file of {records} people who do not exist is masked by rank swapping at five strengths p;\n\
         an intruder who knows {compared} attributes of everybody then links the masked records back.\n\n"
    );
    out += &text::columns(
        &[
            "p (%)",
            "window",
            "nearest record (am)",
            "using p (rsld)",
            "undoing swaps (involution)",
            "certain",
            "candidates",
            "by chance",
        ],
        &cells,
        0,
    );
    let program = std::env::args().next().unwrap_or_else(|| "sdcrisk".into());
    out += &format!(
        "
How to read it (higher = more risk):
  1. am: the share of people linked to their own record by taking the nearest one.
  2. rsld: the same, by an intruder who knows p: only records within the window are possible.
  3. involution: the same, by an intruder who also uses that a swap has two sides: who took a value gave its holder their own.
  4. certain (rsld): only one masked record is possible, so the intruder knows that the link is right.
  5. candidates (rsld): how many masked records remain possible for a person, on average.
  6. A larger p blurs relations between attributes more, and protects from an intruder who knows few attributes of few people; from one who
     knows several attributes of many, it does not ('link --known-records' attacks with part of the people).

Now type:
  {program} demo --data > people.csv
  {program} mask rankswap --p 5 --statement masked.sdc.json -o masked.csv people.csv
  {program} link --method am,rsld,involution --statement masked.sdc.json people.csv masked.csv
  {program} loss people.csv masked.csv
  {program} risk people.csv masked.csv
  {program} score --statement masked.sdc.json people.csv masked.csv
  {program} demo --plan | {program} evaluate --into results -
  {program} report -o report.html results/results.json masked.sdc.json

The same on a file of yours: put its name in place of people.csv. These figures inform; they certify nothing.
"
    );
    out
}
