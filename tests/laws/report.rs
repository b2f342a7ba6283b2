//! The page of a report: whole, accessible, complete inside, silent outside.

use std::collections::BTreeSet;

use roxmltree::{Document as Tree, Node};
use sdcrisk::report::html::{self, Audience, Document, Kind};
use serde_json::{Value, json};

use crate::{random_files::Dice, results};

fn documents(of: &[(&str, Value)]) -> Vec<Document> {
    of.iter()
        .map(|(name, value)| Document::parse(name, &value.to_string()).unwrap())
        .collect()
}

/// The page of everything that an audience may see.
fn page(of: &[(&str, Value)], audience: Audience) -> String {
    let mut documents = documents(of);
    documents.retain(|document| document.check_for(audience).is_ok());
    html::page(&documents, audience)
}

/// A page as XML, once its document type is gone and the elements that HTML leaves open are closed.
fn as_xml(page: &str) -> String {
    let (before, rest) = page.split_once("<!DOCTYPE html>").unwrap();
    assert_eq!(before, "");
    let mut xml = String::new();
    for (place, piece) in rest.split('<').enumerate() {
        let is_void = ["meta ", "link "]
            .iter()
            .any(|name| piece.starts_with(name));
        if place > 0 {
            xml.push('<');
        }
        match (is_void, piece.split_once('>')) {
            (true, Some((tag, after))) => xml += &format!("{tag}/>{after}"),
            _ => xml += piece,
        }
    }
    xml
}

fn is<'a>(name: &'a str) -> impl Fn(&Node<'_, '_>) -> bool + 'a {
    move |node| node.has_tag_name(name) || node.tag_name().name() == name
}

fn text(node: Node<'_, '_>) -> String {
    node.descendants()
        .filter_map(|node| node.text().filter(|_| node.is_text()))
        .collect()
}

/// What a reader of screens, a keyboard and a printer need, checked on the tree of the page.
fn check_accessible(page: &str) {
    let xml = as_xml(page);
    let tree = Tree::parse(&xml).unwrap_or_else(|error| panic!("{error}"));
    let all = || tree.descendants().filter(Node::is_element);
    let root = tree.root_element();
    assert_eq!(root.attribute("lang"), Some("en"));
    let ids: Vec<&str> = all().filter_map(|node| node.attribute("id")).collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "ids are unique");
    for node in all() {
        let labelled = node.attribute("aria-labelledby").unwrap_or_default();
        for id in labelled.split_whitespace() {
            assert!(distinct.contains(id), "{id} labels, and is not there");
        }
        if let Some(target) = node
            .attribute("href")
            .and_then(|href| href.strip_prefix('#'))
        {
            assert!(
                distinct.contains(target),
                "a link to {target}, which is not there"
            );
        }
        if node.attribute("tabindex").is_some() {
            assert!(node.attribute("role").is_some() && node.attribute("aria-label").is_some());
        }
    }
    let mut level = 0;
    for node in all() {
        let name = node.tag_name().name();
        if let Some(next) = ["h1", "h2", "h3", "h4"]
            .iter()
            .position(|heading| *heading == name)
        {
            assert!(
                next <= level,
                "{} comes after a heading of level {level}",
                text(node)
            );
            assert!(!text(node).trim().is_empty());
            level = next + 1;
        }
    }
    assert_eq!(all().filter(is("h1")).count(), 1);
    assert_eq!(all().filter(is("main")).count(), 1);
    assert!(text(all().find(is("title")).unwrap()).len() > 5);
    for table in all().filter(is("table")) {
        let caption = table.first_element_child().unwrap();
        assert_eq!(caption.tag_name().name(), "caption");
        assert!(!text(caption).is_empty());
        let columns = table
            .descendants()
            .filter(|node| node.attribute("scope") == Some("col"))
            .count();
        assert!(columns > 0);
        for row in table
            .descendants()
            .filter(is("tbody"))
            .flat_map(|body| body.children())
            .filter(Node::is_element)
        {
            assert_eq!(
                row.children().filter(Node::is_element).count(),
                columns,
                "{}",
                text(row)
            );
            assert_eq!(
                row.first_element_child().unwrap().attribute("scope"),
                Some("row")
            );
        }
        for header in table.descendants().filter(is("th")) {
            assert!(
                !text(header).is_empty(),
                "a header without words in {}",
                text(caption)
            );
        }
    }
    for svg in all().filter(is("svg")) {
        assert_eq!(svg.attribute("role"), Some("img"));
        let mut said = svg.children().filter(Node::is_element);
        for part in ["title", "desc"] {
            let node = said.next().unwrap();
            assert_eq!(node.tag_name().name(), part);
            assert!(!text(node).is_empty());
        }
        let figure = svg.ancestors().find(is("figure")).unwrap();
        assert!(
            figure.descendants().any(|node| is("table")(&node)),
            "a picture without its table"
        );
    }
}

/// Nothing is run, nothing is loaded.
fn check_self_contained(page: &str) {
    let without_namespace = page
        .replace("http://www.w3.org/2000/svg", "")
        .to_lowercase();
    for outside in [
        "<script",
        "javascript:",
        "onload",
        "onclick",
        "http:",
        "https:",
        "@import",
        "url(",
        "src=",
        "<iframe",
        "<object",
        "<form",
    ] {
        assert!(!without_namespace.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn pages_of_all_results_are_whole_and_accessible() {
    for audience in [Audience::Internal, Audience::External] {
        let page = page(&results::all(), audience);
        check_accessible(&page);
        check_self_contained(&page);
    }
    for one in results::all() {
        for audience in [Audience::Internal, Audience::External] {
            check_accessible(&page(std::slice::from_ref(&one), audience));
        }
    }
}

/// The captions of the tables of a page, each with the first cells of its rows.
fn tables(page: &str) -> Vec<(String, Vec<String>)> {
    let tree = as_xml(page);
    let tree = Tree::parse(&tree).unwrap();
    let tables = tree.descendants().filter(is("table"));
    tables
        .map(|table| {
            let caption = table.descendants().find(is("caption")).unwrap();
            let rows = table
                .descendants()
                .filter(|node| node.attribute("scope") == Some("row"));
            (text(caption), rows.map(text).collect())
        })
        .collect()
}

/// A method can stand in a plan under several names: each masking has a picture of its own.
#[test]
fn maskings_with_a_name_have_their_own_picture_against_the_parameter() {
    let masking = |name, p| ("rankswap", name, "p", p, [0.2, 0.3, 0.4]);
    let value = results::evaluation(&[
        masking(Some("swap"), 2.0),
        masking(None, 3.0),
        masking(Some("swap"), 5.0),
        masking(None, 7.0),
    ]);
    let page = page(&[("evaluate.json", value)], Audience::Internal);
    for masking in ["swap", "rankswap"] {
        assert!(page.contains(&format!(">p of {masking}<")), "{masking}");
    }
    let mut against = tables(&page);
    against.retain(|(caption, _)| caption.starts_with("Correct links against p"));
    let rows: Vec<Vec<String>> = against.into_iter().map(|(_, rows)| rows).collect();
    assert_eq!(rows, [["2", "5"], ["3", "7"]]);
}

/// What the map shows is what the result says that it shows, as the front was made of it.
#[test]
fn the_map_has_the_axes_that_the_result_names() {
    let axes = |axes: Value| {
        let mut value = results::evaluate();
        value["axes"] = axes;
        let name = "evaluate.json";
        let [document] = &documents(&[(name, value)])[..] else {
            panic!("one result")
        };
        let maps = html::map_of(document);
        maps.first().map(|(_, drawing)| drawing.standalone())
    };
    let shown = |loss: &str, risk: &str| axes(json!({"loss": loss, "risk": risk})).unwrap();
    assert!(shown("il", "dr").contains("disclosure risk (DR)"));
    // The rate of the attack of the first setting is 63.07 %, its DR 55.17 %.
    let highest = shown("il", "highest attack rate");
    assert!(
        highest.contains("correct links of the strongest attack") && highest.contains("63.1 %")
    );
    assert_eq!(axes(json!({"loss": "il", "risk": null})), None);
    assert_eq!(axes(json!({"loss": null, "risk": "dr"})), None);
}

#[test]
fn names_are_text_and_never_markup() {
    let request = html::Request {
        audience: Audience::Internal,
        title: Some(format!("{} & more", results::ODD)),
        release_type: Some("<i>open</i>\u{1}".into()),
    };
    let page = html::page(&documents(&results::all()), request);
    check_accessible(&page);
    assert!(
        page.contains("&lt;b&gt;&amp;&quot;'pay")
            && page.contains("&lt;i&gt;open&lt;/i&gt;\u{fffd}")
    );
    assert!(!page.contains("<b>") && !page.contains("<i>"));
}

/// Every number that a result states is on the internal page, in the form in which people read it.
#[test]
fn the_internal_page_holds_every_figure() {
    let page = page(&results::all(), Audience::Internal).replace('\u{a0}', " ");
    let told = [
        // link: correct links under three rules, rates, intervals, chance, certain, candidates, bound, calibration, mean
        "131.5",
        ">128<",
        ">143<",
        "13.5 %",
        "11.5 % to 15.7 %",
        "0.093 %",
        ">733<",
        "75.0 %",
        "72.2 % to 77.6 %",
        ">619<",
        ">617<",
        ">971<",
        ">37<",
        ">2.8<",
        ">751<",
        ">171<",
        ">148<",
        ">22<",
        "31.3 %",
        "29.2 %",
        "82.2 %",
        "85.6 %",
        "61.2 %",
        "44.3 %",
        "977",
        "54 ranks",
        // loss
        "21.3 %",
        "412 of 13412",
        "9.0 %",
        "7.3 %",
        "46390533.8",
        "1.2 %",
        "97.2 %",
        "3.8 %",
        "3.2500",
        "the correlations are singular",
        "81.2 %",
        "5151.2",
        "group 1 of 419 records",
        // risk: after, before, classes, the record
        ">217<",
        ">331<",
        "10.8 %",
        "14.4 %",
        "55.6 %",
        ">436<",
        "88213",
        "69.2 %",
        "84.6 %",
        "12.5000",
        // score
        "43.1 %",
        "32.2 %",
        "39.3 %",
        "46.1 %",
        "37.2 %",
        "8.7 %",
        "450.7",
        "43.0 % to 49.3 %",
        // evaluate: means, intervals, published, differences, runs with their seeds
        "5.2 % (4.7 % to 5.7 %)",
        "63.1 % (62.1 % to 64.1 %)",
        "64.3 %",
        "-1.23 points",
        "22.4 %",
        "860417",
        "55.2 %",
        "30.2 %",
        "70.1 %",
        // statement, description, matching, weights
        "window = 54",
        ">57<",
        ">71<",
        "0.1737",
        "0.0511",
        "0.750000",
        "0.700000",
        "300 of 400",
        // provenance
        "0a11ce0a11ce",
        "b0bb1eb0bb1e",
        "/srv/secret/people.csv",
        "--seed 860417",
    ];
    for figure in told {
        assert!(page.contains(figure), "{figure} is not on the page");
    }
}

/// What the external page may depend on, by the place of a value in a result; all else is confidential.
fn is_public(kind: Kind, place: &str) -> bool {
    let starts = |allowed: &[&str]| allowed.iter().any(|start| place.starts_with(start));
    let common = ["/schema", "/version", "/status", "/provenance/files/1/"];
    starts(&common)
        || match kind {
            Kind::Link => {
                starts(&[
                    "/scenario/original",
                    "/scenario/masked",
                    "/scenario/direction",
                    "/scenario/aligned_by",
                    "/scenario/ties",
                    "/scenario/assign",
                ]) || ["/method", "/formula", "/worst_case", "/windows", "/known"]
                    .iter()
                    .any(|part| place.starts_with("/results/") && place.contains(part))
            }
            Kind::Loss => {
                // In the units of the attributes, and a difference of means.
                let is_withheld = starts(&["/figures/3/"]) || place == "/figures/4/value";
                let confidential = ["/parts/", "/skipped", "/counted", "/why_not"];
                starts(&["/scenario", "/provenance/files/0/name"])
                    // How many cells were changed says whether losses are shown at all.
                    || place == "/figures/5/counted"
                    || starts(&["/figures/", "/analyses/"])
                        && !is_withheld
                        && !confidential.iter().any(|part| place.contains(part))
            }
            Kind::Risk => {
                place.starts_with("/figures")
                    && (place.ends_with("/name") || place.ends_with("/key"))
            }
            Kind::Evaluation => {
                starts(&[
                    "/plan/file",
                    "/plan/repeats",
                    "/plan/known",
                    "/plan/attacks",
                    "/plan/losses",
                    "/files",
                    "/axes",
                    "/interval",
                ]) || (place.starts_with("/settings/")
                    && !["/measures/dr", "/measures/attack", "/pareto", "/published"]
                        .iter()
                        .any(|part| place.contains(part)))
            }
            Kind::Statement => !place.starts_with("/provenance"),
            Kind::Description => !["missing", "distinct", "notes"]
                .iter()
                .any(|part| place.contains(part)),
            Kind::Score | Kind::Weights | Kind::Matching | Kind::Claims => false,
        }
}

/// The places of all strings, numbers and truth values, as JSON pointers.
fn leaves(value: &Value, place: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                leaves(value, &format!("{place}/{index}"), found);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                leaves(value, &format!("{place}/{}", escaped(key)), found);
            }
        }
        Value::Null => {}
        _ => found.push(place.into()),
    }
}

/// Non-interference: whatever confidential value is changed, the external page stays the same byte by byte, so nothing can
/// be read off it.
#[test]
fn the_external_page_depends_on_nothing_confidential() {
    let all = results::all();
    let plain = page(&all, Audience::External);
    let mut changed = 0;
    for (place, (name, value)) in all.iter().enumerate() {
        let kind = documents(&[(name, value.clone())])[0].kind();
        let mut places = Vec::new();
        leaves(value, "", &mut places);
        for pointer in places.iter().filter(|pointer| !is_public(kind, pointer)) {
            let mut other = all.clone();
            let leaf = other[place].1.pointer_mut(pointer).unwrap();
            *leaf = match &*leaf {
                Value::Number(number) if number.is_u64() => json!(number.as_u64().unwrap() / 2 + 1),
                Value::Number(_) => json!(0.4142),
                Value::Bool(is) => json!(!*is),
                _ => json!("something else"),
            };
            if Document::parse(name, &other[place].1.to_string()).is_ok() {
                assert_eq!(page(&other, Audience::External), plain, "{name} {pointer}");
                changed += 1;
            }
        }
    }
    assert!(changed > 150, "{changed} confidential values were changed");
}

/// The same the other way round: sentinels of what must not be seen.
#[test]
fn the_external_page_holds_no_seed_path_row_number_or_original_check_sum() {
    let page = page(&results::all(), Audience::External).replace('\u{a0}', " ");
    for secret in [
        "860417",
        "seed",
        "/srv",
        "secret",
        "out/",
        "results/",
        "plans/",
        "88213",
        "0a11ce",
        "0.750000",
        "75.0 %",
        "13.5 %",
        "43.1 %",
        "55.6 %",
        "63.1 %",
        "5151.2",
        "rare illness",
        "419 records",
        "987654",
        "rr.csv",
        "kr.txt",
        "private.toml",
        "46390533.8",
        "7.3 %",
        "412 of",
    ] {
        let shown = page
            .replace("the seeds may not", "")
            .replace("Seeds, places of files", "");
        assert!(!shown.contains(secret), "{secret} is on the external page");
    }
    for public in [
        "b0bb1eb0bb1e",
        "window = 54",
        "21.3 %",
        "people.csv",
        "masked.csv",
        "rsld",
        "5.2 % (4.7 % to 5.7 %)",
        "81.2 %",
    ] {
        assert!(
            page.contains(public),
            "{public} is not on the external page"
        );
    }
}

/// One top-coded cell: the mean absolute difference × the records + the masked value is the person's value, so nothing is shown of
/// it. By hand: 0.0001 of 13000 cells is 1, 9/13000 is 9, 10/13000 is 10.
#[test]
fn the_external_page_tells_no_loss_of_few_changed_cells() {
    let page_of = |changed: Value, counted: u64| {
        let mut loss = results::loss();
        loss["figures"][5]["value"] = changed;
        loss["figures"][5]["counted"] = json!(counted);
        page(&[("loss.json", loss)], Audience::External).replace('\u{a0}', " ")
    };
    let il = "21.3 %";
    for few in [json!(0.0001), json!(9.0 / 13000.0), json!(null)] {
        let page = page_of(few, 13000);
        assert!(!page.contains(il) && page.contains("Few cells were changed"));
    }
    let page = page_of(json!(10.0 / 13000.0), 13000);
    assert!(page.contains(il) && !page.contains("Few cells were changed"));
}

/// Losses of a grid are shown as they are outside it: each once, as a share, none in the units of the attributes.
#[test]
fn the_external_page_tells_losses_of_a_grid_once_and_as_shares() {
    let mut grid = results::evaluate();
    let measures = &mut grid["settings"][0]["measures"];
    measures["loss:il"] = measures["il"].clone();
    for key in [
        "mean_absolute_data",
        "mean_square_means",
        "mean_variation_means",
    ] {
        measures[format!("loss:{key}")] = json!({"mean": 0.7777, "interval": null, "runs": 3});
    }
    let external = |value: &Value| page(&[("grid.json", value.clone())], Audience::External);
    assert_eq!(external(&grid), external(&results::evaluate()));
    // Of 1080 records and two attributes 0.004 are 9 cells (8.64), 0.005 are 11.
    grid["settings"][0]["measures"]["loss:changed"] =
        json!({"mean": 0.004, "interval": null, "runs": 3});
    assert!(!external(&grid).contains("4.7\u{a0}%"));
    grid["settings"][0]["measures"]["loss:changed"]["mean"] = json!(0.005);
    assert!(external(&grid).contains("4.7\u{a0}%"));
}

/// Who is alone on a key is another scenario than an attack's, and the summary says so.
#[test]
fn the_summary_names_the_key_of_risk() {
    let page = page(&[("risk.json", results::risk())], Audience::Internal);
    let wanted = ", by the key town, &lt;b&gt;&amp;&quot;'pay alone: another scenario than that of the attacks.";
    assert_eq!(
        page.matches(wanted).count(),
        1,
        "of the uniques, not of interval disclosure"
    );
}

#[test]
fn no_page_calls_a_file_safe() {
    for audience in [Audience::Internal, Audience::External] {
        let page = page(&results::all(), audience).to_lowercase();
        for verdict in [
            "anonymous",
            "anonymised",
            " safe",
            "no risk",
            "guarantee",
            "compliant",
        ] {
            assert!(!page.contains(verdict), "{verdict}");
        }
        assert!(page.contains("certify nothing"));
    }
}

/// Whatever is broken in a result, it is refused with its place or shown; a page that is made is whole.
#[test]
fn broken_results_are_refused_or_shown_and_never_a_panic() {
    let mut dice = Dice(20_26);
    let (mut refused, mut shown) = (0, 0);
    for (name, value) in results::all() {
        let mut places = Vec::new();
        nodes(&value, "", &mut places);
        for pointer in places {
            let mut broken = value.clone();
            let node = broken.pointer_mut(&pointer).unwrap();
            *node = match dice.roll(7) {
                0 => Value::Null,
                1 => json!("secret text"),
                2 => json!(-1),
                3 => json!(1e300),
                4 => json!([]),
                5 => json!({}),
                _ => json!([[true], {"a": null}]),
            };
            match Document::parse(name, &broken.to_string()) {
                Err(error) => {
                    let said = error.to_string();
                    // What is wrong with weights is told by the names of attributes.
                    let is_of_attributes = name.ends_with("weights.json");
                    assert!(
                        said.starts_with(name)
                            && (is_of_attributes || !said.contains("secret text")),
                        "{said}"
                    );
                    refused += 1;
                }
                Ok(document) => {
                    for audience in [Audience::Internal, Audience::External] {
                        let page = html::page(std::slice::from_ref(&document), audience);
                        Tree::parse(&as_xml(&page))
                            .unwrap_or_else(|error| panic!("{name} {pointer}: {error}"));
                        assert!(
                            !page.contains("NaN") && !page.contains("inf "),
                            "{name} {pointer}"
                        );
                    }
                    shown += 1;
                }
            }
        }
    }
    assert!(
        refused > 100 && shown > 100,
        "{refused} refused, {shown} shown"
    );
}

/// The places of all nodes but the root.
fn nodes(value: &Value, place: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    let children: Vec<(String, &Value)> = match value {
        Value::Array(values) => values
            .iter()
            .enumerate()
            .map(|(index, value)| (index.to_string(), value))
            .collect(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (escaped(key), value))
            .collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let place = format!("{place}/{key}");
        found.push(place.clone());
        nodes(child, &place, found);
    }
}

#[test]
fn keys_that_are_not_known_break_nothing() {
    let plain = page(&results::all(), Audience::Internal);
    let mut more = results::all();
    for (_, value) in &mut more {
        if value["schema"] != "sdcrisk.weights/1" {
            value["of_the_future"] = json!({"a": [1, 2]});
        }
    }
    assert_eq!(page(&more, Audience::Internal), plain);
}
