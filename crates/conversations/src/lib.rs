//! The store of an orchestrator, in PostgreSQL: threads, their messages, the runs that write them
//! and the events of runs.
//!
//! Everything goes through a [`Store`]. What a caller may see is decided in each query, by the
//! [`Owner`] it is asked for: what belongs to another user is [`Error::NotFound`], like what does
//! not exist. Only the functions that a worker calls for its own runs take no owner; those are
//! fenced by [`Fence`] instead.
//!
//! A thread has one writer: its running run, held by one worker under a lease that a dead process
//! loses. [`Store::accept`] starts or queues a run, [`Store::renew`] keeps it, [`Store::finish`]
//! ends it, and [`Store::take_over_expired`] finds those whose process died. All lease arithmetic
//! uses the database's clock.
//!
//! ```no_run
//! # use conversations::record::MessageBuilder;
//! # use conversations::{Acceptance, Error, NewRun, Owner, Store, Worker};
//! # async fn turn(store: &Store, worker: Worker, new: &NewRun) -> Result<(), Error> {
//! let ada = Owner::new("demo", "ada");
//! if let Acceptance::Started { run, .. } = store.accept(&ada, worker, new).await? {
//!     let message = MessageBuilder::default();
//!     // … message.apply(&event) for each event of the assistant,
//!     // while store.renew(worker) keeps the lease …
//!     if let Some(fence) = run.fence() {
//!         store.finish(fence, message.finish()).await?;
//!     }
//!     store.start_queued(worker, run.thread_id).await?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`window`] and [`record`] are pure: what of a thread a model sees, and how a run's events become
//! a message.

pub mod record;
pub mod schedules;
pub mod storable;
pub mod window;

mod database;
mod error;
mod events;
mod idempotency;
mod listener;
mod messages;
mod model_usage;
mod records;
mod retention;
mod runs;
mod search;
mod store;
mod threads;
mod title;
mod together;

pub use database::{is_migrated, migrate};
pub use error::Error;
pub use events::{EventBatch, EventLog, StoredEvent};
pub use idempotency::Idempotency;
pub use listener::{CHANNEL, Listener, Notice, NoticeKind, Signal};
pub use messages::{
    AnsweredCall, Message, MessagePage, MessageStatus, NewMessage, Role, ToolRecord, ToolStatus,
};
pub use model_usage::ModelUsage;
pub use retention::OwnRetention;
pub use runs::{
    Acceptance, Cancellation, Fence, Finish, Finished, LeftBehind, NewRun, Question, Renewed, Run,
    RunStatus, Worker,
};
pub use search::{Found, FoundPage};
pub use store::{Owner, Store};
pub use threads::{
    Attached, Copied, Deletion, IfExists, IfMissing, NewThread, Thread, ThreadFilter, ThreadPage,
    ThreadPatch,
};
pub use title::title_of;
