//! Listening to a model: its words go out as they come, as far as their figures are facts.

use std::time::Duration;

use contracts::run::Source;
use futures::StreamExt;
use llm::{AssistantMessage, ChatEvent, ChatRequest, Error, ErrorKind, FinishReason};

use crate::{
    checked::{CheckedProse, Piece},
    figures::Known,
    node_context::{NodeContext, Words},
    state::ThreadState,
};

/// The treatment of a sentence with a figure that is not a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnsupported {
    /// Figures are not looked at: the answer is not about data.
    LetThrough,
    /// It is left out, from the first word that is not out, and the text continues.
    LeaveOut,
    /// The text ends there.
    Stop,
}

/// The result of listening to a model.
#[derive(Debug)]
pub struct Heard {
    /// The words that were let through, and the calls, if the answer came to its end.
    pub message: AssistantMessage,
    /// Sentences that were let through to their end. Where there are none, the text is not an
    /// answer.
    pub sentences: u32,
    /// Sentences that were not let through, or not to their end.
    pub left_out: u32,
    /// The text breaks off in the middle of a sentence, and shows it.
    pub broken_off: bool,
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

impl<S: ThreadState, R> NodeContext<S, R> {
    /// Whether there is a model that has not failed.
    pub fn has_model(&self) -> bool {
        self.services().model().is_some()
    }

    /// Asks the run's model for something that is read, not shown. `None` when there is none, or it
    /// failed, which the person has then been warned of.
    pub async fn ask(&self, request: ChatRequest, patience: Duration) -> Option<String> {
        let model = self.services().model()?.clone();
        let account = self.account();
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

/// Asks the run's model and writes what it says. Reasoning is never shown. Nothing is written that
/// is taken back later.
pub async fn listen<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    request: ChatRequest,
    known: &Known,
    policy: OnUnsupported,
    patience: Option<Duration>,
) -> Heard {
    let mut heard = Heard {
        message: AssistantMessage::default(),
        sentences: 0,
        left_out: 0,
        broken_off: false,
        end: End::Failed(Error::truncated()),
    };
    let account = node.account();
    let Some(model) = node.services().model().cloned() else {
        return heard;
    };
    account.asked();
    let deadline = patience.map(|patience| tokio::time::Instant::now() + patience);
    let mut stream = model.stream(request);
    let mut prose = CheckedProse::default();
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
                // A run that is stopped here must already name the model as the source.
                account.worded_by(Source::Model);
                node.write(words, &text).await;
            }
            Some(Ok(ChatEvent::Text(text))) => {
                for piece in prose.push(&text, known) {
                    if !utter(node, words, piece, policy, &mut heard).await {
                        return conclude(heard, words, before, &prose);
                    }
                }
            }
            Some(Ok(ChatEvent::Reasoning(_))) => {}
            Some(Ok(ChatEvent::Call(call))) => heard.message.calls.push(call),
            Some(Ok(ChatEvent::Finished(finished))) => {
                account.pay(finished.usage);
                heard.message.opaque = finished.opaque;
                heard.end = End::Finished(finished.reason);
                match finished.reason {
                    FinishReason::Stop | FinishReason::ToolCalls => {
                        if let Some(piece) = prose.finish(known) {
                            utter(node, words, piece, policy, &mut heard).await;
                        }
                    }
                    // Where the text was cut, its last words may be half a figure.
                    _ => break_off(node, words, before, &prose, policy, &mut heard).await,
                }
                return conclude(heard, words, before, &prose);
            }
            Some(Err(error)) => {
                heard.end = End::Failed(error);
                break;
            }
            None => break,
        }
    }
    break_off(node, words, before, &prose, policy, &mut heard).await;
    // Calls of an answer that was cut off may not be all there were.
    heard.message.calls.clear();
    conclude(heard, words, before, &prose)
}

/// Writes a piece of the text; false where the text ends with it.
async fn utter<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    piece: Piece,
    policy: OnUnsupported,
    heard: &mut Heard,
) -> bool {
    match piece {
        Piece::Said(text) => {
            node.account().worded_by(Source::Model);
            node.write(words, &text).await;
            return true;
        }
        Piece::LeftOut => {}
        Piece::CutOff => {
            node.break_off(words).await;
            heard.broken_off = policy == OnUnsupported::Stop;
        }
    }
    heard.left_out += 1;
    if policy == OnUnsupported::Stop {
        heard.end = End::Stopped;
        return false;
    }
    true
}

/// Ends a text whose model did not come to its end so that it can be seen that it is not whole.
async fn break_off<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    before: usize,
    prose: &CheckedProse,
    policy: OnUnsupported,
    heard: &mut Heard,
) {
    let said = words.said()[before..].trim_end();
    let within = match policy {
        OnUnsupported::LetThrough => {
            !said.is_empty() && !said.ends_with(['.', '!', '?', '\u{2026}', ':', ')', '"'])
        }
        OnUnsupported::LeaveOut | OnUnsupported::Stop => prose.is_within_sentence(),
    };
    if within {
        node.break_off(words).await;
        heard.broken_off = true;
    }
}

fn conclude(mut heard: Heard, words: &Words, before: usize, prose: &CheckedProse) -> Heard {
    heard.sentences = prose.whole_sentences();
    words.said()[before..]
        .trim_start()
        .clone_into(&mut heard.message.text);
    heard
}

/// Warns once per run that the model is unavailable; it is not asked again in this run.
pub async fn model_failed<S: ThreadState, R>(node: &NodeContext<S, R>, error: &Error) {
    gave_up(node, error);
    node.account().worded_by(Source::Rules);
    warn_once(node).await;
}

/// The same for a model that had begun the answer, which the rules now complete: says which part
/// comes from which.
pub async fn model_stopped<S: ThreadState, R>(node: &NodeContext<S, R>, heard: &Heard) {
    let text = match &heard.end {
        End::Failed(error) => {
            gave_up(node, error);
            "The language model stopped after the beginning of this answer. What follows its words comes from fixed rules."
        }
        End::Stopped | End::Finished(FinishReason::Stop | FinishReason::ToolCalls) => {
            "The language model went on with a figure that is not in the data. What follows its words comes from fixed rules."
        }
        End::Finished(_) => {
            "The language model did not come to the end of this answer. What follows its words comes from fixed rules."
        }
    };
    node.account().worded_by(Source::Rules);
    node.warn(MODEL_STOPPED, text).await;
}

/// The words that the rules add to a model's unfinished text. If it broke off before a figure that
/// is not a fact, the text says so first, in plain words.
pub fn corrected(heard: &Heard, rest: String) -> String {
    if !heard.broken_off || !matches!(heard.end, End::Stopped) {
        return rest;
    }
    let mut text = "I left out a figure there that is not in the data.".to_owned();
    if !rest.is_empty() {
        text.push(' ');
        text.push_str(&rest);
    }
    text
}

/// For an answer that only the model writes and that no rules complete: where the model did not
/// complete it, the answer is reported, and kept, as a partial one.
pub async fn model_ended<S: ThreadState, R>(node: &NodeContext<S, R>, heard: &Heard) {
    let account = node.account();
    match &heard.end {
        End::Finished(FinishReason::Stop | FinishReason::ToolCalls) | End::Stopped => {}
        End::Finished(FinishReason::Length) => {
            account.cut();
            let text = "The answer reached its limit and ends here.";
            node.warn("model_limited", text).await;
        }
        End::Finished(_) => {
            account.break_off();
            let text = "The provider of the language model held back the rest of this answer, so it is not complete.";
            node.warn("model_limited", text).await;
        }
        End::Failed(error) => {
            gave_up(node, error);
            account.break_off();
            let text = "The language model stopped in the middle of this answer, so it is not complete. Please ask again.";
            node.warn(MODEL_STOPPED, text).await;
        }
    }
}

/// The code of the warning that a model stopped in mid-answer.
const MODEL_STOPPED: &str = "model_stopped";

fn gave_up<S: ThreadState, R>(node: &NodeContext<S, R>, error: &Error) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "the model failed; the rules answer"
    );
    node.account().fail();
}

/// The same for an answer that came and cannot be used: the model may be asked for something else.
pub async fn warn_once<S: ThreadState, R>(node: &NodeContext<S, R>) {
    if node.account().warns() {
        node
            .warn(
                "model_unavailable",
                "The language model can't help with this at the moment, so this answer follows fixed rules.",
            )
            .await;
    }
}
