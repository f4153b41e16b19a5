//! `heliograph chat "…"`.

use std::path::Path;
use std::pin::pin;

use anyhow::bail;
use futures::StreamExt;

use super::client;
use crate::chat::{ChatClient, Renderer};
use crate::cli::Chat;
use crate::terminal;

/// Asks, and prints the answer as it arrives.
pub(super) async fn run(folder: Option<&Path>, options: Chat) -> anyhow::Result<()> {
    client::with_client_for_a_question(folder, options.at.place(), async |client| {
        ask(client, &options).await
    })
    .await
}

async fn ask(client: ChatClient, options: &Chat) -> anyhow::Result<()> {
    // A variable that names no zone is of no use here, and no reason not to answer.
    let of_terminal = || terminal::time_zone().ok().flatten();
    let client = client
        .with_assistant(options.assistant.clone())
        .with_timezone(options.timezone.clone().or_else(of_terminal));
    // A process number comes again: in containers nearly each program has the same.
    let begun = chrono::Utc::now().timestamp_micros();
    let made_up = format!("terminal-{begun}-{}", std::process::id());
    let thread = options.thread.as_deref().unwrap_or(&made_up);
    let answer = client.ask_to_end(&options.message, thread).await?;
    let mut chunks = pin!(answer.chunks());
    let mut renderer = Renderer::default();
    let mut stopped = false;
    loop {
        tokio::select! {
            chunk = chunks.next() => match chunk {
                Some(chunk) => terminal::write(&renderer.show(&chunk?)),
                None => break,
            },
            // The run would continue after a disconnect, so it is stopped. Its last chunks are
            // still printed, unless Ctrl-C is pressed again.
            _ = tokio::signal::ctrl_c() => {
                if std::mem::replace(&mut stopped, true) {
                    bail!("stopped");
                }
                client.stop(thread).await?;
            }
        }
    }
    terminal::note(format!("to continue: chat --thread {thread} \"…\""));
    if renderer.failed() {
        bail!("the answer ended early");
    }
    Ok(())
}
