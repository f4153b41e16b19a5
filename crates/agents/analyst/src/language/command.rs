//! Messages that ask for a change of records: deleted, booked, sent. Sources are only read, so such
//! a message is refused.

use contracts::tools::search::SourceList;

use super::text::{Token, tokens};

/// Verbs that no query and no change of a query begins with.
const WRITES: &[&str] = &[
    "book",
    "rebook",
    "create",
    "send",
    "email",
    "mail",
    "notify",
    "reschedule",
    "assign",
    "insert",
    "approve",
    "pay",
    "reroute",
    "redirect",
    "reserve",
    "rename",
    "mark",
    "overwrite",
    "truncate",
    "erase",
    "void",
];
/// Verbs that also change a query: they write where records are their object.
const CHANGES: &[&str] = &[
    "delete", "cancel", "update", "change", "set", "edit", "modify", "remove", "drop", "add",
    "move", "close", "put",
];
/// Words before the verb.
const BEFORE: &[&str] = &[
    "please", "can", "could", "would", "will", "you", "i", "we", "want", "need", "to", "like",
    "let", "us", "kindly", "now", "ok", "okay", "and", "then", "go", "ahead", "just", "must",
    "should", "have", "d", "i'd", "hey", "hi", "hello",
];
/// Words of queries: what they name is not a record.
const OF_QUERIES: &[&str] = &[
    "filter",
    "filters",
    "filtered",
    "column",
    "columns",
    "field",
    "fields",
    "sort",
    "sorting",
    "order",
    "grouping",
    "group",
    "groups",
    "limit",
    "condition",
    "conditions",
    "restriction",
    "query",
    "request",
    "plan",
    "search",
    "results",
    "result",
    "list",
    "question",
    "step",
    "task",
    "chart",
    "table",
    "report",
    "everything",
    "constraint",
];
/// Words that represent records.
const THEM: &[&str] = &["them", "these", "those"];
/// Words behind a verb with which nothing is written.
const MESSAGES: &[&str] = &["me", "us", "of"];

/// Why a message that needs records changed is refused; `None` for any other message.
/// `has_results`: there is a query that the words may be to change.
pub fn command(text: &str, sources: &SourceList, has_results: bool) -> Option<String> {
    let all = tokens(text);
    let at = all
        .iter()
        .position(|token| token.is_word() && !token.is(BEFORE))?;
    let verb = &all[at];
    let rest = &all[at + 1..];
    let has = |words: &[&str]| rest.iter().any(|token| token.is(words));
    if !rest.iter().any(Token::is_word) && !rest.iter().any(|token| token.number().is_some()) {
        return None;
    }
    // "Send me the list", "update me on …", "a set of …": nothing is to be written.
    let for_person = rest.first().is_some_and(|next| next.is(MESSAGES));
    let writes = if for_person {
        false
    } else if verb.is(WRITES) {
        // "Create a chart" is of results.
        !has(OF_QUERIES)
            // "Book value of the fleet", "mark": a noun where no object follows.
            && rest.iter().filter(|token| token.is_word()).count() > 1
    } else if verb.is(CHANGES) {
        let nothing_else = !has_results && verb.is(&["update", "change", "edit", "modify", "set"]);
        !has(OF_QUERIES) && (nothing_else || is_of_records(verb, rest, sources))
    } else {
        false
    };
    if !writes {
        return None;
    }
    let indices = sources.sources.iter().flat_map(|source| &source.indices);
    let mut nouns: Vec<String> = Vec::new();
    for index in indices {
        let noun = index
            .nouns
            .get(1)
            .or(index.nouns.first())
            .unwrap_or(&index.name);
        if !nouns.contains(noun) {
            nouns.push(noun.clone());
        }
    }
    let verb = &verb.text;
    let first = nouns
        .first()
        .cloned()
        .unwrap_or_else(|| "records".to_owned());
    let held = if nouns.is_empty() {
        first.clone()
    } else {
        crate::words::list(nouns)
    };
    Some(format!(
        "I only read data, so I cannot {verb} anything, and nothing was changed. I can show, count, group and compare {held}: ask, for \
         example, \u{201c}show {first} of last week\u{201d}, \u{201c}how many {first} are there?\u{201d} or \u{201c}{first} by month\u{201d}."
    ))
}

/// Whether the object of a verb is a record: an id, a noun for records, or a word for those that
/// were found.
fn is_of_records(verb: &Token, rest: &[Token], sources: &SourceList) -> bool {
    let id = rest.windows(3).any(|part| {
        part[0].is_word()
            && part[1].is(&["-"])
            && part[1].glued
            && part[2].number().is_some()
            && part[2].glued
    }) || rest.windows(2).any(|pair| {
        pair[0].is_word()
            && pair[0].capital
            && pair[1].glued
            && pair[1].text.len() > 3
            && pair[1].text.bytes().all(|byte| byte.is_ascii_digit())
    });
    let indices = || sources.sources.iter().flat_map(|source| &source.indices);
    let is_noun = |token: &Token| {
        indices().any(|index| {
            index
                .nouns
                .iter()
                .any(|noun| noun.to_lowercase() == token.text)
        })
    };
    let object = rest.iter().find(|token| {
        token.is_word()
            && !token.is(&[
                "the", "my", "our", "all", "a", "an", "this", "that", "every", "new", "another",
                "please", "of",
            ])
    });
    let noun = rest.iter().any(is_noun);
    let them = rest.iter().any(|token| token.is(THEM));
    match verb.text.as_str() {
        // "Remove the cancelled shipments" leaves them out of what is shown; "add the shipment
        // date" shows it.
        "remove" | "drop" => id,
        "add" => {
            let new = rest
                .iter()
                .take(2)
                .any(|token| token.is(&["a", "an", "new", "another"]));
            new && object.is_some_and(is_noun)
        }
        "cancel" => {
            let nothing = object.is_none_or(|object| object.is(&["it", "everything", "work"]));
            !nothing
                && (id
                    || noun
                    || them
                    || rest
                        .iter()
                        .any(|token| token.is(&["my", "our", "booking", "order", "delivery"])))
        }
        "delete" => id || noun || them || rest.iter().any(|token| token.is(&["all", "it"])),
        // "Change the origin to Shanghai" is of the query before; "change the carrier of my
        // shipment" is not.
        _ => {
            let one = rest.iter().any(|token| {
                indices().any(|index| {
                    index
                        .nouns
                        .first()
                        .is_some_and(|noun| noun.to_lowercase() == token.text)
                })
            });
            let edit = rest.iter().any(|token| token.is(&["only", "instead"]));
            id || !edit && (one || noun && object.is_some_and(is_noun))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::fixture::shipping;

    #[test]
    fn what_changes_records_is_refused_and_what_changes_a_query_is_not() {
        let sources = shipping();
        for text in [
            "delete shipment SHP-000123",
            "Please cancel my shipment to Hamburg",
            "cancel shipment SHP-000123",
            "set the status of SHP-000123 to delivered",
            "mark SHP-000123 as delivered",
            "could you book a new shipment to Hamburg?",
            "send an email to the carrier",
            "delete them",
            "cancel these shipments",
            "update SHP-000123",
            "add a new shipment",
            "change the carrier of my shipment",
        ] {
            let refused = command(text, &sources, true);
            assert!(
                refused.is_some_and(|why| why.contains("only read")),
                "{text}"
            );
        }
        for text in [
            "cancel",
            "cancel that",
            "cancel the plan",
            "cancelled shipments",
            "delete the date filter",
            "remove the cancelled shipments",
            "change the origin to Shanghai",
            "set the limit to 10",
            "add the arrival date",
            "send me the shipments of last week",
            "update me on SHP-000123",
            "show shipments",
            "drop the port",
            "update",
        ] {
            assert_eq!(command(text, &sources, true), None, "{text}");
        }
        assert!(command("change the origin to Shanghai", &sources, false).is_some());
    }
}
