//! Answers that providers stream, and a server that does only send them.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use http_client::external_http_client;
use llm::{LlmConfig, Models};
use secrecy::SecretString;

/// The providers, as configuration names them.
pub(crate) const PROVIDERS: [&str; 5] = ["gemini", "anthropic", "openai", "openrouter", "ollama"];

/// Models of a provider that is at this address.
pub(crate) fn models(provider: &str, address: SocketAddr) -> Models {
    let mut config = LlmConfig {
        provider: Some(provider.into()),
        ..LlmConfig::default()
    };
    config.limits.max_in_flight = 10_000;
    let record = config.providers.get_mut(provider);
    record.base_url = Some(format!("http://{address}"));
    record.api_key = Some(SecretString::from("k"));
    Models::from_config(&config, external_http_client().unwrap())
        .unwrap()
        .unwrap()
}

/// Messages of an answer of this number of tokens; the last ones end it.
pub(crate) fn messages(provider: &str, tokens: usize) -> Vec<String> {
    let mut messages = Vec::with_capacity(tokens + 4);
    if provider == "anthropic" {
        messages.push(event("message_start", r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}"#));
        messages.push(event(
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ));
    }
    messages.extend((0..tokens).map(|n| token(provider, n)));
    messages.extend(end(provider));
    messages
}

fn token(provider: &str, n: usize) -> String {
    let text = format!(" word{n}");
    match provider {
        "gemini" => format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}],\"role\":\"model\"}},\"index\":0}}],\"usageMetadata\":{{\"promptTokenCount\":100,\"candidatesTokenCount\":{n}}},\"modelVersion\":\"m\"}}\r\n\r\n"
        ),
        "anthropic" => event(
            "content_block_delta",
            &format!(
                "{{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}"
            ),
        ),
        "ollama" => format!(
            "{{\"model\":\"m\",\"created_at\":\"2025-01-01T00:00:00Z\",\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\"done\":false}}\n"
        ),
        _ => format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        ),
    }
}

fn end(provider: &str) -> Vec<String> {
    match provider {
        "gemini" => vec![
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":100,\"candidatesTokenCount\":200}}\r\n\r\n".to_owned(),
        ],
        "anthropic" => vec![
            event("content_block_stop", r#"{"type":"content_block_stop","index":0}"#),
            event("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":200}}"#),
            event("message_stop", r#"{"type":"message_stop"}"#),
        ],
        "ollama" => vec![
            "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":100,\"eval_count\":200}\n".to_owned(),
        ],
        _ => vec![
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":200}}\n\n".to_owned(),
            "data: [DONE]\n\n".to_owned(),
        ],
    }
}

fn event(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The response before its body.
pub(crate) const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// A message as a chunk of the body.
pub(crate) fn chunk(message: &str) -> Vec<u8> {
    let mut chunk = String::new();
    // Writing to a string cannot fail.
    let _ = write!(chunk, "{:x}\r\n{message}\r\n", message.len());
    chunk.into_bytes()
}

/// Answers each request on each connection with these writes, a pause between two.
pub(crate) fn serve(listener: TcpListener, writes: Vec<Vec<u8>>, pause: Duration) {
    let writes: std::sync::Arc<[Vec<u8>]> = writes.into();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let writes = writes.clone();
            let _ = std::thread::Builder::new()
                .stack_size(64 * 1024)
                .spawn(move || answer(stream, &writes, pause));
        }
    });
}

fn answer(mut stream: TcpStream, writes: &[Vec<u8>], pause: Duration) {
    let _ = stream.set_nodelay(true);
    let mut buffer = [0; 4096];
    // Requests of benchmarks are small: each is one read.
    while let Ok(1..) = stream.read(&mut buffer) {
        for write in writes {
            if stream.write_all(write).is_err() {
                return;
            }
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
        }
    }
}
