//! `heliograph sources`: search sources of the analyst, over HTTP.

use std::path::Path;

use anyhow::{Context, bail};
use contracts::sources::{
    ChangeSource, NewEndpoint, NewSource, SourceDetails, SourceEntries, SourceIndex, SourceInfo,
    SourceTest,
};
use contracts::targets::{Engine, NewConnection};
use contracts::tools::search::SourceKind;
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::client::print_lines;
use super::targets::{certificates, decoded, segment, tls};
use super::{password, targets};
use crate::chat::ChatClient;
use crate::cli::{AddSource, SourcesCommand};

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: SourcesCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        let secret = match &command {
            SourcesCommand::Add(new) => secret_of(new)?,
            _ => None,
        };
        carry_out(client, command, secret).await
    })
    .await
}

/// The credential that is typed, if the source needs one.
fn secret_of(new: &AddSource) -> anyhow::Result<Option<SecretString>> {
    let url = Url::parse(&new.address).context("the address is not a URL")?;
    let host = url.host_str().unwrap_or_default();
    let prompt = if is_postgres(&url) {
        if let Some(secret) = url.password() {
            return Ok(Some(decoded(secret)?.into()));
        }
        format!("Password of {} at {host}", decoded(url.username())?)
    } else if new.api_key {
        format!("API key for {host}")
    } else if let Some(user) = &new.login {
        format!("Password of {user} at {host}")
    } else {
        return Ok(None);
    };
    password::ask(&prompt).map(Some)
}

fn is_postgres(url: &Url) -> bool {
    matches!(url.scheme(), "postgres" | "postgresql")
}

/// Runs a command with a client; the lines that it prints at its end.
pub async fn carry_out(
    client: &ChatClient,
    command: SourcesCommand,
    secret: Option<SecretString>,
) -> anyhow::Result<Vec<String>> {
    match command {
        SourcesCommand::List => list(client).await,
        SourcesCommand::Add(new) => add(client, &new, secret).await,
        SourcesCommand::Test { name } => {
            let path = format!("/api/sources/{}/test", segment(&name)?);
            let tested = client.request(Method::POST, &path, None).await?;
            told(&tested.json().await?)
        }
        SourcesCommand::Show { name, json } => {
            let details = details(client, &name).await?;
            if json {
                let text = serde_json::to_string_pretty(&details.indices)?;
                return Ok(vec![text]);
            }
            Ok(shown(&details))
        }
        SourcesCommand::Describe { name, file } => {
            let text = tokio::fs::read_to_string(&file)
                .await
                .with_context(|| format!("cannot read {}", file.display()))?;
            let indices: Vec<SourceIndex> = serde_json::from_str(&text)
                .with_context(|| format!("{} is not a list of indices", file.display()))?;
            let change = ChangeSource {
                indices: Some(indices),
                ..ChangeSource::default()
            };
            let path = format!("/api/sources/{}", segment(&name)?);
            let body = serde_json::to_value(change)?;
            client.request(Method::PATCH, &path, Some(&body)).await?;
            Ok(shown(&details(client, &name).await?))
        }
        SourcesCommand::Remove { name, confirm } => {
            if name != confirm {
                bail!("--confirm must be the name of the source again");
            }
            let path = format!("/api/sources/{}", segment(&name)?);
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!("{name} is removed")])
        }
    }
}

async fn list(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let list = client.request(Method::GET, "/api/sources", None).await?;
    let list: SourceEntries = list.json().await?;
    if list.sources.is_empty() {
        return Ok(vec![
            "there is no search source yet; `sources add` connects one".to_owned(),
        ]);
    }
    Ok(list.sources.iter().map(summary).collect())
}

fn summary(source: &SourceInfo) -> String {
    let kind = match source.kind {
        SourceKind::Postgresql => "postgresql",
        SourceKind::Elasticsearch => "elasticsearch",
        SourceKind::Graphql => "graphql",
    };
    let place = match (&source.endpoint, &source.connection) {
        (Some(it), _) => format!("  {}", it.url),
        (None, Some(it)) => format!("  {}@{}:{}/{}", it.username, it.host, it.port, it.database),
        (None, None) if source.fixed => "  configuration file".to_owned(),
        (None, None) => String::new(),
    };
    let state = match &source.problem {
        _ if source.replaced_by_fixed => {
            "  not used: a source of the configuration has this name".to_owned()
        }
        Some(problem) => format!("  {problem}"),
        None => String::new(),
    };
    format!("{}  {kind}{place}{state}", source.name)
}

async fn add(
    client: &ChatClient,
    new: &AddSource,
    secret: Option<SecretString>,
) -> anyhow::Result<Vec<String>> {
    let body = serde_json::to_value(described(new, secret)?)?;
    if new.test {
        let path = "/api/source-tests";
        let tested = client.request(Method::POST, path, Some(&body)).await?;
        return told(&tested.json().await?);
    }
    client
        .request(Method::POST, "/api/sources", Some(&body))
        .await?;
    Ok(shown(&details(client, &new.name).await?))
}

/// A source that the options describe.
fn described(new: &AddSource, secret: Option<SecretString>) -> anyhow::Result<NewSource> {
    let url = Url::parse(&new.address).context("the address is not a URL")?;
    let secret = secret.map(|secret| secret.expose_secret().to_owned());
    let (mut endpoint, mut connection) = (None, None);
    let kind = match url.scheme() {
        "postgres" | "postgresql" => {
            if url.query().is_some() {
                bail!("options in the address are not read; use --tls, --ca and --schema");
            }
            let host = url.host_str().context("the address has no host")?;
            connection = Some(NewConnection {
                engine: Engine::Postgresql,
                host: host.trim_matches(['[', ']']).to_owned(),
                port: url.port(),
                database: decoded(url.path().trim_start_matches('/'))?,
                username: decoded(url.username())?,
                password: secret.context("the password is missing")?,
                tls: tls(new.tls),
                ca_certificate: certificates(new.ca.as_deref())?,
            });
            SourceKind::Postgresql
        }
        "http" | "https" => {
            let (api_key, password) = if new.api_key {
                (secret, None)
            } else {
                (None, secret)
            };
            endpoint = Some(NewEndpoint {
                url: new.address.clone(),
                api_key,
                username: new.login.clone(),
                password,
                headers: std::collections::BTreeMap::new(),
            });
            if new.graphql {
                SourceKind::Graphql
            } else {
                SourceKind::Elasticsearch
            }
        }
        other => bail!(
            "{other}:// is not a search source; write https://…, postgres://…, or use `targets add` for a database to ask in SQL"
        ),
    };
    let schema = new.schema.as_deref();
    let index = |name: &String| SourceIndex {
        name: name.clone(),
        table: schema
            .filter(|_| kind == SourceKind::Postgresql)
            .map(|schema| format!("{schema}.{name}")),
        nouns: vec![name.replace(['_', '-'], " ")],
        ..SourceIndex::default()
    };
    Ok(NewSource {
        name: new.name.clone(),
        kind,
        description: new.description.clone(),
        endpoint,
        connection,
        schema: new.schema.clone(),
        allow_writing_role: new.allow_writing_role,
        tenant_field: new.tenant_field.clone(),
        time_zone: new.time_zone.clone(),
        indices: new.indices.iter().map(index).collect(),
    })
}

/// The steps of a test; an error if one failed.
fn told(test: &SourceTest) -> anyhow::Result<Vec<String>> {
    let mut lines = targets::steps(&test.steps);
    let indices = test.indices.iter();
    lines.extend(indices.map(|index| format!("  {} ({} fields)", index.name, index.fields)));
    if test.ok {
        Ok(lines)
    } else {
        bail!("{}", lines.join("\n"))
    }
}

async fn details(client: &ChatClient, name: &str) -> anyhow::Result<SourceDetails> {
    let path = format!("/api/sources/{}", segment(name)?);
    let found = client.request(Method::GET, &path, None).await?;
    Ok(found.json().await?)
}

fn shown(details: &SourceDetails) -> Vec<String> {
    let mut lines = vec![summary(&details.source)];
    let about = details.source.description.iter();
    lines.extend(about.map(|text| format!("  {text}")));
    let Some(description) = &details.description else {
        return lines;
    };
    lines.extend(description.unavailable.clone());
    for index in &description.indices {
        let about = index.description.as_deref();
        let about = about.map(|text| format!("  {text}")).unwrap_or_default();
        lines.push(format!("  {}{about}", index.name));
        for field in &index.fields {
            let kind = serde_json::to_value(field.field_type).unwrap_or_default();
            let about = field.description.as_deref();
            let about = about.map(|text| format!("  {text}")).unwrap_or_default();
            lines.push(format!(
                "    {} {}{about}",
                field.name,
                kind.as_str().unwrap_or_default()
            ));
        }
    }
    lines
}
