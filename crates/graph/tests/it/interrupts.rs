//! Questions and answers.

use std::sync::Arc;

use graph::{
    Answers, Command, CompiledGraph, Context, Durability, Error, Failure, Input, Interrupt,
    MemorySaver, NodeResult, Outcome, RunConfig,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::fixtures::{Change, Counter, Log, branch, fan_out, line, log_name, only};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Choice {
    options: Vec<u32>,
}

async fn choose(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
    let chosen: u32 = context.interrupt(
        "logger",
        &Choice {
            options: vec![1, 2],
        },
    )?;
    Ok(line(format!("{} chose {chosen}", context.node())))
}

fn stored(app: CompiledGraph<Log>) -> CompiledGraph<Log> {
    app.with_checkpointer(Arc::new(MemorySaver::new()))
}

fn thread() -> RunConfig {
    RunConfig::thread("t")
}

async fn start(app: &CompiledGraph<Log>) -> Vec<Interrupt> {
    app.invoke(Log::default(), thread())
        .await
        .unwrap()
        .interrupts()
        .to_vec()
}

async fn resume(app: &CompiledGraph<Log>, answers: Answers) -> Result<Outcome<Log>, Error> {
    app.invoke(Input::Resume(answers), thread()).await
}

#[tokio::test]
async fn what_the_present_turn_brings_is_there_before_the_node_goes_on() {
    let app = stored(only(choose));
    start(&app).await;
    let input = Input::ResumeWith {
        answers: Answers::one(2),
        updates: vec![Change::Line("a new turn".to_owned())],
    };
    let outcome = app.invoke(input, thread()).await.unwrap();
    assert_eq!(outcome.state().lines, ["a new turn", "only chose 2"]);
}

#[tokio::test]
async fn an_interrupt_carries_a_typed_question_and_comes_back_with_a_typed_answer() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let app = stored(only(choose));
        let outcome = app
            .invoke(Log::default(), thread().durability(durability))
            .await
            .unwrap();
        let [interrupt] = outcome.interrupts() else {
            panic!("{outcome:?}")
        };
        assert_eq!((&*interrupt.node, &*interrupt.key), ("only", "logger"));
        assert_eq!(
            interrupt.payload_as::<Choice>().unwrap(),
            Choice {
                options: vec![1, 2]
            }
        );
        let waiting = app.get_state("t", None).await.unwrap().unwrap();
        assert_eq!(waiting.interrupts().collect::<Vec<_>>(), [interrupt]);
        let config = thread().durability(durability);
        let outcome = app
            .invoke(Input::Resume(Answers::one(2)), config)
            .await
            .unwrap();
        assert_eq!(outcome.state().lines, ["only chose 2"]);
        assert_eq!(
            app.get_state("t", None)
                .await
                .unwrap()
                .unwrap()
                .interrupts()
                .count(),
            0
        );
    }
}

#[tokio::test]
async fn several_questions_of_one_node_are_asked_one_after_the_other() {
    async fn two(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
        let first: String = context.interrupt("first", "?")?;
        let second: String = context.interrupt("second", &first)?;
        Ok(line(format!("{first} {second}")))
    }
    let app = stored(only(two));
    assert_eq!(start(&app).await[0].key, "first");
    let outcome = resume(&app, Answers::one("x")).await.unwrap();
    assert_eq!(
        (
            &*outcome.interrupts()[0].key,
            &outcome.interrupts()[0].payload
        ),
        ("second", &json!("x"))
    );
    let outcome = resume(&app, Answers::one("y")).await.unwrap();
    assert_eq!(outcome.state().lines, ["x y"]);
}

#[tokio::test]
async fn siblings_finish_once_and_questions_may_be_answered_in_parts() {
    let runs = Counter::default();
    let counted = {
        let runs = runs.clone();
        move |_: Arc<Log>, _: Context<Log>| {
            runs.count();
            async { Ok(line("counted")) }
        }
    };
    let app = stored(fan_out(vec![
        branch("a", choose),
        branch("b", counted),
        branch("c", choose),
    ]));
    let open = start(&app).await;
    assert_eq!(
        open.iter()
            .map(|interrupt| &*interrupt.node)
            .collect::<Vec<_>>(),
        ["a", "c"]
    );
    let outcome = resume(&app, Answers::new().with(&open[1].id, 7))
        .await
        .unwrap();
    assert_eq!(
        outcome.interrupts(),
        [open[0].clone()],
        "the other one stays open, under the same id"
    );
    assert!(outcome.state().lines.is_empty());
    let outcome = resume(&app, Answers::one(5)).await.unwrap();
    assert_eq!(
        outcome.state().lines,
        ["a chose 5", "counted", "c chose 7", "join"]
    );
    assert_eq!(runs.get(), 1);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let app = stored(only(choose));
    let open = start(&app).await;
    let error = resume(&app, Answers::one("two")).await.unwrap_err();
    let Error::Node {
        source: Failure::UnfitAnswer { interrupt_id, .. },
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(*interrupt_id, open[0].id);
    let outcome = resume(&app, Answers::one(2)).await.unwrap();
    assert_eq!(outcome.state().lines, ["only chose 2"]);
}

#[tokio::test]
async fn an_answer_survives_a_failure_after_it() {
    let tries = Counter::default();
    let node = move |_: Arc<Log>, context: Context<Log>| {
        let tries = tries.clone();
        async move {
            let chosen: u32 = context.interrupt("logger", "?")?;
            if tries.count() == 1 {
                return Err("upstream is away".parse::<u32>().unwrap_err().into());
            }
            Ok(line(format!("{chosen}")))
        }
    };
    let app = stored(only(node));
    start(&app).await;
    assert!(matches!(
        resume(&app, Answers::one(3)).await,
        Err(Error::Node { .. })
    ));
    let outcome = app.invoke(Input::Continue, thread()).await.unwrap();
    assert_eq!(outcome.state().lines, ["3"]);
}

#[tokio::test]
async fn answers_to_nothing_are_refused() {
    let app = stored(fan_out(vec![branch("a", choose), branch("b", choose)]));
    assert!(matches!(
        resume(&app, Answers::one(1)).await,
        Err(Error::UnknownCheckpoint { .. })
    ));
    let open = start(&app).await;
    assert!(matches!(
        resume(&app, Answers::one(1)).await,
        Err(Error::AmbiguousAnswer { open: 2 })
    ));
    let unknown = resume(&app, Answers::new().with("elsewhere", 1)).await;
    assert!(matches!(unknown, Err(Error::UnknownInterrupt { id }) if id == "elsewhere"));
    let both = Answers::new().with(&open[0].id, 1).with(&open[1].id, 2);
    assert!(resume(&app, both.clone()).await.unwrap().is_done());
    assert!(matches!(
        resume(&app, both).await,
        Err(Error::NothingToResume)
    ));
    let without_store = only(log_name)
        .invoke(Input::Resume(Answers::one(1)), thread())
        .await;
    assert!(matches!(without_store, Err(Error::NoCheckpointer)));
}

#[tokio::test]
async fn continuing_without_an_answer_asks_again() {
    let app = stored(only(choose));
    let open = start(&app).await;
    let outcome = app.invoke(Input::Continue, thread()).await.unwrap();
    assert_eq!(outcome.interrupts(), open);
}

#[tokio::test]
async fn a_new_turn_drops_open_questions() {
    let app = stored(only(choose));
    let first = start(&app).await;
    let second = app
        .invoke(Input::update(crate::fixtures::Change::Add(1)), thread())
        .await
        .unwrap();
    assert_eq!(second.state().count, 1);
    assert_ne!(second.interrupts()[0].id, first[0].id);
    let stale = resume(&app, Answers::new().with(&first[0].id, 1)).await;
    assert!(matches!(stale, Err(Error::UnknownInterrupt { .. })));
}

#[tokio::test]
async fn a_node_that_recovers_from_its_interrupt_is_done() {
    let node = |_: Arc<Log>, context: Context<Log>| async move {
        let asked = context.interrupt::<u32>("logger", "?");
        assert!(asked.is_err_and(|error| error.is_interrupt()));
        Ok(Command::none())
    };
    assert!(
        only(node)
            .invoke(Log::default(), RunConfig::new())
            .await
            .unwrap()
            .is_done()
    );
}
