//! `cargo xtask openapi`.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use heliograph::terminal;

/// Writes the documents, or checks that they are up to date.
pub(crate) fn run(folder: &Path, check: bool) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for (name, text) in contracts::openapi::documents() {
        let path = folder.join(format!("{name}.json"));
        let current = fs::read_to_string(&path).ok();
        if current.as_deref() == Some(text.as_str()) {
            continue;
        }
        if check {
            stale.push(path.display().to_string());
            continue;
        }
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        terminal::say(format!("{} written", path.display()));
    }
    if !stale.is_empty() {
        bail!(
            "out of date: {}; run `cargo xtask openapi`",
            stale.join(", ")
        );
    }
    Ok(())
}
