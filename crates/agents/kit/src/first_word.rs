//! The time until the first word of an answer, of a model or of the rules.
//!
//! All that models are asked for an answer shares one limit, from the start of the turn. A model
//! that has not begun by then is given up, and the rules answer; thoughts and calls are not a
//! beginning. Where a model is writing and only it can answer, a sentence of the rules says that
//! the answer takes longer, and the model has [`PATIENCE`] limits in all until its own first word.
//! Once words are out, only silence ends a model's answer, not its length. Where the rules know how
//! the answer continues, that is a silence of [`PAUSES`] limits.
//!
//! A sentence whose words keep coming is not cut for its length: it may take [`SENTENCE`] limits
//! where the rules have no answer.
//!
//! All that is read of models for one answer, and all that is waited for before its first sentence
//! that says something, shares [`PATIENCE`] limits of waiting: a greeting begins no new time.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use llm::{AnswerSize, ChatEvent, ChatRequest, ChatStream, Error, ErrorKind};
use tokio::time::{Instant, timeout_at};

use futures::StreamExt;

/// The limit where no other is configured.
pub(crate) const DEFAULT: Duration = Duration::from_secs(6);

/// Said where an answer takes longer than its first word may.
pub(crate) const TAKES_LONGER: &str = "This takes a little longer; the answer follows.";

/// The limits that an answer may take until its own first word after a notice that it takes
/// longer, and between two words, unless the asking code is less patient.
const PATIENCE: u32 = 5;

/// The limits that one sentence may take whose words keep coming, where only a model can answer.
const SENTENCE: u32 = 15;

/// The limits that a model may be silent in an answer that the rules can continue.
const PAUSES: u32 = 2;

/// The time that a transport has, beyond its limit, to report what went wrong.
const GRACE: Duration = Duration::from_millis(250);

/// The limit of a turn, and whether a word is out.
#[derive(Debug)]
pub(crate) struct FirstWord {
    due: Instant,
    limit: Duration,
    said: AtomicBool,
    /// The only word so far is that the answer takes longer.
    is_promised: AtomicBool,
    /// The rules have an answer.
    rules_answer: AtomicBool,
    /// A sentence of the answer itself is out, and not only a greeting or an announcement.
    is_answered: AtomicBool,
    in_step: AtomicBool,
    /// Milliseconds that were waited for models before that sentence.
    waited: AtomicU64,
}

impl FirstWord {
    /// A turn begins.
    pub(crate) fn within(limit: Duration) -> Self {
        Self {
            due: Instant::now() + limit,
            limit,
            said: AtomicBool::new(false),
            is_promised: AtomicBool::new(false),
            rules_answer: AtomicBool::new(false),
            is_answered: AtomicBool::new(false),
            in_step: AtomicBool::new(false),
            waited: AtomicU64::new(0),
        }
    }

    /// A word went out.
    pub(crate) fn say(&self) {
        self.said.store(true, Ordering::Relaxed);
        self.is_promised.store(false, Ordering::Relaxed);
    }

    /// It went out that the answer takes longer, and nothing else.
    pub(crate) fn promise(&self) {
        self.said.store(true, Ordering::Relaxed);
        self.is_promised.store(true, Ordering::Relaxed);
    }

    /// The rules have an answer, so no model is waited for beyond the first word's time.
    pub(crate) fn rules_answer(&self) {
        self.rules_answer.store(true, Ordering::Relaxed);
    }

    /// A sentence of the answer went out.
    fn answer(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// Whether the rules have an answer and nothing of a model's is out.
    fn is_overdue_for_rules(&self) -> bool {
        self.rules_answer.load(Ordering::Relaxed) && !self.is_answered.load(Ordering::Relaxed)
    }

    /// The time that is left to wait for models, of this many limits.
    fn left(&self, limits: u32) -> Duration {
        let waited = Duration::from_millis(self.waited.load(Ordering::Relaxed));
        (self.limit * limits).saturating_sub(waited)
    }

    /// The time by which an answer that was promised has to begin; `None` where words are out, or
    /// none are.
    fn promised_by(&self) -> Option<Instant> {
        let is_promised = self.is_promised.load(Ordering::Relaxed);
        is_promised.then(|| self.due + self.limit * (PATIENCE - 1))
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
#[expect(
    clippy::struct_excessive_bools,
    reason = "each bounds the wait by itself"
)]
pub(crate) struct Clock<'a> {
    first_word: &'a FirstWord,
    otherwise: Otherwise,
    /// Time for the whole of an answer that is read, and between the words of one that is said.
    patience: Duration,
    /// Whether the time until the first word of the answer ends this one, too.
    is_answer: bool,
    /// Whether the rules have the whole of what is said, so that they can continue at any time.
    is_completed: bool,
    /// When the model wrote its last words, shown or not.
    heard: Instant,
    /// From the beginning of the answer, or its last word.
    since: Instant,
    begun: Instant,
    begin_by: Instant,
    has_begun: bool,
    /// Whether a sentence of this answer is out.
    has_said: bool,
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
        // A greeting or an announcement is not an answer.
        let mut begin_by = if first_word.is_said() && !first_word.is_overdue_for_rules() {
            now + first_word.limit
        } else {
            first_word.due
        };
        let is_answer = patience.is_none();
        if let Some(by) = first_word.promised_by().filter(|_| is_answer) {
            begin_by = begin_by.min(by);
        }
        request.begin_by = Some(request.begin_by.map_or(begin_by, |by| by.min(begin_by)));
        let is_completed = otherwise == Otherwise::Rules;
        let otherwise = match request.size {
            AnswerSize::Brief => Otherwise::Rules,
            AnswerSize::Full => otherwise,
        };
        Self {
            first_word,
            otherwise,
            patience: patience.unwrap_or(first_word.limit * PATIENCE),
            is_answer,
            is_completed,
            heard: now,
            since: now,
            begun: now,
            begin_by,
            has_begun: false,
            has_said: false,
        }
    }

    /// Words of this answer went out; whether a sentence that answers is among them.
    pub(crate) fn said(&mut self, answers: bool) {
        self.since = Instant::now();
        self.has_said |= answers;
        if answers {
            self.first_word.answer();
        }
    }

    /// The next event of the answer, or its end; or that the time is up.
    pub(crate) async fn next(
        &mut self,
        stream: &mut ChatStream,
    ) -> Result<Option<Result<ChatEvent, Error>>, TakesLonger> {
        let (until, over) = self.limit();
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
                self.first_word.promise();
                Err(TakesLonger)
            }
        }
    }

    fn came(
        &mut self,
        event: Option<Result<ChatEvent, Error>>,
    ) -> Option<Result<ChatEvent, Error>> {
        // Thoughts and calls are not the answer: nothing says that one ever comes.
        if matches!(event, Some(Ok(ChatEvent::Text(_)))) {
            self.has_begun = true;
            self.heard = Instant::now();
        }
        event
    }

    /// Whether its time is shared with all others: it is read, or has said nothing yet.
    fn shares(&self) -> bool {
        !self.has_said
    }

    /// Whether the rules continue the answer where the model does not.
    fn rules_continue(&self) -> bool {
        let have_answer = self.first_word.rules_answer.load(Ordering::Relaxed);
        self.is_completed || self.is_answer && have_answer
    }

    /// Whether words of a sentence come that is not out yet, where only a model can answer.
    fn is_live(&self) -> bool {
        self.is_answer && self.has_begun && self.heard > self.since && !self.rules_continue()
    }

    /// Until when to wait, and whether the answer is given up then.
    fn limit(&self) -> (Instant, bool) {
        let is_live = self.is_live();
        let mut patience = self.since + self.patience;
        let mut limits = PATIENCE;
        if is_live {
            limits = SENTENCE;
            let whole = self.since + self.first_word.limit * SENTENCE;
            patience = whole.min(self.heard + self.patience);
        }
        if self.shares() {
            patience = patience.min(self.begun + self.first_word.left(limits));
        }
        if !self.has_begun {
            return (patience.min(self.begin_by + GRACE), true);
        }
        // A sentence may still be held back until it is checked.
        let for_rules = self.begin_by + self.first_word.limit / 8;
        let is_open = self.is_completed || self.first_word.is_overdue_for_rules();
        if is_open && !self.has_said {
            return (patience.min(for_rules), true);
        }
        if self.rules_continue() && self.has_said {
            let silent_since = self.heard.max(self.since);
            patience = patience.min(silent_since + self.first_word.limit * PAUSES);
        }
        let promised = self.first_word.promised_by();
        if let Some(by) = promised.filter(|_| self.is_answer && !is_live) {
            return (patience.min(by), true);
        }
        if self.first_word.is_said() {
            return (patience, true);
        }
        match self.otherwise {
            Otherwise::Rules => (patience.min(for_rules), true),
            Otherwise::Wait => {
                let due = self.first_word.due;
                (patience.min(due), patience <= due)
            }
        }
    }
}

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        if self.shares() {
            let waited = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.first_word.waited.fetch_add(waited, Ordering::Relaxed);
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
                        clock.said(true);
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
            [(3, "word"), (6, "longer"), (13, "word"), (30, "over")]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn all_that_is_read_for_an_answer_shares_its_time() {
        let first_word = FirstWord::within(LIMIT);
        first_word.say();
        // Each question would have had ten seconds; the tools between them take none of the time.
        for (patience, expected) in [(10, 10), (10, 10), (4, 4), (10, 6), (10, 0)] {
            let stream = slow(&[0]);
            let patience = Some(patience);
            let seen = waits(&first_word, Otherwise::Wait, patience, stream, false).await;
            assert_eq!(seen.last(), Some(&(expected, "over")));
            tokio::time::sleep(Duration::from_secs(40)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_greeting_begins_no_new_time() {
        // "Hello!", and silence, or more greetings without end.
        for pause in [1, 4, 60] {
            let first_word = FirstWord::within(LIMIT);
            let begun = Instant::now();
            let mut request = ChatRequest::default();
            let mut clock = Clock::start(&first_word, &mut request, Otherwise::Wait, None);
            let mut stream = slow(&[[1].as_slice(), &[pause; 90]].concat());
            while let Ok(Some(Ok(_))) = clock.next(&mut stream).await {
                first_word.say();
                clock.said(false);
            }
            assert_eq!(begun.elapsed().as_secs(), 30, "{pause}");
        }
    }

    /// Something a second, forever.
    fn trickle(what: &ChatEvent) -> ChatStream {
        let what = what.clone();
        stream::repeat(what)
            .then(|event| async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Ok(event)
            })
            .boxed()
    }

    /// The seconds at which an answer that trickles is given up, and at which the person heard that
    /// it takes longer.
    async fn given_up(first_word: &FirstWord, what: ChatEvent) -> (u64, Option<u64>) {
        let begun = Instant::now();
        let mut request = ChatRequest::default();
        let mut clock = Clock::start(first_word, &mut request, Otherwise::Wait, None);
        let mut stream = trickle(&what);
        let mut longer = None;
        loop {
            match clock.next(&mut stream).await {
                Ok(Some(Ok(_))) => {}
                Ok(_) => return (begun.elapsed().as_secs(), longer),
                Err(TakesLonger) => longer = Some(begun.elapsed().as_secs()),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_only_thinks_has_not_begun() {
        let first_word = FirstWord::within(LIMIT);
        let thought = ChatEvent::Reasoning("Hm. ".to_owned());
        assert_eq!(given_up(&first_word, thought).await, (6, None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_trickles_gives_way_to_rules_that_have_an_answer() {
        let text = ChatEvent::Text("it is held back ".to_owned());
        let first_word = FirstWord::within(LIMIT);
        first_word.rules_answer();
        assert_eq!(given_up(&first_word, text.clone()).await, (6, None));
        // "Let me look." is not an answer.
        let first_word = FirstWord::within(LIMIT);
        first_word.rules_answer();
        first_word.say();
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert_eq!(given_up(&first_word, text.clone()).await, (2, None));
        // An answer that has begun continues.
        let first_word = FirstWord::within(LIMIT);
        first_word.rules_answer();
        let seen = waits(&first_word, Otherwise::Wait, None, slow(&[3, 9, 9]), true).await;
        assert_eq!(seen.iter().filter(|(_, what)| *what == "word").count(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_promised_answer_has_to_come_in_all_questions_together() {
        let first_word = FirstWord::within(LIMIT);
        let text = ChatEvent::Text("it is held back ".to_owned());
        // Its words come, and no sentence of it does.
        assert_eq!(given_up(&first_word, text.clone()).await, (90, Some(6)));
        // The next question of the turn gets no more time.
        assert_eq!(given_up(&first_word, text).await, (0, None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_sentence_whose_words_keep_coming_is_not_cut() {
        for is_first in [true, false] {
            let first_word = FirstWord::within(LIMIT);
            let mut request = ChatRequest::default();
            let mut clock = Clock::start(&first_word, &mut request, Otherwise::Wait, None);
            if !is_first {
                first_word.say();
                clock.said(true);
            }
            let begun = Instant::now();
            let mut stream = slow(&[5, 9, 9, 9, 9, 9, 9]);
            let mut words = 0;
            loop {
                match clock.next(&mut stream).await {
                    Ok(Some(Ok(_))) => words += 1,
                    Ok(_) => break,
                    Err(TakesLonger) => assert!(is_first),
                }
            }
            // Then it is silent.
            assert_eq!((words, begun.elapsed().as_secs()), (7, 89), "{is_first}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_stops_between_its_words_is_given_up() {
        let first_word = FirstWord::within(LIMIT);
        first_word.say();
        let seen = waits(&first_word, Otherwise::Wait, None, slow(&[3, 20]), true).await;
        assert_eq!(seen, [(3, "word"), (23, "word"), (53, "over")]);
        let thought = ChatEvent::Reasoning("Hm. ".to_owned());
        assert_eq!(given_up(&first_word, thought).await, (6, None));
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_rules_have_an_answer_a_slow_one_is_given_up() {
        let first_word = FirstWord::within(LIMIT);
        let stream = slow(&[3, 10]);
        let seen = waits(&first_word, Otherwise::Rules, Some(60), stream, false).await;
        assert_eq!(seen, [(3, "word"), (6, "over")]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silence_after_a_greeting_or_a_sentence_is_short_where_the_rules_continue() {
        // A greeting is out, and nothing follows.
        let first_word = FirstWord::within(LIMIT);
        first_word.say();
        let waited = waits(&first_word, Otherwise::Rules, Some(30), slow(&[1]), false).await;
        assert_eq!(waited, [(1, "word"), (6, "over")]);
        // A sentence is out.
        let first_word = FirstWord::within(LIMIT);
        let waited = waits(&first_word, Otherwise::Rules, Some(30), slow(&[1]), true).await;
        assert_eq!(waited, [(1, "word"), (13, "over")]);
        // Words that keep coming are not cut.
        let first_word = FirstWord::within(LIMIT);
        let pauses = [1, 5, 5, 5, 5, 5];
        let waited = waits(&first_word, Otherwise::Rules, Some(30), slow(&pauses), true).await;
        assert_eq!(waited.last(), Some(&(38, "over")));
        assert_eq!(waited.len(), 7);
        // In a chat where the rules have an answer, too.
        let first_word = FirstWord::within(LIMIT);
        first_word.rules_answer();
        let waited = waits(&first_word, Otherwise::Wait, None, slow(&[1]), true).await;
        assert_eq!(waited, [(1, "word"), (13, "over")]);
        // Only the model knows.
        let first_word = FirstWord::within(LIMIT);
        let waited = waits(&first_word, Otherwise::Wait, None, slow(&[1]), true).await;
        assert_eq!(waited, [(1, "word"), (31, "over")]);
    }
}
