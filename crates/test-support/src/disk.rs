//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use tempfile::TempDir;

/// A file system of a few megabytes in memory, unmounted when this value is dropped.
pub struct SmallDisk {
    folder: TempDir,
    megabytes: usize,
}

impl SmallDisk {
    /// A disk of one megabyte; `None` without permission to mount one.
    pub fn mounted() -> anyhow::Result<Option<Self>> {
        Self::of(1)
    }

    /// One with this many megabytes; `None` where the test may not mount one.
    pub fn of(megabytes: usize) -> anyhow::Result<Option<Self>> {
        let folder = tempfile::tempdir().context("no folder")?;
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(folder.path())
            .output();
        let mounted = mount.is_ok_and(|mount| mount.status.success());
        Ok(mounted.then_some(Self { folder, megabytes }))
    }

    /// The position.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves no room on it.
    pub fn fill(&self) -> anyhow::Result<()> {
        match std::fs::write(self.ballast(), vec![1_u8; (self.megabytes + 1) << 20]) {
            Ok(()) => anyhow::bail!("the disk is larger than it should be"),
            Err(_full) => Ok(()),
        }
    }

    /// Frees the space again.
    pub fn clear(&self) -> anyhow::Result<()> {
        Ok(std::fs::remove_file(self.ballast())?)
    }

    fn ballast(&self) -> std::path::PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a connection may be closing on a thread of its own. What fails here leaves an
        // empty folder behind.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
