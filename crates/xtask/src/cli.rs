//! The commands and their options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Commands for those who change Heliograph.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", version, about)]
pub struct Cli {
    /// The folder with `tools.toml`, `orchestrator.toml`, `bff.toml` and `heliograph.toml`. Each
    /// file is optional.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub config: Option<PathBuf>,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Writes the OpenAPI documents.
    Openapi {
        /// The folder to write to.
        #[arg(default_value = "openapi")]
        folder: PathBuf,
        /// Writes nothing and fails if a document is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Writes the page with the graphs of the assistants.
    Diagrams {
        /// The folder with the crates of the assistants.
        #[arg(default_value = "crates/agents")]
        agents: PathBuf,
        /// The page to write.
        #[arg(default_value = "docs/assistants.md")]
        page: PathBuf,
    },
    /// Fills the database with generated readings of many loggers, for tests at scale.
    Generate(Generate),
    /// Sends many concurrent chats and reports latencies, errors and resource usage.
    Load(Load),
    /// Sends the events in a file to each request. `load` compares the services with it.
    #[command(hide = true)]
    Floor {
        /// The recorded answer.
        file: PathBuf,
    },
}

/// Options of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// Number of loggers.
    #[arg(long, default_value_t = 100)]
    pub loggers: usize,
    /// Number of days of readings.
    #[arg(long, default_value_t = 365)]
    pub days: u32,
    /// Interval between readings in minutes.
    #[arg(long, default_value_t = 5)]
    pub step_minutes: u32,
    /// Number of sites that the loggers are spread over.
    #[arg(long, default_value_t = 5)]
    pub sites: usize,
    /// The tenant of the data.
    #[arg(long, default_value = "large")]
    pub tenant: String,
    /// The seed of the generator.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Options of `load`.
#[derive(Debug, Args)]
pub struct Load {
    /// The message to send. Default: `Morning briefing`, or a question that only a model answers if
    /// the command starts its own model.
    #[arg(long)]
    pub message: Option<String>,
    /// Number of concurrent chats; can be repeated for several rounds.
    #[arg(long = "streams", default_values_t = [1, 32, 128])]
    pub streams: Vec<usize>,
    /// Number of chats in each round.
    #[arg(long, default_value_t = 500)]
    pub turns: usize,
    /// Instead of rounds, opens this number of streams, joins each twice, and reports memory. The
    /// command starts its own model.
    #[arg(long, value_name = "STREAMS")]
    pub resumable: Option<usize>,
    /// Instead of rounds, creates a thread with this number of messages and one with 20, runs
    /// `--turns` turns in each, and compares the times. The command starts its own model.
    #[arg(long, value_name = "MESSAGES")]
    pub long_thread: Option<u32>,
    /// Instead of rounds, sends this number of turns with the first number of `--streams`, creates
    /// and deletes threads, with clients that read slowly or go away, and reports memory and
    /// tables.
    #[arg(long, value_name = "TURNS")]
    pub soak: Option<usize>,
    /// Number of orchestrators, each a process of its own.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub orchestrators: u8,
    /// Measures the services in one process, as `heliograph` starts them, in which they call each
    /// other without sockets.
    #[arg(long, conflicts_with = "orchestrators")]
    pub one_process: bool,
}
