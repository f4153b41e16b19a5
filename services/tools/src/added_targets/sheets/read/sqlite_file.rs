//! The tables of an SQLite file.

use std::collections::HashSet;
use std::io::Cursor;

use contracts::targets::JoinDecision;
use plant_files::formats::sqlite::{Database, ForeignKey, Value};

use super::{Columns, Raw, Reading, Rows, SheetError, sentence};
use crate::added_targets::sheets::types::has_mark;

impl Reading<'_> {
    pub(super) fn sqlite(&mut self, bytes: Vec<u8>) -> Result<(), SheetError> {
        let broken = |error: plant_files::FileError| SheetError::Invalid(sentence(&error));
        let mut input = Cursor::new(bytes);
        let mut database = Database::open(&mut input).map_err(broken)?;
        if database.has_write_ahead_log() {
            self.notes.push(
                "The file has a write-ahead log: rows that are only in the file beside it, whose \
                 name ends in “-wal”, are not in it. `PRAGMA wal_checkpoint(TRUNCATE)` writes them \
                 to the file."
                    .to_owned(),
            );
        }
        let (mut declared, mut primary) = (Vec::new(), Vec::new());
        for table in database.tables().map_err(broken)? {
            if table.name.starts_with("sqlite_") {
                continue;
            }
            if table.without_row_ids {
                self.notes.push(format!(
                    "The table “{}” is left out: it is WITHOUT ROWID. Copy it: CREATE TABLE copy AS SELECT * FROM \"{}\".",
                    table.name, table.name
                ));
                continue;
            }
            let mut rows = vec![table.columns.clone()];
            let (mut failed, mut written) = (None, HashSet::new());
            let read = database.rows(&table, &mut |_, values| {
                written.extend(values.iter().enumerate().filter_map(|(at, value)| {
                    let is_written = matches!(value, Value::Text(text) if has_mark(text.trim()));
                    is_written.then_some(at)
                }));
                let row: Vec<String> = values
                    .iter()
                    .take(table.columns.len())
                    .map(value_of)
                    .collect();
                match self.row(&row) {
                    Ok(row) => {
                        rows.push(row);
                        Ok(())
                    }
                    Err(error) => {
                        failed = Some(error);
                        Err(plant_files::FileError::Stopped)
                    }
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            // Of a damaged file no table can be trusted.
            read.map_err(|error| {
                SheetError::Invalid(format!("{} (table “{}”)", sentence(&error), table.name))
            })?;
            // Its columns have no row.
            let rows = Rows {
                is_named: true,
                written: Some(written),
                ..Rows::from(0, rows)
            };
            self.table(&table.name, rows)?;
            let keys = table.foreign_keys.into_iter();
            declared.extend(keys.map(|key| (table.name.clone(), key)));
            let unique = [&table.primary_key].into_iter().chain(&table.unique_keys);
            let unique = unique.filter_map(|key| found(&self.tables, &table.name, key));
            self.keys.unique.extend(unique);
            primary.push((table.name, table.primary_key));
        }
        database.check_pages().map_err(broken)?;
        for (_, key) in &mut declared {
            let mut tables = primary.iter();
            let table = tables.find(|(name, _)| name.eq_ignore_ascii_case(&key.table));
            if let Some((_, primary)) = table.filter(|_| key.referenced.is_empty()) {
                key.referenced.clone_from(primary);
            }
        }
        self.joins = declared
            .iter()
            .filter_map(|(table, key)| joined(&self.tables, table, key))
            .collect();
        self.keys.foreign = declared
            .iter()
            .filter(|(_, key)| key.columns.len() > 1)
            .filter_map(|(table, key)| {
                let from = found(&self.tables, table, &key.columns)?;
                let to = found(&self.tables, &key.table, &key.referenced)?;
                (from.columns.len() == to.columns.len()).then_some((from, to))
            })
            .collect();
        Ok(())
    }
}

/// Columns by names in queries. `None` if there are none, or one is not in a table that is read.
fn found(tables: &[Raw], table: &str, columns: &[String]) -> Option<Columns> {
    let mut tables = tables.iter();
    let table = tables.find(|known| known.source.eq_ignore_ascii_case(table))?;
    let columns: Option<Vec<String>> = columns.iter().map(|one| named(table, one)).collect();
    Some(Columns {
        table: table.name.clone(),
        columns: columns.filter(|columns| !columns.is_empty())?,
    })
}

/// The name in queries of a column with a header.
fn named(table: &Raw, header: &str) -> Option<String> {
    let mut columns = table.columns.iter();
    columns
        .find(|(_, known)| known.eq_ignore_ascii_case(header))
        .map(|(name, _)| name.clone())
}

/// A declared key of one column, by names in queries. Without a referenced column, the
/// key refers to a column of its own name, or to `id`.
fn joined(tables: &[Raw], from: &str, key: &ForeignKey) -> Option<JoinDecision> {
    let [column] = key.columns.as_slice() else {
        return None;
    };
    let table = |name: &str| {
        let mut tables = tables.iter();
        tables.find(|table| table.source.eq_ignore_ascii_case(name))
    };
    let (from, to) = (table(from)?, table(&key.table)?);
    let referenced = match key.referenced.as_slice() {
        [referenced] => named(to, referenced)?,
        _ => named(to, column).or_else(|| named(to, "id"))?,
    };
    Some(JoinDecision {
        from_table: from.name.clone(),
        from_column: named(from, column)?,
        to_table: to.name.clone(),
        to_column: referenced,
        holds: true,
    })
}

fn value_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}
