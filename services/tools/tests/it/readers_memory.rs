//! The memory of the process that reads a file is limited, whatever allocator the program has.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use knowledge::{ChunkSettings, MediaType};
use limited_process::ENVIRONMENT;
use serde_json::{Value, json};
use tools::added_targets::config::AddedTargetsConfig;

const MEMORY: u64 = 64 << 20;

/// Far less than an allocator reserves that reserves at all.
const MOST: u64 = 512 << 20;

/// The limit of a process's address space, if it has one.
fn limit(pid: u32) -> Option<u64> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"));
    line.unwrap().split_whitespace().next()?.parse().ok()
}

/// The limit of a child with this task, whose file does not come.
fn limit_of(job: &str, task: &Value) -> u64 {
    let program = Path::new(env!("CARGO_BIN_EXE_heliograph-tools"));
    let mut child = Command::new(program)
        .arg("file-reader")
        .env_clear()
        .envs(ENVIRONMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let header = json!({ "job": job, "memory_bytes": MEMORY, "cpu_seconds": 5, "task": task });
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{header}").unwrap();
    let begun = Instant::now();
    let limit = loop {
        if let Some(limit) = limit(child.id()) {
            break limit;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{job} has a limit"
        );
        std::thread::sleep(Duration::from_millis(10));
    };
    drop(stdin);
    child.wait().unwrap();
    limit
}

#[test]
fn a_reader_reserves_no_memory_before_its_limit_is_set() {
    let chunks = ChunkSettings {
        size: 800,
        overlap: 0,
    };
    let document = json!({
        "kind": MediaType::PlainText, "length": 1, "chunks": chunks, "max_chunks": 1,
    });
    let tables = json!({
        "filename": "a.csv", "types": [], "length": 1, "config": AddedTargetsConfig::default(),
        "wants": "Preview",
    });
    let options = json!({ "site": "roof", "timezone": "UTC", "ignore_offset": false });
    let readings = json!({
        "filename": "a.csv", "size": 1, "options": options, "shape": { "Open": [] },
    });
    let program = Path::new(env!("CARGO_BIN_EXE_heliograph-tools"));
    let file = std::fs::metadata(program).unwrap().len();
    for (job, task) in [
        ("document", document),
        ("tables", tables),
        ("readings", readings),
    ] {
        let own = limit_of(job, &task) - MEMORY;
        assert!(
            own < file + MOST,
            "{job}: {} MiB before it reads",
            own >> 20
        );
    }
}
