//! `heliograph-bff`: the bff as a program of its own. See `heliograph-bff --help`.

use std::process::ExitCode;

use bff::program::Bff;

fn main() -> ExitCode {
    service_kit::program::main::<Bff>()
}
