//! One refresh in flight per user and upstream: within this process by sharing the same one, across
//! processes by a lease in the database that the others wait out, to find its result. A
//! refresh continues when the user who asked for it disconnects: the upstream may have invalidated
//! the old token by then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared as SharedFuture};
use service_kit::clock::{IdSource, RandomIds};
use tokio::time::Instant;
use tracing::Instrument;

use super::{Error, Held, Owner, Shared, refresh};
use crate::upstreams::{Failure, Upstream};

/// Number of times that a refresh of another process is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A lease is this much longer than the exchange that it is for: for the database.
const MARGIN: Duration = Duration::from_secs(5);

/// The refreshes of this process.
#[derive(Default)]
pub(super) struct Refreshes(Arc<Mutex<HashMap<Key, SharedRefresh>>>);

/// The version that is to be replaced is part of it: the user who finds the next one wanting has a
/// flight of his own.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    owner: Owner,
    upstream: String,
    replaced: Option<i64>,
}

type SharedRefresh = SharedFuture<BoxFuture<'static, Result<Held, RefreshError>>>;

/// [`Error`], for all who wait.
#[derive(Clone)]
enum RefreshError {
    Failed(Failure),
    Database(Arc<sqlx::Error>),
}

impl Refreshes {
    /// Another token than the one of this version, which is run out or refused. However many ask,
    /// the upstream is asked once.
    pub(super) async fn refresh(
        &self,
        shared: &Arc<Shared>,
        owner: &Owner,
        upstream: &Arc<Upstream>,
        replaced: Option<i64>,
    ) -> Result<Held, Error> {
        let key = Key {
            owner: owner.clone(),
            upstream: upstream.name().to_owned(),
            replaced,
        };
        let flight = {
            let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let start = || self.start(shared, upstream, key.clone());
            flights.entry(key.clone()).or_insert_with(start).clone()
        };
        flight.await.map_err(Error::from)
    }

    fn start(&self, shared: &Arc<Shared>, upstream: &Arc<Upstream>, key: Key) -> SharedRefresh {
        let (flights, shared, upstream) = (
            Arc::clone(&self.0),
            Arc::clone(shared),
            Arc::clone(upstream),
        );
        let work = async move {
            let landed = fly(&shared, &upstream, &key).await;
            flights
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&key);
            landed.map_err(RefreshError::from)
        };
        let task = tokio::spawn(work.in_current_span());
        let joined = async move {
            task.await.unwrap_or_else(|error| {
                tracing::error!(%error, "a refresh broke down");
                Err(RefreshError::Database(Arc::new(sqlx::Error::WorkerCrashed)))
            })
        };
        joined.boxed().shared()
    }
}

/// Takes the lease, or finds its holder's result, and refreshes.
async fn fly(shared: &Shared, upstream: &Upstream, key: &Key) -> Result<Held, Error> {
    let holder = RandomIds.new_id();
    let lease = refresh::timeout(upstream) + MARGIN;
    let patience = Instant::now() + lease * 2;
    while !shared
        .store
        .claim(&key.owner, upstream.name(), holder, lease)
        .await?
    {
        if Instant::now() > patience {
            return Err(
                Failure::unavailable(upstream.name(), "gave no other credential in time").into(),
            );
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let landed = land(shared, upstream, key).await;
    let released = shared
        .store
        .release(&key.owner, upstream.name(), holder)
        .await;
    if let Err(error) = released {
        tracing::warn!(%error, "the lease of a refresh is left to run out");
    }
    landed
}

/// Refreshes, unless another user has in the meantime.
async fn land(shared: &Shared, upstream: &Upstream, key: &Key) -> Result<Held, Error> {
    let stored = shared.store.get(&key.owner, upstream.name()).await?;
    let version = stored.as_ref().map(|stored| stored.version);
    let held = stored.and_then(super::Stored::held);
    if let Some(held) = &held
        && version != key.replaced
        && shared.is_good(upstream, held)
    {
        return Ok(refreshed(held.clone()));
    }
    let refresh_token = held.as_ref().and_then(|held| held.refresh_token.as_ref());
    let now = shared.clock.now();
    let tokens = refresh::refresh(upstream, &key.owner.subject, refresh_token, now).await?;
    let kept = shared
        .store
        .replace(&key.owner, upstream.name(), version, &tokens)
        .await?;
    Ok(refreshed(tokens.held(kept.or(version).unwrap_or_default())))
}

fn refreshed(held: Held) -> Held {
    Held {
        refreshed: true,
        ..held
    }
}

impl From<Error> for RefreshError {
    fn from(error: Error) -> Self {
        match error {
            Error::Failed(failure) => Self::Failed(failure),
            Error::Database(error) => Self::Database(Arc::new(error)),
        }
    }
}

impl From<RefreshError> for Error {
    fn from(crash: RefreshError) -> Self {
        match crash {
            RefreshError::Failed(failure) => Self::Failed(failure),
            // Of several who wait only one can have the error itself.
            RefreshError::Database(error) => Self::Database(
                Arc::try_unwrap(error)
                    .unwrap_or_else(|error| sqlx::Error::Io(std::io::Error::other(error))),
            ),
        }
    }
}
