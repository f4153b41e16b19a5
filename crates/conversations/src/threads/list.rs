//! An owner's threads, newest first, page by page.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

use super::{Row, Thread};
use crate::error::Error;
use crate::store::{Owner, Store};

/// Maximum number of threads in a page.
const MAX_PAGE: u32 = 100;

/// Which threads to list; what is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadFilter {
    /// Of this assistant.
    pub assistant: Option<String>,
    /// Put aside, or not.
    pub archived: Option<bool>,
    /// With these words somewhere in the title, whatever their case.
    pub title: Option<String>,
}

/// A page of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadPage {
    /// Newest first.
    pub threads: Vec<Thread>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

impl Store {
    /// A page of at most `limit` threads (1 to 100), from where `cursor` says: a
    /// [`ThreadPage::next`].
    ///
    /// A thread that is changed while a user pages moves to the front, so it is never listed twice
    /// by one walk.
    pub async fn threads(
        &self,
        owner: &Owner,
        filter: &ThreadFilter,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<ThreadPage, Error> {
        let cursor = cursor
            .map(|text| Cursor::parse(text).ok_or(Error::Invalid("the cursor is not one of ours")))
            .transpose()?;
        let limit = limit.clamp(1, MAX_PAGE);
        let rows = sqlx::query_file_as!(
            Row,
            "queries/threads.sql",
            owner.tenant,
            owner.subject,
            cursor.map(|cursor| cursor.last_updated),
            cursor.map(|cursor| cursor.id),
            filter.assistant,
            filter.archived,
            filter.title,
            // One more than asked says whether there is a next page.
            i64::from(limit) + 1,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut threads: Vec<Thread> = rows.into_iter().map(Thread::from).collect();
        let more = threads.len() > limit as usize;
        threads.truncate(limit as usize);
        let next = threads.last().filter(|_| more).map(|last| {
            Cursor {
                last_updated: last.last_updated,
                id: last.id,
            }
            .render()
        });
        Ok(ThreadPage { threads, next })
    }
}

/// The last thread of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    last_updated: DateTime<Utc>,
    id: Uuid,
}

impl Cursor {
    /// PostgreSQL's times are whole microseconds, so nothing is lost.
    fn render(self) -> String {
        format!(
            "{:016x}{}",
            self.last_updated.timestamp_micros(),
            self.id.simple()
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let (micros, id) = text.split_at_checked(16)?;
        let micros = i64::from_str_radix(micros, 16).ok()?;
        Some(Self {
            last_updated: DateTime::from_timestamp_micros(micros)?,
            id: Uuid::try_parse(id).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_the_wire() {
        let cursor = Cursor {
            last_updated: DateTime::from_timestamp_micros(1_764_000_000_123_456).unwrap(),
            id: Uuid::from_u128(7),
        };
        assert_eq!(Cursor::parse(&cursor.render()), Some(cursor));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in [
            "",
            "x",
            "é".repeat(30).as_str(),
            "00000000000000001",
            "zzzzzzzzzzzzzzzz",
        ] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
