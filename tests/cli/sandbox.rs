//! A temporary folder in which the program is run as a user would run it.

use std::{
    collections::BTreeMap,
    fs,
    io::{Seek, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_sdcrisk");

/// A folder of its own, removed at the end of the test.
pub struct Sandbox {
    folder: TempDir,
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    /// The command, for messages of failing tests.
    pub command: String,
    /// Exit status; `None` after a signal.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON on standard output: {error}\n{self:?}"))
    }

    /// The same, after a check of the exit status.
    #[track_caller]
    pub fn ended(self, status: i32) -> Self {
        assert_eq!(
            self.status,
            Some(status),
            "exit status of {}\nstandard error: {}",
            self.command,
            self.stderr
        );
        self
    }
}

impl Sandbox {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A folder that holds these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (name, content) in files {
            sandbox.write(name, content);
        }
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Every entry of the folder and of its folders, with the content of files.
    pub fn listing(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut entries = BTreeMap::new();
        list(self.folder.path(), &mut entries);
        entries
    }

    /// Names of the entries at the top, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Runs the program with these words; single quotes keep blanks together.
    pub fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, b"")
    }

    /// The same, with something on standard input.
    pub fn run_with(&self, arguments: &str, stdin: &[u8]) -> Ran {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(stdin).unwrap();
        file.rewind().unwrap();
        let mut command = self.command(arguments);
        command.stdin(Stdio::from(file));
        finish(command, arguments)
    }

    /// The program, ready to be started in the folder.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(words(arguments))
            .current_dir(self.folder.path());
        command
    }

    /// Runs a shell script in the folder; in it, the program is called `sdcrisk`.
    pub fn shell(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("sdcrisk() {{ '{PROGRAM}' \"$@\"; }}\n{script}"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        finish(command, script)
    }
}

fn finish(mut command: Command, what: &str) -> Ran {
    let output = command.output().unwrap();
    Ran {
        command: what.to_owned(),
        status: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn list(folder: &Path, entries: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, entries);
            entries.insert(path, Vec::new());
        } else {
            let content = fs::read(&path).unwrap_or_default();
            entries.insert(path, content);
        }
    }
}

fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_are_cut_as_a_shell_cuts_them() {
    assert_eq!(words("a  'b c' d=' e' ''"), ["a", "b c", "d= e", ""]);
}
