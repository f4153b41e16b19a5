//! One round of a load: a number of turns with a given concurrency.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use contracts::chat::UiMessageChunk;
use futures::StreamExt;
use tokio::task::JoinSet;

use heliograph::chat::ChatClient;

/// The results of a round.
#[derive(Debug, Clone)]
pub struct Round {
    /// Number of concurrent turns.
    pub streams: usize,
    /// Number of complete answers.
    pub answered: usize,
    /// The errors of the other turns, with their counts.
    pub errors: Vec<(String, usize)>,
    /// The duration of the round.
    pub elapsed: Duration,
    /// Sorted durations up to the first byte.
    pub first_byte: Vec<Duration>,
    /// Sorted durations up to the end.
    pub whole: Vec<Duration>,
}

struct Turn {
    first_byte: Duration,
    whole: Duration,
}

/// Sends `turns` messages with `streams` concurrent ones, each on a separate thread.
pub async fn run(client: Arc<ChatClient>, message: &str, streams: usize, turns: usize) -> Round {
    let (next, message) = (Arc::new(AtomicUsize::new(0)), Arc::<str>::from(message));
    // A second load of the same database continues no thread of the first.
    let series = std::process::id();
    let started = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..streams.max(1) {
        let (client, next, message) =
            (Arc::clone(&client), Arc::clone(&next), Arc::clone(&message));
        workers.spawn(async move {
            let mut results = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= turns {
                    return results;
                }
                let thread = format!("load-{series}-{streams}-{number}");
                results.push(turn(&client, &message, &thread).await);
            }
        });
    }
    let results: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
    summarise(streams, started.elapsed(), results)
}

async fn turn(client: &ChatClient, message: &str, thread: &str) -> Result<Turn, String> {
    let started = Instant::now();
    let mut chunks = pin!(
        client
            .ask(message, thread)
            .await
            .map_err(|error| error.to_string())?
    );
    let (mut first_byte, mut finished) = (None, false);
    while let Some(chunk) = chunks.next().await {
        first_byte.get_or_insert_with(|| started.elapsed());
        match chunk.map_err(|error| error.to_string())? {
            UiMessageChunk::Error { error_text } => return Err(error_text.into_owned()),
            UiMessageChunk::Finish { .. } => finished = true,
            _ => {}
        }
    }
    match first_byte {
        Some(first_byte) if finished => Ok(Turn {
            first_byte,
            whole: started.elapsed(),
        }),
        _ => Err("the stream ended early".to_owned()),
    }
}

fn summarise(streams: usize, elapsed: Duration, results: Vec<Result<Turn, String>>) -> Round {
    let mut round = Round {
        streams,
        answered: 0,
        errors: Vec::new(),
        elapsed,
        first_byte: Vec::new(),
        whole: Vec::new(),
    };
    for result in results {
        match result {
            Ok(turn) => {
                round.answered += 1;
                round.first_byte.push(turn.first_byte);
                round.whole.push(turn.whole);
            }
            Err(error) => match round.errors.iter_mut().find(|(known, _)| *known == error) {
                Some((_, count)) => *count += 1,
                None => round.errors.push((error, 1)),
            },
        }
    }
    round.first_byte.sort_unstable();
    round.whole.sort_unstable();
    round
}

/// The value that a share of the sorted values does not exceed.
pub(crate) fn quantile(sorted: &[Duration], share: f64) -> Duration {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the length"
    )]
    let index = (share * sorted.len() as f64) as usize;
    sorted
        .get(index.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_occurred() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(quantile(&times, 0.5), Duration::from_millis(51));
        assert_eq!(quantile(&times, 0.99), Duration::from_millis(100));
        assert_eq!(quantile(&[], 0.5), Duration::ZERO);
    }
}
