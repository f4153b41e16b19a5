//! PV analytics as pure functions over time series.
//!
//! Give it the readings of one logger as a [`Series`], what is known about that logger as a
//! [`LoggerContext`], and the logger's long-run figures as a [`Calibration`]; get back energies,
//! ratios, findings and forecasts. Nothing here reads a clock, a file, a database or the process
//! time zone, so equal input gives equal output everywhere.
//!
//! The expensive passes are made once, at ingestion: [`calibrate`] distils the history of a logger
//! into a few numbers, and [`rollup`] into one [`DayFigures`] per local day. Questions about long
//! periods are then answered from the day figures and questions about one range from the rows of
//! that range alone.
//!
//! ```
//! use solar::{LoggerContext, Reading, Series, calibrate, rollup};
//!
//! // A quarter of an hour at 4 kW, then one at 2 kW.
//! let mut series = Series::default();
//! for (minute, watts) in [(0, 0.0), (15, 4000.0), (30, 2000.0)] {
//!     let time = 1_700_000_000 + minute * 60;
//!     series.push(Reading { time, power_w: watts, ..Reading::default() });
//! }
//! let context = LoggerContext::new(chrono_tz::Europe::Berlin);
//! let days = rollup(&series, &calibrate(&series, &context), &context);
//! assert!((days[0].power_kwh - 1.5).abs() < 1e-9);
//! ```
//!
//! The modules, in reading order:

pub mod calendar;
pub mod context;
pub mod flags;
pub mod series;

pub mod clean;
pub mod energy;
pub mod register;

pub mod calibration;
pub mod completeness;
pub mod days;

pub mod compare;
pub mod curve;
pub mod fleet;
pub mod money;
pub mod ratio;
pub mod size;

pub mod health;
pub mod sun;

pub mod forecast;

pub mod errors;

mod stats;

pub use calibration::{Calibration, calibrate};
pub use context::{
    Capacity, CapacityBasis, EnergySource, IrradianceBasis, Label, LoggerContext, Position, Role,
};
pub use days::{Carry, DayFigures, day_figures, rollup};
pub use flags::{Flag, Flags};
pub use series::{Columns, Reading, Series, SeriesError};
