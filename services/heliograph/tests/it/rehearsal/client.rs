//! A client of the API that comes back after 503 and after a broken connection, with the same
//! idempotency key.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use reqwest::Response;
use serde_json::{Value, json};
use test_support::sse::{Error, Reader};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::fleet::Fleet;
use crate::demo_stack::PASSWORD;
use crate::replicas::client::{Answered, Wanted};
use crate::replicas::dice::Dice;
use crate::replicas::tales;
use crate::replicas::transcript::{Dialect, Transcript};

/// Time that one answer may take, kills and all.
const PATIENCE: Duration = Duration::from_secs(150);

/// Before the same is sent again.
const PAUSE: Duration = Duration::from_millis(100);

/// Silence for longer means that the other end is dead; signs of life come more often.
const SILENCE: Duration = Duration::from_secs(25);

/// Questions that the rules answer.
const QUESTIONS: [&str; 3] = ["hi", "Morning briefing", "Check the health of LTI-INV-001"];

/// What happened to requests.
#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    pub(super) requests: usize,
    pub(super) statuses: BTreeMap<u16, usize>,
    /// Broken before the first answer: no process was ready.
    pub(super) broken_cold: usize,
    /// Broken at a kill.
    pub(super) broken_at_kills: usize,
    /// Broken while no process was killed.
    pub(super) broken_outside_kills: usize,
    pub(super) slowest: Duration,
    /// Answers that say that the tools service was away.
    pub(super) without_tools: usize,
    /// Responses that are neither an answer nor 503.
    pub(super) unexpected: Vec<String>,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        for (status, count) in &other.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
        self.broken_cold += other.broken_cold;
        self.broken_at_kills += other.broken_at_kills;
        self.broken_outside_kills += other.broken_outside_kills;
        self.without_tools += other.without_tools;
        self.slowest = self.slowest.max(other.slowest);
        self.unexpected.extend_from_slice(&other.unexpected);
    }
}

/// A client.
pub(super) struct Client<'f> {
    fleet: &'f Fleet,
    dice: Dice,
    number: usize,
    token: Option<String>,
    counts: Counts,
    /// Whether it was answered: before, there is a cold start.
    answered: bool,
}

impl<'f> Client<'f> {
    pub(super) fn new(fleet: &'f Fleet, dice: Dice, number: usize) -> Self {
        Self {
            fleet,
            dice,
            number,
            token: None,
            counts: Counts::default(),
            answered: false,
        }
    }

    /// Asks one thing after the other until it is stopped.
    pub(super) async fn talk(
        mut self,
        progress: &watch::Sender<usize>,
        stopped: watch::Receiver<bool>,
    ) -> Vec<(Answered, Counts)> {
        let mut all = Vec::new();
        while !*stopped.borrow() {
            let number = self.number * 100_000 + all.len();
            let text = if self.dice.one_in(2) {
                QUESTIONS[self.dice.below(QUESTIONS.len())].to_owned()
            } else {
                tales::question(&tales::hero(number))
            };
            let wanted = Wanted {
                key: format!("rehearsal-{number}"),
                thread: format!("rehearsal-{}-{}", self.number, all.len() / 10),
                dialect: Dialect::UiMessages,
                enqueue: false,
                text,
            };
            let answered = self.ask(wanted).await;
            self.answered = true;
            progress.send_modify(|answers| *answers += 1);
            all.push((answered, std::mem::take(&mut self.counts)));
        }
        all
    }

    async fn ask(&mut self, wanted: Wanted) -> Answered {
        let began = Instant::now();
        let mut answered = Answered {
            run_id: String::new(),
            transcript: Transcript::default(),
            refused: 0,
            broken: 0,
            wanted,
        };
        loop {
            assert!(began.elapsed() < PATIENCE, "no answer: {answered:#?}");
            let sent = Instant::now();
            match self.post(&answered.wanted).await {
                Some(Ok(response)) => {
                    let run = response.headers()["x-run-id"].to_str().unwrap().to_owned();
                    let same = answered.run_id.is_empty() || answered.run_id == run;
                    assert!(same, "a second run, {run}: {answered:#?}");
                    answered.run_id = run;
                    answered.transcript = Transcript::default();
                    if read(response, &mut answered).await {
                        self.counts.slowest = began.elapsed();
                        if answered.transcript.lacks_tools() {
                            let away = self.fleet.tools_were_away(began, Instant::now());
                            assert!(away, "the tools service was there: {answered:#?}");
                            self.counts.without_tools += 1;
                        }
                        return answered;
                    }
                    answered.broken += 1;
                    self.broken(sent);
                }
                Some(Err(_)) => self.broken(sent),
                // It says that the client is to come back.
                None => answered.refused += 1,
            }
            sleep(PAUSE).await;
        }
    }

    fn broken(&mut self, sent: Instant) {
        if !self.answered {
            self.counts.broken_cold += 1;
        } else if self.fleet.is_at_a_kill(sent, Instant::now()) {
            self.counts.broken_at_kills += 1;
        } else {
            self.counts.broken_outside_kills += 1;
        }
    }

    /// The stream of the answer; none where the answer is to come back.
    async fn post(&mut self, wanted: &Wanted) -> Option<Result<Response, reqwest::Error>> {
        let body = json!({
            "threadId": wanted.thread,
            "messages": [{ "role": "user", "content": wanted.text }],
        });
        let token = match self.token().await? {
            Ok(token) => token,
            Err(error) => return Some(Err(error)),
        };
        let url = format!("{}/api/chat", self.fleet.url());
        let request = self.fleet.http().post(url).bearer_auth(token);
        let request = request.header("idempotency-key", &wanted.key).json(&body);
        self.sent(request.send().await).await
    }

    async fn token(&mut self) -> Option<Result<String, reqwest::Error>> {
        if let Some(token) = &self.token {
            return Some(Ok(token.clone()));
        }
        let url = format!("{}/auth/token", self.fleet.url());
        let body = json!({ "username": Fleet::user(), "password": PASSWORD });
        let sent = self.fleet.http().post(url).json(&body).send().await;
        let tokens: Value = match self.sent(sent).await? {
            Ok(response) => match response.json().await {
                Ok(tokens) => tokens,
                Err(error) => return Some(Err(error)),
            },
            Err(error) => return Some(Err(error)),
        };
        let token = tokens["access_token"].as_str().unwrap().to_owned();
        self.token = Some(token.clone());
        Some(Ok(token))
    }

    /// Counts a response. An access token lives for a while only.
    async fn sent(
        &mut self,
        sent: Result<Response, reqwest::Error>,
    ) -> Option<Result<Response, reqwest::Error>> {
        let response = match sent {
            Ok(response) => response,
            Err(error) => return Some(Err(error)),
        };
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED && self.token.take().is_some() {
            return None;
        }
        self.counts.requests += 1;
        *self.counts.statuses.entry(status.as_u16()).or_default() += 1;
        if status == StatusCode::OK {
            return Some(Ok(response));
        }
        if status != StatusCode::SERVICE_UNAVAILABLE {
            let body = response.text().await.unwrap_or_default();
            self.counts.unexpected.push(format!("{status}: {body}"));
        }
        None
    }
}

/// Reads until the run's end, and says whether it came.
async fn read(response: Response, answered: &mut Answered) -> bool {
    let reader = Reader::new(response).await.map(Reader::of_run);
    let mut reader = reader.unwrap().with_patience(SILENCE);
    loop {
        match reader.next_event().await {
            Ok(Some(event)) => {
                let taken = answered.transcript.take(Dialect::UiMessages, &event);
                taken.unwrap_or_else(|error| panic!("{error}, in {answered:#?}"));
            }
            Ok(None) => return answered.transcript.ended,
            Err(Error::Broken(_) | Error::Silent(_)) => return false,
            Err(error) => panic!("{error}, in {answered:#?}"),
        }
    }
}
