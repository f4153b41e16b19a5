//! Arguments that arrive in parts, as Vertex AI can send them: values with the JSON paths of their
//! places.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A part of the arguments.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartialArg {
    json_path: String,
    string_value: Option<String>,
    number_value: Option<serde_json::Number>,
    bool_value: Option<bool>,
    /// Whether more of this string follows.
    #[serde(default)]
    will_continue: bool,
}

/// The longest list that is built, because a single index could otherwise allocate any amount of
/// memory.
const MAX_INDEX: usize = 10_000;

/// The arguments so far.
#[derive(Debug, Default)]
pub(super) struct PartialArgs {
    members: Map<String, Value>,
    /// The path of the string that continues.
    open: Option<String>,
    /// Whether a path was invalid.
    broken: bool,
}

impl PartialArgs {
    pub(super) fn new(members: Map<String, Value>) -> Self {
        Self {
            members,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, piece: PartialArg) {
        let PartialArg {
            json_path,
            string_value,
            number_value,
            bool_value,
            will_continue,
        } = piece;
        let slot = steps(&json_path).and_then(|steps| slot(&mut self.members, &steps));
        let Some(slot) = slot else {
            self.broken = true;
            return;
        };
        let goes_on = self.open.as_deref() == Some(&json_path);
        match (string_value, slot) {
            (Some(more), Value::String(text)) if goes_on => text.push_str(&more),
            (Some(text), slot) => *slot = Value::String(text),
            (None, slot) if !goes_on => {
                *slot = number_value
                    .map(Value::Number)
                    .or(bool_value.map(Value::Bool))
                    .unwrap_or_default();
            }
            // The end of a string, without further text.
            (None, _) => {}
        }
        self.open = will_continue.then_some(json_path);
    }

    /// The arguments are truncated.
    pub(super) fn cut_off(&mut self) {
        self.broken = true;
    }

    /// The arguments, or their text if they are incomplete or invalid.
    pub(super) fn finish(self) -> Result<Map<String, Value>, String> {
        if self.broken {
            return Err(Value::Object(self.members).to_string());
        }
        Ok(self.members)
    }
}

#[derive(Debug, PartialEq)]
enum Step {
    Member(String),
    Item(usize),
}

/// Reads `$.a.b[0]['c']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(member) = rest.strip_prefix('.') {
            let end = member.find(['.', '[']).unwrap_or(member.len());
            let (name, after) = member.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(Step::Member(name.to_owned()));
            rest = after;
        } else {
            let (inside, after) = bracket(rest.strip_prefix('[')?)?;
            steps.push(inside);
            rest = after;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

fn bracket(text: &str) -> Option<(Step, &str)> {
    for quote in ['\'', '"'] {
        if let Some(text) = text.strip_prefix(quote) {
            let (name, rest) = text.split_once(quote)?;
            return Some((Step::Member(name.to_owned()), rest.strip_prefix(']')?));
        }
    }
    let (number, rest) = text.split_once(']')?;
    let index = number.parse().ok().filter(|index| *index < MAX_INDEX)?;
    Some((Step::Item(index), rest))
}

/// The place of a path; missing parts are created. `None` if a value of another type is in the way.
fn slot<'a>(members: &'a mut Map<String, Value>, steps: &[Step]) -> Option<&'a mut Value> {
    let (first, rest) = steps.split_first()?;
    let Step::Member(name) = first else {
        return None;
    };
    let mut slot = members.entry(name.clone()).or_insert(Value::Null);
    for step in rest {
        match step {
            Step::Member(name) => {
                if slot.is_null() {
                    *slot = Value::Object(Map::new());
                }
                slot = slot
                    .as_object_mut()?
                    .entry(name.clone())
                    .or_insert(Value::Null);
            }
            Step::Item(index) => {
                if slot.is_null() {
                    *slot = Value::Array(Vec::new());
                }
                let items = slot.as_array_mut()?;
                if items.len() <= *index {
                    items.resize(index + 1, Value::Null);
                }
                slot = items.get_mut(*index)?;
            }
        }
    }
    Some(slot)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn build(pieces: Value) -> Result<Value, String> {
        let mut args = PartialArgs::default();
        for piece in serde_json::from_value::<Vec<PartialArg>>(pieces).unwrap() {
            args.add(piece);
        }
        args.finish().map(Value::Object)
    }

    #[test]
    fn values_go_where_their_paths_lead() {
        let built = build(json!([
            {"jsonPath": "$.brightness", "numberValue": 50},
            {"jsonPath": "$.rooms[0].name", "stringValue": "Kit", "willContinue": true},
            {"jsonPath": "$.rooms[0].name", "stringValue": "chen", "willContinue": true},
            {"jsonPath": "$.rooms[0].name"},
            {"jsonPath": "$.rooms[1]['the name']", "stringValue": "Bath"},
            {"jsonPath": "$.on", "boolValue": true},
            {"jsonPath": "$.until", "nullValue": null}
        ]));
        assert_eq!(
            built,
            Ok(json!({
                "brightness": 50,
                "rooms": [{"name": "Kitchen"}, {"the name": "Bath"}],
                "on": true,
                "until": null
            }))
        );
    }

    #[test]
    fn a_path_that_leads_nowhere_breaks_the_arguments() {
        for path in [
            "",
            "$",
            "$[0]",
            "a",
            "$.a..b",
            "$.a[x]",
            "$.a[99999999]",
            "$.x.y",
        ] {
            let built = build(json!([
                {"jsonPath": "$.x", "numberValue": 1},
                {"jsonPath": path, "numberValue": 2}
            ]));
            assert_eq!(built, Err("{\"x\":1}".to_owned()), "{path}");
        }
    }
}
