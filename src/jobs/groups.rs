//! `--group 'a,b:3'`: attributes that are aggregated together, and a number of their own.

use crate::{
    error::{Error, Reason, Result},
    table::{AttrId, Table},
};

/// What one `--group` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The attributes, in the order of the list.
    pub attributes: Vec<AttrId>,
    /// The number after the last `:`; the call's own where it is left out.
    pub number: Option<usize>,
}

/// Reads one `--group`: a list of attributes (see [`Table::select`]), with or without `:NUMBER` behind it.
///
/// A name may hold a `:` itself: a text that is a list of attributes as a whole is one, and has no number. (To give
/// a number to the attribute `a:3`, or to `a` where there is also an `a:3`, write `a:3:5` or `"a":3`.)
///
/// # Errors
/// Usage, when it is neither, or the number is 0.
pub fn parse(table: &Table, text: &str) -> Result<Group> {
    let whole = match table.select(text) {
        Ok(attributes) => {
            return Ok(Group {
                attributes,
                number: None,
            });
        }
        Err(error) => error,
    };
    let Some((list, number)) = text.rsplit_once(':') else {
        return Err(whole);
    };
    match number.trim().parse() {
        Ok(0) => {
            Err(
                Error::out_of_range("group", 1.0.., "the number of a --group must be at least 1")
                    .remedy("Write for example --group 'a,b:3'"),
            )
        }
        Ok(number) => Ok(Group {
            attributes: table.select(list)?,
            number: Some(number),
        }),
        Err(_) => Err(Error::usage(
            "what follows the last ':' of a --group is neither a number nor part of a name",
        )
        .because(Reason::NotANumber)
        .in_file(table.name())
        .remedy("Write for example --group 'a,b:3', names with ',' or ':' in double quotes")),
    }
}

/// Reads every `--group`.
///
/// # Errors
/// Usage, as [`parse`] has it, or when an attribute is in two of them.
pub fn parse_all(table: &Table, texts: &[String]) -> Result<Vec<Group>> {
    let groups = texts
        .iter()
        .map(|text| parse(table, text))
        .collect::<Result<Vec<Group>>>()?;
    let mut taken = vec![false; table.n_attributes()];
    for &attribute in groups.iter().flat_map(|group| &group.attributes) {
        if std::mem::replace(&mut taken[attribute.index()], true) {
            return Err(Error::usage("the attribute is in two groups")
                .in_file(table.name())
                .named_twice(&table.attribute(attribute).name)
                .remedy("Name it in one --group"));
        }
    }
    Ok(groups)
}

/// The attributes of all groups.
pub fn union(groups: &[Group]) -> Vec<AttrId> {
    let attributes = groups.iter().flat_map(|group| &group.attributes);
    attributes.copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table() -> Table {
        let text = b"a,b,a:3,c:d\n1,2,3,4\n5,6,7,8\n".to_vec();
        Table::read("f.csv", text, &ReadOptions::default()).unwrap()
    }

    fn read(text: &str) -> Result<(Vec<usize>, Option<usize>)> {
        parse(&table(), text).map(|group| {
            let places = group.attributes.iter().map(|id| id.index()).collect();
            (places, group.number)
        })
    }

    #[test]
    fn a_list_and_a_number() {
        assert_eq!(read("a,b"), Ok((vec![0, 1], None)));
        assert_eq!(read("b,a:7"), Ok((vec![1, 0], Some(7))));
        assert_eq!(read("1-2 : 12"), Ok((vec![0, 1], Some(12))));
    }

    #[test]
    fn a_list_that_resolves_whole_wins() {
        assert_eq!(read("a:3"), Ok((vec![2], None)));
        assert_eq!(read("b,a:3"), Ok((vec![1, 2], None)));
        assert_eq!(read("a:3:5"), Ok((vec![2], Some(5))));
        assert_eq!(read("\"a\":3"), Ok((vec![0], Some(3))));
        assert_eq!(read("a:4"), Ok((vec![0], Some(4))));
        assert_eq!(read("c:d"), Ok((vec![3], None)));
        assert_eq!(read("c:d:2"), Ok((vec![3], Some(2))));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in [
            "", ":3", "a:", "a:x", "a:-1", "a:0", "z:3", "b,b:3", "a:3.5", "z",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_attribute_is_in_one_group() {
        let all = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            parse_all(&table(), &texts)
        };
        assert_eq!(union(&all(&["b:3", "a,c:d"]).unwrap()).len(), 3);
        let error = all(&["a,b", "c:d,b:2"]).unwrap_err().to_string();
        assert!(
            error.contains("\"b\": the attribute is in two groups"),
            "{error}"
        );
    }
}
