//! The templates over many facts.

mod asking;
mod comparing;
mod facts;
mod laws;
mod phrasing;
mod snapshots;
mod suggesting;
