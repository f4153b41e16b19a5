//! The analyst's memory: whole or not at all, for its owner, as long as the thread exists.

use agent_analyst::{CachedRows, NewQuery, Record};
use analyst_memory::{MAX_ROWS_BYTES, Newest, OpenQuestion, ThreadMemory};
use chrono::{DateTime, Utc};
use contracts::todo::{
    AskedClarification, EntryStatus, MemoryEntry, QueryMetadata, QueryStrategy, TaskStatus,
    TodoList, TodoListState, TodoTask,
};
use contracts::tools::clarification::{Clarification, ClarificationPart};
use contracts::tools::search::{HowToRetrieve, QueryType, ResultColumn};
use conversations::{Deletion, Error, Run};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::harness::{World, ada, answered, fence, strangers, turn, worker, world};

const MANY: Newest = Newest {
    lists: 99,
    entries: 99,
    queries: 99,
};

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_736_942_400, 0).unwrap()
}

fn task(status: TaskStatus) -> TodoTask {
    TodoTask {
        description: "Do it".into(),
        tool: "es_executor".into(),
        params: Value::Null,
        can_clarify: true,
        status,
        result: Some(json!({ "b": 1, "a": 2 })),
        attempts: 1,
        clarifications: Vec::new(),
    }
}

/// Two tasks whose keys are not in the order of the alphabet.
fn list(id: &str, state: TodoListState) -> TodoList {
    TodoList {
        id: id.into(),
        state,
        tasks: IndexMap::from([
            ("resolve".to_owned(), task(TaskStatus::Complete)),
            ("map".to_owned(), task(TaskStatus::Pending)),
        ]),
        current_task_key: Some("map".into()),
        completed_tasks: 1,
        total_tasks: 2,
        created_at_turn: 1,
        run_id: "r".into(),
        query_strategy: QueryStrategy::Elasticsearch,
        strategy_reason: "Many records.".into(),
        original_request: "show".into(),
        rewritten_request: "Show all.".into(),
        approved: None,
    }
}

fn entry(turn: u32, key: &str) -> MemoryEntry {
    MemoryEntry {
        turn_id: 0,
        turn,
        list_id: "l1".into(),
        todo_key: key.into(),
        todo_description: "Do it".into(),
        status: EntryStatus::Complete,
        user_input: "show".into(),
        agent_action: "Done\0.".into(),
        tools_called: vec!["es_executor".into()],
        queries_executed: Vec::new(),
        query_metadata: None,
        clarification_asked: None,
        active_todo_list_snapshot: json!({ "tasks": { "z": 1, "a": 2 } }),
        intent_detected: "new_request".into(),
        rewritten_question: None,
        run_id: "r".into(),
        started_at: noon(),
        completed_at: noon(),
        tokens_used: 7,
    }
}

fn metadata() -> QueryMetadata {
    let query = json!({ "size": 10, "query": { "match_all": {} } });
    QueryMetadata {
        turn_id: 0,
        query_type: QueryType::Elasticsearch,
        data_source: "shipping".into(),
        query: query.clone(),
        query_structure: None,
        request: "Show all.".into(),
        summary: "2 shipments found".into(),
        how_to_retrieve: HowToRetrieve {
            text: "shipments".into(),
            source: "shipping".into(),
            query_type: QueryType::Elasticsearch,
            index: Some("shipments".into()),
            query,
        },
        record_count: 2,
        executed_at: noon(),
    }
}

fn rows(text: &str) -> CachedRows {
    let row: Map<String, Value> = [("id".to_owned(), json!(text))].into_iter().collect();
    CachedRows {
        columns: vec![ResultColumn {
            name: "id".into(),
            label: "Id".into(),
            field_type: None,
            unit: None,
        }],
        rows: vec![row],
        complete: true,
        fetched_at: noon(),
    }
}

pub(crate) fn attempt(turn: u32, key: &str) -> Record {
    Record {
        lists: vec![list("l1", TodoListState::Active)],
        entry: Some(entry(turn, key)),
        query: None,
    }
}

fn executed(turn: u32, rows: Option<CachedRows>) -> Record {
    Record {
        query: Some(NewQuery {
            metadata: metadata(),
            rows,
        }),
        ..attempt(turn, "execute_es")
    }
}

impl World {
    async fn end(&self, run: &Run) {
        let finish = answered("done");
        self.threads.finish(fence(run), finish).await.unwrap();
    }

    async fn all(&self, thread_id: Uuid) -> ThreadMemory {
        self.store.memory(&ada(), thread_id, MANY).await.unwrap()
    }

    async fn count(&self, table: &str) -> i64 {
        // The names come from this file.
        let count = format!("SELECT count(*) FROM orchestrator.{table}");
        sqlx::query_scalar(AssertSqlSafe(count))
            .fetch_one(self.pool())
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn a_turn_begins_with_what_earlier_ones_recorded() {
    let world = world().await;
    let store = &world.store;
    for number in 1..=4 {
        let (_, run) = world.start(worker(), &turn("chat", "show")).await;
        let known = store.recall(fence(&run), 2).await.unwrap();
        assert_eq!(known.turn, number);
        let seen: Vec<_> = known.entries.iter().map(|entry| entry.turn_id).collect();
        // Those of two user inputs, two of each.
        let expected: &[u32] = match number {
            1 => &[],
            2 => &[1, 2],
            3 => &[1, 2, 3, 4],
            _ => &[3, 4, 5, 6],
        };
        assert_eq!(seen, expected);
        let query = if number == 1 {
            executed(number, None)
        } else {
            attempt(number, "execute_es")
        };
        let first = store.record(fence(&run), &attempt(number, "map")).await;
        assert_eq!(first.unwrap(), 2 * number - 1);
        assert_eq!(store.record(fence(&run), &query).await.unwrap(), 2 * number);

        let again = store.recall(fence(&run), 0).await.unwrap();
        assert_eq!(
            again.turn, number,
            "a run that begins again is the same turn"
        );
        assert_eq!(again.entries.len(), 2, "and finds what it did");
        assert_eq!(again.active, Some(list("l1", TodoListState::Active)));
        let keys: Vec<_> = again.active.unwrap().tasks.into_keys().collect();
        assert_eq!(keys, ["resolve", "map"]);
        assert_eq!(again.newest_query.unwrap().turn_id, 2);
        world.end(&run).await;
    }
}

#[tokio::test]
async fn what_can_not_be_stored_of_a_text_does_not_cost_the_entry() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let record = executed(1, None);
    world.store.record(fence(&run), &record).await.unwrap();
    let kept = world.all(thread.id).await.entries.remove(0);
    let expected = MemoryEntry {
        turn_id: 1,
        query_metadata: Some(1),
        agent_action: "Done\u{fffd}.".into(),
        ..entry(1, "execute_es")
    };
    assert_eq!(kept, expected);
    assert_eq!(
        kept.active_todo_list_snapshot.to_string(),
        r#"{"tasks":{"z":1,"a":2}}"#
    );
}

#[tokio::test]
async fn records_at_once_get_numbers_of_their_own() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, fence) = (world.store.clone(), fence(&run));
        tasks.spawn(async move { store.record(fence, &executed(1, None)).await.unwrap() });
    }
    let mut numbers = tasks.join_all().await;
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    let kept = world.all(thread.id).await;
    let kept: Vec<_> = kept.entries.iter().map(|entry| entry.turn_id).collect();
    assert_eq!(kept, numbers);
}

#[tokio::test]
async fn who_lost_the_run_remembers_nothing() {
    let world = world().await;
    let store = &world.store;
    let me = worker();
    let (thread, run) = world.start(me, &turn("chat", "show")).await;
    store.record(fence(&run), &attempt(1, "map")).await.unwrap();
    world.kill(me).await;
    let mut taken = world.threads.take_over_expired(worker(), 9).await.unwrap();
    let taken = taken.remove(0);

    let late = store.record(fence(&run), &attempt(1, "map")).await;
    assert!(matches!(late, Err(Error::LostFence)), "{late:?}");
    let late = store.recall(fence(&run), 3).await;
    assert!(matches!(late, Err(Error::LostFence)), "{late:?}");
    let known = store.recall(fence(&taken), 3).await.unwrap();
    assert_eq!((known.turn, known.entries.len()), (1, 1));
    let next = store.record(fence(&taken), &attempt(1, "map")).await;
    assert_eq!(next.unwrap(), 2);

    world.end(&taken).await;
    let late = store.record(fence(&taken), &attempt(1, "map")).await;
    assert!(matches!(late, Err(Error::LostFence)), "{late:?}");
    assert_eq!(world.all(thread.id).await.entries.len(), 2);
}

#[tokio::test]
async fn a_list_takes_the_place_of_another_in_one_record() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let store = &world.store;
    store.record(fence(&run), &attempt(1, "map")).await.unwrap();
    let change = Record {
        // The new one stands first: that the old one makes room is not for the caller to arrange.
        lists: vec![
            list("l2", TodoListState::Active),
            list("l1", TodoListState::Superseded),
        ],
        ..Record::default()
    };
    assert_eq!(store.record(fence(&run), &change).await.unwrap(), 0);
    let lists = world.all(thread.id).await.lists;
    assert_eq!(
        lists,
        [
            list("l2", TodoListState::Active),
            list("l1", TodoListState::Superseded)
        ]
    );
}

#[tokio::test]
async fn nothing_of_a_record_that_fails_is_kept() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let store = &world.store;
    store.record(fence(&run), &attempt(1, "map")).await.unwrap();
    let before = world.all(thread.id).await;

    let two_active = Record {
        lists: vec![
            list("l1", TodoListState::Active),
            list("l2", TodoListState::Active),
        ],
        ..executed(1, Some(rows("1")))
    };
    let failed = store.record(fence(&run), &two_active).await;
    assert!(matches!(failed, Err(Error::Database(_))), "{failed:?}");
    let homeless = Record {
        entry: None,
        ..executed(1, None)
    };
    let failed = store.record(fence(&run), &homeless).await;
    assert!(matches!(failed, Err(Error::Invalid(_))), "{failed:?}");
    assert_eq!(world.all(thread.id).await, before);
    assert_eq!(world.count("query_metadata").await, 0);

    let next = store.record(fence(&run), &attempt(1, "map")).await;
    assert_eq!(next.unwrap(), 2, "a number that was not used is not lost");
}

#[tokio::test]
async fn queries_are_had_again_by_their_number_with_rows_that_are_few_enough() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let store = &world.store;
    let large = "x".repeat(MAX_ROWS_BYTES);
    for rows in [Some(rows("1")), Some(rows(&large)), None] {
        let record = executed(1, rows);
        store.record(fence(&run), &record).await.unwrap();
    }
    let query = async |turn_id| store.remembered_query(thread.id, turn_id).await.unwrap();
    let first = query(Some(1)).await.unwrap();
    let expected = QueryMetadata {
        turn_id: 1,
        ..metadata()
    };
    assert_eq!(first.metadata, expected);
    assert_eq!(first.rows, Some(rows("1")));
    assert_eq!(query(Some(2)).await.unwrap().rows, None);
    assert_eq!(query(None).await.unwrap().metadata.turn_id, 3);
    assert_eq!(query(Some(4)).await, None);
    let (elsewhere, _) = world.start(worker(), &turn("other", "show")).await;
    let other = store.remembered_query(elsewhere.id, Some(1)).await;
    assert_eq!(other.unwrap(), None);
}

#[tokio::test]
async fn the_newest_of_a_thread_is_for_its_owner() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let store = &world.store;
    for number in 0..3 {
        let state = if number == 2 {
            TodoListState::Active
        } else {
            TodoListState::Complete
        };
        let record = Record {
            lists: vec![list(&format!("l{number}"), state)],
            ..executed(1, Some(rows("1")))
        };
        store.record(fence(&run), &record).await.unwrap();
    }
    let newest = Newest {
        lists: 2,
        entries: 2,
        queries: 1,
    };
    let told = store.memory(&ada(), thread.id, newest).await.unwrap();
    let lists: Vec<_> = told.lists.iter().map(|list| list.id.as_str()).collect();
    let entries: Vec<_> = told.entries.iter().map(|entry| entry.turn_id).collect();
    let queries: Vec<_> = told.queries.iter().map(|query| query.turn_id).collect();
    assert_eq!(lists, ["l2", "l1"]);
    assert_eq!((entries, queries), (vec![2, 3], vec![3]));
    for stranger in &strangers() {
        let told = store.memory(stranger, thread.id, MANY).await.unwrap();
        assert_eq!(told, ThreadMemory::default());
    }
}

#[tokio::test]
async fn a_question_is_open_until_it_is_answered() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let store = &world.store;
    let open = async |owner| store.open_question(&owner, thread.id).await.unwrap();
    assert_eq!(open(ada()).await, None);

    let mut asking = list("l1", TodoListState::Active);
    let mut asked = AskedClarification {
        id: "q1".into(),
        clarification: Clarification {
            question: "Which Miami?".into(),
            parts: vec![ClarificationPart {
                about: "entity:Miami".into(),
                mention: "Miami".into(),
                options: Vec::new(),
            }],
        },
        answers: Vec::new(),
        answered_at: None,
    };
    let put = async |list: &TodoList| {
        let record = Record {
            lists: vec![list.clone()],
            ..Record::default()
        };
        store.record(fence(&run), &record).await.unwrap();
    };
    let task = &mut asking.tasks["map"];
    task.status = TaskStatus::ClarificationNeeded;
    task.clarifications.push(asked.clone());
    put(&asking).await;
    let expected = Some(OpenQuestion::Clarification(asked.clone()));
    assert_eq!(open(ada()).await, expected);
    for stranger in strangers() {
        assert_eq!(open(stranger).await, None);
    }

    asked.answered_at = Some(noon());
    asking.tasks["map"].clarifications = vec![asked];
    asking.approved = Some(false);
    put(&asking).await;
    assert_eq!(open(ada()).await, Some(OpenQuestion::Approval));
    asking.approved = Some(true);
    put(&asking).await;
    assert_eq!(open(ada()).await, None);
    asking.approved = Some(false);
    asking.state = TodoListState::Aborted;
    put(&asking).await;
    assert_eq!(open(ada()).await, None);
}

#[tokio::test]
async fn a_copied_thread_remembers_the_same() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "show")).await;
    let record = executed(1, Some(rows("1")));
    world.store.record(fence(&run), &record).await.unwrap();
    world.end(&run).await;
    let (owner, id) = (ada(), Uuid::now_v7());
    let copy = world.threads.copy_thread(&owner, "chat", id).await.unwrap();
    assert_eq!(copy.source, thread.id);
    world.store.copy(thread.id, copy.thread.id).await.unwrap();
    let remembered = world.all(thread.id).await;
    assert_ne!(remembered, ThreadMemory::default());
    assert_eq!(world.all(copy.thread.id).await, remembered);
    let kept = async |thread| world.store.remembered_query(thread, None).await.unwrap();
    assert_eq!(kept(copy.thread.id).await, kept(thread.id).await);

    // The next attempt in the copy is the next of its own.
    let again = turn(&copy.thread.name, "again");
    let (_, run) = world.start(worker(), &again).await;
    let record = executed(2, Some(rows("2")));
    let turn_id = world.store.record(fence(&run), &record).await.unwrap();
    assert_eq!(turn_id, 2);
    assert_eq!(world.all(thread.id).await, remembered);
}

#[tokio::test]
async fn what_is_remembered_goes_with_its_thread() {
    let world = world().await;
    let mut threads = Vec::new();
    for name in ["chat", "stays"] {
        let (thread, run) = world.start(worker(), &turn(name, "show")).await;
        let record = executed(1, Some(rows("1")));
        world.store.record(fence(&run), &record).await.unwrap();
        world.end(&run).await;
        threads.push(thread);
    }
    let deleted = world.threads.delete_thread(&ada(), "chat").await.unwrap();
    assert_eq!(deleted, Deletion::Deleted(threads[0].id));
    for table in ["todo_lists", "memory_entries", "query_metadata"] {
        assert_eq!(world.count(table).await, 1, "{table}");
    }
    assert_eq!(world.all(threads[1].id).await.entries.len(), 1);
}
