//! Helpers for the checks of several dialects.

use serde_json::{Map, Value};

/// The members of an object; none for anything else.
pub(super) fn members(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE)
}

/// The items of a list; none for anything else.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The text at this place; empty for anything else.
pub(super) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

/// The first member that is not among these.
pub(super) fn unknown_member<'a>(value: &'a Value, known: &[&str]) -> Option<&'a str> {
    members(value)
        .keys()
        .map(String::as_str)
        .find(|name| !known.contains(name))
}

/// Whether a name is made of letters, digits, `_` and `-`, and no longer than that.
pub(super) fn plain_name(name: &str, longest: usize) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    !name.is_empty() && name.len() <= longest && name.chars().all(plain)
}

/// The first name that occurs twice.
pub(super) fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = std::collections::HashSet::new();
    let mut names = names;
    names.find(|name| !seen.insert(*name))
}

/// Whether no provider has such a model.
pub(super) fn is_unknown_model(name: &str) -> bool {
    name.contains("nonexistent")
}
