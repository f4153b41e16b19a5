//! What models write into their text although it is not part of the answer: thoughts in tags, tool
//! calls as text, and the control tokens of a template that a server did not remove.
//!
//! Independent of the wire: [`clean`] surrounds the decoder of any provider. Thoughts become
//! [`ChatEvent::Reasoning`]. A written call becomes a call with broken arguments: it is never
//! executed, and its result asks the model to make a proper tool call.

mod calls;
mod thoughts;

use self::calls::WrittenCalls;
use self::thoughts::{Part, WrittenThoughts};
use crate::wire::{CallIds, Decoder};
use crate::{Arguments, ChatEvent, Error, FinishReason, Finished, ResponseFormat, ToolCall};

/// The decoder, with text that is text only. Answers of a given shape may look like calls, so their
/// calls are not looked for.
pub(crate) fn clean(decoder: Box<dyn Decoder>, response: &ResponseFormat) -> Box<dyn Decoder> {
    Box::new(CleanDecoder {
        inner: decoder,
        thoughts: WrittenThoughts::default(),
        calls: matches!(response, ResponseFormat::Text).then(WrittenCalls::default),
        ids: CallIds::default(),
    })
}

struct CleanDecoder {
    inner: Box<dyn Decoder>,
    thoughts: WrittenThoughts,
    /// `None` where calls are not looked for.
    calls: Option<WrittenCalls>,
    ids: CallIds,
}

impl Decoder for CleanDecoder {
    fn message(&mut self, event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let read = out.len();
        let result = self.inner.message(event, data, out);
        self.clean(read, out);
        result
    }

    fn end(&mut self, stray: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let read = out.len();
        let result = self.inner.end(stray, out);
        self.clean(read, out);
        result
    }

    fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}

impl CleanDecoder {
    /// Cleans the events from this place on.
    fn clean(&mut self, from: usize, out: &mut Vec<ChatEvent>) {
        let concerns =
            |event: &ChatEvent| matches!(event, ChatEvent::Text(_) | ChatEvent::Finished(_));
        if !out[from..].iter().any(concerns) {
            return;
        }
        for event in out.split_off(from) {
            match event {
                ChatEvent::Text(text) => {
                    let parts = self.thoughts.add(&text);
                    self.give(parts, out);
                }
                ChatEvent::Finished(finished) => self.finish(finished, out),
                other => out.push(other),
            }
        }
    }

    fn give(&mut self, parts: Vec<Part>, out: &mut Vec<ChatEvent>) {
        for part in parts {
            match part {
                Part::Thought(thought) => out.push(ChatEvent::Reasoning(thought)),
                Part::Text(text) => {
                    let text = match &mut self.calls {
                        Some(calls) => calls.add(&text),
                        None => text,
                    };
                    if !text.is_empty() {
                        out.push(ChatEvent::Text(text));
                    }
                }
            }
        }
    }

    fn finish(&mut self, mut finished: Finished, out: &mut Vec<ChatEvent>) {
        let rest = self.thoughts.finish();
        self.give(rest, out);
        let (rest, written) = self
            .calls
            .take()
            .map(WrittenCalls::finish)
            .unwrap_or_default();
        if !rest.is_empty() {
            out.push(ChatEvent::Text(rest));
        }
        if let Some(written) = written {
            out.push(ChatEvent::Call(ToolCall {
                id: self.ids.take(String::new()),
                name: written.name,
                arguments: Arguments::Broken(written.text),
                opaque: None,
            }));
            if finished.reason == FinishReason::Stop {
                finished.reason = FinishReason::ToolCalls;
            }
        }
        out.push(ChatEvent::Finished(finished));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::Usage;

    /// Gives out events that were read before.
    struct Read(VecDeque<ChatEvent>);

    impl Decoder for Read {
        fn message(&mut self, _: &str, _: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
            out.extend(self.0.pop_front());
            Ok(())
        }

        fn end(&mut self, _: &str, _: &mut Vec<ChatEvent>) -> Result<(), Error> {
            Ok(())
        }

        fn is_finished(&self) -> bool {
            self.0.is_empty()
        }
    }

    /// The text, the thoughts, the calls and the reason of an answer in pieces of this length.
    fn read(
        answer: &str,
        response: &ResponseFormat,
        size: usize,
    ) -> (String, String, Vec<String>, FinishReason) {
        let characters: Vec<char> = answer.chars().collect();
        let mut events: VecDeque<ChatEvent> = characters
            .chunks(size)
            .map(|piece| ChatEvent::Text(piece.iter().collect()))
            .collect();
        events.push_back(ChatEvent::Finished(Finished {
            reason: FinishReason::Stop,
            usage: Usage::default(),
            model: None,
            opaque: None,
        }));
        let mut decoder = clean(Box::new(Read(events)), response);
        let mut out = Vec::new();
        while !decoder.is_finished() {
            decoder.message("", "", &mut out).unwrap();
        }
        let (mut text, mut thoughts, mut calls) = (String::new(), String::new(), Vec::new());
        for event in out {
            match event {
                ChatEvent::Text(more) => text.push_str(&more),
                ChatEvent::Reasoning(more) => thoughts.push_str(&more),
                ChatEvent::Call(call) => {
                    assert!(matches!(call.arguments, Arguments::Broken(_)));
                    calls.push(call.name);
                }
                ChatEvent::Finished(finished) => return (text, thoughts, calls, finished.reason),
            }
        }
        panic!("no end");
    }

    #[test]
    fn thoughts_and_calls_are_taken_out_of_the_text_of_any_provider() {
        let cases = [
            (
                "<think>Hm, 42?</think>\n\nIt is fine.",
                "It is fine.",
                "Hm, 42?",
                vec![],
            ),
            ("Well. <think>Hm</think> So.", "Well.  So.", "Hm", vec![]),
            ("<think>never closed", "", "never closed", vec![]),
            ("</think>\nIt is fine.", "It is fine.", "", vec![]),
            (
                "<think>I call.</think><tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>",
                "",
                "I call.",
                vec!["look"],
            ),
            (
                "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Good.<|return|>",
                "Good.",
                "Hm",
                vec![],
            ),
            (
                "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>commentary to=functions.look <|message|>{}<|call|>",
                "",
                "Hm",
                vec!["look"],
            ),
            ("[THINK]a[/THINK]b", "b", "a", vec![]),
            ("All is fine.<|im_end|>", "All is fine.", "", vec![]),
            ("1 < 2 and <b>bold</b>", "1 < 2 and <b>bold</b>", "", vec![]),
        ];
        for (answer, text, thoughts, calls) in cases {
            for size in [1, 2, 7, 1_000] {
                let (told, thought, called, reason) = read(answer, &ResponseFormat::Text, size);
                assert_eq!((&*told, &*thought), (text, thoughts), "{answer} by {size}");
                assert_eq!(called, calls, "{answer} by {size}");
                let is_called = reason == FinishReason::ToolCalls;
                assert_eq!(is_called, !called.is_empty(), "{answer}");
            }
        }
    }

    #[test]
    fn an_answer_of_a_given_shape_keeps_what_looks_like_a_call() {
        let shape = ResponseFormat::Json {
            name: "answer".to_owned(),
            schema: serde_json::json!({}),
        };
        let answer = "{\"name\": \"look\", \"arguments\": {}}";
        for size in [1, 1_000] {
            let thoughtful = format!("<think>Hm</think>{answer}");
            let (text, thoughts, calls, _) = read(&thoughtful, &shape, size);
            assert_eq!((&*text, &*thoughts, calls.len()), (answer, "Hm", 0));
        }
    }
}
