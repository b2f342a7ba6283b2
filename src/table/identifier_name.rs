//! Which names say that an attribute identifies its respondents.

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameHint {
    /// An identifier by its name alone: `patient_id`, `UTILITYID`, `email`.
    Identifier,
    /// The name of somebody or something: `UTILNAME`, `firm_name`.
    PersonName,
    /// An identifier if the cells bear it out: `customer_no`, `key`, `id_type`.
    Perhaps,
    /// Nothing.
    None,
}

/// Words that name an identifier.
const WORDS: [&str; 62] = [
    "id",
    "ids",
    "hid",
    "pid",
    "hhid",
    "uid",
    "uuid",
    "guid",
    "caseid",
    "personid",
    "userid",
    "respid",
    "recid",
    "recordid",
    "rowid",
    "custid",
    "customerid",
    "patientid",
    "householdid",
    "firmid",
    "studentid",
    "ssn",
    "nif",
    "nie",
    "dni",
    "nin",
    "nino",
    "bsn",
    "cpr",
    "pesel",
    "passport",
    "pasaporte",
    "email",
    "mail",
    "correo",
    "phone",
    "tel",
    "telephone",
    "telefon",
    "telefono",
    "teléfono",
    "mobile",
    "fax",
    "iban",
    "surname",
    "lastname",
    "firstname",
    "forename",
    "fullname",
    "nombre",
    "apellido",
    "apellidos",
    "nachname",
    "vorname",
    "prenom",
    "prénom",
    "cognome",
    "address",
    "adresse",
    "direccion",
    "dirección",
    "domicilio",
];

/// Words that, at the end of a name, name an identifier if the cells bear it out.
const LAST_WORDS: [&str; 9] = [
    "key",
    "nr",
    "no",
    "num",
    "number",
    "code",
    "ref",
    "reference",
    "serial",
];

/// English words that end in `id` without naming an identifier.
const NOT_IDS: [&str; 29] = [
    "acid", "aid", "android", "arid", "avid", "avoid", "bid", "braid", "covid", "did", "fluid",
    "grid", "humid", "hybrid", "kid", "laid", "lid", "liquid", "maid", "mid", "paid", "raid",
    "rapid", "rid", "said", "solid", "unpaid", "valid", "void",
];

/// What this name says: its words are cut at other signs than letters and digits, and where small letters meet
/// large ones; digits at the end of a word are left out.
pub(super) fn hint(name: &str) -> NameHint {
    let words = words(name);
    let Some(last) = words.last() else {
        return NameHint::None;
    };
    let known =
        |word: &str| WORDS.contains(&word.to_lowercase().trim_end_matches(char::is_numeric));
    let small = last.to_lowercase();
    let capitals = !last.chars().any(char::is_lowercase);
    let ends_in_id =
        capitals && last.len() > 2 && last.ends_with("ID") && !NOT_IDS.contains(&small.as_str());
    if known(last) || ends_in_id {
        NameHint::Identifier
    } else if small.ends_with("name") && (small == "name" || capitals || words.len() > 1) {
        NameHint::PersonName
    } else if words.iter().any(|word| known(word)) || LAST_WORDS.contains(&small.as_str()) {
        NameHint::Perhaps
    } else {
        NameHint::None
    }
}

/// Beginnings of words that speak of somebody's birth.
const BIRTH: [&str; 13] = [
    "birth",
    "born",
    "dob",
    "bday",
    "geburt",
    "gebdat",
    "gebtag",
    "geboren",
    "naiss",
    "nacimiento",
    "nascita",
    "nascimento",
    "fecnac",
];

/// Beginnings of words that speak of households.
const HOUSEHOLD: [&str; 9] = [
    "household",
    "haushalt",
    "hogar",
    "menage",
    "ménage",
    "foyer",
    "dwelling",
    "family",
    "familie",
];

/// Short words for a household, as they are.
const HOUSEHOLDS: [&str; 4] = ["hh", "hid", "hhnr", "hhno"];

/// What follows the household in one word, if it is its number: `haushaltsnummer`, `householdno`.
const NUMBER_ENDINGS: [&str; 10] = [
    "", "s", "id", "sid", "nr", "snr", "no", "number", "nummer", "snummer",
];

/// Beginnings of words that speak of sampling weights.
const WEIGHTS: [&str; 7] = [
    "weight",
    "gewicht",
    "poids",
    "pondera",
    "peso",
    "hochrechnung",
    "wgt",
];

/// Whether this name speaks of somebody's birth.
pub(super) fn is_of_birth(name: &str) -> bool {
    let begins = |word: &String| BIRTH.iter().any(|begin| word.starts_with(begin));
    small_words(name).iter().any(begins)
}

/// Whether this is the name of the number of a household, and not of something that it has (`household_income`).
pub(super) fn is_of_household(name: &str) -> bool {
    let words = small_words(name);
    let Some((last, before)) = words.split_last() else {
        return false;
    };
    let numbered = |begin: &&str| {
        let rest = last.strip_prefix(*begin);
        rest.is_some_and(|rest| NUMBER_ENDINGS.contains(&rest))
    };
    let speaks = |word: &String| {
        HOUSEHOLDS.contains(&word.as_str()) || HOUSEHOLD.iter().any(|begin| word.starts_with(begin))
    };
    HOUSEHOLDS.contains(&last.as_str())
        || HOUSEHOLD.iter().any(numbered)
        || before.iter().any(speaks)
            && (LAST_WORDS.contains(&last.as_str()) || NUMBER_ENDINGS.contains(&last.as_str()))
}

/// Whether this is the name of a sampling weight.
pub(super) fn is_of_weight(name: &str) -> bool {
    let speaks = |word: &String| {
        matches!(word.as_str(), "wt" | "wts")
            || word.ends_with("wgt")
            || word.ends_with("gewicht")
            || WEIGHTS.iter().any(|begin| word.starts_with(begin))
    };
    small_words(name).iter().any(speaks)
}

/// The words of a name in small letters, without digits at their ends.
fn small_words(name: &str) -> Vec<String> {
    let small = |word: String| {
        let word = word.to_lowercase();
        word.trim_end_matches(char::is_numeric).to_owned()
    };
    words(name).into_iter().map(small).collect()
}

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (place, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = place.checked_sub(1).map(|place| letters[place]);
        let after = letters.get(place + 1);
        // `customerId` is cut before the I, `IDNumber` before the N.
        let cut = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|c| c.is_lowercase()));
        if cut {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_people_read_in_them() {
        use NameHint::{Identifier, None, Perhaps, PersonName};
        for (name, expected) in [
            ("UTILITYID", Identifier),
            ("ori_hid", Identifier),
            ("customerId", Identifier),
            ("patient.id", Identifier),
            ("Phone2", Identifier),
            ("e-mail", Identifier),
            ("ID", Identifier),
            ("lastName", PersonName),
            ("UTILNAME", PersonName),
            ("IDNumber", Perhaps),
            ("customer_no", Perhaps),
            ("key", Perhaps),
            ("Key1", None),
            ("PAID", None),
            ("PAID.UP.CAPITAL", None),
            ("COVID", None),
            ("humid", None),
            ("AGI", None),
            ("number_of_children", None),
            ("", None),
        ] {
            assert_eq!(hint(name), expected, "{name}");
        }
    }

    #[test]
    fn households_have_numbers_births_have_days_and_weights_have_names() {
        for name in [
            "household",
            "hh",
            "HH_NR",
            "householdNo",
            "Haushaltsnummer",
            "haushalt_nr",
            "id_hogar",
            "numero_menage",
            "HHID",
        ] {
            let said = is_of_household(name) || hint(name) == NameHint::Identifier;
            assert!(said, "{name}");
        }
        for name in [
            "household_income",
            "hhcivil",
            "household_weights",
            "haushaltsgroesse",
            "hh_size",
            "children",
            "",
        ] {
            assert!(!is_of_household(name), "{name}");
        }
        for name in [
            "birth",
            "dateOfBirth",
            "DOB",
            "Geburtsdatum",
            "date_naissance",
        ] {
            assert!(is_of_birth(name), "{name}");
        }
        for name in ["interview_date", "stubborn", "adobe", ""] {
            assert!(!is_of_birth(name), "{name}");
        }
        for name in [
            "AFNLWGT",
            "sampling_weight",
            "Gewicht",
            "Hochrechnungsfaktor",
            "wt2",
        ] {
            assert!(is_of_weight(name), "{name}");
        }
        for name in ["growth", "width", "answer", "between", ""] {
            assert!(!is_of_weight(name), "{name}");
        }
    }
}
