//! A run as one growing Markdown text: what clients show that know no cards, pickers or tables.
//!
//! Assistants show a card before they speak of it. As text a card is a long table, so it follows
//! the sentences.

use std::borrow::Cow;

use contracts::run::{Channel, RunEvent};
use contracts::tools::names::{RENDER_UI_COMPONENT, REQUEST_USER_SELECTION};

use crate::markdown;

/// The warning that a stop on request causes; the client that stopped knows.
const CANCELLED: &str = "cancelled";

/// Turns events into what is to be appended to the text.
#[derive(Debug, Default)]
pub struct Prose {
    /// The address of the page, to link charts to their conversation.
    page: Option<String>,
    thread_id: String,
    /// The open text is part of the answer.
    is_answer: bool,
    /// There is text, so that what follows is a paragraph of its own.
    spoken: bool,
    /// A block of text has begun and has no words yet.
    begins: bool,
    /// The words of the last block of text, which a question back need not repeat.
    said: String,
    /// Cards and rows that wait for the sentences about them.
    held: Vec<String>,
    /// Plans that were shown.
    plans: Vec<String>,
}

impl Prose {
    /// A text with links to the conversation on this page.
    pub fn new(page: Option<String>) -> Self {
        Self {
            page,
            ..Self::default()
        }
    }

    /// Text to append after this event, if any.
    pub fn take<'a>(&mut self, event: &'a RunEvent) -> Option<Cow<'a, str>> {
        match event {
            RunEvent::Started { thread_id, .. } => {
                let again = !self.thread_id.is_empty() && self.spoken;
                self.held.clear();
                self.thread_id.clone_from(thread_id);
                let note = "*The answer was interrupted and begins again.*";
                again.then(|| self.paragraph(note.to_owned()))
            }
            RunEvent::TextStarted { channel, .. } => {
                self.is_answer = *channel == Channel::Final;
                self.begins = self.is_answer;
                self.said.clear();
                None
            }
            RunEvent::TextDelta { delta, .. } if self.is_answer => {
                let first = std::mem::take(&mut self.begins);
                self.said.push_str(delta);
                if first && self.spoken {
                    return Some(Cow::Owned(format!("\n\n{delta}")));
                }
                self.spoken = true;
                Some(Cow::Borrowed(delta))
            }
            // A block without words says nothing of the card.
            RunEvent::TextFinished { .. } if self.is_answer && !self.begins => self.shown(None),
            RunEvent::ToolCall { name, input, .. } if name == RENDER_UI_COMPONENT => {
                let mut text = markdown::card(input);
                if let Some(page) = self.page.as_deref()
                    && markdown::draws_chart(input)
                {
                    let thread = &self.thread_id;
                    text.push_str("\n\n[Open the chart](");
                    text.push_str(page.trim_end_matches('/'));
                    text.push_str("/#/t/");
                    text.push_str(thread);
                    text.push(')');
                }
                self.held.push(text);
                None
            }
            RunEvent::ToolCall { name, input, .. } if name == REQUEST_USER_SELECTION => {
                let picker = markdown::picker(input, &self.said);
                self.shown(Some(picker))
            }
            RunEvent::StructuredData { data } => {
                let text = markdown::rows(data);
                self.held.extend((!text.is_empty()).then_some(text));
                None
            }
            RunEvent::Plan { plan } if !self.plans.contains(&plan.id) => {
                self.plans.push(plan.id.clone());
                Some(self.paragraph(markdown::plan(plan)))
            }
            RunEvent::Sources { sources } if !sources.is_empty() => {
                self.shown(Some(markdown::sources(sources)))
            }
            RunEvent::Warning { code, text } if code != CANCELLED => {
                Some(self.paragraph(format!("*Note: {}*", text.trim())))
            }
            event if event.is_terminal() => self.shown(None),
            _ => None,
        }
    }

    /// What waited for the sentences, then `more`.
    fn shown(&mut self, more: Option<String>) -> Option<Cow<'static, str>> {
        let mut texts = std::mem::take(&mut self.held);
        texts.extend(more);
        (!texts.is_empty()).then(|| self.paragraph(texts.join("\n\n")))
    }

    fn paragraph(&mut self, text: String) -> Cow<'static, str> {
        // The next words of a text that is open begin a paragraph, too.
        self.begins = true;
        if std::mem::replace(&mut self.spoken, true) {
            Cow::Owned(format!("\n\n{text}"))
        } else {
            Cow::Owned(text)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use contracts::run::{CitedSource, FinishReason, Source, ToolCallKind, Usage};
    use serde_json::json;

    use super::*;

    /// A run with something of each kind.
    pub(crate) fn run() -> Vec<RunEvent> {
        let text = |id: &str, channel, words: &[&str]| {
            let id = id.to_owned();
            let mut events = vec![RunEvent::TextStarted {
                id: id.clone(),
                channel,
            }];
            events.extend(words.iter().map(|delta| RunEvent::TextDelta {
                id: id.clone(),
                delta: (*delta).to_owned(),
            }));
            events.push(RunEvent::TextFinished { id });
            events
        };
        let mut events = vec![
            RunEvent::Started {
                thread_id: "t1".into(),
                run_id: "0a".into(),
                message_id: "msg_0a".into(),
            },
            RunEvent::StepStarted,
        ];
        events.extend(text("t0", Channel::SqlAgent, &["thinking"]));
        events.extend(text("t1", Channel::Final, &["Two ", "rows."]));
        events.push(RunEvent::ToolCall {
            id: "c1".into(),
            name: RENDER_UI_COMPONENT.into(),
            input: json!({ "component": "DynamicChart", "props": {
                "title": "Power", "xAxisKey": "x", "series": [{ "dataKey": "y", "name": "kW" }], "data": [{ "x": 1, "y": 2 }],
            } }),
            kind: ToolCallKind::Display,
        });
        events.extend(text("t2", Channel::Final, &["Done."]));
        events.push(RunEvent::Sources {
            sources: vec![CitedSource {
                id: "s1".into(),
                title: "Rules, page 3".into(),
                filename: "https://example.org/a.pdf".into(),
            }],
        });
        events.push(RunEvent::Warning {
            code: "model_away".into(),
            text: "Fixed rules answered.".into(),
        });
        events.push(RunEvent::StepFinished);
        events.push(RunEvent::Finished {
            reason: FinishReason::Stop,
            source: Source::Rules,
            usage: Some(Usage {
                input_tokens: 7,
                cached_input_tokens: 4,
                output_tokens: 5,
                reasoning_tokens: 3,
            }),
        });
        events
    }

    pub(crate) const TEXT: &str = "Two rows.\n\nDone.\n\n**Power**\n\n| X | kW |\n| --- | --- |\n| 1 | 2 |\n\n\
        [Open the chart](http://here/#/t/t1)\n\nSources:\n\n1. [Rules, page 3](https://example.org/a.pdf)\n\n\
        *Note: Fixed rules answered.*";

    #[test]
    fn a_run_is_one_text_with_its_cards_sources_and_warnings() {
        let mut prose = Prose::new(Some("http://here/".into()));
        let text: String = run()
            .iter()
            .filter_map(|event| prose.take(event).map(Cow::into_owned))
            .collect();
        assert_eq!(text, TEXT);
    }

    #[test]
    fn a_run_that_begins_again_says_so() {
        let mut prose = Prose::default();
        let events = run();
        let text: String = events[..8]
            .iter()
            .chain(&events)
            .filter_map(|event| prose.take(event).map(Cow::into_owned))
            .collect();
        assert!(text.starts_with("Two rows.\n\n*The answer was interrupted and begins again.*\n\nTwo rows.\n\nDone.\n\n**Power**"), "{text}");
        assert_eq!(text.matches("**Power**").count(), 1);
    }

    #[test]
    fn a_question_back_is_not_asked_twice() {
        let mut prose = Prose::default();
        let id = || "t".to_owned();
        let asked = json!({
            "prompt": "Which device?", "selectionType": "single",
            "options": [{ "value": "INV-1", "label": "INV-1" }],
        });
        let events = [
            RunEvent::TextStarted {
                id: id(),
                channel: Channel::Final,
            },
            RunEvent::TextDelta {
                id: id(),
                delta: "Which".into(),
            },
            RunEvent::TextDelta {
                id: id(),
                delta: " device?".into(),
            },
            RunEvent::TextFinished { id: id() },
            RunEvent::ToolCall {
                id: "c".into(),
                name: REQUEST_USER_SELECTION.into(),
                input: asked,
                kind: ToolCallKind::Client,
            },
        ];
        let text: String = events
            .iter()
            .filter_map(|event| prose.take(event).map(Cow::into_owned))
            .collect();
        let one = "Which device?\n\n- INV-1\n\nAnswer with one of these names.";
        assert_eq!(text, one);
    }

    #[test]
    fn a_card_without_words_after_it_is_shown_at_the_end() {
        let mut prose = Prose::default();
        let events = run();
        let card = events
            .iter()
            .filter(|event| matches!(event, RunEvent::ToolCall { .. } | RunEvent::Finished { .. }));
        let text: String = card
            .filter_map(|event| prose.take(event).map(Cow::into_owned))
            .collect();
        assert!(text.starts_with("**Power**"), "{text}");
    }
}
