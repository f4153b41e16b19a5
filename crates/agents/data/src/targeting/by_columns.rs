//! The target whose columns the words of a question name, where they name no table.

use std::collections::HashSet;

use super::Seen;
use crate::language::names::stems;

/// Words that columns of any database have, or that questions have beside what they ask for.
const COMMON: [&str; 34] = [
    "id",
    "name",
    "date",
    "day",
    "month",
    "year",
    "time",
    "number",
    "type",
    "status",
    "state",
    "code",
    "title",
    "note",
    "total",
    "count",
    "amount",
    "value",
    "level",
    "order",
    "first",
    "last",
    "new",
    "many",
    "list",
    "show",
    "number",
    "most",
    "common",
    "start",
    "end",
    "group",
    "description",
    "comment",
];

/// The only target whose columns say all that columns of any say of the question.
pub(super) fn only(question: &str, all: &[Seen]) -> Option<usize> {
    let said: HashSet<String> = stems(question)
        .into_iter()
        .filter(|word| word.len() > 2 && !COMMON.contains(&&**word))
        .collect();
    let explained = |seen: &Seen| -> HashSet<String> {
        let tables = seen.tables.tables.iter();
        let columns = tables.flat_map(|table| &table.column_names);
        let words = columns.flat_map(|column| stems(column));
        words.filter(|word| said.contains(word)).collect()
    };
    let explained: Vec<HashSet<String>> = all.iter().map(explained).collect();
    let is_ahead = |at: &usize| {
        let mut others = (0..all.len()).filter(|other| other != at);
        let own = &explained[*at];
        !own.is_empty()
            && others.all(|other| explained[other].is_subset(own) && explained[other] != *own)
    };
    (0..all.len()).find(is_ahead)
}
