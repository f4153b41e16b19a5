//! Errors in the form of this protocol: `{"error": {"message", "type", "param", "code"}}`.

use std::fmt::Write;

use contracts::problem::Problem;
use serde_json::{Value, json};

/// Why a request is refused, or an answer failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The reason, for people.
    pub message: String,
    /// The part of the request that is refused.
    pub param: Option<String>,
    /// The reason, for programs.
    pub code: Option<String>,
}

impl Refusal {
    /// 400 because of one part of the request.
    pub fn invalid(param: &str, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            message: message.into(),
            param: Some(param.to_owned()),
            code: None,
        }
    }

    /// 400 because of a part of the request that this server does not support.
    pub fn unsupported(param: &str, message: impl Into<String>) -> Self {
        Self {
            code: Some("unsupported_parameter".to_owned()),
            ..Self::invalid(param, message)
        }
    }

    /// 404: there is no such assistant.
    pub fn model_not_found(model: &str, known: &[String]) -> Self {
        Self {
            status: 404,
            message: format!(
                "The model `{model}` does not exist. The models are: {}.",
                known.join(", ")
            ),
            param: Some("model".to_owned()),
            code: Some("model_not_found".to_owned()),
        }
    }

    /// A run that ended with an error. What may work when it is tried again is a 503.
    pub fn failed(code: &str, text: &str, retryable: bool) -> Self {
        Self {
            status: if retryable { 503 } else { 500 },
            message: text.to_owned(),
            param: None,
            code: Some(code.to_owned()),
        }
    }

    /// A problem of the services behind, in this form.
    pub fn of(problem: &Problem) -> Self {
        let mut message = problem
            .detail
            .clone()
            .unwrap_or_else(|| problem.title.clone());
        if !problem.available.is_empty() && !message.contains(&problem.available[0]) {
            let _ = write!(message, " There are: {}.", problem.available.join(", "));
        }
        let code = match problem.status {
            401 => "invalid_api_key",
            429 => "rate_limit_exceeded",
            _ => &problem.code,
        };
        let param = problem.errors.first().map(|fault| {
            let pointer = fault.pointer.trim_start_matches('/');
            pointer.replace('/', ".")
        });
        Self {
            // Clients of this protocol know 400 alone for a request that is not valid.
            status: if problem.status == 422 {
                400
            } else {
                problem.status
            },
            message,
            param: param.filter(|param| !param.is_empty()),
            code: Some(code.to_owned()),
        }
    }

    /// The body of the answer, or of the event that ends a stream.
    pub fn body(&self) -> Value {
        let kind = match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        json!({ "error": { "message": self.message, "type": kind, "param": self.param, "code": self.code } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_have_the_types_that_clients_know() {
        for (status, code, expected) in [
            (
                401,
                "unauthorized",
                (401, "authentication_error", "invalid_api_key"),
            ),
            (403, "forbidden", (403, "permission_error", "forbidden")),
            (
                429,
                "too_many_requests",
                (429, "rate_limit_error", "rate_limit_exceeded"),
            ),
            (
                422,
                "invalid_request",
                (400, "invalid_request_error", "invalid_request"),
            ),
            (503, "unavailable", (503, "server_error", "unavailable")),
        ] {
            let refusal = Refusal::of(&Problem::new(status, code, "Title"));
            let body = refusal.body();
            let error = &body["error"];
            let said = (
                refusal.status,
                error["type"].as_str().unwrap(),
                error["code"].as_str().unwrap(),
            );
            assert_eq!(said, expected);
            assert_eq!(error["message"], "Title");
        }
    }
}
