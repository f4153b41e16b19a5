//! The analyst's memory of a thread, as `GET /v1/threads/{thread_id}/state` returns it:
//! bounded, whatever the thread has seen.

use contracts::todo::{
    AskedClarification, MemoryEntry, QueryMetadata, TodoList, TodoListState, TodoTask,
};
use conversations::memory::{Newest, OpenQuestion, ThreadMemory};
use serde::Serialize;
use serde_json::{Value, json};

use crate::assistants::Remembered;

/// Maximum number of returned items of each kind.
pub(super) const NEWEST: Newest = Newest {
    lists: 10,
    entries: 50,
    queries: 20,
};

/// Maximum number of bytes of a task's result or parameters, of a query, and of a list's snapshot.
const MAX_PART_BYTES: usize = 8 * 1024;

/// In the words of the BI agent.
#[derive(Serialize)]
struct Values {
    active_todo_list: Option<TodoList>,
    current_task_key: Option<String>,
    todo_lists: Vec<TodoList>,
    entries: Vec<MemoryEntry>,
    query_metadata: Vec<QueryMetadata>,
    pending_clarification: Option<AskedClarification>,
    pending_approval: bool,
}

/// The public memory; `None` when it is empty.
pub(super) fn remembered(memory: ThreadMemory) -> Result<Option<Remembered>, serde_json::Error> {
    if memory == ThreadMemory::default() {
        return Ok(None);
    }
    let lists: Vec<TodoList> = memory.lists.into_iter().map(bounded_list).collect();
    let active = lists
        .iter()
        .find(|list| list.state == TodoListState::Active);
    let question = active.and_then(OpenQuestion::of);
    let asks = question.is_some();
    let pending_approval = question == Some(OpenQuestion::Approval);
    let values = Values {
        current_task_key: active.and_then(|list| list.current_task_key.clone()),
        active_todo_list: active.cloned(),
        pending_clarification: match question {
            Some(OpenQuestion::Clarification(asked)) => Some(asked),
            Some(OpenQuestion::Approval) | None => None,
        },
        pending_approval,
        todo_lists: lists,
        entries: memory.entries.into_iter().map(bounded_entry).collect(),
        query_metadata: memory.queries.into_iter().map(bounded_query).collect(),
    };
    Ok(Some(Remembered {
        values: serde_json::to_value(values)?,
        asks,
    }))
}

fn bounded_list(list: TodoList) -> TodoList {
    let tasks = list.tasks.into_iter().map(|(key, task)| {
        let task = TodoTask {
            params: bounded(task.params),
            result: task.result.map(bounded),
            ..task
        };
        (key, task)
    });
    TodoList {
        tasks: tasks.collect(),
        ..list
    }
}

fn bounded_entry(entry: MemoryEntry) -> MemoryEntry {
    let queries = entry.queries_executed.into_iter().map(bounded);
    MemoryEntry {
        queries_executed: queries.collect(),
        active_todo_list_snapshot: bounded(entry.active_todo_list_snapshot),
        ..entry
    }
}

fn bounded_query(mut query: QueryMetadata) -> QueryMetadata {
    query.query = bounded(query.query);
    query.how_to_retrieve.query = bounded(query.how_to_retrieve.query);
    query
}

/// The value, or how large it would be.
fn bounded(value: Value) -> Value {
    let bytes = value.to_string().len();
    if bytes > MAX_PART_BYTES {
        json!({ "omitted_bytes": bytes })
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_says_how_large() {
        let small = json!({ "a": 1 });
        assert_eq!(bounded(small.clone()), small);
        let large = json!("x".repeat(MAX_PART_BYTES));
        assert_eq!(
            bounded(large),
            json!({ "omitted_bytes": MAX_PART_BYTES + 2 })
        );
    }

    #[test]
    fn of_nothing_nothing_is_told() {
        assert_eq!(remembered(ThreadMemory::default()).unwrap(), None);
    }
}
