//! Running the tasks of a superstep: one of them here, several at once in tasks of their own.

use std::sync::Arc;

use tokio::task::JoinSet;
use tracing::Instrument;

use super::{Ends, Engine, Task};
use crate::{
    Context, State,
    compiled::{Kind, NodeSpec, Plan},
    context::TaskContext,
    task::{self, TaskEnd},
};

impl<S: State, R: Send + Sync + 'static> Engine<S, R> {
    /// Runs the tasks that are not finished yet.
    pub(super) async fn run_tasks(&self) -> Ends<S> {
        let mut ends: Ends<S> = self.tasks.iter().map(|_| None).collect();
        let mut open = self
            .tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| task.finished.is_none());
        let Some((first, task)) = open.next() else {
            return ends;
        };
        let Some(second) = open.next() else {
            // A lone task runs here: no spawn, no queue, no wake-up.
            let (plan, vertex) = (&*self.plan, task.scheduled.vertex);
            if let Some(spec) = spec(plan, vertex) {
                let run = task::run(
                    spec,
                    Arc::clone(&self.state),
                    self.context(first, task),
                    self.listener.clone(),
                );
                ends[first] = tokio::select! {
                    biased;
                    () = self.cancellation.cancelled() => None,
                    end = run => Some(end),
                };
            }
            return ends;
        };
        let several = [(first, task), second].into_iter().chain(open);
        let mut running = JoinSet::new();
        for (index, task) in several {
            let (plan, vertex) = (Arc::clone(&self.plan), task.scheduled.vertex);
            let (state, context, listener) = (
                Arc::clone(&self.state),
                self.context(index, task),
                self.listener.clone(),
            );
            let run = async move {
                let end = match spec(&plan, vertex) {
                    Some(spec) => Some(task::run(spec, state, context, listener).await),
                    None => None,
                };
                (index, end)
            };
            running.spawn(run.in_current_span());
        }
        self.gather(&mut running, &mut ends).await;
        // Tasks that were not waited for are cancelled, and have ended when this returns.
        running.shutdown().await;
        ends
    }

    /// Waits for all tasks, or for the first failure, or for cancellation.
    async fn gather(&self, running: &mut JoinSet<(usize, Option<TaskEnd<S>>)>, ends: &mut Ends<S>) {
        loop {
            let joined = tokio::select! {
                biased;
                () = self.cancellation.cancelled() => return,
                joined = running.join_next() => joined,
            };
            match joined {
                Some(Ok((index, end))) => {
                    let failed = matches!(end, Some(TaskEnd::Failed { .. }));
                    ends[index] = end;
                    if failed {
                        return;
                    }
                }
                // No task is left; or one was lost, which is the runtime shutting down, for panics
                // are caught inside.
                None | Some(Err(_)) => return,
            }
        }
    }

    fn context(&self, index: usize, task: &Task<S>) -> Context<S, R> {
        let context = TaskContext {
            node: Arc::clone(&self.plan.vertices[task.scheduled.vertex].path),
            step: self.step,
            index: u32::try_from(index).unwrap_or(u32::MAX),
            thread_id: self.thread_id.clone(),
            checkpoint_id: self.saver.current(),
            input: task.scheduled.input.clone(),
            answers: task.answers.clone(),
            cancellation: self.cancellation.clone(),
        };
        Context {
            task: Arc::new(context),
            run: Arc::clone(&self.run),
            attempt: 1,
            events: self.events.clone(),
        }
    }
}

fn spec<S: State, R>(plan: &Plan<S, R>, vertex: usize) -> Option<&NodeSpec<S, R>> {
    match &plan.vertices[vertex].kind {
        Kind::Node(spec) => Some(spec),
        // Subgraphs are passed through when tasks are scheduled, and never are tasks themselves.
        Kind::Subgraph(_) => None,
    }
}
