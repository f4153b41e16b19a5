//! The analyst: plans, asks back, remembers, analyses.

mod memory;

pub use memory::{CachedRows, KeptQuery, Memory, MemoryError, NewQuery, Recollection, Record};
