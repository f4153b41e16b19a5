//! Groups of things with a common description: all ports of a country.

/// Maximum size of a group.
pub(super) const MOST: usize = 200;
/// Maximum number of words of a description that names a group.
const WORDS: usize = 4;

/// Whether a description is written like a name, such as a country, and not like a sentence such as
/// `last seen at sea`.
pub(super) fn is_name(description: &str) -> bool {
    let words = description.split_whitespace().count();
    let capital = description.chars().next().is_some_and(char::is_uppercase);
    capital && (1..=WORDS).contains(&words) && !description.chars().any(|c| c.is_ascii_digit())
}

/// The keys of countries by their abbreviations. Lower-case `us` and `uk` can be other words, so
/// only capitals are abbreviations.
pub(super) fn spelled_out(raw: &str) -> Option<&'static str> {
    Some(match raw.trim().trim_end_matches('.') {
        "US" | "USA" | "U.S" | "U.S.A" | "Usa" | "usa" => "united state",
        "UK" | "U.K" => "united kingdom",
        "UAE" | "U.A.E" => "united arab emirate",
        "Holland" | "holland" => "netherland",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::key;

    #[test]
    fn short_forms_are_keys_of_the_long_ones() {
        for (short, long) in [
            ("USA", "United States"),
            ("UK", "United Kingdom"),
            ("UAE", "United Arab Emirates"),
            ("Holland", "Netherlands"),
        ] {
            assert_eq!(spelled_out(short), Some(key(long).as_str()), "{short}");
        }
        assert_eq!(spelled_out("us"), None);
        assert!(is_name("Germany") && is_name("United States"));
        assert!(!is_name("vessel departed") && !is_name("Berth 4"));
    }
}
