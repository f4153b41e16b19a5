//! Reads files of unknown origin in a process of their own, within limits.
//!
//! A file may come from any source, and the libraries that read one were not written to resist an
//! attacker: a file of a kilobyte may inflate to gigabytes, and a thread that has begun cannot be
//! stopped. So the program starts itself once more for each file ([`run_if_asked`] is what it then
//! does, and nothing else): the child limits its own memory and processor time, takes its task and
//! the bytes from its standard input, does the work of one [`Job`], and writes frames to its
//! standard output. It has no environment and writes no file. The parent ([`Process`]) limits how
//! long it waits and how much it takes, then kills the child. Whatever happens to the child, only
//! one file is refused.
//!
//! A program calls [`run_if_asked`] with its jobs first thing in `main`:
//!
//! ```no_run
//! use limited_process::{ParentChannel, Job};
//!
//! fn count(channel: &mut ParentChannel) -> std::io::Result<()> {
//!     let length: u64 = channel.task()?;
//!     let bytes = channel.whole_input(length)?;
//!     channel.send(&bytes.len())
//! }
//!
//! limited_process::run_if_asked(&[Job { name: "count", run: count }]);
//! ```

mod child;
mod parent;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use child::{ParentChannel, run_if_asked, run_in_test};
pub use parent::{Error, Limits, Process};

/// A kind of work that a child does.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// The name by which the parent asks for it.
    pub name: &'static str,
    /// The work. An error means that the parent ended.
    pub run: fn(&mut ParentChannel) -> std::io::Result<()>,
}

/// The argument that makes a child of a program.
const ARGUMENT: &str = "file-reader";
/// The name, or part of it, of the test that makes a child of a test program.
const TEST: &str = "limited_process_child";
/// Set for the child alone: it keeps a test from working when it is only run as a test.
const VARIABLE: &str = "HELIOGRAPH_FILE_READER";
/// The whole environment of a child. An allocator that reserves address space ahead (mimalloc: a
/// GiB) would give the child that much beyond its limit.
pub const ENVIRONMENT: [(&str, &str); 2] = [(VARIABLE, "1"), ("MIMALLOC_ARENA_RESERVE", "0")];
/// Precedes the first frame: a test program writes lines of its own first.
const MARKER: &[u8] = b"\n\x01heliograph file\x01\n";
/// The exit code of a child that cannot begin, or whose parent ended.
const BROKEN: i32 = 70;
/// The exit code of a child whose work panicked.
const PANICKED: i32 = 71;

/// Whether `main` calls [`run_if_asked`].
static MAIN_READS: OnceLock<()> = OnceLock::new();

/// The first line of a child's input; the bytes of the file follow.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    job: String,
    /// Memory beyond what the program itself takes.
    memory_bytes: u64,
    /// Processor time.
    cpu_seconds: u64,
    task: Value,
}

/// Creates a test program able to read files: the test that it adds does so when the program is
/// started as a child, and nothing when it is run as a test.
#[macro_export]
macro_rules! limited_process_for_tests {
    ($jobs:expr) => {
        #[test]
        fn limited_process_child() {
            $crate::run_in_test($jobs);
        }
    };
}
