//! Reading and writing the schema `tools`. Every query is a file in `queries/` and filters by
//! tenant, or by keys that such a query gave out.

pub mod daily;
pub mod irradiance;
pub mod loggers;
pub mod readings;
pub mod weather;

pub use loggers::{Logger, LoggerRole, Site};
