//! What assistants share.
//!
//! An [`Assistant`] is a state graph whose nodes emit [`RunEvent`](contracts::run::RunEvent)s in an
//! order that every client relies on ([`events::check_laws`]). [`Runner`] runs one turn of a
//! conversation, of which [`TurnInput`] comes in. Its nodes share a [`RunContext`], which is never
//! stored, and each works with a [`NodeContext`]: steps, text, tool calls, warnings, updates of the
//! state. [`listen`] lets a model write, as far as a [`Gate`] lets its words through: those on data
//! name their facts ([`facts`]). And [`ToolLoop`] lets it call tools. [`Tools`] is the tools
//! service as one person may use it, [`history`] what was said before, [`Settings`] an assistant's
//! section of the configuration.

pub mod approval;
pub mod calendar;
pub mod citations;
mod english;
pub mod events;
pub mod facts;
pub mod figures;
pub mod history;
pub mod number_words;
pub mod passages;
pub mod prose;
#[cfg(feature = "testing")]
pub mod testing;

pub mod settings;

mod account;
mod acknowledgement;
mod assistant;
mod checked;
mod fallback;
mod first_word;
mod gate;
mod listen;
mod node_context;
mod run_context;
mod runner;
pub mod schedules;
mod sentence_filter;
mod state;
mod thread_context;
mod tool_loop;
mod tools;
mod turn;

pub use account::Account;
pub use assistant::{Assistant, AssistantGraph, Begin, Objection, QuestionContext, Remembered};
pub use checked::FigureGate;
pub use english::is_other_language;
pub use fallback::Unusable;
pub use gate::{Closing, Gate, Piece};
pub use history::{PastCall, PastMessage, PastRole};
pub use listen::{
    End, Heard, Wrote, complete, listen, model_ended, model_failed, model_idle, model_stopped,
    model_unusable, warn_once,
};
pub use node_context::{Announced, Called, NodeContext, Words};
pub use run_context::{RunContext, RunServices};
pub use runner::Runner;
pub use sentence_filter::{SentenceFilter, Verdict};
pub use settings::{InvalidSetting, Settings};
pub use state::{ThreadState, ToolRecord};
pub use thread_context::ThreadContext;
pub use tool_loop::{
    Asked, CallMade, Decision, Kept, ToolHandler, ToolLimits, ToolLoop, ToolSet, ToolSetCache,
    offered_tool,
};
pub use tools::{Tools, ToolsError};
pub use turn::{Attempt, Credentials, TurnInput, UserInput};
