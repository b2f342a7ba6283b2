//! The line of progress. There is one terminal, so there is one line: whoever works says what is being done, and a thread
//! (see [`super::watch`]) shows it again with the seconds when nothing was heard for a while.

use std::{
    io::{self, Write},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::visible;

/// How long nothing may be heard.
const SILENCE: Duration = Duration::from_secs(2);

static LINE: Mutex<Line> = Mutex::new(Line::new());

/// What is being done, and whether and when it was shown.
#[derive(Debug)]
struct Line {
    /// Somebody sees standard error.
    live: bool,
    /// Standard output is being written, which may be the same terminal.
    hushed: bool,
    /// The stages under way, the innermost last.
    stages: Vec<String>,
    /// What the innermost stage said of itself.
    text: Option<String>,
    /// Since when that is being done.
    since: Option<Instant>,
    /// When it was shown with its seconds.
    shown: Option<Instant>,
    /// Something stands on the line.
    dirty: bool,
}

impl Line {
    const fn new() -> Self {
        Self {
            live: false,
            hushed: false,
            stages: Vec::new(),
            text: None,
            since: None,
            shown: None,
            dirty: false,
        }
    }

    /// What is being done, in words.
    fn doing(&self) -> &str {
        let stage = self.stages.last().map(String::as_str);
        self.text.as_deref().or(stage).unwrap_or("working")
    }

    fn starts(&mut self, now: Instant) {
        (self.since, self.shown) = (Some(now), None);
    }

    /// The line after a silence: what is being done, and for how many seconds. At most one a second.
    fn due(&mut self, now: Instant) -> Option<String> {
        let since = *self.since.get_or_insert(now);
        let silent = now.saturating_duration_since(since);
        let recently = self
            .shown
            .is_some_and(|shown| now.saturating_duration_since(shown) < Duration::from_secs(1));
        if !self.live || self.hushed || silent < SILENCE || recently {
            return None;
        }
        self.shown = Some(now);
        Some(format!("{} … {} s", self.doing(), silent.as_secs()))
    }

    /// Writes it in place of what stands there.
    fn write(&mut self, text: &str) {
        let _ = write!(io::stderr(), "\r\x1b[2K{}", crate::visible::name(text));
        let _ = io::stderr().flush();
        self.dirty = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.dirty) {
            let _ = write!(io::stderr(), "\r\x1b[2K");
            let _ = io::stderr().flush();
        }
    }
}

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether anybody sees the line.
#[derive(Debug, Clone, Copy)]
pub struct Live(bool);

impl Live {
    /// The line of a run that is seen, or not.
    pub fn new(is_live: bool) -> Self {
        line().live = is_live;
        Self(is_live)
    }

    /// A part of a call that shows nothing of its own.
    pub fn silent() -> Self {
        Self(false)
    }

    /// Whether anybody sees it.
    pub fn is_live(self) -> bool {
        self.0
    }

    /// Shows a line in place of the last one.
    pub fn show(self, text: &str) {
        if self.0 {
            says(text);
        }
    }
}

/// What is being done within the stage. Shown in place of the last line, where anybody sees it.
pub fn says(text: &str) {
    let mut line = line();
    line.text = Some(text.into());
    line.starts(Instant::now());
    if line.live && !line.hushed {
        line.write(&format!("{text} …"));
    }
}

/// What was said is done.
pub fn forget() {
    line().text = None;
}

/// A stage begins.
pub fn begin(stage: &str) {
    let mut line = line();
    line.stages.push(stage.into());
    line.starts(Instant::now());
}

/// The stage that began last ends.
pub fn end() {
    let mut line = line();
    line.stages.pop();
    line.text = None;
    line.starts(Instant::now());
}

/// What is being done right now, in words.
pub fn doing() -> String {
    line().doing().into()
}

/// Removes the line, before something else is written to standard error.
pub fn clear() {
    line().clear();
}

/// Shows the line if it is due: for the thread that watches.
pub fn tick() {
    let mut line = line();
    if let Some(text) = line.due(Instant::now()) {
        line.write(&text);
    }
}

/// Keeps the line away while standard output is written.
#[derive(Debug)]
pub struct Hush(());

impl Hush {
    /// From now on, until this is dropped.
    pub fn new() -> Self {
        let mut line = line();
        line.clear();
        line.hushed = true;
        Self(())
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        let mut line = line();
        line.hushed = false;
        line.starts(Instant::now());
    }
}

/// The last words of a run that failed.
pub fn complain(text: &str) -> io::Result<()> {
    clear();
    writeln!(io::stderr(), "sdcrisk: {}", visible::lines(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two seconds of silence, then a line a second, with whole seconds; hushed and unseen lines never.
    #[test]
    fn a_line_is_due_after_two_seconds_of_silence() {
        let start = Instant::now();
        let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
        let mut line = Line::new();
        line.live = true;
        line.stages.push("loss".into());
        line.starts(start);
        assert_eq!(line.due(at(1_999)), None);
        assert_eq!(line.due(at(2_000)).as_deref(), Some("loss … 2 s"));
        assert_eq!(line.due(at(2_999)), None);
        assert_eq!(line.due(at(3_400)).as_deref(), Some("loss … 3 s"));
        // Who is heard is not silent.
        line.text = Some("clustering both files".into());
        line.starts(at(3_500));
        assert_eq!(line.due(at(5_400)), None);
        assert_eq!(
            line.due(at(5_500)).as_deref(),
            Some("clustering both files … 2 s")
        );
        line.hushed = true;
        assert_eq!(line.due(at(60_000)), None);
        (line.hushed, line.live) = (false, false);
        assert_eq!(line.due(at(70_000)), None);
    }
}
