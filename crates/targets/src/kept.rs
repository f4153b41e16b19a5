//! The parts of a target that is kept in a database: what files say of a configured one.

use std::collections::BTreeMap;

use join_graph::{Cardinality, Document, Relationship, RelationshipType};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Catalogue, PolicyFile, Question};

/// The parts of a kept target that a configured one has in files.
#[derive(Debug, Clone, Default)]
pub struct KeptParts {
    /// The tenant that keeps it; `None` for a configured target.
    pub tenant: Option<String>,
    /// The rules, as a policy file has them; `Null` for none.
    pub policy: Value,
    /// Questions with queries that answer them.
    pub questions: Vec<Question>,
    /// Joins that a person confirmed or rejected.
    pub joins: Vec<JoinVerdict>,
    /// Descriptions of tables (`table`) and columns (`table.column`), in place of the database's
    /// comments.
    pub descriptions: BTreeMap<String, String>,
    /// Remarks for answers about tables (`table`) and columns (`table.column`).
    pub remarks: BTreeMap<String, String>,
    /// The certificates (PEM) that the server's certificate is checked with.
    pub ca_certificate: Option<String>,
    /// PostgreSQL: the role that each connection becomes.
    pub role: Option<String>,
    /// PostgreSQL: the one schema of the search path, without those of the role.
    pub only_schema: Option<String>,
    /// Whether a database of this product is refused.
    pub refuse_own: bool,
}

/// A person's judgement of a join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinVerdict {
    /// The table that holds the reference.
    pub from_table: String,
    /// The column that holds the reference.
    pub from_column: String,
    /// The referenced table.
    pub to_table: String,
    /// The referenced column.
    pub to_column: String,
    /// Whether the join holds.
    pub holds: bool,
}

impl JoinVerdict {
    fn is_about(&self, edge: &Relationship) -> bool {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let ends = |from: (&str, &str), to: (&str, &str)| {
            same(from.0, &self.from_table)
                && same(from.1, &self.from_column)
                && same(to.0, &self.to_table)
                && same(to.1, &self.to_column)
        };
        let from = (edge.from_table.as_str(), edge.from_column.as_str());
        let to = (edge.to_table.as_str(), edge.to_column.as_str());
        ends(from, to) || ends(to, from)
    }

    fn relationship(&self) -> Relationship {
        Relationship {
            from_table: self.from_table.clone(),
            from_column: self.from_column.clone(),
            to_table: self.to_table.clone(),
            to_column: self.to_column.clone(),
            kind: RelationshipType::Manual,
            confidence: 1.0,
            cardinality: Cardinality::Unknown,
            evidence: Vec::new(),
            sources: vec!["person".to_owned()],
            key: None,
        }
    }
}

impl KeptParts {
    /// The rules as a policy.
    pub(crate) fn policy_file(&self) -> Result<PolicyFile, String> {
        match &self.policy {
            Value::Null => Ok(PolicyFile::default()),
            rules => PolicyFile::from_json(rules),
        }
    }

    /// A join graph with what persons said of its joins: a rejected one is not there, a confirmed
    /// one is certain.
    pub(crate) fn judged(&self, document: &Document) -> Document {
        let mut judged = document.clone();
        for verdict in &self.joins {
            if !verdict.holds {
                judged.relationships.retain(|edge| !verdict.is_about(edge));
                continue;
            }
            let mut edges = judged.relationships.iter_mut();
            match edges.find(|edge| verdict.is_about(edge)) {
                Some(edge) if edge.kind == RelationshipType::ForeignKey => {}
                Some(edge) => {
                    edge.kind = RelationshipType::Manual;
                    edge.confidence = 1.0;
                }
                None => judged.relationships.push(verdict.relationship()),
            }
        }
        judged
    }

    /// Puts descriptions in place of the database's comments, and adds the remarks.
    pub(crate) fn describe(&self, catalogue: &mut Catalogue) {
        let about = |texts: &BTreeMap<String, String>, name: &str| {
            let mut known = texts.iter();
            known
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, text)| text.clone())
        };
        for table in catalogue.tables.values_mut() {
            if let Some(text) = about(&self.descriptions, &table.name) {
                table.comment = Some(text);
            }
            table.remark = about(&self.remarks, &table.name);
            for column in &mut table.columns {
                let name = format!("{}.{}", table.name, column.name);
                if let Some(text) = about(&self.descriptions, &name) {
                    column.comment = Some(text);
                }
                column.remark = about(&self.remarks, &name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_decide_on_joins() {
        let edge = |column: &str, kind: &str| serde_json::json!({"from_table": "a", "from_column": column, "to_table": "b", "to_column": "id", "type": kind, "confidence": 0.7});
        let document = Document::from_json(
            &serde_json::json!({"version": 1, "tables": {}, "relationships": [edge("x", "heuristic"), edge("y", "heuristic"), edge("z", "foreign_key")]}).to_string(),
        )
        .unwrap();
        let verdict = |column: &str, holds| JoinVerdict {
            from_table: "B".to_owned(),
            from_column: "ID".to_owned(),
            to_table: "A".to_owned(),
            to_column: column.to_uppercase(),
            holds,
        };
        let kept = KeptParts {
            joins: vec![verdict("x", true), verdict("y", false), verdict("w", true)],
            ..KeptParts::default()
        };
        let judged = kept.judged(&document);
        let told: Vec<_> = judged
            .relationships
            .iter()
            .map(|edge| (edge.from_column.as_str(), edge.confidence))
            .collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!((told[0], told[1].0), (("x", 1.0), "z"));
        assert_eq!(judged.relationships[0].kind, RelationshipType::Manual);
        assert_eq!(judged.relationships[2].to_column, "W");
    }
}
