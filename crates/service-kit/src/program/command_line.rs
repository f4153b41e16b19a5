//! The options that every service has.

use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use super::Program;

/// The command line.
#[derive(Debug, Parser)]
#[command(version)]
pub(super) struct Arguments {
    /// A configuration file, or a folder with one for each service (tools.toml, orchestrator.toml,
    /// bff.toml; each may be missing). Variables override it:
    /// `HELIOGRAPH_<SERVICE>__<SECTION>__<KEY>`.
    #[arg(long, global = true, value_name = "PATH")]
    pub(super) config: Option<PathBuf>,
    /// What to do; serve, when it is left out.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// What to do instead of serving.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum Command {
    /// Brings the service's schema in the database up to date, and ends. Services that run
    /// continue.
    Migrate,
    /// Asks the service on this machine whether it is ready, and fails if it is not. For health
    /// checks in containers, which have no other program.
    Health,
    /// Writes the completions of this command line for a shell, to standard output.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

impl Arguments {
    /// Reads the command line. Ends the process where that asks for help, or cannot be read.
    pub(super) fn parse<P: Program>() -> Self {
        let read = Self::from_arg_matches(&Self::of::<P>().get_matches());
        read.unwrap_or_else(|error| error.exit())
    }

    fn of<P: Program>() -> clap::Command {
        Self::command().name(P::BINARY).about(P::ABOUT)
    }
}

/// The completions of a service's command line.
pub(super) fn completions<P: Program>(shell: Shell) -> Vec<u8> {
    let mut written = Vec::new();
    clap_complete::generate(shell, &mut Arguments::of::<P>(), P::BINARY, &mut written);
    written
}
