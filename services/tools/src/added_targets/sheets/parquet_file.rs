//! Rows of a Parquet file, with the types that the file says.

mod depth;
mod pages;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, NaiveTime};
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Stored};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;
use serde_json::{Map, Value};

use super::read::SheetError;
use super::types::Guess;
use pages::{Pages, Room};

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"PAR1";
/// The first bytes of a file with an encrypted footer.
pub(super) const ENCRYPTED: &[u8] = b"PARE";

/// Levels of lists, maps and structures in a column. A list takes two.
const MOST_LEVELS: usize = 50;

/// A file whose rows can be read.
pub(super) struct ParquetFile {
    bytes: Arc<Bytes>,
    reader: SerializedFileReader<Bytes>,
    /// The columns that are read.
    columns: Vec<Column>,
    schema: Type,
    pub(super) notes: Vec<String>,
}

/// A column.
struct Column {
    name: String,
    guess: Guess,
    cells: Cells,
}

/// The meaning of the values of a column beyond their physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    Plain,
    /// Without a type: every cell is empty.
    Nothing,
    /// Nanoseconds of a day.
    Time,
    /// Nanoseconds since 1970.
    Nanoseconds,
    Uuid,
    /// Lists, maps and structures.
    Nested,
}

impl ParquetFile {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, SheetError> {
        match depth::of(&bytes) {
            None => return Err(damaged("its footer cannot be read")),
            Some(levels) if levels > MOST_LEVELS => {
                return Err(SheetError::Invalid(format!(
                    "The columns are nested too deeply: {levels} levels, and {MOST_LEVELS} are read."
                )));
            }
            Some(_) => {}
        }
        let bytes = Bytes::from(bytes);
        let reader = guarded(|| SerializedFileReader::new(bytes.clone()))?;
        let mut columns = Vec::new();
        let (mut fields, mut nested, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        let mut old_times = Vec::new();
        let root = reader.metadata().file_metadata().schema_descr();
        for field in root.root_schema().get_fields() {
            let name = field.name().to_owned();
            if has_interval(field) {
                skipped.push(name);
                continue;
            }
            let (guess, cells) = kind(field);
            if has_int96(field) {
                old_times.push(name.clone());
            }
            if cells == Cells::Nested {
                nested.push(name.clone());
            }
            columns.push(Column { name, guess, cells });
            fields.push(Arc::clone(field));
        }
        let schema = Type::group_type_builder(root.root_schema().name());
        let schema = schema.with_fields(fields).build().map_err(damaged)?;
        let mut notes = Vec::new();
        if !old_times.is_empty() {
            notes.push(format!(
                "Times in the old form INT96 are read to the millisecond, and finer digits are left out: {}.",
                old_times.join(", ")
            ));
        }
        if !nested.is_empty() {
            notes.push(format!(
                "Columns with lists, maps or structures are text in the form of JSON: {}.",
                nested.join(", ")
            ));
        }
        if !skipped.is_empty() {
            notes.push(format!(
                "Columns with spans of time (INTERVAL) are left out: {}. Write them as numbers, such as of seconds.",
                skipped.join(", ")
            ));
        }
        Ok(Self {
            bytes: Arc::new(bytes),
            reader,
            columns,
            schema,
            notes,
        })
    }

    /// The names and types of the columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&str, Guess)> {
        let columns = self.columns.iter();
        columns.map(|column| (column.name.as_str(), column.guess))
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> u64 {
        let groups = self.reader.metadata().row_groups().iter();
        let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
        let rows = rows.fold(0, u64::saturating_add);
        rows.saturating_mul(self.columns.len() as u64)
    }

    /// Gives each row. Pages may unpack to `most_bytes`, and have `most_values`.
    pub(super) fn rows(
        &self,
        (most_bytes, most_values): (u64, u64),
        row: &mut impl FnMut(Vec<String>) -> Result<(), SheetError>,
    ) -> Result<(), SheetError> {
        let room = Room::new(most_bytes, most_values);
        let chunks = self.reader.metadata().row_groups().iter();
        let claimed = Room::claimed(chunks.flat_map(RowGroupMetaData::columns));
        guarded(|| {
            // Nothing is unpacked of a file that says itself that it is too large.
            room.check_claim(claimed)?;
            for metadata in self.reader.metadata().row_groups() {
                let group = Group {
                    file: &self.bytes,
                    metadata,
                    room: &room,
                };
                for read in group.get_row_iter(Some(self.schema.clone()))? {
                    let fields = read?.into_columns();
                    let cells = fields.iter().zip(&self.columns);
                    let cells = cells.map(|((_, field), column)| column.cell(field));
                    row(cells.collect()).map_err(|why| ParquetError::External(Box::new(why)))?;
                }
            }
            Ok(())
        })
    }
}

/// A group of rows whose pages are limited.
struct Group<'f> {
    file: &'f Arc<Bytes>,
    metadata: &'f RowGroupMetaData,
    room: &'f Arc<Room>,
}

impl RowGroupReader for Group<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.metadata
    }

    fn num_columns(&self) -> usize {
        self.metadata.num_columns()
    }

    fn get_column_page_reader(&self, at: usize) -> Result<Box<dyn PageReader>, ParquetError> {
        let rows = usize::try_from(self.metadata.num_rows())?;
        let pages = Pages::new(self.file, self.metadata.column(at), rows, self.room)?;
        Ok(Box::new(pages))
    }

    fn get_column_bloom_filter(&self, _: usize) -> Option<&Sbbf> {
        None
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>, ParquetError> {
        RowIter::from_row_group(projection, self)
    }
}

/// Runs the crate's reader, which panics over some of what a damaged file may say.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, SheetError> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(ParquetError::External(error))) => Err(match error.downcast::<SheetError>() {
            Ok(own) => *own,
            Err(error) => damaged(error),
        }),
        Ok(Err(error)) => Err(damaged(error)),
        Err(_) => Err(damaged("its structure makes no sense")),
    }
}

fn damaged(why: impl std::fmt::Display) -> SheetError {
    let why = why.to_string();
    let why = why
        .rsplit_once("Parquet error: ")
        .map_or(&*why, |(_, why)| why);
    SheetError::Invalid(format!(
        "The Parquet file is damaged: {}. Was it transferred completely?",
        why.trim_end_matches('.')
    ))
}

fn has_interval(field: &Type) -> bool {
    if field.is_group() {
        return field.get_fields().iter().any(|field| has_interval(field));
    }
    field.get_basic_info().converted_type() == ConvertedType::INTERVAL
}

fn has_int96(field: &Type) -> bool {
    if field.is_group() {
        return field.get_fields().iter().any(|field| has_int96(field));
    }
    field.get_physical_type() == Stored::INT96
}

/// The type of a column, and what its values are.
fn kind(field: &Type) -> (Guess, Cells) {
    let info = field.get_basic_info();
    if field.is_group() || info.repetition() == Repetition::REPEATED {
        return (Guess::TEXT, Cells::Nested);
    }
    let logical = info.logical_type_ref();
    match logical {
        Some(LogicalType::Unknown) => return (Guess::TEXT, Cells::Nothing),
        Some(LogicalType::Uuid) => return (Guess::TEXT, Cells::Uuid),
        Some(LogicalType::Float16) => return (Guess::NUMBER, Cells::Plain),
        Some(LogicalType::Time(time)) if time.unit == TimeUnit::NANOS => {
            return (Guess::TEXT, Cells::Time);
        }
        Some(LogicalType::Timestamp(time)) => {
            let cells = if time.unit == TimeUnit::NANOS {
                Cells::Nanoseconds
            } else {
                Cells::Plain
            };
            let guess = if time.is_adjusted_to_u_t_c {
                Guess::INSTANT
            } else {
                Guess::TIMESTAMP
            };
            return (guess, cells);
        }
        _ => {}
    }
    let guess = match (info.converted_type(), field.get_physical_type()) {
        // A number of 64 bits without a sign may be larger than PostgreSQL's `bigint`.
        (ConvertedType::DECIMAL | ConvertedType::UINT_64, _) => Guess::EXACT,
        (ConvertedType::DATE, _) => Guess::DATE,
        // Before there were logical types, these were instants.
        (ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS, _) => Guess::INSTANT,
        (ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS, _)
        | (_, Stored::BYTE_ARRAY | Stored::FIXED_LEN_BYTE_ARRAY) => Guess::TEXT,
        (_, Stored::BOOLEAN) => Guess::BOOLEAN,
        (_, Stored::INT32 | Stored::INT64) => Guess::INTEGER,
        (_, Stored::FLOAT | Stored::DOUBLE) => Guess::NUMBER,
        // Who writes these does not say of which zone they are.
        (_, Stored::INT96) => Guess::TIMESTAMP,
    };
    (guess, Cells::Plain)
}

impl Column {
    fn cell(&self, field: &Field) -> String {
        match (self.cells, field) {
            (Cells::Nothing, _) | (_, Field::Null) => String::new(),
            (Cells::Nanoseconds, Field::Long(at)) => {
                self.stamp(Some(DateTime::from_timestamp_nanos(*at)))
            }
            (_, Field::TimestampMillis(at)) => self.stamp(DateTime::from_timestamp_millis(*at)),
            (_, Field::TimestampMicros(at)) => self.stamp(DateTime::from_timestamp_micros(*at)),
            (Cells::Time, Field::Long(at)) => time(*at),
            (Cells::Uuid, Field::Bytes(bytes)) => uuid::Uuid::from_slice(bytes.data())
                .map_or_else(|_| plain(field), |uuid| uuid.to_string()),
            _ => plain(field),
        }
    }

    fn stamp(&self, at: Option<DateTime<chrono::Utc>>) -> String {
        let zone = if self.guess == Guess::INSTANT {
            "Z"
        } else {
            ""
        };
        at.map_or_else(String::new, |at| {
            format!("{}{zone}", at.naive_utc().format("%Y-%m-%d %H:%M:%S%.f"))
        })
    }
}

fn time(nanoseconds: i64) -> String {
    let nanoseconds = u64::try_from(nanoseconds).unwrap_or(u64::MAX);
    let seconds = u32::try_from(nanoseconds / 1_000_000_000).ok();
    let rest = u32::try_from(nanoseconds % 1_000_000_000).unwrap_or_default();
    let time = seconds.and_then(|s| NaiveTime::from_num_seconds_from_midnight_opt(s, rest));
    time.map_or_else(String::new, |time| time.format("%H:%M:%S%.f").to_string())
}

fn float(number: impl std::fmt::Debug) -> String {
    let text = format!("{number:?}");
    let plain = text.strip_suffix(".0").unwrap_or(&text);
    match plain {
        "NaN" | "inf" | "-inf" => String::new(),
        number => number.to_owned(),
    }
}

/// A value as text.
fn plain(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Float16(number) => float(number.to_f32()),
        Field::Float(number) => float(number),
        Field::Double(number) => float(number),
        Field::Str(text) => text.clone(),
        // Older writers store texts without saying so.
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) if !text.chars().any(|c| c.is_control() && !c.is_whitespace()) => {
                text.to_owned()
            }
            _ => format!("{} bytes", bytes.len()),
        },
        Field::Date(days) => DateTime::from_timestamp(i64::from(*days) * 86_400, 0)
            .map_or_else(String::new, |at| at.date_naive().to_string()),
        Field::TimeMillis(at) => time(i64::from(*at).saturating_mul(1_000_000)),
        Field::TimeMicros(at) => time(at.saturating_mul(1_000)),
        Field::TimestampMillis(at) => DateTime::from_timestamp_millis(*at)
            .map_or_else(String::new, |at| at.naive_utc().to_string()),
        Field::TimestampMicros(at) => DateTime::from_timestamp_micros(*at)
            .map_or_else(String::new, |at| at.naive_utc().to_string()),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => json(field).to_string(),
        // Whole numbers, decimals, and yes or no.
        other => other.to_string(),
    }
}

fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Group(row) => {
            let columns = row.get_column_iter();
            let pairs = columns.map(|(name, field)| (name.clone(), json(field)));
            Value::Object(pairs.collect())
        }
        Field::ListInternal(list) => list.elements().iter().map(json).collect(),
        Field::MapInternal(map) => {
            let pairs = map.entries().iter();
            let pairs = pairs.map(|(key, value)| (plain(key), json(value)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        Field::Str(_)
        | Field::Bytes(_)
        | Field::Date(_)
        | Field::TimeMillis(_)
        | Field::TimeMicros(_)
        | Field::TimestampMillis(_)
        | Field::TimestampMicros(_)
        // As a number it would be rounded.
        | Field::Decimal(_) => plain(field).into(),
        number => serde_json::from_str(&plain(number)).unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests;
