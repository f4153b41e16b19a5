//! `heliograph chat`: a client of the bff for the terminal. It speaks nothing but the public API.

mod cards;
mod chart;
pub mod client;
pub mod credentials;
mod plan;
mod render;
mod rows;

pub use client::{ChatClient, ChatError};
pub use render::Renderer;
