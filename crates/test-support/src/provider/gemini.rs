//! Google's Gemini.

mod check;
mod conversation;
mod schema;
mod write;

pub(super) use check::{authorize, check, unknown_model};
pub(super) use write::{frames, whole};

/// How every thought signature begins.
const SIGNATURE: &str = "U0lHTkFUVVJF";

/// Whether the model requires its thought signatures back.
fn is_third_generation(model: &str) -> bool {
    model.starts_with("gemini-3")
}
