//! Output for the terminal. A closed output is not an error.

use std::io::{Write, stderr, stdout};

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

/// Prints progress notes unchanged.
pub fn write_note(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
