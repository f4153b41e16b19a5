//! The databases that statements are checked against.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use join_graph::{Document, Graph};
use serde_json::Value;
use sql_guard::{Guard, Policy, Schema};

use crate::Error;
use crate::lines::{Odd, Tally, odd, on_all_cores};

/// Confidence from which on relationships are used, the default of `SQL_CONFIDENCE_THRESHOLD`.
const THRESHOLD: f64 = 0.7;

/// A guard that protects nothing, and the graph of joins.
pub(crate) struct Database {
    pub(crate) guard: Guard,
    pub(crate) graph: Graph,
    /// The corpus that it is of, as its line says.
    pub(crate) source: Option<String>,
}

/// Databases by name.
pub(crate) type Databases = HashMap<String, Database>;

pub(crate) fn read(path: &Path) -> Result<(Databases, Vec<Odd>), Error> {
    let mut found: Found = on_all_cores(path, |found: &mut Found, number, line: Value| {
        let name = line["db"].as_str().ok_or("the line names no `db`")?;
        found
            .databases
            .push((number, name.to_owned(), database(&line)?));
        Ok(())
    })?;
    found.databases.sort_by_key(|(number, ..)| *number);
    let mut databases = Databases::new();
    for (number, name, database) in found.databases {
        match databases.entry(name) {
            Entry::Vacant(place) => _ = place.insert(database),
            Entry::Occupied(place) => {
                let reason = format!("database '{}' is given twice", place.key());
                found.odd.push(odd(path, number, reason));
            }
        }
    }
    Ok((databases, found.odd))
}

fn database(line: &Value) -> Result<Database, String> {
    let document: Document =
        serde_json::from_value(line.clone()).map_err(|error| error.to_string())?;
    let graph = Graph::new(&document, THRESHOLD).map_err(|error| error.to_string())?;
    let tables = document
        .tables
        .into_iter()
        .map(|(name, table)| (name, table.columns));
    let schema = Schema::new(tables).map_err(|error| error.to_string())?;
    let guard = Guard::new(&schema, Policy::new(1000)).map_err(|error| error.to_string())?;
    let source = line["source"].as_str().map(str::to_owned);
    Ok(Database {
        guard,
        graph,
        source,
    })
}

#[derive(Default)]
struct Found {
    databases: Vec<(usize, String, Database)>,
    odd: Vec<Odd>,
}

impl Tally for Found {
    fn add(&mut self, other: Found) {
        self.databases.extend(other.databases);
        self.odd.extend(other.odd);
    }

    fn odd(&mut self, odd: Odd) {
        self.odd.push(odd);
    }
}
