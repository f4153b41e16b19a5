//! A model's judgement of heuristic relationships.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::document::{Document, Relationship, RelationshipType};
use crate::hygiene::pair_key;

/// A model's judgement of one relationship.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The judged relationship, identified by its columns.
    pub relationship: Relationship,
    /// Whether the model considers the relationship valid.
    pub valid: bool,
    /// The confidence of the model. If it is missing, 0.5 is used for a valid relationship and 0.2
    /// for an invalid one.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// The model's explanation.
    #[serde(default)]
    pub reason: String,
}

/// Applies verdicts to the heuristic relationships of a document. A positive verdict raises the
/// confidence to that of the verdict, a negative one lowers it to 0.25 at most. The reason is added
/// to the evidence. Declared relationships do not change.
pub fn apply_verdicts(document: &Document, verdicts: &[Verdict]) -> Document {
    let verdicts: HashMap<_, &Verdict> = verdicts
        .iter()
        .map(|verdict| (pair_key(&verdict.relationship), verdict))
        .collect();
    let mut judged = document.clone();
    for relationship in &mut judged.relationships {
        let guessed = relationship.kind == RelationshipType::Heuristic;
        if let Some(verdict) = verdicts.get(&pair_key(relationship)).filter(|_| guessed) {
            let answer = verdict
                .confidence
                .unwrap_or(if verdict.valid { 0.5 } else { 0.2 })
                .clamp(0.0, 1.0);
            relationship.confidence = if verdict.valid {
                relationship.confidence.max(answer)
            } else {
                relationship.confidence.min(0.25)
            };
            if !verdict.reason.is_empty() {
                relationship.evidence.push(verdict.reason.clone());
            }
            relationship.sources.push("model".to_owned());
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_heuristic_relationships_are_judged() {
        let document = Document::from_json(
            r#"{"version":1,"tables":{},"relationships":[
            {"from_table":"a","from_column":"b_id","to_table":"b","to_column":"id","type":"heuristic","confidence":0.7},
            {"from_table":"a","from_column":"c_id","to_table":"c","to_column":"id","type":"heuristic","confidence":0.7},
            {"from_table":"a","from_column":"d_id","to_table":"d","to_column":"id","type":"foreign_key","confidence":1.0}]}"#,
        )
        .unwrap();
        let verdict = |index: usize, valid: bool, confidence: Option<f64>| Verdict {
            relationship: document.relationships[index].clone(),
            valid,
            confidence,
            reason: "names".to_owned(),
        };
        let judged = apply_verdicts(
            &document,
            &[
                verdict(0, true, Some(0.95)),
                verdict(1, false, None),
                verdict(2, false, None),
            ],
        );
        let confidences: Vec<f64> = judged
            .relationships
            .iter()
            .map(|edge| edge.confidence)
            .collect();
        assert_eq!(confidences, [0.95, 0.25, 1.0]);
        assert_eq!(judged.relationships[0].evidence, ["names"]);
    }
}
