//! Anthropic.

use super::*;

#[tokio::test]
async fn requests() {
    refused(Dialect::Anthropic, "claude-sonnet-4-6", &[
        (|body| body["model"] = json!("claude-nonexistent"), 404, "model: claude-nonexistent"),
        (|body| unset(body, "max_tokens"), 400, "max_tokens: Field required"),
        (|body| body["max_tokens"] = json!(0), 400, "max_tokens: must be greater than or equal to 1"),
        (|body| body["response_format"] = json!({}), 400, "response_format: Extra inputs are not permitted"),
        (|body| body["temperature"] = json!(1.5), 400, "temperature: range: 0..1"),
        (|body| body["system"] = json!([{"type": "text", "text": ""}]), 400, "system: text content blocks must be non-empty"),
        (|body| body["tools"][0]["name"] = json!("look at"), 400, "tools.0.custom.name: String should match pattern"),
        (|body| body["tools"][0]["parameters"] = json!({}), 400, "tools.0.custom.parameters: Extra inputs are not permitted"),
        (|body| unset(&mut body["tools"][0], "input_schema"), 400, "tools.0.custom.input_schema.type: Field required"),
        (|body| body["tools"][0]["input_schema"]["anyOf"] = json!([]), 400, "does not support oneOf, allOf, or anyOf at the top level"),
        (|body| { let tool = body["tools"][0].clone(); append(&mut body["tools"], tool); }, 400, "Tool names must be unique"),
        (|body| body["tools"][0]["strict"] = json!(true), 400, "'additionalProperties' must be explicitly set to false"),
        (|body| body["tool_choice"] = json!({"type": "tool", "name": "leap"}), 400, "Tool 'leap' not found in provided tools"),
        (|body| body["tool_choice"] = json!({"type": "required"}), 400, "Input tag 'required' found"),
        (|body| { unset(body, "tools"); body["tool_choice"] = json!({"type": "auto"}); }, 400, "tool_choice may only be specified while providing tools"),
        (|body| { body["thinking"] = json!({"type": "enabled", "budget_tokens": 2000}); body["tool_choice"] = json!({"type": "any"}); }, 400, "Thinking may not be enabled when tool_choice forces tool use."),
        (|body| body["thinking"] = json!({"type": "enabled", "budget_tokens": 2000}), 400, "`max_tokens` must be greater than"),
        (|body| { body["max_tokens"] = json!(4000); body["thinking"] = json!({"type": "enabled", "budget_tokens": 2000}); }, 400, "Expected `thinking` or `redacted_thinking`, but found `tool_use`"),
        (|body| body["output_config"] = json!({"format": {"type": "json_schema", "schema": {"type": "object"}}}), 400, "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"),
        (|body| body["output_config"] = json!({"format": {"type": "json_schema", "name": "a", "schema": {}}}), 400, "output_config.format.name: Extra inputs are not permitted"),
        (|body| body["output_config"] = json!({"format": {"type": "json_schema", "schema": {"type": "number", "minimum": 0}}}), 400, "property 'minimum' is not supported"),
    ]).await;
}

#[tokio::test]
async fn conversations() {
    refused(Dialect::Anthropic, "claude-sonnet-4-6", &[
        (|body| body["messages"] = json!([]), 400, "at least one message is required"),
        (|body| remove(&mut body["messages"], 0), 400, "first message must use the \"user\" role"),
        (|body| append(&mut body["messages"], json!({"role": "user", "content": "And?"})), 400, "found multiple \"user\" roles in a row"),
        (|body| body["messages"][0]["role"] = json!("system"), 400, "Unexpected role \"system\""),
        (|body| body["messages"][0]["content"] = json!(""), 400, "messages.0: all messages must have non-empty content"),
        (|body| append(&mut body["messages"][1]["content"], json!({"type": "text", "text": ""})), 400, "text content blocks must be non-empty"),
        (|body| append(&mut body["messages"][1]["content"], json!({"type": "text", "text": " \n"})), 400, "must contain non-whitespace text"),
        (|body| remove(&mut body["messages"][2]["content"], 1), 400, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c2."),
        (|body| body["messages"][2]["content"].as_array_mut().unwrap().insert(0, json!({"type": "text", "text": "Here."})), 400, "without `tool_result` blocks immediately after: c1, c2"),
        (|body| body["messages"][2]["content"].as_array_mut().unwrap().insert(1, json!({"type": "text", "text": "Here."})), 400, "without `tool_result` blocks immediately after: c2"),
        (|body| remove(&mut body["messages"][1]["content"], 0), 400, "unexpected `tool_use_id` found in `tool_result` blocks: c1"),
        (|body| body["messages"][4]["content"] = json!([{"type": "tool_result", "tool_use_id": "c1", "content": "1"}]), 400, "unexpected `tool_use_id`"),
        (|body| { let again = body["messages"][2]["content"][0].clone(); append(&mut body["messages"][2]["content"], again); }, 400, "each tool_use must have a single result"),
        (|body| body["messages"][1]["content"][1]["id"] = json!("c1"), 400, "`tool_use` ids must be unique"),
        (|body| body["messages"][1]["content"][1]["id"] = json!("c.2"), 400, "tool_use.id: String should match pattern"),
        (|body| body["messages"][1]["content"][0]["input"] = json!("{}"), 400, "tool_use.input: Input should be a valid dictionary"),
        (|body| body["messages"][1]["content"][0]["index"] = json!(0), 400, "tool_use.index: Extra inputs are not permitted"),
        (|body| body["messages"][2]["content"][0]["content"] = json!([{"type": "text", "text": ""}]), 400, "text content blocks must be non-empty"),
        (|body| body["messages"][2]["content"][0]["name"] = json!("look"), 400, "tool_result.name: Extra inputs are not permitted"),
        (|body| body["messages"][3]["content"].as_array_mut().unwrap().insert(0, json!({"type": "thinking", "thinking": "hm", "signature": "invented"})), 400, "Invalid `signature` in `thinking` block"),
        (|body| unset(body, "tools"), 400, "must define tools"),
        (|body| remove(&mut body["messages"], 4), 400, "does not support assistant message prefill"),
        (|body| { body["model"] = json!("claude-3-5-sonnet"); remove(&mut body["messages"], 4); body["messages"][3]["content"][0]["text"] = json!("One "); }, 400, "cannot end with trailing whitespace"),
    ]).await;
}
