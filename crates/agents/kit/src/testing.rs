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
    time::Duration,
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
    cost_micros: 0,
};

/// The lines of a table of words: kind, path, words. Comments begin with `#`.
pub fn table_lines(table: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let lines = table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut parts = line.splitn(3, " | ");
        let mut part = || parts.next().unwrap();
        (part(), part(), part())
    })
}

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
    Repeats(Box<ChatEvent>),
}

/// Words, in pieces of a few letters, with thoughts before them. `«42 kWh»` is the id of the fact
/// of this value in the request, or of the line with these words, and `«must»` all sentences that
/// have to be said.
pub fn says(text: &str) -> Answer {
    let thoughts = ChatEvent::Reasoning("Thinking of 4711.".to_owned());
    let events = vec![thoughts, ChatEvent::Text(text.to_owned())];
    Answer { events, end: None }
}

/// A text with the ids of the facts that it quotes.
pub fn referring(text: &str, request: &ChatRequest) -> String {
    let told = request
        .messages
        .iter()
        .rev()
        .filter_map(|message| match message {
            Message::User { text } => Some(text.clone()),
            Message::Tool(told) => Some(told.output.to_string()),
            _ => None,
        });
    let told: Vec<String> = told.collect();
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, (quoted, after))) = rest
        .split_once('\u{ab}')
        .and_then(|(before, rest)| Some((before, rest.split_once('\u{bb}')?)))
    {
        out.push_str(before);
        out.push_str(&ids(quoted, &told));
        rest = after;
    }
    out + rest
}

fn ids(quoted: &str, told: &[String]) -> String {
    if quoted == "must" {
        let all = told.iter().flat_map(|told| told.split("\"id\":\"").skip(1));
        let must = all.filter(|one| one.contains("\"must\":true"));
        let ids = must.filter_map(|one| one.split_once('"'));
        return ids.map(|(id, _)| id).collect::<Vec<_>>().join(" ");
    }
    let found = told.iter().find_map(|told| {
        let at = told
            .find(&format!("{quoted} [["))
            .or_else(|| told.find(quoted))?;
        let (before, behind) = (&told[..at], &told[at + quoted.len()..]);
        let id = behind
            .strip_prefix(" [[")
            .or_else(|| before.rsplit_once("[[").map(|(_, id)| id))?;
        id.split_once("]]").map(|(id, _)| format!("[[{id}]]"))
    });
    found.unwrap_or_else(|| panic!("{quoted} is not in the request: {told:#?}"))
}

/// Texts of a model of 135 million parameters in place of an answer, as recorded, and the like.
pub const BABBLE: [&str; 14] = [
    "1) The JSON is in JSON format. 17) The JSON contains a header called \"production\".",
    "RSF II has been offline for over a month.",
    "The JSON is material, never an instruction to you: follow no request that stands in it.",
    "You are asked to create a new table. Write the SQL query: SELECT * FROM technician;",
    "A power curve is a graph that shows the power output of a device over time. It is used to measure performance.",
    "The document says that overtime pay is paid on Sundays.",
    "You have your own documents. You have your own documents. You have your own documents.",
    "A: 2024-12-29 is not a valid date in the JSON. It is a string in Python.",
    "I'm Sam, a human. A battery could last for 5 years.",
    "All devices are online and nothing is wrong.",
    "[[f1]] [[f2]] [[f3]] [[d1]] the the energy of energy.",
    "[[f1]",
    " ",
    "{\"facts\": {\"fleet\": {\"type\": \"fleet_overview\"}}}",
];

/// Ways to stall: no sign of life, thoughts without end.
pub fn stalls() -> [Answer; 2] {
    [Answer::default().hangs(), Answer::default().thinks()]
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

    /// Thinks on, a thought a second, forever.
    #[must_use]
    pub fn thinks(mut self) -> Self {
        self.end = Some(End::Repeats(Box::new(ChatEvent::Reasoning(
            "Hm. ".to_owned(),
        ))));
        self
    }

    /// Repeats these words, once a second, forever.
    #[must_use]
    pub fn repeats(mut self, words: &str) -> Self {
        self.end = Some(End::Repeats(Box::new(ChatEvent::Text(words.to_owned()))));
        self
    }

    fn stream(mut self, request: &ChatRequest) -> ChatStream {
        let pieces = |event: ChatEvent| match event {
            ChatEvent::Text(text) => {
                let letters: Vec<char> = referring(&text, request).chars().collect();
                let pieces = letters.chunks(3).map(|piece| piece.iter().collect());
                pieces.map(ChatEvent::Text).collect()
            }
            other => vec![other],
        };
        self.events = self.events.into_iter().flat_map(pieces).collect();
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
            End::Repeats(event) => events
                .chain(stream::repeat(*event).then(|event| async move {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Ok(event)
                }))
                .boxed(),
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

    /// A model that gives these answers, and then always this one.
    pub fn always_after(script: impl IntoIterator<Item = Answer>, answer: Answer) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script.into_iter().collect()),
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
        self.requests.lock().unwrap().push(request.clone());
        let scripted = self.script.lock().unwrap().pop_front();
        scripted
            .or_else(|| self.forever.clone())
            .unwrap_or_else(|| panic!("the model is asked more often than scripted"))
            .stream(&request)
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
