use futures::FutureExt as _;

use super::*;

const BOUNDS: Bounds = Bounds {
    running: 4,
    running_per_tenant: 3,
    running_per_user: 2,
    waiting: 12,
    waiting_per_tenant: 6,
    waiting_per_user: 4,
    wait: Duration::from_mins(10),
};

fn asker(name: &str) -> Asker {
    let (tenant, user) = name.split_once('/').unwrap();
    Asker {
        tenant: tenant.to_owned(),
        user: user.to_owned(),
    }
}

/// Takes a turn that is there to be taken.
fn taken(queue: &Queue, name: &str) -> QueuePermit {
    queue.turn(&asker(name)).now_or_never().unwrap().unwrap()
}

/// Waits in a task; reports its name when it has its turn, and keeps that.
fn waits(
    queue: &Queue,
    name: &'static str,
    told: &tokio::sync::mpsc::UnboundedSender<(&'static str, QueuePermit)>,
) -> tokio::task::JoinHandle<()> {
    let (queue, told) = (queue.clone(), told.clone());
    tokio::spawn(async move {
        let turn = queue.turn(&asker(name)).await.unwrap();
        told.send((name, turn)).unwrap();
    })
}

/// Waits until this many wait.
async fn until_waiting(queue: &Queue, count: usize) {
    while queue.lock().waiting != count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn one_person_s_statements_leave_room_for_others() {
    let queue = Queue::new(BOUNDS);
    let _own = [taken(&queue, "a/ann"), taken(&queue, "a/ann")];
    assert!(queue.turn(&asker("a/ann")).now_or_never().is_none());
    // A colleague has what the tenant has left, another tenant what is left of all.
    let _colleague = taken(&queue, "a/bob");
    assert!(queue.turn(&asker("a/cem")).now_or_never().is_none());
    let _rival = taken(&queue, "b/ann");
    assert!(queue.turn(&asker("c/eve")).now_or_never().is_none());
    assert_eq!(queue.lock().waiting, 0, "who goes away leaves the queue");
}

#[tokio::test]
async fn turns_go_round_among_tenants_and_their_people() {
    let bounds = Bounds {
        running: 1,
        ..BOUNDS
    };
    let queue = Queue::new(bounds);
    let first = taken(&queue, "a/ann");
    let (told, mut turns) = tokio::sync::mpsc::unbounded_channel();
    // One person floods the queue; the others come later.
    let names = [
        "a/ann", "a/ann", "a/ann", "a/bob", "b/eve", "b/eve", "c/joe",
    ];
    let mut tasks = Vec::new();
    for (count, name) in (1..).zip(names) {
        tasks.push(waits(&queue, name, &told));
        until_waiting(&queue, count).await;
    }
    drop(first);
    let mut order = Vec::new();
    for _ in names {
        let (name, turn) = turns.recv().await.unwrap();
        order.push(name);
        drop(turn);
    }
    assert_eq!(
        order,
        [
            "a/ann", "b/eve", "c/joe", "a/bob", "b/eve", "a/ann", "a/ann"
        ]
    );
    let state = queue.lock();
    assert!(state.tenants.is_empty() && state.circle.is_empty());
    assert_eq!((state.running, state.waiting), (0, 0));
}

#[tokio::test]
async fn who_waits_is_bounded_and_told_whose_doing_it_is() {
    let queue = Queue::new(BOUNDS);
    let _running = [taken(&queue, "a/ann"), taken(&queue, "a/ann")];
    let (told, _turns) = tokio::sync::mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    for count in 1..=4 {
        tasks.push(waits(&queue, "a/ann", &told));
        until_waiting(&queue, count).await;
    }
    assert_eq!(queue.turn(&asker("a/ann")).await.unwrap_err(), Crowd::Own);
    let _more = [taken(&queue, "a/bob"), taken(&queue, "b/eve")];
    for count in 5..=6 {
        tasks.push(waits(&queue, "a/bob", &told));
        until_waiting(&queue, count).await;
    }
    assert_eq!(
        queue.turn(&asker("a/cem")).await.unwrap_err(),
        Crowd::Others
    );
    // The other tenant may still wait.
    tasks.push(waits(&queue, "b/eve", &told));
    until_waiting(&queue, 7).await;
    for task in tasks {
        task.abort();
        let _ = task.await;
    }
    assert_eq!(queue.lock().waiting, 0);
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let queue = Queue::new(Bounds {
        wait: Duration::from_millis(20),
        ..BOUNDS
    });
    let own = [taken(&queue, "a/ann"), taken(&queue, "a/ann")];
    assert_eq!(queue.turn(&asker("a/ann")).await.unwrap_err(), Crowd::Own);
    let _others = [taken(&queue, "b/eve"), taken(&queue, "b/joe")];
    assert_eq!(
        queue.turn(&asker("c/sue")).await.unwrap_err(),
        Crowd::Others
    );
    drop(own);
    drop(taken(&queue, "c/sue"));
    assert_eq!(queue.lock().waiting, 0);
}

#[test]
fn with_several_connections_nobody_has_all_of_them() {
    let mut config = TargetConfig::new("field", "postgres://u@h/d");
    let bounds = Bounds::of(&config);
    assert_eq!(
        (
            bounds.running,
            bounds.running_per_tenant,
            bounds.running_per_user
        ),
        (14, 10, 3)
    );
    (config.pool_size, config.max_overflow) = (2, 1);
    let bounds = Bounds::of(&config);
    assert_eq!(
        (
            bounds.running,
            bounds.running_per_tenant,
            bounds.running_per_user
        ),
        (2, 1, 1)
    );
    config.max_overflow = 0;
    config.pool_size = 1;
    assert_eq!(Bounds::of(&config).running, 1);
    // A tenant that has the target for itself may use it.
    config.pool_size = 15;
    config.tenants = vec!["demo".to_owned()];
    assert_eq!(Bounds::of(&config).running_per_tenant, 14);
}
