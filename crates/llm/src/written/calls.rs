//! Finds tool calls that a model wrote into its text, and keeps them out of the streamed text.

use serde_json::Value;

/// The beginnings of such calls, by family of models. The rest of the answer is taken as the call.
const MARKERS: [&str; 15] = [
    "<|python_tag|>",
    "<tool_call>",
    "<tool_calls>",
    "<|tool_call|>",
    "<|tool_call>",
    "<|tool_calls_section_begin|>",
    "<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>",
    "[TOOL_CALLS]",
    "<function=",
    "<function_call>",
    "<function_calls>",
    "<invoke name=",
    "<|channel|>commentary to=",
    "```tool_code",
    "```tool_call",
];

/// The beginnings of a call without a marker.
const BARE_BEGINNINGS: [&str; 6] = [
    "{\"name\":",
    "{\"type\":\"function\"",
    "{\"function\":",
    "{\"tool\":",
    "{\"tool_calls\":",
    "{\"action\":",
];

/// What may surround a call without a marker: a fence of code, and the bracket of a list.
const SURROUNDINGS: [&str; 5] = ["```json", "```tool", "```xml", "```", "["];

/// Characters that decide whether a text begins like a call.
const LONGEST_BEGINNING: usize = 40;

/// Maximum number of characters of a written call that are kept.
const MAX_KEPT: usize = 8 * 1024;

/// The text of an answer that still streams.
#[derive(Debug, Default)]
pub(super) struct WrittenCalls {
    /// Text that is held back, because it may be the beginning of a marker.
    held: String,
    mode: Mode,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Only white space has arrived.
    #[default]
    Start,
    /// The whole text may be a bare call.
    Bare,
    Text,
    /// A marker has arrived.
    Call,
}

/// A call found in text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrittenCall {
    /// The name of the tool, if it can be read.
    pub(super) name: String,
    /// The text of the call, or its beginning.
    pub(super) text: String,
}

impl WrittenCalls {
    /// Adds text, and returns the part that cannot belong to a call.
    pub(super) fn add(&mut self, more: &str) -> String {
        self.held.push_str(more);
        if self.mode == Mode::Start {
            self.mode = match self.bare() {
                Some(true) => Mode::Bare,
                Some(false) => Mode::Text,
                None => Mode::Start,
            };
        }
        match self.mode {
            Mode::Start | Mode::Bare => String::new(),
            Mode::Text => self.release(),
            Mode::Call => {
                self.held.truncate(self.held.floor_char_boundary(MAX_KEPT));
                String::new()
            }
        }
    }

    /// Ends the text: returns the rest of it, and the call.
    pub(super) fn finish(self) -> (String, Option<WrittenCall>) {
        match self.mode {
            Mode::Call => (String::new(), Some(written(self.held))),
            Mode::Bare if is_call(&self.held) => (String::new(), Some(written(self.held))),
            _ => (self.held, None),
        }
    }

    /// Whether the text begins like a call without a marker; `None` while it is too short to
    /// decide.
    fn bare(&self) -> Option<bool> {
        let dense: String = self
            .held
            .chars()
            .filter(|c| !c.is_whitespace())
            .take(LONGEST_BEGINNING)
            .collect();
        let begins = |dense: &str| {
            if BARE_BEGINNINGS.iter().any(|bare| dense.starts_with(bare)) {
                Some(true)
            } else if BARE_BEGINNINGS.iter().any(|bare| bare.starts_with(dense)) {
                None
            } else {
                Some(false)
            }
        };
        let mut rest = dense.as_str();
        for outer in SURROUNDINGS {
            if rest.len() < outer.len() && outer.starts_with(rest) {
                return None;
            }
            rest = rest.strip_prefix(outer).unwrap_or(rest);
        }
        begins(rest)
    }

    /// Returns the text up to a marker, or up to a possible beginning of one.
    fn release(&mut self) -> String {
        let marker = MARKERS
            .iter()
            .filter_map(|marker| self.held.find(marker))
            .min();
        if let Some(at) = marker {
            self.mode = Mode::Call;
            let call = self.held.split_off(at);
            return std::mem::replace(&mut self.held, call);
        }
        let kept = MARKERS
            .iter()
            .filter_map(|marker| {
                (1..marker.len()).rfind(|&length| {
                    let begun = marker.get(..length);
                    begun.is_some_and(|begun| self.held.ends_with(begun))
                })
            })
            .max()
            .unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }
}

/// Whether a text consists of the JSON of a call, or of a list of calls.
fn is_call(text: &str) -> bool {
    let mut text = text.trim();
    if let Some(fenced) = text.strip_prefix("```") {
        let inner = fenced.trim_end().strip_suffix("```").unwrap_or(fenced);
        text = inner.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    }
    let value: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let listed = value.get("tool_calls").unwrap_or(&value);
    match listed {
        Value::Array(calls) => !calls.is_empty() && calls.iter().all(is_call_object),
        call => is_call_object(call),
    }
}

fn is_call_object(value: &Value) -> bool {
    let call = value
        .get("function")
        .filter(|call| call.is_object())
        .unwrap_or(value);
    let is_named = ["name", "tool", "action"]
        .iter()
        .any(|member| call[member].is_string());
    let has_arguments = ["arguments", "parameters", "args", "input", "action_input"]
        .iter()
        .any(|member| call[member].is_object());
    is_named && has_arguments
}

fn written(mut text: String) -> WrittenCall {
    text.truncate(text.floor_char_boundary(MAX_KEPT));
    WrittenCall {
        name: name(&text).unwrap_or_default().to_owned(),
        text,
    }
}

/// The name after `"name":` or `<function=`, or before a parenthesis.
fn name(text: &str) -> Option<&str> {
    let after = |beginning: &str| Some(text.split_once(beginning)?.1);
    let member = |name: &str| {
        let rest = after(name)?.trim_start().strip_prefix(':')?;
        rest.trim_start().strip_prefix('"')
    };
    let rest = member("\"name\"")
        .or_else(|| member("\"tool\""))
        .or_else(|| member("\"action\""))
        .or_else(|| after("<function="))
        .or_else(|| after("<invoke name=\""))
        .or_else(|| after("to=functions."))
        .or_else(|| MARKERS.iter().find_map(|marker| text.strip_prefix(marker)))?;
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
        .unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
