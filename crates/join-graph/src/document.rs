//! The file format of a join graph.

use std::fmt;
use std::path::Path;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Error, fold};

/// A join graph as it is stored. Unknown members are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Version of the format; 1.
    pub version: u64,
    /// The tables by name, in the order of the file.
    pub tables: IndexMap<String, Table>,
    /// The relationships between the tables.
    #[serde(default)]
    pub relationships: Vec<Relationship>,
}

/// A table: its columns, and those that identify a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// All columns, in the order of the database.
    pub columns: Vec<String>,
    /// Columns that are unique on their own.
    #[serde(default)]
    pub unique_columns: Vec<String>,
    /// The primary key. A key of a single column counts as unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub primary_key: Vec<String>,
    /// The database's comment on the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl Table {
    /// Whether `column` alone identifies a row.
    pub fn is_unique(&self, column: &str) -> bool {
        let same = |other: &String| fold(other) == fold(column);
        self.unique_columns.iter().any(same)
            || (self.primary_key.len() == 1 && self.primary_key.iter().any(same))
    }

    /// Whether the table has `column`, in any case.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|other| fold(other) == fold(column))
    }
}

/// Two columns that join two tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relationship {
    /// The table that holds the reference.
    pub from_table: String,
    /// The column that holds the reference.
    pub from_column: String,
    /// The referenced table.
    pub to_table: String,
    /// The referenced column.
    pub to_column: String,
    /// How the relationship was found.
    #[serde(rename = "type")]
    pub kind: RelationshipType,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The number of rows of one table that match rows of the other.
    #[serde(default)]
    pub cardinality: Cardinality,
    /// The reasons for the relationship.
    #[serde(
        default,
        deserialize_with = "texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub evidence: Vec<String>,
    /// The sources that the relationship was found in.
    #[serde(
        default,
        deserialize_with = "texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub sources: Vec<String>,
    /// The name of the declared key that the pair belongs to. Pairs of two tables with the same key
    /// name form one condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The join condition: `workTime.employeeId = employee.id`.
impl fmt::Display for Relationship {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{} = {}.{}",
            self.from_table, self.from_column, self.to_table, self.to_column
        )
    }
}

/// How a relationship was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationshipType {
    /// Declared by the database.
    ForeignKey,
    /// Declared by the application's models.
    Business,
    /// Written by a person.
    Manual,
    /// Suggested by the names.
    Heuristic,
    /// Found in another way.
    #[serde(untagged)]
    Other(String),
}

/// The number of rows that match, from the `from` table to the `to` table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cardinality {
    /// One row matches one row.
    #[serde(rename = "1:1")]
    OneToOne,
    /// Many rows match one row.
    #[serde(rename = "N:1")]
    ManyToOne,
    /// One row matches many rows.
    #[serde(rename = "1:N")]
    OneToMany,
    /// No column is known to be unique.
    #[default]
    #[serde(rename = "unknown", alias = "N:N", alias = "N:M")]
    Unknown,
}

impl Document {
    /// A document without tables.
    pub fn empty() -> Document {
        Document {
            version: 1,
            tables: IndexMap::new(),
            relationships: Vec::new(),
        }
    }

    /// Reads and checks a graph file. Fails as [`Document::from_json`] does, or with
    /// [`Error::Read`].
    pub fn load(path: impl AsRef<Path>) -> Result<Document, Error> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        Document::from_json(&text)
    }

    /// Parses and checks a graph: [`Error::Malformed`], [`Error::Version`], [`Error::SameTable`],
    /// [`Error::Confidence`].
    pub fn from_json(text: &str) -> Result<Document, Error> {
        let document: Document = serde_json::from_str(text).map_err(Error::Malformed)?;
        document.check()?;
        Ok(document)
    }

    /// The document as indented JSON. Fails only if a confidence is not a finite number.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string_pretty(self).map_err(Error::Malformed)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.version != 1 {
            return Err(Error::Version(self.version));
        }
        let mut seen: IndexMap<String, &str> = IndexMap::new();
        for name in self.tables.keys() {
            if let Some(other) = seen.insert(fold(name), name) {
                return Err(Error::SameTable(other.to_owned(), name.clone()));
            }
        }
        for (index, relationship) in self.relationships.iter().enumerate() {
            if !(0.0..=1.0).contains(&relationship.confidence) {
                let (confidence, relationship) =
                    (relationship.confidence, relationship.to_string());
                return Err(Error::Confidence {
                    index,
                    relationship,
                    confidence,
                });
            }
        }
        Ok(())
    }
}

/// Accepts one text or an object where newer files have a list.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Null => Vec::new(),
        serde_json::Value::Array(values) => values.into_iter().map(text).collect(),
        other => vec![text(other)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Document::from_json(text).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_their_cause() {
        assert!(refused("{").contains("line 1"));
        assert_eq!(
            refused(r#"{"version":2,"tables":{}}"#),
            "join graph version 2 is not supported; this program reads version 1"
        );
        assert_eq!(
            refused(r#"{"version":1,"tables":{"note":{"columns":[]},"Note":{"columns":[]}}}"#),
            "tables 'note' and 'Note' differ only in case"
        );
        let edge = r#"{"from_table":"a","from_column":"b","to_table":"c","to_column":"id","type":"business","confidence":1.5}"#;
        assert_eq!(
            refused(&format!(
                r#"{{"version":1,"tables":{{}},"relationships":[{edge}]}}"#
            )),
            "confidence 1.5 of relationship 0 (a.b = c.id) is not between 0 and 1"
        );
    }

    #[test]
    fn evidence_may_be_a_text_a_list_or_an_object() {
        let edge = |evidence: &str| {
            let text = format!(
                r#"{{"from_table":"a","from_column":"b","to_table":"c","to_column":"id","type":"seen","confidence":1,"evidence":{evidence}}}"#
            );
            serde_json::from_str::<Relationship>(&text).unwrap()
        };
        assert_eq!(edge(r#""fk_1""#).evidence, ["fk_1"]);
        assert_eq!(edge(r#"["x","y"]"#).evidence, ["x", "y"]);
        assert_eq!(edge(r#"{"a":1}"#).evidence, [r#"{"a":1}"#]);
        assert_eq!(edge("null").evidence, Vec::<String>::new());
        assert_eq!(
            edge("null").kind,
            RelationshipType::Other("seen".to_owned())
        );
    }

    #[test]
    fn a_document_is_the_same_after_a_round_trip() {
        let text = r#"{"version":1,"tables":{"b":{"columns":["id"],"primary_key":["id"]},"a":{"columns":["b_id"]}},
            "relationships":[{"from_table":"a","from_column":"b_id","to_table":"b","to_column":"id","type":"foreign_key",
            "confidence":0.9,"cardinality":"N:1","sources":["db"]}]}"#;
        let document = Document::from_json(text).unwrap();
        assert_eq!(document.tables.keys().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(
            Document::from_json(&document.to_json().unwrap()).unwrap(),
            document
        );
        assert!(document.tables["b"].is_unique("ID"));
    }
}
