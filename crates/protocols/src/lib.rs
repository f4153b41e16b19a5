//! Runs in the protocols of other systems: their requests become questions to an assistant, and
//! [`contracts::run::RunEvent`]s become their answers.
//!
//! Nothing here does I/O or decides anything. [`prose`] makes one Markdown text of a run, for
//! clients that show text and nothing else; [`openai`] and [`langgraph`] speak the protocols of
//! those names; [`elicitation`] makes forms of pickers for the Model Context Protocol.

pub mod elicitation;
pub mod langgraph;
pub mod markdown;
pub mod openai;
pub mod prose;
mod site_cards;
