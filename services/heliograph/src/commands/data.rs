//! `heliograph migrate | seed | ingest | sites`: commands that fill the database.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use contracts::measurements::{IngestQuery, IngestReport};
use demo_freight::SeedError;
use demo_park::live;
use embedded_postgres::Database;
use sqlx::PgPool;
use tools::ingest::{self, IngestOptions, Progress};
use tools::knowledge_tools;

use super::{client, plants, up};
use crate::cli::{Ingest, ServiceName};
use crate::config::Config;
use crate::stack::StackConfig;
use crate::{database, terminal};

/// Interval between progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Opens the database, runs `work`, and closes the database. If every service has its own database
/// configuration, these are used, each with its own role.
pub async fn with_database(
    folder: Option<&Path>,
    work: impl AsyncFnOnce(&StackConfig) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let stack = StackConfig::load(folder)?;
    if stack.has_databases() {
        return Box::pin(on_databases_of_services(&config, stack, work)).await;
    }
    let database = database::open(&config).await?;
    Box::pin(on_database(&config, stack, database, work)).await
}

/// The same for data that only the bff has. Works while services run on the data folder.
pub(super) async fn beside_services(
    folder: Option<&Path>,
    work: impl AsyncFnOnce(&StackConfig) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let stack = StackConfig::load(folder)?;
    if stack.database_of(ServiceName::Bff).url.is_some() {
        return Box::pin(on_databases_of_services(&config, stack, work)).await;
    }
    let database = database::open_beside(&config).await?;
    Box::pin(on_database(&config, stack, database, work)).await
}

async fn on_databases_of_services(
    config: &Config,
    mut stack: StackConfig,
    work: impl AsyncFnOnce(&StackConfig) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    stack.keep_files(&config.data.folder);
    work(&stack).await
}

async fn on_database(
    config: &Config,
    mut stack: StackConfig,
    database: Database,
    work: impl AsyncFnOnce(&StackConfig) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    stack.keep_data(&database::url(&database), &config.data.folder);
    let result = work(&stack).await;
    database.stop().await?;
    result
}

/// Migrates the schemas, and loads the demo data into an empty database.
pub async fn prepare(stack: &StackConfig) -> anyhow::Result<()> {
    migrate_all(stack).await?;
    let pool = tools::database::pool(&stack.tools.database)?;
    let seeded = seed_demo(stack, &pool).await;
    pool.close().await;
    seeded.map(drop)
}

/// Adds the live site of the demonstration to the catalogue, and returns what is stored of it.
/// `None` if the tenant has sites of its own.
pub async fn prepare_live_site(stack: &StackConfig) -> anyhow::Result<Option<live::Stored>> {
    let pool = tools::database::pool(&stack.tools.database)?;
    let stored = live::prepare(&pool).await;
    pool.close().await;
    stored.context("the demonstration's live site")
}

/// `heliograph migrate`. A service with its own database or role is migrated with it. The shared
/// database is opened only for the other services.
pub(super) async fn migrate(
    folder: Option<&Path>,
    only: Option<ServiceName>,
) -> anyhow::Result<()> {
    let services = match only {
        Some(service) => vec![service],
        None => vec![
            ServiceName::Tools,
            ServiceName::Bff,
            ServiceName::Orchestrator,
        ],
    };
    let mut stack = StackConfig::load(folder)?;
    let configured = services
        .iter()
        .all(|service| stack.database_of(*service).url.is_some());
    if configured {
        return migrate_these(&stack, &services).await;
    }
    let config = Config::load(up::file(folder).as_deref())?;
    let database = database::open(&config).await?;
    stack.offer_database(&database::url(&database));
    let result = migrate_these(&stack, &services).await;
    database.stop().await?;
    result
}

async fn migrate_these(stack: &StackConfig, services: &[ServiceName]) -> anyhow::Result<()> {
    for service in services {
        migrate_one(stack, *service).await?;
        terminal::say(format!("the schema of {} is up to date", service.name()));
    }
    Ok(())
}

/// `heliograph seed`.
pub(super) async fn seed(folder: Option<&Path>) -> anyhow::Result<()> {
    with_database(folder, async |stack| {
        migrate_all(stack).await?;
        let pool = tools::database::pool(&stack.tools.database)?;
        let seeded = seed_demo(stack, &pool).await?;
        make_vectors(stack, &pool).await?;
        terminal::say(if seeded {
            "the demo data are loaded"
        } else {
            "the database already has data; nothing was loaded"
        });
        pool.close().await;
        Ok(())
    })
    .await
}

/// `heliograph ingest`: through the services if they run, otherwise into the database.
pub(super) async fn ingest(folder: Option<&Path>, options: Ingest) -> anyhow::Result<()> {
    for path in &options.files {
        std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let at = (options.at.url.clone(), options.at.user.clone());
    let elsewhere = at.0.is_some() || at.1.is_some();
    if elsewhere || plants::services_run(folder).await? {
        if options.tenant.is_some() {
            bail!(
                "--tenant is for a database that no service uses; the services use the tenant of your account"
            );
        }
        let at = (at.0.as_deref(), at.1.as_deref());
        return client::with_client(folder, at, async |client| {
            let (files, query) = parts(options);
            let mut refused = 0;
            for path in &files {
                let report = plants::send_readings(&client, path, &query)
                    .await
                    .with_context(|| format!("{} was not loaded", path.display()))?;
                refused += report.refused;
                tell(path, &report);
            }
            rejected(refused)
        })
        .await;
    }
    ingest_directly(folder, options).await
}

async fn ingest_directly(folder: Option<&Path>, options: Ingest) -> anyhow::Result<()> {
    with_database(folder, async |stack| {
        migrate_all(stack).await?;
        let pool = tools::database::pool(&stack.tools.database)?;
        let tenant = options.tenant.clone().unwrap_or_else(|| "demo".to_owned());
        let (files, query) = parts(options);
        let mut refused = 0;
        for path in &files {
            let source = ingest::Source::open(path)
                .await
                .with_context(|| format!("cannot read {}", path.display()))?;
            let read = IngestOptions::from_query(source.format, &query)
                .map_err(|invalid| faults(&invalid))?;
            let mut told = Instant::now();
            let report = ingest::file(&pool, &tenant, source, &read, |progress: Progress| {
                if told.elapsed() >= PROGRESS_INTERVAL {
                    told = Instant::now();
                    terminal::note(format!("{}: {} rows", path.display(), progress.rows));
                }
            })
            .await
            .with_context(|| format!("{} broke off", path.display()))?;
            refused += report.refused;
            tell(path, &report);
        }
        pool.close().await;
        rejected(refused)
    })
    .await
}

fn rejected(rows: u64) -> anyhow::Result<()> {
    if rows > 0 {
        bail!("{rows} rows were rejected");
    }
    Ok(())
}

/// The files and the query of the options.
fn parts(options: Ingest) -> (Vec<PathBuf>, IngestQuery) {
    let query = IngestQuery {
        site: options.site,
        logger_id: options.logger_id,
        logger_type: options.logger_type,
        timezone: options.timezone,
        columns: options.columns,
        delimiter: options.delimiter,
        decimal: options.decimal,
        missing: options.missing,
        earliest: options.earliest,
    };
    (options.files, query)
}

/// `heliograph sites`.
pub(super) async fn sites(folder: Option<&Path>, file: &Path, tenant: &str) -> anyhow::Result<()> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    with_database(folder, async |stack| {
        migrate_all(stack).await?;
        let pool = tools::database::pool(&stack.tools.database)?;
        let applied = ingest::sites::apply(&pool, tenant, &text).await?;
        terminal::say(format!(
            "{} sites and {} loggers are up to date",
            applied.sites, applied.loggers
        ));
        pool.close().await;
        Ok(())
    })
    .await
}

/// Migrates the schemas of the services that have a database here.
pub async fn migrate_all(stack: &StackConfig) -> anyhow::Result<()> {
    for service in [
        ServiceName::Tools,
        ServiceName::Bff,
        ServiceName::Orchestrator,
    ] {
        if stack.database_of(service).url.is_some() {
            migrate_one(stack, service).await?;
        }
    }
    Ok(())
}

async fn migrate_one(stack: &StackConfig, service: ServiceName) -> anyhow::Result<()> {
    let config = stack.database_of(service);
    let pool = match service {
        ServiceName::Tools => tools::database::pool(config),
        ServiceName::Bff => bff::database::pool(config),
        ServiceName::Orchestrator => orchestrator::database::pool(config),
    }?;
    // Connect first, so that a wrong address is not reported as a failed migration.
    service_kit::database::reach(&pool).await?;
    match service {
        ServiceName::Tools => tools::migrate(&pool).await,
        ServiceName::Bff => bff::migrate(&pool).await,
        ServiceName::Orchestrator => orchestrator::migrate(&pool).await,
    }
    .with_context(|| format!("the schema of {}", service.name()))?;
    pool.close().await;
    Ok(())
}

async fn seed_demo(stack: &StackConfig, pool: &PgPool) -> anyhow::Result<bool> {
    let readings = demo_park::seed(pool, |text| terminal::note(text))
        .await
        .context("the demo data")?;
    // Without vectors, which take longer. The tools service computes them in the background.
    let library = knowledge_tools::library(&stack.tools.knowledge, pool.clone(), None)?;
    let documents = demo_documents::seed(&library)
        .await
        .context("the demo's documents")?;
    let shipments = seed_schemas(pool).await?;
    Ok(readings || documents || shipments)
}

/// Fills the schemas of the demonstration. A role that may not create schemas gets the rest of the
/// demonstration.
async fn seed_schemas(pool: &PgPool) -> anyhow::Result<bool> {
    if let Err(error) = demo_inventory::migrate(pool).await {
        let error = anyhow::Error::from(error);
        terminal::note(format!(
            "the demonstration has no emission inventory: {error:#}"
        ));
    }
    match demo_freight::seed(pool).await {
        Ok(loaded) => Ok(loaded),
        Err(error @ SeedError::Schema(_)) => {
            let error = anyhow::Error::from(error);
            terminal::note(format!("the demonstration has no shipments: {error:#}"));
            Ok(false)
        }
        Err(error) => Err(error).context("the demo's shipments"),
    }
}

/// Computes the vectors of the demo documents if there is a model.
async fn make_vectors(stack: &StackConfig, pool: &PgPool) -> anyhow::Result<()> {
    let Some(embedder) = knowledge_tools::embedder(&stack.tools.embedding)? else {
        return Ok(());
    };
    terminal::note("computing vectors of the demo documents");
    let library = knowledge_tools::library(&stack.tools.knowledge, pool.clone(), Some(embedder))?;
    let caught_up = library.catch_up(demo_park::TENANT).await?;
    if let Some(failure) = caught_up.failure {
        terminal::note(format!(
            "{} chunks have no vector yet: {failure}",
            caught_up.left
        ));
    }
    Ok(())
}

fn tell(path: &Path, report: &IngestReport) {
    terminal::say(format!(
        "{}: {} new, {} replaced, {} without a value, {} refused",
        path.display(),
        report.accepted,
        report.replaced,
        report.empty,
        report.refused
    ));
    if let Some(read_as) = &report.read_as
        && !read_as.found.is_empty()
    {
        terminal::say(format!(
            "  detected: delimiter {:?}, decimal mark {:?}",
            read_as.delimiter, read_as.decimal
        ));
    }
    if let Some(hour) = report.doubled_hour {
        terminal::say(format!(
            "  in the repeated hour at the end of summer time: {} rows put in order, {} rejected",
            hour.ordered, hour.refused
        ));
    }
    for refusal in report.refusals.iter().take(10) {
        terminal::say(format!("  row {}: {}", refusal.row, refusal.reason));
    }
}

fn faults(faults: &[contracts::problem::FieldError]) -> anyhow::Error {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| format!("{} {}", fault.pointer.trim_start_matches('/'), fault.detail))
        .collect();
    anyhow::anyhow!(lines.join("; "))
}
