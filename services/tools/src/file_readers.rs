//! The processes that read uploaded files: documents, tables that become targets, files of
//! loggers. No file is read in any other way; what is parsed in this process is only what
//! `POST /api/measurements` streams, a row of limited length at a time.

use limited_process::Job;

use crate::{added_targets, imports};

/// The jobs of a child of this service.
const JOBS: [Job; 3] = [
    knowledge::reader_process::JOB,
    added_targets::JOB,
    imports::JOB,
];

/// Reads a file, if this process was started for that, and ends it. Programs that run this service
/// call it first thing in their `main`.
pub fn run_if_asked() {
    limited_process::run_if_asked(&JOBS);
}

/// The work of the test that [`file_readers_for_tests`](crate::file_readers_for_tests) adds.
pub fn run_in_test() {
    limited_process::run_in_test(&JOBS);
}

/// Creates a test program able to read files; see [`limited_process::limited_process_for_tests`].
#[macro_export]
macro_rules! file_readers_for_tests {
    () => {
        #[test]
        fn limited_process_child() {
            $crate::file_readers::run_in_test();
        }
    };
}
