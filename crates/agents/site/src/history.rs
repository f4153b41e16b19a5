//! The earlier messages of the thread, from the store, for a model to read.

mod render;

pub(crate) use render::{messages, remembered};
