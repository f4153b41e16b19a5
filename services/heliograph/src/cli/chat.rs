//! `heliograph chat` and `heliograph mcp`.

use clap::Args;

use super::BffAddress;

/// Options of `chat`.
#[derive(Debug, Args)]
pub struct Chat {
    /// The question or message to send.
    pub message: String,
    /// The assistant of a new thread, such as data. Default: site. A name that does not exist is
    /// answered with those that do.
    #[arg(long)]
    pub assistant: Option<String>,
    /// The id of the thread to continue. Default: a new thread, whose id is printed.
    #[arg(long)]
    pub thread: Option<String>,
    /// Your time zone, for "every morning at 7". Default: the `TZ` variable, otherwise that of your
    /// devices.
    #[arg(long)]
    pub timezone: Option<String>,
    /// The bff to use.
    #[command(flatten)]
    pub at: BffAddress,
}

/// Options of `mcp`.
#[derive(Debug, Args)]
pub struct Mcp {
    /// The bff to use. Without `HELIOGRAPH_API_KEY`, the sign-in has to be saved: nothing is asked.
    #[command(flatten)]
    pub at: BffAddress,
}
