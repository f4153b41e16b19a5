//! The advisor: answers from the tenant's documents, and from an upstream service with the person's own rights.
//!
//! It is a state graph (crate `graph`; drawn in `docs/graph.md`). A turn begins by seeing to the person's credential for the upstream
//! ([`Credentials`]). With a model, the model calls tools as it sees fit, several at once, and its words go out as far as the figures in them
//! are facts of what it read. Without one, or when it fails, the rules answer: they find the best passages and quote them, and they know
//! document 003's inventory tools. Either way passages are numbered, and the answer ends with the sources that it rests on.
//!
//! What tools return is handed to a model marked as data. A call that text in it talked the model into is made with the person's own rights and
//! can only read; nothing here writes.

mod assistant;
mod dialogue;
mod graph;
mod inventory;
mod nodes;
mod options;
mod state;
mod turn;

pub use assistant::AdvisorAssistant;
pub use graph::build_graph;
pub use options::AdvisorOptions;
pub use state::{AdvisorState, AdvisorUpdate};
pub use turn::{Credentials, NoCredentials, TurnInput};
