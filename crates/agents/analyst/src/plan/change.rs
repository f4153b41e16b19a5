//! The wish to see a plan before it runs, and the tasks to leave out of one.

use super::Tasks;

/// How a message asks to see the plan before it runs.
const WISHES: [&str; 12] = [
    "show me the plan first",
    "show the plan first",
    "show me the plan before you run it",
    "show me the plan before running it",
    "let me see the plan first",
    "let me approve the plan first",
    "let me approve the plan",
    "let me approve it first",
    "ask me before you run it",
    "ask before running it",
    "ask me first",
    "plan first",
];

/// The message without the wish to see the plan first; `None` where there is none in it.
pub(crate) fn without_wish(text: &str) -> Option<String> {
    // Lengths stay the same in this lower case.
    let lower = text.to_ascii_lowercase();
    let (at, wish) = WISHES
        .iter()
        .find_map(|wish| Some((lower.find(wish)?, wish)))?;
    let ends = [' ', ',', ';', ':', '-', '\n'];
    let before = text[..at].trim_end_matches(ends).trim_end_matches(" but");
    let before = before.trim_end_matches(" and").trim_end_matches(ends);
    let after = &text[at + wish.len()..];
    let after = after
        .trim_start_matches(ends)
        .trim_start_matches(['.', '!']);
    let rest = format!("{before} {}", after.trim());
    Some(rest.trim().to_owned())
}

/// Whether a person leaves the choice to the assistant.
pub(crate) fn leaves_choice(text: &str) -> bool {
    let said = words(text).join(" ");
    let said = said
        .trim_start_matches("please ")
        .trim_end_matches(" please");
    [
        "you choose",
        "you decide",
        "you pick",
        "choose for me",
        "decide for me",
        "pick one",
        "choose one",
        "any",
        "any of them",
        "either",
        "either one",
        "whichever",
        "i don t care",
        "i don t know",
        "no idea",
        "idk",
        "dunno",
        "not sure",
        "i m not sure",
        "doesn t matter",
        "it doesn t matter",
        "whatever",
        "your choice",
        "best guess",
        "take your best guess",
    ]
    .contains(&said)
}

/// The tasks that the words ask to leave out; empty when they ask for something else.
pub(crate) fn left_out(text: &str, tasks: &Tasks) -> Vec<String> {
    let said = words(text);
    let Some(begin) = said.iter().position(|word| LEAVES.contains(&word.as_str())) else {
        return Vec::new();
    };
    let named: Vec<&String> = said[begin + 1..]
        .iter()
        .filter(|word| !FILLERS.contains(&word.as_str()))
        .collect();
    let scores: Vec<(usize, &String)> = tasks
        .iter()
        .map(|(key, task)| {
            let mut own = words(key);
            own.extend(words(&task.tool));
            let hits = named
                .iter()
                .filter(|word| own.iter().any(|own| alike(own, word)));
            (hits.count(), key)
        })
        .collect();
    let best = scores.iter().map(|(hits, _)| *hits).max().unwrap_or(0);
    if best == 0 || best < named.len() {
        return Vec::new();
    }
    let chosen = scores.into_iter().filter(|(hits, _)| *hits == best);
    chosen.map(|(_, key)| key.clone()).collect()
}

const LEAVES: [&str; 8] = [
    "skip", "without", "omit", "drop", "remove", "leave", "no", "delete",
];
const FILLERS: [&str; 14] = [
    "the", "a", "an", "out", "task", "tasks", "step", "steps", "part", "please", "need", "for",
    "it", "run",
];

/// Whether two words are the same but for their ends: `summary` and `summarize`, `map` and
/// `mapping`.
fn alike(one: &str, other: &str) -> bool {
    let common = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let shorter = one.len().min(other.len());
    one == other || common == shorter && shorter >= 3 || common >= 5
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use contracts::todo::QueryStrategy;

    use super::*;
    use crate::plan::retrieval;

    #[test]
    fn a_wish_to_see_the_plan_is_taken_out_of_the_message() {
        for (text, rest) in [
            (
                "Show shipments to Miami last week, but show me the plan first.",
                "Show shipments to Miami last week",
            ),
            (
                "Show me the plan first: shipments to Miami",
                "shipments to Miami",
            ),
            (
                "Show shipments. Ask me before you run it",
                "Show shipments.",
            ),
        ] {
            assert_eq!(without_wish(text).as_deref(), Some(rest), "{text}");
        }
        assert_eq!(without_wish("show me the plan"), None);
        assert!(leaves_choice("You choose!") && !leaves_choice("Port of Miami"));
    }

    #[test]
    fn tasks_are_left_out_by_any_of_their_names() {
        let tasks = retrieval(QueryStrategy::Hybrid, "");
        for (text, expected) in [
            ("skip the summary", vec!["summarize"]),
            ("without map_es_fields", vec!["map_es_fields"]),
            ("please leave out the summarize step", vec!["summarize"]),
            ("only delivered ones", vec![]),
            ("without the hazardous ones", vec![]),
        ] {
            assert_eq!(left_out(text, &tasks), expected, "{text}");
        }
        assert_eq!(left_out("no graphql", &tasks).len(), 3);
    }
}
