//! Holds `.sqlx` to the databases, and the product's sources to the rules for SQL.

mod fresh;
