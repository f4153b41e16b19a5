//! The data assistant: answers questions about a company's database and its documents.

mod answer;
mod assistant;
mod graph;
mod language;
mod nodes;
mod options;
mod prompt;
pub mod rag;
mod scene;
mod sentences;
mod simple;
mod state;
mod turn;

pub use self::graph::build_graph;
pub use assistant::{DataAssistant, DataThread};
pub use language::approval::PlanAnswer;
pub use nodes::approve::PlanPreview;
pub use options::{Approval, DataOptions, SqlLimits};
pub use state::{AnsweredQuery, DataState, DataUpdate, MAX_QUERIES, Route, TurnHandle, WorkHandle};
pub use turn::{TurnInput, UserInput};
