//! Graphs in graphs.

use std::sync::Arc;

use futures::StreamExt;
use graph::{
    Answers, Command, CompiledGraph, Context, END, Error, Input, Lens, MemorySaver, NodeOptions,
    NodeResult, RunConfig, START, State, StateGraph, StreamItem,
};
use serde::{Deserialize, Serialize};

use crate::fixtures::{Change, Log, chain, line, log_name};

async fn ask(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
    let date: String = context.interrupt("date", "which day?")?;
    Ok(line(format!("asked {date}")))
}

/// ask → (retry | give up), the latter straight to its end.
fn recovery() -> CompiledGraph<Log> {
    let mut graph = StateGraph::new();
    graph
        .add_node("ask", ask)
        .add_node_with(
            "retry",
            |_: Arc<Log>, context: Context<Log>| async move { Ok(line(context.node()).then_goto(END)) },
            NodeOptions::new().destinations([END]),
        )
        .add_conditional_edges(START, |state: &Log| if state.count < 3 { "ask" } else { END }, ["ask", END])
        .add_edge("ask", "retry");
    graph.build("recovery").unwrap()
}

fn flow() -> CompiledGraph<Log> {
    let mut graph = StateGraph::new();
    graph
        .add_node("fetch", log_name)
        .add_node("report", log_name)
        .add_subgraph("recovery", &recovery())
        .add_edge(START, "fetch")
        .add_edge("fetch", "recovery")
        .add_edge("recovery", "report")
        .add_edge("report", END);
    graph
        .build("flow")
        .unwrap()
        .with_checkpointer(Arc::new(MemorySaver::new()))
}

#[tokio::test]
async fn a_subgraph_interrupts_and_resumes_like_any_node() {
    let app = flow();
    let outcome = app
        .invoke(Log::default(), RunConfig::thread("t"))
        .await
        .unwrap();
    assert_eq!(
        (&*outcome.interrupts()[0].node, outcome.state().lines.len()),
        ("recovery/ask", 1)
    );
    let outcome = app
        .invoke(
            Input::Resume(Answers::one("Friday")),
            RunConfig::thread("t"),
        )
        .await
        .unwrap();
    assert_eq!(
        outcome.state().lines,
        ["fetch", "asked Friday", "recovery/retry", "report"]
    );
}

#[tokio::test]
async fn a_subgraph_may_be_passed_through_without_running_a_node() {
    let app = flow();
    let outcome = app
        .invoke(
            Log {
                count: 3,
                ..Log::default()
            },
            RunConfig::thread("t"),
        )
        .await
        .unwrap();
    assert_eq!(outcome.state().lines, ["fetch", "report"]);
    assert_eq!(
        app.get_state("t", None)
            .await
            .unwrap()
            .unwrap()
            .checkpoint
            .step,
        2
    );
}

#[tokio::test]
async fn subgraphs_nest_and_may_be_used_twice() {
    let inner = chain(&["x", "y"]).build("inner").unwrap();
    let mut middle = StateGraph::new();
    middle.add_subgraph("inner", &inner).add_node("z", log_name);
    middle
        .add_edge(START, "inner")
        .add_edge("inner", "z")
        .add_edge("z", END);
    let middle = middle.build("middle").unwrap();
    let mut outer = StateGraph::new();
    outer
        .add_subgraph("one", &middle)
        .add_subgraph("two", &middle)
        .add_node("last", log_name);
    outer.add_edge(START, "one").add_edge(START, "two");
    outer
        .add_edge("one", "last")
        .add_edge("two", "last")
        .add_edge("last", END);
    let outcome = outer
        .build("outer")
        .unwrap()
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap();
    let expected = [
        "one/inner/x",
        "two/inner/x",
        "one/inner/y",
        "two/inner/y",
        "one/z",
        "two/z",
        "last",
    ];
    assert_eq!(outcome.state().lines, expected);
}

#[tokio::test]
async fn subgraphs_that_lead_to_one_another_for_ever_are_noticed() {
    let mut skip = StateGraph::new();
    skip.add_node("never", log_name).add_edge("never", END);
    skip.add_conditional_edges(START, |_: &Log| END, [END, "never"]);
    let skip = skip.build("skip").unwrap();
    let mut graph = StateGraph::new();
    graph.add_subgraph("a", &skip).add_subgraph("b", &skip);
    graph.add_edge(START, "a").add_edge("a", "b");
    graph.add_conditional_edges("b", |_: &Log| "a", ["a", END]);
    let error = graph
        .build("endless")
        .unwrap()
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::EndlessRoute { .. }), "{error}");
}

/// A state with a log in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Outer {
    log: Log,
    title: String,
}

#[derive(Clone, Serialize, Deserialize)]
enum OuterChange {
    Log(Change),
    Title(String),
}

#[derive(Debug, PartialEq)]
struct OuterEvent(String);

impl State for Outer {
    type Update = OuterChange;
    type Event = OuterEvent;

    fn apply(&mut self, change: OuterChange) {
        match change {
            OuterChange::Log(change) => self.log.apply(change),
            OuterChange::Title(title) => self.title = title,
        }
    }
}

#[tokio::test]
async fn a_subgraph_over_a_part_of_the_state_is_seen_through_its_lens() {
    let mut inner = StateGraph::new();
    inner
        .add_node(
            "count",
            |state: Arc<Log>, context: Context<Log>| async move {
                context.emit(format!("at {}", state.count)).await;
                Ok(Command::updates([
                    Change::Add(1),
                    Change::Line(context.node().to_owned()),
                ]))
            },
        )
        .add_node("ask", ask)
        .add_edge(START, "count")
        .add_conditional_edges(
            "count",
            |state: &Log| if state.count < 3 { "count" } else { "ask" },
            ["count", "ask"],
        )
        .add_edge("ask", END);
    let inner = inner.build("inner").unwrap();
    let mut graph = StateGraph::new();
    graph
        .add_subgraph_with(
            "part",
            &inner,
            &Lens::new(|outer: &Outer| &outer.log, OuterChange::Log, OuterEvent),
        )
        .add_node("title", |outer: Arc<Outer>, _: Context<Outer>| async move {
            Ok(Command::update(OuterChange::Title(format!(
                "{} lines",
                outer.log.lines.len()
            ))))
        })
        .add_edge(START, "part")
        .add_edge("part", "title")
        .add_edge("title", END);
    let app = graph
        .build("outer")
        .unwrap()
        .with_checkpointer(Arc::new(MemorySaver::new()));
    let mut config = RunConfig::thread("t");
    config.buffer = 1;
    let items: Vec<_> = app.stream(Outer::default(), config).collect().await;
    let events: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            StreamItem::Custom(OuterEvent(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(events, ["at 0", "at 1", "at 2"]);
    let resumed = app
        .invoke(
            Input::Resume(Answers::one("Monday")),
            RunConfig::thread("t"),
        )
        .await
        .unwrap();
    assert_eq!(
        resumed.state().log.lines,
        ["part/count", "part/count", "part/count", "asked Monday"]
    );
    assert_eq!(resumed.state().title, "4 lines");
}

#[test]
fn a_graph_is_drawn_with_its_subgraphs() {
    insta::assert_snapshot!(flow().to_mermaid(), @r#"
    flowchart TD
        start([start])
        fetch["fetch"]
        report["report"]
        subgraph recovery["recovery"]
            recovery__start([start])
            recovery_ask["ask"]
            recovery_retry["retry"]
            recovery__end([end])
        end
        finish([end])
        start --> fetch
        fetch --> recovery
        report --> finish
        recovery__start -.-> recovery_ask
        recovery__start -.-> recovery__end
        recovery --> report
        recovery_ask --> recovery_retry
        recovery_retry -.-> recovery__end
    "#);
}

#[test]
fn names_that_mermaid_would_not_understand_are_drawn_all_the_same() {
    insta::assert_snapshot!(chain(&["end", "a b", "a_b", "say \"hi\""]).build("odd").unwrap().to_mermaid(), @r#"
    flowchart TD
        start([start])
        end_0["end"]
        a_b["a b"]
        a_b_2["a_b"]
        say__hi_["say #quot;hi#quot;"]
        finish([end])
        start --> end_0
        end_0 --> a_b
        a_b --> a_b_2
        a_b_2 --> say__hi_
        say__hi_ --> finish
    "#);
}
