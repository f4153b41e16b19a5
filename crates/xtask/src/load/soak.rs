//! Many turns in threads that come and go, with clients that read slowly or go away in between:
//! neither memory nor tables may grow without end.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use axum::http::Method;
use contracts::chat::UiMessageChunk;
use futures::StreamExt;
use heliograph::chat::{ChatClient, ChatError};
use heliograph::terminal;
use secrecy::SecretString;
use service_kit::client::HttpClient;
use tokio::task::JoinSet;

use super::Processes;
use super::database::Database;

/// Turns of a thread until it is deleted.
const TURNS_OF_A_THREAD: usize = 3;

/// Parts of the report.
const POINTS: usize = 10;

/// The pause of a slow reader after each chunk.
const SLOW: Duration = Duration::from_millis(20);

/// Within the life of an access token.
const SIGNED_IN_FOR: Duration = Duration::from_mins(2);

/// A user who stays signed in.
pub(crate) struct User {
    http: HttpClient,
    url: String,
    client: Mutex<Arc<ChatClient>>,
    refresh: tokio::sync::Mutex<(SecretString, Instant)>,
}

impl User {
    pub(crate) async fn sign_in(
        http: HttpClient,
        url: &str,
        token: &SecretString,
    ) -> anyhow::Result<Self> {
        let (client, next) = ChatClient::refresh(http.clone(), url, token).await?;
        Ok(Self {
            http,
            url: url.to_owned(),
            client: Mutex::new(Arc::new(client)),
            refresh: tokio::sync::Mutex::new((next, Instant::now())),
        })
    }

    /// A client whose token is still good.
    pub(crate) async fn client(&self) -> anyhow::Result<Arc<ChatClient>> {
        // Who finds it locked continues with a token that is old, and good for a while.
        if let Ok(mut refresh) = self.refresh.try_lock()
            && refresh.1.elapsed() > SIGNED_IN_FOR
        {
            let (client, next) =
                ChatClient::refresh(self.http.clone(), &self.url, &refresh.0).await?;
            *refresh = (next, Instant::now());
            *self.client.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(client);
        }
        Ok(Arc::clone(
            &self.client.lock().unwrap_or_else(PoisonError::into_inner),
        ))
    }
}

/// Runs the soak, and prints a line at each of [`POINTS`] points.
pub(crate) async fn run(
    user: Arc<User>,
    message: &str,
    (streams, turns): (usize, usize),
    processes: &Processes,
    database: &Database,
    checkpoints: PathBuf,
) -> anyhow::Result<()> {
    let message = Arc::<str>::from(message);
    for point in 0..=POINTS {
        if point > 0 {
            let since = Instant::now();
            let part = turns / POINTS;
            spell(
                Arc::clone(&user),
                Arc::clone(&message),
                (point, streams, part),
            )
            .await?;
            let rate = part as f64 / since.elapsed().as_secs_f64();
            terminal::say(format!("{} turns, {rate:.0} a second", point * part));
        } else {
            terminal::say("before the first turn");
        }
        let mut used: Vec<String> = processes
            .usage()
            .iter()
            .map(|(service, usage)| format!("{service} {:.0}", usage.memory_mib))
            .collect();
        used.extend(
            database
                .usage()
                .map(|usage| format!("PostgreSQL {:.0}", usage.memory_mib)),
        );
        terminal::say(format!("  MiB: {}", used.join(", ")));
        let tables = database.tables().await?;
        let mut sizes: Vec<String> = tables
            .iter()
            .map(|table| format!("{} {:.1}", table.name, table.bytes as f64 / 1_048_576.0))
            .collect();
        let file = std::fs::metadata(&checkpoints).map_or(0, |file| file.len());
        sizes.push(format!("checkpoints {:.1}", file as f64 / 1_048_576.0));
        terminal::say(format!("  MiB on disk: {}", sizes.join(", ")));
    }
    Ok(())
}

/// One part of the soak.
async fn spell(
    user: Arc<User>,
    message: Arc<str>,
    (point, streams, turns): (usize, usize, usize),
) -> anyhow::Result<()> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for worker in 0..streams.max(1) {
        let (user, message, next) = (Arc::clone(&user), Arc::clone(&message), Arc::clone(&next));
        workers.spawn(async move {
            let mut number = next.fetch_add(1, Ordering::Relaxed);
            while number < turns {
                let thread = format!("soak-{point}-{worker}-{number}");
                for turn in 0..TURNS_OF_A_THREAD {
                    ask(
                        &*user.client().await?,
                        &message,
                        &thread,
                        Reader::of(number + turn),
                    )
                    .await?;
                    number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= turns {
                        break;
                    }
                }
                let path = format!("/api/threads/{thread}");
                user.client()
                    .await?
                    .request(Method::DELETE, &path, None)
                    .await
                    .context("a thread cannot be deleted")?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = workers.join_next().await {
        ended??;
    }
    Ok(())
}

/// How a client reads its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// As fast as it comes.
    Fast,
    /// With a pause after each chunk.
    Slow,
    /// Goes away after the first chunk, asks for the rest later.
    Vanishing,
}

impl Reader {
    fn of(number: usize) -> Self {
        match number % 20 {
            0 => Self::Slow,
            1 | 11 => Self::Vanishing,
            _ => Self::Fast,
        }
    }
}

async fn ask(
    client: &ChatClient,
    message: &str,
    thread: &str,
    reader: Reader,
) -> anyhow::Result<()> {
    {
        let mut chunks = pin!(client.ask(message, thread).await?);
        if reader != Reader::Vanishing {
            return read(chunks, reader).await;
        }
        chunks.next().await;
    }
    // The run continues without its reader, who comes back for the rest.
    if let Some(rest) = client.join(thread).await? {
        read(pin!(rest), Reader::Fast).await?;
    }
    Ok(())
}

async fn read(
    mut chunks: impl futures::Stream<Item = Result<UiMessageChunk<'static>, ChatError>> + Unpin,
    reader: Reader,
) -> anyhow::Result<()> {
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            UiMessageChunk::Finish { .. } => return Ok(()),
            UiMessageChunk::Error { error_text } => bail!("{error_text}"),
            _ if reader == Reader::Slow => tokio::time::sleep(SLOW).await,
            _ => {}
        }
    }
    bail!("the stream ended early")
}
