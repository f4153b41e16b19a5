//! Cards and pickers that a model asks for. Nothing is executed: they are checked, completed from
//! results, and shown.

use agent_kit::{
    facts::FactRegistry,
    figures::{self, Known},
};
use contracts::ui::{RenderUiComponent, RequestUserSelection, SelectionInput, SelectionType};
use serde_json::{Map, Value, json};

use super::{
    replies::Reply,
    results::{Question, Results},
};
use crate::{
    arguments::device_option,
    cards,
    language::Argument,
    narrative::{Preferences, narrate, suggestions},
};

/// Faults that the answer lists.
const TOLD: usize = 5;

/// Members whose text is for programs, not for people.
const KEYS: [&str; 6] = [
    "color",
    "dataKey",
    "xAxisKey",
    "yAxisId",
    "chartType",
    "value",
];

/// The card that the arguments ask for, or their faults.
pub(super) fn card(
    mut arguments: Map<String, Value>,
    results: &Results,
    known: &Known,
) -> Result<RenderUiComponent, String> {
    complete_suggestions(&mut arguments, &results.facts);
    let props = arguments.get("props").cloned().unwrap_or_default();
    if let Some(handle) = handle_of(&props, 1) {
        return of_result(handle, &mut arguments, results);
    }
    let borrowed = borrow_rows(&mut arguments, results)?;
    let rows = borrowed.is_some();
    let card: RenderUiComponent = serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| format!("The props do not fit the component: {error}."))?;
    let mut faults = card.validate();
    if let Some(Value::Object(props)) = arguments.get("props") {
        let own = props
            .iter()
            .filter(|(name, _)| !(rows && name.as_str() == "data"));
        for (name, value) in own {
            strangers(name, value, known, &results.facts, &mut faults);
        }
        if let Some(result) = borrowed {
            mislabelled(props, result, &results.facts, &mut faults);
        }
    }
    if faults.is_empty() {
        return Ok(card);
    }
    faults.truncate(TOLD);
    Err(format!("The card is not shown: {}.", faults.join("; ")))
}

/// The card that belongs to a result.
fn of_result(
    handle: &str,
    arguments: &mut Map<String, Value>,
    results: &Results,
) -> Result<RenderUiComponent, String> {
    let result = results.result(handle)?;
    let reply = Reply::read(&result.tool, &result.output);
    let (Some(reply), true) = (reply, result.good) else {
        return Err(format!("The result {handle} has no card."));
    };
    let Some(component) = reply.card() else {
        return Err(format!(
            "The result {handle} has no card; tell it in words."
        ));
    };
    let asked = arguments
        .remove("suggestions")
        .and_then(|asked| serde_json::from_value::<Vec<_>>(asked).ok())
        .filter(|asked| (1..=3).contains(&asked.len()));
    let facts = reply.facts();
    let suggestions = asked.unwrap_or_else(|| {
        let branch = narrate(&facts, &Preferences::default()).branch;
        suggestions(&facts, branch)
    });
    Ok(cards::card(component, suggestions))
}

/// Puts the rows in that the props name by a handle; returns the result that they are of.
fn borrow_rows<'a>(
    arguments: &mut Map<String, Value>,
    results: &'a Results,
) -> Result<Option<&'a Value>, String> {
    let Some(data) = arguments
        .get_mut("props")
        .and_then(|props| props.get_mut("data"))
    else {
        return Ok(None);
    };
    let Some(handle) = handle_of(data, 2) else {
        return Ok(None);
    };
    let path = data.get("path").and_then(Value::as_str).unwrap_or_default();
    let result = &results.result(handle)?.output;
    match result.pointer(path) {
        Some(rows @ Value::Array(_)) => {
            *data = rows.clone();
            Ok(Some(result))
        }
        _ => Err(format!("There are no rows at {path:?} of {handle}.")),
    }
}

/// Texts of a card that call its rows what they are not: another device's, another measure.
fn mislabelled(
    props: &Map<String, Value>,
    result: &Value,
    facts: &FactRegistry,
    faults: &mut Vec<String>,
) {
    let known = result.to_string().to_lowercase();
    let texts = Value::Object(props.clone()).to_string();
    for name in facts.names_of(&texts) {
        if !known.contains(&name) {
            faults.push(format!("the rows are not of {name}"));
        }
    }
    let series = props.get("series").and_then(Value::as_array);
    let keys = || {
        let series = series.into_iter().flatten();
        series.filter_map(|one| one["dataKey"].as_str())
    };
    let days = Known::of(result);
    for label in ["title", "yAxisLabel"] {
        let Some(text) = props.get(label).and_then(Value::as_str) else {
            continue;
        };
        let is_of_rows = keys().next().is_none() || keys().any(|key| facts.is_label_of(text, key));
        if !is_of_rows || !figures::unsupported(text, &days).is_empty() {
            faults.push(format!("the rows are not {text:?}"));
        }
    }
    for one in series.into_iter().flatten() {
        let (Some(key), Some(name)) = (one["dataKey"].as_str(), one["name"].as_str()) else {
            continue;
        };
        if !facts.is_label_of(name, key) {
            faults.push(format!("{key} is not {name:?}"));
        }
    }
}

/// The handle in an object that has little else.
fn handle_of(value: &Value, members: usize) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() <= members)?;
    object.get("handle")?.as_str()
}

/// Models give the short form of a suggestion: what is not said about it is taken as
/// unremarkable. One that says more than what to ask is left out.
fn complete_suggestions(arguments: &mut Map<String, Value>, facts: &FactRegistry) {
    let Some(Value::Array(suggestions)) = arguments.get_mut("suggestions") else {
        return;
    };
    let asks = |suggestion: &Value| {
        let texts = ["label", "action", "reason"].map(|name| suggestion[name].as_str());
        texts.into_iter().flatten().all(|text| facts.is_label(text))
    };
    suggestions.retain(asks);
    for suggestion in suggestions.iter_mut().filter_map(Value::as_object_mut) {
        for (name, usual) in [
            ("priority", "secondary"),
            ("urgency", "suggested"),
            ("reason", ""),
        ] {
            suggestion.entry(name).or_insert_with(|| Value::from(usual));
        }
    }
}

/// Lists the figures that are not facts, and the words that say more than what is shown.
fn strangers(
    name: &str,
    value: &Value,
    known: &Known,
    facts: &FactRegistry,
    faults: &mut Vec<String>,
) {
    if faults.len() >= TOLD {
        return;
    }
    match value {
        // A number of the results may be that of another device.
        Value::Number(number) => {
            let known = number.as_f64().is_some_and(|number| known.has(number));
            faults.push(if known {
                format!("{name} has {number}: give the handle of its result instead")
            } else {
                format!("{name} has {number}, which is in no result")
            });
        }
        Value::String(text) if !KEYS.contains(&name) => {
            if let Some(figure) = figures::unsupported(text, known).first() {
                faults.push(format!(
                    "{name} has {:?}, which is in no result",
                    figure.text
                ));
            } else if !facts.is_label(text) {
                faults.push(format!(
                    "{name} has {text:?}, which says more than the results"
                ));
            }
        }
        Value::Array(items) => {
            for item in items {
                strangers(name, item, known, facts, faults);
            }
        }
        Value::Object(members) => {
            for (name, item) in members {
                strangers(name, item, known, facts, faults);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) => {}
    }
}

/// The picker that the arguments ask for, and what it asks for, or their faults. A model chooses
/// the devices; how they are called and described is not its business.
pub(super) fn picker(
    arguments: Map<String, Value>,
    known: &Known,
    results: &Results,
) -> Result<Question, String> {
    let mut request: RequestUserSelection = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("The question cannot be asked: {error}."))?;
    let mut faults = Vec::new();
    if request.prompt.trim().is_empty() {
        faults.push("the prompt is empty".to_owned());
    }
    let argument = match (request.input_type, request.selection_type) {
        (SelectionInput::Date, _) => Argument::Date,
        (SelectionInput::DateRange, _) => Argument::DateRange,
        (SelectionInput::Dropdown, SelectionType::Single) => Argument::LoggerId,
        (SelectionInput::Dropdown, SelectionType::Multiple) => Argument::LoggerIds,
    };
    let offered = std::mem::take(&mut request.options);
    if request.input_type == SelectionInput::Dropdown {
        if offered.is_empty() {
            faults.push("there is nothing to choose from".to_owned());
        }
        for option in &offered {
            match device_option(&results.loggers, &option.value) {
                Some(written) => request.options.push(written),
                None => faults.push(format!("{:?} is not the id of a device", option.value)),
            }
        }
    }
    let is_offered = |value: &String| request.options.iter().any(|one| one.value == *value);
    request.pre_selected_values.retain(is_offered);
    request.flow_hint = None;
    if request.min_date > request.max_date && request.max_date.is_some() {
        faults.push("minDate is after maxDate".to_owned());
    }
    let shown = json!({ "prompt": request.prompt, "contextMessage": request.context_message });
    strangers("the question", &shown, known, &results.facts, &mut faults);
    faults.truncate(TOLD);
    if faults.is_empty() {
        Ok(Question { argument, request })
    } else {
        Err(format!("The question is not asked: {}.", faults.join("; ")))
    }
}
