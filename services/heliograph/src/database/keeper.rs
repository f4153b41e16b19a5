//! Keeps the private databases running as long as the process runs.

use std::time::Duration;

use anyhow::Context;
use nix::sys::statvfs::statvfs;
use provision::server::{Database, Kind};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::terminal;

/// Interval of the check whether the server runs.
const LOOK: Duration = Duration::from_millis(500);

/// The pauses before each attempt to restart it.
const PAUSES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// A server that ends more often than this …
const MOST_ENDS: usize = 5;

/// … within this time is not restarted any more.
const PERIOD: Duration = Duration::from_mins(10);

/// With less room for its data, in bytes, a server cannot write its log, of which a file takes
/// 16 MiB.
const LEAST_ROOM: u64 = 48 * 1024 * 1024;

/// Pause before the next attempts while the disk is full.
const FULL_PAUSE: Duration = Duration::from_secs(5);

/// A database that is restarted when it ends unexpectedly.
pub struct Supervisor {
    stop: CancellationToken,
    task: JoinHandle<anyhow::Result<()>>,
}

impl Supervisor {
    /// Monitors `database`. If it cannot be restarted, cancels `shutdown`, and [`Self::stop`]
    /// returns the error.
    pub fn new<K>(database: Database<K>, shutdown: CancellationToken) -> Self
    where
        K: Kind,
    {
        let stop = CancellationToken::new();
        let task = tokio::spawn(keep(database, stop.clone(), shutdown));
        Self { stop, task }
    }

    /// Stops the database. Fails if it could not be kept running, or does not stop in an orderly
    /// way.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.task
            .await
            .context("the database was not looked after")?
    }
}

/// Monitors `database` until `stop` is cancelled, and then stops it. If it cannot be restarted,
/// cancels `shutdown`.
pub(crate) async fn keep<K: Kind>(
    mut database: Database<K>,
    stop: CancellationToken,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let mut ends: Vec<Instant> = Vec::new();
    while stop.run_until_cancelled(sleep(LOOK)).await.is_some() {
        if !database.has_ended()? {
            continue;
        }
        ends.retain(|end| end.elapsed() < PERIOD);
        // On a full disk it ends again and again, until there is room.
        if !has_full_disk(&database) {
            ends.push(Instant::now());
        }
        if ends.len() > MOST_ENDS {
            shutdown.cancel();
            anyhow::bail!(
                "the private {} ended {} times within {} minutes; see the file server.log in its folder",
                K::NAME,
                ends.len(),
                PERIOD.as_secs() / 60
            );
        }
        terminal::note(format!(
            "the private {} has ended by itself; starting it again",
            K::NAME
        ));
        tracing::error!(
            "the private {} has ended by itself; it is started again",
            K::NAME
        );
        let restarted = stop.run_until_cancelled(restart(&mut database)).await;
        match restarted {
            None => break,
            Some(Ok(())) => {
                terminal::note(format!("the private {} runs again", K::NAME));
                tracing::warn!("the private {} runs again", K::NAME);
            }
            Some(Err(error)) => {
                shutdown.cancel();
                let name = K::NAME;
                return Err(error).with_context(|| {
                    format!("the private {name} ended by itself and cannot be started again")
                });
            }
        }
    }
    database
        .stop()
        .await
        .context("the database did not stop in order")
}

/// Starts a server again: in a few attempts, or for as long as its disk is full. The services wait
/// for it and say so.
async fn restart<K: Kind>(database: &mut Database<K>) -> anyhow::Result<()> {
    let mut waits = false;
    loop {
        let result = attempts(database).await;
        if result.is_ok() || !has_full_disk(database) {
            return result;
        }
        if !std::mem::replace(&mut waits, true) {
            terminal::note(format!(
                "the disk of the private {} is full; it starts again when there is room",
                K::NAME
            ));
            tracing::error!("the disk of the private {} is full", K::NAME);
        }
        sleep(FULL_PAUSE).await;
    }
}

/// Whether a server lacks the room to start.
fn has_full_disk<K: Kind>(database: &Database<K>) -> bool {
    let Some(disk) = database.data_dir().and_then(|folder| statvfs(folder).ok()) else {
        return false;
    };
    disk.blocks_available().saturating_mul(disk.fragment_size()) < LEAST_ROOM
}

async fn attempts<K: Kind>(database: &mut Database<K>) -> anyhow::Result<()> {
    let mut result = Ok(());
    for pause in PAUSES {
        sleep(pause).await;
        result = database.restart().await.map_err(anyhow::Error::from);
        match &result {
            Ok(()) => break,
            Err(error) => {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "the private {} does not start",
                    K::NAME
                );
            }
        }
    }
    result
}
