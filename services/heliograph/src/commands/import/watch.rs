//! `heliograph import FOLDER --watch`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use contracts::imports::ImportStatus;

use super::{files, finish, post, show, upload};
use crate::chat::ChatClient;
use crate::cli::ImportOptions;
use crate::commands::client::with_client;
use crate::terminal;

/// Interval between looks at the folders.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// Time after which the command signs in again: an access token is good for five minutes.
const SIGN_IN_EVERY: Duration = Duration::from_mins(3);

/// Size and time of a file: while they change, it is being written.
type Seen = (u64, Option<SystemTime>);

/// The bff to use, and the account.
type Place<'a> = (Option<&'a str>, Option<&'a str>);

/// Imports the files that are there, then new and changed ones, until Ctrl-C. A file is taken when
/// two looks find it unchanged. The readings of a file that is removed stay.
pub(super) async fn watch(
    folder: Option<&Path>,
    at: Place<'_>,
    options: &ImportOptions,
) -> anyhow::Result<()> {
    // The password is asked for now, not when a file comes.
    with_client(folder, at, async |_client| Ok(())).await?;
    let mut before: HashMap<PathBuf, Seen> = HashMap::new();
    let mut done: HashMap<PathBuf, Seen> = HashMap::new();
    terminal::note("watching; Ctrl-C ends it");
    loop {
        // An empty folder is not an error here.
        let there = files(&options.paths).unwrap_or_default();
        let there: Vec<(PathBuf, Seen)> = there.into_iter().filter_map(seen).collect();
        let due = there.iter().filter(|(path, seen)| {
            seen.0 > 0 && before.get(path) == Some(seen) && done.get(path) != Some(seen)
        });
        let due: Vec<_> = due.cloned().collect();
        import_all(folder, at, options, due, &mut done).await;
        before = there.into_iter().collect();
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
    }
}

fn seen(path: PathBuf) -> Option<(PathBuf, Seen)> {
    let about = std::fs::metadata(&path).ok()?;
    let seen = (about.len(), about.modified().ok());
    Some((path, seen))
}

/// Imports files with as many sign-ins as it takes. What fails is tried again at the next look: the
/// services may be away.
async fn import_all(
    folder: Option<&Path>,
    at: Place<'_>,
    options: &ImportOptions,
    due: Vec<(PathBuf, Seen)>,
    done: &mut HashMap<PathBuf, Seen>,
) {
    let mut due = due.into_iter().peekable();
    while due.peek().is_some() {
        let until = Instant::now() + SIGN_IN_EVERY;
        let signed_in = with_client(folder, at, async |client| {
            while Instant::now() < until
                && let Some((path, seen)) = due.next()
            {
                match import(&client, &path, options).await {
                    Ok(()) => {
                        done.insert(path, seen);
                    }
                    Err(error) => terminal::note(format!("{}: {error:#}", path.display())),
                }
            }
            Ok(())
        });
        if let Err(error) = signed_in.await {
            terminal::note(format!("{error:#}"));
            return;
        }
    }
}

async fn import(client: &ChatClient, path: &Path, options: &ImportOptions) -> anyhow::Result<()> {
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
