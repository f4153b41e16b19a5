//! "What is the most common cargo?", "Which colour occurs most often among the cars?": the values
//! of a column by how many rows have them.

use std::sync::LazyLock;

use contracts::tools::sql::TableSummary;
use regex::Regex;

use super::{
    Asks, Limits, Shape,
    most::{Ranking, SHOWN},
    normal,
};
use crate::language::names::{bare, mentions, named, stems, words};

static COMMON: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let begin = r"(?ix)^(?:please\ )?(?:(?:what|which|who)(?:\ (?:is|are|was|were)|['’]?s)?\ |(?:show|list|give|name|tell)(?:\ me)?\ )?(?:(?:the|our)\ )*";
    let number = r"(?:(?:top\ )?(?P<most>[1-9]\d{0,2})\ )?";
    let rows =
        r"(?:\ (?:of|in|among|for|across|over)\ (?:(?:the|our|all|table)\ )*(?P<what>[\w.\ ]+?))?$";
    let often = r"(?:common|frequent|popular|usual|typical|widespread|frequently\ (?:used|seen)|often\ used|commonly\ used|used)";
    [
        format!(r"{begin}{number}(?P<end>most|least)\ {often}\ (?P<by>[\w\ ]+?){rows}"),
        format!(
            r"{begin}{number}(?P<by>[\w\ ]+?)\ (?:is|are|was|were)\ (?:the\ )?(?P<end>most|least)\ {often}{rows}"
        ),
        format!(
            r"{begin}{number}(?P<by>[\w\ ]+?)\ (?:occurs?|appears?|comes?\ up|happens?|(?:is|are)\ (?:used|seen|found))\ (?:the\ )?(?P<end>most|least)(?:\ (?:often|frequently|common|of\ all))?{rows}"
        ),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Words behind that of a thing in the name of its column: `cargo_type`.
const KINDS: [&str; 8] = [
    "type",
    "name",
    "kind",
    "category",
    "class",
    "code",
    "group",
    "description",
];

/// The shape of such a question: the column, and of several tables with one that whose name is in
/// the question, or that fits it best.
pub(crate) fn common(question: &str, tables: &[TableSummary]) -> Option<Shape> {
    let question = normal(question);
    let found = COMMON.iter().find_map(|form| form.captures(&question))?;
    let by = &found["by"];
    let ranking = Ranking {
        most: found
            .name("most")
            .and_then(|most| most.as_str().parse().ok())
            .unwrap_or(SHOWN),
        fewest: found["end"].eq_ignore_ascii_case("least"),
    };
    let ranked = |table: &TableSummary, column: &str| {
        let asks = Asks::Ranked {
            by: words(column).join(" "),
            ranking,
        };
        Shape::of((table.name.clone(), Limits::default()), asks)
    };
    if let Some(what) = found.name("what") {
        let name = named(what.as_str(), tables.iter().map(|table| &*table.name))?;
        let table = tables.iter().find(|table| table.name == name)?;
        return match column_of(table, by) {
            Some(column) => Some(ranked(table, column)),
            // Rows that each belong to one of another table.
            None => Some(Shape::of(
                (name.to_owned(), Limits::default()),
                Asks::Ranked {
                    by: by.to_owned(),
                    ranking,
                },
            )),
        };
    }
    let having = tables.iter().filter_map(|table| {
        let column = column_of(table, by)?;
        Some((table, column))
    });
    let having: Vec<(&TableSummary, &str)> = having.collect();
    let said = stems(&question);
    let mentioned = having
        .iter()
        .find(|(table, _)| mentions(&said, bare(&table.name)));
    let (table, column) = mentioned.or(having.first())?;
    Some(ranked(table, column))
}

/// The column of a table that has the values of a thing: called as the thing is, or with a word
/// such as "type" behind it.
fn column_of<'t>(table: &'t TableSummary, by: &str) -> Option<&'t str> {
    let columns = || table.column_names.iter().map(String::as_str);
    if let Some(column) = named(by, columns()) {
        return Some(column);
    }
    let wanted = stems(by);
    let is_kind = |column: &&str| {
        let own = stems(column);
        let rest = own.strip_prefix(&*wanted).unwrap_or_default();
        matches!(rest, [one] if KINDS.contains(&&**one))
    };
    let mut found = columns().filter(is_kind);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, columns: &[&str]) -> TableSummary {
        TableSummary {
            name: name.to_owned(),
            description: None,
            columns: 3,
            column_names: columns.iter().map(|one| (*one).to_owned()).collect(),
            relationships: 0,
            secure: false,
            score: None,
        }
    }

    #[test]
    fn the_column_of_a_thing_is_counted() {
        let tables = [
            table("shipment", &["id", "cargo", "carrier_name"]),
            table("booking", &["id", "cargo_type", "cargo_weight"]),
            table("car", &["id", "colour"]),
        ];
        for (question, expected) in [
            ("most common cargo", Some(("shipment", "cargo", 10, false))),
            (
                "What is the most common cargo?",
                Some(("shipment", "cargo", 10, false)),
            ),
            (
                "the 3 most frequent cargos",
                Some(("shipment", "cargo", 3, false)),
            ),
            (
                "Which cargo occurs most often?",
                Some(("shipment", "cargo", 10, false)),
            ),
            (
                "Which cargo is the most common?",
                Some(("shipment", "cargo", 10, false)),
            ),
            (
                "What is the most common cargo of bookings?",
                Some(("booking", "cargo type", 10, false)),
            ),
            (
                "which colour appears least",
                Some(("car", "colour", 10, true)),
            ),
            (
                "Which carriers are most popular?",
                Some(("shipment", "carrier name", 10, false)),
            ),
            ("What is the most common mistake?", None),
            ("What is most important?", None),
        ] {
            let shape = common(question, &tables);
            let found = shape.as_ref().map(|shape| match &shape.asks {
                Asks::Ranked { by, ranking } => {
                    (&*shape.table, &**by, ranking.most, ranking.fewest)
                }
                _ => ("", "", 0, false),
            });
            assert_eq!(found, expected, "{question}");
        }
    }
}
