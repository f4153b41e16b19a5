//! Pickers as forms of the Model Context Protocol, and what a person filled in as a message.

use serde_json::{Map, Value, json};

/// The member of a form that holds the choice.
const SELECTION: &str = "selection";

/// The form of a picker, by the arguments of `request_user_selection`: parameters of
/// `elicitation/create`. `titled`: the client knows `oneOf` with titles, otherwise `enumNames`.
pub fn form(asked: &Value, said: &str, titled: bool) -> Value {
    let word = |key: &str| asked.get(key).and_then(Value::as_str);
    let prompt = word("prompt").unwrap_or("Please choose.");
    let options = asked.get("options").and_then(Value::as_array);
    let options: Vec<(String, String)> = options.into_iter().flatten().filter_map(option).collect();
    let several = word("selectionType") == Some("multiple");
    let mut member = Map::new();
    match (options.is_empty(), several, titled) {
        (true, _, _) => {
            member.insert("type".into(), json!("string"));
            member.insert("format".into(), json!("date"));
        }
        (false, true, true) => {
            member.insert("type".into(), json!("array"));
            let count = |key: &str| asked.get(key).and_then(Value::as_u64);
            let most = options.len() as u64;
            let least = count("minCount").unwrap_or(1).clamp(1, most);
            let most = count("maxCount").unwrap_or(most).clamp(least, most);
            member.insert("minItems".into(), json!(least));
            member.insert("maxItems".into(), json!(most));
            member.insert("items".into(), json!({ "anyOf": titles(&options) }));
        }
        (false, true, false) => {
            let names: Vec<&str> = options.iter().map(|(_, label)| label.as_str()).collect();
            member.insert("type".into(), json!("string"));
            let which = format!(
                "One or several, with commas between them: {}",
                names.join(", ")
            );
            member.insert("description".into(), json!(which));
        }
        (false, false, true) => {
            member.insert("type".into(), json!("string"));
            member.insert("oneOf".into(), titles(&options));
        }
        (false, false, false) => {
            let (values, names): (Vec<String>, Vec<String>) = options.into_iter().unzip();
            member.insert("type".into(), json!("string"));
            member.insert("enum".into(), json!(values));
            member.insert("enumNames".into(), json!(names));
        }
    }
    member.insert("title".into(), json!(prompt));
    // The person sees the form and not the answer that it ends.
    let message = if said.trim().is_empty() { prompt } else { said };
    json!({
        "mode": "form", "message": message,
        "requestedSchema": { "type": "object", "properties": { SELECTION: member }, "required": [SELECTION] },
    })
}

/// The message that the content of a form amounts to.
pub fn message(content: &Value) -> Option<String> {
    let chosen = match content.get(SELECTION)? {
        Value::String(one) => one.clone(),
        Value::Array(several) => {
            let several = several.iter().filter_map(Value::as_str);
            several.collect::<Vec<_>>().join(", ")
        }
        _ => return None,
    };
    (!chosen.trim().is_empty()).then(|| format!("Selected: {chosen}"))
}

fn option(option: &Value) -> Option<(String, String)> {
    let value = option.get("value")?.as_str()?;
    let label = option.get("label").and_then(Value::as_str).unwrap_or(value);
    Some((value.to_owned(), label.to_owned()))
}

fn titles(options: &[(String, String)]) -> Value {
    let titles = options.iter();
    titles
        .map(|(value, label)| json!({ "const": value, "title": label }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: &str) -> Value {
        json!({ "prompt": "Which?", "selectionType": kind, "options": [{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }] })
    }

    fn member(form: &Value) -> &Value {
        &form["requestedSchema"]["properties"]["selection"]
    }

    #[test]
    fn a_picker_is_a_form_with_its_options() {
        let one = form(&asked("single"), "Two fit.", true);
        assert_eq!(one["message"], "Two fit.");
        assert_eq!(
            member(&one)["oneOf"],
            json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }])
        );
        let older = form(&asked("single"), "", false);
        assert_eq!(
            (&older["message"], &member(&older)["enum"]),
            (&json!("Which?"), &json!(["a", "b"]))
        );
        let mut several = asked("multiple");
        let bounds = |asked: &Value| {
            let form = form(asked, "", true);
            assert_eq!(member(&form)["type"], "array");
            (
                member(&form)["minItems"].clone(),
                member(&form)["maxItems"].clone(),
            )
        };
        assert_eq!(bounds(&several), (json!(1), json!(2)));
        several["minCount"] = json!(2);
        several["maxCount"] = json!(9);
        assert_eq!(bounds(&several), (json!(2), json!(2)));
        assert_eq!(
            member(&form(&asked("multiple"), "", false))["type"],
            "string"
        );
        let date = form(&json!({ "prompt": "Day?", "options": [] }), "", true);
        assert_eq!(member(&date)["format"], "date");
    }

    #[test]
    fn what_was_filled_in_is_a_message() {
        assert_eq!(
            message(&json!({ "selection": "a" })).as_deref(),
            Some("Selected: a")
        );
        assert_eq!(
            message(&json!({ "selection": ["a", "b"] })).as_deref(),
            Some("Selected: a, b")
        );
        for nothing in [
            json!({}),
            json!({ "selection": [] }),
            json!({ "selection": " " }),
        ] {
            assert_eq!(message(&nothing), None);
        }
    }
}
