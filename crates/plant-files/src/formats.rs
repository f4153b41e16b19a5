//! The formats of data loggers, one module each.

pub mod goodwe;
pub mod integra;
pub mod lti;
pub mod mbmet;
pub mod meier;
pub mod meteocontrol;
pub mod plexlog;
pub mod smartdog;
pub mod sqlite;

use crate::error::FileError;
use crate::record::{Record, Row, Sink};

/// Sends a good row.
fn good(sink: &mut dyn Sink, line: u64, record: Record) -> Result<(), FileError> {
    send(sink, line, Ok(record))
}

/// Sends a refused row.
fn bad(sink: &mut dyn Sink, line: u64, reason: impl Into<String>) -> Result<(), FileError> {
    send(sink, line, Err(reason.into()))
}

fn send(sink: &mut dyn Sink, line: u64, record: Result<Record, String>) -> Result<(), FileError> {
    match sink.row(Row { line, record }) {
        std::ops::ControlFlow::Continue(()) => Ok(()),
        std::ops::ControlFlow::Break(()) => Err(FileError::Stopped),
    }
}

/// The cells of a line, without blanks and quotes around them.
fn cells(line: &str, delimiter: char) -> Vec<&str> {
    line.split(delimiter)
        .map(|cell| cell.trim().trim_matches('"').trim())
        .collect()
}

/// A vendor's key in camel case: `T_CH` becomes `tCh`.
fn camel(key: &str) -> String {
    let mut name = String::new();
    for word in key
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let shouts = word.chars().all(|c| !c.is_lowercase());
        let word = if shouts {
            word.to_lowercase()
        } else {
            word.to_owned()
        };
        let mut letters = word.chars();
        let Some(first) = letters.next() else {
            continue;
        };
        if name.is_empty() {
            name.extend(first.to_lowercase());
        } else {
            name.extend(first.to_uppercase());
        }
        name.push_str(letters.as_str());
    }
    name
}

/// The letters and digits of a key, in lower case.
fn plain(key: &str) -> String {
    key.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
