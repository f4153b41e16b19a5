//! Problems of a query, and suggestions.

use contracts::tools::search::QueryProblem;

/// A problem without suggestions.
pub fn problem(pointer: impl Into<String>, code: &str, message: impl Into<String>) -> QueryProblem {
    QueryProblem {
        pointer: pointer.into(),
        code: code.to_owned(),
        message: message.into(),
        suggestions: Vec::new(),
    }
}

/// At most three names that are similar to `name`, the most similar first. Dissimilar names are
/// left out.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|candidate| (likeness(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, candidate)| candidate.to_owned())
        .collect()
}

/// The similarity of two names: by common letters, or by containment (`arrival` suggests
/// `actual_arrival`).
fn likeness(wanted: &str, candidate: &str) -> f64 {
    let alike = strsim::normalized_damerau_levenshtein(wanted, candidate);
    if wanted.len() >= 3 && candidate.contains(wanted) {
        alike.max(0.7)
    } else {
        alike
    }
}

/// Escapes a segment of a JSON pointer.
pub(crate) fn segment(text: &str) -> String {
    text.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_come_first_and_dissimilar_ones_are_left_out() {
        let names = ["actual_arrival", "planned_arrival", "status", "carrier"];
        assert_eq!(nearest("carier", names), ["carrier"]);
        assert_eq!(
            nearest("arrival", names),
            ["actual_arrival", "planned_arrival"]
        );
        assert!(nearest("zzz", names).is_empty());
    }

    #[test]
    fn pointers_are_escaped() {
        assert_eq!(segment("a/b~c"), "a~1b~0c");
    }
}
