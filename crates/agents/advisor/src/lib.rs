//! The advisor: answers from the tenant's documents, and from an upstream service with the person's
//! own rights.
//!
//! It is a state graph (crate `graph`; drawn in `docs/graph.md`) that [`agent_kit::Runner`] runs. A
//! turn begins with the person's [credential](agent_kit::Credentials) for the upstream, which is
//! refreshed where that is needed. With a model, the model calls tools as it sees fit
//! ([`agent_kit::ToolLoop`]), several at once, and its words go out as far as the figures in them
//! are facts of what it read. Without one, or when it fails, the rules answer: they find the best
//! passages and quote them, and they know the inventory tools. Either way passages are numbered,
//! and the answer ends with the sources that it rests on.
//!
//! What tools return is handed to a model marked as data. A call that text in it talked the model
//! into is made with the person's own rights and can only read; nothing here writes.

mod assistant;
mod graph;
mod inventory;
mod nodes;
mod prompt;
mod reading;
mod run;
mod settings;
mod state;

pub use assistant::Advisor;
pub use graph::build_graph;
pub use run::AdvisorRun;
pub use settings::AdvisorSettings;
pub use state::{AdvisorState, AdvisorUpdate};
