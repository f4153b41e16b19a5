//! Creates a data directory with the server's own statements for its system tables, and with one
//! administrator as the only account.

use std::fs;
use std::path::Path;
use std::time::Duration;

use provision::command;
use provision::server::ADMINISTRATOR;
use provision::server::data_dir::remove_folder;

use super::{Folder, create_private};
use crate::Error;
use crate::binaries::system::PREFIXES;
use crate::binaries::{Binaries, flag};

/// The required files of the server, in this order.
const STATEMENTS: [&str; 2] = ["system_tables.sql", "system_tables_data.sql"];

/// Settings of the bootstrap only. Nothing is synced, because losing a new, empty database in a
/// power failure is harmless.
const SETTINGS: [&str; 10] = [
    "--bootstrap",
    "--log-warnings=0",
    "--enforce-storage-engine=",
    "--max-allowed-packet=8M",
    "--debug-no-sync",
    "--innodb-flush-method=nosync",
    "--innodb-doublewrite=0",
    "--innodb-log-file-size=8M",
    "--innodb-buffer-pool-size=16M",
    "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
];

/// Creates the directory next to its final place and moves it, so that an incomplete data directory
/// is never used.
pub(super) async fn run(folder: &Folder, binaries: &Binaries) -> Result<(), Error> {
    let data = folder.root.join("data.new");
    remove_folder(&data)?;
    create_private(&data)?;
    create_private(&data.join("mysql"))?;
    let mut bootstrap = binaries.command(&data);
    bootstrap
        .arg(flag("--tmpdir=", &folder.temporary()))
        .args(SETTINGS);
    let statements = statements(&binaries.share, folder.password.as_str())?;
    command::run_with_input(bootstrap, statements, Duration::from_mins(2)).await?;
    fs::rename(&data, folder.data()).map_err(Error::io(&data))
}

/// The bootstrap reads statements from standard input, so the password is not visible in the list
/// of processes.
fn statements(share: &Path, password: &str) -> Result<String, Error> {
    let mut text = String::from(
        "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n",
    );
    for name in STATEMENTS {
        let paths = PREFIXES.map(|prefix| share.join(format!("{prefix}_{name}")));
        let path = paths.iter().find(|path| path.exists()).unwrap_or(&paths[0]);
        text += &fs::read_to_string(path).map_err(Error::io(path))?;
        text.push('\n');
    }
    // The files create root accounts without a password, which are removed. Letters and digits need
    // no quoting.
    let account = format!("'{ADMINISTRATOR}'@'127.0.0.1'");
    text.extend([
        "DELETE FROM global_priv;\nDELETE FROM proxies_priv;\nFLUSH PRIVILEGES;\n",
        &format!("CREATE USER {account} IDENTIFIED BY '{password}';\n"),
        &format!("GRANT ALL PRIVILEGES ON *.* TO {account} WITH GRANT OPTION;\n"),
    ]);
    Ok(text)
}
