//! `GET /api/health` in the shape that existing clients read, and what readiness asks.

use std::time::Duration;

use axum::extract;
use contracts::tools::ApiHealth;
use futures::future::join_all;
use service_kit::database::DatabaseHealth;
use service_kit::health::Checks;
use service_kit::web::Json;
use targets::{Away, State, Target, TargetError, Targets};

use crate::{database, solar_tools, state};

/// The name that existing clients look for.
const SERVICE: &str = "solar-analyst-http";

/// Always 200: a database that is away makes the service degraded, not absent.
pub(super) async fn api_health(
    extract::State(state): extract::State<state::State>,
) -> Json<ApiHealth> {
    let details = solar_tools::check_health(&state.pool).await;
    Json(ApiHealth {
        status: details.status,
        service: SERVICE.to_owned(),
        details,
    })
}

/// Time that a target has to give a sign of life: less than a check may take as a whole.
const TARGET_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Checks of the service's dependencies: a migrated database, and the keys that identities are
/// signed with. Target databases are asked, too, but the service is as ready without them: a call
/// that needs an unavailable one reports so.
pub(crate) fn checks(state: &state::State) -> Checks {
    let (health, verifier) = (
        DatabaseHealth::new(state.pool.clone(), "tools"),
        state.verifier.clone(),
    );
    let origin = state.database_origin.clone();
    let targets = state.targets.clone();
    Checks::new("tools")
        .check("database", move || {
            let (health, origin) = (health.clone(), origin.clone());
            async move {
                health
                    .check(async |pool| database::is_migrated(&pool).await)
                    .await?;
                Ok(origin.as_deref().map(str::to_owned))
            }
        })
        .check("identity", move || {
            let verifier = verifier.clone();
            async move { Ok(verifier.ready().await.map(|()| None)?) }
        })
        .check("targets", move || {
            let targets = targets.clone();
            async move { Ok(signs_of_life(&targets).await) }
        })
}

/// How a target whose database answers stood when it was last looked at. What was wrong with the
/// connection is over.
fn standing(target: &Target) -> String {
    let state = target.standing().map_or(State::Ready, |known| known.state);
    match state {
        State::Away | State::LoginRefused => State::Ready,
        other => other,
    }
    .to_string()
}

/// Which target databases answer, and which of them cannot be asked nevertheless; nothing where
/// there are none.
async fn signs_of_life(targets: &Targets) -> Option<String> {
    let asked = targets.iter().map(|target| async move {
        let answer = tokio::time::timeout(TARGET_TIMEOUT, target.ping()).await;
        let state = match answer {
            Ok(Ok(())) => standing(target),
            Ok(Err(TargetError::Unavailable {
                reason: reason @ (Away::LoginRefused | Away::NoPrivilege),
                ..
            })) => reason.to_string(),
            Ok(Err(_)) => State::Away.to_string(),
            Err(_) => "does not answer in time".to_owned(),
        };
        format!("{} {state}", target.name())
    });
    let states = join_all(asked).await;
    (!states.is_empty()).then(|| states.join(", "))
}
