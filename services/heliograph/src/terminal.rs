//! Output for the terminal. A closed output is not an error.

use std::fmt::Write as _;
use std::io::{Write as _, stderr, stdout};

use anyhow::bail;
use chrono_tz::Tz;

/// The time zone that the variable `TZ` names.
#[expect(
    clippy::disallowed_methods,
    reason = "it is a variable of every program, and no setting of this one"
)]
pub fn time_zone() -> anyhow::Result<Option<String>> {
    let Ok(said) = std::env::var("TZ") else {
        return Ok(None);
    };
    match said.trim_start_matches(':') {
        "" => Ok(None),
        zone => match zone.parse::<Tz>() {
            Ok(zone) => Ok(Some(zone.name().to_owned())),
            Err(_) => bail!(
                "the variable TZ is \"{said}\", which names no IANA time zone; name one with --timezone, such as Europe/Zurich"
            ),
        },
    }
}

/// Prints a line of the command's result.
pub fn say(line: impl AsRef<str>) {
    let _ = writeln!(stdout(), "{}", line.as_ref());
}

/// Prints a part of the command's result at once.
pub fn write(text: &str) {
    let mut out = stdout();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Prints a progress note.
pub fn note(line: impl AsRef<str>) {
    let _ = writeln!(stderr(), "  {}", line.as_ref());
}

/// Prints why the command failed, and nothing of the program's own calls, whatever
/// `RUST_BACKTRACE` says.
pub fn fail(error: &anyhow::Error) {
    let mut text = format!(
        "Error: {error}
"
    );
    let causes: Vec<_> = error.chain().skip(1).collect();
    if !causes.is_empty() {
        text.push_str(
            "
Caused by:
",
        );
    }
    for (at, cause) in causes.iter().enumerate() {
        let number = if causes.len() > 1 {
            format!("{at}: ")
        } else {
            String::new()
        };
        let _ = writeln!(text, "    {number}{cause}");
    }
    write_note(&text);
}

/// Prints progress notes unchanged.
pub fn write_note(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
