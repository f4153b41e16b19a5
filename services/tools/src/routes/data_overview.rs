//! `GET /api/data-overview`: what the caller's tenant has, at a glance.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::extract::State;
use chrono::{Days, NaiveDate};
use contracts::data_overview::{
    DataOverview, DocumentGlance, LoggerGlance, SourceGlance, TargetGlance,
};
use futures::future::join_all;
use search_sources::Source;
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::Json;
use solar::calendar::local_day;
use targets::Target;

use crate::error::database;
use crate::store::{Logger, daily, loggers};
use crate::{knowledge_tools, state};

/// The scope that reading needs.
const SCOPE: &str = "tools:read";

/// Number of loggers, questions of a target and documents are named.
const LOGGERS: usize = 8;
const QUESTIONS: usize = 8;
const DOCUMENTS: u32 = 8;

/// Days in which a day is looked for that two devices have in common.
const LOOK_BACK: u64 = 60;

/// Time limit for a target or a source that has not been asked before. One that takes longer is
/// named without its content.
const PATIENCE: Duration = Duration::from_millis(2_500);

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<DataOverview>, ApiError> {
    caller.require_scope(SCOPE)?;
    let tenant = &caller.tenant;
    let reader = knowledge_tools::reader(&caller);
    let targets = state.targets.for_tenant(tenant);
    let targets = targets
        .iter()
        .map(|target| target_glance(&state, &caller, target));
    let sources = state.added_sources.for_tenant(tenant).await;
    let sources = sources.iter().map(|source| source_glance(source, tenant));
    let (loggers, documents, targets, sources) = tokio::join!(
        known_loggers(&state, tenant),
        state.library.glance(&reader, DOCUMENTS),
        join_all(targets),
        join_all(sources),
    );
    let documents = documents.map_err(super::documents::refuse)?;
    Ok(Json(DataOverview {
        loggers: loggers.map_err(database)?,
        targets,
        sources,
        documents: documents
            .into_iter()
            .map(|document| DocumentGlance {
                title: document.title,
                topic: document.topic,
            })
            .collect(),
        upstreams: state.credentials.all_names(tenant),
    }))
}

async fn known_loggers(
    state: &state::State,
    tenant: &str,
) -> Result<Vec<LoggerGlance>, sqlx::Error> {
    let mut conn = state.pool.acquire().await?;
    let loggers = loggers::list(&mut conn, tenant, None).await?;
    let loggers: Vec<&Logger> = loggers.iter().collect();
    let counts = loggers::counted(&loggers);
    let mut known: Vec<(i64, &Logger)> = loggers
        .into_iter()
        .zip(counts)
        .filter(|(_, counts)| *counts)
        .filter_map(|(logger, _)| Some((logger.anchor()?, logger)))
        .collect();
    known.sort_by(|(one, a), (other, b)| other.cmp(one).then(a.logger_id.cmp(&b.logger_id)));
    known.truncate(LOGGERS);
    let days: Vec<NaiveDate> = known
        .iter()
        .map(|(newest, logger)| local_day(*newest, logger.site.zone))
        .collect();
    let keys: Vec<i32> = known.iter().map(|(_, logger)| logger.key).collect();
    let firsts: Vec<NaiveDate> = days.iter().map(|day| *day - Days::new(LOOK_BACK)).collect();
    let energies = daily::load_energies_of_many(&mut conn, &keys, &firsts, &days).await?;
    let delivered = |index: usize| -> BTreeSet<NaiveDate> {
        let days = energies.get(&keys[index]).into_iter().flatten();
        days.filter(|day| day.energy().is_some_and(|(kwh, _)| kwh > 0.0))
            .map(|day| day.date)
            .collect()
    };
    let glances = known.iter().enumerate().map(|(index, (_, logger))| {
        // A day that runs at one of two sites in other zones has other hours at the other one.
        let one_clock = logger.site.zone == known[0].1.site.zone;
        let is_whole = |day: &&NaiveDate| one_clock || **day < days[0].min(days[index]);
        let shared = delivered(0);
        let shared = shared
            .intersection(&delivered(index))
            .filter(is_whole)
            .max()
            .copied();
        LoggerGlance {
            logger_id: logger.logger_id.clone(),
            latest_day: days[index],
            day_with_first: shared.filter(|_| index > 0),
        }
    });
    Ok(glances.collect())
}

async fn target_glance(state: &state::State, caller: &Identity, target: &Target) -> TargetGlance {
    let questions = state.sql.offered(caller, target, QUESTIONS);
    TargetGlance {
        name: target.name().to_owned(),
        description: target.description().map(str::to_owned),
        questions: tokio::time::timeout(PATIENCE, questions)
            .await
            .unwrap_or_default(),
    }
}

async fn source_glance(source: &Source, tenant: &str) -> SourceGlance {
    let overview = tokio::time::timeout(PATIENCE, source.overview(tenant)).await;
    let overview = overview.ok();
    SourceGlance {
        name: source.name().to_owned(),
        description: overview.as_ref().and_then(|one| one.description.clone()),
        indices: overview.map_or_else(Vec::new, |one| one.indices.clone()),
    }
}
