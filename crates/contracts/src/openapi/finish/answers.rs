//! The answers of the layers around every handler: the reader of the body, the guard of identities,
//! the limits, the way to other services.

use serde_json::{Map, Value, json};

use super::operations;

/// The parts of an operation that may be refused.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each stands for an answer or two"
)]
struct Traits {
    is_health: bool,
    is_secured: bool,
    is_passed_on: bool,
    is_limited: bool,
    has_body: bool,
    reads_media_types: bool,
    has_input: bool,
    has_path_parameter: bool,
}

/// Adds the answers that are not declared with an operation and that it can have.
pub(super) fn complete(document: &mut Value, passes_on: bool) {
    for (path, operation) in operations(document) {
        let traits = Traits::of(path, operation, passes_on);
        let added = traits.answers();
        let Some(answers) = operation
            .get_mut("responses")
            .and_then(Value::as_object_mut)
        else {
            continue;
        };
        for (status, description) in added {
            answers
                .entry(status)
                .or_insert_with(|| refusal(description));
        }
        let mut sorted: Vec<_> = std::mem::take(answers).into_iter().collect();
        sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
        *answers = sorted.into_iter().collect();
    }
}

impl Traits {
    fn of(path: &str, operation: &Map<String, Value>, passes_on: bool) -> Self {
        let security = operation.get("security").and_then(Value::as_array);
        let is_secured = security.is_some_and(|ways| {
            ways.iter()
                .any(|way| way.as_object().is_some_and(|way| !way.is_empty()))
        });
        let parameters = operation.get("parameters").and_then(Value::as_array);
        let body = operation.get("requestBody");
        let only_json = body.is_some_and(|body| {
            body["content"]
                .as_object()
                .is_some_and(|types| types.keys().eq(["application/json"]))
        });
        // The bff counts the requests of each person.
        let reads_person = is_secured || path.starts_with("/auth/");
        Self {
            is_limited: passes_on && reads_person,
            is_health: path.starts_with("/health/") || path == "/api/health",
            is_secured,
            is_passed_on: passes_on && path.starts_with("/api/"),
            has_body: body.is_some(),
            // The body of a tool's call is JSON whatever it is called.
            reads_media_types: only_json && !path.starts_with("/api/tools/"),
            has_input: body.is_some()
                || parameters.is_some_and(|parameters| !parameters.is_empty()),
            has_path_parameter: path.contains('{'),
        }
    }

    fn answers(&self) -> Vec<(&'static str, &'static str)> {
        if self.is_health {
            return vec![("400", "The request cannot be read")];
        }
        let mut answers = Vec::new();
        let mut add = |applies: bool, status, description| {
            if applies {
                answers.push((status, description));
            }
        };
        let malformed = if self.has_body {
            "The request or its body cannot be read"
        } else {
            "The request cannot be read"
        };
        add(true, "400", malformed);
        add(self.is_secured, "401", "No valid credential");
        add(
            self.is_secured,
            "403",
            "The scope is missing, or the request comes from another origin",
        );
        add(
            self.has_path_parameter,
            "404",
            "There is none of this name that is yours",
        );
        add(self.has_body, "408", "The body took too long");
        add(self.has_body, "413", "The body is too large");
        add(
            self.reads_media_types,
            "415",
            "The body is not `application/json`",
        );
        add(
            self.has_input,
            "422",
            "Well-formed but not valid; the problem points to what is wrong",
        );
        add(
            self.is_limited,
            "429",
            "Too many requests; `Retry-After` says when",
        );
        add(
            true,
            "500",
            "An error that the service did not expect; its ids are in the log",
        );
        add(
            self.is_passed_on,
            "502",
            "The service behind this one failed or cannot be reached",
        );
        add(
            true,
            "503",
            "Not available at the moment: the database is away, or the request took too long",
        );
        add(
            self.is_passed_on,
            "504",
            "The service behind this one was too slow",
        );
        answers
    }
}

fn refusal(description: &str) -> Value {
    json!({
        "description": description,
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
    })
}
