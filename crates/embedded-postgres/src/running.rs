//! Finds the private server of another process.

use std::fs;
use std::path::Path;

use provision::server::{ADMINISTRATOR, Kind};

use crate::Postgres;

/// The line of `postmaster.pid` with the port.
const PORT_LINE: usize = 3;

/// The address of a database in the server that another process runs on these data
/// (`Options::data_dir`, or the folder in [`InUse`](provision::server::Error::InUse)). Returns
/// `None` if the files of a running server are missing or unreadable. The address contains the
/// superuser's password: do not log it.
pub fn url_of_running(data_dir: &Path, database: &str) -> Option<String> {
    let password = fs::read_to_string(data_dir.join("password")).ok()?;
    let pid_file = fs::read_to_string(data_dir.join("cluster/postmaster.pid")).ok()?;
    let port: u16 = pid_file.lines().nth(PORT_LINE)?.trim().parse().ok()?;
    Some(Postgres::url(
        ADMINISTRATOR,
        password.trim(),
        port,
        database,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_server_is_found_by_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(url_of_running(root, "x"), None);
        fs::create_dir(root.join("cluster")).unwrap();
        fs::write(root.join("password"), "Secret1\n").unwrap();
        let pid_file = "123\n/data\n1790000000\n5433\n/tmp\nlocalhost\n";
        fs::write(root.join("cluster/postmaster.pid"), pid_file).unwrap();
        assert_eq!(
            url_of_running(root, "x").unwrap(),
            "postgres://heliograph:Secret1@127.0.0.1:5433/x?sslmode=disable"
        );
        fs::write(root.join("cluster/postmaster.pid"), "123\n").unwrap();
        assert_eq!(url_of_running(root, "x"), None, "it is only starting");
    }
}
