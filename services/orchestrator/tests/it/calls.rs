//! Requests.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};

/// A request.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Call {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(crate) fn request(self, token: Option<&str>) -> Request<Body> {
        let mut request = Request::builder()
            .method(self.method)
            .uri(self.path)
            .header("content-type", "application/json");
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        request.body(Body::from(self.body)).unwrap()
    }

    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self {
            body: body.to_string(),
            ..Self::new(Method::POST, path)
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }
}

/// A message in the UI message stream.
pub(crate) fn chat(thread: &str, text: &str) -> Call {
    let message = json!({ "role": "user", "content": text });
    Call::post(
        "/ai/chat",
        &json!({ "threadId": thread, "messages": [message] }),
    )
}

/// A message in agent events.
pub(crate) fn agent(thread: &str, text: &str) -> Call {
    let body = json!({
        "input": { "message": text }, "conversation": { "id": thread }, "assistant": "site",
    });
    Call::post("/internal/chat/stream", &body)
}

/// A message in named events; the thread is made when there is none.
pub(crate) fn message(thread: &str, text: &str) -> Call {
    let body = json!({ "content": text, "thread_id": thread, "if_not_exists": "create" });
    Call::post("/v1/messages", &body)
}
