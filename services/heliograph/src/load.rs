//! Many concurrent chats with services in separate processes: time to first byte, turns per second,
//! errors, and resource usage per service. Also streams that stay open, and long threads.

pub(crate) mod long_thread;
mod model;
mod processes;
pub(crate) mod resumable;
mod round;

pub(crate) use model::HeldModel;
pub use processes::{Binaries, Processes, Usage};
pub(crate) use round::quantile;
pub use round::{Round, run as run_round};
