//! Many concurrent chats with services in separate processes: time to first byte, turns per second,
//! errors, and what the services and the database do for a turn, beside a server that only sends
//! the same events. Also streams that stay open, long threads, and a soak.

mod balancer;
pub(crate) mod command;
mod database;
pub(crate) mod floor;
pub(crate) mod long_thread;
mod model;
mod proc;
mod processes;
mod report;
pub(crate) mod resumable;
mod round;
mod soak;

pub(crate) use model::HeldModel;
pub use proc::Usage;
pub use processes::{Binaries, Processes};
pub(crate) use round::quantile;
pub use round::{Round, run as run_round};
