//! A scripted model for tests.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::{StreamExt, stream};

use crate::chat::{ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, Finished, ModelId};
use crate::{Error, ErrorKind, Usage};

/// The items of one call, in order, each after a pause.
pub(crate) type Script = Vec<(Duration, Result<ChatEvent, Error>)>;

/// Plays one script per call, then answers "ok".
#[derive(Debug)]
pub(crate) struct Scripted {
    name: &'static str,
    scripts: Mutex<VecDeque<Script>>,
    calls: AtomicUsize,
    under_way: Arc<AtomicUsize>,
    most_under_way: Arc<AtomicUsize>,
}

impl Scripted {
    pub(crate) fn new(name: &'static str, scripts: impl IntoIterator<Item = Script>) -> Arc<Self> {
        Arc::new(Self {
            name,
            scripts: Mutex::new(scripts.into_iter().collect()),
            calls: AtomicUsize::new(0),
            under_way: Arc::default(),
            most_under_way: Arc::default(),
        })
    }

    /// The number of calls.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// The number of calls in progress.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    /// Maximum number of calls that were in progress at once.
    pub(crate) fn most_under_way(&self) -> usize {
        self.most_under_way.load(Ordering::SeqCst)
    }
}

impl ChatModel for Scripted {
    fn stream(&self, _request: ChatRequest) -> ChatStream {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        let script = scripts.pop_front().unwrap_or_else(|| answer("ok"));
        let guard = UnderWay::new(&self.under_way, &self.most_under_way);
        stream::iter(script)
            .then(move |(pause, item)| {
                let _ = &guard;
                async move {
                    tokio::time::sleep(pause).await;
                    item
                }
            })
            .boxed()
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: "openai".into(),
            model: self.name.into(),
        }
    }
}

struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    fn new(count: &Arc<AtomicUsize>, most: &AtomicUsize) -> Self {
        let now = count.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A whole answer, at once.
pub(crate) fn answer(text: &str) -> Script {
    vec![at_once(Ok(ChatEvent::Text(text.to_owned()))), end()]
}

/// A failure before the first token.
pub(crate) fn failure(kind: ErrorKind) -> Script {
    vec![at_once(Err(Error::new(kind)))]
}

pub(crate) fn at_once(item: Result<ChatEvent, Error>) -> (Duration, Result<ChatEvent, Error>) {
    (Duration::ZERO, item)
}

/// The end, with 3 tokens in and 2 out.
pub(crate) fn end() -> (Duration, Result<ChatEvent, Error>) {
    at_once(Ok(ChatEvent::Finished(Finished {
        reason: FinishReason::Stop,
        usage: Usage {
            input_tokens: 3,
            output_tokens: 2,
            ..Usage::default()
        },
        model: Some("scripted-1".to_owned()),
        opaque: None,
    })))
}
