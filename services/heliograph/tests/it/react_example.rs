//! `examples/assistant-ui`: built as its reader builds it, and led by its own `tests/drive.mjs` in
//! a real browser over the stacks of the page's test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::demo_stack::PASSWORD;
use crate::node_packages::{self, text};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/assistant-ui");

/// The oldest node that Vite runs on.
const OLDEST_NODE: u32 = 20;

/// Who uses it.
pub(crate) const USER: &str = "react";

/// The command that leads the built example over the product at `url`, and over one at `slow` whose
/// model does not come to an end; `None` where its packages cannot be had.
pub(crate) fn drive(chromium: &Path, url: &str, slow: &str) -> Option<Command> {
    let folder = built()?;
    let mut script = Command::new("node");
    script
        .arg("tests/drive.mjs")
        .current_dir(folder)
        .env("HELIOGRAPH_URL", url)
        .env("SLOW_URL", slow)
        .env("USER_OF_TEST", USER)
        .env("PASSWORD_OF_TEST", PASSWORD)
        .env("CHROMIUM", chromium);
    Some(script)
}

/// The folder with the built example, made once.
fn built() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(build) {
        Ok(folder) => Some(folder),
        Err(why) => {
            node_packages::skipped("the example in React was not tried", why);
            None
        }
    }
}

fn build() -> Result<PathBuf, String> {
    let target = env!("CARGO_TARGET_TMPDIR");
    let folder = test_support::npm::install(FILES, "assistant-ui", target, OLDEST_NODE)?;
    for part in ["src", "tests"] {
        let _ = std::fs::remove_dir_all(folder.join(part));
        std::fs::create_dir(folder.join(part)).unwrap();
        for file in std::fs::read_dir(Path::new(FILES).join(part)).unwrap() {
            let file = file.unwrap();
            let copied = folder.join(part).join(file.file_name());
            std::fs::copy(file.path(), copied).unwrap();
        }
    }
    let built = Command::new("npm")
        .args(["run", "build"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built));
    Ok(folder)
}
