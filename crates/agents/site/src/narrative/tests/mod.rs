//! The templates over many facts.

mod facts;
mod laws;
mod phrasing;
mod snapshots;
mod suggesting;
