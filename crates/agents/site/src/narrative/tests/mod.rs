//! The templates over many facts.

mod asking;
mod beside_meters;
mod comparing;
mod facts;
mod judged;
mod laws;
mod phrasing;
mod snapshots;
mod suggesting;
mod word_and_score;
