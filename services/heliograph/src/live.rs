//! The site of the demonstration that is measured now: a program like any other that sends readings
//! to `POST /api/measurements`, with the account of the demonstration.

use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};
use contracts::measurements::IngestReport;
use demo_park::live::{self, Stored};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::Value;
use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::chat::client::ChatClient;

/// Interval between two looks for new readings.
const INTERVAL: Duration = Duration::from_mins(1);

/// The device that sends, running.
pub struct LivePlant {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// The state of the task.
struct Sender {
    http: HttpClient,
    url: String,
    refresh_token: SecretString,
    clock: SharedClock,
}

impl LivePlant {
    /// Fills the history of the site, then sends new readings, until it is stopped.
    pub fn start(
        url: &str,
        refresh_token: SecretString,
        clock: SharedClock,
        stored: Stored,
    ) -> anyhow::Result<Self> {
        let sender = Sender {
            http: service_kit::http_client().context("no HTTP client")?,
            url: url.to_owned(),
            refresh_token,
            clock,
        };
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            tokio::select! {
                () = sender.run(stored) => {}
                () = stopped.cancelled() => {}
            }
        });
        Ok(Self { stop, task })
    }

    /// Stops sending. A request that is not answered yet is given up; its readings are sent again
    /// after the next start.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::warn!(%error, "the live site of the demonstration did not stop in order");
        }
    }
}

impl Sender {
    async fn run(mut self, stored: Stored) {
        let mut newest = self.now();
        let mut spans = live::missing(stored, newest);
        spans.reverse();
        loop {
            if spans.is_empty() {
                tokio::time::sleep(INTERVAL).await;
                let now = self.now();
                if now - newest >= live::STEP {
                    spans.push((newest, now));
                    newest = now;
                } else {
                    continue;
                }
            }
            if let Err(error) = self.send_all(&mut spans).await {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "readings of the demonstration's live site were not sent; trying again in a minute"
                );
                tokio::time::sleep(INTERVAL).await;
            }
        }
    }

    /// Sends the spans, the last one first. A span that was sent is taken out.
    async fn send_all(
        &mut self,
        spans: &mut Vec<(DateTime<Utc>, DateTime<Utc>)>,
    ) -> anyhow::Result<()> {
        let (client, next) =
            ChatClient::refresh(self.http.clone(), &self.url, &self.refresh_token).await?;
        self.refresh_token = next;
        while let Some((after, until)) = spans.last().copied() {
            let readings = live::readings(after, until);
            if !readings.is_empty() {
                let path = format!("/api/measurements?site={}", live::SITE);
                let body = Value::Array(readings);
                let answer = client.request(Method::POST, &path, Some(&body)).await?;
                let report: IngestReport = answer.json().await?;
                if let Some(refusal) = report.refusals.first() {
                    tracing::warn!(
                        refused = report.refused,
                        reason = refusal.reason,
                        "readings of the demonstration's live site were refused"
                    );
                }
            }
            spans.pop();
        }
        Ok(())
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}
