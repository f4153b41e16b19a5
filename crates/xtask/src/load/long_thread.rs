//! Compares the duration of turns in a long and in a short thread.

use std::pin::pin;
use std::time::{Duration, Instant};

use anyhow::bail;
use contracts::chat::UiMessageChunk;
use futures::StreamExt;
use sqlx::PgPool;
use sqlx::types::Uuid;

use heliograph::chat::ChatClient;

/// Number of messages of the short thread: the maximum that a turn loads.
const SHORT: i64 = 20;

/// Number of turns before the measured ones.
const WARM_UP: usize = 5;

/// Sorted durations of turns.
pub(crate) struct Times {
    /// Durations in a thread of [`SHORT`] messages.
    pub(crate) short: Vec<Duration>,
    /// Durations in the long thread.
    pub(crate) long: Vec<Duration>,
}

/// Creates both threads for an account and runs turns in them, one after the other.
pub(crate) async fn run(
    client: &ChatClient,
    pool: &PgPool,
    account: &str,
    ids: [Uuid; 2],
    messages: i64,
    message: &str,
    turns: usize,
) -> anyhow::Result<Times> {
    let [short_id, long_id] = ids;
    fill(pool, account, short_id, SHORT).await?;
    fill(pool, account, long_id, messages).await?;
    let (short, long) = (short_id.to_string(), long_id.to_string());
    let mut times = Times {
        short: Vec::new(),
        long: Vec::new(),
    };
    for turn in 0..WARM_UP + turns {
        let (one, other) = (
            time(client, message, &short).await?,
            time(client, message, &long).await?,
        );
        if turn >= WARM_UP {
            times.short.push(one);
            times.long.push(other);
        }
    }
    times.short.sort_unstable();
    times.long.sort_unstable();
    Ok(times)
}

/// Creates a thread of questions and answers. Each answer has a call with a result of typical size.
async fn fill(pool: &PgPool, account: &str, id: Uuid, messages: i64) -> anyhow::Result<()> {
    let mut transaction = pool.begin().await?;
    sqlx::query!(
        "INSERT INTO orchestrator.threads (id, tenant, owner, name, assistant, title, last_seq)
         SELECT $1::uuid, tenant, account_id::text, $1::uuid::text, 'site', 'A load', $3 FROM bff.accounts WHERE username = $2",
        id,
        account,
        messages,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query_file!("queries/load_messages.sql", id, messages)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    // The database's own maintenance would do this later.
    sqlx::query!("ANALYZE orchestrator.messages")
        .execute(pool)
        .await?;
    Ok(())
}

async fn time(client: &ChatClient, message: &str, thread: &str) -> anyhow::Result<Duration> {
    let since = Instant::now();
    let mut chunks = pin!(client.ask(message, thread).await?);
    let mut finished = false;
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            UiMessageChunk::Finish { .. } => finished = true,
            UiMessageChunk::Error { error_text } => bail!("{error_text}"),
            _ => {}
        }
    }
    if !finished {
        bail!("the stream ended early");
    }
    Ok(since.elapsed())
}
