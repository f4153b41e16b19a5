//! A private PostgreSQL in the foreground, for `psql`. Prints its address and runs until Ctrl-C.
//!
//! `embedded-postgres <cache folder> [<data folder>]`; without a data folder, the data are
//! temporary.

use std::io::{Write, stderr, stdout};
use std::sync::Arc;

use anyhow::{Context, bail};
use embedded_postgres::{Options, start};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let mut options = match arguments.as_slice() {
        [cache] => Options::throw_away(cache),
        [cache, data] => Options::durable(data, cache),
        _ => bail!("usage: embedded-postgres <cache folder> [<data folder>]"),
    };
    // Standard error can be closed; the server runs nevertheless.
    options.progress = Arc::new(|progress| drop(writeln!(stderr(), "{progress}")));
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let server = start(options).await?;
    writeln!(stdout(), "{}", server.url("postgres")).context("the address cannot be printed")?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(server.stop().await?)
}
