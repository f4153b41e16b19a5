//! Many chats at once against services in processes of their own: time to first byte, turns per second, errors, and what each service
//! uses meanwhile.

mod processes;
mod round;

pub use processes::{Processes, Usage};
pub(crate) use round::quantile;
pub use round::{Round, run as run_round};
