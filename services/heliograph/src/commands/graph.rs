//! `heliograph graph`: builds the join graph file of a target database.

mod judge;

use std::fs;
use std::path::Path;

use anyhow::Context;
use join_graph::{Document, Graph, Hygiene, Relationship, apply_verdicts, clean, merge};
use llm::Models;
use orchestrator::program::Orchestrator;
use secrecy::{ExposeSecret, SecretString};
use targets::{Target, TargetConfig};

use crate::cli::{GraphCommand, GraphSources, TargetUrl};
use crate::stack::load;
use crate::terminal;

/// Runs a command.
pub(super) async fn run(folder: Option<&Path>, command: GraphCommand) -> anyhow::Result<()> {
    match command {
        GraphCommand::Introspect { url, output } => {
            let document = introspected(&url).await?;
            write(&document, &output)
        }
        GraphCommand::Merge {
            raw,
            sources,
            output,
        } => {
            let document = merged(&Document::load(raw)?, &sources)?;
            write(&document, &output)
        }
        GraphCommand::Validate {
            merged,
            url,
            threshold,
            output,
        } => {
            let document = Document::load(merged)?;
            let document = validated(folder, document, &url, threshold).await?;
            write(&document, &output)
        }
        GraphCommand::Build {
            url,
            sources,
            threshold,
            output,
        } => {
            let document = merged(&introspected(&url).await?, &sources)?;
            let document = validated(folder, document, &url, threshold).await?;
            write(&document, &output)
        }
        GraphCommand::Show { graph, threshold } => {
            show(&Document::load(graph)?, threshold);
            Ok(())
        }
        GraphCommand::Path {
            graph,
            from,
            to,
            threshold,
            max_hops,
        } => path(
            &Graph::new(&Document::load(graph)?, threshold)?,
            &from,
            &to,
            max_hops,
        ),
    }
}

async fn introspected(url: &TargetUrl) -> anyhow::Result<Document> {
    let url = address(url).context(
        "the address of the database is missing; set --target-url or HELIOGRAPH_TARGET_URL",
    )?;
    let place = place_of(&url);
    let found = targets::introspect(url).await;
    let document = found
        .with_context(|| format!("cannot read the schema of {place}"))?
        .document();
    let guessed = document
        .relationships
        .iter()
        .filter(|edge| is_guess(edge))
        .count();
    let (tables, all) = (document.tables.len(), document.relationships.len());
    terminal::note(format!(
        "{tables} tables, {} foreign keys, {guessed} heuristic relationships",
        all - guessed
    ));
    Ok(document)
}

fn merged(raw: &Document, sources: &GraphSources) -> anyhow::Result<Document> {
    let read = |path: &Option<_>| {
        path.as_ref()
            .map_or_else(|| Ok(Document::empty()), Document::load)
    };
    let merged = merge(raw, &read(&sources.associations)?, &read(&sources.manual)?)?;
    let cleaned = clean(&merged, &Hygiene::default());
    terminal::note(format!(
        "{} relationships; removed {} audit columns, duplicates and dangling ends",
        cleaned.document.relationships.len(),
        cleaned.dropped.len()
    ));
    Ok(cleaned.document)
}

/// Lets a model judge heuristic relationships. Without a model, nothing is changed, and a note is
/// printed.
async fn validated(
    folder: Option<&Path>,
    document: Document,
    url: &TargetUrl,
    threshold: f64,
) -> anyhow::Result<Document> {
    // Rejects an invalid threshold before the model is asked.
    Graph::new(&document, threshold)?;
    let config = load::<Orchestrator>(folder)?;
    let models = Models::from_config(&config.llm, service_kit::external_http_client()?)?;
    let Some(models) = models else {
        terminal::note("no model is configured; the relationships are written without validation");
        return Ok(document);
    };
    let guesses: Vec<&Relationship> = document
        .relationships
        .iter()
        .filter(|edge| is_guess(edge))
        .collect();
    let target = address(url)
        .map(|url| {
            Target::new(TargetConfig {
                sample_rows: u64::from(config.data.limits.sample_rows).min(judge::SAMPLE_ROWS),
                // The operator passed this address.
                allow_writing_role: true,
                ..TargetConfig::new("graph", url)
            })
        })
        .transpose()?;
    let verdicts = judge::verdicts(&*models.chat(), &document, &guesses, target.as_ref()).await?;
    let (asked, valid) = (
        guesses.len(),
        verdicts.iter().filter(|verdict| verdict.valid).count(),
    );
    terminal::note(format!(
        "{} judged {} of {asked} guesses: {valid} hold, {} do not",
        models.description(),
        verdicts.len(),
        verdicts.len() - valid
    ));
    let judged = apply_verdicts(&document, &verdicts);
    let used = judged
        .relationships
        .iter()
        .filter(|edge| edge.confidence >= threshold)
        .count();
    terminal::note(format!(
        "{used} of {} relationships have at least the confidence {threshold}",
        judged.relationships.len()
    ));
    Ok(judged)
}

fn show(document: &Document, threshold: f64) {
    for (name, table) in &document.tables {
        let comment = table
            .comment
            .as_deref()
            .map_or_else(String::new, |comment| format!(": {comment}"));
        terminal::say(format!("{name} ({} columns){comment}", table.columns.len()));
        for edge in document
            .relationships
            .iter()
            .filter(|edge| edge.from_table == *name)
        {
            let used = if edge.confidence >= threshold {
                ""
            } else {
                ", not used"
            };
            terminal::say(format!(
                "  {edge}  ({}, {:.2}{used})",
                word(&edge.kind),
                edge.confidence
            ));
        }
    }
}

fn path(graph: &Graph, from: &str, to: &str, max_hops: usize) -> anyhow::Result<()> {
    match graph.path(from, to, max_hops)? {
        Some(path) if path.joins.is_empty() => terminal::say("The same table."),
        Some(path) => {
            for join in &path.joins {
                terminal::say(join.to_string());
                for other in join.alternatives() {
                    let pairs: Vec<String> = other.iter().map(ToString::to_string).collect();
                    terminal::say(format!("  or {}", pairs.join(" AND ")));
                }
            }
        }
        None => terminal::say(format!(
            "{from} and {to} are not connected within {max_hops} joins."
        )),
    }
    Ok(())
}

/// The kind of a relationship, as written in the file.
fn word(kind: &join_graph::RelationshipType) -> String {
    let value = serde_json::to_value(kind).ok();
    value
        .and_then(|value| value.as_str().map(ToOwned::to_owned))
        .unwrap_or_default()
}

fn is_guess(edge: &Relationship) -> bool {
    edge.kind == join_graph::RelationshipType::Heuristic
}

fn address(url: &TargetUrl) -> Option<SecretString> {
    url.target_url.clone().map(Into::into)
}

/// The database, the server and the role of an address, without the password.
fn place_of(url: &SecretString) -> String {
    let url = url.expose_secret();
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    let (login, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    let (server, database) = place.split_once('/').unwrap_or((place, ""));
    let role = login.split(':').next().unwrap_or_default();
    let database = database.split('?').next().unwrap_or_default();
    format!("the database '{database}' at {server}, as '{role}',")
}

fn write(document: &Document, path: &Path) -> anyhow::Result<()> {
    let text = document.to_json()?;
    fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    terminal::say(format!("{} written", path.display()));
    Ok(())
}
