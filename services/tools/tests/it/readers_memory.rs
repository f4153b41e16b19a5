//! The memory of the process that reads a document is limited, whatever allocator the program has.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use knowledge::reader_process::ENVIRONMENT;
use knowledge::{ChunkSettings, MediaType};
use serde_json::json;

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

#[test]
fn a_reader_reserves_no_memory_before_its_limit_is_set() {
    let program = Path::new(env!("CARGO_BIN_EXE_heliograph-tools"));
    let mut child = Command::new(program)
        .arg("document-reader")
        .env_clear()
        .envs(ENVIRONMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let chunks = ChunkSettings {
        size: 800,
        overlap: 0,
    };
    let job = json!({
        "kind": MediaType::PlainText, "length": 1, "chunks": chunks, "max_chunks": 1,
        "memory_bytes": MEMORY, "cpu_seconds": 5,
    });
    // The document does not come, so the reader stays.
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{job}").unwrap();
    let begun = Instant::now();
    let limit = loop {
        if let Some(limit) = limit(child.id()) {
            break limit;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it has a limit");
        std::thread::sleep(Duration::from_millis(10));
    };
    drop(stdin);
    child.wait().unwrap();
    let file = std::fs::metadata(program).unwrap().len();
    let own = limit - MEMORY;
    assert!(own < file + MOST, "{} MiB before it reads", own >> 20);
}
