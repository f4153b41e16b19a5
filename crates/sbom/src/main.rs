//! `cargo run --package sbom -- PACKAGE`: prints the bill of materials of a package's program.

use std::io::Write;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(package), None) = (arguments.next(), arguments.next()) else {
        anyhow::bail!("usage: sbom PACKAGE, for example: sbom bff");
    };
    let document = sbom::of(Path::new("."), &package)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &document)?;
    writeln!(out)?;
    Ok(())
}
