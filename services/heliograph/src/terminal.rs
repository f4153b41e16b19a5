//! Words for the person at the terminal. Nobody may be listening, and that is no error.

use std::io::{Write, stderr, stdout};

/// A line that is the command's answer.
pub fn say(line: impl AsRef<str>) {
    let _ = writeln!(stdout(), "{}", line.as_ref());
}

/// Text that is part of the command's answer, shown at once.
pub fn write(text: &str) {
    let mut out = stdout();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// A line about what is going on.
pub fn note(line: impl AsRef<str>) {
    let _ = writeln!(stderr(), "  {}", line.as_ref());
}

/// Lines about what is going on, as they are.
pub fn write_note(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
