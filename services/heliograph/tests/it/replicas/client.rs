//! A client that does not give up: it posts again what may not have arrived, and comes back for
//! what it has not seen.

use std::time::Duration;

use reqwest::{Response, StatusCode};
use secrecy::ExposeSecret;
use serde_json::json;
use test_support::sse::{Error, Reader};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::bench::{Bench, Replica};
use super::dice::Dice;
use super::transcript::{Dialect, Transcript};

/// Time that an answer may take, kills and all.
const PATIENCE: Duration = Duration::from_secs(80);

/// Before the same is tried again.
const PAUSE: Duration = Duration::from_millis(60);

/// Silence for longer means that the other end is dead; signs of life come more often.
const SILENCE: Duration = Duration::from_secs(25);

/// A message to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) key: String,
    pub(crate) thread: String,
    pub(crate) dialect: Dialect,
    /// Wait for a busy thread, or be refused and try again.
    pub(crate) enqueue: bool,
    pub(crate) text: String,
}

impl Wanted {
    /// Whether the model answers it.
    pub(crate) fn is_tale(&self) -> bool {
        self.text.starts_with(super::tales::ASKS)
    }
}

/// A message that was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) wanted: Wanted,
    pub(crate) run_id: String,
    pub(crate) transcript: Transcript,
    /// Number of times that it was refused because the thread was busy.
    pub(crate) refused: usize,
    /// Number of times that its connection broke.
    pub(crate) broken: usize,
}

/// The progress of all clients.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
    pub(crate) frames: usize,
    pub(crate) answers: usize,
}

/// A client and its luck.
pub(super) struct Client<'a> {
    pub(super) bench: &'a Bench,
    pub(super) dice: Dice,
    pub(super) progress: &'a watch::Sender<Progress>,
}

/// The source of the rest of a run.
enum Way {
    /// The run's events.
    Run,
    /// The thread's stream; for UI messages.
    Thread,
    /// The same message again: it is answered by the same run, from its beginning.
    Post,
}

impl<'a> Client<'a> {
    /// Has a message answered, whatever happens. It is sent to `first` first, or to any.
    pub(super) async fn ask(
        &mut self,
        wanted: Wanted,
        first: Option<&Replica>,
    ) -> Result<Answered, String> {
        let deadline = Instant::now() + PATIENCE;
        let mut answered = Answered {
            run_id: String::new(),
            transcript: Transcript::default(),
            refused: 0,
            broken: 0,
            wanted,
        };
        let mut response = self.post(&mut answered, first, deadline).await?;
        while !self.read(response, &mut answered).await? {
            answered.broken += 1;
            response = self.come_back(&mut answered, deadline).await?;
        }
        self.progress.send_modify(|progress| progress.answers += 1);
        Ok(answered)
    }

    async fn post(
        &mut self,
        answered: &mut Answered,
        mut first: Option<&Replica>,
        deadline: Instant,
    ) -> Result<Response, String> {
        loop {
            let wanted = &answered.wanted;
            let strategy = if wanted.enqueue { "enqueue" } else { "reject" };
            let (path, body) = match wanted.dialect {
                Dialect::UiMessages => (
                    "/ai/chat",
                    json!({
                        "threadId": wanted.thread, "multitask_strategy": strategy,
                        "messages": [{ "role": "user", "content": wanted.text }],
                    }),
                ),
                Dialect::AgentEvents => (
                    "/internal/chat/stream",
                    json!({
                        "conversation": { "id": wanted.thread }, "multitask_strategy": strategy, "assistant": "site",
                        "input": { "message": wanted.text },
                    }),
                ),
                Dialect::NamedEvents => (
                    "/v1/messages",
                    json!({
                        "thread_id": wanted.thread, "if_not_exists": "create", "multitask_strategy": strategy, "assistant": "site",
                        "content": wanted.text,
                    }),
                ),
            };
            let replica = first.take().unwrap_or_else(|| self.replica());
            let request = self.bench.http.post(format!("{}{path}", replica.url));
            let sent = request
                .bearer_auth(self.bench.token.expose_secret())
                .header("idempotency-key", &wanted.key)
                .json(&body)
                .send()
                .await;
            match sent {
                Ok(response) if response.status() == StatusCode::OK => {
                    let run_id = run_of(&response)?;
                    if !answered.run_id.is_empty() && answered.run_id != run_id {
                        return Err(format!("{wanted:?} has a second run, {run_id}"));
                    }
                    answered.run_id = run_id;
                    return Ok(response);
                }
                Ok(response) if response.status() == StatusCode::CONFLICT && !wanted.enqueue => {
                    answered.refused += 1;
                }
                Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => {}
                Ok(response) => return Err(refused("post", response).await),
                Err(_) => {}
            }
            patience(deadline, answered)?;
            sleep(PAUSE).await;
        }
    }

    /// The rest, from whichever replica has it.
    async fn come_back(
        &mut self,
        answered: &mut Answered,
        deadline: Instant,
    ) -> Result<Response, String> {
        loop {
            let wanted = &answered.wanted;
            let path = match self.way(wanted.dialect) {
                Way::Post => {
                    answered.transcript = Transcript::default();
                    return self.post(answered, None, deadline).await;
                }
                Way::Thread => format!("/ai/chat/{}/stream", wanted.thread),
                Way::Run => format!(
                    "/v1/runs/{}/events?dialect={}",
                    answered.run_id,
                    wanted.dialect.as_str()
                ),
            };
            let replica = self.replica();
            let mut request = self.bench.http.get(format!("{}{path}", replica.url));
            if let Some(last) = answered.transcript.last {
                request = request.header("last-event-id", last);
            }
            let token = self.bench.token.expose_secret();
            match request.bearer_auth(token).send().await {
                // The thread may be at another message by now, and the stream is that one's.
                Ok(response)
                    if response.status() == StatusCode::OK
                        && run_of(&response)? == answered.run_id =>
                {
                    return Ok(response);
                }
                Ok(response)
                    if response.status() == StatusCode::OK
                        || response.status() == StatusCode::SERVICE_UNAVAILABLE
                        || (response.status() == StatusCode::NO_CONTENT
                            && path.starts_with("/ai")) => {}
                Ok(response) => return Err(refused(&path, response).await),
                Err(_) => {}
            }
            patience(deadline, answered)?;
            sleep(PAUSE).await;
        }
    }

    fn way(&mut self, dialect: Dialect) -> Way {
        match self.dice.below(4) {
            0 => Way::Post,
            1 if dialect == Dialect::UiMessages => Way::Thread,
            _ => Way::Run,
        }
    }

    fn replica(&mut self) -> &'a Replica {
        &self.bench.replicas[self.dice.below(2)]
    }

    /// Reads until the run's end, and says whether it came.
    async fn read(&self, response: Response, answered: &mut Answered) -> Result<bool, String> {
        let mut reader = match Reader::new(response).await.map(Reader::of_run) {
            Ok(reader) => reader.with_patience(SILENCE),
            Err(error) => return Err(error.to_string()),
        };
        loop {
            match reader.next_event().await {
                Ok(Some(event)) => {
                    let taken = answered.transcript.take(answered.wanted.dialect, &event);
                    taken.map_err(|error| format!("{error}, in {answered:#?}"))?;
                    self.progress.send_modify(|progress| progress.frames += 1);
                }
                Ok(None) => return Ok(answered.transcript.ended),
                // A frame that is cut off is what a broken connection looks like, too.
                Err(Error::Broken(_) | Error::Silent(_)) => return Ok(false),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

fn run_of(response: &Response) -> Result<String, String> {
    let run = response.headers().get("x-run-id");
    let run = run.and_then(|run| run.to_str().ok());
    run.map(str::to_owned)
        .ok_or_else(|| "a stream without a run".to_owned())
}

async fn refused(what: &str, response: Response) -> String {
    let status = response.status();
    let body = response.text().await.unwrap_or_default();
    format!("{what}: {status} {body}")
}

fn patience(deadline: Instant, answered: &Answered) -> Result<(), String> {
    if Instant::now() < deadline {
        return Ok(());
    }
    Err(format!("there is no answer: {answered:#?}"))
}
