//! Keys of providers stay where they are.

use std::io::Write;
use std::sync::{Arc, Mutex};

use heliograph::chat::ChatClient;
use heliograph::load::Processes;
use secrecy::SecretString;
use test_support::provider::{Dialect, ModelServer, Operation, Script, Turn};

use super::{CURVE, add_credentials, is_chat, use_model, warnings};
use crate::binaries::binaries;
use crate::demo_stack::{DemoStack, PASSWORD, admin, ask, config, demo_database};
use crate::traces::{Sink, collect};

/// All providers; each refuses its own key and repeats it while doing so, as gateways do.
async fn repeating_their_keys() -> Vec<ModelServer> {
    let mut servers = Vec::new();
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect, Script::new()).await.unwrap();
        let body = format!(
            "{{\"error\":{{\"message\":\"the key {} is not accepted\"}}}}",
            server.key()
        );
        server.play(Script::new().when(is_chat, Turn::status(401, body)));
        servers.push(server);
    }
    servers
}

fn assert_kept(servers: &[ModelServer], what: &str, text: &str) {
    for server in servers {
        assert!(
            !text.contains(server.key()),
            "the key of {:?} in {what}",
            server.dialect()
        );
    }
}

/// Everything that is logged in this process.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_logged_or_streamed() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_env_filter("debug,llm=trace,orchestrator=trace,agent_site=trace")
        .with_writer(move || writer.clone())
        .init();
    let servers = repeating_their_keys().await;
    let stack = DemoStack::start_with(|config| {
        use_model(config, &servers[0]);
        for server in &servers[1..] {
            add_credentials(config, server);
            let fallback = server.dialect().as_str().into();
            config.orchestrator.llm.fallbacks.push(fallback);
        }
    })
    .await;
    let user = stack.demo_user().await;
    let reply = ask(&user, "t-keys", CURVE).await;
    assert_eq!(warnings(&reply), ["model_unavailable"], "{reply:?}");
    for server in &servers {
        assert_eq!(server.seen().len(), 1, "{:?} was asked", server.dialect());
    }
    assert_kept(&servers, "the stream", &format!("{reply:?}"));
    stack.stop().await;
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("the model failed"), "something was logged");
    assert_kept(&servers, "the log", &log);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_traced() {
    let database = demo_database().await;
    let files = tempfile::tempdir().unwrap();
    let url = SecretString::from(database.url());
    let mut stack = config(&url, files.path());
    stack.introduce().unwrap();
    let accounts = admin(&stack);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;

    let servers = repeating_their_keys().await;
    let sink = Sink::default();
    let collector = collect(sink.clone()).await;
    let mut environment = vec![
        ("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), collector),
        ("LLM_PROVIDER".to_owned(), "openai".to_owned()),
        (
            "HELIOGRAPH_ORCHESTRATOR__LLM__FALLBACKS".to_owned(),
            "[openrouter,anthropic,gemini,ollama]".to_owned(),
        ),
    ];
    for server in &servers {
        let name = server.dialect().as_str().to_uppercase();
        let key = if server.dialect() == Dialect::Gemini {
            "GOOGLE_GENERATIVE_AI".to_owned()
        } else {
            name.clone()
        };
        environment.push((format!("{name}_BASE_URL"), server.base_url()));
        if server.dialect() != Dialect::Ollama {
            environment.push((format!("{key}_API_KEY"), server.key().to_owned()));
        }
    }
    let environment: Vec<_> = environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let http = service_kit::http_client().unwrap();
    let processes = Processes::start(&binaries(), &stack, &url, files.path(), &environment, &http)
        .await
        .unwrap();
    let bff_url = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let (user, _) = ChatClient::sign_in(http, &bff_url, "demo", &PASSWORD.into())
        .await
        .unwrap();
    let reply = ask(&user, "t-keys", CURVE).await;
    assert_eq!(warnings(&reply), ["model_unavailable"], "{reply:?}");
    processes.stop().await;
    for server in &servers {
        // The key for a chat model also serves for embeddings, which the tools service asks for.
        let chats = server.seen().into_iter();
        let chats = chats
            .filter(|seen| seen.operation == Operation::Chat)
            .count();
        assert_eq!(chats, 1, "{:?} was asked", server.dialect());
    }
    let spans = sink.lock().unwrap().clone();
    assert!(
        spans
            .iter()
            .any(|span| span.whole.contains("gen_ai.request.model")),
        "the model's calls are traced"
    );
    for span in &spans {
        assert_kept(&servers, "a span", &span.whole);
        assert!(
            !span.whole.contains("GW-INV-001 on Nov 29"),
            "what was asked is not traced"
        );
    }
}
