//! `/api/imports`: files of loggers and tables.

use std::collections::HashMap;

use axum::body::Body;
use axum::extract::State;
use contracts::imports::{
    CreateImport, Import, ImportList, ImportPreview, ImportStatus, ReviseImport,
};
use futures::TryStreamExt;
use http::{HeaderMap, StatusCode};
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio_util::io::StreamReader;
use uuid::Uuid;

use super::measurements::limited::{Limited, TooLarge};
use super::measurements::{announced_length, is_gzip};
use super::weather;
use crate::catalog::SiteEntry;
use crate::error::database;
use crate::imports::{
    Imports, Options, PreviewRequest, StoreError, Stored, ingest_options, read_preview,
};
use crate::ingest;
use crate::store::{LoggerRole, loggers};
use crate::{state, storage};

/// The scope that reading needs.
const READ: &str = "tools:read";
/// The scope that storing needs.
const WRITE: &str = "sites:write";
/// Maximum length of a file's name.
const LONGEST_NAME: usize = 255;

pub(super) async fn create(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<CreateImport>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Import>), ApiError> {
    caller.require_scope(WRITE)?;
    let filename = filename(&query.filename)?;
    let limit = state.ingest.body_limit_bytes;
    if announced_length(&headers).is_some_and(|length| length > limit) {
        return Err(ApiError::body_too_large());
    }
    let compressed = is_gzip(&headers)?;
    let site = site(&state, &caller, query.site.as_deref()).await?;
    let options =
        Options::new(&query, site.site_id.clone(), site.zone).map_err(ApiError::invalid)?;
    let imports = Imports::new(state.pool.clone());
    if !imports.has_room(&caller.tenant).await.map_err(database)? {
        return Err(ApiError::conflict(
            "More than 4 GiB of files wait to be imported. Run, cancel or delete some of them.",
        ));
    }
    // The size of a file that comes in chunks is known when it is there.
    let announced = announced_length(&headers);
    let expected = announced.unwrap_or_default();
    storage::admit(&state.pool, &state.ingest, &caller.tenant, expected).await?;
    let mut reader = Limited::new(plain(body, compressed).await?, limit);
    let uploaded = imports
        .upload(&caller.tenant, &filename, &options, &mut reader)
        .await;
    let (import, size, hash) = uploaded.map_err(not_stored)?;
    if announced.is_none()
        && let Err(refused) =
            storage::admit_stored(&state.pool, &state.ingest, &caller.tenant, size).await
    {
        imports.delete(import).await.map_err(database)?;
        return Err(refused);
    }
    if let Some(same) = imports
        .same(&caller.tenant, &hash, &options, &filename)
        .await
        .map_err(database)?
        && same != import
    {
        let known = find(&imports, &caller, same).await?;
        if known.import.status == ImportStatus::Refused {
            // A file that was refused for good was not kept.
            imports.hand_over(import, same).await.map_err(database)?;
        }
        imports.delete(import).await.map_err(database)?;
        // A mapping may have been corrected, or readings stored, since its preview.
        let is_read_again = [ImportStatus::Ready, ImportStatus::Refused];
        if is_read_again.contains(&known.import.status) {
            let file = (same, size, known.import.filename.as_str());
            preview(&state, &caller, &site, file, &known.options).await?;
        }
        let known = find(&imports, &caller, same).await?;
        return Ok((
            StatusCode::OK,
            Json(Import {
                known: true,
                ..known.import
            }),
        ));
    }
    preview(&state, &caller, &site, (import, size, &filename), &options).await?;
    let stored = find(&imports, &caller, import).await?;
    let clean = stored
        .import
        .preview
        .as_ref()
        .is_some_and(|preview| preview.refused == 0);
    if query.run == Some(true) && clean {
        queue(&state, &imports, &stored).await?;
    }
    let stored = find(&imports, &caller, import).await?;
    Ok((StatusCode::CREATED, Json(stored.import)))
}

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<ImportList>, ApiError> {
    caller.require_scope(READ)?;
    let imports = Imports::new(state.pool)
        .list(&caller.tenant)
        .await
        .map_err(database)?;
    Ok(Json(ImportList { imports }))
}

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(import): Path<String>,
) -> Result<Json<Import>, ApiError> {
    caller.require_scope(READ)?;
    let stored = find(&Imports::new(state.pool), &caller, id(&import)?).await?;
    Ok(Json(stored.import))
}

pub(super) async fn revise(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(import): Path<String>,
    Json(change): Json<ReviseImport>,
) -> Result<Json<Import>, ApiError> {
    caller.require_scope(WRITE)?;
    let import = id(&import)?;
    let imports = Imports::new(state.pool.clone());
    let stored = find(&imports, &caller, import).await?;
    if !matches!(
        stored.import.status,
        ImportStatus::Ready | ImportStatus::Refused
    ) {
        return Err(was_run(&stored));
    }
    if !imports.is_kept(import).await.map_err(database)? {
        let why = stored.import.problem.as_deref().unwrap_or_default();
        return Err(ApiError::conflict(format!(
            "The file was refused and is not kept: {why}. Upload it again."
        )));
    }
    let moved = change.site.is_some();
    let site = site(
        &state,
        &caller,
        Some(change.site.as_deref().unwrap_or(&stored.options.site)),
    )
    .await?;
    let mapping = change.mapping.clone();
    let other_site = moved.then(|| (site.site_id.clone(), site.zone));
    let options = stored
        .options
        .revised(change, other_site)
        .map_err(ApiError::invalid)?;
    let file = (
        import,
        stored.import.size_bytes,
        stored.import.filename.as_str(),
    );
    let read = preview(&state, &caller, &site, file, &options).await?;
    // A mapping that does not fit its own file is not remembered.
    if let (Some(mapping), true) = (mapping, read) {
        imports
            .remember(&caller.tenant, &mapping)
            .await
            .map_err(database)?;
    }
    Ok(Json(find(&imports, &caller, import).await?.import))
}

pub(super) async fn run(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(import): Path<String>,
) -> Result<(StatusCode, Json<Import>), ApiError> {
    caller.require_scope(WRITE)?;
    let import = id(&import)?;
    let imports = Imports::new(state.pool.clone());
    let stored = find(&imports, &caller, import).await?;
    match stored.import.status {
        // Asking again changes nothing.
        ImportStatus::Queued | ImportStatus::Running | ImportStatus::Done => {}
        _ => queue(&state, &imports, &stored).await?,
    }
    let stored = find(&imports, &caller, import).await?;
    Ok((StatusCode::ACCEPTED, Json(stored.import)))
}

pub(super) async fn cancel(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(import): Path<String>,
) -> Result<Json<Import>, ApiError> {
    caller.require_scope(WRITE)?;
    let import = id(&import)?;
    let imports = Imports::new(state.pool);
    let stored = find(&imports, &caller, import).await?;
    if !imports.cancel(import).await.map_err(database)? {
        return Err(was_run(&stored));
    }
    Ok(Json(find(&imports, &caller, import).await?.import))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(import): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    let import = id(&import)?;
    let imports = Imports::new(state.pool);
    find(&imports, &caller, import).await?;
    if !imports.delete(import).await.map_err(database)? {
        return Err(ApiError::conflict(
            "The import is running. Cancel it first.",
        ));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Reads a file and keeps its preview, or why there is none. `false` if there is none.
async fn preview(
    state: &state::State,
    caller: &Identity,
    site: &SiteEntry,
    (import, size, filename): (Uuid, u64, &str),
    options: &Options,
) -> Result<bool, ApiError> {
    let imports = Imports::new(state.pool.clone());
    let mut conn = state.pool.acquire().await.map_err(database)?;
    let longitude = sqlx::query_scalar!(
        "SELECT longitude FROM tools.sites WHERE site_key = $1",
        site.key
    )
    .fetch_optional(&mut *conn)
    .await
    .map_err(database)?;
    drop(conn);
    let request = PreviewRequest {
        filename: filename.to_owned(),
        options: options.clone(),
        site_zone: site.zone,
        longitude: longitude.flatten(),
        mappings: imports.mappings(&caller.tenant).await.map_err(database)?,
        ingest: ingest_options(options, state.clock.now()),
    };
    let turn = state
        .previews
        .clone()
        .acquire_owned()
        .await
        .map_err(ApiError::internal)?;
    let file = imports.file(import, size);
    let mut read = read_preview(file, &request, &state.ingest).await;
    drop(turn);
    if let Ok(found) = &mut read {
        let known = known_devices(state, caller, &found.preview);
        let known = known.await.map_err(database)?;
        for logger in &mut found.preview.loggers {
            let stored = known.get(&logger.logger_id);
            logger.new = stored.is_none();
            // A device keeps the role that it has.
            if let Some(role) = stored {
                role.as_str().clone_into(&mut logger.role);
            }
        }
        let elsewhere = devices_elsewhere(state, caller, site, &found.preview);
        let notes = elsewhere.await.map_err(database)?;
        found.preview.notes.extend(notes);
    }
    let kept = imports.keep_preview(import, options, read.as_ref()).await;
    if !kept.map_err(database)? {
        return Err(ApiError::conflict(
            "The import was started or deleted at the same time.",
        ));
    }
    Ok(read.is_ok())
}

/// The roles of the devices of the file that the tenant has.
async fn known_devices(
    state: &state::State,
    caller: &Identity,
    preview: &ImportPreview,
) -> Result<HashMap<String, LoggerRole>, sqlx::Error> {
    let loggers = preview.loggers.iter();
    let ids: Vec<String> = loggers.map(|logger| logger.logger_id.clone()).collect();
    let mut conn = state.pool.acquire().await?;
    let known = loggers::details(&mut conn, &caller.tenant, Some(&ids), None).await?;
    Ok(known
        .into_iter()
        .map(|logger| (logger.logger_id, logger.role))
        .collect())
}

/// Notes on devices of the file that are at another site: their readings are stored there.
async fn devices_elsewhere(
    state: &state::State,
    caller: &Identity,
    site: &SiteEntry,
    preview: &ImportPreview,
) -> Result<Vec<String>, sqlx::Error> {
    let ids: Vec<String> = preview
        .loggers
        .iter()
        .map(|logger| logger.logger_id.clone())
        .collect();
    let elsewhere = sqlx::query!(
        "SELECT l.logger_id, s.site_id FROM tools.loggers AS l JOIN tools.sites AS s USING (site_key)
         WHERE l.tenant = $1 AND l.site_key <> $2 AND l.logger_id = ANY ($3)
         ORDER BY l.logger_id LIMIT 10",
        caller.tenant,
        site.key,
        &ids,
    )
    .fetch_all(&state.pool)
    .await?;
    let notes = elsewhere.into_iter().map(|row| {
        format!(
            "{} is a device of the site {}: its readings are stored there, not in {}. If it is another device, import the file with another id.",
            row.logger_id, row.site_id, site.site_id
        )
    });
    Ok(notes.collect())
}

async fn queue(state: &state::State, imports: &Imports, stored: &Stored) -> Result<(), ApiError> {
    if !imports.queue(stored.id).await.map_err(database)? {
        return Err(was_run(stored));
    }
    state.jobs.wake();
    Ok(())
}

fn was_run(stored: &Stored) -> ApiError {
    let problem = stored
        .import
        .problem
        .as_deref()
        .map(|problem| format!(": {problem}"))
        .unwrap_or_default();
    ApiError::conflict(match stored.import.status {
        ImportStatus::Refused => format!("The file cannot be imported{problem}"),
        ImportStatus::Cancelled => "The import was cancelled. Upload the file again.".to_owned(),
        ImportStatus::Done => "The import is done.".to_owned(),
        _ => "The import was started already.".to_owned(),
    })
}

fn id(text: &str) -> Result<Uuid, ApiError> {
    text.parse()
        .map_err(|_| ApiError::not_found("There is no import of this id."))
}

async fn find(imports: &Imports, caller: &Identity, import: Uuid) -> Result<Stored, ApiError> {
    let found = imports
        .get(&caller.tenant, import)
        .await
        .map_err(database)?;
    found.ok_or_else(|| ApiError::not_found("There is no import of this id."))
}

async fn site(
    state: &state::State,
    caller: &Identity,
    wanted: Option<&str>,
) -> Result<SiteEntry, ApiError> {
    let mut conn = state.pool.acquire().await.map_err(database)?;
    weather::site(&mut conn, &caller.tenant, wanted).await
}

/// The last part of a name. What a browser or shell puts in front of it is of no use here.
pub(super) fn filename(name: &str) -> Result<String, ApiError> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let fault = |detail: &str| Err(ApiError::invalid_field("/filename", detail));
    if name.is_empty() {
        return fault("is required");
    }
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return fault("is longer than 255 characters or has control characters");
    }
    Ok(name.strip_suffix(".gz").unwrap_or(name).to_owned())
}

/// The bytes of the file: a body in gzip, or a file in gzip, is unpacked.
pub(super) async fn plain(
    body: Body,
    compressed: bool,
) -> Result<Box<dyn AsyncRead + Send + Unpin>, ApiError> {
    let bytes = StreamReader::new(body.into_data_stream().map_err(std::io::Error::other));
    let reader: Box<dyn AsyncRead + Send + Unpin> = if compressed {
        ingest::gunzip(bytes)
    } else {
        Box::new(bytes)
    };
    let mut reader = BufReader::new(reader);
    let start = reader
        .fill_buf()
        .await
        .map_err(|error| ApiError::malformed("The body cannot be read.").with_source(error))?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok(ingest::gunzip(reader));
    }
    Ok(Box::new(reader))
}

fn not_stored(error: StoreError) -> ApiError {
    match error {
        StoreError::Body(error) if TooLarge::is(&error) => ApiError::body_too_large(),
        StoreError::Body(error) => {
            ApiError::malformed("The file did not arrive as a whole, and nothing of it was kept.")
                .with_source(error)
        }
        StoreError::Database(error) => {
            let code = error
                .as_database_error()
                .and_then(sqlx::error::DatabaseError::code);
            match code.as_deref() {
                Some("53100") => ApiError::unavailable(
                    "The disk of the database is full. Nothing of the file was kept.",
                    error,
                ),
                _ => database(error),
            }
        }
    }
}
