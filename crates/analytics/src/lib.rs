//! Statistics and patterns over rows, as pure functions.
//!
//! There are two kinds of input. A [`mod@column`] holds numbers, one per row, with gaps. [`labels`]
//! hold the group of each row. A [`calendar`] turns a column and times into a series. The results
//! are: [`describe`] and [`histogram`] for one column, [`trend`] for a series, [`correlation`] for
//! two columns, [`compare`] for groups; [`anomalies`], [`seasons`], [`changes`] of level, and
//! [`concentration`] of labels in a selection of rows.
//!
//! Every function accepts any floats: NaN, infinities and values beyond [`column::LARGEST`] count
//! as missing. A result that needs more values, or values that vary, is `None`. Results are
//! deterministic and do not depend on the order of rows, except where the order is the subject.
//!
//! ```
//! use analytics::{column::Column, compare, describe::describe, labels::Labels};
//!
//! let hours = Column::new(vec![1.0, 2.0, 3.0, 9.0, 8.0, f64::NAN, 10.0]);
//! assert_eq!(describe(&hours).median, Some(5.5));
//! let carrier = Labels::new(["A", "A", "A", "B", "B", "B", "B"].map(Some));
//! let comparison = compare::groups(&hours, &carrier, 30);
//! assert_eq!(carrier.name(comparison.groups[0].label), "B");
//! assert!(comparison.means.unwrap().p < 0.01);
//! ```

#![cfg_attr(
    test,
    expect(clippy::float_cmp, reason = "tests compare figures that are exact")
)]

pub mod column;
pub mod labels;

pub mod calendar;

pub mod order;
pub mod p_values;

pub mod describe;
pub mod histogram;

pub mod trend;

pub mod correlation;

pub mod compare;

pub mod anomalies;
pub mod changes;
pub mod concentration;
pub mod seasons;

#[cfg(test)]
mod noise;
