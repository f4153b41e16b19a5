//! What chat completion streams consist of, as leniently as servers of many makers need it.

use serde::Deserialize;
use serde_json::Value;

use crate::Usage;

/// One event of a stream. Azure's first and the usage chunk have no choices.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<Value>,
    pub(super) model: Option<String>,
    pub(super) error: Option<Value>,
    /// Groq's place for the usage, in older versions.
    x_groq: Option<Groq>,
}

impl Chunk {
    /// The token counts, if it has them.
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

/// More of one answer. We ask for one only.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub(super) index: Option<u64>,
    pub(super) delta: Option<Delta>,
    pub(super) finish_reason: Option<String>,
}

/// What is new in it.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    /// A string; Mistral's reasoning models send a list of parts.
    pub(super) content: Option<Value>,
    pub(super) refusal: Option<String>,
    /// Thoughts, as OpenRouter and Groq spell it.
    pub(super) reasoning: Option<String>,
    /// Thoughts, as `DeepSeek`, xAI and vLLM spell it.
    pub(super) reasoning_content: Option<String>,
    /// OpenRouter: what has to go back unchanged.
    pub(super) reasoning_details: Option<Vec<Value>>,
    pub(super) tool_calls: Option<Vec<CallDelta>>,
}

/// More of a call.
#[derive(Debug, Deserialize)]
pub(super) struct CallDelta {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<FunctionDelta>,
}

/// More of a call's function.
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
    // xAI leaves the thoughts out of what was written, and says so only by the sum.
    let all = input_tokens
        .saturating_add(output_tokens)
        .saturating_add(reasoning_tokens);
    if reasoning_tokens > 0 && count(&counts["total_tokens"]) == all {
        output_tokens += reasoning_tokens;
    }
    // DeepSeek has a name of its own for what came from the cache.
    let cached_input_tokens = count(&counts["prompt_tokens_details"]["cached_tokens"])
        .max(count(&counts["prompt_cache_hit_tokens"]));
    Usage {
        input_tokens,
        cached_input_tokens,
        output_tokens,
        reasoning_tokens,
    }
}
