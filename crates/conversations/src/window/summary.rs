//! A long thread in short: what was asked and answered before the messages of the window, a line a
//! turn, without a model. What a summary says is what was said, so it claims nothing new.

use super::{WindowMessage, estimate_tokens};
use crate::messages::{Message, Role};

/// Characters of a question and of an answer in a line.
const QUESTION_CHARS: usize = 160;
const ANSWER_CHARS: usize = 240;

const HEADING: &str = "Summary of the earlier conversation, oldest first:";

/// The summary of these messages within a number of tokens, the newest of them first considered;
/// none when there is nothing to say or no room for it.
pub(super) fn of(messages: &[Message], max_tokens: usize) -> Option<WindowMessage> {
    let mut lines = Vec::new();
    let mut left = max_tokens.saturating_sub(estimate_tokens(HEADING));
    let mut at = messages.len();
    while at > 0 {
        let turn = messages[..at]
            .iter()
            .rposition(|message| message.role == Role::User)
            .unwrap_or(0);
        let line = line(&messages[turn..at]);
        at = turn;
        let Some(line) = line else { continue };
        let size = estimate_tokens(&line) + 1;
        if size > left {
            break;
        }
        left -= size;
        lines.push(line);
    }
    if lines.is_empty() {
        return None;
    }
    lines.push(HEADING.to_owned());
    lines.reverse();
    Some(WindowMessage {
        role: Role::User,
        text: lines.join("\n"),
        tools: None,
    })
}

/// A turn: the question, and the beginning of its last answer.
fn line(turn: &[Message]) -> Option<String> {
    let said = |role: Role, chars: usize| {
        let mut messages = turn.iter().rev();
        let text = &messages.find(|message| message.role == role)?.text;
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ");
        (!words.is_empty()).then(|| start_of(&words, chars))
    };
    match (
        said(Role::User, QUESTION_CHARS),
        said(Role::Assistant, ANSWER_CHARS),
    ) {
        (Some(question), Some(answer)) => Some(format!("- {question} \u{2192} {answer}")),
        (Some(question), None) => Some(format!("- {question}")),
        (None, Some(answer)) => Some(format!("- \u{2192} {answer}")),
        (None, None) => None,
    }
}

/// The first sentences that fit, otherwise the first words.
fn start_of(text: &str, chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars) else {
        return text.to_owned();
    };
    let start = &text[..end];
    if let Some(stop) = start.rfind(". ") {
        return start[..=stop].to_owned();
    }
    let words = start.rfind(' ').unwrap_or(end);
    format!("{}\u{2026}", &start[..words])
}
