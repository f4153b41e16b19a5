//! Reading and writing the schema `tools`. Every query is a file in `queries/` and filters by
//! tenant, or by keys that such a query gave out.

use chrono::{DateTime, TimeDelta, Utc};
use solar::calendar::{DaySpan, instant};

pub mod codes;
pub mod daily;
pub mod irradiance;
pub mod loggers;
pub mod readings;
pub mod weather;

pub use loggers::{Logger, LoggerRole, Site};

/// The microseconds of a second after its first one. The database keeps microseconds.
const REST_OF_SECOND: TimeDelta = TimeDelta::microseconds(999_999);

/// The limits of local days in a query: readings after the first, up to and including the second.
///
/// The arithmetic distinguishes readings by the second. A reading within the second of a midnight
/// is one at midnight, which ends its day.
pub(crate) fn limits(span: DaySpan) -> (DateTime<Utc>, DateTime<Utc>) {
    let end = |midnight: i64| {
        let start = instant(midnight);
        start.checked_add_signed(REST_OF_SECOND).unwrap_or(start)
    };
    (end(span.after), end(span.until))
}
