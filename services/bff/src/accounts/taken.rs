//! Names that are in use, or are seen as one that is.

use contracts::names::look_alike;
use sqlx::PgConnection;

/// Whether a new account can have a name. Until the end of the transaction, no other account is
/// created.
pub(crate) async fn is_free(
    connection: &mut PgConnection,
    username: &str,
) -> Result<bool, sqlx::Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('names of accounts', 0))::text")
        .fetch_one(&mut *connection)
        .await?;
    let names = sqlx::query_scalar!("SELECT username FROM bff.accounts")
        .fetch_all(connection)
        .await?;
    Ok(!names.iter().any(|name| look_alike(name, username)))
}

/// The tenant that another one, which is not there, would be taken for.
pub(crate) async fn tenant_like(
    connection: &mut PgConnection,
    tenant: &str,
) -> Result<Option<String>, sqlx::Error> {
    let tenants = sqlx::query_scalar!("SELECT DISTINCT tenant FROM bff.accounts")
        .fetch_all(connection)
        .await?;
    if tenants.iter().any(|known| known == tenant) {
        return Ok(None);
    }
    let mut tenants = tenants.into_iter();
    Ok(tenants.find(|known| look_alike(known, tenant)))
}
