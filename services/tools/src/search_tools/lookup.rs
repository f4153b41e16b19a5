//! Things of indices that have too many to know all names: found by their exact id or name.

use contracts::tools::meanings::{EntityCandidate, MatchedBy};
use contracts::tools::search::{Filter, FilterOp, QueryStructure};
use entities::Candidate;
use search_sources::{EntityIndex, Source, SourceError};
use serde_json::json;

use super::known_things::{fields, thing};

/// More of one name are of no use to any user.
const MOST: u32 = 10;

/// The things whose id or name the words are.
pub(super) async fn exact(
    source: &Source,
    tenant: &str,
    index: &EntityIndex,
    words: &str,
) -> Result<Vec<Candidate>, SourceError> {
    // No id has it, and PostgreSQL takes no text with it.
    if words.contains('\0') || words.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut written = vec![words.to_owned(), words.to_uppercase(), words.to_lowercase()];
    written.dedup();
    let mut found: Vec<Candidate> = Vec::new();
    let mut asked: Vec<&str> = Vec::new();
    for (field, matched_by) in [
        (&index.id_field, MatchedBy::Id),
        (&index.name_field, MatchedBy::Name),
    ] {
        if asked.contains(&field.as_str()) || !found.is_empty() {
            continue;
        }
        asked.push(field);
        let structure = QueryStructure {
            index: index.index.clone(),
            fields: fields(index),
            filters: vec![Filter {
                field: field.clone(),
                op: FilterOp::Is,
                values: written.iter().map(|text| json!(text)).collect(),
                label: None,
                or: Vec::new(),
            }],
            ..QueryStructure::default()
        };
        let run = match source.records(tenant, &structure, MOST).await {
            Ok(run) => run,
            // Words that cannot be a value of the field are none of its ids.
            Err(SourceError::Refused { .. }) => continue,
            Err(error) => return Err(error),
        };
        found.extend(run.rows.iter().filter_map(|row| {
            let thing = thing(index, row)?;
            Some(Candidate {
                entity: EntityCandidate {
                    entity_type: index.entity_type.clone(),
                    id: thing.id,
                    name: thing.name,
                    description: thing.description,
                    confidence: 1.0,
                    matched_by,
                    source: source.name().to_owned(),
                },
                index: index.index.clone(),
            })
        }));
    }
    Ok(found)
}
