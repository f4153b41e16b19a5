//! What assistants share.
//!
//! An assistant is a state graph whose nodes perform: they emit [`RunEvent`](contracts::run::RunEvent)s in an order that every client
//! relies on ([`events::check_laws`]). [`Runner`] runs one turn of a conversation on such a graph; [`Stage`] is a node's means of
//! expression: steps, text, tool calls, warnings; [`listen`] lets a model speak through it, as far as the figures it names are facts
//! ([`figures`]). [`Tools`] is the tools service as one person may use it, [`history`] what was said before.

pub mod events;
pub mod figures;
pub mod history;
pub mod passages;
pub mod prose;
#[cfg(feature = "testing")]
pub mod testing;

mod account;
mod checked;
mod listen;
mod runner;
mod stage;
mod tools;
mod transient;
mod turn;

pub use account::Account;
pub use checked::{CheckedProse, Piece};
pub use history::{PastCall, PastMessage, PastRole};
pub use listen::{
    End, Heard, OnUnsupported, corrected, listen, model_ended, model_failed, model_stopped,
    warn_once,
};
pub use runner::{Begin, Runner, TurnRun, TurnStart};
pub use stage::{Announced, Called, Performance, Stage, Words};
pub use tools::{Tools, ToolsError};
pub use transient::Transient;
pub use turn::{TurnInput, UserInput};
