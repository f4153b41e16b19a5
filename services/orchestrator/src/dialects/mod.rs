//! Stream dialects: encoders of [`contracts::run::RunEvent`]. No assistant knows one, and no dialect decides anything.

mod sse;
pub mod ui_message;

pub use sse::Frame;
