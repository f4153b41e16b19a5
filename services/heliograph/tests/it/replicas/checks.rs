//! The state that is required when all is over.

use std::collections::HashMap;

use sqlx::PgPool;

use super::client::Answered;
use super::tales::tale;
use super::transcript::{Dialect, words};

/// The stored runs and messages.
#[derive(Debug)]
pub(crate) struct Stored {
    runs: Vec<Run>,
    messages: Vec<Message>,
}

#[derive(Debug, sqlx::FromRow)]
struct Run {
    id: String,
    status: String,
    attempt: i32,
    idempotency_key: Option<String>,
}

#[derive(Debug, sqlx::FromRow)]
struct Message {
    thread: String,
    run_id: Option<String>,
    role: String,
    text: String,
    status: String,
}

/// The outcomes of the runs, printed for the reader of the test's output.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) runs: usize,
    /// Begun more than once.
    pub(crate) again: usize,
    /// Ended without a complete answer.
    pub(crate) cut_short: usize,
    /// Tales that the rules answered, since the tools service was away.
    pub(crate) without_tools: usize,
    pub(crate) refused: usize,
    pub(crate) broken: usize,
}

impl Stored {
    pub(crate) async fn read(pool: &PgPool) -> Self {
        let runs = "SELECT replace(id::text, '-', '') AS id, status, attempt, idempotency_key FROM orchestrator.runs";
        let messages = "SELECT t.name AS thread, replace(m.run_id::text, '-', '') AS run_id, m.role, m.text, m.status \
                        FROM orchestrator.messages m JOIN orchestrator.threads t ON t.id = m.thread_id \
                        ORDER BY t.name, m.seq";
        Self {
            runs: sqlx::query_as(runs).fetch_all(pool).await.unwrap(),
            messages: sqlx::query_as(messages).fetch_all(pool).await.unwrap(),
        }
    }

    /// Holds what is stored against what the clients saw.
    pub(crate) fn check(&self, all: &[Answered]) -> Tally {
        let unended = |run: &&Run| matches!(run.status.as_str(), "queued" | "running");
        let left: Vec<&Run> = self.runs.iter().filter(unended).collect();
        assert!(left.is_empty(), "runs are left: {left:#?}");
        assert_eq!(self.runs.len(), all.len(), "a run for each message");
        assert_eq!(
            self.messages.len(),
            2 * all.len(),
            "a question and an answer for each message"
        );
        self.check_order();
        let mut tally = Tally::default();
        for answered in all {
            self.check_one(answered, &mut tally);
        }
        tally
    }

    /// In every thread an answer follows its question, and nothing stands between them.
    fn check_order(&self) {
        let mut threads: HashMap<&str, Vec<&Message>> = HashMap::new();
        for message in &self.messages {
            threads.entry(&message.thread).or_default().push(message);
        }
        for (thread, messages) in threads {
            for pair in messages.chunks(2) {
                let [question, answer] = pair else {
                    panic!("{thread} ends with {pair:#?}")
                };
                assert_eq!(
                    (question.role.as_str(), answer.role.as_str()),
                    ("user", "assistant"),
                    "{thread}: {pair:#?}"
                );
                assert_eq!(question.run_id, answer.run_id, "{thread}: {pair:#?}");
            }
        }
    }

    fn check_one(&self, answered: &Answered, tally: &mut Tally) {
        let Answered {
            wanted, transcript, ..
        } = answered;
        let runs = self
            .runs
            .iter()
            .filter(|run| run.idempotency_key.as_ref() == Some(&wanted.key));
        let runs: Vec<&Run> = runs.collect();
        let [run] = runs[..] else {
            panic!("{wanted:#?} has the runs {runs:#?}")
        };
        assert_eq!(run.id, answered.run_id);
        let question = self.message(&run.id, "user");
        assert_eq!(
            (&question.text, &question.thread),
            (&wanted.text, &wanted.thread)
        );
        let answer = self.message(&run.id, "assistant");
        let context = || format!("{run:#?} {answer:#?} {answered:#?}");
        assert_eq!(
            transcript.words(),
            words(&answer.text),
            "what was read is what is stored: {}",
            context()
        );
        assert_eq!(
            transcript.attempt(),
            Some(u64::try_from(run.attempt - 1).unwrap()),
            "{}",
            context()
        );
        let told = |code: &str| {
            wanted.dialect == Dialect::AgentEvents
                || transcript.warnings.iter().any(|warning| warning == code)
        };
        match (run.status.as_str(), answer.status.as_str()) {
            ("completed", "complete") => {
                assert!(!transcript.failed, "{}", context());
                assert!(run.attempt == 1 || told("restarted"), "{}", context());
                if wanted.is_tale() && transcript.lacks_tools() {
                    tally.without_tools += 1;
                } else if let Some(hero) =
                    wanted.text.rsplit(' ').next().filter(|_| wanted.is_tale())
                {
                    // It only greets and announces, so the rules' answer follows.
                    let whole = words(&tale(hero).concat());
                    let name = hero.to_lowercase();
                    let rules = format!(" I don't understand \"tale\" and \"{name}\" here");
                    let said = words(&answer.text);
                    let behind = said.strip_prefix(&*whole);
                    let is_whole = behind.is_some_and(|behind| behind.starts_with(&rules));
                    assert!(is_whole, "{whole}: {}", context());
                }
            }
            ("interrupted", "partial" | "failed") => {
                assert!(transcript.failed && told("interrupted"), "{}", context());
                tally.cut_short += 1;
            }
            _ => panic!("no way to end: {}", context()),
        }
        tally.runs += 1;
        tally.again += usize::from(run.attempt > 1);
        tally.refused += answered.refused;
        tally.broken += answered.broken;
    }

    fn message(&self, run_id: &str, role: &str) -> &Message {
        let found = self
            .messages
            .iter()
            .filter(|message| message.run_id.as_deref() == Some(run_id) && message.role == role);
        let found: Vec<&Message> = found.collect();
        let [message] = found[..] else {
            panic!("the run {run_id} has these messages of the {role}: {found:#?}")
        };
        message
    }
}
