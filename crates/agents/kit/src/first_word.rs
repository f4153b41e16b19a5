//! The time until the first word of an answer, of a model or of the rules.
//!
//! All that models are asked for an answer shares one limit, from the start of the turn. A model
//! that has not begun by then is given up, and the rules answer. Where a model is at work and only
//! it can answer, a sentence of the rules says that the answer takes longer. Once words are out,
//! only silence ends a model's answer, not its length.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use llm::{AnswerSize, ChatEvent, ChatRequest, ChatStream, Error, ErrorKind};
use tokio::time::{Instant, timeout_at};

use futures::StreamExt;

/// The limit where no other is configured.
pub(crate) const DEFAULT: Duration = Duration::from_secs(6);

/// Said where an answer takes longer than its first word may.
pub(crate) const TAKES_LONGER: &str = "This takes a little longer; the answer follows.";

/// The time that a transport has, beyond its limit, to report what went wrong.
const GRACE: Duration = Duration::from_millis(250);

/// The limit of a turn, and whether a word is out.
#[derive(Debug)]
pub(crate) struct FirstWord {
    due: Instant,
    limit: Duration,
    said: AtomicBool,
    in_step: AtomicBool,
}

impl FirstWord {
    /// A turn begins.
    pub(crate) fn within(limit: Duration) -> Self {
        Self {
            due: Instant::now() + limit,
            limit,
            said: AtomicBool::new(false),
            in_step: AtomicBool::new(false),
        }
    }

    /// A word went out.
    pub(crate) fn say(&self) {
        self.said.store(true, Ordering::Relaxed);
    }

    fn is_said(&self) -> bool {
        self.said.load(Ordering::Relaxed)
    }

    /// A step began or ended.
    pub(crate) fn step(&self, is_open: bool) {
        self.in_step.store(is_open, Ordering::Relaxed);
    }

    /// Whether a step is open.
    pub(crate) fn is_in_step(&self) -> bool {
        self.in_step.load(Ordering::Relaxed)
    }
}

/// The treatment of an answer that does not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// The rules have an answer ready, so nothing is lost with this one.
    Rules,
    /// Only a model knows. It may take longer once it has begun.
    Wait,
}

/// The clock of one question to a model.
pub(crate) struct Clock<'a> {
    first_word: &'a FirstWord,
    otherwise: Otherwise,
    /// Time for the whole of an answer that is read, and between the words of one that is said.
    patience: Option<Duration>,
    /// From the beginning of the answer, or its last word.
    since: Instant,
    begin_by: Instant,
    has_begun: bool,
}

/// The first word is due, and the model is at work.
pub(crate) struct TakesLonger;

impl<'a> Clock<'a> {
    /// Begins with the question, which gets the time by which its answer has to begin.
    pub(crate) fn start(
        first_word: &'a FirstWord,
        request: &mut ChatRequest,
        otherwise: Otherwise,
        patience: Option<Duration>,
    ) -> Self {
        let now = Instant::now();
        let begin_by = if first_word.is_said() {
            now + first_word.limit
        } else {
            first_word.due
        };
        request.begin_by = Some(request.begin_by.map_or(begin_by, |by| by.min(begin_by)));
        let otherwise = match request.size {
            AnswerSize::Brief => Otherwise::Rules,
            AnswerSize::Full => otherwise,
        };
        Self {
            first_word,
            otherwise,
            patience,
            since: now,
            begin_by,
            has_begun: false,
        }
    }

    /// Words of this answer went out.
    pub(crate) fn said(&mut self) {
        self.since = Instant::now();
    }

    /// The next event of the answer, or its end; or that the time is up.
    pub(crate) async fn next(
        &mut self,
        stream: &mut ChatStream,
    ) -> Result<Option<Result<ChatEvent, Error>>, TakesLonger> {
        let (until, over) = self.limit();
        let Some(until) = until else {
            return Ok(self.came(stream.next().await));
        };
        match timeout_at(until, stream.next()).await {
            Ok(event) => Ok(self.came(event)),
            Err(_) if over => {
                let missing = if self.has_begun {
                    "the answer takes too long"
                } else {
                    "no first token"
                };
                let error = Error::new(ErrorKind::Timeout).with_detail(missing);
                Ok(Some(Err(error)))
            }
            Err(_) => {
                // Said by the caller, once.
                self.first_word.say();
                Err(TakesLonger)
            }
        }
    }

    fn came(
        &mut self,
        event: Option<Result<ChatEvent, Error>>,
    ) -> Option<Result<ChatEvent, Error>> {
        self.has_begun |= matches!(event, Some(Ok(_)));
        event
    }

    /// Until when to wait, and whether the answer is given up then.
    fn limit(&self) -> (Option<Instant>, bool) {
        let patience = self.patience.map(|patience| self.since + patience);
        let sooner = |other: Instant| Some(patience.map_or(other, |by| by.min(other)));
        if !self.has_begun {
            return (sooner(self.begin_by + GRACE), true);
        }
        if self.first_word.is_said() {
            return (patience, true);
        }
        match self.otherwise {
            // A sentence may still be held back until it is checked.
            Otherwise::Rules => (sooner(self.begin_by + self.first_word.limit / 8), true),
            Otherwise::Wait => {
                let due = self.first_word.due;
                let is_over = patience.is_some_and(|by| by <= due);
                (sooner(due), is_over)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(6);

    /// Text after these pauses, in seconds, then silence.
    fn slow(pauses: &[u64]) -> ChatStream {
        let pauses = pauses.to_vec();
        stream::iter(pauses)
            .then(|pause| async move {
                tokio::time::sleep(Duration::from_secs(pause)).await;
                Ok(ChatEvent::Text("word ".to_owned()))
            })
            .chain(stream::pending())
            .boxed()
    }

    /// The seconds at which something happened, and what.
    async fn waits(
        first_word: &FirstWord,
        otherwise: Otherwise,
        patience: Option<u64>,
        mut stream: ChatStream,
        says: bool,
    ) -> Vec<(u64, &'static str)> {
        let begun = Instant::now();
        let mut request = ChatRequest::default();
        let patience = patience.map(Duration::from_secs);
        let mut clock = Clock::start(first_word, &mut request, otherwise, patience);
        let mut all = Vec::new();
        for _ in 0..8 {
            let what = match clock.next(&mut stream).await {
                Ok(Some(Ok(_))) => {
                    if says {
                        first_word.say();
                        clock.said();
                    }
                    "word"
                }
                Ok(_) => "over",
                Err(TakesLonger) => "longer",
            };
            all.push((begun.elapsed().as_secs(), what));
            if what == "over" {
                break;
            }
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_does_not_begin_is_given_up_before_its_own_time_is_over() {
        for otherwise in [Otherwise::Rules, Otherwise::Wait] {
            let first_word = FirstWord::within(LIMIT);
            let seen = waits(&first_word, otherwise, Some(30), slow(&[]), true).await;
            assert_eq!(seen, [(6, "over")], "{otherwise:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_questions_of_a_turn_share_the_time() {
        let first_word = FirstWord::within(LIMIT);
        tokio::time::sleep(Duration::from_secs(4)).await;
        let seen = waits(&first_word, Otherwise::Rules, Some(30), slow(&[]), true).await;
        assert_eq!(seen, [(2, "over")]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_answer_whose_words_are_out_is_not_cut() {
        let first_word = FirstWord::within(LIMIT);
        let stream = slow(&[3, 9, 9, 9, 9, 9]);
        let seen = waits(&first_word, Otherwise::Rules, Some(10), stream, true).await;
        let words = seen.iter().filter(|(_, what)| *what == "word").count();
        assert_eq!((words, seen.last()), (6, Some(&(58, "over"))));
    }

    #[tokio::test(start_paused = true)]
    async fn where_only_a_model_knows_the_person_hears_that_it_takes_longer() {
        let first_word = FirstWord::within(LIMIT);
        let stream = slow(&[3, 10]);
        let seen = waits(&first_word, Otherwise::Wait, Some(60), stream, false).await;
        assert_eq!(
            seen,
            [(3, "word"), (6, "longer"), (13, "word"), (60, "over")]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_rules_have_an_answer_a_slow_one_is_given_up() {
        let first_word = FirstWord::within(LIMIT);
        let stream = slow(&[3, 10]);
        let seen = waits(&first_word, Otherwise::Rules, Some(60), stream, false).await;
        assert_eq!(seen, [(3, "word"), (6, "over")]);
    }
}
