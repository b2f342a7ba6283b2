//! Errors, worded so that a person can act on them: where it is, what it is, what to do.
//!
//! A message names files, lines, attributes and options. It never carries a record's value: a tool that
//! measures disclosure must not disclose by its errors. For programs that use the crate, an error may have a [`Reason`] beside its
//! message.

mod reason;

use std::{
    cell::Cell,
    fmt,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

use rayon::prelude::*;

pub(crate) use reason::above;
pub use reason::{Counted, Difference, Reason};

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What threads made, in order; of several errors the first, whichever thread was faster: rayon's `collect` gives any of them.
///
/// # Errors
/// The first one.
pub(crate) fn in_order<T: Send>(
    results: impl ParallelIterator<Item = Result<T>>,
) -> Result<Vec<T>> {
    let results: Vec<Result<T>> = results.collect();
    results.into_iter().collect()
}

/// Whose fault an error is, which decides the exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The call makes no sense: an option is wrong or missing, or two contradict each other. Exit status 2.
    Usage,
    /// `--strict` made an error of a warning, or of a note about an option without use. Exit status 2.
    Strict,
    /// A file's content is not what it must be. Exit status 3.
    Input,
    /// The machine did not do what was asked: a file cannot be opened, a disk is full. Exit status 1.
    Failed,
}

/// Where an error is. Every part is optional; what is known is printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// File name as the user typed it.
    pub file: Option<String>,
    /// Line of the file, from 1, counting the line ends inside quoted cells.
    pub line: Option<u64>,
    /// Name of the attribute.
    pub attribute: Option<String>,
}

/// An error: where, what, and what to do about it.
///
/// ```
/// use sdcrisk::{error::Reason, table::{ReadOptions, Table}};
///
/// let table = Table::read("people.csv", b"age,income\n31,1200\n".to_vec(), &ReadOptions::default())?;
/// let error = table.find("wage").unwrap_err();
/// match error.reason() {
///     Some(Reason::UnknownAttribute { name, file }) => {
///         assert_eq!((name.as_str(), file.as_deref()), ("wage", Some("people.csv")));
///     }
///     _ => panic!("{error}"),
/// }
/// # Ok::<(), sdcrisk::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Parts>);

#[derive(Debug, Clone, PartialEq)]
struct Parts {
    kind: ErrorKind,
    reason: Option<Reason>,
    /// What was being done, the outermost first, each followed by ": ".
    doing: String,
    location: Location,
    what: String,
    remedy: Option<String>,
}

impl Error {
    fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            kind,
            reason: None,
            doing: String::new(),
            location: Location::default(),
            what: what.into(),
            remedy: None,
        }))
    }

    /// The call makes no sense.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, what)
    }

    /// A warning or a note that `--strict` makes an error.
    pub fn strict(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Strict, what).because(Reason::Strict)
    }

    /// A file's content is not what it must be.
    pub fn input(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, what)
    }

    /// The machine did not do what was asked.
    pub fn failed(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, what)
    }

    /// Says why in data.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.0.reason = Some(reason);
        self
    }

    /// The reason of another error, which this one wraps.
    #[must_use]
    pub(crate) fn for_the_reason_of(mut self, other: &Self) -> Self {
        self.0.reason.clone_from(&other.0.reason);
        self
    }

    /// Adds what to do about it: a full sentence without its full stop.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy = Some(remedy.into());
        self
    }

    /// Names the file, unless one is named already.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.location.file.get_or_insert_with(|| file.into());
        self
    }

    /// Names the line (from 1), unless one is named already.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.0.location.line.get_or_insert(line);
        self
    }

    /// Names the attribute, unless one is named already.
    #[must_use]
    pub fn on_attribute(mut self, attribute: impl Into<String>) -> Self {
        let name = self
            .0
            .location
            .attribute
            .get_or_insert_with(|| attribute.into());
        if let Some(reason) = &mut self.0.reason {
            reason.of_attribute(name);
        }
        self
    }

    /// Puts what was being done before everything else.
    #[must_use]
    pub fn during(mut self, what: impl fmt::Display) -> Self {
        self.0.doing = format!("{what}: {}", self.0.doing);
        self
    }

    /// Says of which part of a file it is true, before what is wrong, and one thing more that can be done about it: words that follow "or".
    #[must_use]
    pub(crate) fn of_part(mut self, part: impl fmt::Display, remedy: &str) -> Self {
        self.0.what = format!("{part}: {}", self.0.what);
        self.0.remedy = Some(match self.0.remedy.take() {
            Some(own) => format!("{own}; or {remedy}"),
            None => {
                let (first, rest) = remedy.split_at(usize::from(!remedy.is_empty()));
                format!("{}{rest}", first.to_uppercase())
            }
        });
        self
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Why, in data that a program can match on; `None` where there is nothing to act on but the message.
    pub fn reason(&self) -> Option<&Reason> {
        self.0.reason.as_ref()
    }

    /// What is wrong, without where it is and what to do about it.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.0.location
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location {
            file,
            line,
            attribute,
        } = &self.0.location;
        let place: Vec<String> = [
            file.clone(),
            line.map(|line| format!("line {line}")),
            attribute.as_ref().map(|name| format!("attribute {name:?}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        f.write_str(&self.0.doing)?;
        if !place.is_empty() {
            write!(f, "{}: ", place.join(", "))?;
        }
        f.write_str(&self.0.what)?;
        if let Some(remedy) = &self.0.remedy {
            write!(f, ". {remedy}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Calls what belongs to another crate and may panic on data that it cannot take: the panic becomes an error, and its
/// message, which may hold values, is seen by nobody.
///
/// # Errors
/// Failed, when it panicked; `what` begins the message, as in "the support vector machine".
pub fn fenced<T>(what: &str, call: impl FnOnce() -> T) -> Result<T> {
    thread_local! {
        static FENCED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !FENCED.get() {
                others(info);
            }
        }));
    });
    let outer = FENCED.replace(true);
    // Nothing that the call left half done is looked at again: all that it was lent is read only, or dropped with it.
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    FENCED.set(outer);
    outcome.map_err(|_| {
        Error::failed(format!("{what} cannot cope with these data"))
            .remedy("Leave it out of the call, and please report this")
    })
}

/// The line of this place in a text, from 1.
pub fn line_of(text: &str, place: usize) -> u64 {
    let before = &text.as_bytes()[..place.min(text.len())];
    1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// What is wrong with a text that should be TOML, and where. The library's message may go on with an excerpt of the file
/// on further lines: it ends here with the first.
pub fn not_toml(text: &str, error: &toml::de::Error) -> Error {
    let what = error.message().lines().next().unwrap_or("not TOML");
    let place = error.span().map_or(0, |span| span.start);
    Error::input(what).at_line(line_of(text, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_behind_the_fence_is_an_error_without_its_message() {
        let secret = String::from("secret");
        let error = fenced("the library", || panic!("{secret}")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.what().starts_with("the library"), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        // Fences within fences, and calls that end well.
        let inner = fenced("outer", || fenced("inner", || [1, 2][secret.len()]));
        assert!(inner.unwrap().unwrap_err().what().starts_with("inner"));
        assert_eq!(fenced("the library", || 7), Ok(7));
    }
}
