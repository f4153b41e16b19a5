//! Files of tables: what is in one, and loading it as a target.

use axum::body::Body;
use axum::extract::State;
use contracts::targets::{ReadSpreadsheet, SpreadsheetPreview, TargetInfo, TargetKind};
use http::{HeaderMap, StatusCode};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use tokio::io::AsyncReadExt;

use super::{WORDS, WRITE, find, has_room, info, not_fixed};
use crate::added_targets::{Said, SheetError, Wanted};
use crate::error::database;
use crate::routes::imports::{filename, plain};
use crate::routes::measurements::limited::{Limited, TooLarge};
use crate::routes::measurements::{announced_length, is_gzip};
use crate::state;

pub(in crate::routes) async fn preview(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<ReadSpreadsheet>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SpreadsheetPreview>, ApiError> {
    caller.require_scope(WRITE)?;
    WORDS.check_enabled(state.added.config())?;
    let wanted = wanted(&state, &query, &headers, body).await?;
    let preview = state.added.preview(wanted).await.map_err(refused)?;
    Ok(Json(preview))
}

pub(in crate::routes) async fn load(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    Query(query): Query<ReadSpreadsheet>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<TargetInfo>), ApiError> {
    caller.require_scope(WRITE)?;
    WORDS.check_enabled(state.added.config())?;
    not_fixed(&state, &caller, &name)?;
    let before = state.added.get(&caller.tenant, &name).await;
    let before = before.map_err(database)?;
    match &before {
        None => has_room(&state, &caller, &name).await?,
        Some(stored) if stored.kind != TargetKind::Spreadsheet => {
            return Err(ApiError::conflict(format!(
                "The target '{name}' is a database. Choose another name for the file."
            )));
        }
        Some(_) => {}
    }
    let wanted = wanted(&state, &query, &headers, body).await?;
    let place = (caller.tenant.as_str(), name.as_str());
    let loaded = state.added.load(
        place,
        wanted,
        query.description,
        before.as_ref(),
        &state.clock,
    );
    Box::pin(loaded).await.map_err(refused)?;
    let stored = find(&state.added, &caller, &name).await?;
    let status = match before {
        Some(_) => StatusCode::OK,
        None => StatusCode::CREATED,
    };
    Ok((status, Json(info(&state, &caller, &stored))))
}

async fn wanted(
    state: &state::State,
    query: &ReadSpreadsheet,
    headers: &HeaderMap,
    body: Body,
) -> Result<Wanted, ApiError> {
    let types = Wanted::types(query.types.as_deref().unwrap_or_default());
    let types = types.map_err(|why| ApiError::invalid_field("/types", why))?;
    let filename = filename(&query.filename)?;
    let limit = state.added.config().file_bytes;
    if announced_length(headers).is_some_and(|length| length > limit) {
        return Err(ApiError::body_too_large());
    }
    let compressed = is_gzip(headers)?;
    let mut reader = Limited::new(plain(body, compressed).await?, limit);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).await.map_err(|error| {
        if TooLarge::is(&error) {
            ApiError::body_too_large()
        } else {
            ApiError::malformed("The file did not arrive as a whole, and nothing of it was kept.")
                .with_source(error)
        }
    })?;
    Ok(Wanted {
        filename,
        said: Said {
            types,
            keep_totals: query.keep_totals,
            has_names: query.has_names,
        },
        bytes,
    })
}

fn refused(error: SheetError) -> ApiError {
    match error {
        SheetError::Invalid(why) => ApiError::invalid_field("/file", why.clone()).with_detail(why),
        SheetError::Process(_) => ApiError::internal(error),
        SheetError::Database(error) => {
            let code = error
                .as_database_error()
                .and_then(sqlx::error::DatabaseError::code);
            match code.as_deref() {
                Some("53100") => ApiError::unavailable(
                    "The disk of the database is full. Nothing of the file was kept.",
                    error,
                ),
                Some("42501") => ApiError::conflict(
                    "The service may not create schemas in its database. The operator grants it: GRANT CREATE ON DATABASE … TO the role of the tools service.",
                )
                .with_source(error),
                _ => database(error),
            }
        }
    }
}
