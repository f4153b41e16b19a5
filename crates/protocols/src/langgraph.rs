//! The protocol of the LangGraph server, as its SDKs speak it: assistants, threads with their state
//! and history, and runs.

mod events;
mod messages;
mod request;
mod resources;

pub use events::{Frame, Mode, RunStream};
pub use messages::{Interrupt, human, of_stored, values};
pub use request::{Refused, RunRequest, Wanted};
pub use resources::{
    Checkpoint, assistant, assistant_graph, assistant_schemas, history, run, state, thread,
};
