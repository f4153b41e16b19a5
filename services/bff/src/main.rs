//! `heliograph-bff`: the bff as a program of its own. See `heliograph-bff --help`.

use std::process::ExitCode;

use bff::program::Bff;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    service_kit::program::main::<Bff>()
}
