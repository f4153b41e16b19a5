//! How a run begins: from its input, from a thread's checkpoint, or from both.

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;

use crate::{
    Answers, Checkpoint, CheckpointError, CheckpointId, Command, Error, Input, Interrupt, NextTask,
    State, TaskRecord, Unreadable, Warning,
    compiled::{Kind, Plan, decode_state},
    engine::Task,
    saver::{Store, within},
    schedule::{Scheduled, Scheduler},
};

/// The start of a run.
pub(crate) struct Begun<S: State> {
    pub(crate) state: S,
    pub(crate) tasks: Vec<Task<S>>,
    /// Whether this is a position of its own rather than that of the checkpoint.
    pub(crate) is_new: bool,
}

/// The contents of the thread; empty when it does not exist.
pub(crate) struct Held<S> {
    pub(crate) checkpoint: Option<Checkpoint>,
    /// The checkpoint's state, for inputs that build on it.
    state: Option<S>,
}

impl<S> Held<S> {
    pub(crate) const NOTHING: Self = Self {
        checkpoint: None,
        state: None,
    };
}

/// The checkpoint to begin from; one that was asked for by id has to exist.
pub(crate) async fn load<S: State>(
    store: &Store,
    id: Option<CheckpointId>,
    input: &Input<S>,
) -> Result<Held<S>, Error> {
    let thread_id = || Arc::clone(&store.thread_id);
    let load_error = |source| Error::Load {
        thread_id: thread_id(),
        source,
    };
    let loaded = within(store.timeout, store.checkpointer.get(&store.thread_id, id)).await;
    let Some(checkpoint) = loaded.map_err(load_error)? else {
        return match id {
            None => Ok(Held::NOTHING),
            Some(_) => Err(Error::UnknownCheckpoint {
                thread_id: thread_id(),
            }),
        };
    };
    let state = match input {
        Input::State(_) => None,
        Input::Update { .. } | Input::Resume(_) | Input::ResumeWith { .. } | Input::Continue => {
            Some(decode_state(&checkpoint).map_err(load_error)?)
        }
    };
    Ok(Held {
        checkpoint: Some(checkpoint),
        state,
    })
}

/// The run can do without what the thread holds, and is to: takes the store away unless what is
/// stored from now on makes the thread readable again. Any other error is passed on.
pub(crate) fn start_fresh<S: State>(
    error: Error,
    input: &Input<S>,
    unreadable: Unreadable,
    store: &mut Option<Store>,
) -> Result<Warning, Error> {
    let is_new = matches!(input, Input::State(_) | Input::Update { .. });
    match error {
        Error::Load { thread_id, source } if is_new && unreadable == Unreadable::StartFresh => {
            let error = &source as &dyn std::error::Error;
            if matches!(source, CheckpointError::Corrupt { .. }) {
                tracing::error!(%thread_id, error, "a thread is unreadable; it begins anew");
            } else {
                tracing::warn!(%thread_id, error, "a thread could not be loaded; the run does without");
                *store = None;
            }
            Ok(Warning::CheckpointNotLoaded { error: source })
        }
        error => Err(error),
    }
}

pub(crate) fn begin<S: State, R>(
    plan: &Plan<S, R>,
    run: &R,
    input: Input<S>,
    held: Held<S>,
    store: Option<&Store>,
) -> Result<Begun<S>, Error> {
    let load_error = |source: CheckpointError| Error::Load {
        thread_id: store.map_or_else(|| "".into(), |store| Arc::clone(&store.thread_id)),
        source,
    };
    match input {
        Input::State(state) => from_start(plan, run, state),
        Input::Update { initial, updates } => {
            let mut state = held.state.unwrap_or(initial);
            for update in updates {
                state.apply(update);
            }
            from_start(plan, run, state)
        }
        Input::Continue => {
            let (checkpoint, state) = required(held, store)?;
            let tasks = unfinished_tasks(plan, &checkpoint, load_error)?;
            Ok(Begun {
                state,
                tasks,
                is_new: false,
            })
        }
        Input::Resume(answers) => resumed(plan, held, store, answers, load_error),
        Input::ResumeWith { answers, updates } => {
            let mut begun = resumed(plan, held, store, answers, load_error)?;
            for update in updates {
                begun.state.apply(update);
            }
            Ok(begun)
        }
    }
}

fn resumed<S: State, R>(
    plan: &Plan<S, R>,
    held: Held<S>,
    store: Option<&Store>,
    answers: Answers,
    load_error: impl Fn(CheckpointError) -> Error,
) -> Result<Begun<S>, Error> {
    let (checkpoint, state) = required(held, store)?;
    let mut tasks = unfinished_tasks(plan, &checkpoint, load_error)?;
    give_answers(&mut tasks, &checkpoint, answers)?;
    Ok(Begun {
        state,
        tasks,
        is_new: false,
    })
}

fn from_start<S: State, R>(plan: &Plan<S, R>, run: &R, state: S) -> Result<Begun<S>, Error> {
    let mut scheduler = Scheduler::new(plan, &state, run);
    scheduler.start()?;
    let tasks = scheduler.finish().into_iter().map(Task::new).collect();
    Ok(Begun {
        state,
        tasks,
        is_new: true,
    })
}

fn required<S>(held: Held<S>, store: Option<&Store>) -> Result<(Checkpoint, S), Error> {
    let store = store.ok_or(Error::NoCheckpointer)?;
    let held = held.checkpoint.zip(held.state);
    held.ok_or_else(|| Error::UnknownCheckpoint {
        thread_id: Arc::clone(&store.thread_id),
    })
}

fn unfinished_tasks<S: State, R>(
    plan: &Plan<S, R>,
    checkpoint: &Checkpoint,
    load_error: impl Fn(CheckpointError) -> Error,
) -> Result<Vec<Task<S>>, Error> {
    let mut tasks = checkpoint
        .next
        .iter()
        .map(|next| scheduled(plan, next))
        .collect::<Result<Vec<_>, _>>()?;
    for write in &checkpoint.writes {
        let Some(task) = tasks.get_mut(write.task as usize) else {
            continue;
        };
        match &write.record {
            TaskRecord::Waiting { answers, .. } => task.answers.clone_from(answers),
            TaskRecord::Finished { updates, goto } => {
                let updates = updates
                    .iter()
                    .map(S::Update::deserialize)
                    .collect::<Result<_, _>>();
                let updates = updates.map_err(|error| {
                    load_error(CheckpointError::corrupt(
                        format!("the pending writes of {}", checkpoint.id),
                        error,
                    ))
                })?;
                task.finished = Some(Command {
                    updates,
                    goto: goto.clone(),
                });
            }
        }
    }
    Ok(tasks)
}

fn scheduled<S: State, R>(plan: &Plan<S, R>, next: &NextTask) -> Result<Task<S>, Error> {
    let is_it = |vertex: &crate::compiled::Vertex<S, R>| {
        vertex.path == next.node && matches!(vertex.kind, Kind::Node(_))
    };
    match plan.vertices.iter().position(is_it) {
        Some(vertex) => Ok(Task::new(Scheduled {
            vertex,
            input: next.input.clone(),
        })),
        None => Err(Error::UnknownNode {
            node: Arc::clone(&next.node),
        }),
    }
}

fn give_answers<S: State>(
    tasks: &mut [Task<S>],
    checkpoint: &Checkpoint,
    answers: Answers,
) -> Result<(), Error> {
    let waiting = checkpoint
        .writes
        .iter()
        .filter_map(|write| match &write.record {
            TaskRecord::Waiting {
                interrupt: Some(interrupt),
                ..
            } => Some((&*interrupt.id, (write.task, interrupt))),
            _ => None,
        });
    let open: BTreeMap<&str, (u32, &Interrupt)> = waiting.collect();
    let Answers { only, mut by_id } = answers;
    if open.is_empty() {
        return Err(Error::NothingToResume);
    }
    if let Some(only) = only {
        let mut ids = open.keys();
        match (ids.next(), ids.next()) {
            (Some(&id), None) => drop(by_id.insert(id.to_owned(), only)),
            _ => return Err(Error::AmbiguousAnswer { open: open.len() }),
        }
    }
    for (id, answer) in by_id {
        let Some((task, interrupt)) = open.get(&*id) else {
            return Err(Error::UnknownInterrupt { id });
        };
        if let Some(task) = tasks.get_mut(*task as usize) {
            task.answers.insert(interrupt.key.clone(), answer);
        }
    }
    Ok(())
}
