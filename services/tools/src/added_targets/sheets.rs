//! Files of tables as targets: "ask your spreadsheet".
//!
//! A file is read in a process of its own (`process`): as text (`read`), the types of its columns
//! are guessed (`types`). Its tables are loaded into a schema of their own in this service's
//! database (`load`), in one transaction with the row of the target: a load that breaks off leaves
//! nothing behind. The schema is read by a role of the tenant's own that may use nothing else, if
//! this service may create roles; otherwise by the service's role, with this schema alone in its
//! path and in transactions that only read. The guard knows no table of any other schema either
//! way.

mod blanks;
mod columns;
mod heading;
mod load;
mod parquet_file;
mod process;
mod read;
mod totals;
mod types;

use std::collections::BTreeMap;

use contracts::targets::{
    JoinDecision, SheetColumn, SheetReading, SheetTable, SpreadsheetPreview, TargetFile,
};
use serde::{Deserialize, Serialize};
use service_kit::clock::SharedClock;
use sqlx::PgPool;

use super::config::AddedTargetsConfig;
use super::settings::{Settings, SheetPlace};
use super::{AddedTargets, Sheet, Stored, TargetKind, store};

pub(super) use load::drop_schema;
pub(crate) use process::JOB;
pub(crate) use read::SheetError;
pub(crate) use types::Asked;

/// Rows that a preview shows.
const SHOWN_ROWS: usize = 10;
/// Length at which a preview cuts a cell.
const SHOWN_CHARS: usize = 200;

/// A file to be read, and what a person said about it.
pub(crate) struct Wanted {
    pub(crate) filename: String,
    pub(crate) said: Said,
    pub(crate) bytes: Vec<u8>,
}

/// A person's corrections of the reading of a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Said {
    /// Other types than the guessed ones, by column.
    pub(crate) types: Vec<(String, Asked)>,
    /// Rows that are sums of others are kept.
    pub(crate) keep_totals: bool,
    /// Whether the first row has the names of the columns.
    pub(crate) has_names: Option<bool>,
}

/// The tables of a file, with the types of their columns.
struct Book {
    format: &'static str,
    tables: Vec<Table>,
    notes: Vec<String>,
    /// The foreign keys that the file declares.
    joins: Vec<JoinDecision>,
    /// The other keys that it declares.
    keys: read::Keys,
    /// Remarks for answers about a table (`table`) or a column (`table.column`).
    remarks: BTreeMap<String, String>,
}

/// A table as it is loaded.
struct Table {
    name: String,
    source: String,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// The numbers of the rows that are left out as sums of others.
    left_out: Vec<u64>,
}

/// A column as it is loaded.
struct Column {
    name: String,
    header: String,
    guess: types::Guess,
    /// Another form of its cells, with other values.
    other: Option<types::Guess>,
    empty: u64,
}

impl Wanted {
    /// The types of `table.column:type,…` or `table.column:type/form,…`.
    pub(crate) fn types(text: &str) -> Result<Vec<(String, Asked)>, String> {
        let parts = text.split(',').map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (column, kind) = part
                    .rsplit_once(':')
                    .ok_or_else(|| format!("'{part}' is not `table.column:type`"))?;
                let asked = Asked::parse(kind.trim()).ok_or_else(|| {
                    format!(
                        "'{part}' has no type of text, integer, number, boolean, date and \
                         timestamp, or another form than number/point, number/comma, date/ymd, \
                         date/dmy and date/mdy (timestamps likewise)"
                    )
                })?;
                Ok((column.trim().to_owned(), asked))
            })
            .collect()
    }

    fn read(self, config: &AddedTargetsConfig) -> Result<Book, SheetError> {
        let found = read::read(&self.filename, self.bytes, self.said.has_names, config)?;
        let mut book = Book {
            format: found.format,
            tables: Vec::new(),
            notes: found.notes,
            joins: found.joins,
            keys: found.keys,
            remarks: BTreeMap::new(),
        };
        let types = &self.said.types;
        let mut unknown: Vec<&(String, Asked)> = types.iter().collect();
        for mut raw in found.tables {
            let mut left_out = Vec::new();
            if !self.said.keep_totals {
                let totals = totals::take(&mut raw);
                let notes = totals.notes.iter();
                book.notes
                    .extend(notes.map(|note| format!("“{}”: {note}", raw.source)));
                let remark = totals.remark.map(|remark| (raw.name.clone(), remark));
                book.remarks.extend(remark);
                left_out = totals.left_out;
            }
            unknown.retain(|(column, _)| !raw.has_column(column));
            let columns = columns::of(&mut raw, types, &left_out, &mut book)?;
            book.tables.push(Table {
                name: raw.name,
                source: raw.source,
                columns,
                rows: raw.rows,
                left_out,
            });
        }
        if let Some((column, _)) = unknown.first() {
            return Err(SheetError::Invalid(format!(
                "There is no column `{column}`. Name columns as the preview does: table.column."
            )));
        }
        Ok(book)
    }
}

impl Book {
    fn preview(&self) -> SpreadsheetPreview {
        let shown = |cell: &String| match cell.char_indices().nth(SHOWN_CHARS) {
            Some((at, _)) => format!("{}…", &cell[..at]),
            None => cell.clone(),
        };
        let tables = self.tables.iter().map(|table| SheetTable {
            name: table.name.clone(),
            source: table.source.clone(),
            rows: table.rows.len() as u64,
            left_out: table.left_out.clone(),
            columns: table
                .columns
                .iter()
                .enumerate()
                .map(|(at, column)| SheetColumn {
                    name: column.name.clone(),
                    header: column.header.clone(),
                    kind: column.guess.kind,
                    empty: column.empty,
                    reading: table.reading(at, &column.guess),
                    other: column.other.and_then(|other| table.reading(at, &other)),
                })
                .collect(),
            first_rows: table
                .rows
                .iter()
                .take(SHOWN_ROWS)
                .map(|row| row.iter().map(shown).collect())
                .collect(),
        });
        SpreadsheetPreview {
            format: self.format.to_owned(),
            tables: tables.collect(),
            notes: self.notes.clone(),
        }
    }
}

impl Table {
    /// How the cells of a column are read, by one that shows it: of two meanings, or at least
    /// written differently from its value.
    fn reading(&self, at: usize, guess: &types::Guess) -> Option<SheetReading> {
        let other = self.columns[at].other;
        let shows = |cell: &&str| match &other {
            Some(other) => other.value(cell) != self.columns[at].guess.value(cell),
            None => guess.value(cell).is_some_and(|value| value != **cell),
        };
        let mut cells = self.rows.iter().filter_map(|row| row.get(at));
        let cell = cells.find_map(|cell| {
            Some(cell.as_str())
                .filter(|cell| !cell.is_empty())
                .filter(shows)
        })?;
        Some(SheetReading {
            form: guess.name(),
            cell: cell.to_owned(),
            value: guess.shown(cell)?,
        })
    }
}

impl AddedTargets {
    /// The tables of a file. Nothing is stored.
    pub(crate) async fn preview(&self, wanted: Wanted) -> Result<SpreadsheetPreview, SheetError> {
        let _turn = self.files.acquire().await;
        process::preview(wanted, self.config()).await
    }

    /// Loads a file in place of the one before. `before` is the target as it is.
    pub(crate) async fn load(
        &self,
        (tenant, name): (&str, &str),
        wanted: Wanted,
        description: Option<String>,
        before: Option<&Stored>,
        clock: &SharedClock,
    ) -> Result<(), SheetError> {
        let (filename, size_bytes) = (wanted.filename.clone(), wanted.bytes.len() as u64);
        let _turn = self.files.acquire().await;
        let (outline, mut rows) = process::rows(wanted, self.config()).await?;
        let mut settings = before.map_or_else(Settings::default, |stored| stored.settings.clone());
        settings.description = description.or(settings.description);
        // A person's decision about the same columns is kept.
        for join in &outline.joins {
            let is_about = |one: &JoinDecision| {
                let ends = |one: &JoinDecision| {
                    let from = (one.from_table.clone(), one.from_column.clone());
                    (from, (one.to_table.clone(), one.to_column.clone()))
                };
                ends(one) == ends(join)
            };
            if !settings.joins.iter().any(is_about) {
                settings.joins.push(join.clone());
            }
        }
        let file = TargetFile {
            filename,
            format: outline.format.clone(),
            size_bytes,
            rows: outline.rows,
            loaded_at: clock.now(),
            notes: outline.notes.clone(),
        };
        let schema = load::new_schema();
        let mut transaction = self.pool().begin().await?;
        // One load of a target after the other: the second replaces what the first made.
        load::lock(&mut transaction, tenant, name).await?;
        let old = load::schema_of(&mut transaction, tenant, name).await?;
        load::create(&mut transaction, &schema, &outline, &mut rows).await?;
        rows.finish().await?;
        let role = load::reader(&mut transaction, tenant, &schema).await?;
        let sheet = Sheet {
            file,
            role,
            remarks: outline.remarks,
        };
        store::put_sheet(&mut transaction, (tenant, name), &settings, &schema, &sheet).await?;
        if let Some(old) = old {
            drop_schema(&mut transaction, &old).await?;
        }
        transaction.commit().await?;
        self.follow_own().await?;
        Ok(())
    }
}

impl TargetKind {
    /// The place of the tables of a stored file. A role that a restored database lacks is created.
    pub(super) async fn place(
        &self,
        pool: &PgPool,
        stored: &Stored,
        schema: &str,
    ) -> Result<SheetPlace, String> {
        let url = self.own_url.clone();
        let url = url.ok_or("The service has no database of its own.")?;
        let role = stored.sheet.as_ref().and_then(|sheet| sheet.role.clone());
        if role.is_some() {
            load::restore_reader(pool, &stored.tenant, schema)
                .await
                .map_err(|error| {
                    format!("The role that reads its tables cannot be used: {error}.")
                })?;
        }
        let sheet = stored.sheet.as_ref();
        Ok(SheetPlace {
            url,
            schema: schema.to_owned(),
            role,
            remarks: sheet.map(|sheet| sheet.remarks.clone()).unwrap_or_default(),
        })
    }
}
