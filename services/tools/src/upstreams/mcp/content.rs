//! The result of a tool as a value: structured where the server structured it, otherwise its text.

use serde_json::{Map, Value, json};

/// The value: `structuredContent`; or the text, as JSON where it is an object or a list. What is
/// no text (images, sound, links) is named and left out.
pub(super) fn value(result: &Map<String, Value>) -> Value {
    if let Some(structured) = result.get("structuredContent").filter(|it| it.is_object()) {
        return structured.clone();
    }
    let (texts, others): (Vec<_>, Vec<_>) = blocks(result).partition(|block| text(block).is_some());
    let texts: Vec<&str> = texts.into_iter().filter_map(text).collect();
    if let ([only], []) = (texts.as_slice(), others.as_slice())
        && let Ok(parsed @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(only)
    {
        return parsed;
    }
    let mut value = json!({ "text": texts.join("\n") });
    if !others.is_empty() {
        let kinds = others.iter().map(|block| block["type"].clone());
        value["omitted"] = kinds.collect();
    }
    value
}

/// The text alone, for errors.
pub(super) fn words(result: &Map<String, Value>) -> String {
    let texts: Vec<&str> = blocks(result).filter_map(text).collect();
    texts.join(" ")
}

fn blocks(result: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let blocks = result.get("content").and_then(Value::as_array);
    blocks.into_iter().flatten()
}

/// The text of a block: its own, or that of a resource that it holds.
fn text(block: &Value) -> Option<&str> {
    match block["type"].as_str()? {
        "text" => block["text"].as_str(),
        "resource" => block["resource"]["text"].as_str(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(result: &Value) -> Value {
        value(result.as_object().unwrap())
    }

    #[test]
    fn structure_comes_before_text_and_what_is_no_text_is_named() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let image = json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" });
        let resource = json!({ "type": "resource", "resource": { "uri": "a:b", "text": "in it" } });
        assert_eq!(
            of(&json!({ "structuredContent": { "n": 1 }, "content": [text("{\"n\":2}")] })),
            json!({ "n": 1 })
        );
        assert_eq!(of(&json!({ "content": [text("[1, 2]")] })), json!([1, 2]));
        // A number or a sentence stays a text.
        assert_eq!(
            of(&json!({ "content": [text("7")] })),
            json!({ "text": "7" })
        );
        assert_eq!(
            of(&json!({ "content": [text("a"), image, resource] })),
            json!({ "text": "a\nin it", "omitted": ["image"] })
        );
        assert_eq!(of(&json!({})), json!({ "text": "" }));
    }
}
