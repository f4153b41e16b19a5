//! Several processes on shared threads, some of which die: nothing is lost, doubled or left
//! running.

use std::time::Duration;

use conversations::{Acceptance, Error, NewRun, Role, Run, RunStatus, Store, Worker};
use uuid::Uuid;

use crate::harness::{World, ada, answered, fence, turn, worker, world};

const THREADS: usize = 3;
const PROCESSES: usize = 4;
const TURNS: usize = 12;

/// Sends its turns one after the other, each queued if need be; every fourth run that it gets to
/// run it abandons, like a process that died, and continues as a new one.
async fn process(store: Store, number: usize) {
    let mut me = worker();
    let mut runs = 0;
    for count in 0..TURNS {
        let new = NewRun {
            enqueue: count % 3 != 0,
            ..turn(
                &format!("chat-{}", (number + count) % THREADS),
                &format!("{number}/{count}"),
            )
        };
        let next = match store.accept(&ada(), me, &new).await {
            Ok(Acceptance::Started { run, .. }) => Some(run),
            Ok(_) | Err(Error::Busy { .. }) => None,
            Err(error) => panic!("{error:?}"),
        };
        if let Some(run) = next {
            work(&store, &mut me, run, &mut runs).await;
        }
        for run in left_behind(&store, me, 1).await {
            work(&store, &mut me, run, &mut runs).await;
        }
    }
}

/// Takes the runs of workers that stopped, and of those that died.
async fn left_behind(store: &Store, me: Worker, limit: u32) -> Vec<Run> {
    let mut taken = store.take_over_released(me, limit).await.unwrap();
    taken.extend(store.take_over_expired(me, limit).await.unwrap());
    taken
}

/// Runs a run, and then those that waited for its thread.
async fn work(store: &Store, me: &mut Worker, run: Run, runs: &mut usize) {
    let thread = run.thread_id;
    let mut next = Some(run);
    while let Some(run) = next {
        *runs += 1;
        if runs.is_multiple_of(4) {
            store.release(me.id).await.unwrap();
            *me = worker();
            return;
        }
        let question = run.question.as_ref().unwrap();
        let answer = answered(&format!("re: {}", question.text));
        match store.finish(fence(&run), answer.clone()).await {
            Ok(_) | Err(Error::LostFence) => {}
            Err(error) => panic!("{error:?}"),
        }
        next = store.start_queued(*me, thread).await.unwrap();
    }
}

/// Lets one last process, which dies now and then too, do what the others left.
async fn drain(world: &World) {
    let mut me = worker();
    let mut runs = 0;
    loop {
        let taken = left_behind(&world.store, me, 9).await;
        let free = world.store.free_threads(Duration::ZERO, 9).await.unwrap();
        if taken.is_empty() && free.is_empty() {
            return;
        }
        for run in taken {
            work(&world.store, &mut me, run, &mut runs).await;
        }
        for thread in free {
            if let Some(run) = world.store.start_queued(me, thread).await.unwrap() {
                work(&world.store, &mut me, run, &mut runs).await;
            }
        }
    }
}

/// Every run of the store with its thread.
async fn all_runs(world: &World) -> Vec<(Uuid, RunStatus)> {
    sqlx::query_as("SELECT id, status FROM orchestrator.runs")
        .fetch_all(world.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_die_lose_and_double_nothing() {
    let world = world().await;
    let mut processes = tokio::task::JoinSet::new();
    for number in 0..PROCESSES {
        processes.spawn(process(world.store.clone(), number));
    }
    processes.join_all().await;
    drain(&world).await;

    let runs = all_runs(&world).await;
    assert!(runs.len() >= THREADS, "{runs:?}");
    assert!(
        runs.iter()
            .all(|(_, status)| *status == RunStatus::Completed),
        "{runs:?}"
    );
    let mut seen = 0;
    for number in 0..THREADS {
        let thread = world
            .store
            .thread(&ada(), &format!("chat-{number}"))
            .await
            .unwrap();
        let messages = world.messages(thread.id).await;
        // Question, answer, question, answer: no run came between another's two.
        for pair in messages.chunks(2) {
            assert_eq!(pair.len(), 2, "{messages:?}");
            assert_eq!((pair[0].role, pair[1].role), (Role::User, Role::Assistant));
            assert_eq!(pair[0].run_id, pair[1].run_id);
            assert_eq!(pair[1].text, format!("re: {}", pair[0].text));
        }
        seen += messages.len();
    }
    assert_eq!(seen, 2 * runs.len());
}
