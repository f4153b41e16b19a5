//! Finds tool calls that a small model wrote into its text, and keeps them out of the streamed
//! text.

use serde_json::Value;

/// The beginnings of such calls, by family of models. The rest of the answer is taken as the call.
const MARKERS: [&str; 6] = [
    "<|python_tag|>",
    "<tool_call>",
    "<|tool_call|>",
    "<|tool_call>",
    "[TOOL_CALLS]",
    "<function=",
];

/// The beginnings of a call without a marker.
const BARE_BEGINNINGS: [&str; 3] = ["{\"name\":", "{\"type\":\"function\"", "{\"function\":"];

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
            .take(BARE_BEGINNINGS[1].len())
            .collect();
        if BARE_BEGINNINGS.iter().any(|bare| dense.starts_with(bare)) {
            Some(true)
        } else if BARE_BEGINNINGS.iter().any(|bare| bare.starts_with(&dense)) {
            None
        } else {
            Some(false)
        }
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
                (1..marker.len()).rfind(|&length| self.held.ends_with(&marker[..length]))
            })
            .max()
            .unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }
}

/// Whether a text consists of the JSON of a call.
fn is_call(text: &str) -> bool {
    let value: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let call = value
        .get("function")
        .filter(|call| call.is_object())
        .unwrap_or(&value);
    call["name"].is_string() && (call["arguments"].is_object() || call["parameters"].is_object())
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
    let rest = after("\"name\"")
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .and_then(|rest| rest.trim_start().strip_prefix('"'))
        .or_else(|| after("<function="))
        .or_else(|| MARKERS.iter().find_map(|marker| text.strip_prefix(marker)))?;
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
        .unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
