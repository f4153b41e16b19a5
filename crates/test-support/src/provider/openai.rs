//! OpenAI's chat completions, and OpenRouter's.

mod check;
mod conversation;
mod schema;
mod write;

pub(super) use check::{authorize, check};
pub(super) use write::{error_chunk, frames, whole};
