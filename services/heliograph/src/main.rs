//! `heliograph`: see `heliograph --help`.

use std::process::ExitCode;

use clap::Parser;
use heliograph::cli::Cli;
use heliograph::{commands, terminal};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Each file is read in a separate process of this program.
    tools::file_readers::run_if_asked();
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(commands::run(cli)),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::fail(&error);
            ExitCode::FAILURE
        }
    }
}
