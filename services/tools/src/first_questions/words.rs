//! Names of tables and columns as people say them.

use std::collections::HashSet;

use crate::sql_tools::identifier_words;

/// A name as a person says it: `workOrder` as `work order`.
pub(super) fn spoken(name: &str) -> String {
    let words = identifier_words(name);
    if words.is_empty() {
        name.to_owned()
    } else {
        words.join(" ")
    }
}

/// Words of German names of columns that are no English ones.
const GERMAN: [&str; 20] = [
    "anzahl",
    "artikel",
    "bestellung",
    "betrag",
    "bezeichnung",
    "datum",
    "gewicht",
    "kunde",
    "kunden",
    "menge",
    "nummer",
    "ort",
    "plz",
    "preis",
    "rechnung",
    "strasse",
    "straße",
    "titel",
    "umsatz",
    "vorname",
];

/// Whether names of columns are German: at least two of their words are.
pub(super) fn is_german<'n>(columns: impl Iterator<Item = &'n str>) -> bool {
    let words = columns.flat_map(identifier_words);
    let german: HashSet<String> = words
        .map(|word| word.to_lowercase())
        .filter(|word| GERMAN.contains(&word.as_str()))
        .collect();
    german.len() > 1
}

/// More than one of something, as English has it mostly.
pub(super) fn plural(name: &str) -> String {
    let before_last = name.chars().rev().nth(1);
    let is_vowel = before_last.is_some_and(|letter| "aeiou".contains(letter));
    match name.strip_suffix('y') {
        Some(stem) if !is_vowel => format!("{stem}ies"),
        _ if name.ends_with('s') || name.ends_with("data") => name.to_owned(),
        _ if name.ends_with("ch") || name.ends_with("sh") || name.ends_with('x') => {
            format!("{name}es")
        }
        _ => format!("{name}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_as_people_say_them() {
        let said = |name: &str| plural(&spoken(name));
        assert_eq!(said("workOrder"), "work orders");
        assert_eq!(said("sales_category"), "sales categories");
        assert_eq!(said("day"), "days");
        assert_eq!(said("SALES"), "sales");
    }

    /// "kundens" and "bestellungens" are words of no language.
    #[test]
    fn german_names_have_no_english_plural() {
        assert!(is_german(["kunde_id", "bestell_datum", "Ort"].into_iter()));
        assert!(!is_german(["customer_id", "ort", "date"].into_iter()));
    }
}
