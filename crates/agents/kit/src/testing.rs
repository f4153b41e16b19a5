//! A scripted model for tests of assistants (feature `testing`). It refuses what real providers
//! refuse: a request that breaks the contract fails the test.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex},
};

use futures::{StreamExt, stream};
use llm::{
    Arguments, ChatEvent, ChatModel, ChatRequest, ChatStream, Error, ErrorKind, FinishReason,
    Finished, Message, ModelId, ResponseFormat, ToolCall, Usage,
};
use serde_json::Value;

/// What one answer costs.
pub const COST: Usage = Usage {
    input_tokens: 100,
    cached_input_tokens: 0,
    output_tokens: 10,
    reasoning_tokens: 0,
};

/// One answer.
#[derive(Clone, Default)]
pub struct Answer {
    events: Vec<ChatEvent>,
    end: Option<End>,
}

#[derive(Clone)]
enum End {
    With(FinishReason),
    Fails(ErrorKind),
    Hangs,
}

/// Words, in pieces of a few letters, with thoughts before them.
pub fn says(text: &str) -> Answer {
    let mut events = vec![ChatEvent::Reasoning("Thinking of 4711.".to_owned())];
    let letters: Vec<char> = text.chars().collect();
    events.extend(
        letters
            .chunks(3)
            .map(|piece| ChatEvent::Text(piece.iter().collect())),
    );
    Answer { events, end: None }
}

/// A call, alone.
pub fn calls(id: &str, name: &str, arguments: Value) -> Answer {
    Answer::default().and(id, name, arguments)
}

/// A failure before the first word.
pub fn fails(kind: ErrorKind) -> Answer {
    Answer::default().cut(kind)
}

impl Answer {
    /// With another call.
    #[must_use]
    pub fn and(mut self, id: &str, name: &str, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(members) => Arguments::Object(members),
            other => Arguments::Broken(other.as_str().unwrap_or_default().to_owned()),
        };
        self.events.push(ChatEvent::Call(ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments,
            opaque: None,
        }));
        self
    }

    /// Fails after what it said.
    #[must_use]
    pub fn cut(mut self, kind: ErrorKind) -> Self {
        self.end = Some(End::Fails(kind));
        self
    }

    /// Ends so.
    #[must_use]
    pub fn ends(mut self, reason: FinishReason) -> Self {
        self.end = Some(End::With(reason));
        self
    }

    /// Says nothing more, forever.
    #[must_use]
    pub fn hangs(mut self) -> Self {
        self.end = Some(End::Hangs);
        self
    }

    fn stream(self) -> ChatStream {
        let called = self
            .events
            .iter()
            .any(|event| matches!(event, ChatEvent::Call(_)));
        let usual = if called {
            FinishReason::ToolCalls
        } else {
            FinishReason::Stop
        };
        let events = stream::iter(self.events.into_iter().map(Ok));
        match self.end.unwrap_or(End::With(usual)) {
            End::With(reason) => events
                .chain(stream::iter([Ok(ChatEvent::Finished(Finished {
                    reason,
                    usage: COST,
                    model: None,
                    opaque: None,
                }))]))
                .boxed(),
            End::Fails(kind) => events.chain(stream::iter([Err(Error::new(kind))])).boxed(),
            End::Hangs => events.chain(stream::pending()).boxed(),
        }
    }
}

/// Answers as scripted, one answer after the other; then, if it has one, always the same.
#[derive(Default)]
pub struct Model {
    script: Mutex<VecDeque<Answer>>,
    forever: Option<Answer>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Model {
    /// A model that gives these answers, one after the other.
    pub fn new(script: impl IntoIterator<Item = Answer>) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script.into_iter().collect()),
            ..Self::default()
        })
    }

    /// A model that always gives this answer.
    pub fn always(answer: Answer) -> Arc<Self> {
        Arc::new(Self {
            forever: Some(answer),
            ..Self::default()
        })
    }

    /// Another answer at the end of the script.
    pub fn then(&self, answer: Answer) {
        self.script.lock().unwrap().push_back(answer);
    }

    /// The requests since the last time this was asked.
    pub fn requests(&self) -> Vec<ChatRequest> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

impl ChatModel for Model {
    fn stream(&self, request: ChatRequest) -> ChatStream {
        check(&request);
        self.requests.lock().unwrap().push(request);
        let scripted = self.script.lock().unwrap().pop_front();
        scripted
            .or_else(|| self.forever.clone())
            .unwrap_or_else(|| panic!("the model is asked more often than scripted"))
            .stream()
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: "openai".into(),
            model: "scripted".into(),
        }
    }
}

/// What every provider demands, taken together.
pub fn check(request: &ChatRequest) {
    assert!(
        request.response == ResponseFormat::Text || request.tools.is_empty(),
        "tools together with JSON"
    );
    let mut ids = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for message in request.messages.iter() {
        match message {
            Message::Tool(output) => {
                let at = open.iter().position(|id| *id == output.call_id);
                open.remove(at.unwrap_or_else(|| panic!("a stray result: {output:?}")));
            }
            Message::Assistant(said) => {
                assert!(open.is_empty(), "no result of {open:?}");
                assert!(!said.text.is_empty() || !said.calls.is_empty());
                for call in &said.calls {
                    assert!(ids.insert(call.id.as_str()), "{} twice", call.id);
                    open.push(&call.id);
                }
            }
            Message::User { text } | Message::System { text } => {
                assert!(open.is_empty(), "no result of {open:?}");
                assert!(!text.trim().is_empty());
            }
        }
    }
    assert!(open.is_empty(), "no result of {open:?}");
    assert!(matches!(
        request.messages.first(),
        Some(Message::User { .. })
    ));
    assert!(
        matches!(
            request.messages.last(),
            Some(Message::User { .. } | Message::Tool(_))
        ),
        "{:?}",
        request.messages.last()
    );
}

/// The results at the end of a request, by call.
pub fn results(request: &ChatRequest) -> Vec<(&str, &Value, bool)> {
    let mut results: Vec<_> = request
        .messages
        .iter()
        .rev()
        .map_while(|message| match message {
            Message::Tool(output) => {
                Some((output.call_id.as_str(), &output.output, output.is_error))
            }
            _ => None,
        })
        .collect();
    results.reverse();
    results
}
