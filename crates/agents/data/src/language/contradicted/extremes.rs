//! "The most expensive" and `ORDER BY price LIMIT 1`.

use super::{
    super::{
        made_up::{Token, is_word},
        untested::Asked,
    },
    Contradiction,
    parsed::{Order, Parsed, words_of},
    text,
};

/// The end of an order that a word asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extreme {
    High,
    Low,
    /// The end of the days, or the other end of ages.
    Newest,
    Oldest,
}

const HIGH: &[&str] = &[
    "biggest", "greatest", "heaviest", "highest", "largest", "longest", "maximum", "priciest",
    "tallest", "widest",
];
const LOW: &[&str] = &[
    "cheapest", "fewest", "least", "lightest", "lowest", "minimum", "shortest", "smallest",
    "thinnest",
];
const NEWEST: &[&str] = &["latest", "newest", "youngest"];
const OLDEST: &[&str] = &["earliest", "oldest"];

/// Adjectives behind "most" that are high where the value is low, or that no column measures.
const UNCLEAR: &[&str] = &[
    "affordable",
    "economical",
    "efficient",
    "important",
    "of",
    "junior",
    "senior",
    "severe",
    "unreliable",
    "urgent",
];

/// Columns whose first value is the best.
const RANKS: &[&str] = &["grade", "place", "position", "priority", "rank", "ranking"];

const AGES: &[&str] = &["age"];
const TIMES: &[&str] = &[
    "arrival",
    "at",
    "birth",
    "birthday",
    "built",
    "created",
    "date",
    "day",
    "departure",
    "due",
    "end",
    "founded",
    "hired",
    "issued",
    "joined",
    "launch",
    "launched",
    "month",
    "opened",
    "published",
    "received",
    "registered",
    "released",
    "sent",
    "since",
    "start",
    "time",
    "timestamp",
    "updated",
    "year",
];

/// Units in which a duration is measured.
const DURATIONS: &[&str] = &["days", "hours", "minutes", "months", "years"];

/// The superlatives of a question whose other end the query takes.
pub(super) fn contradicted(asked: &[Asked], query: &Parsed<'_>) -> Vec<Contradiction> {
    let said = said(asked);
    let ends: Vec<Extreme> = said.iter().map(|(_, extreme)| *extreme).collect();
    let Some((places, extreme)) = said.first() else {
        return sorted(asked, query);
    };
    // With both ends in one question, either may come first.
    if let Some(at) = ends.iter().position(|other| other != extreme) {
        let is_other = (*extreme == Extreme::Low) == query.has("min");
        let (places, _) = &said[if is_other { at } else { 0 }];
        return one_twice(query)
            .map(|reads| Contradiction::Words {
                said: text(asked, places.clone()),
                reads,
            })
            .into_iter()
            .collect();
    }
    let cuts: Vec<&Order> = query.orders.iter().filter(|order| order.is_cut).collect();
    let against = match cuts.as_slice() {
        [] => of_functions(*extreme, query).or_else(|| unordered(query)),
        cuts => {
            let fits = |order: &&Order| {
                wants(*extreme, &order.key).is_none_or(|wants| wants == order.descends)
            };
            let last = cuts.last();
            last.filter(|_| !cuts.iter().any(fits))
                .map(|order| order_of(order))
        }
    };
    let words = against.map(|reads| Contradiction::Words {
        said: text(asked, places.clone()),
        reads,
    });
    words.into_iter().chain(sorted(asked, query)).collect()
}

fn order_of(order: &Order) -> String {
    let direction = if order.descends { "DESC" } else { "ASC" };
    format!(
        "ORDER BY {} {direction}",
        super::parsed::written(&order.key)
    )
}

fn said(asked: &[Asked]) -> Vec<(std::ops::Range<usize>, Extreme)> {
    let mut found = Vec::new();
    let mut top = None;
    for (at, one) in asked.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |at| asked[at].word.as_str());
        let next = asked.get(at + 1).map_or("", |one| one.word.as_str());
        if before == "at" {
            continue;
        }
        if one.word == "top"
            && (next == "three" || next == "five" || next == "ten" || next.parse::<u32>().is_ok())
        {
            top = top.or(Some((at..at + 2, Extreme::High)));
        }
        let extreme = match one.word.as_str() {
            "most" if next == "recent" || next == "recently" => Some((2, Extreme::Newest)),
            "least" if next == "recent" || next == "recently" => Some((2, Extreme::Oldest)),
            // Those who began first.
            "most" if next == "experienced" => Some((2, Extreme::Oldest)),
            "least" if next == "experienced" => Some((2, Extreme::Newest)),
            "best" if is_by_success(asked, at) => Some((1, Extreme::High)),
            "worst" if is_by_success(asked, at) => Some((1, Extreme::Low)),
            "most" | "least" if UNCLEAR.contains(&next) => None,
            "most" => Some((2, Extreme::High)),
            "least" => Some((2, Extreme::Low)),
            word if HIGH.contains(&word) => Some((1, Extreme::High)),
            word if LOW.contains(&word) => Some((1, Extreme::Low)),
            word if NEWEST.contains(&word) => Some((1, Extreme::Newest)),
            word if OLDEST.contains(&word) => Some((1, Extreme::Oldest)),
            _ => None,
        };
        found
            .extend(extreme.map(|(length, extreme)| (at..(at + length).min(asked.len()), extreme)));
    }
    if found.is_empty() {
        found.extend(top);
    }
    found
}

/// "Best by revenue": by something of which more is better.
fn is_by_success(asked: &[Asked], at: usize) -> bool {
    let mut behind = asked[at..].windows(2);
    behind.any(|two| {
        two[0].is(&["by"])
            && two[1].is(&[
                "income", "margin", "points", "profit", "rating", "revenue", "sales", "score",
                "turnover",
            ])
    })
}

/// A list that is cut and has no order: any row may be first.
fn unordered(query: &Parsed<'_>) -> Option<String> {
    let cuts = query.has("limit") || query.has("fetch");
    let picks = [
        "max",
        "min",
        "rank",
        "dense_rank",
        "row_number",
        "distinct",
        "order",
    ];
    let is_any = cuts && !picks.iter().any(|name| query.has(name));
    is_any.then(|| "LIMIT without ORDER BY".to_owned())
}

/// `hiredOn` reaches this as `hiredon`.
fn begins_as_time(word: &str) -> bool {
    [
        "created",
        "founded",
        "hired",
        "joined",
        "started",
        "startdate",
        "birthdate",
    ]
    .iter()
    .any(|begin| word.starts_with(begin))
}

/// Whether the order has to descend; `None` where that cannot be said.
fn wants(extreme: Extreme, key: &[Token]) -> Option<bool> {
    let words = words_of(key);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let counts = ["avg", "count", "max", "min", "sum"];
    let counts = key
        .iter()
        .any(|one| counts.iter().any(|name| is_word(one, name)));
    let changes = key.contains(&Token::Sign('-'))
        || [
            "abs",
            "age",
            "case",
            "datediff",
            "field",
            "rand",
            "random",
            "timestampdiff",
        ]
        .iter()
        .any(|name| {
            key.windows(2)
                .any(|two| is_word(&two[0], name) && two[1] == Token::Sign('('))
                || *name == "case" && key.iter().any(|one| is_word(one, name))
        });
    if changes || is(RANKS) || key.is_empty() {
        return None;
    }
    let is_count = key
        .iter()
        .any(|one| is_word(one, "count") || is_word(one, "sum"));
    let lasts = key.iter().any(|one| {
        matches!(one, Token::Word(word) if word.split('_').any(|word| DURATIONS.contains(&word)))
    });
    let is_time = is(TIMES) || words.iter().any(|word| begins_as_time(word));
    let is_time = is_time && !is_count && !lasts;
    match extreme {
        Extreme::High | Extreme::Low if is_time && !counts => None,
        Extreme::High => Some(true),
        Extreme::Low => Some(false),
        Extreme::Newest | Extreme::Oldest if is_count => None,
        Extreme::Newest if is(AGES) => Some(false),
        Extreme::Oldest if is(AGES) => Some(true),
        Extreme::Newest if is_time => Some(true),
        Extreme::Oldest if is_time => Some(false),
        Extreme::Newest | Extreme::Oldest => None,
    }
}

/// The function that a query has twice, in the place of both.
fn one_twice(query: &Parsed<'_>) -> Option<String> {
    let (high, low) = (query.count("max"), query.count("min"));
    let name = match (high, low) {
        (2.., 0) => "MAX",
        (0, 2..) => "MIN",
        _ => return None,
    };
    query.orders.is_empty().then(|| format!("{name} twice"))
}

/// MIN of a measure of which the question asks for the most, where nothing else orders.
fn of_functions(extreme: Extreme, query: &Parsed<'_>) -> Option<String> {
    if !query.orders.is_empty() || query.has("all") || query.has("over") {
        return None;
    }
    let (high, low) = (query.count("max"), query.count("min"));
    let descends = match (high, low) {
        (1.., 0) => true,
        (0, 1..) => false,
        _ => return None,
    };
    let name = if descends { "max" } else { "min" };
    let at = query.tokens.iter().position(|one| is_word(one, name))?;
    let argument = query.tokens.get(at + 2..)?;
    let end = argument.iter().position(|one| *one == Token::Sign(')'))?;
    let wanted = wants(extreme, &argument[..end])?;
    (wanted != descends).then(|| {
        format!(
            "{}({})",
            name.to_uppercase(),
            super::parsed::written(&argument[..end])
        )
    })
}

/// "In descending order" and an order that ascends.
fn sorted(asked: &[Asked], query: &Parsed<'_>) -> Vec<Contradiction> {
    let place = |list: &[&str]| asked.iter().position(|one| one.is(list));
    let down = place(&["descending", "desc"]);
    let up = place(&["ascending", "asc", "alphabetical", "alphabetically"]);
    let (at, descends) = match (down, up) {
        (Some(at), None) => (at, true),
        (None, Some(at)) => (at, false),
        _ => return Vec::new(),
    };
    let outer = query.orders.iter().rfind(|order| order.is_outermost);
    let against =
        outer.filter(|order| order.descends != descends && !order.key.contains(&Token::Sign('-')));
    let words = against.map(|order| Contradiction::Words {
        said: text(asked, at..at + 1),
        reads: order_of(order),
    });
    words.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;

    /// A question, a query that answers it, one with the other end or none, and the words.
    const PAIRS: &[(&str, &str, &str, &str)] = &[
        (
            "Who are the best customers by revenue?",
            "SELECT name FROM customer ORDER BY revenue DESC LIMIT 5",
            "SELECT name FROM customer ORDER BY revenue ASC LIMIT 5",
            "best",
        ),
        (
            "Which is the worst product by sales?",
            "SELECT name FROM product ORDER BY sales LIMIT 1",
            "SELECT name FROM product ORDER BY sales DESC LIMIT 1",
            "worst",
        ),
        (
            "Who is the most experienced technician?",
            "SELECT name FROM technician ORDER BY hiredOn LIMIT 1",
            "SELECT name FROM technician ORDER BY hiredOn DESC LIMIT 1",
            "most experienced",
        ),
        (
            "Who is the least experienced technician?",
            "SELECT name FROM technician ORDER BY joined_on DESC LIMIT 1",
            "SELECT name FROM technician ORDER BY joined_on LIMIT 1",
            "least experienced",
        ),
        (
            "Who is the most experienced technician?",
            "SELECT name FROM technician ORDER BY years_of_service DESC LIMIT 1",
            "SELECT name FROM technician LIMIT 1",
            "most experienced",
        ),
        (
            "Which is the cheapest supplier?",
            "SELECT name FROM supplier ORDER BY price LIMIT 1",
            "SELECT name FROM supplier LIMIT 1",
            "cheapest",
        ),
        (
            "Show the three largest sites",
            "SELECT name FROM site ORDER BY area DESC LIMIT 3",
            "SELECT name FROM site LIMIT 3",
            "largest",
        ),
    ];

    #[test]
    fn the_other_end_and_no_order_are_found() {
        for (question, right, against, words) in PAIRS {
            assert_eq!(said(question, right), [""; 0], "{question} {right}");
            assert_eq!(said(question, against), [*words], "{question} {against}");
        }
    }
}
