//! Finds the private server of another process.

use std::fs;
use std::path::Path;

use provision::server::{ADMINISTRATOR, Kind};

use crate::MariaDb;
use crate::folder::PORT_FILE;

/// The address of a database in the server that another process runs on these data
/// (`Options::data_dir`, or the folder in [`InUse`](provision::server::Error::InUse)). `None` while
/// it is only starting. The address contains the administrator's password: do not log it.
pub fn url_of_running(data_dir: &Path, database: &str) -> Option<String> {
    let password = fs::read_to_string(data_dir.join("password")).ok()?;
    let port = fs::read_to_string(data_dir.join(PORT_FILE)).ok()?;
    let port: u16 = port.trim().parse().ok()?;
    Some(MariaDb::url(ADMINISTRATOR, password.trim(), port, database))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_server_is_found_by_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("password"), "Secret1\n").unwrap();
        assert_eq!(
            url_of_running(folder.path(), "x"),
            None,
            "it is only starting"
        );
        fs::write(folder.path().join(PORT_FILE), "3307").unwrap();
        assert_eq!(
            url_of_running(folder.path(), "x").unwrap(),
            "mysql://heliograph:Secret1@127.0.0.1:3307/x?ssl-mode=DISABLED"
        );
    }
}
