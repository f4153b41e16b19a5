//! `heliograph targets`: databases and spreadsheets that questions are put to, over HTTP.

mod export;

use std::io::{IsTerminal, Write as _, stdin};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use contracts::targets::{
    Engine, NewConnection, NewTarget, ReadSpreadsheet, SheetReading, SpreadsheetPreview,
    TargetDetails, TargetInfo, TargetJobStatus, TargetKind, TargetList, TargetPolicy, TargetTest,
    TargetTestStep, TargetTls,
};
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::client::print_lines;
use super::plants::query_string;
use super::{catalogue, password};
use crate::chat::ChatClient;
use crate::cli::{AddTarget, LoadTarget, TargetsCommand, Tls};
use crate::terminal;

/// Interval between looks at a job.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// Looks at a job before the command leaves it to itself.
const MOST_LOOKS: u32 = 1_000;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: TargetsCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        let secret = match &command {
            TargetsCommand::Add(new) => Some(secret_of(new)?),
            TargetsCommand::Password { name } => Some(password::ask(&format!(
                "New password of the role of {name}"
            ))?),
            _ => None,
        };
        carry_out(client, command, secret).await
    })
    .await
}

/// The password of a new database: that of its address, or the one that is typed.
fn secret_of(new: &AddTarget) -> anyhow::Result<SecretString> {
    let url = Url::parse(&new.address).context("the address is not a URL")?;
    match url.password() {
        Some(secret) => Ok(decoded(secret)?.into()),
        None => password::ask(&format!(
            "Password of {} at {}",
            decoded(url.username())?,
            url.host_str().unwrap_or_default()
        )),
    }
}

/// Runs a command with a client; the lines that it prints at its end.
pub async fn carry_out(
    client: &ChatClient,
    command: TargetsCommand,
    secret: Option<SecretString>,
) -> anyhow::Result<Vec<String>> {
    match command {
        TargetsCommand::List => list(client).await,
        TargetsCommand::Add(new) => {
            let secret = secret.context("the password is missing")?;
            add(client, &new, &secret).await
        }
        TargetsCommand::Load(file) => load(client, &file).await,
        TargetsCommand::Test { name } => {
            let path = format!("/api/targets/{}/test", segment(&name)?);
            let tested = client.request(Method::POST, &path, None).await?;
            told(&tested.json().await?)
        }
        TargetsCommand::Show { name, columns } => {
            let details = details(client, &name).await?;
            let notes = details.target.file.iter().flat_map(|file| &file.notes);
            let notes: Vec<String> = notes.map(|note| format!("note: {note}")).collect();
            Ok([shown(&details, columns), notes].concat())
        }
        TargetsCommand::Password { name } => {
            let secret = secret.context("the password is missing")?;
            let path = format!("/api/targets/{}", segment(&name)?);
            let change = serde_json::json!({ "password": secret.expose_secret() });
            client.request(Method::PATCH, &path, Some(&change)).await?;
            Ok(vec![format!("the new password of {name} is stored")])
        }
        TargetsCommand::Remove { name, confirm } => {
            if name != confirm {
                bail!("--confirm must be the name of the target again");
            }
            let path = format!("/api/targets/{}", segment(&name)?);
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!("{name} is removed")])
        }
        TargetsCommand::Refresh { name } => {
            let refreshed = catalogue::refresh(client, Some(segment(&name)?)).await?;
            if !refreshed.failed.is_empty() {
                bail!("{}", refreshed.lines.join("\n"));
            }
            Ok(refreshed.lines)
        }
        TargetsCommand::Export(wanted) => export::run(client, &wanted).await,
    }
}

async fn list(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let list = client.request(Method::GET, "/api/targets", None).await?;
    let list: TargetList = list.json().await?;
    if list.targets.is_empty() {
        return Ok(vec![
            "there is no target yet; `targets add` connects a database, `targets load` a file"
                .to_owned(),
        ]);
    }
    Ok(list.targets.iter().map(summary).collect())
}

fn summary(target: &TargetInfo) -> String {
    let kind = match (target.kind, target.fixed) {
        (_, true) => "configuration file",
        (TargetKind::Database, _) => "database",
        (TargetKind::Spreadsheet, _) => "spreadsheet",
    };
    let state = match (&target.problem, &target.job) {
        _ if target.replaced_by_fixed => {
            "not used: a target of the configuration has this name".to_owned()
        }
        (Some(problem), _) => problem.clone(),
        (None, Some(job)) => match job.status {
            TargetJobStatus::Queued => "is read next".to_owned(),
            TargetJobStatus::Running => {
                format!("is read: {}", progress(&job.step, job.done, job.total))
            }
            TargetJobStatus::Done | TargetJobStatus::Failed => "ready".to_owned(),
        },
        (None, None) => "ready".to_owned(),
    };
    let source = match (&target.connection, &target.file) {
        (Some(it), _) => format!("  {}@{}:{}/{}", it.username, it.host, it.port, it.database),
        (None, Some(file)) => format!("  {} ({} rows)", file.filename, file.rows),
        (None, None) => String::new(),
    };
    format!("{}  {kind}{source}  {state}", target.name)
}

fn progress(step: &str, done: u32, total: u32) -> String {
    if total == 0 {
        step.to_owned()
    } else {
        format!("{step} {done} of {total}")
    }
}

async fn add(
    client: &ChatClient,
    new: &AddTarget,
    secret: &SecretString,
) -> anyhow::Result<Vec<String>> {
    let body = serde_json::to_value(described(new, secret)?)?;
    if new.test {
        let tested = client
            .request(Method::POST, "/api/target-tests", Some(&body))
            .await?;
        return told(&tested.json().await?);
    }
    client
        .request(Method::POST, "/api/targets", Some(&body))
        .await?;
    terminal::note(format!("{} is added; reading its tables", new.name));
    finished(client, &new.name).await
}

/// A target that the options describe.
fn described(new: &AddTarget, secret: &SecretString) -> anyhow::Result<NewTarget> {
    let url = Url::parse(&new.address).context("the address is not a URL")?;
    let engine = match url.scheme() {
        "postgres" | "postgresql" => Engine::Postgresql,
        "mysql" | "mariadb" => Engine::Mysql,
        other => bail!(
            "{other}:// is not a database; write postgres://…, mysql://… or mariadb://…, or use `targets load` for a file"
        ),
    };
    if url.query().is_some() {
        bail!("options in the address are not read; use --tls, --ca and --schema");
    }
    let host = url.host_str().context("the address has no host")?;
    let ca_certificate = certificates(new.ca.as_deref())?;
    Ok(NewTarget {
        name: new.name.clone(),
        description: new.description.clone(),
        connection: NewConnection {
            engine,
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port(),
            database: decoded(url.path().trim_start_matches('/'))?,
            username: decoded(url.username())?,
            password: secret.expose_secret().to_owned(),
            tls: tls(new.tls),
            ca_certificate,
        },
        schemas: new.schemas.clone(),
        allow_writing_role: new.allow_writing_role,
        policy: TargetPolicy {
            hidden_tables: new.hidden.clone(),
            ..TargetPolicy::default()
        },
    })
}

/// The certificates of a file.
pub(super) fn certificates(path: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(path) = path else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(path);
    text.map(Some)
        .with_context(|| format!("cannot read {}", path.display()))
}

/// The encryption as the contract names it.
pub(super) fn tls(tls: Tls) -> TargetTls {
    match tls {
        Tls::Off => TargetTls::Off,
        Tls::Preferred => TargetTls::Preferred,
        Tls::Required => TargetTls::Required,
        Tls::Verified => TargetTls::Verified,
    }
}

/// A part of a URL without its encoding.
pub(super) fn decoded(text: &str) -> anyhow::Result<String> {
    // A plus is itself in these parts.
    let pair = format!("={}", text.replace('+', "%2B"));
    let mut pairs = form_urlencoded::parse(pair.as_bytes());
    let (_, value) = pairs.next().context("the address is not valid")?;
    Ok(value.into_owned())
}

/// The steps of a test, one a line.
pub(super) fn steps(steps: &[TargetTestStep]) -> Vec<String> {
    let line = |step: &TargetTestStep| {
        let outcome = step.problem.as_deref().unwrap_or("ok");
        format!("{:<11} {outcome}", step.step)
    };
    steps.iter().map(line).collect()
}

/// The steps of a test; an error if one failed.
fn told(test: &TargetTest) -> anyhow::Result<Vec<String>> {
    let mut lines = steps(&test.steps);
    if let Some(server) = &test.server {
        let encrypted = match test.encrypted {
            Some(true) => "encrypted",
            _ => "not encrypted",
        };
        lines.push(format!(
            "{server}, {encrypted}, {} tables",
            test.tables.unwrap_or_default()
        ));
    }
    if test.ok {
        Ok(lines)
    } else {
        bail!("{}", lines.join("\n"))
    }
}

/// Waits for the job of a target, and shows what it found.
async fn finished(client: &ChatClient, name: &str) -> anyhow::Result<Vec<String>> {
    let mut said = String::new();
    for _ in 0..MOST_LOOKS {
        let details = details(client, name).await?;
        let Some(job) = &details.target.job else {
            return Ok(shown(&details, false));
        };
        match job.status {
            TargetJobStatus::Done => return Ok(shown(&details, false)),
            TargetJobStatus::Failed => bail!(
                "{name} was added, but cannot be read: {}",
                job.problem
                    .as_deref()
                    .unwrap_or("see the log of the tools service")
            ),
            TargetJobStatus::Queued | TargetJobStatus::Running => {
                let now = progress(&job.step, job.done, job.total);
                if now != said && job.status == TargetJobStatus::Running {
                    terminal::note(&now);
                    said = now;
                }
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(vec![format!(
        "{name} is still being read; `targets show {name}` shows the state"
    )])
}

async fn details(client: &ChatClient, name: &str) -> anyhow::Result<TargetDetails> {
    let path = format!("/api/targets/{}", segment(name)?);
    let found = client.request(Method::GET, &path, None).await?;
    Ok(found.json().await?)
}

fn shown(details: &TargetDetails, columns: bool) -> Vec<String> {
    let mut lines = vec![summary(&details.target)];
    lines.extend(
        details
            .target
            .description
            .iter()
            .map(|text| format!("  {text}")),
    );
    let Some(layer) = &details.layer else {
        return lines;
    };
    lines.push(format!("{} tables", layer.tables.len()));
    for table in &layer.tables {
        let about = table.description.as_deref().map(|text| format!("  {text}"));
        lines.push(format!(
            "  {} ({} columns){}",
            table.name,
            table.columns.len(),
            about.unwrap_or_default()
        ));
        if columns {
            for column in &table.columns {
                let about = column
                    .description
                    .as_deref()
                    .map(|text| format!("  {text}"));
                lines.push(format!(
                    "    {} {}{}",
                    column.name,
                    column.data_type,
                    about.unwrap_or_default()
                ));
            }
        }
    }
    if !layer.joins.is_empty() {
        lines.push(format!("{} joins", layer.joins.len()));
        for join in &layer.joins {
            let guessed = if join.guessed { "  (guessed)" } else { "" };
            lines.push(format!("  {}{guessed}", join.condition()));
        }
    }
    if !layer.questions.is_empty() {
        lines.push("Ask, for example:".to_owned());
        let questions = layer.questions.iter();
        lines.extend(questions.map(|one| format!("  {}", one.question)));
    }
    lines
}

async fn load(client: &ChatClient, wanted: &LoadTarget) -> anyhow::Result<Vec<String>> {
    let bytes = tokio::fs::read(&wanted.file)
        .await
        .with_context(|| format!("cannot read {}", wanted.file.display()))?;
    let filename = wanted.file.file_name().context("this is not a file")?;
    let query = ReadSpreadsheet {
        filename: filename.to_string_lossy().into_owned(),
        types: Some(wanted.types.join(",")).filter(|types| !types.is_empty()),
        keep_totals: wanted.keep_totals,
        has_names: wanted.has_names,
        description: wanted.description.clone(),
    };
    let query = query_string(&query)?;
    let kind = ("application/octet-stream", None);
    let path = format!("/api/target-previews?{query}");
    let preview = client.upload(&path, kind, bytes.clone()).await?;
    let preview: SpreadsheetPreview = preview.json().await?;
    let mut lines = notes(&preview);
    if !wanted.yes {
        for line in previewed(&preview).into_iter().chain(lines) {
            terminal::say(line);
        }
        if wanted.preview || !confirmed()? {
            return Ok(vec!["nothing was loaded".to_owned()]);
        }
        lines = Vec::new();
    }
    let path = format!("/api/targets/{}/file?{query}", segment(&wanted.name)?);
    client.upload(&path, kind, bytes).await?;
    lines.extend(finished(client, &wanted.name).await?);
    Ok(lines)
}

fn previewed(preview: &SpreadsheetPreview) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &preview.tables {
        lines.push(format!("{}  {} rows", table.name, table.rows));
        if !table.left_out.is_empty() {
            lines.push(format!(
                "    {} rows of sums are left out: --keep-totals keeps them",
                table.left_out.len()
            ));
        }
        for column in &table.columns {
            let kind = serde_json::to_value(column.kind).unwrap_or_default();
            let first = table.columns.iter().position(|it| it.name == column.name);
            let example = table.first_rows.first().zip(first);
            let example = example
                .and_then(|(row, at)| row.get(at))
                .map_or("", String::as_str);
            let read = |it: &SheetReading| format!("{} is read as {}", it.cell, it.value);
            let shown = column.reading.as_ref().map_or(example.to_owned(), read);
            lines.push(format!(
                "  {:<24} {:<10} {shown}",
                column.name,
                kind.as_str().unwrap_or_default()
            ));
            if let Some(other) = &column.other {
                lines.push(format!(
                    "    or as {}: --type {}.{}:{}",
                    other.value, table.name, column.name, other.form
                ));
            }
        }
    }
    lines
}

fn notes(preview: &SpreadsheetPreview) -> Vec<String> {
    let notes = preview.notes.iter();
    notes.map(|note| format!("note: {note}")).collect()
}

/// Asks at a terminal. Elsewhere `--yes` is needed.
fn confirmed() -> anyhow::Result<bool> {
    if !stdin().is_terminal() {
        bail!("add --yes to load the file without a question");
    }
    let mut out = std::io::stdout();
    write!(out, "  Load it? [Y/n] ")?;
    out.flush()?;
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(matches!(
        line.trim().to_lowercase().as_str(),
        "" | "y" | "yes"
    ))
}

/// A name in a path.
pub(super) fn segment(name: &str) -> anyhow::Result<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_name) {
        bail!("`{name}` is not a valid name: use a-z, 0-9, _ and -");
    }
    Ok(name)
}
