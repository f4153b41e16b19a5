//! The kind of an answer of the site assistant, by the parts of its stream: whether it is a
//! refusal, and whether the tool that a message asks for has answered.

use contracts::chat::UiMessageChunk;
use contracts::figures;
use contracts::tools::names;
use contracts::ui::UiComponent;
use regex::Regex;
use serde_json::Value;

use crate::demo_stack::Reply;
use crate::suggestions::cards;

/// A decision of the router below this confidence is a message that no rule understands, or that
/// nothing here serves.
const UNDERSTOOD: f64 = 0.7;

/// Messages whose answer is words alone.
const IN_WORDS: &[&str] = &["List my devices", "Is the service healthy?"];

/// The tool that answers a message which begins so.
const TOOLS: &[(&str, &str)] = &[
    ("Morning briefing", names::GET_FLEET_OVERVIEW),
    ("Check the health", names::ANALYZE_INVERTER_HEALTH),
    ("Diagnose ", names::ANALYZE_INVERTER_HEALTH),
    ("Show the power curve", names::GET_POWER_CURVE),
    ("Show the error codes", names::DIAGNOSE_ERROR_CODES),
    ("Show the savings", names::CALCULATE_FINANCIAL_SAVINGS),
    ("Show financial savings", names::CALCULATE_FINANCIAL_SAVINGS),
    ("Financial report", names::CALCULATE_FINANCIAL_SAVINGS),
    ("How much did ", names::CALCULATE_FINANCIAL_SAVINGS),
    ("How much energy ", names::CALCULATE_FINANCIAL_SAVINGS),
    ("Show performance ratio", names::CALCULATE_PERFORMANCE_RATIO),
    (
        "Show the performance ratio",
        names::CALCULATE_PERFORMANCE_RATIO,
    ),
    ("Forecast production", names::FORECAST_PRODUCTION),
    ("Compare ", names::COMPARE_LOGGERS),
    ("List my devices", names::LIST_LOGGERS),
    ("Is the service healthy?", names::HEALTH_CHECK),
];

/// The reason why a reply to an offered message is a refusal, a question or the answer to another
/// question.
pub(crate) fn refusal(message: &str, reply: &Reply) -> Option<String> {
    let text = reply.text();
    if text.trim().is_empty() {
        return Some("nothing is said".to_owned());
    }
    for chunk in &reply.chunks {
        match chunk {
            UiMessageChunk::Error { error_text } => return Some(format!("an error: {error_text}")),
            UiMessageChunk::DataWarning { data } => {
                return Some(format!("a warning, {}: {}", data.code, data.text));
            }
            UiMessageChunk::DataFlow { data, .. } if data.confidence < UNDERSTOOD => {
                return Some(format!("it was not understood: {text:?}"));
            }
            _ => {}
        }
    }
    if reply.asks_back() {
        return Some(format!("it asks back: {text:?}"));
    }
    let cards = cards(reply);
    let failed = |component: &UiComponent| matches!(component, UiComponent::ErrorCard(_));
    if cards.iter().any(|card| failed(&card.component)) {
        return Some(format!("an error card: {text:?}"));
    }
    if cards.is_empty() && !IN_WORDS.contains(&message) {
        return Some(format!("no card: {text:?}"));
    }
    let tool = TOOLS.iter().find(|(start, _)| message.starts_with(start));
    match tool {
        Some((_, tool)) if !reply.tools().contains(tool) => Some(format!(
            "{tool} was not asked, but {:?}: {text:?}",
            reply.tools()
        )),
        _ => None,
    }
}

/// All texts and all numbers of a value.
fn leaves(value: &Value, texts: &mut Vec<String>, numbers: &mut Vec<f64>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => numbers.extend(number.as_f64()),
        Value::Array(list) => list.iter().for_each(|one| leaves(one, texts, numbers)),
        Value::Object(fields) => fields.values().for_each(|one| leaves(one, texts, numbers)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// The texts of an answer, in its sentences and its cards, and the numbers of its cards.
fn shown(reply: &Reply) -> (Vec<String>, Vec<f64>) {
    let (mut texts, mut numbers) = (vec![reply.text()], Vec::new());
    for card in cards(reply) {
        let card = serde_json::to_value(&card.component).unwrap();
        leaves(&card, &mut texts, &mut numbers);
    }
    (texts, numbers)
}

/// A quantity of a text.
struct Quantity {
    written: String,
    value: f64,
    places: usize,
    unit: String,
}

fn quantities(text: &str) -> Vec<Quantity> {
    let quantity = Regex::new(r"([0-9][0-9,]*(?:\.[0-9]+)?) (kWh|MWh|kW|kg|%)").unwrap();
    let found = quantity.captures_iter(text).map(|found| {
        let written = found[1].to_owned();
        Quantity {
            value: written.replace(',', "").parse().unwrap(),
            places: written.split_once('.').map_or(0, |(_, end)| end.len()),
            unit: found[2].to_owned(),
            written,
        }
    });
    found.collect()
}

/// A quantity of an answer that is written with more places than its size has.
fn too_many_places(reply: &Reply) -> Option<String> {
    let (texts, _) = shown(reply);
    let all = texts.iter().flat_map(|text| quantities(text));
    all.into_iter().find_map(|one| {
        let most = match one.value {
            _ if one.unit == "%" => 1,
            value if value >= 99.95 => 0,
            value if value >= 9.995 => 1,
            _ => 2,
        };
        let Quantity { written, unit, .. } = &one;
        (one.places > most).then(|| format!("{written} {unit} has more than {most} places"))
    })
}

/// An energy of an answer that is another rounding of a number of its cards.
pub(crate) fn other_roundings(reply: &Reply) -> Option<String> {
    if let Some(fault) = too_many_places(reply) {
        return Some(fault);
    }
    let (texts, numbers) = shown(reply);
    let all = texts.iter().flat_map(|text| quantities(text));
    let energies = all.filter(|one| one.unit == "kWh");
    energies.into_iter().find_map(|one| {
        let half = 0.5 / 10_f64.powi(i32::try_from(one.places).unwrap());
        // A figure of the card itself does not count as a rounding of another one.
        let is_own = |number: &f64| {
            let figure = figures::figure(*number).replace(',', "");
            figure.parse() == Ok(one.value)
        };
        let is_near = |number: &&f64| (**number - one.value).abs() < half && **number > 1.0;
        let other = numbers.iter().find(is_near)?;
        let owned = numbers.iter().any(is_own);
        (!owned).then(|| format!("{} kWh beside {other} of a card", one.written))
    })
}
