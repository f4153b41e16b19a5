//! Guesses that an answer rests on: joins without a declared key, and conditions of a model's query
//! that the question does not say.

use contracts::tools::sql::PlannedJoin;

use crate::language::contradicted::Unsaid;

/// "This takes only rows where status is “cancelled”." It names the words that this may be for.
pub(crate) fn unsaid(unsaid: &Unsaid) -> String {
    let conditions = unsaid.conditions.join(" and ");
    if unsaid.words.is_empty() {
        return format!(
            "This takes only rows where {conditions}, which you did not ask for in these words."
        );
    }
    let words: Vec<String> = unsaid
        .words
        .iter()
        .map(|word| format!("\u{201c}{word}\u{201d}"))
        .collect();
    format!(
        "This takes only rows where {conditions}. I could not confirm that this is what you mean by {}.",
        words.join(" and ")
    )
}

/// "The database does not declare how these tables are joined: “writes.aid = author.aid” (the same
/// name) is a guess."
pub(crate) fn of(steps: &[PlannedJoin], reads: &[String]) -> Option<String> {
    let is_read = |table: &String| reads.iter().any(|read| read.eq_ignore_ascii_case(table));
    let told: Vec<String> = steps
        .iter()
        .map(|step| &step.edge)
        .filter(|edge| edge.guessed && is_read(&edge.from_table) && is_read(&edge.to_table))
        .map(|edge| {
            let why = edge.why.as_deref().map(|why| format!(" ({why})"));
            format!(
                "\u{201c}{}\u{201d}{}",
                edge.condition(),
                why.unwrap_or_default()
            )
        })
        .collect();
    let guess = match told.len() {
        0 => return None,
        1 => "is a guess",
        _ => "are guesses",
    };
    Some(format!(
        "The database does not declare how these tables are joined: {} {guess}.",
        told.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_guesses_that_the_query_uses_are_named() {
        let step = |from: &str, guessed: bool| -> PlannedJoin {
            serde_json::from_value(json!({
                "from_table": from, "from_column": "aid", "to_table": "author", "to_column": "aid",
                "type": "heuristic", "confidence": 0.85, "cardinality": "N:1", "guessed": guessed,
                "why": "the same name",
            }))
            .unwrap()
        };
        let steps = [
            step("writes", true),
            step("prize", true),
            step("declared", false),
        ];
        let reads = [
            "Author".to_owned(),
            "writes".to_owned(),
            "declared".to_owned(),
        ];
        assert_eq!(
            of(&steps, &reads).unwrap(),
            "The database does not declare how these tables are joined: \u{201c}writes.aid = author.aid\u{201d} (the same name) is a guess."
        );
        assert_eq!(of(&steps, &reads[2..]), None);
    }
}
