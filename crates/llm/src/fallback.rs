//! Calls the next model when one fails before its first token.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;

use crate::chat::{ChatModel, ChatRequest, ChatStream, ModelId};
use crate::{Error, ErrorKind};

/// Models in the order in which they are called.
///
/// After the first event of a model no other one is called, even if the answer fails later. When
/// all models fail, the error is that of the first, which is the one to be repaired. The time in
/// which an answer has to begin is that of all of them together.
pub struct Fallback {
    first: Arc<dyn ChatModel>,
    others: Arc<[Arc<dyn ChatModel>]>,
}

impl Fallback {
    /// Calls `first`, then `others`.
    pub fn new(first: Arc<dyn ChatModel>, others: Vec<Arc<dyn ChatModel>>) -> Self {
        Self {
            first,
            others: others.into(),
        }
    }
}

impl ChatModel for Fallback {
    fn stream(&self, request: ChatRequest) -> ChatStream {
        let (first, others) = (self.first.clone(), self.others.clone());
        stream::once(async move { ask_in_turn(&first, &others, request).await })
            .try_flatten()
            .boxed()
    }

    fn id(&self) -> ModelId {
        self.first.id()
    }
}

async fn ask_in_turn(
    first: &Arc<dyn ChatModel>,
    others: &[Arc<dyn ChatModel>],
    request: ChatRequest,
) -> Result<ChatStream, Error> {
    let first_error = match ask(first, in_share(&request, others.len())).await {
        Ok(answer) => return Ok(answer),
        Err(error) => error,
    };
    let (mut failed, mut error) = (first.id(), first_error.clone());
    for (at, model) in others.iter().enumerate() {
        // Another provider must not answer what one has blocked.
        if error.kind == ErrorKind::Blocked {
            break;
        }
        let next = model.id();
        tracing::warn!(
            failed = %failed, %error, next = %next,
            "a model failed before its first token; the next one is called"
        );
        match ask(model, in_share(&request, others.len() - at - 1)).await {
            Ok(answer) => return Ok(answer),
            Err(other) => (failed, error) = (next, other),
        }
    }
    // A blocked answer is reported as such; otherwise the error of the first model counts.
    Err(if error.kind == ErrorKind::Blocked {
        error
    } else {
        first_error
    })
}

/// The request for a model that has this many fallbacks: it may use half of the time that is left
/// to begin, the last one all of it.
fn in_share(request: &ChatRequest, fallbacks: usize) -> ChatRequest {
    let now = Instant::now();
    let share = |due: Instant| {
        let left = due.saturating_duration_since(now);
        now + if fallbacks == 0 { left } else { left / 2 }
    };
    ChatRequest {
        begin_by: request.begin_by.map(share),
        ..request.clone()
    }
}

/// Waits for the first event, and returns a stream that begins with it.
async fn ask(model: &Arc<dyn ChatModel>, request: ChatRequest) -> Result<ChatStream, Error> {
    let mut answer = model.stream(request);
    match answer.next().await {
        Some(Ok(event)) => Ok(stream::once(async { Ok(event) }).chain(answer).boxed()),
        Some(Err(error)) => Err(error),
        None => Err(Error::truncated()),
    }
}

#[cfg(test)]
mod tests;
