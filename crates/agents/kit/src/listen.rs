//! Listening to a model: its words go out as they come, as far as their figures are facts.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use contracts::run::Source;
use futures::StreamExt;
use llm::{AssistantMessage, ChatEvent, ChatModel, ChatRequest, ChatStream, Error, FinishReason};

use crate::{
    Account,
    english::is_other_language,
    facts::FactRegistry,
    fallback::{self, Unusable},
    first_word::{Clock, Otherwise},
    gate::{Closing, Gate, Piece},
    node_context::{NodeContext, Words},
    prose,
    state::ThreadState,
};

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
    /// The kind of text that the model wrote, accepted or not.
    pub wrote: Wrote,
    /// The text that the gate still holds; see [`complete`].
    pub closing: Closing,
    /// How it ended.
    pub end: End,
}

/// The kind of text that a model wrote, accepted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    /// No text.
    Nothing,
    /// Text.
    Words,
    /// Text in another language than English, which cannot be checked.
    OtherLanguage,
}

impl Wrote {
    pub(crate) fn of(text: &str) -> Self {
        if text.trim().is_empty() {
            Self::Nothing
        } else if is_other_language(text) {
            Self::OtherLanguage
        } else {
            Self::Words
        }
    }
}

/// The beginning of what a model writes, before anything of it is left out.
#[derive(Debug, Clone, Default)]
struct Beginning(Arc<Mutex<String>>);

impl Beginning {
    /// Enough to see in which language it is, in bytes.
    const LENGTH: usize = 600;

    /// Keeps what it needs of a stream.
    fn of(&self, answer: ChatStream) -> ChatStream {
        let kept = self.clone();
        let keep = move |event: &Result<ChatEvent, Error>| {
            if let Ok(ChatEvent::Text(text)) = event {
                let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() < Self::LENGTH {
                    kept.push_str(text);
                }
            }
        };
        answer.inspect(keep).boxed()
    }

    fn wrote(&self) -> Wrote {
        Wrote::of(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How an answer ended.
#[derive(Debug)]
pub enum End {
    /// By itself.
    Finished(FinishReason),
    /// In a failure.
    Failed(Error),
}

impl Heard {
    /// Whether all that was said greets or announces: that answers only a greeting.
    pub fn answers_nothing(&self, question: &str) -> bool {
        let none = FactRegistry::default();
        let idle = |sentence: &String| none.is_courtesy(sentence) && !sentence.contains('?');
        let said = prose::sentences(&self.message.text);
        !said.is_empty() && said.iter().all(idle) && !is_small_talk(question)
    }

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
        let (text, _) = self.ask_whole(request, patience).await?;
        Some(text)
    }

    /// The same, with how the answer ended.
    pub async fn ask_whole(
        &self,
        request: ChatRequest,
        patience: Duration,
    ) -> Option<(String, FinishReason)> {
        let heard = self.ask_as_far(request, patience).await?;
        match heard.end {
            End::Finished(reason) => Some((heard.message.text, reason)),
            End::Failed(error) => {
                model_failed(self, &error).await;
                None
            }
        }
    }

    /// The same as far as the model wrote it: where it fails, what it wrote before is kept, and the
    /// caller warns. Nothing of the text is checked.
    pub async fn ask_as_far(&self, request: ChatRequest, patience: Duration) -> Option<Heard> {
        let model = Arc::clone(self.services().model()?);
        self.account().asked();
        let mut text = String::new();
        let end = match self.read(&*model, request, patience, &mut text).await {
            Ok(reason) => End::Finished(reason),
            Err(error) => End::Failed(error),
        };
        Some(Heard {
            wrote: Wrote::of(&text),
            message: AssistantMessage {
                text,
                ..AssistantMessage::default()
            },
            sentences: 0,
            left_out: 0,
            broken_off: false,
            closing: Closing::default(),
            end,
        })
    }

    async fn read(
        &self,
        model: &dyn ChatModel,
        mut request: ChatRequest,
        patience: Duration,
        text: &mut String,
    ) -> Result<FinishReason, Error> {
        let first_word = self.services().first_word();
        let mut clock = Clock::start(first_word, &mut request, Otherwise::Wait, Some(patience));
        let mut stream = model.stream(request);
        loop {
            let Ok(event) = clock.next(&mut stream).await else {
                self.take_longer().await;
                continue;
            };
            match event {
                Some(Ok(ChatEvent::Text(more))) => text.push_str(&more),
                Some(Ok(ChatEvent::Finished(finished))) => {
                    self.account().pay(finished.usage);
                    return Ok(finished.reason);
                }
                Some(Ok(ChatEvent::Reasoning(_) | ChatEvent::Call(_))) => {}
                Some(Err(error)) => return Err(error),
                None => return Err(Error::truncated()),
            }
        }
    }
}

/// Asks the run's model and writes what it says. Reasoning is never shown. Nothing is written that
/// is taken back later.
pub async fn listen<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    mut request: ChatRequest,
    gate: &mut dyn Gate,
    patience: Option<Duration>,
) -> Heard {
    let mut heard = Heard {
        message: AssistantMessage::default(),
        sentences: 0,
        left_out: 0,
        broken_off: false,
        wrote: Wrote::Nothing,
        closing: Closing::default(),
        end: End::Failed(Error::truncated()),
    };
    let account = node.account();
    let Some(model) = node.services().model().cloned() else {
        return heard;
    };
    account.asked();
    // The model's time is limited only where there is a text of the rules.
    let otherwise = match patience {
        Some(_) => Otherwise::Rules,
        None => Otherwise::Wait,
    };
    let first_word = node.services().first_word();
    let mut clock = Clock::start(first_word, &mut request, otherwise, patience);
    let beginning = Beginning::default();
    let mut stream = words.filtered(beginning.of(model.stream(request)));
    let before = words.said().len();
    let mut out = before;
    loop {
        if gate.sentences() > 0 {
            node.stand(words).await;
        }
        if words.said().len() > out {
            out = words.said().len();
            clock.said(answers(&words.said()[before..], gate.sentences()));
        }
        let Ok(event) = clock.next(&mut stream).await else {
            node.take_longer().await;
            continue;
        };
        match event {
            Some(Ok(ChatEvent::Text(text))) => {
                for piece in gate.push(&text) {
                    utter(node, words, piece, &mut heard).await;
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
                        for piece in gate.finish() {
                            utter(node, words, piece, &mut heard).await;
                        }
                    }
                    // Where the text was cut, its last words may be half a figure.
                    _ => break_off(node, words, gate.is_within_sentence(), &mut heard).await,
                }
                if gate.sentences() > 0 {
                    node.stand(words).await;
                }
                return conclude(node.account(), heard, words, before, gate, &beginning);
            }
            Some(Err(error)) => {
                heard.end = End::Failed(error);
                break;
            }
            None => break,
        }
    }
    break_off(node, words, gate.is_within_sentence(), &mut heard).await;
    // Calls of an answer that was cut off may not be all there were.
    heard.message.calls.clear();
    conclude(node.account(), heard, words, before, gate, &beginning)
}

/// Words that begin a message that asks for nothing.
const SMALL_TALK: &[&str] = &[
    "bye", "cool", "good", "goodbye", "great", "hello", "hey", "hi", "hiya", "nice", "no", "ok",
    "okay", "perfect", "sorry", "thank", "thanks", "well", "wow", "yes",
];

/// Whether a message greets or thanks, and asks for nothing.
fn is_small_talk(message: &str) -> bool {
    let mut words = message
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty());
    let first = words.next().map(str::to_lowercase);
    let is_short = words.count() < 4 && !message.contains('?');
    is_short && first.is_none_or(|first| SMALL_TALK.contains(&first.as_str()))
}

/// Whether one of the first sentences of a text says something, and does not only greet.
fn answers(said: &str, sentences: u32) -> bool {
    let none = FactRegistry::default();
    let sentences = prose::sentences(said).into_iter().zip(0..sentences);
    let mut sentences = sentences.map(|(sentence, _)| sentence);
    sentences.any(|sentence| !none.is_courtesy(&sentence))
}

/// Writes a piece of the text.
async fn utter<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    piece: Piece,
    heard: &mut Heard,
) {
    match piece {
        Piece::Said(text) => {
            // A run that is stopped here must already name the model as the source.
            node.account().worded_by(Source::Model);
            node.write(words, &text).await;
        }
        Piece::LeftOut => heard.left_out += 1,
        Piece::CutOff => {
            node.break_off(words).await;
            heard.left_out += 1;
        }
    }
}

/// Ends a text whose model did not come to its end so that it can be seen that it is not whole.
async fn break_off<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    is_within: bool,
    heard: &mut Heard,
) {
    if is_within {
        node.break_off(words).await;
        heard.broken_off = true;
    }
}

fn conclude(
    account: &Account,
    mut heard: Heard,
    words: &Words,
    before: usize,
    gate: &mut dyn Gate,
    beginning: &Beginning,
) -> Heard {
    heard.wrote = beginning.wrote();
    heard.sentences = gate.sentences();
    heard.closing = gate.close();
    heard.left_out += words.left_out();
    // Words that wait for the end of a turn may never be sent.
    if !words.is_held() && answers(&words.said()[before..], heard.sentences) {
        account.model_said();
    }
    words.said()[before..]
        .trim_start()
        .clone_into(&mut heard.message.text);
    heard
}

/// Completes the text of an answer: says what has to be said and was not, then what waited for it.
pub async fn complete<S: ThreadState, R>(
    node: &NodeContext<S, R>,
    words: &mut Words,
    heard: &mut Heard,
) {
    let Closing { missing, held } = std::mem::take(&mut heard.closing);
    for sentence in missing {
        let behind = if sentence.contains('\n') { "\n\n" } else { " " };
        node.write(words, &sentence).await;
        node.write(words, behind).await;
    }
    if !held.is_empty() {
        node.account().worded_by(Source::Model);
        node.account().model_said();
        node.write(words, held.trim_start()).await;
    }
}

/// Warns that the model is unavailable, and why; it is not asked again in this run.
pub async fn model_failed<S: ThreadState, R>(node: &NodeContext<S, R>, error: &Error) {
    gave_up(node, error);
    node.account().worded_by(Source::Rules);
    warn(node, &fallback::because(fallback::failed(error))).await;
}

/// Warns why an answer of which nothing was said is not the model's. One that failed is not asked
/// again in this run.
pub async fn model_unusable<S: ThreadState, R>(node: &NodeContext<S, R>, heard: &Heard) {
    if let End::Failed(error) = &heard.end {
        return model_failed(node, error).await;
    }
    node.account().worded_by(Source::Rules);
    warn(node, &fallback::unusable(heard)).await;
}

/// Warns that all that a model said was a greeting or an announcement: the rules answer.
pub async fn model_idle<S: ThreadState, R>(node: &NodeContext<S, R>) {
    node.account().worded_by(Source::Rules);
    warn_once(node, Unusable::Because("The language model only greeted")).await;
}

/// The same for a model that had begun the answer, which the rules now complete: says which part
/// comes from which.
pub async fn model_stopped<S: ThreadState, R>(node: &NodeContext<S, R>, heard: &Heard) {
    let text = match &heard.end {
        End::Failed(error) => {
            gave_up(node, error);
            "The language model stopped after the beginning of this answer. What follows its words comes from fixed rules."
        }
        End::Finished(FinishReason::Stop | FinishReason::ToolCalls) => {
            "The language model said more than the data say, which is left out. What follows its words comes from fixed rules."
        }
        End::Finished(_) => {
            "The language model did not come to the end of this answer. What follows its words comes from fixed rules."
        }
    };
    node.account().worded_by(Source::Rules);
    node.warn(MODEL_STOPPED, text).await;
}

/// For an answer that only the model writes and that no rules complete: where the model did not
/// complete it, the answer is reported, and kept, as a partial one.
pub async fn model_ended<S: ThreadState, R>(node: &NodeContext<S, R>, heard: &Heard) {
    let account = node.account();
    match &heard.end {
        End::Finished(FinishReason::Stop | FinishReason::ToolCalls) => {}
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

/// Warns of an answer that is not for people and cannot be used: the model may be asked for
/// something else.
pub async fn warn_once<S: ThreadState, R>(node: &NodeContext<S, R>, what: Unusable) {
    warn(node, &what.text()).await;
}

async fn warn<S: ThreadState, R>(node: &NodeContext<S, R>, text: &str) {
    if node.account().warns(text) {
        node.warn("model_unavailable", text).await;
    }
}
