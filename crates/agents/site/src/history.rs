//! What was said before in the thread, as storage kept it, for a model to read.

mod render;

pub(crate) use render::{messages, remembered};
