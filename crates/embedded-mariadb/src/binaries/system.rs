//! Finds servers that are installed on the system, and their files.

use std::path::{Path, PathBuf};

/// The folders of packaged servers outside the search path.
const PACKAGED: [&str; 5] = [
    // Debian and similar systems.
    "/usr/sbin",
    "/usr/local/sbin",
    // Red Hat and similar systems.
    "/usr/libexec",
    // Homebrew.
    "/opt/homebrew/opt/mariadb/bin",
    "/usr/local/opt/mariadb/bin",
];

/// The folders of the statements relative to the program, in packages and archives.
const SHARES: [&str; 6] = [
    "../share/mysql",
    "../share/mariadb",
    "../share",
    "../../share/mysql",
    "../../share/mariadb",
    "../../share",
];

/// The prefixes of the statements' files, newer releases last.
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

/// The folder with the statements for the system tables of the server `program`.
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
