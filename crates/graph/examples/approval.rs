//! An expense that a user has to approve, in two processes.
//!
//! ```text
//! cargo run -p graph --example approval
//! ```
//!
//! The "processes" are two graphs that share only the store; with one that outlives the process
//! they could be real ones.

#![expect(clippy::print_stdout, reason = "an example")]

use std::{error::Error, sync::Arc, time::Duration};

use futures::StreamExt;
use graph::{
    Answers, BuildError, Checkpointer, Command, CompiledGraph, Context, END, Input, Interrupt,
    MemorySaver, NodeOptions, NodeResult, RetryPolicy, RunConfig, START, State, StateGraph,
    StreamItem,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Expense {
    amount: u32,
    checks: Vec<String>,
    decision: Option<Decision>,
    paid: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Decision {
    by: String,
    approved: bool,
}

#[derive(Clone, Serialize, Deserialize)]
enum Change {
    Checked(String),
    Decided(Decision),
    Paid,
}

impl State for Expense {
    type Update = Change;
    /// A line of progress for the user who watches.
    type Event = String;

    fn apply(&mut self, change: Change) {
        match change {
            Change::Checked(what) => self.checks.push(what),
            Change::Decided(decision) => self.decision = Some(decision),
            Change::Paid => self.paid = true,
        }
    }
}

async fn check_budget(expense: Arc<Expense>, context: Context<Expense>) -> NodeResult<Expense> {
    context
        .emit(format!("looking for {} in the budget", expense.amount))
        .await;
    Ok(Command::update(Change::Checked("budget".into())))
}

async fn check_receipt(_: Arc<Expense>, context: Context<Expense>) -> NodeResult<Expense> {
    context.emit("reading the receipt".into()).await;
    Ok(Command::update(Change::Checked("receipt".into())))
}

async fn approve(expense: Arc<Expense>, context: Context<Expense>) -> NodeResult<Expense> {
    let question = format!(
        "Approve {} after checks of {}?",
        expense.amount,
        expense.checks.join(" and ")
    );
    let decision: Decision = context.interrupt("decision", &question)?;
    let next = if decision.approved { "pay" } else { END };
    Ok(Command::update(Change::Decided(decision)).then_goto(next))
}

async fn pay(expense: Arc<Expense>, context: Context<Expense>) -> NodeResult<Expense> {
    if context.attempt() == 1 {
        return Err(std::io::Error::other("the bank is busy").into());
    }
    context
        .emit(format!("paid {} at the second attempt", expense.amount))
        .await;
    Ok(Command::update(Change::Paid))
}

fn expenses(store: Arc<dyn Checkpointer>) -> Result<CompiledGraph<Expense>, BuildError> {
    let patient = RetryPolicy::attempts(3).initial_backoff(Duration::from_millis(10));
    let mut graph = StateGraph::new();
    graph
        .add_node("check_budget", check_budget)
        .add_node("check_receipt", check_receipt)
        .add_node_with(
            "approve",
            approve,
            NodeOptions::new().destinations(["pay", END]),
        )
        .add_node_with(
            "pay",
            pay,
            NodeOptions::new()
                .timeout(Duration::from_secs(5))
                .retry(patient),
        )
        .add_edge(START, "check_budget")
        .add_edge(START, "check_receipt")
        .add_edge("check_budget", "approve")
        .add_edge("check_receipt", "approve")
        .add_edge("pay", END);
    Ok(graph.build("expenses")?.with_checkpointer(store))
}

/// Runs and says what happens; returns the question that the run stopped at, if any.
async fn run(
    app: &CompiledGraph<Expense>,
    input: Input<Expense>,
) -> Result<Option<Interrupt>, Box<dyn Error>> {
    let mut run = app.stream(input, RunConfig::thread("expense-17"));
    while let Some(item) = run.next().await {
        match item {
            StreamItem::Custom(text) => println!("  … {text}"),
            StreamItem::Warning(warning) => println!("  ! {warning:?}"),
            StreamItem::Finished(result) => {
                let outcome = result?;
                println!("  = {:?}", outcome.state());
                return Ok(outcome.interrupts().first().cloned());
            }
            _ => {}
        }
    }
    Ok(None)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = Arc::new(MemorySaver::new());

    let monday = expenses(store.clone())?;
    println!("{}", monday.to_mermaid());
    println!("On Monday an expense comes in:");
    let question = run(
        &monday,
        Expense {
            amount: 250,
            ..Expense::default()
        }
        .into(),
    )
    .await?;
    drop(monday);

    let tuesday = expenses(store)?;
    if let Some(question) = question {
        println!(
            "On Tuesday a person reads {} and answers:",
            question.payload
        );
        let decision = serde_json::to_value(Decision {
            by: "Ann".into(),
            approved: true,
        })?;
        run(
            &tuesday,
            Input::Resume(Answers::new().with(question.id, decision)),
        )
        .await?;
    }
    Ok(())
}
