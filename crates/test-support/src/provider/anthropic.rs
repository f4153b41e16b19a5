//! Anthropic's Messages.

mod check;
mod conversation;
mod write;

pub(super) use check::{authorize, check};
pub(super) use write::{frames, whole};
