//! Why rules answer in place of a model: each cause on the stream, with its own reason.

use std::time::Duration;

use orchestrator::Config;
use orchestrator::config::DefaultAssistants;
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use crate::bench::{ALICE, Replica, World, chat};

const QUESTION: &str = "What is machine learning?";

fn config(world: &World, server: &ModelServer) -> Config {
    let mut config = world.config();
    config.runs.default_assistants = DefaultAssistants::all("data");
    let llm = &mut config.llm;
    llm.provider = Some(server.dialect().as_str().into());
    llm.retries.attempts = 1;
    llm.circuit.failures = 1_000;
    let provider = llm.providers.get_mut(server.dialect().as_str());
    provider.base_url = Some(server.base_url());
    provider.api_key = Some(server.key().into());
    config
}

/// The texts of the warnings about the model of an answer, and who worded it.
async fn warned(replica: &Replica, thread: &str) -> (Vec<String>, Value) {
    let stream = replica.open(ALICE, chat(thread, QUESTION)).await;
    let frames = stream.rest().await.frames();
    let warnings = frames
        .iter()
        .filter(|frame| frame["data"]["code"] == "model_unavailable");
    let texts = warnings.map(|frame| frame["data"]["text"].as_str().unwrap().to_owned());
    let mut ends = frames.iter().filter(|frame| frame["type"] == "finish");
    let source = ends.next().unwrap()["messageMetadata"]["source"].clone();
    (texts.collect(), source)
}

/// A model that sorts the message, and does this for its words.
fn worded_by(turn: Turn) -> Script {
    let route = json!({ "route": "general", "confidence": 0.9 });
    Script::new()
        .when(Seen::wants_json, Turn::json(route))
        .otherwise(turn)
}

#[tokio::test]
async fn each_failure_of_a_model_is_told_with_its_own_reason() {
    let world = World::new().await;
    let server = ModelServer::start(Dialect::OpenAi, Script::new()).await;
    let server = server.unwrap();
    let replica = world.replica_with(config(&world, &server));
    let words = || Turn::text("Your company has 4,711 customers. It");
    let status = |status| Turn::status(status, r#"{"error":{"message":"no"}}"#);
    let faults = [
        (status(400), "rejected the request"),
        (status(401), "rejects the key"),
        (status(404), "does not know the configured language model"),
        (Turn::rate_limited(None), "limits how often"),
        (
            Turn::rate_limited(Some(Duration::from_mins(10))),
            "limits how often",
        ),
        (Turn::overloaded(), "is overloaded"),
        (
            Turn::internal_error(),
            "provider of the language model failed",
        ),
        (Turn::hang_up(), "ended the connection without an answer"),
        (
            Turn::raw(["data: {\"choices\": nonsense}\n\n"]),
            "cannot be read",
        ),
        (words().cut_after(2), "was cut off"),
        (words().end_after(2), "was cut off"),
        (
            words().error_after(2),
            "provider of the language model failed",
        ),
        (
            Turn::refusal("I cannot help with that."),
            "refused to answer",
        ),
        (Turn::text("").filtered(), "held back"),
        (Turn::text("").out_of_tokens(), "limit of tokens"),
        (Turn::text(""), "said nothing"),
        (
            Turn::call("burn", json!({})),
            "asked for a tool instead of answering",
        ),
        (words(), "cannot be verified"),
        (
            Turn::text("Alle Techniker sind krank, und die Kunden sind nicht da."),
            "did not answer in English",
        ),
        (
            Turn::text(
                "\u{412}\u{441}\u{435} \u{442}\u{435}\u{445}\u{43d}\u{438}\u{43a}\u{438} \u{431}\u{43e}\u{43b}\u{44c}\u{43d}\u{44b}.",
            ),
            "did not answer in English",
        ),
    ];
    let mut wrong = Vec::new();
    for (at, (fault, reason)) in faults.into_iter().enumerate() {
        server.play(worded_by(fault));
        let (texts, source) = warned(&replica, &format!("t-{at}")).await;
        let is_told = matches!(&texts[..], [text] if text.contains(reason)
            && text.ends_with("so this answer follows fixed rules."));
        if !is_told || source != "rules" {
            wrong.push(format!("{reason}: {texts:?} by {source}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_silent_model_and_one_that_only_thinks_are_told_as_late() {
    let world = World::new().await;
    let server = ModelServer::start(Dialect::Anthropic, Script::new()).await;
    let server = server.unwrap();
    let mut config = config(&world, &server);
    config.llm.timeouts.first_word_ms = 300;
    let replica = world.replica_with(config);
    for (at, late) in [
        Turn::text("It learns.").stall_before_headers(),
        Turn::text("It learns.").stall_after(0),
        Turn::text("It learns.")
            .thinking("Hm, hm, hm.")
            .stall_after(2),
    ]
    .into_iter()
    .enumerate()
    {
        server.play(worded_by(late));
        let (texts, source) = warned(&replica, &format!("t-{at}")).await;
        let [text] = &texts[..] else {
            panic!("{at}: {texts:?}")
        };
        assert!(text.contains("did not answer in time"), "{at}: {text}");
        assert_eq!(source, "rules");
    }
}

#[tokio::test]
async fn a_classification_of_no_use_and_an_open_circuit_are_told() {
    let world = World::new().await;
    let server = ModelServer::start(Dialect::OpenAi, Script::new()).await;
    let server = server.unwrap();
    let mut config = config(&world, &server);
    config.llm.circuit.failures = 1;
    let replica = world.replica_with(config);
    let answer = Turn::text("Machine learning is a way for computers to learn from examples.");
    let script = Script::new().when(Seen::wants_json, Turn::json(json!({ "route": 7 })));
    server.play(script.otherwise(answer));
    let (texts, _) = warned(&replica, "t-sorted").await;
    assert!(
        texts
            .iter()
            .any(|text| text.contains("so fixed rules read it")),
        "{texts:?}"
    );
    server.play(Script::from(Turn::internal_error()));
    warned(&replica, "t-failed").await;
    let (texts, source) = warned(&replica, "t-open").await;
    let [text] = &texts[..] else {
        panic!("{texts:?}")
    };
    assert!(text.contains("is not asked for a moment"), "{text}");
    assert_eq!(source, "rules");
}
