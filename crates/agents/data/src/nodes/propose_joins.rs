//! Joins that a model proposes if no key is declared and no name suggests one; the tools service
//! keeps those that hold.

use contracts::tools::sql::ProposedJoin;
use serde_json::{Value, json};

use crate::{draft::Draft, prompt};

const PROMPT: &str = include_str!("../../prompts/propose_joins.md");

/// Maximum number of joins that are proposed at once.
const MOST: usize = 20;

/// The model's proposals to join groups of unconnected tables; empty if it has none.
pub(crate) async fn proposals(draft: &mut Draft, groups: &[Vec<String>]) -> Vec<ProposedJoin> {
    let columns = draft.limits().max_columns_in_schema as usize;
    let proposed = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "from_table": { "type": "string" }, "from_column": { "type": "string" },
                "to_table": { "type": "string" }, "to_column": { "type": "string" },
            },
            "required": ["from_table", "from_column", "to_table", "to_column"],
            "additionalProperties": false,
        },
    });
    let format = prompt::object("joins", &[("joins", proposed)]);
    let request = prompt::within(
        draft.settings().max_context_tokens,
        PROMPT,
        format,
        |detail| {
            json!({
                "question": draft.work.asked.question,
                "not_joined": groups,
                "tables": prompt::tables(&draft.found.schemas, columns, detail),
            })
        },
    );
    let Some(answer) = draft
        .node
        .ask(request, draft.settings().writing_timeout)
        .await
    else {
        return Vec::new();
    };
    let joins = prompt::object_in(&answer).and_then(|mut object| object.remove("joins"));
    let Some(Value::Array(joins)) = joins else {
        tracing::warn!("the model's proposal of joins cannot be read");
        return Vec::new();
    };
    joins
        .into_iter()
        .filter_map(|join| serde_json::from_value(join).ok())
        .take(MOST)
        .collect()
}
