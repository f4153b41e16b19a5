//! `GET /api/health` in the documents' shape, and what readiness asks.

use axum::extract::State;
use contracts::tools::ApiHealth;
use service_kit::health::Checks;
use service_kit::web::Json;

use crate::{database, solar_tools, state};

/// The name that existing clients look for.
const SERVICE: &str = "solar-analyst-http";

/// Always 200: a database that is away makes the service degraded, not absent.
pub(super) async fn api_health(State(state): State<state::State>) -> Json<ApiHealth> {
    let details = solar_tools::check_health(&state.pool).await;
    Json(ApiHealth {
        status: details.status,
        service: SERVICE.to_owned(),
        details,
    })
}

/// What the service needs: a database with our schema, and the keys that identities are signed with.
pub(crate) fn checks(state: &state::State) -> Checks {
    let (pool, verifier) = (state.pool.clone(), state.verifier.clone());
    let origin = state.database_origin.clone();
    Checks::new("tools")
        .check("database", move || {
            let (pool, origin) = (pool.clone(), origin.clone());
            async move {
                if database::is_migrated(&pool).await? {
                    Ok(origin.as_deref().map(str::to_owned))
                } else {
                    Err("the schema is older than this program".into())
                }
            }
        })
        .check("identity", move || {
            let verifier = verifier.clone();
            async move { Ok(verifier.ready().await.map(|()| None)?) }
        })
}
