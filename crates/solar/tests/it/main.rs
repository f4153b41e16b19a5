//! The crate against measured data, against its edge cases and against its laws.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its fixture has failed"
)]

mod comparing;
mod counters_alone;
mod devices;
mod edge_cases;
mod falling_behind;
mod figures;
mod fixtures;
mod forecasts;
mod gaps;
mod health;
mod health_beside_peers;
mod laws;
mod made_up;
mod patterns;
mod registers;

mod series_of_days;
