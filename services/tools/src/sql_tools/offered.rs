//! Questions that a person can begin with: those that a target answers for sure.

use std::collections::HashSet;

use service_kit::identity::Identity;
use sqlx::PgPool;
use targets::Target;

/// Questions of which more than this many are looked at for one that is offered: some may not be the tenant's any more.
const LOOKED_AT: usize = 3;

/// Confirmed questions of the caller's tenant, the newest first, then those that come with the target, as far as the target answers
/// them today. A target or a database that is away offers none.
pub(crate) async fn questions(
    pool: &PgPool,
    caller: &Identity,
    target: &Target,
    most: usize,
) -> Vec<String> {
    let Ok(catalogue) = target.catalogue().await else {
        return Vec::new();
    };
    let kept = confirmed(pool, caller, target.name(), most).await;
    let kept = kept.unwrap_or_else(|error| {
        tracing::warn!(%error, "the confirmed questions cannot be read");
        Vec::new()
    });
    let shipped = catalogue.questions.iter();
    let shipped = shipped.map(|one| (one.question.clone(), one.sql.clone()));
    let mut seen = HashSet::new();
    let mut offered = Vec::new();
    for (question, sql) in kept.into_iter().chain(shipped).take(most * LOOKED_AT) {
        if offered.len() == most {
            break;
        }
        let answers = target.check(&sql, &caller.tenant, 1).await;
        if matches!(answers, Ok(Ok(_))) && seen.insert(question.to_lowercase()) {
            offered.push(question);
        }
    }
    offered
}

async fn confirmed(
    pool: &PgPool,
    caller: &Identity,
    target: &str,
    most: usize,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    sqlx::query_as(include_str!("../../queries/sql_questions_offered.sql"))
        .bind(&caller.tenant)
        .bind(target)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await
}
