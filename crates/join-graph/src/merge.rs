//! Merging join graphs from several sources.

use std::collections::HashMap;

use crate::document::{Document, Relationship, Table};
use crate::fold;
use crate::hygiene::{PairKey, absorb, pair_key};

/// Merges an introspected graph, the associations that an application declares, and manual
/// overrides.
///
/// The same pair of columns is one relationship, whatever its direction, case and type. Of the
/// first two documents, the relationship with the higher confidence decides, and the evidence of
/// both is kept. Overrides take precedence: they decide confidence, type and direction, and a
/// confidence of 0 removes a relationship. Tables of later documents add missing columns. Fails
/// where a document's own check does.
pub fn merge(
    introspected: &Document,
    associations: &Document,
    overrides: &Document,
) -> Result<Document, crate::Error> {
    let mut merged = Document::empty();
    let mut places: HashMap<PairKey, usize> = HashMap::new();
    for document in [introspected, associations, overrides] {
        document.check()?;
        add_tables(&mut merged, document);
        for relationship in &document.relationships {
            match places.get(&pair_key(relationship)) {
                None => {
                    places.insert(pair_key(relationship), merged.relationships.len());
                    merged.relationships.push(relationship.clone());
                }
                Some(&place) => {
                    let kept = &mut merged.relationships[place];
                    absorb(kept, relationship.clone());
                    if std::ptr::eq(document, overrides) {
                        let (evidence, sources) = (kept.evidence.clone(), kept.sources.clone());
                        let key = kept.key.clone();
                        *kept = Relationship {
                            evidence,
                            sources,
                            key,
                            ..relationship.clone()
                        };
                    }
                }
            }
        }
    }
    merged
        .relationships
        .retain(|relationship| relationship.confidence > 0.0);
    Ok(merged)
}

fn add_tables(merged: &mut Document, document: &Document) {
    for (name, table) in &document.tables {
        let known = merged
            .tables
            .keys()
            .find(|known| fold(known) == fold(name))
            .cloned();
        let mine: &mut Table = merged
            .tables
            .entry(known.unwrap_or_else(|| name.clone()))
            .or_default();
        for column in &table.columns {
            if !mine.has(column) {
                mine.columns.push(column.clone());
            }
        }
        for column in &table.unique_columns {
            if !mine.is_unique(column) {
                mine.unique_columns.push(column.clone());
            }
        }
        if mine.primary_key.is_empty() {
            mine.primary_key.clone_from(&table.primary_key);
        }
        if table.comment.is_some() {
            mine.comment.clone_from(&table.comment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::RelationshipType;

    fn document(columns: &str, kind: &str, confidence: f64) -> Document {
        Document::from_json(&format!(
            r#"{{"version":1,"tables":{{"a":{{"columns":[{columns}]}},"b":{{"columns":["id"]}}}},"relationships":[
                {{"from_table":"a","from_column":"b_id","to_table":"b","to_column":"id","type":"{kind}",
                  "confidence":{confidence},"evidence":"{kind}"}}]}}"#
        ))
        .unwrap()
    }

    #[test]
    fn the_higher_confidence_decides_and_overrides_take_precedence() {
        let (found, declared) = (
            document(r#""b_id""#, "heuristic", 0.7),
            document(r#""B_ID","x""#, "business", 0.9),
        );
        let merged = merge(&found, &declared, &Document::empty()).unwrap();
        assert_eq!(merged.relationships.len(), 1);
        assert_eq!(merged.relationships[0].kind, RelationshipType::Business);
        assert_eq!(merged.relationships[0].evidence, ["heuristic", "business"]);
        assert_eq!(merged.tables["a"].columns, ["b_id", "x"]);

        let merged = merge(&found, &declared, &document(r#""b_id""#, "manual", 0.2)).unwrap();
        assert_eq!(merged.relationships[0].kind, RelationshipType::Manual);
        assert!((merged.relationships[0].confidence - 0.2).abs() < 1e-9);
        assert_eq!(
            merged.relationships[0].evidence,
            ["heuristic", "business", "manual"]
        );
    }

    #[test]
    fn an_override_with_confidence_zero_removes_a_relationship() {
        let found = document(r#""b_id""#, "foreign_key", 1.0);
        let merged = merge(
            &found,
            &Document::empty(),
            &document(r#""b_id""#, "manual", 0.0),
        )
        .unwrap();
        assert!(merged.relationships.is_empty());
    }
}
