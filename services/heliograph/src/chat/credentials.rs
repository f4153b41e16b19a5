//! How `chat` signs in at the services of the same machine: a refresh token in a file that only its owner reads.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// Where to sign in, and with what.
#[derive(Deserialize)]
pub struct Credentials {
    /// The bff.
    pub url: String,
    /// Works once.
    pub refresh_token: SecretString,
}

/// Keeps credentials for the next `chat`.
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
        .with_context(|| format!("{} can not be written", path.display()))
}

/// The credentials kept, if any.
pub fn load(data_dir: &Path) -> Option<Credentials> {
    let text = std::fs::read(path(data_dir)).ok()?;
    serde_json::from_slice(&text).ok()
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("chat.json")
}
