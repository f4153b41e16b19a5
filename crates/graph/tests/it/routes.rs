//! Edges, conditions, commands and sends.

use std::sync::Arc;

use graph::{
    Command, Context, END, Error, NodeOptions, NodeResult, Outcome, RunConfig, START, StateGraph,
    Target, Targets,
};
use serde_json::json;

use crate::fixtures::{Change, Log, chain, line, log_name};

async fn lines(graph: &StateGraph<Log>) -> Vec<String> {
    let app = graph.build("test").unwrap();
    match app.invoke(Log::default(), RunConfig::new()).await.unwrap() {
        Outcome::Done(state) => state.lines,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn edges_are_followed_in_turn() {
    assert_eq!(lines(&chain(&["a", "b", "c"])).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn branches_that_lead_to_one_node_meet_there() {
    let mut graph = chain(&["a", "b", "join"]);
    graph
        .add_node("c", log_name)
        .add_edge("a", "c")
        .add_edge("c", "join");
    assert_eq!(lines(&graph).await, ["a", "b", "c", "join"]);
}

#[tokio::test]
async fn conditions_see_the_new_state_and_may_loop() {
    let mut graph = StateGraph::new();
    graph
        .add_node("add", |_: Arc<Log>, _: Context<Log>| async {
            Ok(Command::updates([
                Change::Add(1),
                Change::Line("add".into()),
            ]))
        })
        .add_edge(START, "add")
        .add_conditional_edges(
            "add",
            |state: &Log| if state.count < 3 { "add" } else { END },
            ["add", END],
        );
    assert_eq!(lines(&graph).await, ["add", "add", "add"]);
}

#[tokio::test]
async fn a_condition_may_choose_several_targets_or_none() {
    let mut graph = StateGraph::new();
    for name in ["a", "b", "c"] {
        graph.add_node(name, log_name);
    }
    graph
        .add_conditional_edges(START, |_: &Log| ["c", "a"], ["a", "b", "c"])
        .add_conditional_edges("a", |_: &Log| Vec::<String>::new(), ["b"])
        .add_edge("b", END)
        .add_edge("c", END);
    assert_eq!(lines(&graph).await, ["c", "a"]);
}

#[tokio::test]
async fn goto_is_taken_instead_of_the_edges() {
    let mut graph = chain(&["b", "c"]);
    graph
        .add_node_with(
            "a",
            |_: Arc<Log>, _: Context<Log>| async { Ok(line("a").then_goto("c")) },
            NodeOptions::new().destinations(["c"]),
        )
        .add_conditional_edges(START, |_: &Log| "a", ["a"])
        .add_edge("a", "b");
    let mut reached = lines(&graph).await;
    reached.sort();
    // `b` by the chain's own edge from the start, `c` from `a` and from `b`: once in each of the
    // two supersteps.
    assert_eq!(reached, ["a", "b", "c"]);
}

#[tokio::test]
async fn targets_that_were_not_declared_are_an_error() {
    let mut graph = chain(&["a", "b"]);
    graph.add_conditional_edges("a", |_: &Log| "b", [END]);
    let error = graph
        .build("test")
        .unwrap()
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::UndeclaredTarget { from, target } if &**from == "a" && target == "b"),
        "{error}"
    );

    let mut graph = StateGraph::new();
    graph.add_node("a", |_: Arc<Log>, _: Context<Log>| async {
        Ok(Command::goto("a"))
    });
    graph.add_edge(START, "a").add_edge("a", END);
    let error = graph
        .build("test")
        .unwrap()
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::UndeclaredTarget { .. }), "{error}");
}

async fn shout(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
    Ok(line(context.input::<String>()?.to_uppercase()))
}

#[tokio::test]
async fn sends_are_tasks_of_their_own() {
    let mut graph = StateGraph::new();
    graph
        .add_node("shout", shout)
        .add_node("join", log_name)
        .add_conditional_edges(
            START,
            |_: &Log| -> Targets {
                ["x", "y", "x"]
                    .map(|word| Target::send("shout", word))
                    .into()
            },
            ["shout"],
        )
        .add_edge("shout", "join")
        .add_edge("join", END);
    assert_eq!(lines(&graph).await, ["X", "Y", "X", "join"]);
}

#[tokio::test]
async fn an_input_of_the_wrong_type_fails_the_node() {
    let mut graph = StateGraph::new();
    graph
        .add_node("shout", shout)
        .add_conditional_edges(
            START,
            |_: &Log| Target::send("shout", json!({"not": "text"})),
            ["shout"],
        )
        .add_edge("shout", END);
    let error = graph
        .build("test")
        .unwrap()
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Node { .. }), "{error}");
}

#[tokio::test]
async fn a_context_knows_its_task() {
    let mut graph = chain(&["a"]);
    graph.add_node("b", |_: Arc<Log>, context: Context<Log>| async move {
        assert_eq!(
            (context.node(), context.step(), context.attempt()),
            ("b", 1, 1)
        );
        assert_eq!(
            (
                context.thread_id(),
                context.raw_input(),
                context.has_listener()
            ),
            (None, None, false)
        );
        context.emit("this has no listener".into()).await;
        assert_eq!(context.try_emit("nor this".into()), Ok(()));
        Ok(Command::none())
    });
    graph.add_edge("a", "b").add_edge("b", END);
    assert_eq!(lines(&graph).await, ["a"]);
}
