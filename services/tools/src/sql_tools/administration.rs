//! Confirmed questions for those who look after them: listed, shown, changed, released, withdrawn.

use chrono::DateTime;
use contracts::tools::questions::{
    EditQuestion, KeptQuestion, ListQuestions, QuestionList, QuestionStatus, ShowQuestions,
};
use service_kit::identity::Identity;
use service_kit::problem::ApiError;
use uuid::Uuid;

use super::SqlTools;
use super::keeping::{Unfit, Usability, judge, prepare};
use super::past_questions::{APPROVE, Kept, Page, edit, get, list, release, standing, withdraw};
use crate::error::{Error, database};

/// The scope that changes of questions need.
const SCOPE: &str = "questions:write";

/// Questions of a page when no one says how many.
const PAGE: u32 = 50;

/// Maximum number of entries in a page.
const MOST: u32 = 100;

/// PostgreSQL's word for what is there already.
const UNIQUE_VIOLATION: &str = "23505";

impl SqlTools {
    /// A page of the questions that a person may see.
    pub async fn list_questions(
        &self,
        person: &Identity,
        query: &ListQuestions,
    ) -> Result<QuestionList, ApiError> {
        let limit = query.limit.unwrap_or(PAGE);
        if !(1..=MOST).contains(&limit) {
            let detail = format!("must be 1 to {MOST}");
            return Err(ApiError::invalid_field("/limit", detail));
        }
        let after = query.cursor.as_deref().map(read_cursor).transpose()?;
        let page = Page {
            target: query.target.as_deref(),
            show: query.show.map(|show| match show {
                ShowQuestions::Own => "own",
                ShowQuestions::Released => "released",
                ShowQuestions::Waiting => "waiting",
            }),
            after,
            limit: i64::from(limit) + 1,
        };
        let mut kept = list(&self.pool, person, page).await.map_err(database)?;
        let more = kept.len() > limit as usize;
        kept.truncate(limit as usize);
        let next_cursor = kept.last().filter(|_| more).map(cursor);
        let mut questions = Vec::with_capacity(kept.len());
        for kept in kept {
            questions.push(self.told(person, kept).await?);
        }
        Ok(QuestionList {
            questions,
            next_cursor,
        })
    }

    /// One question.
    pub async fn question(&self, person: &Identity, id: &str) -> Result<KeptQuestion, ApiError> {
        let kept = self.kept(person, id).await?;
        self.told(person, kept).await
    }

    /// Changes a question.
    pub async fn edit_question(
        &self,
        person: &Identity,
        id: &str,
        change: &EditQuestion,
    ) -> Result<KeptQuestion, ApiError> {
        person.require_scope(SCOPE)?;
        let kept = self.kept(person, id).await?;
        if (kept.is_released() || !kept.is_of(person)) && !person.has_scope(APPROVE) {
            return Err(ApiError::forbidden(format!(
                "This question is released for everyone. You need the scope `{APPROVE}` to change it. Your own question of the same words \
                 answers you in its place."
            )));
        }
        for (pointer, text) in [("/question", &change.question), ("/sql", &change.sql)] {
            let most = if pointer == "/sql" { 50_000 } else { 2_000 };
            let text = text.as_deref().unwrap_or("as it is");
            if text.trim().is_empty() || text.chars().count() > most || text.contains('\0') {
                let detail = format!("must be 1 to {most} characters, none of them a zero");
                return Err(ApiError::invalid_field(pointer, detail));
            }
        }
        let target = self
            .targets
            .find(Some(&kept.target), &person.tenant)
            .ok_or_else(|| gone(&kept))?;
        let now = self.clock.now();
        // A query that is left as it is was written when it was confirmed.
        let written_at = match (&change.sql, &kept.fingerprint) {
            (None, None) => kept.confirmed_at,
            _ => now,
        };
        let question = change.question.as_deref().unwrap_or(&kept.question);
        let sql = change.sql.as_deref().unwrap_or(&kept.sql);
        let new = prepare(self, &person.tenant, &target, (question, sql), written_at)
            .await
            .map_err(unfit)?;
        match edit(&self.pool, person, &kept, &new, now).await {
            Ok(true) => self.question(person, id).await,
            Ok(false) => Err(changed_meanwhile()),
            Err(error) if is_taken(&error) => Err(ApiError::conflict(
                "There is another question of these words. Change or withdraw that one.",
            )),
            Err(error) => Err(database(error)),
        }
    }

    /// Withdraws a question.
    pub async fn withdraw_question(&self, person: &Identity, id: &str) -> Result<(), ApiError> {
        person.require_scope(SCOPE)?;
        let kept = self.kept(person, id).await?;
        if !kept.is_of(person) && !person.has_scope(APPROVE) {
            return Err(ApiError::forbidden(format!(
                "This question is a colleague's. You need the scope `{APPROVE}` to withdraw it."
            )));
        }
        let withdrawn = withdraw(&self.pool, person, kept.question_id)
            .await
            .map_err(database)?;
        if withdrawn { Ok(()) } else { Err(absent()) }
    }

    /// Releases a question for the tenant; in place of another of the same words only where that is
    /// wanted.
    pub async fn approve_question(
        &self,
        person: &Identity,
        id: &str,
        replace: bool,
    ) -> Result<KeptQuestion, ApiError> {
        person.require_scope(APPROVE)?;
        let mut kept = self.kept(person, id).await?;
        if kept.is_released() {
            return self.told(person, kept).await;
        }
        match self.standing(person, &mut kept).await.map_err(away)? {
            Some(Usability::Ready(_)) => {}
            Some(Usability::Stale(why)) => {
                return Err(ApiError::conflict(format!(
                    "This question is stale and cannot be released: {why}"
                )));
            }
            None => return Err(gone(&kept)),
        }
        let other = standing(
            &self.pool,
            &person.tenant,
            &kept.target,
            &kept.normalised,
            Some(kept.question_id),
        )
        .await
        .map_err(database)?;
        if let Some(other) = other.as_ref().filter(|_| !replace) {
            return Err(ApiError::conflict(format!(
                "A question of these words is released already: {} confirmed it on {}. To withdraw that one, ask with `replace`.",
                other.confirmed_by_name.as_deref().unwrap_or("a colleague"),
                other.confirmed_at.format("%Y-%m-%d")
            )));
        }
        let other = other.map(|other| other.question_id);
        match release(&self.pool, person, &kept, other, self.clock.now()).await {
            Ok(true) => self.question(person, id).await,
            Ok(false) => Err(changed_meanwhile()),
            Err(error) if is_taken(&error) => Err(changed_meanwhile()),
            Err(error) => Err(database(error)),
        }
    }

    async fn kept(&self, person: &Identity, id: &str) -> Result<Kept, ApiError> {
        let id: Uuid = id.parse().map_err(|_not_an_id| absent())?;
        let kept = get(&self.pool, person, id).await.map_err(database)?;
        kept.ok_or_else(absent)
    }

    /// How a question stands today; `None` when its target is not the tenant's any more.
    async fn standing(
        &self,
        person: &Identity,
        kept: &mut Kept,
    ) -> Result<Option<Usability>, Error> {
        let tenant = &person.tenant;
        let Some(target) = self.targets.find(Some(&kept.target), tenant) else {
            return Ok(None);
        };
        let catalogue = self.catalogue(&target).await?;
        judge(self, tenant, &target, &catalogue, kept)
            .await
            .map(Some)
    }

    async fn told(&self, person: &Identity, mut kept: Kept) -> Result<KeptQuestion, ApiError> {
        let (status, reason, usable) = match self.standing(person, &mut kept).await {
            Ok(Some(Usability::Ready(usable))) => (QuestionStatus::Ready, None, Some(usable)),
            Ok(Some(Usability::Stale(why))) => (QuestionStatus::Stale, Some(why), None),
            Ok(None) => {
                let why = format!("There is no database '{}' any more.", kept.target);
                (QuestionStatus::Stale, Some(why), None)
            }
            Err(Error::NoResult(away)) => (QuestionStatus::Unknown, Some(away.message), None),
            Err(error) => return Err(error.into()),
        };
        let (sql_today, periods) = usable.map(|usable| (usable.sql, usable.periods)).unzip();
        Ok(KeptQuestion {
            id: kept.question_id.to_string(),
            own: kept.is_of(person),
            released: kept.is_released(),
            target: kept.target,
            question: kept.question,
            sql: kept.sql,
            sql_today,
            tables: kept.tables,
            periods: periods.unwrap_or_default(),
            status,
            reason,
            confirmed_by: kept.confirmed_by_name,
            confirmed_at: kept.confirmed_at,
            edited_by: kept.edited_by_name,
            edited_at: kept.edited_at,
            released_by: kept.released_by_name,
            released_at: kept.released_at,
        })
    }
}

fn absent() -> ApiError {
    ApiError::not_found("There is no question of this id that you may see.")
}

fn changed_meanwhile() -> ApiError {
    ApiError::conflict("The question was changed in the meantime. Look at it again.")
}

fn gone(kept: &Kept) -> ApiError {
    ApiError::conflict(format!("There is no database '{}' any more.", kept.target))
}

fn unfit(unfit: Unfit) -> ApiError {
    match unfit {
        Unfit::Question(why) => ApiError::invalid_field("/question", why),
        Unfit::Sql(why) => ApiError::invalid_field("/sql", why),
        Unfit::Away(error) => away(error),
    }
}

/// A target that does not answer is away; other errors stay as they are.
fn away(error: Error) -> ApiError {
    match error {
        Error::NoResult(no_result) => {
            let message = no_result.message.clone();
            ApiError::unavailable(message, Error::NoResult(no_result))
        }
        error => error.into(),
    }
}

fn is_taken(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == UNIQUE_VIOLATION)
}

/// PostgreSQL's times are whole microseconds, so nothing is lost.
fn cursor(last: &Kept) -> String {
    let micros = last.confirmed_at.timestamp_micros();
    format!("{micros:016x}{}", last.question_id.simple())
}

fn read_cursor(text: &str) -> Result<(DateTime<chrono::Utc>, Uuid), ApiError> {
    let read = || {
        let (micros, id) = text.split_at_checked(16)?;
        let micros = i64::from_str_radix(micros, 16).ok()?;
        Some((
            DateTime::from_timestamp_micros(micros)?,
            Uuid::try_parse(id).ok()?,
        ))
    };
    read().ok_or_else(|| ApiError::invalid_field("/cursor", "is not one of a page before"))
}
