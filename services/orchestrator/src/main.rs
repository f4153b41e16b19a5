//! `heliograph-orchestrator`: the orchestrator as a program of its own. See
//! `heliograph-orchestrator --help`.

use std::process::ExitCode;

use orchestrator::program::Orchestrator;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    service_kit::program::main::<Orchestrator>()
}
