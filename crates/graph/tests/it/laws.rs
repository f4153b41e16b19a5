//! What holds for all runs.

use std::{sync::Arc, time::Duration};

use graph::{
    Answers, Command, CompiledGraph, Context, Durability, END, Input, MemorySaver, NodeResult,
    Outcome, RunConfig, START, StateGraph, Target, Targets,
};
use proptest::{collection::vec, prelude::*, sample::subsequence};

use crate::fixtures::{Change, Log, branch, chain, fan_out, line, log_name, slow};

fn block_on<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(run)
}

/// Cycles, sends, parallel branches, a subgraph and commands, as many of each as the state's count
/// says.
fn busy() -> CompiledGraph<Log> {
    async fn double(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
        Ok(line(format!(
            "{} {}",
            context.node(),
            context.input::<i64>()? * 2
        )))
    }
    let mut graph = StateGraph::new();
    graph
        .add_node("loop", |_: Arc<Log>, _: Context<Log>| async {
            Ok(Command::update(Change::Add(-1)).and_update(Change::Line("loop".into())))
        })
        .add_node("double", double)
        .add_node("left", log_name)
        .add_subgraph("right", &chain(&["up", "down"]).build("right").unwrap())
        .add_node("join", log_name)
        .add_edge(START, "loop")
        .add_conditional_edges(
            "loop",
            |state: &Log| -> Targets {
                if state.count > 0 {
                    let mut targets: Vec<_> = (0..state.count)
                        .map(|n| Target::send("double", n))
                        .collect();
                    targets.push(Target::node("loop"));
                    targets.into()
                } else {
                    ["left", "right"].into()
                }
            },
            ["double", "loop", "left", "right"],
        )
        .add_edge("double", "join")
        .add_edge("left", "join")
        .add_edge("right", "join")
        .add_edge("join", END);
    graph.build("busy").unwrap()
}

async fn ask(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
    let answer: u32 = context.interrupt("number", "?")?;
    Ok(line(format!("{} {answer}", context.node())))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_state_does_not_depend_on_which_task_finishes_first(waits in vec(0..50_u64, 1..8)) {
        let app = |waits: &[u64]| fan_out(
            waits.iter().enumerate().map(|(n, &wait)| branch(format!("n{n}"), slow(Duration::from_millis(wait)))).collect(),
        );
        let lines = block_on(app(&waits).invoke(Log::default(), RunConfig::new())).unwrap().into_state().lines;
        let mut expected: Vec<_> = (0..waits.len()).map(|n| format!("n{n}")).collect();
        expected.push("join".to_owned());
        prop_assert_eq!(lines, expected);
    }

    #[test]
    fn a_run_resumed_from_any_checkpoint_ends_like_the_uninterrupted_one(count in 0..5_i64, asynchronous: bool) {
        block_on(async {
            let app = busy().with_checkpointer(Arc::new(MemorySaver::new()));
            let durability = if asynchronous { Durability::Async } else { Durability::Sync };
            let config = || RunConfig::thread("t").durability(durability);
            let whole = app.invoke(Log { count, ..Log::default() }, config()).await.unwrap();
            for at in app.get_state_history("t", 100, None).await.unwrap() {
                let resumed = app.invoke(Input::Continue, config().checkpoint(at.checkpoint.id)).await.unwrap();
                assert_eq!(resumed, whole, "from superstep {}", at.checkpoint.step);
            }
        });
    }

    #[test]
    fn a_run_stopped_after_any_number_of_supersteps_ends_like_the_uninterrupted_one(count in 0..5_i64, stops in vec(1..4_u32, 0..10)) {
        block_on(async {
            let start = Log { count, ..Log::default() };
            let whole = busy().invoke(start.clone(), RunConfig::new()).await.unwrap();
            let app = busy().with_checkpointer(Arc::new(MemorySaver::new()));
            let mut result = app.invoke(start, RunConfig::thread("t").recursion_limit(1)).await;
            for limit in stops.into_iter().chain([50]) {
                if result.is_err() {
                    let config = RunConfig::thread("t").recursion_limit(limit).durability(Durability::Exit);
                    result = app.invoke(Input::Continue, config).await;
                }
            }
            assert_eq!(result.unwrap(), whole);
        });
    }

    #[test]
    fn answers_may_come_in_any_number_of_parts(order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(), asking in subsequence((0..5_usize).collect::<Vec<_>>(), 1..5), parts in vec(1..3_usize, 5)) {
        block_on(async {
            let branches = (0..5).map(|n| {
                if asking.contains(&n) { branch(format!("n{n}"), ask) } else { branch(format!("n{n}"), log_name) }
            });
            let app = fan_out(branches.collect()).with_checkpointer(Arc::new(MemorySaver::new()));
            let mut outcome = app.invoke(Log::default(), RunConfig::thread("t")).await.unwrap();
            let mut to_answer = order.into_iter();
            for part in parts.into_iter().chain([5]) {
                if outcome.is_done() {
                    break;
                }
                let mut answers = Answers::new();
                for n in to_answer.by_ref().take(part) {
                    let node = format!("n{n}");
                    if let Some(open) = outcome.interrupts().iter().find(|open| *open.node == *node) {
                        answers = answers.with(&open.id, n);
                    }
                }
                outcome = app.invoke(Input::Resume(answers), RunConfig::thread("t")).await.unwrap();
            }
            let Outcome::Done(state) = outcome else { panic!("{outcome:?}") };
            let mut expected: Vec<_> =
                (0..5).map(|n| if asking.contains(&n) { format!("n{n} {n}") } else { format!("n{n}") }).collect();
            expected.push("join".to_owned());
            assert_eq!(state.lines, expected);
        });
    }
}
