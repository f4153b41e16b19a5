//! The analyst: plans, asks back, remembers, analyses.

pub mod language;
mod memory;

pub use memory::{CachedRows, KeptQuery, Memory, MemoryError, NewQuery, Recollection, Record};
