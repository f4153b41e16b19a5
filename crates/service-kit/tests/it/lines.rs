//! Log lines, kept for a test to read.

use std::io::Write;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// Log lines, kept.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    pub(crate) fn writer(&self) -> BoxMakeWriter {
        let lines = self.clone();
        BoxMakeWriter::new(move || lines.clone())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines with this in them.
    pub(crate) fn with(&self, part: &str) -> Vec<String> {
        let text = self.text();
        let lines = text.lines().filter(|line| line.contains(part));
        lines.map(str::to_owned).collect()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
