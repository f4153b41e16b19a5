//! The protocol of OpenAI: models, chat completions and responses.

mod chat;
mod error;
mod request;
mod responses;

use serde_json::{Value, json};

pub use chat::{Completion, CompletionStream};
pub use error::Refusal;
pub use request::{ChatRequest, Question, ResponseRequest, transcript};
pub use responses::{ResponseStream, response_id, run_of_response, whole_response};

/// The owner of every model, as `GET /v1/models` names it.
const OWNER: &str = "heliograph";

/// The entry of an assistant in `GET /v1/models`.
pub fn model(assistant: &str) -> Value {
    json!({ "id": assistant, "object": "model", "created": 0, "owned_by": OWNER })
}
