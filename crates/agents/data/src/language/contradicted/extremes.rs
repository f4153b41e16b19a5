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
        [] => of_functions(*extreme, query),
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
    let is_time = is(TIMES) && !is_count && !lasts;
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
