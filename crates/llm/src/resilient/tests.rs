use std::time::Duration;

use tokio::time::Instant;

use super::*;
use crate::config::LimitsConfig;
use crate::testing::{Script, Scripted, answer, at_once, end, failure};
use crate::{ErrorKind, ModelUsage, Usage};

fn policy() -> Policy {
    Policy {
        retries: RetriesConfig::default(),
        circuit: CircuitConfig::default(),
        telemetry_name: "openai".into(),
        in_flight: InFlight::new(&LimitsConfig::default()),
        meter: UsageMeter::default(),
        record_content: false,
        price: None,
    }
}

fn resilient(scripts: Vec<Script>) -> (Arc<Scripted>, Resilient) {
    let model = Scripted::new("m", scripts);
    (model.clone(), Resilient::new(model, policy()))
}

async fn ask(model: &dyn ChatModel) -> Result<String, Error> {
    let completion = model.complete(ChatRequest::default()).await?;
    Ok(completion.message.text)
}

#[tokio::test(start_paused = true)]
async fn a_failure_before_the_first_token_is_asked_again() {
    let (model, resilient) = resilient(vec![
        failure(ErrorKind::Connect),
        failure(ErrorKind::Overloaded),
        answer("here"),
    ]);
    assert_eq!(ask(&resilient).await.unwrap(), "here");
    assert_eq!(model.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_refuses_a_schema_gets_it_in_words() {
    let (model, resilient) = resilient(vec![
        failure(ErrorKind::BadRequest),
        answer("{}"),
        answer("{}"),
        failure(ErrorKind::BadRequest),
    ]);
    let shaped = ChatRequest {
        response: ResponseFormat::Json {
            name: "answer".to_owned(),
            schema: serde_json::json!({ "type": "object" }),
        },
        ..ChatRequest::default()
    };
    for _ in 0..2 {
        let answered = resilient.complete(shaped.clone()).await.unwrap();
        assert_eq!(answered.message.text, "{}");
    }
    assert_eq!(model.calls(), 3, "the second time without the schema");
    let error = ask(&resilient).await.unwrap_err();
    assert_eq!((error.kind, model.calls()), (ErrorKind::BadRequest, 4));
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_is_reported() {
    let (model, resilient) = resilient(vec![
        failure(ErrorKind::Connect),
        failure(ErrorKind::Connect),
        failure(ErrorKind::Overloaded),
        answer("too late"),
    ]);
    let error = ask(&resilient).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Overloaded);
    assert_eq!(model.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn no_attempt_begins_after_the_answer_had_to_begin() {
    let (model, resilient) = resilient(vec![
        vec![(
            Duration::from_secs(5),
            Err(Error::new(ErrorKind::Overloaded).with_retry_after(Duration::from_secs(2))),
        )],
        answer("too late"),
    ]);
    let request = ChatRequest {
        begin_by: Some(Instant::now() + Duration::from_secs(6)),
        ..ChatRequest::default()
    };
    let error = resilient.complete(request).await.unwrap_err();
    assert_eq!(
        error.kind,
        ErrorKind::Overloaded,
        "what went wrong, not the time"
    );
    assert_eq!(model.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_cost_of_an_answer_is_that_of_its_tokens() {
    let price = PriceConfig {
        input: 2.0,
        cached_input: None,
        output: 10.0,
    };
    let policy = Policy {
        price: Some(price),
        ..policy()
    };
    let resilient = Resilient::new(Scripted::new("m", [answer("here")]), policy);
    let completion = resilient.complete(ChatRequest::default()).await.unwrap();
    // 3 tokens in, 2 out.
    assert_eq!(completion.usage.cost_micros, 26);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_again_after_the_first_token() {
    let (model, resilient) = resilient(vec![vec![
        at_once(Ok(ChatEvent::Text("half an ".to_owned()))),
        at_once(Err(Error::new(ErrorKind::Timeout))),
    ]]);
    let mut answer = resilient.stream(ChatRequest::default());
    assert!(matches!(answer.next().await, Some(Ok(ChatEvent::Text(_)))));
    let error = answer.next().await.unwrap().unwrap_err();
    assert!(error.after_first_token);
    assert!(answer.next().await.is_none());
    assert_eq!(model.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_just_ends_was_cut_off() {
    let cut = vec![at_once(Ok(ChatEvent::Text("half an ".to_owned())))];
    let (_, resilient) = resilient(vec![cut]);
    let error = ask(&resilient).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    assert!(error.after_first_token);
}

#[tokio::test(start_paused = true)]
async fn the_pause_that_the_provider_names_is_kept() {
    let limited = |seconds| {
        let error =
            Error::new(ErrorKind::RateLimited).with_retry_after(Duration::from_secs(seconds));
        vec![at_once(Err(error))]
    };
    let (model, resilient) = resilient(vec![limited(9), answer("ok"), limited(3_600)]);
    let before = Instant::now();
    ask(&resilient).await.unwrap();
    assert!(before.elapsed() >= Duration::from_secs(9));
    // An hour is not waited for.
    let before = Instant::now();
    let error = ask(&resilient).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::RateLimited);
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(model.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_keeps_failing_is_left_alone_until_it_has_cooled_down() {
    let failures = (0..5).map(|_| failure(ErrorKind::Connect));
    let (model, resilient) = resilient(failures.collect());
    assert_eq!(ask(&resilient).await.unwrap_err().kind, ErrorKind::Connect);
    assert_eq!(ask(&resilient).await.unwrap_err().kind, ErrorKind::Connect);
    // The fifth failure opened the circuit, so the second call was not repeated to its end.
    assert_eq!(model.calls(), 5);
    let error = ask(&resilient).await.unwrap_err();
    assert_eq!((error.kind, model.calls()), (ErrorKind::CircuitOpen, 5));
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(ask(&resilient).await.unwrap(), "ok");
    assert_eq!(ask(&resilient).await.unwrap(), "ok");
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_are_under_way_than_allowed() {
    let slow = || {
        let text = Ok(ChatEvent::Text("a".to_owned()));
        vec![(Duration::from_secs(1), text), end()]
    };
    let model = Scripted::new("m", (0..6).map(|_| slow()));
    let policy = Policy {
        in_flight: InFlight::new(&LimitsConfig {
            max_in_flight: 2,
            queue_ms: 1_500,
            ..LimitsConfig::default()
        }),
        ..policy()
    };
    let resilient = Resilient::new(model.clone(), policy);
    let answers = futures::future::join_all((0..6).map(|_| ask(&resilient))).await;
    let busy = answers
        .iter()
        .filter(|answer| matches!(answer, Err(error) if error.kind == ErrorKind::Busy))
        .count();
    // Two at once, two after a second; the last two would have had to wait for two seconds.
    assert_eq!((busy, model.calls()), (2, 4));
    assert_eq!(model.most_under_way(), 2);
}

#[tokio::test(start_paused = true)]
async fn dropping_an_answer_drops_the_call_and_makes_room() {
    let endless = vec![
        at_once(Ok(ChatEvent::Text("a".to_owned()))),
        (Duration::from_hours(1), Ok(ChatEvent::Text("b".to_owned()))),
    ];
    let model = Scripted::new("m", [endless]);
    let policy = Policy {
        in_flight: InFlight::new(&LimitsConfig {
            max_in_flight: 1,
            ..LimitsConfig::default()
        }),
        ..policy()
    };
    let resilient = Resilient::new(model.clone(), policy);
    let mut answer = resilient.stream(ChatRequest::default());
    answer.next().await.unwrap().unwrap();
    assert_eq!(model.under_way(), 1);
    drop(answer);
    assert_eq!(model.under_way(), 0);
    assert_eq!(ask(&resilient).await.unwrap(), "ok");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_over_makes_room_even_while_it_is_held() {
    let model = Scripted::new("m", []);
    let policy = Policy {
        in_flight: InFlight::new(&LimitsConfig {
            max_in_flight: 1,
            ..LimitsConfig::default()
        }),
        ..policy()
    };
    let resilient = Resilient::new(model, policy);
    let mut held = resilient.stream(ChatRequest::default());
    while held.next().await.is_some() {}
    assert_eq!(ask(&resilient).await.unwrap(), "ok");
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn what_is_used_is_counted() {
    let policy = policy();
    let meter = policy.meter.clone();
    let model = Scripted::new(
        "m",
        [answer("a"), answer("b"), failure(ErrorKind::BadRequest)],
    );
    let resilient = Resilient::new(model, policy);
    for _ in 0..3 {
        let _ = ask(&resilient).await;
    }
    let expected = ModelUsage {
        answered: 2,
        failed: 1,
        tokens: Usage {
            input_tokens: 6,
            output_tokens: 4,
            ..Usage::default()
        },
    };
    assert_eq!(meter.totals(), [(resilient.id(), expected)]);
}
