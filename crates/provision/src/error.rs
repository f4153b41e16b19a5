//! Errors of files and programs, and errors on one line.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why using a file or a program failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Starting a program failed.
    #[error("{program}")]
    NotRun {
        /// The program with its first arguments.
        program: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A program that was called failed.
    #[error("{program} failed ({status})\n{output}")]
    Failed {
        /// The program with its first arguments.
        program: String,
        /// The exit status.
        status: String,
        /// The last lines of its output.
        output: String,
    },
    /// A program that was called exceeded its time limit and was killed.
    #[error("{program} did not end within {timeout:?}")]
    TimedOut {
        /// The program with its first arguments.
        program: String,
        /// The time limit.
        timeout: Duration,
    },
    /// Using a file failed.
    #[error("{}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Error {
    /// Adds the path to an I/O error.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}

/// An error with its causes on one line: the first line of each, and the last line of a program's
/// output.
pub fn on_one_line(error: &(dyn std::error::Error + 'static)) -> String {
    let mut line = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let separator = if line.is_empty() { "" } else { ": " };
        line.extend([separator, lines.next().unwrap_or_default().trim()]);
        if let Some(last) = lines.next_back() {
            line.extend([": ", last.trim()]);
        }
        next = error.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_holds_the_cause_and_the_last_words_of_a_program() {
        let output = "Collecting x\nWARNING: y\nERROR: no network\n".to_owned();
        let failed = Error::Failed {
            program: "pip".to_owned(),
            status: "exit status: 1".to_owned(),
            output,
        };
        assert_eq!(
            on_one_line(&failed),
            "pip failed (exit status: 1): ERROR: no network"
        );
        let io = Error::io(Path::new("/data"))(io::Error::other("disk on fire"));
        assert_eq!(on_one_line(&io), "/data: disk on fire");
    }
}
