//! Reading a catalogue again before it is old: when a statement names what it does not have, or
//! when someone asks for it.
//!
//! One reading at a time, however many callers ask; those who waited for it use its result.
//! Statements continue by the catalogue that there is in the meantime. What is read goes through
//! the policy like the first one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::MutexGuard;

use super::Target;
use crate::{Catalogue, TargetError};

/// Minimum pause after a reading, as a multiple of its duration: a large database is not read all
/// the time.
const PAUSE_OF_READING: u32 = 10;

/// The newest reading on demand.
#[derive(Debug, Default)]
pub(super) struct Refreshed {
    newest: Option<Reading>,
}

#[derive(Debug)]
struct Reading {
    began: Instant,
    ended: Instant,
    error: Option<TargetError>,
}

impl Target {
    /// Reads the catalogue again. Callers at the same time share a reading that begins after they
    /// asked.
    pub async fn refresh(&self) -> Result<Arc<Catalogue>, TargetError> {
        let asked = Instant::now();
        let refreshed = self.refreshing.lock().await;
        match &refreshed.newest {
            Some(reading) if reading.began >= asked => match &reading.error {
                Some(error) => Err(error.clone()),
                None => self.catalogue().await,
            },
            _ => self.read_again(refreshed).await,
        }
    }

    /// The catalogue that there is in place of `seen`, which does not have a name that a statement
    /// uses; read again if there is none yet. `None` when nothing changed, when it cannot be read,
    /// and when it was read again for such a name a moment before.
    pub async fn look_again(&self, seen: &Arc<Catalogue>) -> Option<Arc<Catalogue>> {
        let asked = Instant::now();
        let refreshed = self.refreshing.lock().await;
        let current = self.catalogue().await.ok()?;
        if !Arc::ptr_eq(&current, seen) {
            return Some(current);
        }
        let is_enough = refreshed
            .newest
            .as_ref()
            .is_some_and(|reading| reading.began >= asked || self.is_resting(reading));
        if is_enough {
            return None;
        }
        let read = self.read_again(refreshed).await;
        let read = read.inspect_err(|error| {
            tracing::warn!(target_database = self.name(), %error, "the catalogue could not be read again");
        });
        read.ok().filter(|read| !Arc::ptr_eq(read, seen))
    }

    fn is_resting(&self, reading: &Reading) -> bool {
        let pause = Duration::from_secs(self.config.catalogue_pause_seconds);
        let took = reading.ended.duration_since(reading.began);
        let pause = if pause.is_zero() {
            pause
        } else {
            pause.max(took * PAUSE_OF_READING)
        };
        reading.ended.elapsed() < pause
    }

    /// The catalogue that is kept stays while the one that is read says the same: what was made of
    /// it stays, too.
    async fn read_again(
        &self,
        mut refreshed: MutexGuard<'_, Refreshed>,
    ) -> Result<Arc<Catalogue>, TargetError> {
        let began = Instant::now();
        let read = self.load().await;
        refreshed.newest = Some(Reading {
            began,
            ended: Instant::now(),
            error: read.as_ref().err().cloned(),
        });
        let read = read?;
        let mut loaded = self.catalogue.lock().await;
        match &mut loaded.catalogue {
            Some((at, kept)) if kept.says_the_same_as(&read) => {
                *at = Instant::now();
                Ok(Arc::clone(kept))
            }
            _ => {
                self.pool.replace_connections();
                Ok(loaded.keep(read))
            }
        }
    }
}
