//! The only road to a target database: parse, resolve, rewrite, limit.
//!
//! A [`Guard`] checks one statement, as a person or a model wrote it, and either returns a
//! statement that may be executed or reports all of its faults. The returned statement is printed
//! from the syntax tree that was checked, so the database never sees a byte that was not understood
//! here: comments, hints and unusual spellings are removed.
//!
//! - One read and nothing else: no writes, no second statement, no `INTO`, variables, locks,
//!   executable comments, catalogue tables or other schemas, and only functions known to be
//!   harmless. What the guard does not know, it refuses.
//! - Every table and column must exist where it is used; [`Finding`]s suggest what was meant.
//! - Protected tables become their secure views, and tables with a row filter become the identity's
//!   rows of them, in every scope that reads them.
//! - An expression that can fail, or that is not known to be safe, is evaluated only on the
//!   tenant's own rows: where a statement has one and reads a table with a row filter, the tenant's
//!   rows of it are behind a fence, which the database's optimiser does not cross. Expressions that
//!   are total, see [`ColumnKind`], are beside the filter, so that indexes serve.
//! - Hidden columns do not exist; masked ones give the same text for every row.
//! - The number of rows is limited.
//!
//! The guard is beside, not instead of, a role that may only read and a read-only transaction. It
//! expects string literals to mean what they mean by default: `standard_conforming_strings` on in
//! PostgreSQL, no `NO_BACKSLASH_ESCAPES` in `MySQL`; set both on the connection.
//!
//! ```
//! use sql_guard::{Dialect, Guard, Policy, Schema, Tenant};
//!
//! let schema = Schema::new([("employee", ["id", "name", "company_id"])])?;
//! let mut policy = Policy::new(100);
//! policy.secure_views.insert("employee".to_owned(), "secure_employee".to_owned());
//! policy.row_filters.insert("employee".to_owned(), "company_id".into());
//! let guard = Guard::new(&schema, policy.for_tenant(Tenant::text("c-1")?))?;
//!
//! let checked = guard.check("SELECT e.name FROM employee e", Dialect::MySql).unwrap();
//! assert_eq!(
//!     checked.sql,
//!     "SELECT e.name FROM (SELECT * FROM secure_employee \
//!      WHERE secure_employee.company_id = 'c-1') AS e LIMIT 100"
//! );
//! let findings = guard.check("SELECT nme FROM employee", Dialect::MySql).unwrap_err();
//! assert!(findings[0].message.contains("Did you mean 'name'?"));
//! # Ok::<(), sql_guard::PolicyError>(())
//! ```

mod bind;
mod bounds;
mod fence;
mod finding;
mod frames;
mod functions;
mod guard;
mod kind;
mod literal;
mod operands;
mod person;
mod policy;
mod rewritten;
mod schema;
mod scope;
mod server;
mod suggest;
mod text;

pub use bounds::{MOST_STEPS, PADDED_TOO_FAR, TOO_LONG, TOO_MANY, TOO_WIDE};
pub use finding::{Finding, Kind};
pub use guard::{Checked, Counted, Dialect, Guard};
pub use kind::ColumnKind;
pub use policy::{ColumnRule, Policy, PolicyError, RowFilter, Tenant};
pub use schema::Schema;
pub use server::{Server, ServerKind};

/// A name as it is compared where case does not matter.
fn fold(name: &str) -> String {
    if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        name.to_lowercase()
    }
}
