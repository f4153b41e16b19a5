//! Names of tables and columns in queries.

use std::collections::HashSet;

/// Longest name of a table or column, in bytes: PostgreSQL's limit.
const LONGEST_NAME: usize = 60;

/// Names for headers: each once, in the form of identifiers.
pub(super) fn names(headers: Vec<String>) -> Vec<(String, String)> {
    let mut known = HashSet::new();
    let mut names = Vec::new();
    for (at, header) in headers.into_iter().enumerate() {
        let name = free(identifier(&header), &format!("column_{}", at + 1), &known);
        known.insert(name.clone());
        names.push((name, header));
    }
    names
}

/// A name that is not known yet.
pub(super) fn free(name: String, otherwise: &str, known: &HashSet<String>) -> String {
    let name = if name.is_empty() {
        otherwise.to_owned()
    } else {
        name
    };
    let mut candidate = name.clone();
    let mut number = 2;
    while known.contains(&candidate) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

/// A text as an identifier: letters and digits in lower case, `_` between words.
pub(super) fn identifier(text: &str) -> String {
    let mut name = String::new();
    for letter in text.trim().chars() {
        if letter.is_alphanumeric() {
            name.extend(letter.to_lowercase());
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let mut name = name.trim_end_matches('_').to_owned();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    // The catalogue leaves out what PostgreSQL may call its own.
    match name.chars().next() {
        Some(first) if first.is_numeric() => format!("n{name}"),
        _ if name.starts_with("pg_") => format!("t_{name}"),
        _ => name,
    }
}
