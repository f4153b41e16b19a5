//! `heliograph upstreams`: HTTP APIs and MCP servers whose operations are tools, over HTTP.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use contracts::upstreams::{
    ChangeUpstream, NewUpstream, NewUpstreamEndpoint, OfferedTool, OpaqueToken, UpstreamAccess,
    UpstreamDetails, UpstreamInfo, UpstreamKind, UpstreamList, UpstreamTest, UpstreamToken,
    UpstreamTool,
};
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::json;
use url::Url;

use super::client::print_lines;
use super::password;
use super::targets::{segment, steps};
use crate::chat::ChatClient;
use crate::cli::{AddUpstream, UpstreamsCommand};

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: UpstreamsCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        let secrets = secrets_of(&command)?;
        carry_out(client, command, secrets).await
    })
    .await
}

/// The values that are typed: one per header, or a person's token.
fn secrets_of(command: &UpstreamsCommand) -> anyhow::Result<Vec<SecretString>> {
    match command {
        UpstreamsCommand::Add(new) => {
            let host = Url::parse(&new.address).context("the address is not a URL")?;
            let host = host.host_str().unwrap_or_default().to_owned();
            let headers = new.headers.iter();
            let headers = headers.map(|name| password::ask(&format!("Value of {name} for {host}")));
            let own = asks_as_person(new)
                .then(|| password::ask(&format!("Your own token for {host}, for the test")));
            headers.chain(own).collect()
        }
        UpstreamsCommand::Connect { name } => {
            Ok(vec![password::ask(&format!("Your token for {name}"))?])
        }
        _ => Ok(Vec::new()),
    }
}

/// Runs a command with a client; the lines that it prints at its end.
pub async fn carry_out(
    client: &ChatClient,
    command: UpstreamsCommand,
    secrets: Vec<SecretString>,
) -> anyhow::Result<Vec<String>> {
    match command {
        UpstreamsCommand::List => list(client).await,
        UpstreamsCommand::Add(new) => add(client, &new, &secrets).await,
        UpstreamsCommand::Test { name } => {
            let path = format!("/api/upstreams/{}/test", segment(&name)?);
            let tested = client.request(Method::POST, &path, None).await?;
            told(&tested.json().await?)
        }
        UpstreamsCommand::Show { name, json } => {
            let details = details(client, &name).await?;
            if !json {
                return Ok(shown(&details));
            }
            let text = match details.upstream.kind {
                UpstreamKind::Http => serde_json::to_string_pretty(&details.operations)?,
                UpstreamKind::Mcp => serde_json::to_string_pretty(&details.tools)?,
            };
            Ok(vec![text])
        }
        UpstreamsCommand::Describe { name, file } => {
            let kind = details(client, &name).await?.upstream.kind;
            let mut change = ChangeUpstream::default();
            match kind {
                UpstreamKind::Http => change.operations = Some(read(&file).await?),
                UpstreamKind::Mcp => change.tools = Some(read(&file).await?),
            }
            let path = format!("/api/upstreams/{}", segment(&name)?);
            let body = serde_json::to_value(change)?;
            client.request(Method::PATCH, &path, Some(&body)).await?;
            Ok(shown(&details(client, &name).await?))
        }
        UpstreamsCommand::Connect { name } => {
            let token = secrets.first().context("the token is missing")?;
            let path = format!("/api/credentials/{}", segment(&name)?);
            let body = json!({ "access_token": token.expose_secret() });
            let kept = client.request(Method::PUT, &path, Some(&body)).await?;
            let kept: serde_json::Value = kept.json().await?;
            let state = kept["state"].as_str().unwrap_or_default();
            if matches!(state, "refused" | "expired") {
                bail!("{}", kept["message"].as_str().unwrap_or(state));
            }
            Ok(vec![format!("{name}: {state}")])
        }
        UpstreamsCommand::Disconnect { name } => {
            let path = format!("/api/credentials/{}", segment(&name)?);
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!("your token for {name} is deleted")])
        }
        UpstreamsCommand::Remove { name, confirm } => {
            if name != confirm {
                bail!("--confirm must be the name of the upstream again");
            }
            let path = format!("/api/upstreams/{}", segment(&name)?);
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!("{name} is removed")])
        }
    }
}

/// Whether the test needs the token of the person.
fn asks_as_person(new: &AddUpstream) -> bool {
    new.person && (new.test || !new.tools.is_empty())
}

async fn read<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    let text = tokio::fs::read_to_string(file)
        .await
        .with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not a list of operations or tools", file.display()))
}

async fn list(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let list = client.request(Method::GET, "/api/upstreams", None).await?;
    let list: UpstreamList = list.json().await?;
    if list.upstreams.is_empty() {
        return Ok(vec![
            "there is no upstream yet; `upstreams add` connects an HTTP API or an MCP server"
                .to_owned(),
        ]);
    }
    Ok(list.upstreams.iter().map(summary).collect())
}

fn summary(upstream: &UpstreamInfo) -> String {
    let kind = match upstream.kind {
        UpstreamKind::Http => "http",
        UpstreamKind::Mcp => "mcp",
    };
    let rights = match upstream.access {
        UpstreamAccess::Person => "each person's rights",
        UpstreamAccess::Service => "rights for all",
    };
    let place = match &upstream.endpoint {
        Some(endpoint) => format!("  {}", endpoint.base_url),
        None if upstream.fixed => "  configuration file".to_owned(),
        None => String::new(),
    };
    let state = match &upstream.problem {
        _ if upstream.replaced_by_fixed => {
            "  not used: an upstream of the configuration has this name".to_owned()
        }
        Some(problem) => format!("  {problem}"),
        None => String::new(),
    };
    let count = upstream.tools.len();
    let tools = if count == 1 { "tool" } else { "tools" };
    format!(
        "{}  {kind}  {count} {tools}  {rights}{place}{state}",
        upstream.name
    )
}

async fn add(
    client: &ChatClient,
    new: &AddUpstream,
    secrets: &[SecretString],
) -> anyhow::Result<Vec<String>> {
    let mut wanted = described(new, secrets)?;
    match (&new.file, wanted.kind) {
        (Some(file), UpstreamKind::Http) => wanted.operations = read(file).await?,
        (Some(file), UpstreamKind::Mcp) => wanted.tools = read(file).await?,
        (None, _) => {}
    }
    if !new.tools.is_empty() && !new.mcp {
        bail!(
            "--tool names a tool of an MCP server; add --mcp, or describe operations with --file"
        );
    }
    if new.test || !new.tools.is_empty() {
        let path = "/api/upstream-tests";
        let body = serde_json::to_value(&wanted)?;
        let tested = client.request(Method::POST, path, Some(&body)).await?;
        let tested: UpstreamTest = tested.json().await?;
        if new.test || !tested.ok {
            let mut lines = told(&tested)?;
            if new.person && new.mcp && tested.tools.is_empty() {
                lines.push("  it shows its tools to a person only; give it your token".to_owned());
            }
            return Ok(lines);
        }
        for name in &new.tools {
            wanted.tools.push(chosen(name, &tested.tools)?);
        }
    }
    let body = serde_json::to_value(&wanted)?;
    client
        .request(Method::POST, "/api/upstreams", Some(&body))
        .await?;
    let mut lines = shown(&details(client, &new.name).await?);
    if wanted.operations.is_empty() && wanted.tools.is_empty() {
        let how = match wanted.kind {
            UpstreamKind::Http => "`upstreams describe` gives it operations",
            UpstreamKind::Mcp if new.person => {
                "`upstreams connect` takes your token, `upstreams test` lists its tools, `upstreams describe` chooses"
            }
            UpstreamKind::Mcp => "`upstreams test` lists its tools, `upstreams describe` chooses",
        };
        lines.push(format!("  it has no tools yet; {how}"));
    }
    Ok(lines)
}

/// An upstream that the options describe, without operations and tools.
fn described(new: &AddUpstream, secrets: &[SecretString]) -> anyhow::Result<NewUpstream> {
    let asks = usize::from(asks_as_person(new));
    if secrets.len() != new.headers.len() + asks {
        bail!("the value of a header, or your token, is missing");
    }
    let (headers, own) = secrets.split_at(new.headers.len());
    let values = headers
        .iter()
        .map(|secret| secret.expose_secret().to_owned());
    let headers: BTreeMap<String, String> = new.headers.iter().cloned().zip(values).collect();
    // Many servers give out tokens that only they can read.
    let opaque = UpstreamToken {
        opaque: Some(OpaqueToken::Valid),
        ..UpstreamToken::default()
    };
    Ok(NewUpstream {
        name: new.name.clone(),
        kind: if new.mcp {
            UpstreamKind::Mcp
        } else {
            UpstreamKind::Http
        },
        endpoint: NewUpstreamEndpoint {
            base_url: new.address.clone(),
            access: if new.person {
                UpstreamAccess::Person
            } else {
                UpstreamAccess::Service
            },
            headers,
            token: new.person.then_some(opaque),
        },
        timeout_ms: new.timeout_ms,
        max_response_bytes: None,
        operations: Vec::new(),
        tools: Vec::new(),
        test_token: own
            .first()
            .map(|token| token.expose_secret().to_owned())
            .filter(|token| !token.is_empty()),
    })
}

/// A tool of the server as a tool here, in the server's words.
fn chosen(name: &str, offered: &[OfferedTool]) -> anyhow::Result<UpstreamTool> {
    let found = offered.iter().find(|tool| tool.name == name);
    let found = found.with_context(|| {
        let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
        format!(
            "the server has no tool {name}; it has: {}",
            names.join(", ")
        )
    })?;
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let own: String = name.chars().map(plain).take(64).collect();
    let description = if found.description.trim().is_empty() {
        name
    } else {
        &found.description
    };
    let mut schema = found.schema.clone();
    schema.entry("type").or_insert_with(|| json!("object"));
    Ok(UpstreamTool {
        tool: (own != name).then(|| name.to_owned()),
        name: own,
        description: description.to_owned(),
        schema: Some(schema),
        response: contracts::upstreams::ReturnedPart::default(),
    })
}

/// The steps of a test; an error if one failed.
fn told(test: &UpstreamTest) -> anyhow::Result<Vec<String>> {
    let mut lines = steps(&test.steps);
    for tool in &test.tools {
        let reads = match tool.only_reads {
            Some(true) => "  (only reads)",
            Some(false) => "  (may write)",
            None => "",
        };
        let about = tool.description.lines().next().unwrap_or_default();
        lines.push(format!("  {}{reads}  {about}", tool.name));
    }
    if test.ok {
        Ok(lines)
    } else {
        bail!("{}", lines.join("\n"))
    }
}

async fn details(client: &ChatClient, name: &str) -> anyhow::Result<UpstreamDetails> {
    let path = format!("/api/upstreams/{}", segment(name)?);
    let found = client.request(Method::GET, &path, None).await?;
    Ok(found.json().await?)
}

fn shown(details: &UpstreamDetails) -> Vec<String> {
    let mut lines = vec![summary(&details.upstream)];
    let operations = details.operations.iter();
    let operations = operations.map(|one| (&one.name, &one.description));
    let tools = details.tools.iter();
    let tools = tools.map(|one| (&one.name, &one.description));
    let described: BTreeMap<&String, &String> = operations.chain(tools).collect();
    for name in &details.upstream.tools {
        let about = described.get(name).and_then(|text| text.lines().next());
        lines.push(format!("  {name}  {}", about.unwrap_or_default()));
    }
    lines
}
