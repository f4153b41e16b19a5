//! Selects the returned part of an upstream's answer: one part of it, of each item some members, of
//! the items some.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::config::{FilterConfig, Matching, ResponseConfig, SortConfig};

/// The part of `answer` that is returned.
pub(super) fn pick(config: &ResponseConfig, answer: Value, arguments: &Value) -> Value {
    let part = match &config.pointer {
        Some(pointer) => answer.pointer(pointer).cloned().unwrap_or(Value::Null),
        None => answer,
    };
    match part {
        Value::Array(items) => Value::Array(pick_items(config, items, arguments)),
        other => keep(&config.fields, other),
    }
}

fn pick_items(config: &ResponseConfig, mut items: Vec<Value>, arguments: &Value) -> Vec<Value> {
    items.retain(|item| {
        config
            .filters
            .iter()
            .all(|filter| agrees(filter, item, arguments))
    });
    if let Some(sort) = &config.sort {
        items.sort_by(|a, b| order(sort, a, b));
    }
    items.truncate(config.limit.unwrap_or(usize::MAX));
    items
        .into_iter()
        .map(|item| keep(&config.fields, item))
        .collect()
}

fn agrees(filter: &FilterConfig, item: &Value, arguments: &Value) -> bool {
    let wanted = match arguments.get(&filter.parameter) {
        None | Some(Value::Null) => return true,
        Some(wanted) => plain(wanted),
    };
    let Some(found) = member(item, &filter.field).map(plain) else {
        return false;
    };
    match filter.matching {
        Matching::Equals => found == wanted,
        Matching::Contains => found
            .to_lowercase()
            .contains(wanted.trim().to_lowercase().as_str()),
    }
}

fn order(sort: &SortConfig, a: &Value, b: &Value) -> Ordering {
    let (a, b) = (member(a, &sort.field), member(b, &sort.field));
    let ascending = match (a.and_then(Value::as_f64), b.and_then(Value::as_f64)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.map(plain).cmp(&b.map(plain)),
    };
    if sort.descending {
        ascending.reverse()
    } else {
        ascending
    }
}

/// Only these members, where it is an object and any are named.
fn keep(fields: &[String], value: Value) -> Value {
    if fields.is_empty() || !value.is_object() {
        return value;
    }
    let mut kept = Map::new();
    for field in fields {
        if let Some(found) = member(&value, field) {
            put(&mut kept, field, found.clone());
        }
    }
    Value::Object(kept)
}

fn put(into: &mut Map<String, Value>, field: &str, value: Value) {
    match field.split_once('/') {
        None => {
            into.insert(field.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = into
                .entry(first)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

fn member<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    field
        .split('/')
        .try_fold(value, |value, name| value.get(name))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_search_for_a_city_keeps_what_matches_newest_first() {
        let config: ResponseConfig = serde_json::from_value(json!({
            "pointer": "/data", "fields": ["id", "city/name"], "sort": { "field": "year", "descending": true }, "limit": 2,
            "filters": [
                { "parameter": "city_name", "field": "city/name", "matching": "contains" },
                { "parameter": "year", "field": "year" },
            ],
        }))
        .unwrap();
        let item = |id: u32, name: &str, year: u32| json!({ "id": id, "year": year, "city": { "name": name, "secret": 1 } });
        let answer = json!({ "data": [
            item(1, "Port Meridian", 2019), item(2, "PORT Alma", 2022), item(3, "Kestrel Falls", 2022), item(4, "Newport", 2020),
        ] });
        let ids = |arguments: Value| -> Vec<u64> {
            let Value::Array(items) = pick(&config, answer.clone(), &arguments) else {
                panic!("a list")
            };
            assert!(
                items
                    .iter()
                    .all(|item| item["city"].as_object().unwrap().len() == 1)
            );
            items
                .iter()
                .map(|item| item["id"].as_u64().unwrap())
                .collect()
        };
        assert_eq!(ids(json!({ "city_name": " port " })), [2, 4]);
        assert_eq!(ids(json!({ "city_name": "port", "year": 2019 })), [1]);
        assert_eq!(ids(json!({ "city_name": "nowhere" })), [0; 0]);
    }

    #[test]
    fn without_wishes_all_is_told() {
        let answer = json!({ "a": [1, { "b": 2 }] });
        let all = pick(&ResponseConfig::default(), answer.clone(), &json!({}));
        assert_eq!(all, answer);
        let missing = ResponseConfig {
            pointer: Some("/data".to_owned()),
            ..ResponseConfig::default()
        };
        assert_eq!(pick(&missing, answer, &json!({})), Value::Null);
    }
}
