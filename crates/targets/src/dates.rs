//! Days of a query that follow the calendar: `{{week-1}}` is the Monday of last week, on whatever
//! day it is read.
//!
//! A query that a person confirmed for "last week" must not keep the days that last week had then.
//! [`bind`] replaces the days of such a query by [`Anchor`]s, as far as they are bounds of the
//! periods that the question names; [`DateTemplate::resolve`] puts the days of a later today in
//! their places; [`periods`] says which days the question's words represent.
//!
//! ```
//! use targets::dates::{DateTemplate, bind};
//!
//! let asked: chrono::NaiveDate = "2026-11-18".parse().unwrap();
//! let sql = "SELECT SUM(hours) FROM work WHERE day >= '2026-11-09' AND day < '2026-11-16'";
//! let kept = bind("How many hours were worked last week?", sql, asked).unwrap();
//! let expected = "SELECT SUM(hours) FROM work WHERE day >= '{{week-1}}' AND day < '{{week+0}}'";
//! assert_eq!(kept.sql, expected);
//!
//! let later = "2026-11-25".parse().unwrap();
//! let sql = DateTemplate::parse(&kept.sql).unwrap().resolve(later).unwrap();
//! let expected = "SELECT SUM(hours) FROM work WHERE day >= '2026-11-16' AND day < '2026-11-23'";
//! assert_eq!(sql, expected);
//! ```

mod anchor;
mod bind;
mod phrase;
mod template;

pub use anchor::{Anchor, Base};
pub use bind::{Bound, bind};
pub use template::{DateTemplate, Period, periods};
