//! `heliograph chat`: a terminal client of the bff. It uses only the public API.

mod cards;
mod chart;
pub mod client;
pub mod credentials;
mod plan;
mod rejoined;
mod render;
mod rows;

pub use client::{ChatClient, ChatError};
pub use rejoined::Rejoined;
pub use render::Renderer;
