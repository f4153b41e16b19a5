//! Assistants, threads, states and runs in the form of the `LangGraph` server.

use contracts::assistants::AssistantDescription;
use contracts::threads::{MessageRole, Run, RunStatus, StoredMessage, Thread, ThreadStatus};
use serde_json::{Value, json};

use super::messages::{of_stored, open_question, values};

/// When assistants were made: with the program.
const MADE: &str = "2026-01-01T00:00:00Z";

/// An assistant; its graph has the same name.
pub fn assistant(described: &AssistantDescription) -> Value {
    json!({
        "assistant_id": described.id, "graph_id": described.id, "name": described.title, "description": described.description,
        "config": {}, "context": {}, "metadata": { "created_by": "system" }, "version": 1, "created_at": MADE, "updated_at": MADE,
    })
}

/// The graph of an assistant, as far as it is shown: one node.
pub fn assistant_graph(name: &str) -> Value {
    json!({
        "nodes": [{ "id": "__start__", "type": "schema", "data": "__start__" }, { "id": name, "type": "runnable", "data": { "id": ["heliograph", name], "name": name } }, { "id": "__end__", "type": "schema", "data": "__end__" }],
        "edges": [{ "source": "__start__", "target": name }, { "source": name, "target": "__end__" }],
    })
}

/// The schemas of an assistant's state.
pub fn assistant_schemas(name: &str) -> Value {
    let message = json!({ "type": "object", "properties": { "type": { "type": "string" }, "content": {}, "id": { "type": ["string", "null"] } }, "required": ["type", "content"] });
    let state = json!({ "title": "State", "type": "object", "properties": { "messages": { "type": "array", "items": message } }, "required": ["messages"] });
    let options = json!({ "type": "object", "properties": { "model": { "type": "string" }, "temperature": { "type": "number", "minimum": 0, "maximum": 1 }, "max_tokens": { "type": "integer", "minimum": 1 } } });
    json!({
        "graph_id": name, "input_schema": state, "output_schema": state, "state_schema": state, "config_schema": options,
        "context_schema": { "type": "object" },
    })
}

/// A thread, with its state where that is known.
pub fn thread(thread: &Thread, state: Option<&Value>) -> Value {
    let mut metadata = thread.metadata.clone();
    metadata.insert("graph_id".into(), json!(thread.assistant));
    metadata.insert("assistant_id".into(), json!(thread.assistant));
    if let Some(title) = &thread.title {
        metadata.insert("title".into(), json!(title));
    }
    let status = match thread.status {
        ThreadStatus::Idle => "idle",
        ThreadStatus::Busy => "busy",
        ThreadStatus::Interrupted => "interrupted",
    };
    json!({
        "thread_id": thread.thread_id, "created_at": thread.created_at, "updated_at": thread.last_updated,
        "state_updated_at": thread.last_updated, "metadata": metadata, "config": {}, "status": status,
        "values": state.map(|state| &state["values"]), "interrupts": state.map_or_else(|| json!({}), interrupts),
    })
}

/// A run.
pub fn run(run: &Run) -> Value {
    let status = match run.status {
        RunStatus::Queued => "pending",
        RunStatus::Running => "running",
        RunStatus::Completed => "success",
        RunStatus::Failed => "error",
        RunStatus::Cancelled | RunStatus::Interrupted => "interrupted",
    };
    json!({
        "run_id": run.run_id, "thread_id": run.thread_id, "assistant_id": run.assistant, "created_at": run.created_at,
        "updated_at": run.ended_at.or(run.started_at).unwrap_or(run.created_at), "status": status,
        "metadata": { "assistant_id": run.assistant, "graph_id": run.assistant }, "kwargs": {}, "multitask_strategy": "enqueue",
    })
}

/// A place in a thread: after which message.
pub type Checkpoint = String;

/// The state of a thread after a message, or the newest: `None` when there is no such message.
pub fn state(thread: &Thread, messages: &[StoredMessage], after: Option<&str>) -> Option<Value> {
    let end = match after {
        None => messages.len(),
        Some(id) => {
            1 + messages
                .iter()
                .position(|message| message.message_id == id)?
        }
    };
    let seen = &messages[..end];
    let newest = end == messages.len();
    let last = seen.last();
    let (open, then) = last.and_then(|last| open_question(last, !newest)).unzip();
    let said: Vec<Value> = match (&then, seen.split_last()) {
        (Some(then), Some((_, before))) => {
            before.iter().chain([then]).flat_map(of_stored).collect()
        }
        _ => seen.iter().flat_map(of_stored).collect(),
    };
    let checkpoint = |id: Option<&str>| {
        id.map(|id| json!({ "thread_id": thread.thread_id, "checkpoint_ns": "", "checkpoint_id": id, "checkpoint_map": null }))
    };
    let place = json!({ "thread_id": thread.thread_id, "checkpoint_ns": "", "checkpoint_id": last.map(|last| &last.message_id), "checkpoint_map": null });
    let before = seen.len().checked_sub(2).and_then(|index| seen.get(index));
    let waits = newest && thread.status != ThreadStatus::Idle;
    let asked: Vec<Value> = open.iter().map(super::Interrupt::shown).collect();
    let next = if waits || open.is_some() {
        vec![thread.assistant.clone()]
    } else {
        Vec::new()
    };
    let tasks: Vec<Value> = next
        .iter()
        .map(|name| json!({ "id": last.map(|last| &last.message_id), "name": name, "interrupts": asked, "error": null, "path": ["__pregel_pull", name], "checkpoint": null, "state": null, "result": null }))
        .collect();
    let step = i64::try_from(end).unwrap_or(i64::MAX) - 1;
    Some(json!({
        "values": values(&said), "next": next, "tasks": tasks, "interrupts": asked, "checkpoint": place,
        "parent_checkpoint": checkpoint(before.map(|before| before.message_id.as_str())),
        "metadata": { "source": "loop", "step": step, "run_id": last.and_then(|last| last.run_id.clone()), "thread_id": thread.thread_id },
        "created_at": last.map_or(thread.created_at, |last| last.created_at),
    }))
}

/// The states after each answer, the newest first, before a place.
pub fn history(
    thread: &Thread,
    messages: &[StoredMessage],
    before: Option<&str>,
    limit: usize,
) -> Vec<Value> {
    let end = before
        .and_then(|id| messages.iter().position(|message| message.message_id == id))
        .unwrap_or(messages.len());
    let newest = messages[..end].iter().rev();
    newest
        .filter(|message| message.role == MessageRole::Assistant)
        .take(limit)
        .filter_map(|message| state(thread, messages, Some(&message.message_id)))
        .collect()
}

fn interrupts(state: &Value) -> Value {
    let mut interrupts = serde_json::Map::new();
    for task in state["tasks"].as_array().into_iter().flatten() {
        if task["interrupts"]
            .as_array()
            .is_some_and(|asked| !asked.is_empty())
        {
            let id = task["id"].as_str().unwrap_or_default();
            interrupts.insert(id.to_owned(), task["interrupts"].clone());
        }
    }
    Value::Object(interrupts)
}
