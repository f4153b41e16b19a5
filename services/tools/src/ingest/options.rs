//! How to read an upload: its format, and what the request or the command line says about it.

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use contracts::measurements::IngestQuery;
use contracts::problem::FieldError;

use super::reading::{check_logger_id, check_logger_type};

/// Texts that represent "no value" unless something else is said.
const MISSING: [&str; 6] = ["NaN", "n/a", "-", "--", "null", "#N/A"];
/// Maximum number of texts for missing values, and maximum length of each.
const MOST_MISSING: usize = 50;
const LONGEST_MISSING: usize = 40;
/// The first day of readings unless something else is said. Clocks that were not set start at 1970
/// or 1980.
const EARLIEST: NaiveDate = match NaiveDate::from_ymd_opt(1985, 1, 1) {
    Some(day) => day,
    None => NaiveDate::MIN,
};

/// The format of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON array of measurements.
    JsonArray,
    /// One JSON object per line.
    JsonLines,
    /// CSV with a header.
    Csv,
}

/// A field of a measurement that a CSV column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `timestamp`.
    Timestamp,
    /// `loggerId`.
    LoggerId,
    /// `loggerType`.
    LoggerType,
    /// `activePowerWatts`.
    ActivePowerWatts,
    /// `energyDailyKwh`.
    EnergyDailyKwh,
    /// `irradiance`.
    Irradiance,
    /// `metadata`, a JSON object.
    Metadata,
}

/// How an upload is read.
#[derive(Debug, Clone, PartialEq)]
pub struct IngestOptions {
    /// The format of the bytes.
    pub format: Format,
    /// The site that new loggers join; `None` takes the tenant's only one.
    pub site: Option<String>,
    /// The logger of rows that name none.
    pub logger_id: Option<String>,
    /// The type of loggers whose rows name none.
    pub logger_type: Option<String>,
    /// The zone of time stamps without an offset; `None` refuses them.
    pub timezone: Option<Tz>,
    /// CSV: the columns of fields whose names are not known.
    pub columns: Vec<(Field, String)>,
    /// CSV: what stands between two fields; `None` finds it in the file.
    pub delimiter: Option<u8>,
    /// CSV: whether decimals are written `12,5`; `None` finds it in the file.
    pub decimal_comma: Option<bool>,
    /// Texts that represent "no value", in any case. A blank one always does.
    pub missing: Vec<String>,
    /// Earlier time stamps are refused; `None` takes all from 1970 on.
    pub earliest: Option<DateTime<Utc>>,
    /// Later time stamps are refused; `None` takes all.
    pub latest: Option<DateTime<Utc>>,
}

impl IngestOptions {
    /// The defaults for a format.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            site: None,
            logger_id: None,
            logger_type: None,
            timezone: None,
            columns: Vec::new(),
            delimiter: None,
            decimal_comma: None,
            missing: MISSING.map(str::to_owned).to_vec(),
            earliest: Some(start_of(EARLIEST)),
            latest: None,
        }
    }

    /// The options of a query (or of the command line, which are the same). `Err` names each part
    /// that does not fit.
    pub fn from_query(format: Format, query: &IngestQuery) -> Result<Self, Vec<FieldError>> {
        let mut faults = Faults::default();
        let defaults = Self::new(format);
        let text = |value: &Option<String>| value.as_ref().map(|text| text.trim().to_owned());
        let options = Self {
            format,
            site: text(&query.site),
            logger_id: text(&query.logger_id),
            logger_type: text(&query.logger_type),
            timezone: faults.part("/timezone", query.timezone.as_deref(), zone),
            columns: faults
                .part("/columns", query.columns.as_deref(), columns)
                .unwrap_or_default(),
            delimiter: faults.part("/delimiter", query.delimiter.as_deref(), delimiter),
            decimal_comma: faults.part("/decimal", query.decimal.as_deref(), decimal),
            missing: faults
                .part("/missing", query.missing.as_deref(), missing)
                .unwrap_or(defaults.missing),
            earliest: faults
                .part("/earliest", query.earliest.as_deref(), earliest)
                .or(defaults.earliest),
            latest: None,
        };
        faults.part("/logger_id", options.logger_id.as_deref(), check_logger_id);
        faults.part(
            "/logger_type",
            options.logger_type.as_deref(),
            check_logger_type,
        );
        if faults.0.is_empty() {
            Ok(options)
        } else {
            Err(faults.0)
        }
    }
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 7] = [
        Self::Timestamp,
        Self::LoggerId,
        Self::LoggerType,
        Self::ActivePowerWatts,
        Self::EnergyDailyKwh,
        Self::Irradiance,
        Self::Metadata,
    ];

    /// The field's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::LoggerId => "loggerId",
            Self::LoggerType => "loggerType",
            Self::ActivePowerWatts => "activePowerWatts",
            Self::EnergyDailyKwh => "energyDailyKwh",
            Self::Irradiance => "irradiance",
            Self::Metadata => "metadata",
        }
    }

    /// The field that a text names; case, blanks, hyphens and underscores do not matter.
    pub fn named(text: &str) -> Option<Self> {
        let wanted = plain(text);
        Self::ALL
            .into_iter()
            .find(|field| field.name().to_ascii_lowercase() == wanted)
    }
}

fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// The faults of a query's parts.
#[derive(Default)]
struct Faults(Vec<FieldError>);

impl Faults {
    fn part<T>(
        &mut self,
        pointer: &str,
        text: Option<&str>,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        match read(text?) {
            Ok(value) => Some(value),
            Err(detail) => {
                let pointer = pointer.to_owned();
                self.0.push(FieldError { pointer, detail });
                None
            }
        }
    }
}

/// A zone by its IANA name.
pub(crate) fn zone(name: &str) -> Result<Tz, String> {
    name.trim()
        .parse()
        .map_err(|_| format!("{name:?} is no IANA time zone such as Europe/Zurich"))
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" | b"tab" => Ok(b'\t'),
        [byte]
            if !matches!(byte, b'"' | b'\n' | b'\r' | 0)
                && byte.is_ascii()
                && !byte.is_ascii_alphanumeric() =>
        {
            Ok(*byte)
        }
        _ => Err(format!(
            "{text:?} is no delimiter: one character such as `,` or `;` is, or `tab`"
        )),
    }
}

fn decimal(text: &str) -> Result<bool, String> {
    match text {
        "," => Ok(true),
        "." => Ok(false),
        _ => Err(format!("{text:?} is neither `.` nor `,`")),
    }
}

fn missing(text: &str) -> Result<Vec<String>, String> {
    let texts: Vec<String> = text
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect();
    if texts.len() > MOST_MISSING {
        return Err(format!(
            "there are {} texts for no value, more than {MOST_MISSING}",
            texts.len()
        ));
    }
    match texts.iter().find(|text| text.len() > LONGEST_MISSING) {
        Some(long) => Err(format!(
            "a text for no value is longer than {LONGEST_MISSING} bytes: {long:?}"
        )),
        None => Ok(texts),
    }
}

fn earliest(text: &str) -> Result<DateTime<Utc>, String> {
    let day: NaiveDate = text
        .trim()
        .parse()
        .map_err(|_| format!("{text:?} is not a day such as 1995-01-01"))?;
    if !(1970..2200).contains(&day.year()) {
        return Err(format!("{day} is not between 1970 and 2200"));
    }
    Ok(start_of(day))
}

fn start_of(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

fn columns(text: &str) -> Result<Vec<(Field, String)>, String> {
    let mut columns: Vec<(Field, String)> = Vec::new();
    for pair in text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
    {
        let (field, column) = pair
            .split_once('=')
            .ok_or_else(|| format!("{pair:?} is not of the form field=column"))?;
        let (field, column) = (field.trim(), column.trim());
        let field = Field::named(field).ok_or_else(|| unknown_field(field))?;
        if column.is_empty() {
            return Err(format!("no column is named for {}", field.name()));
        }
        if columns.iter().any(|(known, _)| *known == field) {
            return Err(format!("{} is named twice", field.name()));
        }
        if columns.iter().any(|(_, known)| known == column) {
            return Err(format!("the column {column:?} is named twice"));
        }
        columns.push((field, column.to_owned()));
    }
    Ok(columns)
}

fn unknown_field(name: &str) -> String {
    let names = Field::ALL.map(Field::name).join(", ");
    format!("{name:?} is no field; the fields are {names}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> IngestQuery {
        IngestQuery::default()
    }

    #[test]
    fn a_query_becomes_options() {
        let query = IngestQuery {
            timezone: Some("Europe/Zurich".to_owned()),
            columns: Some("timestamp=Time, active_power_watts = P AC ".to_owned()),
            delimiter: Some(";".to_owned()),
            decimal: Some(",".to_owned()),
            missing: Some("-9999, kaputt,".to_owned()),
            earliest: Some("1972-05-01".to_owned()),
            ..query()
        };
        let options = IngestOptions::from_query(Format::Csv, &query).unwrap();
        assert_eq!(options.timezone, Some(chrono_tz::Europe::Zurich));
        assert_eq!(options.delimiter, Some(b';'));
        assert_eq!(options.decimal_comma, Some(true));
        assert_eq!(options.missing, ["-9999", "kaputt"]);
        assert_eq!(
            options.earliest.map(|at| at.to_rfc3339()).as_deref(),
            Some("1972-05-01T00:00:00+00:00")
        );
        let columns = [
            (Field::Timestamp, "Time".to_owned()),
            (Field::ActivePowerWatts, "P AC".to_owned()),
        ];
        assert_eq!(options.columns, columns);
    }

    #[test]
    fn every_fault_is_named() {
        let query = IngestQuery {
            logger_id: Some("x".repeat(65)),
            timezone: Some("Mars/Olympus".to_owned()),
            columns: Some("power=P".to_owned()),
            delimiter: Some("::".to_owned()),
            decimal: Some("'".to_owned()),
            missing: Some("x".repeat(41)),
            earliest: Some("1969-12-31".to_owned()),
            ..query()
        };
        let faults = IngestOptions::from_query(Format::Csv, &query).unwrap_err();
        let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/timezone",
                "/columns",
                "/delimiter",
                "/decimal",
                "/missing",
                "/earliest",
                "/logger_id"
            ]
        );
    }

    #[test]
    fn columns_are_named_once() {
        for text in [
            "timestamp",
            "timestamp=",
            "timestamp=a,timestamp=b",
            "timestamp=a,loggerId=a",
        ] {
            assert!(columns(text).is_err(), "{text}");
        }
        assert_eq!(columns(" , ").unwrap(), []);
    }

    #[test]
    fn fields_are_known_by_any_spelling() {
        for text in [
            "activePowerWatts",
            "active_power_watts",
            "Active Power Watts",
        ] {
            assert_eq!(Field::named(text), Some(Field::ActivePowerWatts));
        }
        assert_eq!(Field::named("power"), None);
    }

    #[test]
    fn a_tab_can_be_named() {
        assert_eq!(delimiter("\t"), Ok(b'\t'));
        assert_eq!(delimiter("tab"), Ok(b'\t'));
        assert!(delimiter("a").is_err());
    }
}
