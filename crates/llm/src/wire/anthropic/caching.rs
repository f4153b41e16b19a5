//! Marks what of a prompt is to be cached: the API caches nothing unasked.

use serde_json::{Value, json};

/// Marks the tools, the instructions and, in a tool loop, the conversation. Each mark covers all
/// that is before it, and the next request with the same beginning reads it from the cache.
pub(super) fn mark(body: &mut Value) {
    let has_tools = match body.get_mut("tools").and_then(Value::as_array_mut) {
        Some(tools) => {
            mark_last(tools);
            true
        }
        None => false,
    };
    if let Some(system) = body.get("system").and_then(Value::as_str) {
        let mut block = json!({"type": "text", "text": system});
        mark_block(&mut block);
        body["system"] = json!([block]);
    }
    // A question that is asked once is not worth the price of writing it to the cache.
    if !has_tools {
        return;
    }
    let last = body
        .get_mut("messages")
        .and_then(Value::as_array_mut)
        .and_then(|messages| messages.last_mut())
        .and_then(|message| message["content"].as_array_mut());
    if let Some(blocks) = last {
        mark_last(blocks);
    }
}

fn mark_last(blocks: &mut [Value]) {
    if let Some(block) = blocks.last_mut() {
        mark_block(block);
    }
}

fn mark_block(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_instructions_and_the_conversation_of_a_tool_loop_are_marked() {
        let mut body = json!({
            "system": "Be brief.",
            "tools": [{"name": "a"}, {"name": "b"}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
            ],
        });
        mark(&mut body);
        let cached = json!({"type": "ephemeral"});
        assert_eq!(body["tools"][1]["cache_control"], cached);
        assert_eq!(body["tools"][0].get("cache_control"), None);
        let system = json!([{"type": "text", "text": "Be brief.", "cache_control": cached}]);
        assert_eq!(body["system"], system);
        assert_eq!(body["messages"][1]["content"][0]["cache_control"], cached);
        assert_eq!(body["messages"][0]["content"][0].get("cache_control"), None);
    }

    #[test]
    fn a_single_question_is_not_marked() {
        let mut body = json!({"messages": [{"content": [{"type": "text", "text": "Hi"}]}]});
        let plain = body.clone();
        mark(&mut body);
        assert_eq!(body, plain);
    }
}
