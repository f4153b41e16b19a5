//! Saved sign-ins: refresh tokens in files that only their owner can read. `chat.json` has the one
//! for the services on the same machine, `sign-ins.json` those for other servers.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

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
    let text = serde_json::json!({ "url": credentials.url, "refresh_token": credentials.refresh_token.expose_secret() });
    write(&path(data_dir), &text.to_string())
}

/// The saved credentials, if there are any.
pub fn load(data_dir: &Path) -> Option<Credentials> {
    let text = std::fs::read(path(data_dir)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// A saved sign-in at a server.
#[derive(Clone, Serialize, Deserialize)]
pub struct SavedSignIn {
    /// The URL of the bff.
    pub url: String,
    /// The account.
    pub user: String,
    /// A refresh token. It can be used once.
    #[serde(serialize_with = "exposed")]
    pub refresh_token: SecretString,
}

/// The saved sign-in of an account at a server; without an account, the latest one there.
pub fn load_sign_in(data_dir: &Path, url: &str, user: Option<&str>) -> Option<SavedSignIn> {
    let fits = |saved: &SavedSignIn| saved.url == url && user.is_none_or(|user| saved.user == user);
    sign_ins(data_dir).into_iter().rev().find(fits)
}

/// Saves a sign-in, in place of one of the same account at the same server.
pub fn save_sign_in(data_dir: &Path, saved: SavedSignIn) -> anyhow::Result<()> {
    let mut all = sign_ins(data_dir);
    all.retain(|other| (&other.url, &other.user) != (&saved.url, &saved.user));
    all.push(saved);
    write(&sign_ins_path(data_dir), &serde_json::to_string(&all)?)
}

/// Forgets the sign-ins at a server; those of one account if it is given.
pub fn forget_sign_ins(data_dir: &Path, url: &str, user: Option<&str>) -> anyhow::Result<()> {
    let mut all = sign_ins(data_dir);
    all.retain(|saved| saved.url != url || user.is_some_and(|user| saved.user != user));
    write(&sign_ins_path(data_dir), &serde_json::to_string(&all)?)
}

/// Waits for other commands that use saved sign-ins: a refresh token works once, and two commands
/// that use the same one would end the sign-in. The lock ends with the file that is returned.
pub fn lock(data_dir: &Path) -> anyhow::Result<std::fs::File> {
    embedded_postgres::make_private_folder(data_dir)?;
    let path = data_dir.join("sign-ins.lock");
    let file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    file.lock()
        .with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

fn sign_ins(data_dir: &Path) -> Vec<SavedSignIn> {
    let text = std::fs::read(sign_ins_path(data_dir)).ok();
    text.and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default()
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let temporary = path.with_extension("new");
    let _ = std::fs::remove_file(&temporary);
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn exposed<S: serde::Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("chat.json")
}

/// The file with the sign-ins at servers.
pub fn sign_ins_path(data_dir: &Path) -> PathBuf {
    data_dir.join("sign-ins.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_in(url: &str, user: &str, token: &str) -> SavedSignIn {
        SavedSignIn {
            url: url.to_owned(),
            user: user.to_owned(),
            refresh_token: token.to_owned().into(),
        }
    }

    #[test]
    fn a_sign_in_is_kept_for_each_server_and_account() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let _lock = lock(folder.path())?;
        let token = |url, user| {
            let saved = load_sign_in(folder.path(), url, user)?;
            Some(saved.refresh_token.expose_secret().to_owned())
        };
        for saved in [
            sign_in("http://a", "ada", "1"),
            sign_in("http://a", "bob", "2"),
            sign_in("http://b", "ada", "3"),
            sign_in("http://a", "ada", "4"),
        ] {
            save_sign_in(folder.path(), saved)?;
        }
        assert_eq!(token("http://a", Some("ada")).as_deref(), Some("4"));
        assert_eq!(token("http://a", Some("bob")).as_deref(), Some("2"));
        assert_eq!(
            token("http://a", None).as_deref(),
            Some("4"),
            "the latest one"
        );
        forget_sign_ins(folder.path(), "http://a", Some("ada"))?;
        assert_eq!(token("http://a", None).as_deref(), Some("2"));
        forget_sign_ins(folder.path(), "http://a", None)?;
        assert_eq!(token("http://a", None), None);
        assert_eq!(token("http://b", None).as_deref(), Some("3"));
        Ok(())
    }
}
