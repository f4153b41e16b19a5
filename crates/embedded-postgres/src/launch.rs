//! Starts PostgreSQL, detects when it is ready, and defines how it is stopped.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use provision::server::{self, Guard, Program, ServerProcess};

use crate::binaries::Binaries;
use crate::cluster::Folder;
use crate::{Durability, Error, Options};

/// The signals that stop a server, with the time limit of each.
const STOP_LIMITS: [(Signal, Duration); 3] = [
    // "Fast": ends sessions, writes a checkpoint.
    (Signal::SIGINT, Duration::from_secs(30)),
    // "Immediate": recovery at the next start.
    (Signal::SIGQUIT, Duration::from_secs(5)),
    (Signal::SIGKILL, Duration::from_secs(5)),
];

/// The script of the process guard: it sends the signals in order, and removes temporary data last.
const END: &str = r#"
    kill -INT "$server"
    wait_for_server
    kill -QUIT "$server"
    [ -z "$remove" ] || rm -rf -- "$remove"
"#;

/// The error while sessions of a killed server still exist. They end within moments.
const LINGERING: &str = "pre-existing shared memory block";

/// Starts the server and waits until it accepts connections.
pub(crate) async fn launch(
    binaries: &Binaries,
    folder: &Folder,
    options: &Options,
) -> Result<ServerProcess, Error> {
    let remove = match folder.durability {
        Durability::Durable => None,
        Durability::ThrowAway => Some(folder.root.as_path()),
    };
    let program = Program {
        name: "PostgreSQL",
        log: folder.log(),
        passing: &[LINGERING],
        stop: STOP_LIMITS.to_vec(),
        remove: remove.map(Path::to_owned),
    };
    let pid_file = folder.pid_file();
    let guard = Guard {
        name: "heliograph-postgres",
        pid_file: &pid_file,
        remove,
        end: END,
    };
    let command = |port| {
        let mut command = guard.command(&server(binaries, folder, port));
        folder.account.apply(&mut command);
        command
    };
    let is_ready = |pid| is_ready(&pid_file, pid);
    Ok(server::launch(program, options.port, command, is_ready).await?)
}

/// The command line of the server.
fn server(binaries: &Binaries, folder: &Folder, port: u16) -> Command {
    let mut server = Command::new(binaries.bin.join("postgres"));
    server.arg("-D").arg(folder.cluster());
    for setting in settings(port, folder.durability) {
        server.args(["-c", &setting]);
    }
    server
}

/// All settings that differ from the server's defaults. Nothing is written into the cluster.
fn settings(port: u16, durability: Durability) -> Vec<String> {
    let mut settings: Vec<String> = [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "synchronous_commit=off",
        "jit=off",
        "timezone=UTC",
        "log_timezone=UTC",
        "lc_messages=C",
    ]
    .map(str::to_owned)
    .into();
    settings.push(format!("port={port}"));
    settings.extend(
        match durability {
            Durability::Durable => ["max_connections=100"].as_slice(),
            // Tests run in parallel, one per core, each with a pool.
            Durability::ThrowAway => &["max_connections=300", "fsync=off", "full_page_writes=off"],
        }
        .iter()
        .map(|setting| (*setting).to_owned()),
    );
    settings
}

/// The eighth line of `postmaster.pid` contains the state of the server.
fn is_ready(pid_file: &Path, pid: Pid) -> bool {
    let text = fs::read_to_string(pid_file).unwrap_or_default();
    let mut lines = text.lines().map(str::trim);
    lines.next() == Some(&pid.to_string()) && lines.nth(6) == Some("ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_is_the_eighth_line_of_this_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("postmaster.pid");
        let pid = Pid::from_raw(42);
        assert!(!is_ready(&file, pid));
        fs::write(&file, "42\n/data\n1\n5432\n\n127.0.0.1\n  1 2\nstarting\n").unwrap();
        assert!(!is_ready(&file, pid));
        fs::write(&file, "42\n/data\n1\n5432\n\n127.0.0.1\n  1 2\nready   \n").unwrap();
        assert!(is_ready(&file, pid));
        assert!(!is_ready(&file, Pid::from_raw(43)));
    }
}
