//! Signals of the operating system that stop the process.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Error;

/// The exit code that a shell shows for a process that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// Returns at the first SIGINT or SIGTERM.
pub async fn shutdown_signal() -> Result<(), Error> {
    Signals::new()?.next().await;
    Ok(())
}

/// Cancels `shutdown` at the first SIGINT or SIGTERM; the second ends the process at once.
pub fn cancel_on_signal(shutdown: CancellationToken) -> Result<(), Error> {
    let mut signals = Signals::new()?;
    // Not on a tracker: this task waits for a second signal and would never be joined.
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping; a second signal stops at once");
        shutdown.cancel();
        signals.next().await;
        tracing::warn!("stopped at once");
        std::process::exit(INTERRUPTED);
    });
    Ok(())
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> Result<Self, Error> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(Error::Signals)?,
            terminate: signal(SignalKind::terminate()).map_err(Error::Signals)?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
