//! The credentials of `chat` for the services on the same machine: a refresh token in a file that
//! only its owner can read.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// The bff, and the token for it.
#[derive(Deserialize)]
pub struct Credentials {
    /// The URL of the bff.
    pub url: String,
    /// A refresh token. It can be used once.
    pub refresh_token: SecretString,
}

/// Saves credentials for the next `chat`.
pub fn save(data_dir: &Path, credentials: &Credentials) -> anyhow::Result<()> {
    let path = path(data_dir);
    let text = serde_json::json!({ "url": credentials.url, "refresh_token": credentials.refresh_token.expose_secret() });
    let temporary = path.with_extension("new");
    let _ = std::fs::remove_file(&temporary);
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| file.write_all(text.to_string().as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, &path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The saved credentials, if there are any.
pub fn load(data_dir: &Path) -> Option<Credentials> {
    let text = std::fs::read(path(data_dir)).ok()?;
    serde_json::from_slice(&text).ok()
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("chat.json")
}
