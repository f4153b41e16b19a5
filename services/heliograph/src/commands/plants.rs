//! `heliograph sites` and `heliograph ingest` while the services run: clients of the public API.

use std::path::Path;

use anyhow::{Context, bail};
use chrono::{DateTime, Utc};
use contracts::measurements::{IngestQuery, IngestReport};
use contracts::sites::{
    LoggerDescription, PutSites, SiteDescription, SiteList, SiteLoggerList, StoredSites,
};
use figment::Figment;
use figment::providers::{Format as _, Toml};
use reqwest::Method;

use super::client::with_client;
use super::{data, up};
use crate::chat::{ChatClient, ChatError, credentials};
use crate::cli::{AddSite, Sites, SitesCommand};
use crate::config::Config;
use crate::terminal;

/// Whether services run that a command can use.
pub(super) async fn services_run(folder: Option<&Path>) -> anyhow::Result<bool> {
    let config = Config::load(up::file(folder).as_deref())?;
    let Some(saved) = credentials::load(&config.data.folder) else {
        return Ok(false);
    };
    let alive = service_kit::http_client()?
        .get(format!("{}/health/live", saved.url))
        .send()
        .await;
    Ok(alive.is_ok_and(|answer| answer.status().is_success()))
}

/// `heliograph sites`.
pub(super) async fn sites(folder: Option<&Path>, options: Sites) -> anyhow::Result<()> {
    let at = (options.at.url.as_deref(), options.at.user.as_deref());
    let elsewhere = options.at.url.is_some() || options.at.user.is_some();
    let running = elsewhere || services_run(folder).await?;
    if let (None, Some(file), false) = (&options.command, &options.file, running) {
        return data::sites(folder, file, options.tenant.as_deref().unwrap_or("demo")).await;
    }
    if options.tenant.is_some() {
        bail!(
            "--tenant is for a database that no service uses; the services use the tenant of your account"
        );
    }
    let command = match (options.command, options.file) {
        (Some(command), _) => command,
        (None, Some(file)) => {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let sites = parse(&text).with_context(|| format!("{} is not valid", file.display()))?;
            return with_client(folder, at, async |client| {
                terminal::say(put(&client, &sites).await?);
                Ok(())
            })
            .await;
        }
        (None, None) => bail!("name a TOML file, or a subcommand"),
    };
    with_client(folder, at, async |client| {
        for line in carry_out(&client, command).await? {
            terminal::say(line);
        }
        Ok(())
    })
    .await
}

/// The sites of a TOML file.
pub fn parse(text: &str) -> anyhow::Result<PutSites> {
    let sites: PutSites =
        Figment::from(Toml::string(text.trim_start_matches('\u{feff}'))).extract()?;
    if sites.sites.is_empty() {
        bail!("it describes no site; describe one with [[sites]]");
    }
    Ok(sites)
}

/// Creates or updates sites.
pub async fn put(client: &ChatClient, sites: &PutSites) -> anyhow::Result<String> {
    let body = serde_json::to_value(sites)?;
    let stored: StoredSites = client
        .request(Method::POST, "/api/sites", Some(&body))
        .await?
        .json()
        .await?;
    let counted = |count: u64, word: &str| match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    };
    Ok(format!(
        "{} and {} are up to date",
        counted(stored.sites, "site"),
        counted(stored.loggers, "logger")
    ))
}

/// Runs a subcommand; the lines that it prints.
pub async fn carry_out(client: &ChatClient, command: SitesCommand) -> anyhow::Result<Vec<String>> {
    match command {
        SitesCommand::List => list(client).await,
        SitesCommand::Add(named) => {
            let before = match present(client, &named.id).await {
                Ok(before) => before,
                Err(ChatError::Refused(problem)) if problem.status == 403 => {
                    terminal::note(
                        "This sign-in may not read sites: values of the site that are not named get their defaults.",
                    );
                    None
                }
                Err(error) => return Err(error.into()),
            };
            let site = with_named(before, *named);
            Ok(vec![put(client, &PutSites { sites: vec![site] }).await?])
        }
        SitesCommand::Delete { id, confirm } => delete(client, "sites", &id, &confirm).await,
        SitesCommand::DeleteLogger { id, confirm } => {
            delete(client, "loggers", &id, &confirm).await
        }
    }
}

/// The site of this id as it is now.
async fn present(client: &ChatClient, id: &str) -> Result<Option<SiteDescription>, ChatError> {
    let answer = client.request(Method::GET, "/api/sites", None).await?;
    let list: SiteList = answer.json().await?;
    Ok(list.sites.into_iter().find(|site| site.id == id))
}

/// A site with the values that are named. The others stay, and so do its loggers.
fn with_named(before: Option<SiteDescription>, named: AddSite) -> SiteDescription {
    let before = before.unwrap_or_else(|| SiteDescription {
        id: named.id.clone(),
        name: None,
        timezone: named.timezone.clone(),
        latitude: None,
        longitude: None,
        altitude_m: None,
        tilt_deg: None,
        azimuth_deg: None,
        tariff_per_kwh: None,
        currency: None,
        co2_factor: None,
        loggers: Vec::new(),
    });
    SiteDescription {
        name: named.name.or(before.name),
        timezone: named.timezone,
        latitude: named.latitude.or(before.latitude),
        longitude: named.longitude.or(before.longitude),
        tariff_per_kwh: named.tariff.or(before.tariff_per_kwh),
        currency: named.currency.or(before.currency),
        loggers: Vec::new(),
        ..before
    }
}

async fn list(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let sites: SiteList = client
        .request(Method::GET, "/api/sites", None)
        .await?
        .json()
        .await?;
    let loggers: SiteLoggerList = client
        .request(Method::GET, "/api/loggers", None)
        .await?
        .json()
        .await?;
    if sites.sites.is_empty() {
        return Ok(vec![
            "there is no site yet; `sites add` creates one".to_owned(),
        ]);
    }
    let mut lines = Vec::new();
    for site in &sites.sites {
        let name = site
            .name
            .as_deref()
            .filter(|name| *name != site.id)
            .map(|name| format!("  {name}"))
            .unwrap_or_default();
        lines.push(format!("{}{name}  ({})", site.id, site.timezone));
        for logger in loggers
            .loggers
            .iter()
            .filter(|logger| logger.site == site.id)
        {
            let LoggerDescription {
                id,
                role,
                logger_type,
                ..
            } = &logger.logger;
            let range = match (logger.earliest, logger.latest) {
                (Some(first), Some(last)) => {
                    let day = |at: DateTime<Utc>| day_at(at, &site.timezone);
                    format!(", {} to {}", day(first), day(last))
                }
                _ => String::new(),
            };
            lines.push(format!(
                "  {id}  {} ({}), {} readings{range}",
                role.as_deref().unwrap_or("inverter"),
                logger_type.as_deref().unwrap_or("unknown"),
                logger.readings
            ));
        }
    }
    Ok(lines)
}

/// The day of a site. Of a zone that this program does not know, the day in UTC, which it says.
fn day_at(at: DateTime<Utc>, zone: &str) -> String {
    match zone.parse::<chrono_tz::Tz>() {
        Ok(zone) => at.with_timezone(&zone).format("%Y-%m-%d").to_string(),
        Err(_) => at.format("%Y-%m-%d (UTC)").to_string(),
    }
}

async fn delete(
    client: &ChatClient,
    what: &str,
    id: &str,
    confirm: &str,
) -> anyhow::Result<Vec<String>> {
    let segment: String = form_urlencoded::byte_serialize(id.as_bytes())
        .collect::<String>()
        .replace('+', "%20");
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("confirm", confirm)
        .finish();
    let path = format!("/api/{what}/{segment}?{query}");
    client.request(Method::DELETE, &path, None).await?;
    Ok(vec![format!("{id} is deleted, with its readings")])
}

/// Sends a file of readings to the services.
pub(super) async fn send_readings(
    client: &ChatClient,
    path: &Path,
    query: &IngestQuery,
) -> anyhow::Result<IngestReport> {
    let source = tools::ingest::Source::open(path)
        .await
        .with_context(|| format!("cannot read {}", path.display()))?;
    let media_type = match source.format {
        tools::ingest::Format::JsonArray => "application/json",
        tools::ingest::Format::JsonLines => "application/x-ndjson",
        tools::ingest::Format::Csv => "text/csv",
    };
    let query = query_string(query)?;
    let separator = if query.is_empty() { "" } else { "?" };
    let file = tokio::fs::File::open(path)
        .await
        .with_context(|| format!("cannot read {}", path.display()))?;
    let encoding = source.compressed.then_some("gzip");
    let path = format!("/api/measurements{separator}{query}");
    let answer = client.upload(&path, (media_type, encoding), file).await?;
    Ok(answer.json().await?)
}

/// The members of a value as a query.
pub(super) fn query_string(value: &impl serde::Serialize) -> anyhow::Result<String> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    if let serde_json::Value::Object(members) = serde_json::to_value(value)? {
        for (name, value) in members {
            let text = match value {
                serde_json::Value::Null => continue,
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            };
            query.append_pair(&name, &text);
        }
    }
    Ok(query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_that_of_the_site() {
        let at = "2025-05-31T22:30:00Z".parse().unwrap();
        assert_eq!(day_at(at, "Europe/Berlin"), "2025-06-01");
        assert_eq!(day_at(at, "America/New_York"), "2025-05-31");
        assert_eq!(day_at(at, "Mars"), "2025-05-31 (UTC)");
    }
}
