//! `heliograph-tools`: the tools service as a program of its own. See `heliograph-tools --help`.

use std::process::ExitCode;

use tools::program::Tools;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // This program reads each file in a process of its own: itself, started once more.
    tools::file_readers::run_if_asked();
    service_kit::program::main::<Tools>()
}
