//! `heliograph-orchestrator`: the orchestrator as a program of its own. See
//! `heliograph-orchestrator --help`.

use std::process::ExitCode;

use orchestrator::program::Orchestrator;

fn main() -> ExitCode {
    service_kit::program::main::<Orchestrator>()
}
