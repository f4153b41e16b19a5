//! `/api/sites` and `/api/loggers`.

use axum::extract::State;
use contracts::sites::{
    ConfirmDeletion, EmissionFactor, ListSiteLoggers, LoggerDescription, PutSites, SiteDescription,
    SiteList, SiteLogger, SiteLoggerList, StoredSites,
};
use http::StatusCode;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use sqlx::PgConnection;

use super::weather;
use crate::error::database;
use crate::ingest::sites::{self, SitesError};
use crate::state;

/// The scope that reading needs.
const READ: &str = "tools:read";
/// The scope that changes need.
const WRITE: &str = "sites:write";

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<SiteList>, ApiError> {
    caller.require_scope(READ)?;
    let mut conn = state.pool.acquire().await.map_err(database)?;
    let sites = sqlx::query_file!("queries/sites_described.sql", caller.tenant)
        .fetch_all(&mut *conn)
        .await
        .map_err(database)?;
    let mut list = SiteList::default();
    for site in sites {
        list.sites.push(SiteDescription {
            name: Some(site.name),
            timezone: site.timezone,
            latitude: site.latitude,
            longitude: site.longitude,
            altitude_m: site.altitude_m,
            tilt_deg: site.tilt_deg,
            azimuth_deg: site.azimuth_deg,
            tariff_per_kwh: site.tariff_per_kwh,
            currency: Some(site.currency),
            co2_factor: match (
                site.co2_kg_per_kwh,
                site.co2_factor_name,
                site.co2_factor_year,
            ) {
                (Some(kg_per_kwh), Some(name), Some(year)) => Some(EmissionFactor {
                    kg_per_kwh,
                    name,
                    year,
                }),
                _ => None,
            },
            loggers: Vec::new(),
            id: site.site_id,
        });
    }
    for logger in described(&mut conn, &caller.tenant, None).await? {
        if let Some(site) = list.sites.iter_mut().find(|site| site.id == logger.site) {
            site.loggers.push(logger.logger);
        }
    }
    Ok(Json(list))
}

pub(super) async fn put(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(body): Json<PutSites>,
) -> Result<Json<StoredSites>, ApiError> {
    caller.require_scope(WRITE)?;
    if body.sites.is_empty() {
        return Err(ApiError::invalid_field("/sites", "is empty"));
    }
    let text = serde_json::to_string(&body).map_err(ApiError::internal)?;
    let applied = sites::apply(&state.pool, &caller.tenant, &text)
        .await
        .map_err(|error| match error {
            SitesError::Database(error) => database(error),
            error => ApiError::invalid_field("/sites", error.to_string()),
        })?;
    Ok(Json(StoredSites {
        sites: applied.sites as u64,
        loggers: applied.loggers as u64,
        recomputed: applied.recomputed as u64,
    }))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(site): Path<String>,
    Query(query): Query<ConfirmDeletion>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    let mut transaction = state.pool.begin().await.map_err(database)?;
    let key = sqlx::query_scalar!(
        "SELECT site_key FROM tools.sites WHERE tenant = $1 AND site_id = $2 FOR UPDATE",
        caller.tenant,
        site
    )
    .fetch_optional(&mut *transaction)
    .await
    .map_err(database)?;
    let Some(key) = key else {
        return Err(ApiError::not_found(format!("There is no site {site:?}.")));
    };
    confirmed(&query, &site)?;
    let loggers = sqlx::query_scalar!(
        "SELECT logger_key FROM tools.loggers WHERE site_key = $1 ORDER BY logger_key FOR UPDATE",
        key
    )
    .fetch_all(&mut *transaction)
    .await
    .map_err(database)?;
    remove_loggers(&mut transaction, &loggers).await?;
    sqlx::query!("DELETE FROM tools.sites WHERE site_key = $1", key)
        .execute(&mut *transaction)
        .await
        .map_err(database)?;
    transaction.commit().await.map_err(database)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn list_loggers(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<ListSiteLoggers>,
) -> Result<Json<SiteLoggerList>, ApiError> {
    caller.require_scope(READ)?;
    let mut conn = state.pool.acquire().await.map_err(database)?;
    if let Some(site) = &query.site {
        weather::site(&mut conn, &caller.tenant, Some(site)).await?;
    }
    let loggers = described(&mut conn, &caller.tenant, query.site.as_deref()).await?;
    Ok(Json(SiteLoggerList { loggers }))
}

pub(super) async fn delete_logger(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(logger): Path<String>,
    Query(query): Query<ConfirmDeletion>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    let mut transaction = state.pool.begin().await.map_err(database)?;
    let key = sqlx::query_scalar!(
        "SELECT logger_key FROM tools.loggers WHERE tenant = $1 AND logger_id = $2 FOR UPDATE",
        caller.tenant,
        logger,
    )
    .fetch_optional(&mut *transaction)
    .await
    .map_err(database)?;
    let Some(key) = key else {
        return Err(ApiError::not_found(format!(
            "There is no logger {logger:?}."
        )));
    };
    confirmed(&query, &logger)?;
    remove_loggers(&mut transaction, &[key]).await?;
    transaction.commit().await.map_err(database)?;
    Ok(StatusCode::NO_CONTENT)
}

fn confirmed(query: &ConfirmDeletion, id: &str) -> Result<(), ApiError> {
    if query.confirm == id {
        return Ok(());
    }
    Err(ApiError::invalid_field(
        "/confirm",
        format!(
            "is {:?}, not {id:?}: readings are deleted, too",
            query.confirm
        ),
    ))
}

/// Deletes loggers with their readings and daily figures.
async fn remove_loggers(conn: &mut PgConnection, keys: &[i32]) -> Result<(), ApiError> {
    crate::ingest::session::allow_ten_minutes(conn)
        .await
        .map_err(database)?;
    sqlx::query!(
        "DELETE FROM tools.measurements WHERE logger_key = ANY($1)",
        keys
    )
    .execute(&mut *conn)
    .await
    .map_err(database)?;
    sqlx::query!("DELETE FROM tools.loggers WHERE logger_key = ANY($1)", keys)
        .execute(conn)
        .await
        .map_err(database)?;
    Ok(())
}

async fn described(
    conn: &mut PgConnection,
    tenant: &str,
    site: Option<&str>,
) -> Result<Vec<SiteLogger>, ApiError> {
    let rows = sqlx::query_file!("queries/loggers_described.sql", tenant, site)
        .fetch_all(conn)
        .await
        .map_err(database)?;
    let described = rows.into_iter().map(|row| SiteLogger {
        site: row.site_id,
        logger: LoggerDescription {
            id: row.logger_id,
            logger_type: Some(row.logger_type),
            role: Some(row.role),
            capacity_kw: row.capacity_kw,
            temperature_coefficient: row.temperature_coefficient,
            label: Some(row.sample_label),
            irradiance_basis: Some(row.irradiance_basis),
            sensor: row.sensor,
        },
        readings: u64::try_from(row.record_count).unwrap_or_default(),
        earliest: row.first_at,
        latest: row.last_at,
    });
    Ok(described.collect())
}
