//! A conversation as providers with strict alternation accept it: user and model in turn, with each
//! tool call answered directly.

use crate::{AssistantMessage, Message, ToolCall, ToolOutput};

/// The result of a call that has none. Every provider rejects a call without a result.
pub(crate) const UNANSWERED: &str = "No result: the call was interrupted.";

/// The first message of a conversation whose beginning was left out, because the user must come
/// first.
const OPENING: &str = "(The beginning of the conversation is left out.)";

/// The consecutive messages of one side.
#[derive(Debug, PartialEq)]
pub(crate) enum ChatTurn<'a> {
    /// The user and the tools.
    User {
        /// One result for each call of the previous turn, in the order of the calls.
        answers: Vec<CallResult<'a>>,
        /// The texts that are not blank.
        texts: Vec<&'a str>,
    },
    /// The model. Only the last message has calls, and no message is empty.
    Assistant(Vec<&'a AssistantMessage>),
}

/// A tool call and its result.
#[derive(Debug, PartialEq)]
pub(crate) struct CallResult<'a> {
    /// The call.
    pub(crate) call: &'a ToolCall,
    /// `None` if there is no result.
    pub(crate) output: Option<&'a ToolOutput>,
}

/// Divides a conversation into turns. Empty messages and results without a call are dropped; the
/// user comes first.
pub(crate) fn turns(messages: &[Message]) -> Vec<ChatTurn<'_>> {
    let mut turns = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::User { text } | Message::System { text } => say(&mut turns, text),
            Message::Assistant(message) if speaks(message) => {
                answer(&mut turns, message, &messages[at + 1..]);
            }
            // Results are added with their calls.
            Message::Assistant(_) | Message::Tool(_) => {}
        }
    }
    if matches!(turns.first(), Some(ChatTurn::Assistant(_))) {
        turns.insert(
            0,
            ChatTurn::User {
                answers: Vec::new(),
                texts: vec![OPENING],
            },
        );
    }
    turns
}

/// The start of the present tool loop: after the last turn of the user without results.
pub(crate) fn loop_start(turns: &[ChatTurn<'_>]) -> usize {
    turns
        .iter()
        .rposition(|turn| matches!(turn, ChatTurn::User { answers, .. } if answers.is_empty()))
        .map_or(0, |at| at + 1)
}

fn speaks(message: &AssistantMessage) -> bool {
    !message.calls.is_empty() || !message.text.trim().is_empty()
}

fn say<'a>(turns: &mut Vec<ChatTurn<'a>>, text: &'a str) {
    if text.trim().is_empty() {
        return;
    }
    if let Some(ChatTurn::User { texts, .. }) = turns.last_mut() {
        texts.push(text);
    } else {
        turns.push(ChatTurn::User {
            answers: Vec::new(),
            texts: vec![text],
        });
    }
}

fn answer<'a>(turns: &mut Vec<ChatTurn<'a>>, message: &'a AssistantMessage, later: &'a [Message]) {
    if let Some(ChatTurn::Assistant(messages)) = turns.last_mut() {
        messages.push(message);
    } else {
        turns.push(ChatTurn::Assistant(vec![message]));
    }
    if message.calls.is_empty() {
        return;
    }
    turns.push(ChatTurn::User {
        answers: answers(&message.calls, later),
        texts: Vec::new(),
    });
}

/// Finds the results of calls before the next message of the model. They may be in any order, with
/// texts between them.
fn answers<'a>(calls: &'a [ToolCall], later: &'a [Message]) -> Vec<CallResult<'a>> {
    let mut outputs: Vec<&ToolOutput> = later
        .iter()
        .take_while(|message| !matches!(message, Message::Assistant(message) if speaks(message)))
        .filter_map(|message| match message {
            Message::Tool(output) => Some(output),
            _ => None,
        })
        .collect();
    calls
        .iter()
        .map(|call| {
            let found = outputs.iter().position(|output| output.call_id == call.id);
            CallResult {
                call,
                output: found.map(|at| outputs.remove(at)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Arguments;

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "look".to_owned(),
            arguments: Arguments::parse(""),
            opaque: None,
        }
    }

    fn calls(text: &str, ids: &[&str]) -> Message {
        Message::Assistant(AssistantMessage {
            text: text.to_owned(),
            calls: ids.iter().copied().map(call).collect(),
            opaque: None,
        })
    }

    fn output(id: &str) -> Message {
        Message::Tool(ToolOutput {
            call_id: id.to_owned(),
            name: "look".to_owned(),
            output: json!(id),
            is_error: false,
        })
    }

    /// `u:` the user, `a:` the model, `=` an answer, `!` a call left without.
    fn sketch(messages: &[Message]) -> Vec<String> {
        turns(messages)
            .iter()
            .map(|turn| match turn {
                ChatTurn::User { answers, texts } => {
                    let answers = answers.iter().map(|answer| match answer.output {
                        Some(output) => format!("{}={}", answer.call.id, output.call_id),
                        None => format!("{}!", answer.call.id),
                    });
                    let words = answers.chain(texts.iter().map(ToString::to_string));
                    format!("u:{}", words.collect::<Vec<_>>().join(","))
                }
                ChatTurn::Assistant(messages) => {
                    let words: Vec<_> = messages
                        .iter()
                        .flat_map(|message| {
                            std::iter::once(message.text.clone())
                                .chain(message.calls.iter().map(|call| call.id.clone()))
                        })
                        .filter(|word| !word.is_empty())
                        .collect();
                    format!("a:{}", words.join(","))
                }
            })
            .collect()
    }

    #[test]
    fn sides_take_turns_and_empty_messages_are_left_out() {
        let messages = [
            Message::user("one"),
            Message::assistant(" "),
            Message::system("rule"),
            Message::user(""),
            Message::assistant("two"),
            Message::assistant("three"),
            Message::user("four"),
        ];
        assert_eq!(sketch(&messages), ["u:one,rule", "a:two,three", "u:four"]);
    }

    #[test]
    fn results_follow_their_calls_in_order_whatever_stands_between() {
        let messages = [
            Message::user("go"),
            calls("hm", &["1", "2", "3"]),
            output("3"),
            Message::user("well?"),
            output("1"),
            output("9"),
            Message::assistant("done"),
        ];
        assert_eq!(
            sketch(&messages),
            ["u:go", "a:hm,1,2,3", "u:1=1,2!,3=3,well?", "a:done"]
        );
    }

    #[test]
    fn a_result_that_comes_after_the_model_spoke_again_is_too_late() {
        let messages = [
            Message::user("go"),
            calls("", &["1"]),
            calls("", &["2"]),
            output("1"),
            output("2"),
        ];
        assert_eq!(sketch(&messages), ["u:go", "a:1", "u:1!", "a:2", "u:2=2"]);
    }

    #[test]
    fn equal_ids_are_told_apart_by_position() {
        let messages = [
            Message::user("go"),
            calls("", &["1", "1"]),
            output("1"),
            output("1"),
        ];
        assert_eq!(sketch(&messages), ["u:go", "a:1,1", "u:1=1,1=1"]);
    }

    #[test]
    fn the_person_speaks_first() {
        let messages = [Message::assistant("Hello"), Message::user("Hi")];
        assert_eq!(
            sketch(&messages),
            [
                "u:(The beginning of the conversation is left out.)",
                "a:Hello",
                "u:Hi"
            ]
        );
    }

    #[test]
    fn a_loop_begins_where_only_the_person_spoke() {
        let messages = [
            Message::user("go"),
            calls("", &["1"]),
            output("1"),
            Message::assistant("done"),
            Message::user("again"),
            calls("", &["2"]),
            output("2"),
            Message::user("and?"),
        ];
        let turns = turns(&messages);
        assert_eq!(turns.len(), 7);
        assert_eq!(loop_start(&turns), 5);
    }
}
