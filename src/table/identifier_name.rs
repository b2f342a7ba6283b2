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
}
