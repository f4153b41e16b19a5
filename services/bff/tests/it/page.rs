//! The page's own tests, which need node; where there is none they say so.

use std::io::Write;
use std::process::Command;

#[test]
fn the_pages_modules_pass_their_tests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
    let node = Command::new("node")
        .arg("--test")
        .current_dir(folder)
        .output();
    match node {
        Ok(output) => assert!(
            output.status.success(),
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
        // Not by `eprintln!`, which a test that passes keeps to itself.
        Err(error) => drop(writeln!(
            std::io::stderr(),
            "skipped, the page's modules were not tested: node cannot be run: {error}"
        )),
    }
}
