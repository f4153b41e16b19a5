//! News of runs, from whichever process made them.

use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use uuid::Uuid;

/// The channel that the news goes through.
pub const CHANNEL: &str = "orchestrator_runs";

/// Waited after a first failure to connect; doubled after each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest wait between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Something happened to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// The kind of event.
    pub kind: NoticeKind,
    /// To which run.
    pub run_id: Uuid,
    /// Of which thread.
    pub thread_id: Uuid,
}

/// What happened to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Its log has grown.
    Events,
    /// It has ended: its log is complete, and its thread is free for the next that waits.
    Ended,
    /// A user asked to stop it.
    Cancel,
    /// Its process stops and has left it: any worker may take it over now.
    Released,
}

impl NoticeKind {
    /// As it is sent.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Ended => "ended",
            Self::Cancel => "cancel",
            Self::Released => "released",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Events, Self::Ended, Self::Cancel, Self::Released]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

/// An item of a [`Listener`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Something happened.
    Notice(Notice),
    /// It listens from now on: earlier notices were lost, so subscribers should look.
    Listening,
}

/// A connection that hears of every run. A process needs one. It connects when it is first asked,
/// and again on its own.
#[derive(Debug)]
pub struct Listener {
    pool: PgPool,
    connection: Option<PgListener>,
    pause: Duration,
}

impl Listener {
    /// A listener that takes one connection of the pool for itself.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            connection: None,
            pause: FIRST_PAUSE,
        }
    }

    /// The next signal, waited for as long as it takes. News can be lost with a connection, so
    /// followers look by themselves now and then, too. May be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        loop {
            let Some(connection) = &mut self.connection else {
                if self.connect().await {
                    return Signal::Listening;
                }
                continue;
            };
            match connection.try_recv().await {
                Ok(Some(news)) => {
                    if let Some(notice) = parse(news.payload()) {
                        return Signal::Notice(notice);
                    }
                }
                // The connection was lost, and made again before this was said.
                Ok(None) => return Signal::Listening,
                Err(error) => {
                    tracing::warn!(%error, "lost the connection that hears of runs");
                    self.connection = None;
                }
            }
        }
    }

    /// Tries once to listen; waits after a failure.
    async fn connect(&mut self) -> bool {
        match self.listen().await {
            Ok(connection) => {
                self.connection = Some(connection);
                self.pause = FIRST_PAUSE;
                true
            }
            Err(error) => {
                tracing::warn!(%error, pause = ?self.pause, "cannot hear of runs; trying again");
                tokio::time::sleep(self.pause).await;
                self.pause = LONGEST_PAUSE.min(self.pause * 2);
                false
            }
        }
    }

    async fn listen(&self) -> Result<PgListener, sqlx::Error> {
        let mut connection = PgListener::connect_with(&self.pool).await?;
        connection.listen(CHANNEL).await?;
        Ok(connection)
    }
}

/// Parses `kind run thread`; `None` for any other payload.
fn parse(payload: &str) -> Option<Notice> {
    let mut words = payload.split(' ');
    let notice = Notice {
        kind: NoticeKind::parse(words.next()?)?,
        run_id: Uuid::try_parse(words.next()?).ok()?,
        thread_id: Uuid::try_parse(words.next()?).ok()?,
    };
    words.next().is_none().then_some(notice)
}
