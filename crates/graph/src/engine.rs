//! The loop: plan, execute, update, one superstep after the other.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    CheckpointError, Command, CompiledGraph, Error, Failure, Input, NextTask, Outcome, RunConfig,
    State, StreamItem, StreamModes, TaskRecord, TaskWrite,
    compiled::Plan,
    error::panic_message,
    resume::{self, Held},
    saver::{Position, Saver, Saving, Store},
    schedule::{Scheduled, Scheduler},
    stream::{ChannelSink, EventSink, ItemSender},
    task::{Listener, TaskEnd},
};

mod superstep;

/// Runs to the end, to an interrupt, a failure or cancellation.
pub(crate) async fn run<S: State, R: Send + Sync + 'static>(
    graph: CompiledGraph<S, R>,
    input: Input<S>,
    run_context: Arc<R>,
    config: RunConfig,
    cancellation: CancellationToken,
    items: Option<ItemSender<S>>,
) -> Result<Outcome<S>, Error> {
    // Whatever nodes have handed to other tasks ends with the run, also when the run is dropped.
    let _guard = cancellation.clone().drop_guard();
    let thread = config.thread_id.as_deref();
    let span = tracing::info_span!("graph.run", graph = &*graph.plan.name, thread);
    let listener = items.map(|items| Listener {
        items,
        modes: config.modes,
        cancellation: cancellation.clone(),
    });
    let run = async {
        let engine =
            Engine::load(graph, input, run_context, config, cancellation, listener).await?;
        engine.supersteps().await
    };
    match AssertUnwindSafe(run).catch_unwind().instrument(span).await {
        Ok(result) => result,
        Err(payload) => Err(Error::Panicked {
            message: panic_message(&*payload),
        }),
    }
}

/// A run.
struct Engine<S: State, R> {
    plan: Arc<Plan<S, R>>,
    /// The caller's context of this run.
    run: Arc<R>,
    /// Shared with the tasks of a superstep as their snapshot; changed only between supersteps,
    /// when there is no other reference.
    state: Arc<S>,
    /// Number of supersteps that the thread has behind it.
    step: u32,
    /// The tasks of the next superstep.
    tasks: Vec<Task<S>>,
    recursion_limit: u32,
    thread_id: Option<Arc<str>>,
    cancellation: CancellationToken,
    listener: Option<Listener<S>>,
    events: Option<Arc<dyn EventSink<S::Event>>>,
    saver: Saver<S>,
    /// Whether the run begins at a position of its own, which is not stored yet.
    is_new: bool,
}

/// A task of the next superstep, with what is known of it.
pub(crate) struct Task<S: State> {
    pub(crate) scheduled: Scheduled,
    /// Its command, when it finished in an earlier run.
    pub(crate) finished: Option<Command<S>>,
    /// Answers to its interrupts, by key.
    pub(crate) answers: BTreeMap<String, Value>,
}

/// How the tasks of a superstep ended; `None` for those that were stopped.
type Ends<S> = Vec<Option<TaskEnd<S>>>;

impl<S: State, R: Send + Sync + 'static> Engine<S, R> {
    async fn load(
        graph: CompiledGraph<S, R>,
        input: Input<S>,
        run: Arc<R>,
        config: RunConfig,
        cancellation: CancellationToken,
        listener: Option<Listener<S>>,
    ) -> Result<Self, Error> {
        let CompiledGraph {
            plan,
            checkpointer,
            ids,
        } = graph;
        let mut store =
            checkpointer
                .zip(config.thread_id.clone())
                .map(|(checkpointer, thread_id)| Store {
                    checkpointer,
                    thread_id,
                    ids,
                    durability: config.durability,
                    timeout: config.checkpoint_timeout,
                    metadata: config.metadata,
                });
        let loaded = match &store {
            Some(store) => resume::load(store, config.checkpoint_id, &input).await,
            None => Ok(Held::NOTHING),
        };
        let held = match loaded {
            Ok(held) => held,
            Err(error) => {
                let warning = resume::start_fresh(error, &input, config.unreadable, &mut store)?;
                if let Some(listener) = &listener {
                    listener.send(StreamItem::Warning(warning)).await;
                }
                Held::NOTHING
            }
        };
        let checkpoint = held.checkpoint.as_ref();
        let stored = checkpoint.map(|checkpoint| checkpoint.id);
        let step = checkpoint.map_or(0, |checkpoint| checkpoint.step);
        let begun = resume::begin(&plan, &run, input, held, store.as_ref())?;
        let events = listener
            .as_ref()
            .filter(|listener| listener.modes.contains(StreamModes::CUSTOM))
            .map(|listener| {
                Arc::new(ChannelSink(listener.items.clone())) as Arc<dyn EventSink<S::Event>>
            });
        Ok(Self {
            saver: Saver::new(store, listener.clone(), stored),
            state: Arc::new(begun.state),
            tasks: begun.tasks,
            plan,
            run,
            step,
            recursion_limit: config.recursion_limit,
            thread_id: config.thread_id,
            cancellation,
            listener,
            events,
            is_new: begun.is_new,
        })
    }

    async fn supersteps(mut self) -> Result<Outcome<S>, Error> {
        let mut underway = if self.is_new {
            self.checkpoint().await
        } else {
            None
        };
        let mut taken = 0;
        while !self.tasks.is_empty()
            && !self.cancellation.is_cancelled()
            && taken < self.recursion_limit
        {
            taken += 1;
            let span = tracing::debug_span!(
                "graph.superstep",
                step = self.step,
                tasks = self.tasks.len()
            );
            let ends = self.execute(underway).instrument(span).await;
            match self.commands(ends) {
                Ok(commands) => underway = self.update(commands).await?,
                Err(ends) => return self.stop(ends).await,
            }
        }
        if let Some(underway) = underway {
            let saved = underway.await;
            self.saver.note(saved).await;
        }
        self.close(Ok(Vec::new())).await;
        if self.tasks.is_empty() {
            Ok(Outcome::Done(Arc::unwrap_or_clone(self.state)))
        } else if self.cancellation.is_cancelled() {
            Ok(Outcome::Cancelled {
                state: Arc::unwrap_or_clone(self.state),
            })
        } else {
            Err(Error::RecursionLimit {
                limit: self.recursion_limit,
            })
        }
    }

    /// Runs the tasks, beside a checkpoint that is still being stored.
    async fn execute(&mut self, underway: Option<Saving>) -> Ends<S> {
        match underway {
            None => self.run_tasks().await,
            Some(underway) => {
                let (saved, ends) = futures::join!(underway, self.run_tasks());
                self.saver.note(saved).await;
                ends
            }
        }
    }

    /// The commands of all tasks, when all of them are done.
    fn commands(&mut self, ends: Ends<S>) -> Result<Vec<Command<S>>, Ends<S>> {
        let done = |(task, end): (&Task<S>, &Option<TaskEnd<S>>)| {
            task.finished.is_some() || matches!(end, Some(TaskEnd::Done(_)))
        };
        if !self.tasks.iter().zip(&ends).all(done) {
            return Err(ends);
        }
        let commands = self
            .tasks
            .iter_mut()
            .zip(ends)
            .filter_map(|(task, end)| match end {
                Some(TaskEnd::Done(command)) => Some(command),
                _ => task.finished.take(),
            });
        Ok(commands.collect())
    }

    /// Applies the commands in order of task, and schedules what follows from the new state.
    async fn update(&mut self, mut commands: Vec<Command<S>>) -> Result<Option<Saving>, Error> {
        let updates_wanted = self.listening(StreamModes::UPDATES);
        // The tasks have ended and dropped their snapshots, so this clones only when a node or a
        // listener has kept one.
        let state = Arc::make_mut(&mut self.state);
        for (task, command) in self.tasks.iter().zip(&mut commands) {
            for update in command.updates.drain(..) {
                if let Some(listener) = &updates_wanted {
                    let node = Arc::clone(&self.plan.vertices[task.scheduled.vertex].path);
                    listener
                        .send(StreamItem::Update {
                            node,
                            update: update.clone(),
                        })
                        .await;
                }
                state.apply(update);
            }
        }
        self.step += 1;
        let mut scheduler = Scheduler::new(&self.plan, &self.state, &self.run);
        for (task, command) in self.tasks.iter().zip(commands) {
            scheduler.leave(task.scheduled.vertex, command.goto)?;
        }
        self.tasks = scheduler.finish().into_iter().map(Task::new).collect();
        if let Some(listener) = self.listening(StreamModes::VALUES) {
            listener
                .send(StreamItem::Values {
                    step: self.step,
                    state: Arc::clone(&self.state),
                })
                .await;
        }
        Ok(self.checkpoint().await)
    }

    /// Ends the run before its end: keeps what finished tasks did and what unfinished ones were
    /// answered.
    async fn stop(mut self, ends: Ends<S>) -> Result<Outcome<S>, Error> {
        let writes = if self.saver.is_active() {
            self.pending_writes(&ends)
        } else {
            Ok(Vec::new())
        };
        self.close(writes).await;
        let mut interrupts = Vec::new();
        let mut stopped = false;
        for (task, end) in self.tasks.iter().zip(ends) {
            match end {
                Some(TaskEnd::Failed { failure, attempts }) => {
                    let node = Arc::clone(&self.plan.vertices[task.scheduled.vertex].path);
                    return Err(Error::Node {
                        node,
                        step: self.step,
                        attempts,
                        source: failure,
                    });
                }
                Some(TaskEnd::Interrupted(interrupt)) => interrupts.push(interrupt),
                Some(TaskEnd::Done(_)) => {}
                None => stopped |= task.finished.is_none(),
            }
        }
        if stopped {
            return Ok(Outcome::Cancelled {
                state: Arc::unwrap_or_clone(self.state),
            });
        }
        if let Some(listener) = &self.listener {
            for interrupt in &interrupts {
                listener
                    .send(StreamItem::Interrupted(interrupt.clone()))
                    .await;
            }
        }
        Ok(Outcome::Interrupted {
            state: Arc::unwrap_or_clone(self.state),
            interrupts,
        })
    }

    fn pending_writes(&self, ends: &Ends<S>) -> Result<Vec<TaskWrite>, CheckpointError> {
        let mut writes = Vec::new();
        for (index, (task, end)) in self.tasks.iter().zip(ends).enumerate() {
            let answers = || task.answers.clone();
            let record = match end {
                Some(TaskEnd::Done(command)) => finished(command)?,
                Some(TaskEnd::Interrupted(interrupt)) => TaskRecord::Waiting {
                    interrupt: Some(interrupt.clone()),
                    answers: answers(),
                },
                // The store still has the question, and the answers that did fit.
                Some(TaskEnd::Failed {
                    failure: Failure::UnfitAnswer { .. },
                    ..
                }) => continue,
                Some(TaskEnd::Failed { .. }) | None if !task.answers.is_empty() => {
                    TaskRecord::Waiting {
                        interrupt: None,
                        answers: answers(),
                    }
                }
                Some(TaskEnd::Failed { .. }) | None => continue,
            };
            writes.push(TaskWrite {
                task: u32::try_from(index).unwrap_or(u32::MAX),
                record,
            });
        }
        Ok(writes)
    }

    /// The run has come to a new position; see [`Saver::advance`].
    async fn checkpoint(&mut self) -> Option<Saving> {
        if !self.saver.is_active() {
            return None;
        }
        let next = next_tasks(&self.plan, &self.tasks);
        self.saver
            .advance(Position {
                step: self.step,
                state: &*self.state,
                next,
            })
            .await
    }

    async fn close(&mut self, writes: Result<Vec<TaskWrite>, CheckpointError>) {
        if self.saver.is_active() {
            let next = next_tasks(&self.plan, &self.tasks);
            self.saver
                .close(
                    Position {
                        step: self.step,
                        state: &*self.state,
                        next,
                    },
                    writes,
                )
                .await;
        }
    }

    fn listening(&self, mode: StreamModes) -> Option<Listener<S>> {
        self.listener
            .clone()
            .filter(|listener| listener.modes.contains(mode))
    }
}

impl<S: State> Task<S> {
    pub(crate) fn new(scheduled: Scheduled) -> Self {
        Self {
            scheduled,
            finished: None,
            answers: BTreeMap::new(),
        }
    }
}

fn next_tasks<S: State, R>(plan: &Plan<S, R>, tasks: &[Task<S>]) -> Vec<NextTask> {
    let next = |task: &Task<S>| NextTask {
        node: Arc::clone(&plan.vertices[task.scheduled.vertex].path),
        input: task.scheduled.input.clone(),
    };
    tasks.iter().map(next).collect()
}

fn finished<S: State>(command: &Command<S>) -> Result<TaskRecord, CheckpointError> {
    let updates = command
        .updates
        .iter()
        .map(serde_json::to_value)
        .collect::<Result<_, _>>();
    let updates = updates.map_err(|source| CheckpointError::Serialize { source })?;
    Ok(TaskRecord::Finished {
        updates,
        goto: command.goto.clone(),
    })
}
