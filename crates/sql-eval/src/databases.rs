//! The databases that queries are checked against.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use join_graph::{Document, Graph};
use serde_json::Value;
use sql_guard::{Guard, Policy, Schema};

use crate::Error;
use crate::lines::{SkippedLine, Tally, on_all_cores, skipped};

/// Minimum confidence of relationships, the default of `SQL_CONFIDENCE_THRESHOLD`.
const THRESHOLD: f64 = 0.7;

/// A guard without any restrictions, and the graph of joins.
pub(crate) struct Database {
    pub(crate) guard: Guard,
    pub(crate) graph: Graph,
    /// The corpus of the schema, as in its line.
    pub(crate) source: Option<String>,
}

/// Databases by name.
pub(crate) type Databases = HashMap<String, Database>;

pub(crate) fn read(path: &Path) -> Result<(Databases, Vec<SkippedLine>), Error> {
    let mut found: LoadedSchemas =
        on_all_cores(path, |found: &mut LoadedSchemas, number, line: Value| {
            let name = line["db"].as_str().ok_or("the line has no `db`")?;
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
                let reason = format!("database '{}' is defined twice", place.key());
                found.skipped.push(skipped(path, number, reason));
            }
        }
    }
    Ok((databases, found.skipped))
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
struct LoadedSchemas {
    databases: Vec<(usize, String, Database)>,
    skipped: Vec<SkippedLine>,
}

impl Tally for LoadedSchemas {
    fn add(&mut self, other: LoadedSchemas) {
        self.databases.extend(other.databases);
        self.skipped.extend(other.skipped);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.skipped.push(skipped);
    }
}
