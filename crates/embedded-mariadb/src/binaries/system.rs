//! Servers that the system already has, and what belongs to a server.

use std::path::{Path, PathBuf};

/// Where packages put the server when that is not on a user's search path.
const PACKAGED: [&str; 5] = [
    // Debian and its kin.
    "/usr/sbin",
    "/usr/local/sbin",
    // Red Hat and its kin.
    "/usr/libexec",
    // Homebrew.
    "/opt/homebrew/opt/mariadb/bin",
    "/usr/local/opt/mariadb/bin",
];

/// Where the statements are, seen from the folder of the program: packages, archives.
const SHARES: [&str; 6] = [
    "../share/mysql",
    "../share/mariadb",
    "../share",
    "../../share/mysql",
    "../../share/mariadb",
    "../../share",
];

/// What the statements' files are called, newer releases last.
pub(crate) const PREFIXES: [&str; 2] = ["mysql", "mariadb"];

/// Every `mariadbd` of the system, those on the search path first.
pub(super) fn programs() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(PACKAGED.map(PathBuf::from));
    let mut programs: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if let Ok(program) = folder.join("mariadbd").canonicalize()
            && !programs.contains(&program)
        {
            programs.push(program);
        }
    }
    programs
}

/// The folder with the statements that make the system tables, for the server `program`.
pub(super) fn share(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let candidates = SHARES.iter().map(|share| folder.join(share));
    let share = candidates.into_iter().find(|share| {
        PREFIXES
            .iter()
            .any(|prefix| share.join(format!("{prefix}_system_tables.sql")).is_file())
    })?;
    share.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_under_either_name_and_nowhere_else() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("sbin/mariadbd");
        std::fs::create_dir_all(root.path().join("sbin")).unwrap();
        std::fs::create_dir_all(root.path().join("share/mysql")).unwrap();
        std::fs::create_dir_all(root.path().join("share/mariadb")).unwrap();
        assert_eq!(share(&program), None);
        let share_dir = root.path().join("share/mariadb");
        std::fs::write(share_dir.join("mariadb_system_tables.sql"), "").unwrap();
        assert_eq!(share(&program), share_dir.canonicalize().ok());
    }
}
