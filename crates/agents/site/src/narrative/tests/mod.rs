//! The templates over many facts.

mod comparing;
mod facts;
mod laws;
mod phrasing;
mod snapshots;
mod suggesting;
