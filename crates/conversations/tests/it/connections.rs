//! The connections of the statements of turns.

use crate::harness::{answered, fence, turn, worker, world};

#[tokio::test]
async fn a_connection_is_kept_between_turns_and_does_not_keep_the_pool_from_closing() {
    let world = world().await;
    let pool = world.store.pool().clone();
    for text in ["one", "two"] {
        let (_, run) = world.start(worker(), &turn("chat", text)).await;
        world
            .store
            .finish(fence(&run), answered(text))
            .await
            .unwrap();
    }
    let size = usize::try_from(pool.size()).unwrap();
    assert!(pool.num_idle() < size, "{} of {size}", pool.num_idle());
    pool.close().await;
    assert_eq!(pool.size(), 0);
}
