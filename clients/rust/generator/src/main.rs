//! Writes the types and operations of `heliograph-client` from the document that the bff serves at
//! `/openapi-3.0.json`. Usage: heliograph-client-generator DOCUMENT FILE

use std::error::Error;

use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle};
use serde_json::{Map, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(document), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: heliograph-client-generator DOCUMENT FILE".into());
    };
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(document)?)?;
    fit(&mut document);
    let mut settings = GenerationSettings::default();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_inner_type(quote::quote!(crate::Session));
    let tokens = Generator::new(&settings).generate_tokens(&serde_json::from_value(document)?)?;
    std::fs::write(file, tokens.to_string())?;
    Ok(())
}

/// What progenitor does not do: answers of several types, bodies of several media types, forms, and
/// streams, which the hand-written edge reads.
fn fit(document: &mut Value) {
    let Some(paths) = document["paths"].as_object_mut() else {
        return;
    };
    for item in paths.values_mut().filter_map(Value::as_object_mut) {
        item.retain(|_method, operation| match operation.as_object_mut() {
            Some(operation) => fit_operation(operation),
            None => true,
        });
    }
}

/// Whether the operation can be had.
fn fit_operation(operation: &mut Map<String, Value>) -> bool {
    if let Some(content) = operation
        .get_mut("requestBody")
        .and_then(|body| body["content"].as_object_mut())
    {
        let wanted = ["application/json", "application/octet-stream"];
        let Some(wanted) = wanted.into_iter().find(|name| content.contains_key(*name)) else {
            return false;
        };
        content.retain(|name, _| name == wanted);
    }
    let Some(answers) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    else {
        return true;
    };
    // Of several successes the first that has a body counts; the others have the same one or none.
    let success = |status: &String| status.starts_with(['2', '3']);
    let with_body = |(_, answer): &(&String, &Value)| answer.get("content").is_some();
    let successes = || answers.iter().filter(|(status, _)| success(status));
    let kept = successes().find(with_body).or_else(|| successes().next());
    let kept = kept.map(|(status, _)| status.clone());
    answers.retain(|status, answer| match success(status) {
        true => Some(status) == kept.as_ref(),
        false => answer["content"].get("application/problem+json").is_some(),
    });
    for (status, answer) in answers.iter_mut() {
        let Some(content) = answer.get_mut("content").and_then(Value::as_object_mut) else {
            continue;
        };
        if content.contains_key("text/event-stream") {
            return false;
        }
        let problem = content.remove("application/problem+json");
        if let (false, Some(problem)) = (success(status), problem) {
            content.clear();
            content.insert("application/json".to_owned(), problem);
        } else if content.contains_key("application/json") {
            content.retain(|name, _| name == "application/json");
        }
    }
    true
}
