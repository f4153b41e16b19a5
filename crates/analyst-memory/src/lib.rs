//! The memory of the analyst in PostgreSQL: TODO lists, an entry per attempt, the queries that were
//! executed. It implements [`agent_analyst::Memory`].
//!
//! What belongs together is recorded by one statement, or not at all, and only while the run is the
//! worker's ([`conversations::Fence`]). Everything belongs to a thread of `conversations` and is
//! deleted with it.
//!
//! ```no_run
//! # use analyst_memory::AnalystStore;
//! # use conversations::Owner;
//! # type Failure = Box<dyn std::error::Error>;
//! # async fn example(pool: sqlx::PgPool, thread: uuid::Uuid) -> Result<(), Failure> {
//! analyst_memory::migrate(&pool).await?;
//! let store = AnalystStore::new(pool);
//! let question = store.open_question(&Owner::new("demo", "ada"), thread).await?;
//! # Ok(())
//! # }
//! ```

mod run_memory;
mod schema;
mod store;
mod thread_memory;

pub use schema::{is_migrated, migrate};
pub use store::{AnalystStore, MAX_ROWS_BYTES};
pub use thread_memory::{Newest, OpenQuestion, ThreadMemory};
