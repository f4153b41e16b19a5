//! Many streams that stay open, and are joined and joined again. Measures their cost, and checks
//! that all of them complete.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use contracts::chat::UiMessageChunk;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};

use super::model::HeldModel;
use super::{Processes, Usage};
use heliograph::chat::{ChatClient, ChatError};

/// Number of streams that are opened concurrently.
const AT_ONCE: usize = 64;

/// A waiting stream.
type Chunks = BoxStream<'static, Result<UiMessageChunk<'static>, ChatError>>;

/// The resource usage of the services at one point.
pub(crate) struct Point {
    /// The preceding step.
    pub(crate) what: &'static str,
    /// The duration of the step.
    pub(crate) took: Duration,
    /// The usage per service.
    pub(crate) usage: Vec<(&'static str, Usage)>,
}

/// Opens streams on separate threads, joins them with others, disconnects and rejoins the first
/// ones, and ends them all.
pub(crate) async fn run(
    client: &ChatClient,
    processes: &Processes,
    model: &HeldModel,
    message: &str,
    streams: usize,
) -> anyhow::Result<Vec<Point>> {
    let mut points = vec![Point {
        what: "nothing",
        took: Duration::ZERO,
        usage: processes.usage(),
    }];
    let mut point = |what, since: Instant| {
        points.push(Point {
            what,
            took: since.elapsed(),
            usage: processes.usage(),
        });
    };
    let series = std::process::id();
    let name = |number: usize| format!("held-{series}-{number}");

    let since = Instant::now();
    let opened = all(streams, async |number| {
        let asked = client.ask(message, &name(number)).await?;
        said_something(asked.boxed()).await
    });
    let opened = opened.await?;
    point("all are open", since);

    let join = async |number: usize| {
        let joined = client.join(&name(number)).await?;
        said_something(joined.context("there is nothing to join")?.boxed()).await
    };
    let since = Instant::now();
    let joined = all(streams, join).await?;
    point("all are joined", since);

    let since = Instant::now();
    drop(opened);
    let rejoined = all(streams, join).await?;
    point("the first have come back", since);

    let since = Instant::now();
    model.go_on();
    for chunks in joined.into_iter().chain(rejoined) {
        ends(chunks).await?;
    }
    point("all have ended", since);
    Ok(points)
}

/// Runs an operation for each number with limited concurrency. The results are in order.
async fn all<T>(
    count: usize,
    what: impl AsyncFn(usize) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<T>> {
    let what = &what;
    stream::iter(0..count)
        .map(|number| what(number))
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// Reads up to the first text of the answer.
async fn said_something(mut chunks: Chunks) -> anyhow::Result<Chunks> {
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            UiMessageChunk::TextDelta { .. } => return Ok(chunks),
            UiMessageChunk::Error { error_text } => bail!("{error_text}"),
            _ => {}
        }
    }
    bail!("the stream ended early")
}

async fn ends(mut chunks: Chunks) -> anyhow::Result<()> {
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            UiMessageChunk::Finish { .. } => return Ok(()),
            UiMessageChunk::Error { error_text } => bail!("{error_text}"),
            _ => {}
        }
    }
    bail!("the stream ended early")
}
