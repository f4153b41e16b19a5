//! Renders an answer as text while it arrives.

use std::fmt::Write;

use contracts::chat::UiMessageChunk;
use contracts::tools::names::{RENDER_UI_COMPONENT, REQUEST_USER_SELECTION};
use contracts::ui::{RenderUiComponent, RequestUserSelection, Suggestion};
use serde_json::Value;

use super::plan::Plans;
use super::{cards, rows};

/// Converts the chunks of an answer to terminal output.
#[derive(Default)]
pub struct Renderer {
    /// Whether the cursor is behind text.
    in_line: bool,
    plans: Plans,
    suggestions: Vec<Suggestion>,
    failed: bool,
}

impl Renderer {
    /// The output for a chunk; often empty.
    pub fn show(&mut self, chunk: &UiMessageChunk) -> String {
        match chunk {
            UiMessageChunk::TextDelta { delta, .. } => {
                // Line breaks that separate blocks are not needed at the start of a line.
                let begins = !std::mem::replace(&mut self.in_line, true);
                if begins {
                    delta.trim_start().to_owned()
                } else {
                    delta.clone().into_owned()
                }
            }
            UiMessageChunk::TextEnd { .. } => self.block(""),
            UiMessageChunk::ToolInputAvailable {
                tool_name, input, ..
            } => self.tool(tool_name, input),
            UiMessageChunk::DataRows { data } => self.block(&rows::draw(data)),
            UiMessageChunk::DataPlan { data, .. } => {
                let lines = self.plans.draw(data);
                if lines.is_empty() {
                    lines
                } else {
                    self.block(&lines)
                }
            }
            UiMessageChunk::DataWarning { data } => self.block(&format!("! {}\n", data.text)),
            UiMessageChunk::Error { error_text } => {
                self.failed = true;
                self.block(&format!("! {error_text}\n"))
            }
            UiMessageChunk::Finish { .. } => self.closing(),
            _ => String::new(),
        }
    }

    /// Whether the answer ended with an error.
    pub fn failed(&self) -> bool {
        self.failed
    }

    fn tool(&mut self, name: &str, input: &Value) -> String {
        match name {
            RENDER_UI_COMPONENT => match serde_json::from_value::<RenderUiComponent>(input.clone())
            {
                Ok(component) => {
                    self.suggestions.clone_from(&component.suggestions);
                    self.block(&cards::draw(&component.component))
                }
                Err(_) => self.block("[a card that this version cannot show]\n"),
            },
            REQUEST_USER_SELECTION => {
                match serde_json::from_value::<RequestUserSelection>(input.clone()) {
                    Ok(selection) => self.block(&cards::draw_selection(&selection)),
                    Err(_) => self.block("[a question that this version cannot show]\n"),
                }
            }
            name => self.block(&format!("· {name} {}\n", arguments(input))),
        }
    }

    fn closing(&mut self) -> String {
        let suggestions = std::mem::take(&mut self.suggestions);
        if suggestions.is_empty() {
            return String::new();
        }
        let mut lines = String::new();
        for one in &suggestions {
            // Writing to a `String` does not fail.
            let _ = writeln!(lines, "  → {}: \"{}\"", one.label, one.action);
        }
        self.block(&format!("\n{lines}"))
    }

    /// Starts a block on a new line.
    fn block(&mut self, text: &str) -> String {
        let ended = std::mem::take(&mut self.in_line);
        format!("{}{text}", if ended { "\n" } else { "" })
    }
}

fn arguments(input: &Value) -> String {
    let Some(object) = input.as_object() else {
        return String::new();
    };
    let pairs = object.iter().map(|(key, value)| match value {
        Value::String(text) => format!("{key}={text}"),
        other => format!("{key}={other}"),
    });
    pairs.collect::<Vec<_>>().join(" ")
}
