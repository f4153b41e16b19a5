//! Heliograph in one process, and its command line.
//!
//! [`stack`] starts the three services over one database; everything else is a command: [`cli`]
//! lists them, [`commands`] carries them out. This is the one crate that knows all three services.

pub mod chat;
pub mod cli;
pub mod commands;
pub mod config;
pub mod database;
mod delegation;
pub mod demonstration;
mod fetched_model;
pub mod live;
pub mod stack;
pub mod terminal;
