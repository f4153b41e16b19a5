//! The demonstration database: two fictitious field-service companies in MariaDB or `MySQL`, and a
//! year of their work.
//!
//! [`load`] creates the tables, the secure views over tables with encrypted columns, a read-only
//! role, and generated rows. The same seed and day give the same rows. [`FILES`] configure a target
//! over the database. [`questions`] come with the queries that answer them. Company
//! [`DEMO_COMPANY`] belongs to the tenant `demo`, [`RIVAL_COMPANY`] to `rival`.
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
//! // Heliograph connects with this address. `SET @aesKey` to `secrets.aes_key` makes the secure
//! // views decrypt their columns.
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

/// The name of the database and of the target over it.
pub const DATABASE: &str = "fieldservice";
/// The company of the tenant `demo`.
pub const DEMO_COMPANY: i64 = 1;
/// The company of the tenant `rival`.
pub const RIVAL_COMPANY: i64 = 2;
/// The tenants of the database, and their companies.
pub const TENANTS: [(&str, i64); 2] = [("demo", DEMO_COMPANY), ("rival", RIVAL_COMPANY)];
/// The variable that the secure views read the key from.
pub const KEY_VARIABLE: &str = "aesKey";
/// The description of the database, for people and models.
pub const DESCRIPTION: &str = "A field-service company: employees and their hours, work orders, crews, customers and their equipment, \
    inspections, stock, quotes, invoices";

/// The target's policy file: who can see what.
pub const POLICY: &str = include_str!("../data/policy.toml");
/// Relationships that the application's models declare and that are not foreign keys.
pub const ASSOCIATIONS: &str = include_str!("../data/associations.json");
/// Relationships that a person added.
pub const MANUAL: &str = include_str!("../data/join_graph_manual.json");
/// The target's graph file: the cleaned join graph of the database and both of the above.
pub const JOIN_GRAPH: &str = include_str!("../data/join_graph.json");
/// Questions with reviewed queries.
pub const QUESTIONS: &str = include_str!("../data/questions.json");
/// The name and the contents of every file that belongs to the database.
pub const FILES: [(&str, &str); 5] = [
    ("policy.toml", POLICY),
    ("join_graph.json", JOIN_GRAPH),
    ("associations.json", ASSOCIATIONS),
    ("join_graph_manual.json", MANUAL),
    ("questions.json", QUESTIONS),
];

/// A question with the query that answers it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ExampleQuestion {
    /// The question in the words of a user.
    pub question: String,
    /// The query with logical table names, as in a confirmed question.
    pub sql: String,
}

/// Questions that the database can answer, with reviewed queries.
pub fn questions() -> Result<Vec<ExampleQuestion>, Error> {
    serde_json::from_str(QUESTIONS).map_err(Error::Questions)
}

/// All rows of a load, ordered so that each row refers only to earlier ones.
pub fn rows(anchor: chrono::NaiveDate, seed: u64) -> Vec<Rows> {
    generate::all(anchor, seed)
}
