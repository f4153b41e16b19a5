//! Messages by their words: an owner's own, whatever the thread.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::Error;
use crate::messages::Role;
use crate::store::{Owner, Store};

/// Maximum number of messages in a page.
const MAX_PAGE: u32 = 100;

/// Marks around words: private-use characters, which are taken out of texts first.
const MARKS: [char; 2] = ['\u{E000}', '\u{E001}'];

/// A message that holds the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The thread's id on the wire.
    pub thread_name: String,
    /// The thread's title.
    pub title: Option<String>,
    /// The message's id on the wire.
    pub id: String,
    /// Its place in the thread.
    pub seq: i64,
    /// Who wrote it.
    pub role: Role,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The text around the words, in pieces, each with whether it is one of the words.
    pub snippet: Vec<(String, bool)>,
}

/// A page of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPage {
    /// The newest first.
    pub messages: Vec<Found>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

impl Store {
    /// A page of at most `limit` (1 to 100) messages that hold all the words of `query`, from where
    /// `cursor` says: a [`FoundPage::next`]. Words in double quotes stand together; the last word
    /// may be the beginning of one.
    pub async fn search_messages(
        &self,
        owner: &Owner,
        query: &str,
        thread: Option<&str>,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<FoundPage, Error> {
        let words = words(query).ok_or(Error::Invalid("there is no word to search for"))?;
        let after = cursor
            .map(|text| Place::parse(text).ok_or(Error::Invalid("the cursor is not one of ours")))
            .transpose()?;
        let limit = limit.clamp(1, MAX_PAGE);
        let [start, stop] = MARKS.map(String::from);
        let mut rows = sqlx::query_file!(
            "queries/search_messages.sql",
            owner.tenant,
            owner.subject,
            words,
            thread,
            after.map(|place| place.created_at),
            after.map(|place| place.thread_id),
            after.map(|place| place.seq),
            // One more than asked says whether there is a next page.
            i64::from(limit) + 1,
            start,
            stop,
        )
        .fetch_all(&self.pool)
        .await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|row| {
            Place {
                created_at: row.created_at,
                thread_id: row.thread_id,
                seq: row.seq,
            }
            .render()
        });
        let messages = rows.into_iter().map(|row| Found {
            thread_name: row.thread_name,
            title: row.title,
            id: row.id,
            seq: row.seq,
            role: row.role,
            created_at: row.created_at,
            snippet: pieces(&row.headline),
        });
        Ok(FoundPage {
            messages: messages.collect(),
            next,
        })
    }

    /// At most `batch` threads of an owner: the internal id and the owner's id of each.
    pub async fn threads_of(
        &self,
        owner: &Owner,
        batch: u32,
    ) -> Result<Vec<(Uuid, String)>, Error> {
        let rows = sqlx::query!(
            "SELECT id, name FROM orchestrator.threads WHERE tenant = $1 AND owner = $2 ORDER BY id LIMIT $3",
            owner.tenant,
            owner.subject,
            i64::from(batch),
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
    }
}

/// The words as PostgreSQL's `to_tsquery` reads them; `None` when there is none.
fn words(query: &str) -> Option<String> {
    let mut terms: Vec<(String, bool)> = Vec::new();
    for (number, part) in query.split('"').enumerate() {
        // What stands between the first and the second quote is a phrase, and so on.
        if number % 2 == 1 {
            terms.push((part.to_owned(), true));
        } else {
            terms.extend(part.split_whitespace().map(|word| (word.to_owned(), false)));
        }
    }
    terms.retain(|(term, _)| term.chars().any(char::is_alphanumeric));
    let last = terms.len().checked_sub(1)?;
    let terms = terms.iter().enumerate().map(|(number, (term, phrase))| {
        let plain: String = term
            .chars()
            .map(|c| {
                if matches!(c, '\'' | '\\' | '\0') {
                    ' '
                } else {
                    c
                }
            })
            .collect();
        let beginning = number == last && !phrase;
        format!("'{}'{}", plain.trim(), if beginning { ":*" } else { "" })
    });
    Some(terms.collect::<Vec<_>>().join(" & "))
}

/// A headline cut at its marks.
fn pieces(headline: &str) -> Vec<(String, bool)> {
    let mut pieces = Vec::new();
    let mut rest = headline;
    let mut hit = false;
    while let Some(at) = rest.find(MARKS) {
        let (piece, behind) = rest.split_at(at);
        if !piece.is_empty() {
            pieces.push((piece.to_owned(), hit));
        }
        hit = behind.starts_with(MARKS[0]);
        rest = behind.trim_start_matches(MARKS);
    }
    if !rest.is_empty() {
        pieces.push((rest.to_owned(), hit));
    }
    pieces
}

/// The last message of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    created_at: DateTime<Utc>,
    thread_id: Uuid,
    seq: i64,
}

impl Place {
    /// PostgreSQL's times are whole microseconds, so nothing is lost.
    fn render(self) -> String {
        let micros = self.created_at.timestamp_micros();
        format!("{micros:016x}{}{:x}", self.thread_id.simple(), self.seq)
    }

    fn parse(text: &str) -> Option<Self> {
        let (micros, rest) = text.split_at_checked(16)?;
        let (thread, seq) = rest.split_at_checked(32)?;
        Some(Self {
            created_at: DateTime::from_timestamp_micros(i64::from_str_radix(micros, 16).ok()?)?,
            thread_id: Uuid::try_parse(thread).ok()?,
            seq: i64::from_str_radix(seq, 16).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_are_put_as_postgresql_reads_them() {
        for (query, put) in [
            ("overtime", "'overtime':*"),
            ("overtime rules", "'overtime' & 'rules':*"),
            ("\"overtime rules\" sund", "'overtime rules' & 'sund':*"),
            ("sund \"overtime rules\"", "'sund' & 'overtime rules'"),
            ("it's | & ! :* a\\b", "'it s' & 'a b':*"),
        ] {
            assert_eq!(words(query).as_deref(), Some(put), "{query}");
        }
        for query in ["", "  ", "\"\"", "&|!", "'"] {
            assert_eq!(words(query), None, "{query}");
        }
    }

    #[test]
    fn a_headline_is_cut_at_its_marks() {
        let [start, stop] = MARKS;
        let cut = pieces(&format!("the {start}rules{stop} of {start}overtime{stop}"));
        let told: Vec<(&str, bool)> = cut
            .iter()
            .map(|(text, hit)| (text.as_str(), *hit))
            .collect();
        assert_eq!(
            told,
            [
                ("the ", false),
                ("rules", true),
                (" of ", false),
                ("overtime", true)
            ]
        );
        assert!(pieces("").is_empty());
    }

    #[test]
    fn a_place_survives_the_wire() {
        let place = Place {
            created_at: DateTime::from_timestamp_micros(1_764_000_000_123_456).unwrap(),
            thread_id: Uuid::from_u128(7),
            seq: 600,
        };
        assert_eq!(Place::parse(&place.render()), Some(place));
        for text in ["", "x", "zz", "00000000000000010000"] {
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }
}
