//! Making a window fit its budget.

use serde_json::{Value, json};

use super::{WindowMessage, estimate_tokens, render, tokens_of};
use crate::messages::{Role, ToolRecord};

/// Ever harder ways to cut a result: how many elements of a list stay, and how many characters of a
/// text.
const STEPS: [(usize, usize); 5] = [(50, 2_000), (20, 500), (8, 200), (3, 80), (1, 40)];

/// The records as a model sees them: arguments and results cut to `max_tokens` each.
pub(super) fn records(records: &[ToolRecord], max_tokens: usize) -> Vec<ToolRecord> {
    records
        .iter()
        .map(|record| ToolRecord {
            arguments: fit(&record.arguments, max_tokens)
                .unwrap_or_else(|| record.arguments.clone()),
            result: record
                .result
                .as_ref()
                .map(|result| cut_result(&record.arguments, result, max_tokens)),
            ..record.clone()
        })
        .collect()
}

/// A result, with a note if it is not whole. What the page draws is answered by its own arguments,
/// which are not said twice.
fn cut_result(arguments: &Value, result: &Value, max_tokens: usize) -> Value {
    if result == arguments && estimate_tokens(&result.to_string()) > 16 {
        return json!({ "note": "Shown to the user as given in the arguments." });
    }
    fit(result, max_tokens).map_or_else(
        || result.clone(),
        |cut| {
            json!({
                "note": "Shortened: the tool's result was longer. Call the tool again for figures that are missing here.",
                "result": cut,
            })
        },
    )
}

/// The value cut until it fits; none if it fits as it is.
fn fit(value: &Value, max_tokens: usize) -> Option<Value> {
    let text = value.to_string();
    if estimate_tokens(&text) <= max_tokens {
        return None;
    }
    let cut = STEPS
        .iter()
        .map(|&(elements, chars)| shorten(value, elements, chars))
        .find(|cut| estimate_tokens(&cut.to_string()) <= max_tokens);
    Some(cut.unwrap_or_else(|| {
        // Many small things: their beginning as text. Half is left for what quoting adds.
        Value::String(start_of(&text, max_tokens.saturating_mul(2)))
    }))
}

/// The value with long lists and texts shortened, each saying by how much.
fn shorten(value: &Value, elements: usize, chars: usize) -> Value {
    match value {
        Value::String(text) => Value::String(start_of(text, chars)),
        Value::Array(list) => {
            let mut kept: Vec<Value> = list
                .iter()
                .take(elements)
                .map(|element| shorten(element, elements, chars))
                .collect();
            if list.len() > elements {
                kept.push(format!("… {} more", list.len() - elements).into());
            }
            Value::Array(kept)
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), shorten(member, elements, chars)))
            .collect(),
        other => other.clone(),
    }
}

/// The first `chars` characters, with an ellipsis if that is not all.
fn start_of(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Drops whole turns, the oldest first, until the rest fits or only the last is left. Returns how
/// many messages went.
pub(super) fn drop_oldest_turns(messages: &mut Vec<WindowMessage>, max_tokens: usize) -> usize {
    let sizes: Vec<usize> = messages
        .iter()
        .map(|message| tokens_of(&render::marker_items(message)))
        .collect();
    let mut total: usize = sizes.iter().sum();
    let mut first = 0;
    while total > max_tokens {
        let Some(turn) = messages[first..]
            .iter()
            .skip(1)
            .position(|message| message.role == Role::User)
        else {
            break;
        };
        let next = first + 1 + turn;
        total -= sizes[first..next].iter().sum::<usize>();
        first = next;
    }
    messages.drain(..first);
    first
}
