//! Downloads: folders that are filled once, wheels, archives.

pub mod archive;
mod cached;
pub mod pip;

pub use cached::{Cached, Filled, Scratch};
