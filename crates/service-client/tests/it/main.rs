//! The client against a service that is framed and guarded as the real ones are, over a real
//! socket.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails here, helpers included"
)]

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use chrono::DateTime;
use contracts::openapi::tools::operations;
use contracts::problem::FieldError;
use contracts::tools::{
    HealthCheck, HealthCheckArguments, ListLoggers, ListLoggersArguments, ServiceHealth,
    ToolEnvelope, ToolList, ToolStatus,
};
use http::HeaderMap;
use secrecy::SecretString;
use serde_json::{Value, json};
use service_client::{Error, ToolsClient};
use service_kit::clock::{FixedClock, SequentialIds};
use service_kit::config::{HttpConfig, IdentityConfig};
use service_kit::context::RequestContext;
use service_kit::http_client;
use service_kit::identity::{Caller, KeySource, Signer, TokenRequest, Verifier, protect};
use service_kit::problem::ApiError;
use service_kit::service::{RunningService, Service};
use service_kit::web::{Json, OperationExt, Path};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A port without a listener.
const CLOSED: &str = "http://127.0.0.1:1";

struct Stub {
    service: RunningService,
    signer: Signer,
}

impl Stub {
    /// A tools service whose answers depend on the name of the tool.
    async fn start() -> Self {
        let clock = FixedClock::at(DateTime::from_timestamp(1_700_000_000, 0).unwrap());
        let signer = Signer::generate(
            "heliograph",
            clock.clone(),
            Arc::new(SequentialIds::default()),
        )
        .unwrap();
        let keys = KeySource::Keys(signer.key_set());
        let identity = IdentityConfig::for_audience("tools");
        let verifier = Verifier::new(&identity, keys, http_client().unwrap(), clock).unwrap();
        let routes = Router::new()
            .operation::<operations::ListTools, _, _>(|| async {
                Json(ToolList {
                    tools: contracts::tools::solar_definitions(),
                })
            })
            .operation::<operations::GetTool, _, _>(get_tool)
            .operation::<operations::CallTool, _, _>(call_tool);
        let routes = protect(routes, Arc::new(verifier), &[]);
        let service = Service::new("tools", HttpConfig::on_port(0));
        let service = service
            .serve(routes, CancellationToken::new(), &TaskTracker::new())
            .await
            .unwrap();
        Self { service, signer }
    }

    fn client(&self) -> ToolsClient {
        ToolsClient::new(&self.service.base_url(), http_client().unwrap()).unwrap()
    }

    fn token(&self) -> SecretString {
        let request = TokenRequest {
            subject: "u-1",
            tenant: "demo",
            scopes: &["tools:read"],
            audience: &["tools"],
        };
        self.signer.sign(request).unwrap().token
    }
}

async fn get_tool(
    Path(name): Path<String>,
) -> Result<Json<contracts::tools::ToolDefinition>, ApiError> {
    let found = contracts::tools::solar_definitions()
        .into_iter()
        .find(|tool| tool.name == name);
    found.map(Json).ok_or_else(|| {
        ApiError::not_found("No such tool.").with_available(vec!["list_loggers".to_owned()])
    })
}

async fn call_tool(
    Path(name): Path<String>,
    Caller(identity): Caller,
    headers: HeaderMap,
    Json(arguments): Json<Value>,
) -> Result<Json<ToolEnvelope>, ApiError> {
    match name.as_str() {
        "echo" => {
            let request_id = headers["x-request-id"]
                .to_str()
                .unwrap_or_default()
                .to_owned();
            let seen = json!({ "arguments": arguments, "subject": identity.subject, "requestId": request_id });
            Ok(Json(ToolEnvelope::ok(seen)))
        }
        "health_check" => Ok(Json(ToolEnvelope::ok(json!({
            "type": "health_check", "status": "healthy", "database": "healthy", "pool_stats": null,
        })))),
        "list_loggers" => Ok(Json(ToolEnvelope::ok(json!({ "loggers": "none" })))),
        "empty" => Ok(Json(ToolEnvelope::without_result(
            ToolStatus::NoData,
            "Nothing there.",
        ))),
        "invalid" => Err(ApiError::invalid_field(
            "/days",
            "9999 is greater than the maximum of 365",
        )),
        "forbidden" => identity
            .require_scope("other")
            .map(|()| Json(ToolEnvelope::ok(Value::Null))),
        "away" => Err(ApiError::unavailable(
            "The database is away.",
            std::io::Error::other("refused"),
        )),
        "broken" => Err(ApiError::internal(std::io::Error::other("bug"))),
        "hangs" => std::future::pending().await,
        _ => Err(ApiError::not_found(format!("There is no tool `{name}`."))),
    }
}

#[tokio::test]
async fn tools_are_listed_and_described() {
    let stub = Stub::start().await;
    let list = stub.client().list_tools(&stub.token()).await.unwrap();
    assert_eq!(
        list.tools.len(),
        contracts::tools::solar_definitions().len()
    );
    let one = stub
        .client()
        .get_tool(&stub.token(), "list_loggers")
        .await
        .unwrap();
    assert_eq!(one.name, "list_loggers");
    let error = stub
        .client()
        .get_tool(&stub.token(), "nothing")
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::NotFound { available, .. } if available == &["list_loggers"]),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_typed_call_has_the_result_of_its_tool_or_fails() {
    let stub = Stub::start().await;
    let (client, token) = (stub.client(), stub.token());
    let called = client.call::<HealthCheck>(&token, &HealthCheckArguments {});
    let report = called.await.unwrap().result.unwrap();
    assert_eq!(report.status, ServiceHealth::Healthy);
    let everything = ListLoggersArguments::default();
    let called = client.call::<ListLoggers>(&token, &everything).await;
    assert!(called.is_err(), "the stub's answer has no list of loggers");
}

#[tokio::test]
async fn a_call_carries_arguments_identity_and_request_id() {
    let stub = Stub::start().await;
    let (client, token) = (stub.client(), stub.token());
    let context = RequestContext {
        request_id: "r-7".into(),
        path: "/".into(),
    };
    let arguments = json!({ "days": 7 });
    let envelope = context
        .scope(client.call_tool(&token, "echo", &arguments))
        .await
        .unwrap();
    let seen = envelope.result.unwrap();
    assert_eq!(
        seen,
        json!({ "arguments": { "days": 7 }, "subject": "u-1", "requestId": "r-7" })
    );
    let empty = client.call_tool(&token, "empty", &json!({})).await.unwrap();
    assert_eq!(
        (empty.status, empty.message.as_deref()),
        (ToolStatus::NoData, Some("Nothing there."))
    );
}

#[tokio::test]
async fn problems_become_errors_to_act_on() {
    let stub = Stub::start().await;
    let (client, token, nothing) = (stub.client(), stub.token(), json!({}));
    let call = async |name: &str| client.call_tool(&token, name, &nothing).await.unwrap_err();

    let fault = FieldError {
        pointer: "/days".to_owned(),
        detail: "9999 is greater than the maximum of 365".to_owned(),
    };
    let invalid = call("invalid").await;
    assert!(
        matches!(&invalid, Error::InvalidArguments { errors, .. } if errors == &[fault]),
        "{invalid:?}"
    );
    assert!(matches!(call("forbidden").await, Error::Forbidden { .. }));
    assert!(matches!(call("unheard_of").await, Error::NotFound { .. }));
    let away = call("away").await;
    assert!(
        away.is_transient() && matches!(away, Error::Unavailable { source: None, .. }),
        "{away:?}"
    );
    let broken = call("broken").await;
    assert!(
        matches!(
            &broken,
            Error::Upstream {
                status: 500,
                request_id: Some(_),
                ..
            }
        ),
        "{broken:?}"
    );
    assert!(!broken.is_transient());
    let unauthorized = client
        .call_tool(&"nonsense".into(), "echo", &nothing)
        .await
        .unwrap_err();
    assert!(
        matches!(unauthorized, Error::Unauthorized { .. }),
        "{unauthorized:?}"
    );
}

#[tokio::test]
async fn a_name_that_is_no_tool_s_is_not_sent() {
    // Only a call that is not made can say "not found".
    let client = ToolsClient::new(CLOSED, http_client().unwrap()).unwrap();
    for name in ["..", "", "a/b", "drop table"] {
        let error = client
            .call_tool(&"t".into(), name, &json!({}))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_timeout() {
    let stub = Stub::start().await;
    let client = stub.client().with_timeout(Duration::from_millis(50));
    let error = client
        .call_tool(&stub.token(), "hangs", &json!({}))
        .await
        .unwrap_err();
    assert!(
        error.is_transient() && matches!(error, Error::Timeout { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_service_that_is_gone_is_unavailable() {
    let client = ToolsClient::new(CLOSED, http_client().unwrap()).unwrap();
    let error = client.health().await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    assert!(
        matches!(
            error,
            Error::Unavailable {
                source: Some(_),
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn base_urls_are_checked_and_old_ones_understood() {
    let stub = Stub::start().await;
    for suffix in ["", "/", "/sse"] {
        let url = format!("{}{suffix}", stub.service.base_url());
        let client = ToolsClient::new(&url, http_client().unwrap()).unwrap();
        assert!(client.list_tools(&stub.token()).await.is_ok(), "{url}");
    }
    for url in ["tools:4000", "not a url", "ftp://tools"] {
        assert!(
            matches!(
                ToolsClient::new(url, http_client().unwrap()),
                Err(Error::BaseUrl(_))
            ),
            "{url}"
        );
    }
}
