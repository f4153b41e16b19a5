//! A scripted model. Being asked more often than scripted fails the test.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use agent_kit::testing::referring;
use futures::{StreamExt, stream};
use llm::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, Error, ErrorKind, FinishReason, Finished,
    Message, ModelId, Usage,
};
use serde_json::{Value, json};

/// One answer.
#[derive(Clone)]
pub(crate) enum Answer {
    Says(String),
    Fails(ErrorKind),
    /// Says this much, and then fails.
    Stops(String, ErrorKind),
    /// Says this much, and then nothing forever.
    Hangs(String),
    /// Thinks, a thought a second, forever.
    Thinks,
}

pub(crate) fn says(text: impl Into<String>) -> Answer {
    Answer::Says(text.into())
}

/// The choice of tables.
pub(crate) fn tables(names: &[&str]) -> Answer {
    says(json!({ "tables": names }).to_string())
}

/// A query.
pub(crate) fn sql(query: &str) -> Answer {
    says(json!({ "sql": query, "question": "" }).to_string())
}

#[derive(Default)]
pub(crate) struct Model {
    script: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Model {
    pub(crate) fn new(script: impl IntoIterator<Item = Answer>) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script.into_iter().collect()),
            requests: Mutex::default(),
        })
    }

    pub(crate) fn then(&self, answer: Answer) {
        self.script.lock().unwrap().push_back(answer);
    }

    /// The requests since the last time this was asked.
    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// Whether everything that was scripted was asked for.
    pub(crate) fn is_spent(&self) -> bool {
        self.script.lock().unwrap().is_empty()
    }
}

impl ChatModel for Model {
    fn stream(&self, request: ChatRequest) -> ChatStream {
        self.requests.lock().unwrap().push(request.clone());
        let scripted = self.script.lock().unwrap().pop_front();
        let answer = scripted.unwrap_or_else(|| {
            panic!(
                "the model is asked more often than scripted: {:?}",
                request.messages
            )
        });
        let pieces = |text: &str| {
            let letters: Vec<char> = referring(text, &request).chars().collect();
            letters
                .chunks(5)
                .map(|piece| Ok(ChatEvent::Text(piece.iter().collect())))
                .collect::<Vec<_>>()
        };
        match answer {
            Answer::Says(text) => {
                let mut events = pieces(&text);
                events.push(Ok(ChatEvent::Finished(Finished {
                    reason: FinishReason::Stop,
                    usage: Usage {
                        input_tokens: 100,
                        cached_input_tokens: 0,
                        output_tokens: 10,
                        reasoning_tokens: 0,
                        cost_micros: 0,
                    },
                    model: None,
                    opaque: None,
                })));
                stream::iter(events).boxed()
            }
            Answer::Fails(kind) => stream::iter([Err(Error::new(kind))]).boxed(),
            Answer::Stops(text, kind) => {
                let failure = stream::iter([Err(Error::new(kind))]);
                stream::iter(pieces(&text)).chain(failure).boxed()
            }
            Answer::Thinks => stream::repeat("Hm. ")
                .then(|thought| async move {
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                    Ok(ChatEvent::Reasoning(thought.to_owned()))
                })
                .boxed(),
            Answer::Hangs(text) => stream::iter(pieces(&text)).chain(stream::pending()).boxed(),
        }
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: "openai".into(),
            model: "scripted".into(),
        }
    }
}

/// The material of a request that is JSON.
pub(crate) fn material(request: &ChatRequest) -> Value {
    match request.messages.last() {
        Some(Message::User { text }) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        other => panic!("{other:?}"),
    }
}
