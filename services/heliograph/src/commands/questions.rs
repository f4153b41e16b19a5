//! `heliograph questions list | show | edit | approve | withdraw`: confirmed questions, over HTTP.

use std::path::Path;

use anyhow::{Context, bail};
use contracts::tools::questions::{KeptQuestion, QuestionList, QuestionStatus};
use reqwest::Method;
use serde_json::{Value, json};

use super::client::print_lines;
use crate::chat::ChatClient;
use crate::cli::{QuestionsCommand, ShownQuestions};

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: QuestionsCommand,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, (url, user), async |client| {
        carry_out(client, command).await
    })
    .await
}

/// Runs a command and returns the lines to print.
pub async fn carry_out(
    client: &ChatClient,
    command: QuestionsCommand,
) -> anyhow::Result<Vec<String>> {
    match command {
        QuestionsCommand::List { show, target } => list(client, show, target.as_deref()).await,
        QuestionsCommand::Show { id } => {
            let question = one(client, Method::GET, &id, "", None).await?;
            Ok(shown(&question))
        }
        QuestionsCommand::Edit { id, question, sql } => {
            let mut change = json!({});
            if let Some(question) = question {
                change["question"] = question.into();
            }
            if let Some(sql) = sql {
                change["sql"] = sql.into();
            }
            let question = one(client, Method::PATCH, &id, "", Some(&change)).await?;
            Ok(shown(&question))
        }
        QuestionsCommand::Approve { id, replace } => {
            let body = json!({ "replace": replace });
            let question = one(client, Method::POST, &id, "/approve", Some(&body)).await?;
            Ok(shown(&question))
        }
        QuestionsCommand::Withdraw { id } => {
            client
                .request(Method::DELETE, &path(&id)?, None)
                .await
                .context("the question was not withdrawn")?;
            Ok(vec![format!("{id} is withdrawn")])
        }
    }
}

async fn list(
    client: &ChatClient,
    show: Option<ShownQuestions>,
    target: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let show = show.map(|show| match show {
        ShownQuestions::Own => "own",
        ShownQuestions::Released => "released",
        ShownQuestions::Waiting => "waiting",
    });
    let mut lines = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", "100");
        for (key, value) in [
            ("show", show),
            ("target", target),
            ("cursor", cursor.as_deref()),
        ] {
            if let Some(value) = value {
                query.append_pair(key, value);
            }
        }
        let path = format!("/api/questions?{}", query.finish());
        let answer = client.request(Method::GET, &path, None).await?;
        let page: QuestionList = answer.json().await?;
        lines.extend(page.questions.iter().map(summary));
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    if lines.is_empty() {
        lines.push("no confirmed questions".to_owned());
    }
    Ok(lines)
}

async fn one(
    client: &ChatClient,
    method: Method,
    id: &str,
    behind: &str,
    body: Option<&Value>,
) -> anyhow::Result<KeptQuestion> {
    let path = format!("{}{behind}", path(id)?);
    let answer = client.request(method, &path, body).await?;
    Ok(answer.json().await?)
}

fn path(id: &str) -> anyhow::Result<String> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        bail!("`{id}` is not the id of a question; `questions list` shows the ids");
    }
    Ok(format!("/api/questions/{id}"))
}

fn summary(question: &KeptQuestion) -> String {
    let whose = match (question.own, &question.confirmed_by) {
        (true, _) => "yours",
        (false, Some(name)) => name,
        (false, None) => "a colleague's",
    };
    let reach = if question.released {
        "released"
    } else {
        "not released"
    };
    format!(
        "{}  {}  {whose}, {reach}  {}",
        question.id,
        status(question.status),
        question.question
    )
}

fn shown(question: &KeptQuestion) -> Vec<String> {
    let by = |who: &Option<String>, at: chrono::DateTime<chrono::Utc>| {
        let who = who.as_deref().unwrap_or("someone");
        format!("{who}, {}", at.format("%Y-%m-%d %H:%M UTC"))
    };
    let mut lines = vec![
        question.question.clone(),
        format!("  id         {}", question.id),
        format!("  database   {}", question.target),
        format!("  status     {}", status(question.status)),
    ];
    lines.extend(
        question
            .reason
            .iter()
            .map(|why| format!("  because    {why}")),
    );
    lines.push(format!(
        "  confirmed  {}",
        by(&question.confirmed_by, question.confirmed_at)
    ));
    if let Some(at) = question.edited_at {
        lines.push(format!("  changed    {}", by(&question.edited_by, at)));
    }
    lines.push(match question.released_at {
        Some(at) => format!("  released   {}", by(&question.released_by, at)),
        None => "  released   no: only its owner can use it".to_owned(),
    });
    for period in &question.periods {
        let day = |day: Option<chrono::NaiveDate>| {
            day.map_or_else(|| "…".to_owned(), |day| day.to_string())
        };
        lines.push(format!(
            "  {:<9}  {} to {} if asked today",
            period.words,
            day(period.from),
            day(period.until)
        ));
    }
    lines.push(format!("  tables     {}", question.tables.join(", ")));
    lines.push(String::new());
    lines.push(question.sql.clone());
    lines
}

fn status(status: QuestionStatus) -> &'static str {
    match status {
        QuestionStatus::Ready => "ready",
        QuestionStatus::Stale => "stale",
        QuestionStatus::Unknown => "unknown",
    }
}
