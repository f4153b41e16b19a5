//! The schema comes up to date on its own.

use test_support::database::TestDatabase;

#[tokio::test]
async fn processes_that_start_at_once_make_the_schema_once() {
    let database = TestDatabase::empty().await.unwrap();
    assert!(
        !conversations::is_migrated(database.pool())
            .await
            .unwrap_or(false)
    );
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let pool = database.pool().clone();
        tasks.spawn(async move { conversations::migrate(&pool).await.unwrap() });
    }
    tasks.join_all().await;
    assert!(conversations::is_migrated(database.pool()).await.unwrap());
}
