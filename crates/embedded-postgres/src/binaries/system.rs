//! Finds servers that are installed on the system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use provision::command;

/// The folders of packaged servers: `<prefix>/<version>/<suffix>`, one per version.
const PACKAGED: [(&str, &str); 4] = [
    // Debian and Ubuntu, whose programs are not on the search path.
    ("/usr/lib/postgresql", "bin"),
    // The project's own packages for Red Hat and similar systems: /usr/pgsql-17/bin.
    ("/usr", "bin"),
    // Homebrew: <prefix>/postgresql@17/bin.
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
];

/// Folders with a `postgres` program, without duplicates.
pub(super) async fn folders() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = PACKAGED
        .iter()
        .flat_map(|(prefix, suffix)| packaged(Path::new(prefix), suffix))
        .collect();
    found.extend(search_path());
    let mut pg_config = Command::new("pg_config");
    pg_config.arg("--bindir");
    if let Ok(folder) = command::run(pg_config, Duration::from_secs(10)).await {
        found.push(PathBuf::from(folder.trim()));
    }
    keep_servers(found)
}

fn packaged(prefix: &Path, suffix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(prefix).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().join(suffix)).collect()
}

/// The search path of a shell.
fn search_path() -> Vec<PathBuf> {
    std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default()
}

/// Follows links and removes folders without a server.
fn keep_servers(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut servers: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let Ok(program) = folder.join("postgres").canonicalize() else {
            continue;
        };
        let Some(home) = program.parent() else {
            continue;
        };
        if !servers.iter().any(|known| known == home) {
            servers.push(home.to_path_buf());
        }
    }
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_a_server_lead_to_its_folder_once() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap().join("lib/17/bin");
        let links = root.path().join("links");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&links).unwrap();
        fs::write(home.join("postgres"), "").unwrap();
        std::os::unix::fs::symlink(home.join("postgres"), links.join("postgres")).unwrap();
        let candidates = packaged(&root.path().join("lib"), "bin");
        assert_eq!(
            keep_servers([candidates, vec![links, root.path().join("absent")]].concat()),
            [home]
        );
    }
}
