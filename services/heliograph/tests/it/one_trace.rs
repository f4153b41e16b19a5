//! One chat with a model over three processes, looked at as its trace: which spans it has, what
//! they say, and how long they last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use heliograph::chat::ChatClient;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use secrecy::SecretString;
use serde_json::json;
use test_support::provider::{Dialect, Gate, ModelServer, Script, Turn};
use xtask::load::Processes;

use crate::binaries::binaries;
use crate::demo_stack::{PASSWORD, admin, config, demo_database};
use crate::traces::{Exported, Sink, collect, descends};

const THREAD: &str = "t-one-trace";
const QUESTION: &str = "power curve of GW-INV-001 on Nov 29";
const DAY: &str = "2025-11-29";

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_is_one_trace_with_tools_statements_and_the_model_s_whole_stream() {
    let database = demo_database().await;
    let files = tempfile::tempdir().unwrap();
    let url = SecretString::from(database.url());
    let mut stack = config(&url, files.path());
    stack.introduce().unwrap();
    let accounts = admin(&stack);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;
    let gate = Gate::new();
    let curve = json!({ "logger_id": "GW-INV-001", "date": DAY });
    let script = Script::new()
        .when(
            |seen| seen.rounds() == 0 && !seen.wants_json(),
            Turn::call("get_power_curve", curve),
        )
        .when(
            |seen| seen.rounds() == 1,
            Turn::chunks(["It was", " sunny", " on that", " day."]).wait_after(1, &gate),
        );
    let model = ModelServer::start(Dialect::OpenAi, script).await.unwrap();

    let sink = Sink::default();
    let collector = collect(sink.clone()).await;
    let http = service_kit::http_client().unwrap();
    let (model_url, key) = (model.base_url(), model.key().to_owned());
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.as_str()),
        ("AI_PROVIDER", "openai"),
        ("OPENAI_BASE_URL", &model_url),
        ("OPENAI_API_KEY", &key),
    ];
    let processes = Processes::start(&binaries(), &stack, &url, files.path(), &environment, &http)
        .await
        .unwrap();
    let bff = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let signed_in = ChatClient::sign_in(http, &bff, "demo", &PASSWORD.into()).await;
    let (user, _) = signed_in.unwrap();
    let mut stream = Box::pin(user.ask(QUESTION, THREAD).await.unwrap());
    gate.reached().await;
    let before_the_rest = now();
    gate.open();
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
    }
    model.assert_accepted();
    processes.stop().await;

    let spans = sink.lock().unwrap().clone();
    let chat = spans.iter().find(|span| span.name == "POST /api/chat");
    let chat = chat.unwrap();
    let trace: Vec<Exported> = spans
        .iter()
        .filter(|span| span.trace == chat.trace)
        .cloned()
        .collect();
    // For the reader of the test's output.
    eprintln!("{}", drawn(&trace, chat));
    for span in &trace {
        assert!(descends(&trace, span, chat), "{} is apart", span.name);
    }
    let services: BTreeSet<&str> = trace.iter().map(|span| &*span.service).collect();
    assert_eq!(services, BTreeSet::from(["bff", "orchestrator", "tools"]));

    check_tiers(&trace);
    check_run(&trace);
    check_statements(&trace);

    // The second call of the model lasts to the end of its stream, and so does what is around it.
    let answer = trace.iter().filter(|span| span.name.starts_with("chat "));
    let answer = answer.max_by_key(|span| span.start).unwrap();
    assert!(
        answer.end >= before_the_rest,
        "the span ended before its stream"
    );
    assert_eq!(answer.kind, SpanKind::Client);
    assert_eq!(answer.attributes["gen_ai.provider.name"], "openai");
    assert!(chat.end >= answer.end, "the request ends with its stream");

    // One instance and one version per process.
    let mut instances: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for span in &spans {
        let of = instances.entry(&span.service).or_default();
        of.insert(&span.resource["service.instance.id"]);
        assert_eq!(span.resource["service.version"], env!("CARGO_PKG_VERSION"));
    }
    assert!(instances.values().all(|of| of.len() == 1), "{instances:?}");
    // Processes::start has asked each whether it is ready.
    assert!(spans.iter().all(|span| !span.name.contains("/health")));
    for span in &spans {
        for forbidden in [PASSWORD, key.as_str(), QUESTION, "sunny", "eyJ"] {
            let kept = !span.whole.contains(forbidden);
            assert!(kept, "{forbidden} in {}", span.whole);
        }
    }
}

/// Requests, the calls between the tiers, and the tool that is called by them.
fn check_tiers(trace: &[Exported]) {
    let to_orchestrator = one(trace, "bff", "POST orchestrator");
    assert_eq!(to_orchestrator.kind, SpanKind::Client);
    assert_eq!(
        to_orchestrator.attributes["http.response.status_code"],
        "200"
    );
    let at_orchestrator = one(trace, "orchestrator", "POST /ai/chat");
    assert_eq!(at_orchestrator.parent, to_orchestrator.id);
    assert_eq!(at_orchestrator.kind, SpanKind::Server);

    let tool = one(trace, "orchestrator", "execute_tool get_power_curve");
    assert_eq!(tool.attributes["gen_ai.tool.name"], "get_power_curve");
    let call = trace
        .iter()
        .find(|span| span.parent == tool.id && span.kind == SpanKind::Client);
    let call = call.unwrap_or_else(|| panic!("no call of the tools service"));
    let at_tools = trace.iter().find(|span| span.parent == call.id);
    let at_tools = at_tools.unwrap_or_else(|| panic!("no request at the tools service"));
    assert_eq!(at_tools.service, "tools");
    assert_eq!(at_tools.attributes["gen_ai.tool.name"], "get_power_curve");
    for server in trace.iter().filter(|span| span.kind == SpanKind::Server) {
        assert_eq!(
            server.attributes["heliograph.tenant"], "demo",
            "{}",
            server.name
        );
    }
}

fn check_run(trace: &[Exported]) {
    let run = one(trace, "orchestrator", "invoke_agent site");
    assert_eq!(run.attributes["gen_ai.conversation.id"], THREAD);
    assert_eq!(run.attributes["heliograph.tenant"], "demo");
    let request = one(trace, "orchestrator", "POST /ai/chat");
    assert!(descends(trace, run, request));
    let models = trace.iter().filter(|span| span.name.starts_with("chat "));
    let models: Vec<&Exported> = models.collect();
    assert_eq!(models.len(), 2, "one call for the tool, one for the words");
    assert!(models.iter().all(|model| descends(trace, model, run)));
}

/// Each tier's statements are below its own requests, and say no value.
fn check_statements(trace: &[Exported]) {
    for (service, schema) in [
        ("bff", "bff."),
        ("orchestrator", "orchestrator."),
        ("tools", "tools."),
    ] {
        let statements: Vec<&Exported> = trace
            .iter()
            .filter(|span| {
                span.service == service && span.attributes.contains_key("db.system.name")
            })
            .collect();
        assert!(
            statements.iter().any(|span| {
                let table = span.attributes.get("db.collection.name");
                table.is_some_and(|table| table.starts_with(schema))
            }),
            "{service}: {statements:#?}"
        );
        for statement in statements {
            assert_eq!(statement.kind, SpanKind::Client);
            assert!(statement.start <= statement.end);
            assert!(!statement.whole.contains(DAY), "{}", statement.whole);
            assert!(!statement.attributes.contains_key("db.query.text"));
        }
    }
}

fn one<'t>(trace: &'t [Exported], service: &str, name: &str) -> &'t Exported {
    let found = trace
        .iter()
        .filter(|span| span.service == service && span.name == name);
    let found: Vec<&Exported> = found.collect();
    let [span] = found[..] else {
        let names: Vec<_> = trace
            .iter()
            .map(|span| (&span.service, &span.name))
            .collect();
        panic!("{} spans {name} of {service} among {names:?}", found.len())
    };
    span
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_nanos()).unwrap()
}

/// A trace as a tree with times.
fn drawn(trace: &[Exported], root: &Exported) -> String {
    let mut lines = String::new();
    draw(trace, root, root.start, 0, &mut lines);
    lines
}

fn draw(trace: &[Exported], span: &Exported, zero: u64, depth: usize, lines: &mut String) {
    let ms = |nanos: u64| Duration::from_nanos(nanos).as_secs_f64() * 1000.0;
    let name = format!("{:depth$}{}", "", span.name, depth = 2 * depth);
    writeln!(
        lines,
        "{name:<66} {:<12} {:>8.1} +{:>8.1} ms",
        span.service,
        ms(span.start.saturating_sub(zero)),
        ms(span.end.saturating_sub(span.start)),
    )
    .unwrap();
    let mut below: Vec<&Exported> = trace.iter().filter(|one| one.parent == span.id).collect();
    below.sort_by_key(|span| span.start);
    for span in below {
        draw(trace, span, zero, depth + 1, lines);
    }
}
