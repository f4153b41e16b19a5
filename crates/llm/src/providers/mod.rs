//! One module per provider interface; each translates and does nothing else.

pub(crate) mod anthropic;
mod call_ids;
mod checks;
pub(crate) mod gemini;
mod history;
pub(crate) mod ollama;
pub(crate) mod openai;
mod refusal;
mod turns;
