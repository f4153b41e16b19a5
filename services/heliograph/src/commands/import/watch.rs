//! `heliograph import FOLDER --watch`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use contracts::imports::ImportStatus;

use super::{files, finish, post, show, upload};
use crate::chat::ChatClient;
use crate::cli::ImportOptions;
use crate::terminal;

/// Interval between looks at the folders.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Size and time of a file: while they change, it is being written.
type Seen = (u64, Option<SystemTime>);

/// Imports the files that are there, then new and changed ones, until Ctrl-C. A file is taken when
/// two looks find it unchanged.
pub(super) async fn watch(client: &ChatClient, options: &ImportOptions) -> anyhow::Result<()> {
    let mut before: HashMap<PathBuf, Seen> = HashMap::new();
    let mut done: HashMap<PathBuf, Seen> = HashMap::new();
    terminal::note("watching; Ctrl-C ends it");
    loop {
        let mut now = HashMap::new();
        // An empty folder is not an error here.
        for path in files(&options.paths).unwrap_or_default() {
            let Ok(about) = std::fs::metadata(&path) else {
                continue;
            };
            let seen = (about.len(), about.modified().ok());
            let settled = before.get(&path) == Some(&seen);
            if settled && about.len() > 0 && done.get(&path) != Some(&seen) {
                match import(client, &path, options).await {
                    Ok(()) => {
                        done.insert(path.clone(), seen);
                    }
                    // Tried again at the next look: the services may be away.
                    Err(error) => terminal::note(format!("{}: {error:#}", path.display())),
                }
            }
            now.insert(path, seen);
        }
        before = now;
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
    }
}

async fn import(
    client: &ChatClient,
    path: &std::path::Path,
    options: &ImportOptions,
) -> anyhow::Result<()> {
    let import = upload(client, path, options).await?;
    match import.status {
        ImportStatus::Ready | ImportStatus::Failed => {
            let import = post(client, &import.import_id, "run").await?;
            // The end of an import is reported; a failed one does not end the watch.
            if let Err(error) = finish(client, vec![import]).await {
                terminal::note(format!("{error:#}"));
            }
        }
        _ => terminal::say(show::line(&import)),
    }
    Ok(())
}
