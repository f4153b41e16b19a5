//! The site assistant: answers questions about solar sites from what the tools say.
//!
//! It is a state graph (crate `graph`; drawn in `docs/graph.md`) that [`agent_kit::Runner`] runs:
//! a [router](crate::language::classify), a workflow per kind of question, one recovery subgraph
//! behind all of them. It knows the tools only as the trait [`agent_kit::Tools`] and a model only
//! as [`llm::ChatModel`], no HTTP and no database. It needs no model: what a message means is
//! decided by [`language`], what is said by [`narrative`], both plain functions.
//!
//! With a model ([`agent_kit::TurnInput::model`]) three things change, within [`SiteSettings`]:
//! * free chat is the model's: it calls the tools, shows cards, asks the person, and answers;
//! * a message that no rule is sure of is classified by it;
//! * it words the answers of the workflows.
//!
//! Its words go out sentence by sentence, and only those whose figures are facts: results of the
//! run, the person's words, the conversation, the days around today. Free chat leaves other
//! sentences out and says so at the end; a workflow's answer continues with the rules' text, as far
//! as that has not been said. Where the model fails, with or without having begun, the rules answer
//! and a warning says so once.
//!
//! ```
//! use std::sync::Arc;
//!
//! use agent_kit::{Runner, Tools, ToolsError, TurnInput, UserInput};
//! use agent_site::SiteAssistant;
//! use async_trait::async_trait;
//! use contracts::{run::RunEvent, tools::{ToolDefinition, ToolEnvelope, ToolStatus}};
//! use futures::StreamExt;
//! use serde_json::Value;
//!
//! struct NoTools;
//!
//! #[async_trait]
//! impl Tools for NoTools {
//!     async fn call(&self, _: &str, _: Value) -> Result<ToolEnvelope, ToolsError> {
//!         Ok(ToolEnvelope::without_result(ToolStatus::Error, "There are no tools here."))
//!     }
//!
//!     async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
//!         Ok(Arc::new([]))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let runner = Runner::new(SiteAssistant::default(), None).unwrap();
//! let message = UserInput::Text("What can you do?".to_owned());
//! let turn = TurnInput::new("run_1", message, chrono::DateTime::UNIX_EPOCH, Arc::new(NoTools));
//! let events: Vec<RunEvent> = runner.run(turn).collect().await;
//! assert!(matches!(events.last(), Some(RunEvent::Finished { .. })));
//! # });
//! ```

mod arguments;
mod assistant;
mod calls;
mod cards;
mod findings;
mod flows;
mod graph;
mod history;
pub mod language;
mod model;
pub mod narrative;
mod objection;
mod reading;
mod recovery;
mod router;
mod run;
mod sentences;
mod settings;
mod state;
mod ui;

pub use self::graph::build_graph;
pub use assistant::SiteAssistant;
pub use recovery::MAX_ATTEMPTS;
pub use run::SiteRun;
pub use settings::SiteSettings;
pub use state::{
    CallRecord, FlowContext, History, LeantOn, MAX_RECORDS, MAX_TEXT, PendingSelection, Record,
    RememberedCall, SiteState, SiteUpdate,
};
