//! Checks of a request before it is sent, the same for all wires.

use crate::{ChatRequest, Error, ErrorKind, ResponseFormat, ToolChoice};

/// Rejects a request that contradicts itself.
pub(crate) fn check(request: &ChatRequest) -> Result<(), Error> {
    let shaped = matches!(request.response, ResponseFormat::Json { .. });
    if shaped && !request.tools.is_empty() {
        return refuse("a request cannot have both tools and a given shape of the answer");
    }
    for tool in request.tools.iter() {
        if !fits(&tool.name) {
            return refuse(&format!(
                "{:?} is not a valid name of a tool: use 1 to 64 of a-z, A-Z, 0-9, _ and -",
                tool.name
            ));
        }
    }
    match &request.tool_choice {
        ToolChoice::Required if request.tools.is_empty() => {
            refuse("a call is required, but there are no tools")
        }
        ToolChoice::Named(name) if !request.tools.iter().any(|tool| &tool.name == name) => refuse(
            &format!("the tool to call, {name:?}, is not among the tools"),
        ),
        _ => Ok(()),
    }
}

/// The error of a request that is not sent.
pub(crate) fn refuse<T>(why: &str) -> Result<T, Error> {
    Err(Error::new(ErrorKind::BadRequest).with_detail(why))
}

/// `[a-zA-Z0-9_-]{1,64}`.
fn fits(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

/// A name or an id of another provider, or one that a model invented, in characters that all
/// providers accept. Never empty.
pub(crate) fn plain(name: &str) -> String {
    let plain: String = name
        .chars()
        .take(64)
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    if plain.is_empty() {
        "unnamed".to_owned()
    } else {
        plain
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Tool;

    fn request(tool: &str) -> ChatRequest {
        ChatRequest {
            tools: [Tool {
                name: tool.to_owned(),
                description: String::new(),
                parameters: json!({"type": "object"}),
            }]
            .into(),
            ..ChatRequest::default()
        }
    }

    fn reason(request: &ChatRequest) -> String {
        let error = check(request).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadRequest);
        error.detail.unwrap()
    }

    #[test]
    fn contradictions_are_refused() {
        assert!(check(&request("look")).is_ok());
        let mut shaped = request("look");
        shaped.response = ResponseFormat::Json {
            name: "answer".to_owned(),
            schema: json!({}),
        };
        assert!(reason(&shaped).contains("given shape"));
        assert!(reason(&request("look up")).contains("look up"));
        assert!(reason(&request("")).contains("name"));
        let mut named = request("look");
        named.tool_choice = ToolChoice::Named("see".to_owned());
        assert!(reason(&named).contains("see"));
        let required = ChatRequest {
            tool_choice: ToolChoice::Required,
            ..ChatRequest::default()
        };
        assert!(reason(&required).contains("no tools"));
    }

    #[test]
    fn foreign_names_are_made_plain() {
        assert_eq!(plain("call_1-a"), "call_1-a");
        assert_eq!(plain("fc:1/ü"), "fc_1__");
        assert_eq!(plain(""), "unnamed");
        assert_eq!(plain(&"x".repeat(90)).len(), 64);
    }
}
