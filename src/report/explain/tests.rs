use super::*;
use crate::attack::{Direction, distance_based::Standardize, learned::weights::parameter_names};
use crate::report::chart::picture::printable;

/// Names that XML, JSON and the names of sets could stumble over.
const ODD: [&str; 4] = ["A & B", "<script>", "\"it's\"", "a+b"];

fn weights(family: Family, attributes: &[&str], parameters: &[f64]) -> Weights {
    Weights {
        version: "1.2.3".into(),
        family,
        attributes: attributes.iter().map(ToString::to_string).collect(),
        standardize: Standardize::Own,
        direction: Direction::OriginalToMasked,
        parameters: parameters.to_vec(),
        linked: 374,
        records: 400,
        bound: 374,
        proof: ProofStatus::Optimal,
        ranges: None,
        shapley_ranges: None,
        alone: None,
    }
}

/// A member of each family with odd names: equal weights, μ(A) = √(|A|/4), and 1 on the diagonal with −0.2 beside it.
fn examples() -> Vec<Weights> {
    let share = |set: usize| (f64::from((set as u32).count_ones()) / 4.0).sqrt();
    let measure: Vec<f64> = (1..16).map(share).collect();
    let matrix: Vec<f64> = (0..10).map(|k| if k < 4 { 1.0 } else { -0.2 }).collect();
    let two_additive: Vec<f64> = (0..10).map(|k| if k < 4 { 0.4 } else { -0.1 }).collect();
    Family::ALL
        .into_iter()
        .map(|family| {
            let parameters = match basis(family) {
                Basis::Attributes | Basis::Order => &[0.25; 4][..],
                Basis::Measure => &measure,
                Basis::Mobius => &two_additive,
                Basis::Matrix => &matrix,
            };
            let mut weights = weights(family, &ODD, parameters);
            weights.ranges = Some(parameters.iter().map(|p| (p - 0.01, p + 0.01)).collect());
            let text = weights.to_json();
            assert_eq!(Weights::from_json("w.json", &text).unwrap(), weights);
            weights
        })
        .collect()
}

fn said(weights: &Weights) -> String {
    Explanation::new(weights).in_words.join("\n")
}

/// What is wrong with a text as XML, if anything is: tags that do not close, attributes without quotes, bare `&` or `<`.
fn fault_of_xml(text: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let before = &rest[..start];
        if let Some(fault) = fault_of_text(before) {
            return Some(fault);
        }
        let end = rest[start..].find('>')? + start;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let (tag, closed) = tag
            .strip_suffix('/')
            .map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let pieces: Vec<&str> = attributes.split('"').collect();
        let quoted = pieces.len() % 2 == 1
            && pieces.iter().step_by(2).all(|piece| {
                let piece = piece.trim();
                piece.is_empty() || piece.ends_with('=')
            });
        if !quoted || pieces.iter().any(|piece| fault_of_text(piece).is_some()) {
            return Some(format!("attributes of <{tag}>"));
        }
        if !closed {
            open.push(name);
        }
    }
    match open.last() {
        Some(name) => Some(format!("<{name}> stays open")),
        None => fault_of_text(rest),
    }
}

fn fault_of_text(text: &str) -> Option<String> {
    let bare = text.split('&').skip(1).any(|after| {
        !["amp;", "lt;", "gt;", "quot;", "apos;"]
            .iter()
            .any(|entity| after.starts_with(entity))
    });
    let control = text.chars().any(|c| c.is_control() && c != '\n');
    (bare || control || text.contains('>')).then(|| format!("text {text:?}"))
}

#[test]
fn the_check_of_xml_finds_faults() {
    for text in [
        "<a>",
        "<a></b>",
        "<a b=c/>",
        "<a>&x;</a>",
        "<a>\u{1}</a>",
        "<a b=\"&\"/>",
    ] {
        assert!(fault_of_xml(text).is_some(), "{text}");
    }
    assert_eq!(
        fault_of_xml("<a b=\"c\" d=\"&lt;\"><e/>x &amp; y</a>\n"),
        None
    );
}

#[test]
fn pictures_are_whole_safe_and_say_what_they_show() {
    for weights in examples() {
        let svg = Explanation::new(&weights).to_svg();
        assert_eq!(fault_of_xml(&svg), None, "{svg}");
        for part in ["role=\"img\"", "<title id=\"title\">", "<desc id=\"desc\">"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.contains("@media screen and (prefers-color-scheme:dark)"));
        let names = match basis(weights.family) {
            // A set of the picture is named as in the file, whatever its parameters are.
            Basis::Mobius => parameter_names(Family::Choquet, &weights.attributes),
            Basis::Matrix => weights.attributes.clone(),
            _ => weights.names(),
        };
        for name in names {
            let title = format!("<title>{}", maud::html! { (printable(&name)) }.0);
            assert!(svg.contains(&title), "{name}: {svg}");
        }
        let without_namespace = svg.replace("http://www.w3.org/2000/svg", "");
        for outside in ["<script", "href", "url(", "http", "@import", "onload"] {
            assert!(!without_namespace.contains(outside), "{outside}");
        }
    }
}

/// Widths are in the viewBox: no set stands outside, also where levels are broken into rows or cut.
#[test]
fn lattices_of_three_to_nine_attributes_stay_inside() {
    for n in 3..=9_u32 {
        let names: Vec<String> = (0..n).map(|k| format!("V{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let of = |set: u32| f64::from(set.count_ones()) / f64::from(n);
        let measure: Vec<f64> = (1..1 << n).map(of).collect();
        let svg = Explanation::new(&weights(Family::Choquet, &names, &measure)).to_svg();
        let number = |text: &str| text.split('"').next().unwrap().parse::<f64>().unwrap();
        let (_, size) = svg.split_once("viewBox=\"0 0 ").unwrap();
        let mut size = size.split(['"', ' ']).map(|side| side.parse::<f64>());
        let (width, height) = (size.next().unwrap().unwrap(), size.next().unwrap().unwrap());
        for (mark, most) in [("x=\"", width - 37.0), ("y=\"", height)] {
            for place in svg.split(&format!("<text {mark}")).skip(1) {
                assert!((0.0..=most).contains(&number(place)), "{n}");
            }
        }
        // A set a group, and one more for the empty set.
        let drawn = svg.matches("<g>").count() - 1;
        let all = (1_usize << n) - 1;
        assert!(
            drawn == all || (n > 7 && drawn < all && drawn >= 2 * n as usize),
            "{n}: {drawn}"
        );
    }
}

/// The example of the Choquet paper, section 3.1: an attribute that masking did not change gets the weight 1 and finds everybody.
#[test]
fn a_key_attribute_is_called_a_key() {
    let toy = |parameters: &[f64], alone: Option<Vec<usize>>| Weights {
        linked: 3,
        records: 3,
        bound: 3,
        alone,
        ..weights(Family::WeightedMean, &["AGE", "INCOME", "TAX"], parameters)
    };
    let key = "AGE is a key: on its own it links every record. Whoever knows AGE finds everybody, whatever was done to the other \
               attributes.";
    for weights in [
        toy(&[1.0, 0.0, 0.0], None),
        toy(&[0.6, 0.1, 0.3], Some(vec![3, 0, 1])),
    ] {
        let first = &Explanation::new(&weights).in_words[0];
        assert!(first.starts_with(key), "{first}");
        assert_eq!(said(&weights).matches("is a key").count(), 1);
        assert!(
            Explanation::new(&weights)
                .to_text()
                .contains("links 3 of 3 records")
        );
    }
    // Nobody counted what attributes link alone, but the ranges say that one could have it all.
    let mut shared = toy(&[0.6, 0.1, 0.3], None);
    shared.ranges = Some(vec![(0.4, 1.0), (0.0, 0.3), (0.0, 0.5)]);
    assert!(said(&shared).contains("give AGE as little as 40.0 %, or TAX as much as 50.0 %"));
    shared.ranges = Some(vec![(0.4, 1.0), (0.0, 0.3), (0.0, 0.39)]);
    let sure = "AGE has the greatest weight, 40.0 % at least, in every distance of this family that links these records";
    assert!(said(&shared).contains(sure), "{}", said(&shared));
    assert!(said(&shared).contains("however much of the weight is moved to AGE: as good as a key"));
    // One that has all the weight and misses somebody is no key.
    let missing = Weights {
        linked: 2,
        ..toy(&[1.0, 0.0, 0.0], None)
    };
    assert!(!said(&missing).contains("key"), "{}", said(&missing));
    // The same attribute by the other families.
    let measure = Weights {
        linked: 2,
        records: 2,
        ..weights(Family::Choquet, &["AGE", "TAX"], &[1.0, 0.0, 1.0])
    };
    let matrix = Weights {
        linked: 2,
        records: 2,
        ..weights(Family::BilinearDefinite, &["AGE", "TAX"], &[1.0, 0.0, 0.0])
    };
    for weights in [measure, matrix] {
        assert!(said(&weights).starts_with(key), "{}", said(&weights));
    }
}

/// √(0.84 / 0.16) = 2.29: squares are weighed.
#[test]
fn a_heavy_attribute_is_named_with_what_its_weight_means() {
    let weights = weights(
        Family::WeightedMean,
        &["AGI", "AFNLWGT", "TAX"],
        &[0.16, 0.84, 0.0],
    );
    let said = said(&weights);
    for part in [
        "AFNLWGT alone carries 84.0 % of the weight",
        "one standard deviation in AFNLWGT counts as much as one of 2.3 standard deviations in AGI",
        "TAX has no weight: this distance does without. That does not show that it is safe",
        "is proven",
        "The file does not say in which ranges",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let text = Explanation::new(&weights).to_text();
    let order: Vec<usize> = ["AFNLWGT  ", "AGI  ", "TAX  "]
        .iter()
        .map(|name| text.find(name).unwrap())
        .collect();
    assert!(order.is_sorted(), "the heaviest comes first: {text}");
}

#[test]
fn limits_and_ranges_are_told() {
    let mut weights = weights(Family::WeightedMean, &["a", "b"], &[0.5, 0.5]);
    weights.proof = ProofStatus::Limit;
    weights.bound = 390;
    assert!(said(&weights).contains("may link more, up to 390 records"));
    weights.ranges = Some(vec![(0.25, 0.75), (0.25, 0.75)]);
    assert!(said(&weights).contains("It is not the only one"));
    let text = Explanation::new(&weights).to_text();
    assert!(text.contains("25.0 % to 75.0 %"), "{text}");
    weights.ranges = Some(vec![(0.5, 0.5), (0.5, 0.5)]);
    assert!(said(&weights).contains("the only one that links these"));
    weights.standardize = Standardize::None;
    assert!(said(&weights).contains("cannot be compared"));
}

/// By hand: orness of (1, 0, 0) is 1, of (0, 0, 1) 0, of (0.2, 0.3, 0.5) 0.2 + 0.3/2 = 0.35.
#[test]
fn an_ordered_mean_tells_how_many_must_agree() {
    let of = |parameters: &[f64]| {
        said(&weights(
            Family::OrderedWeightedMean,
            &["a", "b", "c"],
            parameters,
        ))
    };
    assert!(of(&[1.0, 0.0, 0.0]).contains("orness is 1.00"));
    assert!(of(&[1.0, 0.0, 0.0]).contains("near only if all its attributes agree"));
    assert!(of(&[0.0, 0.0, 1.0]).contains("one attribute that agrees is enough"));
    assert!(of(&[0.2, 0.3, 0.5]).contains("orness is 0.35"));
}

/// Two of three attributes must differ: pairs are worth 1 and single attributes 0. Shapley values ⅓; each pair interacts by
/// ½(1 − 0 − 0 + 0) + ½(1 − 1 − 1 + 0) = 0. With a veto of the first attribute, μ = 1 for {0,1} and {0,2} only (and the whole), its
/// pairs interact by ½·1 + ½(1 − 1 − 0 + 0) = ½, the other pair by ½·0 + ½(1 − 1 − 1 + 0) = −½.
#[test]
fn interactions_are_read_as_together_or_either() {
    let majority = weights(
        Family::Choquet,
        &["a", "b", "c"],
        &[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0],
    );
    assert!(said(&majority).contains("The smallest sets that do: {a+b}, {a+c} and {b+c}"));
    assert!(said(&majority).contains("No two attributes interact by more"));
    let veto = weights(
        Family::Choquet,
        &["a", "b", "c"],
        &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    );
    let said = said(&veto);
    assert!(
        said.contains("Needed together: a and b (+0.50); a and c (+0.50)."),
        "{said}"
    );
    assert!(
        said.contains("Either is enough: b and c (-0.50)."),
        "{said}"
    );
}

/// [[1, −1], [−1, 1]] has the eigenvalues 2 along (1, −1) and 0; [[0, 1], [1, 0]] has 1 and −1.
#[test]
fn a_matrix_is_told_by_its_directions() {
    let of = |family: Family, parameters: &[f64]| said(&weights(family, &["a", "b"], parameters));
    let opposite = of(Family::BilinearDefinite, &[1.0, 1.0, -1.0]);
    assert!(
        opposite.contains("stretches most (2.00) along 0.71 a − 0.71 b"),
        "{opposite}"
    );
    assert!(opposite.contains("no negative eigenvalue"), "{opposite}");
    let product = of(Family::Bilinear, &[0.0, 0.0, 1.0]);
    assert!(
        product
            .contains("1 of its 2 eigenvalues is negative, the least -1.00 along 0.71 a − 0.71 b"),
        "{product}"
    );
    assert!(
        product.contains("The strongest product is of a and b (+)"),
        "{product}"
    );
}

#[test]
fn json_carries_all_that_text_shows() {
    for weights in examples() {
        let explanation = Explanation::new(&weights);
        let json: serde_json::Value = serde_json::from_str(&explanation.to_json()).unwrap();
        assert_eq!(json["schema"], SCHEMA);
        assert_eq!(json["family"], weights.family.name());
        assert_eq!(json["unique"], false);
        assert_eq!(
            json["in_words"].as_array().unwrap().len(),
            explanation.in_words.len()
        );
        match basis(weights.family) {
            Basis::Attributes | Basis::Order => {
                assert_eq!(json["weights"][0]["weight"], 0.25);
                assert_eq!(json["weights"][0]["range"][1], 0.26);
            }
            Basis::Measure => {
                assert_eq!(json["sets"].as_array().unwrap().len(), 15);
                // √(1/4) of the whole for one of four; equal for all by symmetry, so each Shapley value is ¼.
                assert_eq!(json["sets"][14]["measure"], 0.5);
                assert!((json["shapley"][3]["value"].as_f64().unwrap() - 0.25).abs() < 1e-12);
                assert_eq!(json["interactions"].as_array().unwrap().len(), 6);
            }
            Basis::Mobius => {
                let single = &json["sets"][14];
                assert!((single["mass"].as_f64().unwrap() - 0.4).abs() < 1e-12);
                assert!(single.get("range").is_none() && single["mass_range"].is_array());
            }
            Basis::Matrix => {
                assert_eq!(json["matrix"][1][0], -0.2);
                // 1 + 0.2 threefold, and 1 − 3 · 0.2 along (1, 1, 1, 1).
                assert!((json["axes"][3]["stretch"].as_f64().unwrap() - 0.4).abs() < 1e-12);
                assert_eq!(json["is_distance"], true);
            }
        }
    }
}
