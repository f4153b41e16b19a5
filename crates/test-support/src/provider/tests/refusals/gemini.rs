//! Gemini.

use super::*;

#[tokio::test]
async fn requests() {
    refused(Dialect::Gemini, "gemini-2.0-flash", &[
        (|body| body["model"] = json!("gemini"), 400, "Unknown name \"model\": Cannot find field."),
        (|body| body["systemInstruction"] = json!({"parts": [{"text": ""}]}), 400, "must have one initialized field"),
        (|body| body["systemInstruction"] = json!("Be brief."), 400, "Invalid value at 'system_instruction'"),
        (|body| body["tools"] = json!([{"functionDeclarations": []}]), 400, "required one_of 'tool_type'"),
        (|body| body["tools"][0]["functionDeclarations"][0]["name"] = json!("1look"), 400, "Invalid function name."),
        (|body| { let tool = body["tools"][0]["functionDeclarations"][0].clone(); append(&mut body["tools"][0]["functionDeclarations"], tool); }, 400, "Duplicate function declaration found: look"),
        (|body| body["tools"][0]["functionDeclarations"][0]["strict"] = json!(true), 400, "Unknown name \"strict\" at 'tools[0].function_declarations[0]'"),
        (|body| body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"] = json!({}), 400, "mutually exclusive"),
        (|body| body["generationConfig"] = json!({"max_tokens": 3}), 400, "Unknown name \"max_tokens\" at 'generation_config'"),
        (|body| body["generationConfig"] = json!({"temperature": 2.5}), 400, "temperature must be in the range"),
        (|body| body["generationConfig"] = json!({"responseMimeType": "application/json"}), 400, "Function calling with a response mime type: 'application/json' is unsupported"),
        (|body| body["generationConfig"] = json!({"responseSchema": {"type": "object"}}), 400, "response mime type must be set to 'application/json'"),
        (|body| body["generationConfig"] = json!({"responseMimeType": "application/json", "responseSchema": {"additionalProperties": false}}), 400, "Unknown name \"additionalProperties\" at 'generation_config.response_schema'"),
        (|body| body["toolConfig"] = json!({"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["look"]}}), 400, "should only be set when the mode is ANY"),
        (|body| body["toolConfig"] = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["leap"]}}), 400, "that is not declared: leap"),
        (|body| body["toolConfig"] = json!({"functionCallingConfig": {"mode": "any"}}), 400, "FunctionCallingConfig.Mode"),
    ]).await;
    refused(
        Dialect::Gemini,
        "gemini-nonexistent",
        &[(
            |_| (),
            404,
            "models/gemini-nonexistent is not found for API version v1beta",
        )],
    )
    .await;
}

#[tokio::test]
async fn schemas() {
    fn parameters(body: &mut Value, id: Value) {
        body["tools"][0]["functionDeclarations"][0]["parameters"]["properties"]["id"] = id;
    }
    refused(Dialect::Gemini, "gemini-2.5-flash", &[
        (|body| body["tools"][0]["functionDeclarations"][0]["parameters"]["additionalProperties"] = json!(false), 400, "Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field."),
        (|body| parameters(body, json!({"$ref": "#/$defs/id"})), 400, "Unknown name \"$ref\" at 'tools[0].function_declarations[0].parameters.properties[id].value'"),
        (|body| parameters(body, json!({"const": "a"})), 400, "Unknown name \"const\""),
        (|body| parameters(body, json!({"type": ["string", "null"]})), 400, "Proto field is not repeating, cannot start list."),
        (|body| parameters(body, json!({"type": "integer", "enum": [1]})), 400, "(TYPE_STRING), 1"),
        (|body| parameters(body, json!({"type": "integer", "enum": ["1"]})), 400, "enum: only allowed for STRING type"),
        (|body| parameters(body, json!({"type": "string", "format": "date"})), 400, "only 'enum' and 'date-time' are supported"),
        (|body| parameters(body, json!({"type": "array"})), 400, "items: missing field."),
        (|body| parameters(body, json!({"type": "array", "items": {"anyOf": [{"$ref": "#"}]}})), 400, ".items.any_of[0]'"),
        (|body| body["tools"][0]["functionDeclarations"][0]["parameters"]["required"] = json!(["name"]), 400, "property is not defined: name"),
        (|body| parameters(body, json!({"type": "text"})), 400, "v1beta.Type), \"TEXT\""),
    ]).await;
}

#[tokio::test]
async fn conversations() {
    refused(Dialect::Gemini, "gemini-2.5-flash", &[
        (|body| body["contents"] = json!([]), 400, "contents is not specified"),
        (|body| body["contents"][0]["role"] = json!("assistant"), 400, "Please use a valid role: user, model."),
        (|body| body["contents"][0]["parts"] = json!([]), 400, "contents.parts must not be empty"),
        (|body| body["contents"][0]["parts"][0] = json!({"thought": true}), 400, "must have one initialized field"),
        (|body| body["contents"][0]["parts"][0]["type"] = json!("text"), 400, "Unknown name \"type\" at 'contents[0].parts[0]'"),
        (|body| body["contents"][0]["content"] = json!("a"), 400, "Unknown name \"content\" at 'contents[0]'"),
        (|body| body["contents"][1]["parts"][0]["functionCall"]["args"] = json!("{}"), 400, "function_call.args' (type.googleapis.com/google.protobuf.Struct), \"{}\""),
        (|body| body["contents"][2]["parts"][0]["functionResponse"]["response"] = json!([1]), 400, "function_response.response' (type.googleapis.com/google.protobuf.Struct), [1]"),
        (|body| unset(&mut body["contents"][2]["parts"][0]["functionResponse"], "name"), 400, "Name cannot be empty"),
        (|body| remove(&mut body["contents"], 0), 400, "function call turn comes immediately after a user turn or after a function response turn"),
        (|body| remove(&mut body["contents"], 1), 400, "function response turn comes immediately after a function call turn"),
        (|body| remove(&mut body["contents"], 2), 400, "the number of function response parts is equal to the number of function call parts"),
        (|body| remove(&mut body["contents"][2]["parts"], 0), 400, "the number of function response parts is equal"),
        (|body| body["contents"].as_array_mut().unwrap().truncate(2), 400, "the number of function response parts is equal"),
        (|body| body["contents"][2]["parts"][1]["functionResponse"]["name"] = json!("leap"), 400, "does not match the function call"),
        (|body| body["contents"][2]["parts"][1]["functionResponse"]["id"] = json!("invented"), 400, "does not match the function call"),
        (|body| append(&mut body["contents"], json!({"role": "user", "parts": [{"text": "And?"}]})), 400, "alternate between user and model"),
        (|body| remove(&mut body["contents"], 4), 400, "end with a user role or a function response"),
        (|body| body["contents"][1]["parts"][0]["thoughtSignature"] = json!("invented"), 400, "Thought signature is not valid."),
    ]).await;
}

#[tokio::test]
async fn the_third_generation_wants_its_signatures_back_within_a_turn() {
    fn in_the_turn(body: &mut Value) {
        body["contents"].as_array_mut().unwrap().truncate(3);
    }
    let model = "gemini-3-flash-preview";
    refused(
        Dialect::Gemini,
        model,
        &[(
            in_the_turn,
            400,
            "Function call is missing a thought_signature in functionCall parts.",
        )],
    )
    .await;
    let server = server(Dialect::Gemini, Turn::text("Two.")).await;
    let mut earlier = conversation(Dialect::Gemini);
    append(
        &mut earlier["contents"],
        json!({"role": "user", "parts": [{"text": "And?"}]}),
    );
    let mut dummy = conversation(Dialect::Gemini);
    in_the_turn(&mut dummy);
    dummy["contents"][1]["parts"][0]["thoughtSignature"] =
        json!("skip_thought_signature_validator");
    let mut both = conversation(Dialect::Gemini);
    both["generationConfig"] = json!({"responseMimeType": "application/json"});
    for body in [earlier, dummy, both] {
        let response = post(&server, &chat_path(Dialect::Gemini, model, true), &body)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    }
}
