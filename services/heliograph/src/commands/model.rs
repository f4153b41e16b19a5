//! `heliograph knowledge model`: fetches the pinned embedding model.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::up;
use crate::config::Config;
use crate::terminal;

/// Fetches the model into `into`, or into the data folder, where no setting is needed.
pub(super) async fn run(folder: Option<&Path>, into: Option<PathBuf>) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let own = config.data.folder.join("models");
    let models = into.unwrap_or_else(|| own.clone());
    let directory = provision::model::fetch(&models, |step| terminal::note(step.to_string()))
        .await
        .context("fetching the embedding model failed")?;
    let directory = std::path::absolute(directory)?;
    terminal::say(format!(
        "{} is in {}",
        provision::model::MODEL,
        directory.display()
    ));
    if models == own {
        terminal::say(
            "`heliograph` uses it from now on. For a separate tools service, add this to tools.toml:",
        );
    } else {
        terminal::say("To use it, add this to tools.toml of the tools service:");
    }
    terminal::say(format!(
        "\n[embedding]\nprovider = \"local\"\nmodel_dir = {:?}",
        directory.display().to_string()
    ));
    Ok(())
}
