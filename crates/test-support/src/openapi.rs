//! Requests that are almost right, made of an OpenAPI document: every operation with a body that
//! fits, and with each value of it replaced by what no handler should see. [`Probe::judge`] says
//! what is wrong with an answer.

use std::collections::HashSet;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

/// A text that is longer than any message needs to repeat.
const LONG: usize = 64 * 1024;

/// Answers are shorter than this, whatever was sent.
const LONGEST_ANSWER: usize = 16 * 1024;

/// A request to send.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The operation's id.
    pub operation: String,
    /// In capital letters.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// JSON, where the operation has a body.
    pub body: Option<String>,
    /// A description of the change.
    pub change: String,
    expected: Expected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// A refusal that points at U+0000.
    NullRefused,
    /// A refusal: the schema does not have it.
    Refused,
    /// Any answer but a failure.
    NoFailure,
}

/// Every probe of a document's operations. `fill` gives the values of parameters in paths.
pub fn probes(document: &Value, fill: impl Fn(&str) -> String) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let maker = Maker {
                document,
                path,
                method: method.to_uppercase(),
                operation,
                fill: &fill,
            };
            maker.in_url(&mut probes);
            maker.in_body(&mut probes);
        }
    }
    probes
}

impl Probe {
    /// The fault in the answer to this request; `None` when there is none.
    pub fn judge(&self, status: u16, content_type: &str, body: &[u8]) -> Option<String> {
        let problem: Value = serde_json::from_slice(body).unwrap_or_default();
        let fault = if status >= 500 {
            "a server error"
        } else if status >= 400 && !content_type.starts_with("application/problem+json") {
            "a refusal that is no problem"
        } else if status >= 400 && body.len() > LONGEST_ANSWER {
            "a refusal that repeats what was sent"
        } else if status >= 400 && speaks_of_types(&problem) {
            "a refusal that names types of the program"
        } else if status == 422 && problem["errors"][0]["pointer"].as_str().is_none() {
            "a refusal without a pointer"
        } else if self.expected == Expected::NullRefused && !self.tells_of_null(status, &problem) {
            "U+0000 was taken, or its refusal does not point at it"
        } else if self.expected == Expected::Refused && status < 400 {
            "what the schema forbids was taken"
        } else {
            return None;
        };
        let answer = String::from_utf8_lossy(&body[..body.len().min(600)]).into_owned();
        let sent = self.body.as_deref().unwrap_or_default();
        let sent: String = sent.chars().take(300).collect();
        Some(format!(
            "{} ({} {}), {}: {fault}: {status} {answer}; sent {sent}",
            self.operation, self.method, self.path, self.change
        ))
    }

    /// Whether a refusal says that there is a null character, and where. A list or an object that
    /// holds one may be refused for what it is, where a text belongs; the body as a whole has the
    /// empty pointer.
    fn tells_of_null(&self, status: u16, problem: &Value) -> bool {
        let is_held =
            self.change.starts_with(NULL_IN_ARRAY) || self.change.starts_with(NULL_IN_NAME);
        let is_body = self.change.ends_with("at \"\"");
        let points = |fault: &Value| {
            let says = fault["detail"].as_str().unwrap_or_default();
            let pointer = fault["pointer"].as_str();
            (is_held || says.contains("null character"))
                && pointer.is_some_and(|pointer| is_body || !pointer.is_empty())
        };
        status == 422
            && problem["errors"]
                .as_array()
                .is_some_and(|faults| faults.iter().any(points))
    }
}

const NULL_IN_ARRAY: &str = "U+0000 in an array";
const NULL_IN_NAME: &str = "U+0000 in a name";

fn speaks_of_types(problem: &Value) -> bool {
    let told = problem["detail"].as_str().unwrap_or_default();
    [
        "struct ",
        "invalid type",
        "expected value",
        "untagged enum",
        "u32",
        "i64",
        "f64",
    ]
    .iter()
    .any(|word| told.contains(word))
}

/// Generates the probes of one operation.
struct Maker<'a, F> {
    document: &'a Value,
    path: &'a str,
    method: String,
    operation: &'a Value,
    fill: &'a F,
}

impl<F: Fn(&str) -> String> Maker<'_, F> {
    fn parameters(&self, place: &str) -> impl Iterator<Item = &str> {
        let parameters = self.operation["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        parameters
            .filter(move |parameter| parameter["in"] == place)
            .filter_map(|parameter| parameter["name"].as_str())
    }

    /// The path with its parameters filled in, one of them otherwise.
    fn filled(&self, other: Option<(&str, &str)>) -> String {
        let mut path = self.path.to_owned();
        for name in self.parameters("path") {
            let value = match other {
                Some((changed, value)) if changed == name => value.to_owned(),
                _ => (self.fill)(name),
            };
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        path
    }

    fn probe(
        &self,
        path: String,
        body: Option<&Value>,
        change: String,
        expected: Expected,
    ) -> Probe {
        Probe {
            operation: self.operation["operationId"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            method: self.method.clone(),
            path,
            body: body.map(Value::to_string),
            change,
            expected,
        }
    }

    fn in_url(&self, probes: &mut Vec<Probe>) {
        let body = self.example();
        for name in self.parameters("path") {
            let path = self.filled(Some((name, "a%00b")));
            probes.push(self.probe(
                path,
                body.as_ref(),
                format!("U+0000 in {name}"),
                Expected::NullRefused,
            ));
        }
        for name in self.parameters("query") {
            for (value, expected) in [
                ("a%00b", Expected::NullRefused),
                ("%F0%9F%98%80", Expected::NoFailure),
            ] {
                let path = format!("{}?{name}={value}", self.filled(None));
                probes.push(self.probe(path, body.as_ref(), format!("{name}={value}"), expected));
            }
        }
    }

    fn in_body(&self, probes: &mut Vec<Probe>) {
        let (Some(example), Some(schema)) = (self.example(), self.body_schema()) else {
            return;
        };
        let validator = self.validator(schema);
        let mut pointers = Vec::new();
        walk(&example, String::new(), &mut pointers);
        let mut sent = HashSet::new();
        for pointer in pointers {
            let Some(value) = example.pointer(&pointer) else {
                continue;
            };
            for (change, other, holds_null) in changes(value) {
                let mut body = example.clone();
                if let Some(place) = body.pointer_mut(&pointer) {
                    *place = other;
                }
                if !sent.insert(body.to_string()) {
                    continue;
                }
                let expected = if holds_null {
                    Expected::NullRefused
                } else if validator
                    .as_ref()
                    .is_some_and(|validator| !validator.is_valid(&body))
                {
                    Expected::Refused
                } else {
                    Expected::NoFailure
                };
                let change = format!("{change} at {pointer:?}");
                probes.push(self.probe(self.filled(None), Some(&body), change, expected));
            }
        }
    }

    /// The schema of a body that is JSON and nothing else.
    fn body_schema(&self) -> Option<&Value> {
        let content = self.operation["requestBody"]["content"].as_object()?;
        if content.len() > 1 {
            return None;
        }
        content.get("application/json")?.get("schema")
    }

    fn example(&self) -> Option<Value> {
        Some(example(self.document, self.body_schema()?, 0))
    }

    fn validator(&self, schema: &Value) -> Option<Validator> {
        let mut whole = schema.clone();
        whole["components"] = self.document["components"].clone();
        let options = jsonschema::options().with_draft(Draft::Draft202012);
        options.build(&whole).ok()
    }
}

/// A value that a schema describes, with every member that it names.
fn example(document: &Value, schema: &Value, depth: usize) -> Value {
    if let Some(link) = schema["$ref"].as_str() {
        let schema = document
            .pointer(link.trim_start_matches('#'))
            .unwrap_or(&Value::Null);
        return example(document, schema, depth);
    }
    if let Some(example) = schema
        .get("const")
        .or(schema["enum"].get(0))
        .or(schema["examples"].get(0))
    {
        return example.clone();
    }
    for kind in ["oneOf", "anyOf"] {
        if let Some(first) = schema[kind].get(0) {
            return example(document, first, depth);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts = parts.iter().map(|part| example(document, part, depth));
        let members = parts.filter_map(|part| part.as_object().cloned()).flatten();
        return Value::Object(members.collect());
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds
            .iter()
            .find(|kind| *kind != "null")
            .and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match kind {
        Some("string") => Value::from(example_text(schema)),
        Some("integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("number") => schema.get("minimum").cloned().unwrap_or(json!(0.5)),
        Some("boolean") => json!(true),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(1).max(1);
            let item = |_| example(document, &schema["items"], depth + 1);
            (0..least).map(item).collect()
        }
        Some("object") => example_object(document, schema, depth),
        _ => json!("anything"),
    }
}

fn example_object(document: &Value, schema: &Value, depth: usize) -> Value {
    let Some(properties) = schema["properties"].as_object() else {
        let member = match &schema["additionalProperties"] {
            Value::Object(_) => example(document, &schema["additionalProperties"], depth + 1),
            _ => json!("value"),
        };
        return json!({ "member": member });
    };
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let members: Map<String, Value> = properties
        .iter()
        // A schema that nests without end is filled to its third level.
        .filter(|(name, _)| depth < 3 || required.contains(&name.as_str()))
        .filter(|(name, _)| depth < 6 || !required.contains(&name.as_str()))
        .map(|(name, schema)| (name.clone(), example(document, schema, depth + 1)))
        .collect();
    Value::Object(members)
}

fn example_text(schema: &Value) -> String {
    match schema["format"].as_str() {
        Some("date") => return "2025-06-01".to_owned(),
        Some("date-time") => return "2025-06-01T12:00:00Z".to_owned(),
        Some("uuid") => return "00000000-0000-7000-8000-000000000001".to_owned(),
        _ => {}
    }
    let least = schema["minLength"].as_u64().unwrap_or(1).max(1);
    "a".repeat(usize::try_from(least).unwrap_or(1))
}

/// The pointers to every value.
fn walk(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                walk(
                    member,
                    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")),
                    pointers,
                );
            }
        }
        // Items are alike.
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().take(1) {
                walk(item, format!("{pointer}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(pointer);
}

/// The replacements of a value: a name, the value, and whether U+0000 is in it.
fn changes(value: &Value) -> Vec<(&'static str, Value, bool)> {
    let mut changes = vec![
        ("null", Value::Null, false),
        ("true", json!(true), false),
        ("a fraction", json!(7.5), false),
        ("a negative number", json!(-1), false),
        ("an empty array", json!([]), false),
        ("an array of nulls", json!([null, null]), false),
        ("an empty object", json!({}), false),
        ("a text", json!("\u{202e}text"), false),
        ("U+0000", json!("a\u{0}b"), true),
        (NULL_IN_ARRAY, json!(["\u{0}"]), true),
        (NULL_IN_NAME, json!({ "a\u{0}": 1 }), true),
    ];
    match value {
        Value::String(_) => changes.push(("a long text", json!("x".repeat(LONG)), false)),
        Value::Object(members) => {
            let values: Vec<_> = members.values().cloned().collect();
            changes.push(("its values as an array", Value::from(values), false));
            let mut more = members.clone();
            more.insert("x".repeat(LONG), json!(1));
            changes.push(("a member with a long name", Value::Object(more), false));
        }
        Value::Number(number) if number.is_i64() => {
            changes.push(("with a point", json!(number.as_f64()), false));
        }
        _ => {}
    }
    changes
}
