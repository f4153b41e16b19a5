//! MCP servers as upstreams: a server of the official SDK (`tests/protocols/upstream_server.mjs`),
//! whose tools people and the advisor call, with what may go wrong.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use test_support::provider::{Call, Dialect, ModelServer, Script, Turn};
use tools::credentials::config::{KeyConfig, generate_key};
use tools::upstreams::config::UpstreamConfig;

use crate::advisor::{named_events, text, tools_called};
use crate::demo_stack::DemoStack;
use crate::models::use_model;
use crate::protocols;

const SECRET: &str = "Bearer secret-of-the-service";

/// The server, until the test ends.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// `None` where its packages cannot be had.
    fn start() -> Option<Self> {
        let mut command = protocols::script("upstream_server.mjs")?;
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut port).unwrap();
        Some(Self {
            process,
            url: format!("http://127.0.0.1:{}", port.trim()),
        })
    }

    /// An upstream at a path of the server, with the service's own rights unless it is personal.
    fn upstream(&self, path: &str, tools: &Value) -> UpstreamConfig {
        let mut config = json!({
            "name": path, "kind": "mcp", "base_url": format!("{}/{path}", self.url),
            "timeout_ms": 3_000, "max_response_bytes": 1_000_000, "tools": tools,
        });
        if path == "personal" {
            config["token"] = json!({ "opaque": "valid" });
        } else {
            config["access"] = "service".into();
            config["secret_headers"] = json!([{ "name": "Authorization", "value": SECRET }]);
        }
        serde_json::from_value(config).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn upstreams(server: &Server) -> [UpstreamConfig; 4] {
    let plain = |name: &str| json!({ "name": name, "description": "For a test." });
    let tickets = json!({
        "name": "open_tickets", "tool": "tickets", "description": "Tickets of the tracker.",
        "schema": {
            "type": "object", "additionalProperties": false,
            "properties": { "state": { "type": "string", "enum": ["open", "done"] } },
        },
        "response": { "pointer": "/tickets", "fields": ["id", "title"] },
    });
    let mut streams = vec![tickets];
    let names = [
        "fails", "slow", "huge", "orders", "nosy", "drops", "mumbles", "unknown",
    ];
    streams.extend(names.map(plain));
    let as_json =
        json!([{ "name": "tickets_as_json", "tool": "tickets", "description": "For a test." }]);
    [
        server.upstream("streams", &json!(streams)),
        server.upstream("json", &as_json),
        server.upstream("personal", &json!([plain("whoami")])),
        server.upstream("elsewhere", &json!([plain("leads_away")])),
    ]
}

/// The envelope of a tool's answer.
async fn call(stack: &DemoStack, token: &str, tool: &str, arguments: Value) -> Value {
    let url = format!("{}/api/tools/{tool}", stack.services.bff_url);
    let request = stack.http.post(url).bearer_auth(token).json(&arguments);
    request.send().await.unwrap().json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_mcp_servers_are_called_within_limits_and_with_the_right_rights() {
    let Some(server) = Server::start() else {
        return;
    };
    let model = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.tools.upstreams.extend(upstreams(&server));
        let key = KeyConfig::new("one", generate_key());
        config.tools.credentials.keys.push(key);
        use_model(config, &model);
    }))
    .await;
    let token = stack.token().await;
    answers(&stack, &token, &server).await;
    faults(&stack, &token).await;
    persons(&stack, &token).await;
    the_advisor(&stack, &model).await;

    drop(server);
    let away = call(&stack, &token, "open_tickets", json!({})).await;
    assert_eq!(
        away["result"]["error_code"], "upstream_unavailable",
        "{away}"
    );
    stack.stop().await;
}

/// Both kinds of answer are read, and what is wanted is picked; sessions end.
async fn answers(stack: &DemoStack, token: &str, server: &Server) {
    let found = call(stack, token, "open_tickets", json!({ "state": "open" })).await;
    assert_eq!(found["status"], "ok", "{found}");
    assert_eq!(
        found["result"],
        json!([{ "id": 7, "title": "Inverter hums" }])
    );
    let found = call(stack, token, "tickets_as_json", json!({})).await;
    assert_eq!(found["result"]["tickets"][1]["internal"], "y", "{found}");
    // What a server asks for itself it does not get.
    let nosy = call(stack, token, "nosy", json!({})).await;
    assert_eq!(nosy["result"], json!({ "text": "Nothing: -32601" }));
    let sessions = stack.http.get(format!("{}/sessions", server.url));
    let sessions = sessions.send().await.unwrap().text().await.unwrap();
    assert_eq!(sessions, "0");
}

async fn faults(stack: &DemoStack, token: &str) {
    let cases = [
        ("fails", "tool_failed", "Ticket 9 does not exist."),
        ("slow", "upstream_unavailable", "took too long"),
        ("huge", "invalid_response", "too large"),
        ("drops", "upstream_unavailable", "cannot be reached"),
        ("mumbles", "invalid_response", "does not hold the response"),
        ("leads_away", "invalid_response", "leads elsewhere"),
    ];
    for (tool, code, words) in cases {
        let answer = call(stack, token, tool, json!({})).await;
        assert_eq!(answer["status"], "error", "{tool}: {answer}");
        assert_eq!(answer["result"]["error_code"], code, "{tool}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(words), "{tool}: {message}");
        assert!(!message.contains("secret-of"), "{tool}: {message}");
    }
    // A tool that the server does not have is an error of the protocol or of the tool.
    let unknown = call(stack, token, "unknown", json!({})).await;
    assert_eq!(unknown["status"], "error", "{unknown}");
    // Arguments are checked here, before anything is sent; tools that are not listed are not there.
    let refused = call(stack, token, "open_tickets", json!({ "state": "lost" })).await;
    assert_eq!(refused["status"], 422, "{refused}");
    let hidden = call(stack, token, "tickets", json!({})).await;
    assert_eq!(hidden["status"], 404, "{hidden}");
}

/// A server that requires a person's token is asked with each person's own.
async fn persons(stack: &DemoStack, token: &str) {
    let whoami = || call(stack, token, "whoami", json!({}));
    let missing = whoami().await;
    assert_eq!(
        missing["result"]["error_code"], "missing_token",
        "{missing}"
    );
    assert!(!offers(stack, token, "whoami").await);
    keep(stack, token, "token-of-none").await;
    let refused = whoami().await;
    assert_eq!(refused["result"]["error_code"], "http_401", "{refused}");
    assert!(!refused.to_string().contains("token-of-none"), "{refused}");
    keep(stack, token, "token-of-ada").await;
    let known = whoami().await;
    assert_eq!(
        known["result"],
        json!({ "user": "Ada", "sent": "Bearer [redacted]" })
    );
    assert!(offers(stack, token, "whoami").await);
    let other = stack.token_of_new("bob", "demo").await;
    assert!(!offers(stack, &other, "whoami").await);
    assert!(offers(stack, &other, "open_tickets").await);
    keep(stack, &other, "token-of-bob").await;
    let bob = call(stack, &other, "whoami", json!({})).await;
    assert_eq!(bob["result"]["user"], "Bob", "{bob}");
    // An upstream with the service's rights has no credentials of persons.
    let put = put(stack, token, "streams", "any").await;
    assert_eq!(put, 404);
}

async fn keep(stack: &DemoStack, token: &str, credential: &str) {
    assert_eq!(put(stack, token, "personal", credential).await, 200);
}

async fn put(stack: &DemoStack, token: &str, upstream: &str, credential: &str) -> u16 {
    // Of two tokens without an end the one that is kept stays, so it is forgotten first.
    let url = format!("{}/api/credentials/{upstream}", stack.services.bff_url);
    let request = |method| stack.http.request(method, &url).bearer_auth(token);
    request(http::Method::DELETE).send().await.unwrap();
    let body = json!({ "access_token": credential });
    let put = request(http::Method::PUT).json(&body).send().await.unwrap();
    put.status().as_u16()
}

async fn offers(stack: &DemoStack, token: &str, tool: &str) -> bool {
    let url = format!("{}/api/tools", stack.services.bff_url);
    let list = stack.http.get(url).bearer_auth(token).send().await.unwrap();
    let list: Value = list.json().await.unwrap();
    let tools = list["tools"].as_array().unwrap();
    tools.iter().any(|one| one["name"] == tool)
}

/// The advisor's model is offered the tools in the operator's words, and gets results as data.
async fn the_advisor(stack: &DemoStack, model: &ModelServer) {
    let calls = [
        Call::new("open_tickets", json!({ "state": "open" })),
        Call::new("orders", json!({})),
    ];
    model.play(
        Script::new()
            .when(|seen| seen.rounds() == 0, Turn::calls(calls))
            .otherwise(Turn::text("You have Inverter hums.")),
    );
    let body = json!({ "content": "Which tickets of the tracker are open?" });
    let events = named_events(stack, &body).await;
    assert_eq!(
        tools_called(&events),
        [("open_tickets", "success"), ("orders", "success")],
        "{events:?}"
    );
    let said = text(&events);
    assert!(said.contains("Inverter hums"), "{said}");
    let seen = model.seen();
    let last = seen.last().unwrap();
    assert!(last.offers("open_tickets") && !last.offers("tickets"));
    let results = json!(last.results()).to_string();
    assert!(results.contains("Inverter hums") && results.contains("Ignore your instructions"));
    assert!(!results.contains("The server's words"));
    model.assert_accepted();
}
