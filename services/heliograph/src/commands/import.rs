//! `heliograph import`: files of data loggers and tables, over HTTP.

mod show;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use contracts::imports::{
    CreateImport, FileFormat, Import, ImportList, ImportStatus, MappedColumn, ReviseImport,
};
use reqwest::Method;
use serde_json::Value;
use tokio::time::Instant;

use super::client::with_client;
use super::plants::query_string;
use crate::chat::{ChatClient, ChatError};
use crate::cli::ImportOptions;
use crate::terminal;

/// Interval between looks at the progress.
const LOOK_EVERY: Duration = Duration::from_millis(400);
/// Looks between two lines of progress.
const SAY_EVERY: u32 = 5;
/// Files whose previews are shown whole; of more, a line each, unless only previews are wanted.
const PREVIEWS: usize = 20;
/// Time for which services that do not answer are asked again: they may be starting.
const PATIENCE: Duration = Duration::from_mins(5);

/// Runs the command.
pub(super) async fn run(folder: Option<&Path>, options: ImportOptions) -> anyhow::Result<()> {
    for path in &options.paths {
        if !path.exists() {
            bail!("{} does not exist", path.display());
        }
    }
    let at = (options.at.url.as_deref(), options.at.user.as_deref());
    if options.watch {
        return watch::watch(folder, at, &options).await;
    }
    with_client(folder, at, async |client| {
        carry_out(&client, &options).await
    })
    .await
}

/// Runs the command with a client, but watches nothing.
pub async fn carry_out(client: &ChatClient, options: &ImportOptions) -> anyhow::Result<()> {
    if options.list {
        let list: ImportList = client
            .request(Method::GET, "/api/imports", None)
            .await?
            .json()
            .await?;
        list.imports
            .iter()
            .for_each(|import| terminal::say(show::line(import)));
        return Ok(());
    }
    if let Some(id) = &options.cancel {
        let import = post(client, id, "cancel").await?;
        terminal::say(show::line(&import));
        return Ok(());
    }
    if let Some(id) = &options.resume {
        let import = post(client, id, "run").await?;
        return finish(client, vec![import]).await;
    }
    let files = files(&options.paths)?;
    let mut imports = Vec::new();
    for file in &files {
        imports.push(upload(client, file, options).await?);
    }
    for import in &imports {
        if imports.len() <= PREVIEWS || options.preview {
            show::preview(import).iter().for_each(terminal::say);
        } else {
            terminal::say(show::line(import));
        }
    }
    let ready: Vec<Import> = imports
        .into_iter()
        .filter(|import| import.status != ImportStatus::Refused)
        .collect();
    let refused = files.len() - ready.len();
    if ready.is_empty() {
        bail!("nothing was imported");
    }
    if options.preview || !(options.yes || confirmed(&ready)?) {
        terminal::note("nothing was imported; `import --yes` with the same files imports them");
        return Ok(());
    }
    let mut started = Vec::new();
    for import in ready {
        started.push(match import.status {
            ImportStatus::Ready | ImportStatus::Failed => {
                post(client, &import.import_id, "run").await?
            }
            _ => import,
        });
    }
    finish(client, started).await?;
    if refused > 0 {
        bail!("{refused} files could not be imported");
    }
    Ok(())
}

/// The files at these places, those of folders in the order of their names.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        add_files(path, &mut files)?;
    }
    if files.is_empty() {
        bail!(
            "there are no files in {}",
            paths
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    Ok(files)
}

fn add_files(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in
        std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?
    {
        entries.push(entry?.path());
    }
    entries.sort();
    for entry in entries {
        let hidden = entry
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden {
            add_files(&entry, files)?;
        }
    }
    Ok(())
}

/// Uploads a file, and corrects the meaning of its columns if options say so.
async fn upload(
    client: &ChatClient,
    path: &Path,
    options: &ImportOptions,
) -> anyhow::Result<Import> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let query = CreateImport {
        filename: name.clone(),
        site: options.site.clone(),
        timezone: options.timezone.clone(),
        logger_id: options.logger_id.clone(),
        sensor: options.sensor.clone(),
        format: options.format.as_deref().map(format).transpose()?,
        ignore_offset: options.ignore_offset.then_some(true),
        run: None,
    };
    let target = format!("/api/imports?{}", query_string(&query)?);
    let mut import = send(client, path, &target).await?;
    let corrects =
        !options.columns.is_empty() || options.times.is_some() || options.decimal.is_some();
    if corrects && import.status == ImportStatus::Done {
        // The columns of a file that was imported are corrected: it is read again.
        let earlier = format!("/api/imports/{}", import.import_id);
        client.request(Method::DELETE, &earlier, None).await?;
        import = send(client, path, &target).await?;
    }
    // A table whose columns say nothing is refused, with its columns to be corrected.
    let is_open = match import.status {
        ImportStatus::Ready => true,
        ImportStatus::Refused => import.preview.is_some(),
        _ => false,
    };
    if !corrects || !is_open {
        return Ok(import);
    }
    let revision = revision(&import, options)?;
    let body = serde_json::to_value(&revision)?;
    let path = format!("/api/imports/{}", import.import_id);
    let answer = client.request(Method::PATCH, &path, Some(&body)).await;
    Ok(answer
        .with_context(|| format!("the columns of {name} were not corrected"))?
        .json()
        .await?)
}

async fn send(client: &ChatClient, path: &Path, target: &str) -> anyhow::Result<Import> {
    let file = tokio::fs::File::open(path)
        .await
        .with_context(|| format!("cannot read {}", path.display()))?;
    let answer = client
        .upload(target, ("application/octet-stream", None), file)
        .await;
    let answer = answer.with_context(|| format!("{} was not uploaded", path.display()))?;
    Ok(answer.json().await?)
}

fn format(name: &str) -> anyhow::Result<FileFormat> {
    FileFormat::named(&name.to_lowercase()).with_context(|| {
        let known = FileFormat::ALL.map(FileFormat::name).join(", ");
        format!("`{name}` is not a format: {known}")
    })
}

/// The mapping of the preview with what the options say about columns.
fn revision(import: &Import, options: &ImportOptions) -> anyhow::Result<ReviseImport> {
    let mapping = import
        .preview
        .as_ref()
        .and_then(|preview| preview.mapping.clone());
    let Some(mut mapping) = mapping else {
        bail!(
            "{} is not a table: its columns have a fixed meaning",
            import.filename
        );
    };
    for text in &options.columns {
        let changed = column(text)?;
        let names = mapping
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect::<Vec<_>>()
            .join(", ");
        let place = mapping
            .columns
            .iter_mut()
            .find(|column| column.name == changed.name);
        let place = place.with_context(|| {
            format!(
                "{} has no column `{}`; it has {names}",
                import.filename, changed.name
            )
        })?;
        *place = changed;
    }
    if let Some(times) = &options.times {
        mapping.times = serde_json::from_value(Value::from(times.as_str()))
            .with_context(|| format!("`{times}` is not a way to write times"))?;
    }
    if let Some(decimal) = &options.decimal {
        mapping.decimal = *decimal;
    }
    Ok(ReviseImport {
        mapping: Some(mapping),
        ..ReviseImport::default()
    })
}

/// `NAME=FIELD[:UNIT][@LOGGER]`. A name can have any of these marks.
fn column(text: &str) -> anyhow::Result<MappedColumn> {
    let (name, rest) = text
        .rsplit_once('=')
        .with_context(|| format!("`{text}` is not of the form NAME=FIELD"))?;
    let (rest, logger) = match rest.split_once('@') {
        Some((rest, logger)) => (rest, Some(logger.to_owned())),
        None => (rest, None),
    };
    let (field, unit) = match rest.split_once(':') {
        Some((field, unit)) => (field, Some(unit.to_owned())),
        None => (rest, None),
    };
    let field = serde_json::from_value(Value::from(field)).with_context(|| {
        format!("`{field}` is not a field: timestamp, date, time, logger_id, power, energy_day, energy_interval, energy_total, irradiance, error_code, status, keep, ignore")
    })?;
    Ok(MappedColumn {
        name: name.to_owned(),
        field,
        unit,
        logger,
    })
}

fn confirmed(ready: &[Import]) -> anyhow::Result<bool> {
    use std::io::IsTerminal as _;
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let rows: u64 = ready
        .iter()
        .map(|import| import.preview.as_ref().map_or(0, |preview| preview.good))
        .sum();
    terminal::write_note(&format!(
        "  Import {rows} rows of {} files? [y/N] ",
        ready.len()
    ));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

async fn post(client: &ChatClient, id: &str, what: &str) -> anyhow::Result<Import> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        bail!("`{id}` is not the id of an import; `import --list` shows the ids");
    }
    let path = format!("/api/imports/{id}/{what}");
    Ok(client
        .request(Method::POST, &path, None)
        .await?
        .json()
        .await?)
}

/// An import as it is now. Its job continues when services start again, and so does this.
async fn look(client: &ChatClient, path: &str) -> anyhow::Result<Import> {
    let began = Instant::now();
    let mut waits = false;
    loop {
        let error = match client.request(Method::GET, path, None).await {
            Ok(answer) => match answer.json().await {
                Ok(import) => return Ok(import),
                Err(error) => ChatError::from(error),
            },
            Err(error) => error,
        };
        if !is_passing(&error) || began.elapsed() > PATIENCE {
            return Err(error).context(
                "the progress cannot be read; the import continues in the services, and `import --list` shows it",
            );
        }
        if !std::mem::replace(&mut waits, true) {
            terminal::note("the services do not answer; waiting for them");
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether the same request may be answered a little later.
fn is_passing(error: &ChatError) -> bool {
    match error {
        ChatError::Connection(_) => true,
        ChatError::Refused(problem) => matches!(problem.status, 429 | 502 | 503 | 504),
        ChatError::Unreadable(_) => false,
    }
}

/// Follows imports to their ends, and reports each.
async fn finish(client: &ChatClient, imports: Vec<Import>) -> anyhow::Result<()> {
    let mut failed = 0;
    for mut import in imports {
        let path = format!("/api/imports/{}", import.import_id);
        let mut looks = 0;
        while matches!(import.status, ImportStatus::Queued | ImportStatus::Running) {
            looks += 1;
            if looks % SAY_EVERY == 0 {
                terminal::note(show::progress(&import));
            }
            tokio::time::sleep(LOOK_EVERY).await;
            import = look(client, &path).await?;
        }
        terminal::say(show::line(&import));
        failed += u32::from(import.status != ImportStatus::Done);
    }
    if failed > 0 {
        bail!("{failed} imports did not end well");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use contracts::imports::ImportProgress;
    use serde_json::json;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Services that answer each request with the next of these; none closes the connection.
    async fn services(answers: Vec<Option<(u16, Value)>>) -> ChatClient {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            for answer in answers {
                let (mut client, _) = listener.accept().await.unwrap();
                let mut head = [0; 4096];
                let _ = client.read(&mut head).await;
                if let Some((status, body)) = answer {
                    let body = body.to_string();
                    let text = format!(
                        "HTTP/1.1 {status} It\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    client.write_all(text.as_bytes()).await.unwrap();
                }
            }
        });
        let http = service_kit::http_client().unwrap();
        ChatClient::with_token(http, &url, "token".to_owned().into())
    }

    fn refusal(status: u16) -> (u16, Value) {
        let body = json!({ "type": "about:blank", "title": "no", "status": status, "code": "x" });
        (status, body)
    }

    fn done() -> (u16, Value) {
        let import = json!({
            "import_id": "1", "filename": "a.csv", "size_bytes": 3, "content_hash": "", "known": false,
            "status": "done", "site": "roof", "timezone": "UTC", "progress": ImportProgress::default(),
            "created_at": "2026-11-28T10:00:00Z", "updated_at": "2026-11-28T10:00:00Z",
        });
        (200, import)
    }

    #[tokio::test]
    async fn services_that_start_again_are_waited_for() {
        let client = services(vec![
            None,
            Some(refusal(503)),
            Some(refusal(502)),
            Some(done()),
        ])
        .await;
        let import = look(&client, "/api/imports/1").await.unwrap();
        assert_eq!(import.status, ImportStatus::Done);
    }

    #[tokio::test]
    async fn a_refusal_is_told_at_once() {
        let client = services(vec![Some(refusal(404))]).await;
        let error = look(&client, "/api/imports/1").await.unwrap_err();
        let text = format!("{error:#}");
        assert!(
            text.contains("`import --list`") && text.contains("no"),
            "{text}"
        );
    }
}
