//! A file read once, without storing a reading.

use std::collections::BTreeMap;

use chrono::{DateTime, Timelike as _, Utc};
use chrono_tz::Tz;
use contracts::imports::{
    ColumnField, ColumnMapping, ImportPreview, PreviewLogger, PreviewRow, RefusedLine,
};
use plant_files::{FileError, Format, Role};

use super::file::StoredFile;
use super::reading::{Found, Reading, Shape, Task};
use super::sent::{Batch, SentRow};
use super::{Options, logger_type, role};
use crate::ingest::config::IngestConfig;
use crate::ingest::{DryRun, FileRow, FileRows, IngestOptions};

/// Number of rows that a preview shows, and of refusals and remarks that it lists.
const FIRST_ROWS: usize = 10;
const REFUSALS: usize = 100;
const NOTES: usize = 50;
/// Maximum number of devices of a file; beyond it some column of values was taken for their ids.
const LOGGERS: usize = 1000;
/// The sun is in the south within this distance of noon by longitude, hours: half an hour is the
/// tilt of the Earth's path, more is the direction of the modules.
const NOON_HOURS: f64 = 2.5;

/// The result of reading a file once.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) format: Format,
    pub(crate) preview: ImportPreview,
}

/// Why a file has no preview, and what was found before that.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) error: FileError,
    /// The columns of a table, to be corrected.
    pub(crate) columns: Option<ImportPreview>,
}

impl Refused {
    /// Whether nothing that a user may correct makes the file readable.
    pub(super) fn is_final(&self) -> bool {
        let of_the_file = match self.error {
            FileError::Empty
            | FileError::Unknown(_)
            | FileError::Broken { .. }
            | FileError::Damaged(_)
            | FileError::NotData(_)
            | FileError::NoRows(_) => true,
            FileError::Needed(_) | FileError::Io(_) | FileError::Stopped => false,
        };
        of_the_file && self.columns.is_none()
    }
}

impl From<FileError> for Refused {
    fn from(error: FileError) -> Self {
        Self {
            error,
            columns: None,
        }
    }
}

/// Facts that the preview of a file needs beside the file.
pub(crate) struct Request {
    pub(crate) filename: String,
    pub(crate) options: Options,
    /// The zone of the site.
    pub(crate) site_zone: Tz,
    pub(crate) longitude: Option<f64>,
    /// Mappings of the tenant by the shape of their table.
    pub(crate) mappings: Vec<(String, ColumnMapping)>,
    pub(crate) ingest: IngestOptions,
}

/// Reads a whole file and describes it.
pub(crate) async fn read(
    file: StoredFile,
    request: &Request,
    config: &IngestConfig,
) -> Result<Preview, Refused> {
    let known = request.mappings.iter().map(|(_, mapping)| mapping.clone());
    let task = Task {
        filename: request.filename.clone(),
        size: file.size,
        options: request.options.clone(),
        shape: Shape::Open(known.collect()),
    };
    let (mut reading, found) = Reading::start(file, &task, config).await?;
    let mut ingest = request.ingest.clone();
    ingest.logger_type = logger_type(found.format);
    let collector = Collector::new(request, FileRows::new(&ingest));
    match collector.collect(&mut reading).await {
        Ok(collector) => Ok(described(collector, found, request)),
        Err(error) => Err(Refused {
            columns: found.mapping.map(|mapping| ImportPreview {
                mapping: Some(mapping),
                ..ImportPreview::default()
            }),
            error,
        }),
    }
}

fn described(collector: Collector<'_>, found: Found, request: &Request) -> Preview {
    let mut preview = collector.preview;
    preview.loggers = collector
        .loggers
        .into_iter()
        .map(|(id, seen)| seen.describe(id, request.site_zone))
        .collect();
    if let Some(mapping) = found.mapping {
        let given = found.is_remembered || request.options.mapping.is_some();
        if !given {
            preview.notes.extend(guessed_powers(&mapping));
        }
        preview.mapping = Some(mapping);
        preview.mapping_remembered = found.is_remembered;
    }
    Preview {
        format: found.format,
        preview,
    }
}

/// Says of which columns only their numbers suggest that they are powers.
fn guessed_powers(mapping: &ColumnMapping) -> Option<String> {
    let guessed = mapping.columns.iter().filter(|column| {
        column.field == ColumnField::Power
            && column.unit.is_none()
            && !mapping.units_line
            && !plant_files::table::names_power(&column.name)
    });
    let names: Vec<&str> = guessed.map(|column| column.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "no column names a quantity: {} are read as the power of a device each, in W; correct their meaning or unit if that is wrong",
            names.join(", ")
        )
    })
}

struct Collector<'a> {
    request: &'a Request,
    rows: FileRows,
    dry: DryRun,
    preview: ImportPreview,
    roles: BTreeMap<String, Role>,
    loggers: BTreeMap<String, Seen>,
}

struct Seen {
    role: Role,
    rows: u64,
    first: DateTime<Utc>,
    last: DateTime<Utc>,
    highest: Option<f64>,
    /// The sum of power, and of power times the hour of its time in UTC, as a direction on the
    /// dial.
    power: f64,
    dial: (f64, f64),
}

impl<'a> Collector<'a> {
    fn new(request: &'a Request, rows: FileRows) -> Self {
        Self {
            request,
            dry: DryRun::new(&request.ingest),
            rows,
            preview: ImportPreview::default(),
            roles: BTreeMap::new(),
            loggers: BTreeMap::new(),
        }
    }

    /// Takes all rows. A file without a good one is refused.
    async fn collect(mut self, reading: &mut Reading) -> Result<Self, FileError> {
        while let Some(batch) = reading.batch().await? {
            self.take_batch(batch);
        }
        self.finish();
        if self.preview.good == 0 {
            let first = self.preview.refusals.first();
            let reason = first.map_or_else(
                || "it has no values".to_owned(),
                |refusal| format!("line {}: {}", refusal.line, refusal.reason),
            );
            return Err(FileError::NoRows(reason));
        }
        Ok(self)
    }

    fn take_batch(&mut self, batch: Batch) {
        for row in batch.rows.into_iter().map(SentRow::row) {
            if let Ok(record) = &row.record
                && self.roles.len() <= LOGGERS
                && !self.roles.contains_key(&record.logger_id)
            {
                self.roles.insert(record.logger_id.clone(), record.role);
            }
            let row = self.rows.row(row);
            self.take(row);
        }
        for note in batch.notes {
            if self.preview.notes.len() < NOTES && !self.preview.notes.contains(&note) {
                self.preview.notes.push(note);
            }
        }
        self.preview.merged += batch.merged;
    }

    fn take(&mut self, row: FileRow) {
        let mut ready = Vec::new();
        self.dry.take(row, &mut ready);
        self.count(ready);
    }

    fn finish(&mut self) {
        let mut ready = Vec::new();
        self.dry.finish(&mut ready);
        self.count(ready);
        if self.roles.len() > LOGGERS {
            self.preview.notes.push(format!(
                "the file has more than {LOGGERS} devices, of which the preview lists {LOGGERS}; is the column of their ids the right one?"
            ));
        }
        for (id, seen) in &self.loggers {
            if let Some(note) = self
                .request
                .longitude
                .and_then(|longitude| seen.doubt(id, longitude))
            {
                self.preview.notes.push(note);
            }
        }
    }

    fn count(&mut self, rows: Vec<FileRow>) {
        for row in rows {
            self.preview.rows += 1;
            match row.reading() {
                Ok(None) => self.preview.empty += 1,
                Ok(Some(reading)) => {
                    self.preview.good += 1;
                    if self.preview.first_rows.len() < FIRST_ROWS {
                        self.preview.first_rows.push(PreviewRow {
                            line: row.line(),
                            timestamp: reading
                                .at
                                .with_timezone(&self.request.site_zone)
                                .fixed_offset(),
                            logger_id: reading.logger_id.clone(),
                            active_power_w: reading.active_power_watts,
                            energy_daily_kwh: reading.energy_daily_kwh,
                            irradiance: reading.irradiance,
                            metadata: reading
                                .metadata
                                .as_deref()
                                .and_then(|text| serde_json::from_str(text).ok()),
                        });
                    }
                    if self.loggers.len() < LOGGERS || self.loggers.contains_key(&reading.logger_id)
                    {
                        let role = self
                            .roles
                            .get(&reading.logger_id)
                            .copied()
                            .unwrap_or_default();
                        let seen = self
                            .loggers
                            .entry(reading.logger_id.clone())
                            .or_insert_with(|| Seen::new(role, reading.at));
                        seen.add(reading.at, reading.active_power_watts);
                    }
                }
                Err(reason) => {
                    self.preview.refused += 1;
                    if self.preview.refusals.len() < REFUSALS {
                        self.preview.refusals.push(RefusedLine {
                            line: row.line(),
                            reason: reason.to_owned(),
                        });
                    }
                }
            }
        }
    }
}

impl Seen {
    fn new(role: Role, at: DateTime<Utc>) -> Self {
        Self {
            role,
            rows: 0,
            first: at,
            last: at,
            highest: None,
            power: 0.0,
            dial: (0.0, 0.0),
        }
    }

    fn add(&mut self, at: DateTime<Utc>, power: Option<f64>) {
        self.rows += 1;
        self.first = self.first.min(at);
        self.last = self.last.max(at);
        if let Some(power) = power {
            self.highest = Some(self.highest.map_or(power, |highest| highest.max(power)));
            if power > 0.0 {
                let angle =
                    f64::from(at.num_seconds_from_midnight()) / 86_400.0 * std::f64::consts::TAU;
                self.power += power;
                self.dial.0 += power * angle.cos();
                self.dial.1 += power * angle.sin();
            }
        }
    }

    /// A remark if the production of whole days is not around the noon of the site.
    fn doubt(&self, id: &str, longitude: f64) -> Option<String> {
        let whole_day = (self.last - self.first).num_hours() >= 20;
        if self.role != Role::Inverter || !whole_day || self.power <= 0.0 {
            return None;
        }
        let hour = self.dial.1.atan2(self.dial.0) / std::f64::consts::TAU * 24.0;
        let noon = 12.0 - longitude / 15.0;
        let off = (hour - noon + 36.0).rem_euclid(24.0) - 12.0;
        (off.abs() > NOON_HOURS).then(|| {
            let way = if off > 0.0 { "after" } else { "before" };
            format!("{id} produces around {:.1} hours {way} the noon of the site; is the time zone right?", off.abs())
        })
    }

    fn describe(self, logger_id: String, zone: Tz) -> PreviewLogger {
        PreviewLogger {
            logger_id,
            new: true,
            role: role(self.role).as_str().to_owned(),
            rows: self.rows,
            earliest: self.first.with_timezone(&zone).fixed_offset(),
            latest: self.last.with_timezone(&zone).fixed_offset(),
            highest_power_w: self.highest,
        }
    }
}
