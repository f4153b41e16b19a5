//! The files of the demonstration: its policy, its join graph, its secrets.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use field_service::Secrets;

/// The file with the key and the password, readable only by its owner.
const SECRETS: &str = "secrets.json";

/// The files of the demonstration.
pub struct Files {
    /// The folder of the files.
    pub folder: PathBuf,
    /// The key of the encrypted columns and the password of the read-only role.
    pub secrets: Secrets,
}

impl Files {
    /// Writes the files, and reads the secrets or generates new ones.
    pub fn prepare(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let folder = folder.canonicalize()?;
        for (name, contents) in field_service::FILES {
            fs::write(folder.join(name), contents).with_context(|| name.to_owned())?;
        }
        let path = folder.join(SECRETS);
        let secrets = if path.exists() {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            serde_json::from_str(&text).with_context(|| path.display().to_string())?
        } else {
            let secrets = Secrets::random();
            write_private(&path, &serde_json::to_string(&secrets)?)?;
            secrets
        };
        Ok(Self { folder, secrets })
    }

    /// Stores a secret in a separate file, readable only by its owner, and returns the path.
    pub fn keep_secret(&self, name: &str, secret: &str) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(name);
        write_private(&path, secret)?;
        Ok(path)
    }
}

/// Atomically replaces a file that only its owner can read.
fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let fresh = path.with_extension("new");
    if fresh.exists() {
        fs::remove_file(&fresh)?;
    }
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&fresh);
    file.and_then(|mut file| writeln!(file, "{text}"))
        .and_then(|()| fs::rename(&fresh, path))
        .with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secrets_are_made_once_and_kept_for_their_owner() {
        let folder = tempfile::tempdir().unwrap();
        let one = Files::prepare(&folder.path().join("demo")).unwrap();
        let two = Files::prepare(&folder.path().join("demo")).unwrap();
        assert!(one.secrets == two.secrets);
        let key = one.keep_secret("aes-key", "x").unwrap();
        let key = one
            .keep_secret("aes-key", "y")
            .map(|again| (key, again))
            .unwrap();
        assert_eq!(key.0, key.1);
        assert_eq!(fs::read_to_string(&key.0).unwrap(), "y\n");
        for name in [SECRETS, "aes-key"] {
            let mode = fs::metadata(one.folder.join(name))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        let explained = one.explained("mysql://root@h/fieldservice").unwrap();
        assert!(!explained.contains(&one.secrets.aes_key));
        assert!(
            explained.contains("tenant_ids = { demo = 1, rival = 2 }"),
            "{explained}"
        );
    }
}
