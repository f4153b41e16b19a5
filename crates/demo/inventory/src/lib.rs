//! The connected service of the demonstration: the emission inventory of another organisation, with
//! its own users and permissions, behind the interface that the climate advisor's service reads.
//!
//! It trusts none of the product's identities. Its users have tokens that it signs itself and gives
//! to a client with its service key (`tokens`); what a user may see is in its own tables (`store`),
//! which are filled when the first token is asked for (`figures`).

mod figures;
mod schema;
mod store;
mod tokens;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clock::SharedClock;
use figment::providers::{Format as _, Toml};
use http::{HeaderMap, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tools::Config;
use tools::upstreams::config::{OperationConfig, RefreshConfig, SecretHeader, UpstreamConfig};

use tokens::Tokens;

pub use schema::migrate;

/// Its name among the upstreams.
pub const UPSTREAM: &str = "citycatalyst";

/// The path of the upstream below the tools service.
pub const PATH: &str = "/demo/citycatalyst";

/// The path of users, for the service that named them.
const USERS: &str = "/api/v1/internal/ca/users";

/// The tenant of the demonstration.
const TENANT: &str = "demo";

/// The name that its callers send.
const SERVICE_NAME: &str = "climate-advisor";

/// The read operations of the climate advisor and of its reference, as `[[upstreams.operations]]`.
const OPERATIONS: &str = include_str!("operations.toml");

/// The settings of the service.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The key that other services send to request a user's token.
    pub service_key: SecretString,
    /// The audience of its tokens: the base URL under which it is reached.
    pub audience: String,
}

/// The demonstration's description of itself cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the demonstration's operations cannot be read: {0}")]
pub struct Unreadable(String);

/// `[[upstreams]]` for the demonstration at this base URL.
pub fn upstream(base_url: &str, service_key: &SecretString) -> Result<UpstreamConfig, Unreadable> {
    #[derive(Deserialize)]
    struct File {
        operations: Vec<OperationConfig>,
    }
    let file = Toml::from_str::<File>(OPERATIONS).map_err(|error| Unreadable(error.to_string()))?;
    let mut config = UpstreamConfig::at(UPSTREAM, base_url);
    config.operations = file.operations;
    config
        .headers
        .insert("X-Service-Name".to_owned(), SERVICE_NAME.to_owned());
    config.secret_headers.push(SecretHeader {
        name: "X-Service-Key".to_owned(),
        value: Some(service_key.clone()),
        value_file: None,
    });
    config.token.issuer = Some(tokens::ISSUER.to_owned());
    let refresh =
        RefreshConfig::by_service_key("/api/v1/internal/ca/user-token", service_key.clone());
    // A person who tries the demonstration has no token.
    let refresh = refresh.for_everyone().with_person_path(USERS);
    config.token.refresh = Some(refresh);
    Ok(config)
}

/// Adds the service as the upstream [`UPSTREAM`] of a tools service at `url`, which has a key for
/// credentials. Returns the settings with which it runs; `None` if there is no key, or if an
/// upstream of that name is configured.
pub fn connect(config: &mut Config, url: &str) -> Result<Option<Settings>, Unreadable> {
    let key = config
        .credentials
        .keys
        .first()
        .and_then(|key| key.key.as_ref());
    let Some(key) = key else { return Ok(None) };
    if config
        .upstreams
        .iter()
        .any(|upstream| upstream.name == UPSTREAM)
    {
        return Ok(None);
    }
    let service_key = derived(key);
    let audience = format!("{url}{PATH}");
    let mut demonstration = upstream(&audience, &service_key)?;
    // Only the demonstration's tenant is connected without asking.
    demonstration.tenants = vec![TENANT.to_owned()];
    config.upstreams.push(demonstration);
    Ok(Some(Settings {
        service_key,
        audience,
    }))
}

/// A service key that is the same at each start.
fn derived(key: &SecretString) -> SecretString {
    let mut digest = Sha256::new();
    digest.update(b"the demonstration's service key of ");
    digest.update(key.expose_secret().as_bytes());
    URL_SAFE_NO_PAD.encode(digest.finalize()).into()
}

/// What its handlers share.
#[derive(Clone)]
struct Inventory {
    pool: PgPool,
    tokens: Arc<Tokens>,
}

/// Its routes, which check its own tokens.
pub fn routes(settings: &Settings, pool: PgPool, clock: SharedClock) -> Router {
    let inventory = Inventory {
        pool,
        tokens: Arc::new(Tokens::new(
            &settings.service_key,
            &settings.audience,
            clock,
        )),
    };
    let routes = Router::new()
        .route("/api/v1/internal/ca/user-token", post(issue_token))
        .route("/api/v1/internal/ca/user-token/", post(issue_token))
        .route(&format!("{USERS}/{{user}}"), get(kept_of).delete(erase))
        .route("/api/v1/user/inventories", get(list_inventories))
        .route("/api/v1/user/inventories/", get(list_inventories))
        .route("/api/v1/inventory/{id}", get(get_inventory))
        .route("/api/v1/datasource/{id}", get(list_sources))
        .route("/api/v1/datasource/{id}/", get(list_sources))
        .route("/api/v0/inventory/{data_type}", get(get_data))
        .with_state(inventory);
    Router::new().nest(PATH, routes)
}

/// The error answer.
struct Refusal(StatusCode, &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": { "message": self.1 } }))).into_response()
    }
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        tracing::warn!(%error, "the demonstration upstream has no database");
        Self(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong")
    }
}

const NOT_YOURS: Refusal = Refusal(StatusCode::FORBIDDEN, "You may not see this inventory");
const NOT_THERE: Refusal = Refusal(StatusCode::NOT_FOUND, "There is no such inventory");

/// A token for a user, who is made when he is new.
async fn issue_token(
    State(inventory): State<Inventory>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Result<Json<Value>, Refusal> {
    inventory.require_key(&headers)?;
    let user = request["user_id"]
        .as_str()
        .filter(|user| (1..=128).contains(&user.len()));
    let user = user.ok_or(Refusal(StatusCode::BAD_REQUEST, "user_id is required"))?;
    let role = store::provision(&inventory.pool, user).await?;
    let token = inventory.tokens.issue(user, &role);
    let token = token.ok_or(Refusal(StatusCode::INTERNAL_SERVER_ERROR, "Misconfigured"))?;
    Ok(Json(json!({
        "access_token": token,
        "expires_in": tokens::LIFETIME_SECONDS,
        "token_type": "Bearer",
    })))
}

/// The data that are kept of a user.
async fn kept_of(
    State(inventory): State<Inventory>,
    headers: HeaderMap,
    Path(user): Path<String>,
) -> Result<Json<Value>, Refusal> {
    inventory.require_key(&headers)?;
    let kept = store::kept_of(&inventory.pool, &user).await?;
    let unknown = Refusal(StatusCode::NOT_FOUND, "There is no such user");
    kept.map(Json).ok_or(unknown)
}

/// Erases a user, also one who is not known.
async fn erase(
    State(inventory): State<Inventory>,
    headers: HeaderMap,
    Path(user): Path<String>,
) -> Result<StatusCode, Refusal> {
    inventory.require_key(&headers)?;
    store::erase(&inventory.pool, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Inventory {
    /// Refuses who does not show the service key.
    fn require_key(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if self.tokens.is_key(headers.get("x-ca-service-key")) {
            return Ok(());
        }
        Err(Refusal(StatusCode::UNAUTHORIZED, "Invalid service key"))
    }

    /// The user whose token it is, asked for by a service that is known.
    fn user(&self, headers: &HeaderMap) -> Result<String, Refusal> {
        let named = headers
            .get("x-service-name")
            .is_some_and(|name| name == SERVICE_NAME);
        if !named || !self.tokens.is_key(headers.get("x-service-key")) {
            return Err(Refusal(StatusCode::UNAUTHORIZED, "Unknown service"));
        }
        let token = self.tokens.verify(headers.get("authorization"));
        token.ok_or(Refusal(StatusCode::UNAUTHORIZED, "Invalid token"))
    }

    /// An inventory that the user may see.
    async fn inventory(&self, user: &str, id: &str) -> Result<store::Inventory, Refusal> {
        let inventory = store::inventory(&self.pool, id).await?.ok_or(NOT_THERE)?;
        if store::may_see(&self.pool, user, &inventory.locode).await? {
            Ok(inventory)
        } else {
            Err(NOT_YOURS)
        }
    }
}

async fn list_inventories(
    State(inventory): State<Inventory>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let user = inventory.user(&headers)?;
    let inventories = store::inventories_of(&inventory.pool, &user).await?;
    let inventories: Vec<Value> = inventories.iter().map(store::Inventory::told).collect();
    Ok(Json(json!({ "data": inventories })))
}

async fn get_inventory(
    State(inventory): State<Inventory>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let user = inventory.user(&headers)?;
    let found = inventory.inventory(&user, &id).await?;
    Ok(Json(json!({ "data": found.told() })))
}

async fn list_sources(
    State(inventory): State<Inventory>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let user = inventory.user(&headers)?;
    let found = inventory.inventory(&user, &id).await?;
    let emissions = store::emissions(&inventory.pool, found.id).await?;
    Ok(Json(
        json!({ "data": figures::sources(&found, &emissions) }),
    ))
}

#[derive(Deserialize)]
struct OfInventory {
    inventory_id: String,
}

/// The call as the climate advisor has it.
async fn get_data(
    State(inventory): State<Inventory>,
    Path(data_type): Path<String>,
    Query(query): Query<OfInventory>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let user = inventory.user(&headers)?;
    let found = inventory.inventory(&user, &query.inventory_id).await?;
    let emissions = store::emissions(&inventory.pool, found.id).await?;
    let data = match data_type.as_str() {
        "summary" => figures::summary(&found, &emissions),
        "sectors" => figures::by_sector(&emissions),
        "emissions" => figures::by_reference(&emissions),
        "datasources" => figures::sources(&found, &emissions),
        _ => return Err(Refusal(StatusCode::NOT_FOUND, "There is no such data type")),
    };
    Ok(Json(json!({ "data": data })))
}
