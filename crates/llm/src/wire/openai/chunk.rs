//! The chunks of a streamed chat completion, lenient enough for the servers of many makers.

use serde::Deserialize;
use serde_json::Value;

use crate::Usage;

/// One event of a stream. Azure's first chunk and the usage chunk have no choices.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<Value>,
    pub(super) model: Option<String>,
    pub(super) error: Option<Value>,
    /// The usage in older versions of Groq.
    x_groq: Option<Groq>,
}

impl Chunk {
    /// The token counts, if there are any.
    pub(super) fn counts(&self) -> Option<&Value> {
        self.usage
            .as_ref()
            .or_else(|| self.x_groq.as_ref()?.usage.as_ref())
            .filter(|usage| usage.is_object())
    }
}

#[derive(Debug, Deserialize)]
struct Groq {
    usage: Option<Value>,
}

/// The next part of one answer. Requests ask for one answer only.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub(super) index: Option<u64>,
    pub(super) delta: Option<Delta>,
    pub(super) finish_reason: Option<String>,
}

/// The new text, reasoning and calls.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    /// A string; Mistral's reasoning models send a list of parts.
    pub(super) content: Option<Value>,
    pub(super) refusal: Option<String>,
    /// Reasoning, by the name of OpenRouter and Groq.
    pub(super) reasoning: Option<String>,
    /// Reasoning, by the name of `DeepSeek`, xAI and vLLM.
    pub(super) reasoning_content: Option<String>,
    /// OpenRouter: data to return unchanged.
    pub(super) reasoning_details: Option<Vec<Value>>,
    pub(super) tool_calls: Option<Vec<CallDelta>>,
}

/// A fragment of a tool call.
#[derive(Debug, Deserialize)]
pub(super) struct CallDelta {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<FunctionDelta>,
}

/// A fragment of the function of a tool call.
#[derive(Debug, Deserialize)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    /// A fragment of text; some servers send the object itself.
    pub(super) arguments: Option<Value>,
}

/// Reads token counts. Unknown ones count as zero.
pub(super) fn usage(counts: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let input_tokens = count(&counts["prompt_tokens"]);
    let mut output_tokens = count(&counts["completion_tokens"]);
    let reasoning_tokens = count(&counts["completion_tokens_details"]["reasoning_tokens"]);
    // xAI does not count reasoning as completion tokens; only the total includes it.
    let all = input_tokens
        .saturating_add(output_tokens)
        .saturating_add(reasoning_tokens);
    if reasoning_tokens > 0 && count(&counts["total_tokens"]) == all {
        output_tokens += reasoning_tokens;
    }
    // DeepSeek has its own name for cached tokens.
    let cached_input_tokens = count(&counts["prompt_tokens_details"]["cached_tokens"])
        .max(count(&counts["prompt_cache_hit_tokens"]));
    Usage {
        input_tokens,
        cached_input_tokens,
        output_tokens,
        reasoning_tokens,
        cost_micros: 0,
    }
}
