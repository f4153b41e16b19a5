//! Listening to a model: its words go out sentence by sentence, as far as their figures are facts.

use std::time::Duration;

use contracts::run::{RunEvent, Source};
use futures::StreamExt;
use graph::State;
use llm::{AssistantMessage, ChatEvent, ChatRequest, Error, ErrorKind, FinishReason};

use crate::{
    figures::Known,
    prose::{Prose, supported},
    stage::{Stage, Words},
};

/// What happens to a sentence with a figure that is no fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnsupported {
    /// Figures are not looked at: the answer is not about data.
    LetThrough,
    /// It is left out, and the text goes on.
    LeaveOut,
    /// The text ends before it.
    Stop,
}

/// What was heard.
#[derive(Debug)]
pub struct Heard {
    /// The words that were let through, and the calls, if the answer came to its end.
    pub message: AssistantMessage,
    /// Sentences that were not let through.
    pub left_out: u32,
    /// How it ended.
    pub end: End,
}

/// How an answer ended.
#[derive(Debug)]
pub enum End {
    /// By itself.
    Finished(FinishReason),
    /// At a sentence that is not let through.
    Stopped,
    /// In a failure.
    Failed(Error),
}

impl Heard {
    /// Whether the model said all that it wanted to.
    pub fn is_whole(&self) -> bool {
        matches!(
            self.end,
            End::Finished(FinishReason::Stop | FinishReason::ToolCalls)
        )
    }
}

impl<S: State<Event = RunEvent>> Stage<S> {
    /// Whether there is a model that has not failed.
    pub fn has_model(&self) -> bool {
        self.performance().model().is_some()
    }

    /// Asks the run's model for something that is read, not shown. `None` when there is none, or it failed, which the person has been
    /// told then.
    pub async fn ask(&self, request: ChatRequest, patience: Duration) -> Option<String> {
        let model = self.performance().model()?.clone();
        let account = self.performance().account();
        account.asked();
        let answer = tokio::time::timeout(patience, model.complete(request))
            .await
            .unwrap_or(Err(Error::new(ErrorKind::Timeout)));
        match answer {
            Ok(completion) => {
                account.pay(completion.usage);
                Some(completion.message.text)
            }
            Err(error) => {
                model_failed(self, &error).await;
                None
            }
        }
    }
}

/// Asks the run's model and writes what it says. Reasoning is never shown. Nothing is written that is taken back later.
pub async fn listen<S: State<Event = RunEvent>>(
    stage: &Stage<S>,
    words: &mut Words,
    request: ChatRequest,
    known: &Known,
    policy: OnUnsupported,
    patience: Option<Duration>,
) -> Heard {
    let mut heard = Heard {
        message: AssistantMessage::default(),
        left_out: 0,
        end: End::Failed(Error::truncated()),
    };
    let account = stage.performance().account();
    let Some(model) = stage.performance().model().cloned() else {
        return heard;
    };
    account.asked();
    let deadline = patience.map(|patience| tokio::time::Instant::now() + patience);
    let mut stream = model.stream(request);
    let mut prose = Prose::default();
    let before = words.said().len();
    loop {
        let event = match deadline {
            Some(deadline) => match tokio::time::timeout_at(deadline, stream.next()).await {
                Ok(event) => event,
                Err(_) => Some(Err(Error::new(ErrorKind::Timeout))),
            },
            None => stream.next().await,
        };
        match event {
            Some(Ok(ChatEvent::Text(text))) if policy == OnUnsupported::LetThrough => {
                stage.write(words, &text).await;
            }
            Some(Ok(ChatEvent::Text(text))) => {
                prose.push(&text);
                while let Some(sentence) = prose.sentence() {
                    if !utter(stage, words, &sentence, known, &mut heard).await
                        && policy == OnUnsupported::Stop
                    {
                        heard.end = End::Stopped;
                        return conclude(heard, words, before);
                    }
                }
            }
            Some(Ok(ChatEvent::Reasoning(_))) => {}
            Some(Ok(ChatEvent::Call(call))) => heard.message.calls.push(call),
            Some(Ok(ChatEvent::Finished(finished))) => {
                account.pay(finished.usage);
                heard.message.opaque = finished.opaque;
                heard.end = End::Finished(finished.reason);
                // Where the limit cut the text, its last words may be half a figure.
                if finished.reason != FinishReason::Length {
                    let rest = prose.rest();
                    if !utter(stage, words, &rest, known, &mut heard).await
                        && policy == OnUnsupported::Stop
                    {
                        heard.end = End::Stopped;
                    }
                }
                return conclude(heard, words, before);
            }
            Some(Err(error)) => {
                heard.end = End::Failed(error);
                break;
            }
            None => break,
        }
    }
    // Calls of an answer that was cut off may not be all there were.
    heard.message.calls.clear();
    conclude(heard, words, before)
}

/// Writes a sentence if its figures are facts.
async fn utter<S: State<Event = RunEvent>>(
    stage: &Stage<S>,
    words: &mut Words,
    sentence: &str,
    known: &Known,
    heard: &mut Heard,
) -> bool {
    if sentence.trim().is_empty() {
        return true;
    }
    if supported(sentence, known) {
        stage.write(words, sentence).await;
        return true;
    }
    tracing::debug!("a sentence of the model has a figure that is no fact");
    heard.left_out += 1;
    false
}

fn conclude(mut heard: Heard, words: &Words, before: usize) -> Heard {
    words.said()[before..]
        .trim_start()
        .clone_into(&mut heard.message.text);
    heard
}

/// Tells once per run that the model is away; it is not asked again in this run.
pub async fn model_failed<S: State<Event = RunEvent>>(stage: &Stage<S>, error: &Error) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "the model failed; the rules answer"
    );
    let account = stage.performance().account();
    account.fail();
    account.worded_by(Source::Rules);
    warn_once(stage).await;
}

/// The same for an answer that came and can not be used: the model may be asked for something else.
pub async fn warn_once<S: State<Event = RunEvent>>(stage: &Stage<S>) {
    if stage.performance().account().warns() {
        stage
            .warn(
                "model_unavailable",
                "The language model can't help with this at the moment, so this answer follows fixed rules.",
            )
            .await;
    }
}
