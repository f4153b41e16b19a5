//! Many chats at once against services in processes of their own: time to first byte, turns per second, errors, and what each service
//! uses meanwhile. Besides, streams that stay open, and long threads.

pub(crate) mod long_thread;
mod model;
mod processes;
pub(crate) mod resumable;
mod round;

pub(crate) use model::HeldModel;
pub use processes::{Binaries, Processes, Usage};
pub(crate) use round::quantile;
pub use round::{Round, run as run_round};
