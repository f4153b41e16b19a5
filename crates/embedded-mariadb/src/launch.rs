//! Starts MariaDB, detects when it is ready, and defines how it is stopped.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use provision::server::data_dir::remove_file;
use provision::server::{self, Guard, Program, ServerProcess};

use crate::binaries::{Binaries, flag};
use crate::folder::Folder;
use crate::{Durability, Error, Options};

const ASK: (Signal, Duration) = (Signal::SIGTERM, Duration::from_secs(30));
/// The next start recovers the data, if they are durable.
const DEMAND: (Signal, Duration) = (Signal::SIGKILL, Duration::from_secs(5));

/// The script of the process guard: it sends the signals in order. Temporary data need no orderly
/// shutdown.
const END: &str = r#"
    if [ -n "$remove" ]; then
      kill -KILL "$server"
      rm -rf -- "$remove" || { sleep 1; rm -rf -- "$remove"; }
      exit 0
    fi
    kill -TERM "$server"
    wait_for_server
    [ ! -e "$pid_file" ] || kill -KILL "$server"
"#;

/// Starts the server and waits until it accepts connections.
pub(crate) async fn launch(
    binaries: &Binaries,
    folder: &Folder,
    options: &Options,
) -> Result<ServerProcess, Error> {
    let (stop, remove) = match folder.durability {
        Durability::Durable => (vec![ASK, DEMAND], None),
        Durability::ThrowAway => (vec![DEMAND], Some(folder.root.as_path())),
    };
    let log = folder.log();
    let program = Program {
        name: "MariaDB",
        log: log.clone(),
        passing: &[],
        stop,
        remove: remove.map(Path::to_owned),
    };
    let guard = Guard {
        name: "heliograph-mariadb",
        pid_file: &folder.pid_file(),
        remove,
        end: END,
    };
    let command = |port| {
        let mut command = guard.command(&server(binaries, folder, port));
        binaries.apply(&mut command);
        command
    };
    let is_ready = |_| is_ready(&log);
    let port_file = folder.port_file();
    // That of an earlier start would lead to another server.
    remove_file(&port_file)?;
    let process = server::launch(program, options.port, command, is_ready).await?;
    fs::write(&port_file, process.port().to_string()).map_err(Error::io(&port_file))?;
    Ok(process)
}

/// The command line of the server, with all settings that differ from its defaults.
fn server(binaries: &Binaries, folder: &Folder, port: u16) -> Command {
    let mut server = binaries.command(&folder.data());
    server.arg(flag("--pid-file=", &folder.pid_file()));
    server.arg(flag("--secure-file-priv=", &folder.files()));
    server.arg(flag("--tmpdir=", &folder.temporary()));
    server.arg(format!("--port={port}"));
    server.args([
        "--bind-address=127.0.0.1",
        "--socket=",
        "--skip-name-resolve",
        "--skip-log-bin",
        "--local-infile=0",
        "--performance-schema=OFF",
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_unicode_ci",
        "--default-time-zone=+00:00",
        "--innodb-log-file-size=16M",
        "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
        "--aria-pagecache-buffer-size=8M",
        "--key-buffer-size=1M",
        "--log-warnings=1",
    ]);
    server.args(match folder.durability {
        Durability::Durable => [
            "--max-connections=100",
            "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=2",
        ]
        .as_slice(),
        // Tests run in parallel, one per core, each with a pool.
        Durability::ThrowAway => &[
            "--max-connections=300",
            "--innodb-buffer-pool-size=48M",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--innodb-doublewrite=0",
            "--debug-no-sync",
        ],
    });
    server
}

/// The server writes a line to its log when it is ready.
fn is_ready(log: &Path) -> bool {
    let text = fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&text).contains("ready for connections")
}
