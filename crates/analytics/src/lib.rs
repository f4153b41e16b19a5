//! Statistics and patterns over rows, as pure functions.
//!
//! Two kinds of input: a [`mod@column`] of numbers, one per row, with gaps; and [`labels`], the group that each row is of. A [`calendar`] makes a
//! series of both a column and times. What is computed: [`describe`] and [`histogram`] of one column, [`trend`] of a series, [`correlation`] of
//! two columns, [`compare`] of groups; [`anomalies`], [`seasons`], [`changes`] of level, and [`concentration`] of labels among some rows.
//!
//! Every function takes whatever floats there are: NaN, infinities and what is beyond [`column::LARGEST`] count as missing, and what can not be
//! told from too few or constant values is `None`. Results do not depend on the order of rows, unless order is what they are about, and
//! are the same every time.
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
