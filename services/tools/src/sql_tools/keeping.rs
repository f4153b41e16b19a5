//! The conditions for keeping a question, and for using one that was kept.

use chrono::{DateTime, NaiveDate, Utc};
use contracts::tools::questions::QuestionPeriod;
use targets::dates::{DateTemplate, bind, periods};
use targets::{Catalogue, Target};

use super::past_questions::{Kept, New, adopt};
use super::question::Question;
use super::{SqlTools, findings, unanswered, words_for_person};
use crate::error::Error;

/// Why a question cannot be kept.
#[derive(Debug)]
pub(super) enum Unfit {
    /// There is something wrong with the question.
    Question(String),
    /// There is something wrong with the query.
    Sql(String),
    /// Whether it can be kept is not known now.
    Away(Error),
}

impl Unfit {
    /// The error that the caller of a tool gets.
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Question(why) => Error::invalid("/question", why),
            Self::Sql(why) => Error::impossible(why),
            Self::Away(error) => error,
        }
    }
}

/// A question with its query, ready to be kept: the query passes the guard, reads a table, and
/// follows the calendar where the question names a period.
pub(super) async fn prepare(
    tools: &SqlTools,
    tenant: &str,
    target: &Target,
    (question, sql): (&str, &str),
    written_at: DateTime<Utc>,
) -> Result<New, Unfit> {
    let question = question.trim();
    if question.is_empty() {
        return Err(Unfit::Question("is empty".to_owned()));
    }
    let indexed = tools.indexed(target).await.map_err(Unfit::Away)?;
    let bound = bind(question, sql, written_at.date_naive()).map_err(Unfit::Sql)?;
    let today = tools.clock.now().date_naive();
    let runs = resolved(&bound.sql, today).map_err(Unfit::Sql)?;
    let checked = target
        .check(&runs, tenant, 1)
        .await
        .map_err(|error| Unfit::Away(unanswered(target.name(), &error)))?
        .map_err(|found| {
            Unfit::Sql(words_for_person(&findings(
                target.name(),
                &indexed.catalogue,
                found,
            )))
        })?;
    if checked.tables.is_empty() {
        return Err(Unfit::Sql(
            "The query reads no table: its answer stands in the query itself. Only queries that read the database can be confirmed."
                .to_owned(),
        ));
    }
    // As it is after the check, which may have read it again.
    let indexed = tools.indexed(target).await.map_err(Unfit::Away)?;
    let vector = tools.meaning.of_question(question).await;
    Ok(New {
        target: target.name().to_owned(),
        question: question.to_owned(),
        normalised: Question::new(question, &indexed.vocabulary).normalised,
        sql: bound.sql,
        fingerprint: indexed.catalogue.fingerprint(&checked.tables),
        tables: checked.tables,
        meaning: vector.zip(tools.meaning.model()),
        periods: bound.words,
    })
}

/// A kept question as it stands today.
#[derive(Debug)]
pub(super) enum Usability {
    /// It may be used.
    Ready(Usable),
    /// It may not, for this reason.
    Stale(String),
}

/// A query that may run today.
#[derive(Debug)]
pub(super) struct Usable {
    pub(super) sql: String,
    pub(super) tables: Vec<String>,
    pub(super) periods: Vec<QuestionPeriod>,
}

/// Whether a kept question may be used. One of before gets its fingerprint now, and its days tied
/// to the words of its question as of when it was confirmed.
pub(super) async fn judge(
    tools: &SqlTools,
    tenant: &str,
    target: &Target,
    catalogue: &Catalogue,
    kept: &mut Kept,
) -> Result<Usability, Error> {
    let is_of_before = kept.fingerprint.is_none();
    if is_of_before {
        match bind(&kept.question, &kept.sql, kept.confirmed_at.date_naive()) {
            Ok(bound) => kept.sql = bound.sql,
            Err(why) => return Ok(Usability::Stale(why)),
        }
    }
    let usable = match usable(tools, tenant, target, catalogue, &kept.question, &kept.sql).await? {
        Ok(usable) => usable,
        Err(why) => return Ok(Usability::Stale(why)),
    };
    if usable.tables.is_empty() {
        return Ok(Usability::Stale(
            "The query reads no table: its answer stands in the query itself.".to_owned(),
        ));
    }
    let now = catalogue.fingerprint(&usable.tables);
    if is_of_before {
        adopt(
            &tools.pool,
            tenant,
            kept.question_id,
            &kept.sql,
            &usable.tables,
            &now,
        )
        .await?;
        kept.tables.clone_from(&usable.tables);
        kept.fingerprint = Some(now);
    } else if kept.fingerprint.as_deref() != Some(&now) {
        return Ok(Usability::Stale(format!(
            "The columns of {}, or what the policy says of them, changed after it was confirmed.",
            usable.tables.join(", ")
        )));
    }
    Ok(Usability::Ready(usable))
}

/// A query as it may run today, or why it may not.
pub(super) async fn usable(
    tools: &SqlTools,
    tenant: &str,
    target: &Target,
    catalogue: &Catalogue,
    question: &str,
    sql: &str,
) -> Result<Result<Usable, String>, Error> {
    let today = tools.clock.now().date_naive();
    let template = match DateTemplate::parse(sql) {
        Ok(template) => template,
        Err(why) => return Ok(Err(why)),
    };
    let Some(runs) = template.resolve(today) else {
        return Ok(Err("The query names a day beyond the calendar.".to_owned()));
    };
    // Questions are judged by the dozen: a stale one does not make the catalogue be read again.
    let checked = target
        .check_as_known(&runs, tenant, 1)
        .await
        .map_err(|error| unanswered(target.name(), &error))?;
    Ok(match checked {
        Ok(checked) => Ok(Usable {
            sql: runs,
            tables: checked.tables,
            periods: told(question, &template, today),
        }),
        Err(found) => Err(words_for_person(&findings(target.name(), catalogue, found))),
    })
}

fn told(question: &str, template: &DateTemplate, today: NaiveDate) -> Vec<QuestionPeriod> {
    periods(question, template, today)
        .into_iter()
        .map(|period| QuestionPeriod {
            words: period.words,
            from: period.from,
            until: period.until,
        })
        .collect()
}

fn resolved(sql: &str, today: NaiveDate) -> Result<String, String> {
    DateTemplate::parse(sql)?
        .resolve(today)
        .ok_or_else(|| "The query names a day beyond the calendar.".to_owned())
}
