//! Reading a file in a process of its own: the child reads its tables and sends them as lines for
//! `COPY`, so that their cells are never in the memory of the service.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use contracts::targets::{JoinDecision, SpreadsheetPreview};
use limited_process::{Error, Job, Limits, ParentChannel, Process};
use serde::{Deserialize, Serialize};

use super::load::lines;
use super::read::Keys;
use super::types::SQL_TYPES;
use super::{Book, Said, SheetError, Wanted};
use crate::added_targets::config::AddedTargetsConfig;

/// Reading a file of tables.
pub(crate) const JOB: Job = Job {
    name: "tables",
    run: work,
};

/// Maximum length of a cell without text, as a line has it: a number, a day, a time.
const PLAIN_CELL: u64 = 40;

/// The child's task; the bytes of the file follow.
#[derive(Serialize, Deserialize)]
struct Task {
    filename: String,
    said: Said,
    length: u64,
    config: AddedTargetsConfig,
    wants: Wants,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Wants {
    Preview,
    Rows,
}

/// The child's first frame. The lines of each table follow `Tables`, then an empty frame.
#[derive(Serialize, Deserialize)]
enum Reply {
    Invalid(String),
    Preview(SpreadsheetPreview),
    Tables(Outline),
}

/// The tables of a file without their rows.
#[derive(Serialize, Deserialize)]
pub(super) struct Outline {
    pub(super) format: String,
    pub(super) rows: u64,
    pub(super) tables: Vec<OutlineTable>,
    /// The foreign keys that the file declares.
    pub(super) joins: Vec<JoinDecision>,
    /// The other keys that it declares.
    pub(super) keys: Keys,
    /// Remarks for answers about a table (`table`) or a column (`table.column`).
    pub(super) remarks: BTreeMap<String, String>,
    /// Notes for the person on the reading of the file.
    pub(super) notes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct OutlineTable {
    pub(super) name: String,
    pub(super) columns: Vec<OutlineColumn>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct OutlineColumn {
    pub(super) name: String,
    /// The name that people use, with the unit of its numbers.
    pub(super) header: String,
    /// The type in PostgreSQL.
    pub(super) sql: String,
}

/// A file whose rows a child has in hand.
pub(super) struct Rows {
    process: Process,
    config: AddedTargetsConfig,
}

fn work(channel: &mut ParentChannel) -> io::Result<()> {
    let task: Task = channel.task()?;
    let wanted = Wanted {
        filename: task.filename,
        said: task.said,
        bytes: channel.whole_input(task.length)?,
    };
    let book = match wanted.read(&task.config) {
        Ok(book) => book,
        Err(SheetError::Invalid(why)) => return channel.send(&Reply::Invalid(why)),
        Err(error) => return Err(io::Error::other(error)),
    };
    match task.wants {
        Wants::Preview => channel.send(&Reply::Preview(book.preview())),
        Wants::Rows => {
            channel.send(&Reply::Tables(book.outline()))?;
            for table in &book.tables {
                lines(table, &mut |lines| channel.send_bytes(lines))?;
                channel.send_bytes(&[])?;
            }
            Ok(())
        }
    }
}

impl Book {
    fn outline(&self) -> Outline {
        let rows = self.tables.iter().map(|table| table.rows.len() as u64);
        let tables = self.tables.iter().map(|table| {
            let columns = table.columns.iter().map(|column| OutlineColumn {
                name: column.name.clone(),
                header: if column.guess.is_percent() {
                    format!("{} (percent)", column.header)
                } else {
                    column.header.clone()
                },
                sql: column.guess.sql().to_owned(),
            });
            OutlineTable {
                name: table.name.clone(),
                columns: columns.collect(),
            }
        });
        Outline {
            format: self.format.to_owned(),
            rows: rows.sum(),
            tables: tables.collect(),
            joins: self.joins.clone(),
            keys: self.keys.clone(),
            remarks: self.remarks.clone(),
            notes: self.notes.clone(),
        }
    }
}

/// The tables of a file, as a person sees them.
pub(super) async fn preview(
    wanted: Wanted,
    config: &AddedTargetsConfig,
) -> Result<SpreadsheetPreview, SheetError> {
    let (process, reply) = start(wanted, config, Wants::Preview).await?;
    let Reply::Preview(preview) = reply else {
        return Err(unexpected());
    };
    process
        .finish()
        .await
        .map_err(|error| refused(error, config))?;
    Ok(preview)
}

/// The tables of a file, and their rows to be taken.
pub(super) async fn rows(
    wanted: Wanted,
    config: &AddedTargetsConfig,
) -> Result<(Outline, Rows), SheetError> {
    let (process, reply) = start(wanted, config, Wants::Rows).await?;
    let Reply::Tables(outline) = reply else {
        return Err(unexpected());
    };
    let columns = outline.tables.iter().flat_map(|table| &table.columns);
    let mut types = columns.map(|column| column.sql.as_str());
    if !types.all(|sql| SQL_TYPES.contains(&sql)) {
        return Err(unexpected());
    }
    let rows = Rows {
        process,
        config: config.clone(),
    };
    Ok((outline, rows))
}

async fn start(
    wanted: Wanted,
    config: &AddedTargetsConfig,
    wants: Wants,
) -> Result<(Process, Reply), SheetError> {
    let task = Task {
        filename: wanted.filename,
        said: wanted.said,
        length: wanted.bytes.len() as u64,
        config: config.clone(),
        wants,
    };
    let begun = async {
        let mut process = Process::start(&JOB, &task, limits(config)).await?;
        process.send_bytes(&wanted.bytes).await?;
        let reply = process.value().await?;
        Ok((process, reply))
    };
    match begun.await {
        Ok((_, Reply::Invalid(why))) => Err(SheetError::Invalid(why)),
        Ok(begun) => Ok(begun),
        Err(error) => Err(refused(error, config)),
    }
}

impl Rows {
    /// The next lines of the present table. `None` at its end; the next table follows.
    pub(super) async fn lines(&mut self) -> Result<Option<Vec<u8>>, SheetError> {
        let frame = self.process.frame().await;
        let frame = frame.map_err(|error| refused(error, &self.config))?;
        let frame = frame.ok_or_else(unexpected)?;
        Ok(Some(frame).filter(|frame| !frame.is_empty()))
    }

    /// After the last table.
    pub(super) async fn finish(self) -> Result<(), SheetError> {
        let Self { process, config } = self;
        process
            .finish()
            .await
            .map_err(|error| refused(error, &config))
    }
}

fn limits(config: &AddedTargetsConfig) -> Limits {
    let time = Duration::from_millis(config.file_timeout_ms);
    let cells = config.file_cells.saturating_mul(PLAIN_CELL);
    Limits {
        memory_bytes: config.file_memory_bytes,
        cpu: time,
        silence: time,
        whole: None,
        // A line feed of a cell becomes two letters.
        output_bytes: cells.saturating_add(super::read::unpacked(config).saturating_mul(2)),
    }
}

/// Why a file was not read, in words for the person where the file is at fault.
fn refused(error: Error, config: &AddedTargetsConfig) -> SheetError {
    let mebibytes = |bytes: u64| bytes / (1024 * 1024);
    SheetError::Invalid(match error {
        Error::TimeLimit => format!(
            "The file takes longer to read than the {} seconds that it may. Load a part of it.",
            config.file_timeout_ms / 1000
        ),
        Error::MemoryLimit { limit } => format!(
            "The file takes more memory to read than the {} MiB that it may. Load a part of it.",
            mebibytes(limit)
        ),
        Error::OutputLimit { limit } => format!(
            "The tables of the file have more than {} MiB. Load a part of it.",
            mebibytes(limit)
        ),
        Error::Unreadable => "The file cannot be read: its structure makes no sense.".to_owned(),
        Error::Failed(_) => return SheetError::Process(error),
    })
}

fn unexpected() -> SheetError {
    let what = io::Error::other("it did not say what it was asked for");
    SheetError::Process(Error::Failed(what))
}
