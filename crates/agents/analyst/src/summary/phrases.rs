//! Phrases of a model for the conditions of a query: each holds of all its results.

use chrono::{Datelike, NaiveDate};
use contracts::tools::search::{Filter, FilterOp, IndexDescription, QueryRun, TimeRange};
use serde_json::Value;

use super::{conditions, values};
use crate::{
    language::dates::{OPEN_END, OPEN_START},
    words,
};

/// Words before a place of each kind of field.
const PLACES: &[(&str, &[&str])] = &[
    (
        "destination",
        &[
            "bound for",
            "destined for",
            "going to",
            "headed for",
            "headed to",
            "heading to",
            "into",
            "to",
        ],
    ),
    (
        "origin",
        &["coming from", "departing from", "from", "leaving", "out of"],
    ),
    ("location", &["at", "in"]),
    ("current", &["at", "in"]),
    ("carrier", &["by", "carried by", "handled by", "of", "with"]),
    ("vessel", &["aboard", "carried by", "of", "on", "on board"]),
];

/// The phrases of a run.
pub(crate) fn of_run(run: &QueryRun, index: Option<&IndexDescription>) -> Vec<String> {
    let Some(query) = &run.structure else {
        return Vec::new();
    };
    let (noun, _) = super::nouns(index, run.index.as_deref().unwrap_or_default());
    let mut all = vec![conditions::conditions(query, &noun, index)];
    let single = query.filters.iter().filter(|filter| filter.or.is_empty());
    all.extend(single.flat_map(|filter| of_filter(filter, index)));
    all.extend(query.time_range.iter().flat_map(of_days));
    let ended = query
        .time_range
        .as_ref()
        .and_then(|range| range.field.as_deref());
    if ended == Some("actual_arrival") {
        let single = query.filters.iter().filter(|filter| filter.or.is_empty());
        all.extend(single.flat_map(arrived));
    }
    all
}

/// What arrived within some days arrived at its destination.
fn arrived(filter: &Filter) -> Vec<String> {
    let (Some(name), FilterOp::Is) = (&filter.label, filter.op) else {
        return Vec::new();
    };
    if !filter.field.contains("destination") {
        return Vec::new();
    }
    let short = name.strip_prefix("Port of ").unwrap_or(name);
    [
        "arrived at",
        "arrived in",
        "arriving at",
        "arriving in",
        "that arrived at",
        "that arrived in",
    ]
    .iter()
    .flat_map(|verb| [format!("{verb} {name}"), format!("{verb} {short}")])
    .collect()
}

fn of_filter(filter: &Filter, index: Option<&IndexDescription>) -> Vec<String> {
    if let Some(adjective) = conditions::adjective(filter) {
        return vec![adjective];
    }
    let field = words::compared(filter);
    match (filter.op, filter.values.as_slice()) {
        (FilterOp::Is, [value]) => {
            let name = filter.label.clone();
            of_value(&field, &name.unwrap_or_else(|| values::plain(value)))
        }
        (op, [Value::Number(limit)]) => of_limit(&field, op, limit, unit(filter, index).as_deref()),
        _ => Vec::new(),
    }
}

fn unit(filter: &Filter, index: Option<&IndexDescription>) -> Option<String> {
    let mut fields = index?.fields.iter();
    fields
        .find(|known| known.name == filter.field)?
        .unit
        .clone()
}

/// A value of a field: "to Port of Miami", "with carrier Maersk", "in transit".
fn of_value(field: &str, name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    if let Some(short) = name.strip_prefix("Port of ") {
        names.extend([short.to_owned(), format!("the {name}")]);
    }
    let mut all = Vec::new();
    for name in &names {
        for (_, before) in PLACES.iter().filter(|(kind, _)| field.contains(kind)) {
            all.extend(before.iter().map(|before| format!("{before} {name}")));
        }
        all.extend(
            ["with", "with the", "with a", "whose"]
                .iter()
                .flat_map(|with| {
                    [
                        format!("{with} {field} {name}"),
                        format!("{with} {field} of {name}"),
                    ]
                }),
        );
        all.extend([
            format!("whose {field} is {name}"),
            format!("{field} {name}"),
            format!("the {field} is {name}"),
        ]);
    }
    // A state is said as it is; a name is more than a state.
    if name.chars().all(|c| c.is_lowercase() || c == ' ') && field.ends_with("status") {
        all.push(name.to_owned());
    }
    all
}

/// A limit of a figure: "with a delay of more than 5 h".
fn of_limit(
    field: &str,
    op: FilterOp,
    limit: &serde_json::Number,
    unit: Option<&str>,
) -> Vec<String> {
    let compared: &[&str] = match op {
        FilterOp::Gt => &["above", "of more than", "over", "exceeding"],
        FilterOp::Gte => &["of at least"],
        FilterOp::Lt => &["below", "of less than", "under"],
        FilterOp::Lte => &["of at most", "of up to"],
        _ => return Vec::new(),
    };
    let value = values::plain(&Value::Number(limit.clone()));
    let units: Vec<String> = match unit {
        Some("h") => vec![format!("{value} h"), format!("{value} hours")],
        Some(unit) => vec![format!("{value} {unit}")],
        None => vec![value],
    };
    let mut all = Vec::new();
    for (compared, value) in compared
        .iter()
        .flat_map(|one| units.iter().map(move |unit| (one, unit)))
    {
        for with in ["with", "with a", "with an"] {
            all.push(format!("{with} {field} {compared} {value}"));
        }
    }
    all
}

/// The days of a query, as they are written, and in the words of the request.
fn of_days(range: &TimeRange) -> Vec<String> {
    let (start, end) = (range.start, range.end);
    if start <= OPEN_START || end >= OPEN_END {
        return Vec::new();
    }
    let mut all: Vec<String> = range
        .kind
        .iter()
        .filter(|words| is_time(words))
        .cloned()
        .collect();
    if let Some(words) = range.kind.as_deref().filter(|words| is_time(words)) {
        all.extend(["in the", "during the", "over the"].map(|before| format!("{before} {words}")));
    }
    for (start, end) in written(start).into_iter().zip(written(end)) {
        if range.start == range.end {
            all.extend([format!("on {end}"), end]);
        } else {
            all.extend([
                format!("from {start} to {end}"),
                format!("from {start} until {end}"),
                format!("between {start} and {end}"),
                format!("{start} to {end}"),
                format!("{start} \u{2013} {end}"),
            ]);
        }
    }
    if (start.year(), start.month()) == (end.year(), end.month()) && start != end {
        let (month, year) = (end.format("%B"), end.year());
        for days in [
            format!("{} to {} {month} {year}", start.day(), end.day()),
            format!("{}\u{2013}{} {month} {year}", start.day(), end.day()),
            format!("{month} {} to {}, {year}", start.day(), end.day()),
            format!("{month} {}\u{2013}{}, {year}", start.day(), end.day()),
        ] {
            all.extend([format!("from {days}"), days]);
        }
        let is_whole = start.day() == 1 && end.succ_opt().is_some_and(|next| next.day() == 1);
        if is_whole {
            all.extend([format!("in {month} {year}"), format!("of {month} {year}")]);
        }
    }
    let field = range
        .field
        .as_deref()
        .map_or_else(String::new, words::label);
    all.extend(happened(&field).iter().map(|verb| (*verb).to_owned()));
    all
}

/// Whether words of a request are those of a time and nothing else: "last week".
fn is_time(words: &str) -> bool {
    const TIMES: &[&str] = &[
        "day",
        "days",
        "last",
        "month",
        "months",
        "past",
        "previous",
        "quarter",
        "the",
        "this",
        "today",
        "week",
        "weeks",
        "year",
        "years",
        "yesterday",
    ];
    let mut all = words.split_whitespace();
    all.all(|word| {
        let lower = word.to_lowercase();
        TIMES.contains(&lower.as_str()) || lower.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A day in the ways in which people write it.
fn written(day: NaiveDate) -> Vec<String> {
    ["%Y-%m-%d", "%-d %B %Y", "%B %-d, %Y", "%-d %B", "%B %-d"]
        .iter()
        .map(|form| day.format(form).to_string())
        .collect()
}

/// Verbs for what happened on the days of a field.
fn happened(field: &str) -> &'static [&'static str] {
    match field {
        "actual arrival" => &["that arrived", "which arrived", "arrived", "arriving"],
        "actual departure" => &["that departed", "which departed", "departed", "departing"],
        "planned arrival" => &["due to arrive", "planned to arrive", "due"],
        "planned departure" => &["due to depart", "planned to depart"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_phrase_says_what_its_condition_says() {
        let filter = |value: Value| -> Filter { serde_json::from_value(value).unwrap() };
        let to = of_filter(
            &filter(
                json!({ "field": "destination_port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }),
            ),
            None,
        );
        assert!(
            to.contains(&"to Miami".to_owned())
                && to.contains(&"bound for Port of Miami".to_owned())
        );
        assert!(
            !to.iter().any(|phrase| phrase.starts_with("from")),
            "{to:?}"
        );
        let late = filter(json!({ "field": "is_late", "op": "is", "values": [false] }));
        assert_eq!(of_filter(&late, None), ["not late"]);
        let other = filter(json!({ "field": "status", "op": "is_not", "values": ["delivered"] }));
        assert!(of_filter(&other, None).is_empty());
        let two =
            filter(json!({ "field": "status", "op": "is", "values": ["delivered", "arrived"] }));
        assert!(of_filter(&two, None).is_empty());
        let days: TimeRange = serde_json::from_value(
            json!({ "field": "actual_arrival", "start": "2025-01-06", "end": "2025-01-12", "type": "last week" }),
        )
        .unwrap();
        let days = of_days(&days);
        for phrase in [
            "last week",
            "from 6 January to 12 January",
            "January 6 to 12, 2025",
            "arrived",
        ] {
            assert!(days.contains(&phrase.to_owned()), "{phrase}: {days:?}");
        }
    }
}
