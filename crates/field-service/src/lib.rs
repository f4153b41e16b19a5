//! The demonstration database: two field-service companies in MariaDB or `MySQL`, and a year of their work.
//!
//! [`load`] makes the tables, the secure views over those with encrypted columns, a role that may read and nothing else, and
//! made-up rows: the same seed and day give the same rows. [`FILES`] are what a target over it is configured with; with
//! [`questions`] come queries that answer them. Company [`DEMO_COMPANY`] belongs to the tenant `demo`, [`RIVAL_COMPANY`] to
//! `rival`.
//!
//! ```no_run
//! # async fn example() -> Result<(), field_service::Error> {
//! use chrono::NaiveDate;
//! use field_service::{Options, Secrets, load, reader_url};
//!
//! let admin_url = "mysql://admin:password@127.0.0.1/fieldservice";
//! let secrets = Secrets::random();
//! let options = Options::new(secrets.clone(), NaiveDate::default());
//! load(admin_url, &options, |step| println!("{step}")).await?;
//! // What Heliograph connects with; `SET @aesKey` to `secrets.aes_key` makes the secure views show what is encrypted.
//! let reader = reader_url(admin_url, &secrets);
//! # drop(reader);
//! # Ok(())
//! # }
//! ```

mod error;
mod generate;
mod load;
mod rows;
mod schema;
mod secrets;
mod store;

use serde::Deserialize;

pub use error::Error;
pub use load::{Existing, Loaded, Options, load, reader_url};
pub use rows::{Hundredths, Rows, Value};
pub use schema::{SECURE_VIEWS, TABLES};
pub use secrets::Secrets;

/// What the database is called, and the target over it.
pub const DATABASE: &str = "fieldservice";
/// The company of the tenant `demo`.
pub const DEMO_COMPANY: i64 = 1;
/// The company of the tenant `rival`.
pub const RIVAL_COMPANY: i64 = 2;
/// The tenants that the database is for, and their companies.
pub const TENANTS: [(&str, i64); 2] = [("demo", DEMO_COMPANY), ("rival", RIVAL_COMPANY)];
/// The variable that the secure views read the key from.
pub const KEY_VARIABLE: &str = "aesKey";
/// What the database holds, for people and models.
pub const DESCRIPTION: &str = "A field-service company: employees and their hours, work orders, crews, customers and their equipment, \
    inspections, stock, quotes, invoices";

/// Who sees what of it: a target's policy file.
pub const POLICY: &str = include_str!("../data/policy.toml");
/// What the application's models declare: relationships that are no foreign keys.
pub const ASSOCIATIONS: &str = include_str!("../data/associations.json");
/// What a person wrote down about how tables join.
pub const MANUAL: &str = include_str!("../data/join_graph_manual.json");
/// The join graph made of the database and both of those, cleaned: a target's graph file.
pub const JOIN_GRAPH: &str = include_str!("../data/join_graph.json");
/// Questions with queries that were looked at by a person.
pub const QUESTIONS: &str = include_str!("../data/questions.json");
/// The file name and the contents of everything that belongs to the database.
pub const FILES: [(&str, &str); 5] = [
    ("policy.toml", POLICY),
    ("join_graph.json", JOIN_GRAPH),
    ("associations.json", ASSOCIATIONS),
    ("join_graph_manual.json", MANUAL),
    ("questions.json", QUESTIONS),
];

/// A question, and the query that answers it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// As a person asks it.
    pub question: String,
    /// With logical table names, as it would be confirmed.
    pub sql: String,
}

/// Questions that the database answers, with queries that were looked at by a person.
pub fn questions() -> Result<Vec<Question>, Error> {
    serde_json::from_str(QUESTIONS).map_err(Error::Questions)
}

/// All rows of a load, in an order in which each refers to earlier ones only.
pub fn rows(anchor: chrono::NaiveDate, seed: u64) -> Vec<Rows> {
    generate::all(anchor, seed)
}
