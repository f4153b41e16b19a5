//! Fetching: a folder that is filled once, what pip brings, what is in an archive.

pub mod archive;
mod cached;
pub mod pip;

pub use cached::{Cached, Filled, Scratch};
