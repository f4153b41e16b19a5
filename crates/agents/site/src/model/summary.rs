//! Tool results as a model gets them: whole when they are short, otherwise with their long lists
//! summarised by counts and statistics.
//!
//! The client gets every result whole. The model can have rows of a summarised one by its handle.

use serde_json::{Map, Value, json};

/// Characters of JSON up to which a result is given whole.
const WHOLE: usize = 4_000;

/// Items up to which a list is given whole: first as many, then, when that is still too long,
/// fewer.
const ITEMS: [usize; 3] = [24, 8, 2];

/// Rows that one slice has at most.
pub(crate) const MOST_ROWS: usize = 60;

/// A result for the model, and whether anything was left out.
pub(crate) fn for_model(result: &Value) -> (Value, bool) {
    if length(result, WHOLE) <= WHOLE {
        return (result.clone(), false);
    }
    let mut short = Value::Null;
    for items in ITEMS {
        short = shortened(result, items);
        if length(&short, WHOLE) <= WHOLE {
            break;
        }
    }
    (short, true)
}

/// Some rows of a list within a result.
pub(crate) fn slice(
    result: &Value,
    path: &str,
    offset: usize,
    limit: usize,
) -> Result<Value, String> {
    let found = result
        .pointer(path)
        .ok_or_else(|| format!("There is nothing at the path {path:?}."))?;
    match found {
        Value::Array(rows) => {
            let limit = limit.clamp(1, MOST_ROWS);
            let some: Vec<_> = rows.iter().skip(offset).take(limit).cloned().collect();
            Ok(json!({ "rows": some, "offset": offset, "total": rows.len() }))
        }
        other => Ok(for_model(other).0),
    }
}

/// The length of the JSON, roughly; counting stops beyond `enough`.
fn length(value: &Value, enough: usize) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 3,
        Value::Array(items) => sum(items.iter().map(|item| length(item, enough) + 1), enough),
        Value::Object(members) => sum(
            members
                .iter()
                .map(|(name, item)| name.len() + 4 + length(item, enough)),
            enough,
        ),
    }
}

fn sum(lengths: impl Iterator<Item = usize>, enough: usize) -> usize {
    let mut total = 2;
    for one in lengths {
        total += one;
        if total > enough {
            break;
        }
    }
    total
}

fn shortened(value: &Value, items: usize) -> Value {
    match value {
        Value::Array(rows) if rows.len() > items => json!({
            "count": rows.len(),
            "first": rows.first().map(|row| shortened(row, items)),
            "last": rows.last().map(|row| shortened(row, items)),
            "statistics": statistics(rows),
        }),
        Value::Array(rows) => rows.iter().map(|row| shortened(row, items)).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), shortened(member, items)))
                .collect(),
        ),
        Value::String(text) if text.chars().count() > 600 => {
            Value::String(text.chars().take(600).chain(['…']).collect())
        }
        other => other.clone(),
    }
}

/// Least, greatest and mean of each figure of the rows; of bare numbers under the name `value`.
fn statistics(rows: &[Value]) -> Value {
    let mut all: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut note = |name, number| match all.iter_mut().find(|(known, _)| *known == name) {
        Some((_, numbers)) => numbers.push(number),
        None => all.push((name, vec![number])),
    };
    for row in rows {
        match row {
            Value::Object(members) => {
                for (name, member) in members {
                    if let Some(number) = member.as_f64() {
                        note(name.as_str(), number);
                    }
                }
            }
            other => {
                if let Some(number) = other.as_f64() {
                    note("value", number);
                }
            }
        }
    }
    let told = all.into_iter().map(|(name, numbers)| {
        let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
        let figures = json!({
            "min": numbers.iter().copied().fold(f64::INFINITY, f64::min),
            "max": numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            "mean": (mean * 1000.0).round() / 1000.0,
        });
        (name.to_owned(), figures)
    });
    Value::Object(told.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: usize) -> Value {
        let rows: Vec<_> = (0..points)
            .map(|at| json!({ "timestamp": format!("2025-11-29T{:02}:00:00+00:00", at % 24), "power": at as f64, "irradiance": null }))
            .collect();
        json!({ "status": "ok", "result": { "loggerId": "A", "data": rows } })
    }

    #[test]
    fn a_short_result_is_given_whole() {
        let result = curve(3);
        assert_eq!(for_model(&result), (result.clone(), false));
    }

    #[test]
    fn a_long_list_is_told_by_its_count_and_statistics() {
        let (short, cut) = for_model(&curve(288));
        assert!(cut);
        let data = &short["result"]["data"];
        assert_eq!(
            (&data["count"], &data["statistics"]["power"]),
            (
                &json!(288),
                &json!({ "min": 0.0, "max": 287.0, "mean": 143.5 })
            )
        );
        assert_eq!(data["first"]["power"], 0.0);
        assert!(short.to_string().len() < WHOLE);
    }

    #[test]
    fn a_list_of_lists_ends_up_short_too() {
        let rows: Vec<_> = (0..20).map(|_| curve(20)).collect();
        let (short, cut) = for_model(&Value::Array(rows));
        assert!(cut && short.to_string().len() < 2 * WHOLE);
    }

    #[test]
    fn rows_are_handed_out_in_slices() {
        let rows = slice(&curve(288), "/result/data", 280, 1000).unwrap();
        assert_eq!(
            (rows["rows"].as_array().unwrap().len(), &rows["total"]),
            (8, &json!(288))
        );
        let rows = slice(&curve(288), "/result/data", 0, 1000).unwrap();
        assert_eq!(rows["rows"].as_array().unwrap().len(), MOST_ROWS);
        slice(&curve(1), "/nowhere", 0, 1).unwrap_err();
    }
}
