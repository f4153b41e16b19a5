//! Full-text search: any of the question's words, the rare ones weighing most.
//!
//! PostgreSQL ranks without regard to how rare a word is, so the weights are computed here: those
//! of BM25, by the count of the tenant's chunks that have a word. What must be ranked is bounded:
//! in a large library chunks are looked up by the question's rarest words, and the common ones only
//! decide their order.

use std::fmt::Write;

use sqlx::PgPool;

use crate::vectors::Scope;
use crate::words::words;

/// About how many chunks are ranked at most.
const RANKED: i64 = 2_000;
/// Maximum number of words of a question; the rarest are used.
const MAX_TERMS: usize = 32;

/// A chunk that has words of the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TextHit {
    pub(crate) chunk_id: i64,
    /// The share of the question's weight that its words cover.
    pub(crate) covered: f64,
}

/// A word of the question.
#[derive(Debug, Clone, PartialEq)]
struct Term {
    lexeme: String,
    chunks: i64,
    weight: f32,
}

/// The chunks of the scope that fit a question best, the best first.
pub(crate) async fn search(
    pool: &PgPool,
    scope: &Scope,
    language: &str,
    question: &str,
    limit: usize,
) -> Result<Vec<TextHit>, sqlx::Error> {
    let terms = terms(pool, scope, language, question).await?;
    let Some(lookup) = lookup(&terms, scope) else {
        return Ok(Vec::new());
    };
    let total: f64 = terms.iter().map(|term| f64::from(term.weight)).sum();
    let present: Vec<&Term> = terms.iter().filter(|term| term.chunks > 0).collect();
    let lexemes: Vec<String> = present.iter().map(|term| quoted(&term.lexeme)).collect();
    let weights: Vec<f32> = present.iter().map(|term| term.weight).collect();
    let rows = sqlx::query_file!(
        "queries/text_search.sql",
        scope.tenant,
        lookup,
        scope.documents.as_deref(),
        &lexemes,
        &weights,
        i64::try_from(limit).unwrap_or(i64::MAX),
        RANKED * 2,
    )
    .fetch_all(pool)
    .await?;
    let hits = rows.into_iter().map(|row| TextHit {
        chunk_id: row.chunk_id,
        covered: (f64::from(row.covered) / total).clamp(0.0, 1.0),
    });
    Ok(hits.collect())
}

/// The question's words with their weights, the rarest first.
async fn terms(
    pool: &PgPool,
    scope: &Scope,
    language: &str,
    question: &str,
) -> Result<Vec<Term>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT w.term AS "term!", coalesce(t.chunks, 0) AS "chunks!"
           FROM unnest(tsvector_to_array(to_tsvector($1::text::regconfig, $2))) AS w (term)
           LEFT JOIN tools.knowledge_terms t ON t.tenant = $3 AND t.term = w.term
           ORDER BY w.term"#,
        language,
        words(question),
        scope.tenant,
    )
    .fetch_all(pool)
    .await?;
    let terms = rows
        .into_iter()
        .map(|row| (row.term, i64::from(row.chunks)));
    Ok(weighed(terms.collect(), scope.chunks))
}

fn weighed(terms: Vec<(String, i64)>, chunks: u64) -> Vec<Term> {
    let mut terms: Vec<Term> = terms
        .into_iter()
        .map(|(lexeme, count)| Term {
            lexeme,
            chunks: count,
            weight: weight(count, chunks),
        })
        .collect();
    terms.sort_by(|a, b| (a.chunks, &a.lexeme).cmp(&(b.chunks, &b.lexeme)));
    // A word that no chunk has has no known rarity among the chunks: it counts like an average one.
    let known: Vec<f32> = terms
        .iter()
        .filter(|term| term.chunks > 0)
        .map(|term| term.weight)
        .collect();
    if !known.is_empty() {
        let mean = known.iter().sum::<f32>() / known.len() as f32;
        for term in &mut terms {
            if term.chunks == 0 {
                term.weight = mean;
            }
        }
    }
    terms.retain({
        let mut left = MAX_TERMS;
        move |term| {
            let stays = term.chunks == 0 || left > 0;
            left = left.saturating_sub(usize::from(term.chunks > 0));
            stays
        }
    });
    terms
}

/// BM25's weight of a word that `count` of `chunks` chunks have.
#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts")]
fn weight(count: i64, chunks: u64) -> f32 {
    let (count, chunks) = (count as f64, chunks as f64);
    let others = (chunks - count).max(0.0);
    (1.0 + (others + 0.5) / (count + 0.5)).ln() as f32
}

/// The query that looks chunks up: any of the rarest words; where even those are common, all of the
/// two rarest. `None` when no word is in any chunk.
fn lookup(terms: &[Term], scope: &Scope) -> Option<String> {
    let present: Vec<&Term> = terms.iter().filter(|term| term.chunks > 0).collect();
    let is_small = scope.chunks <= RANKED.unsigned_abs();
    let mut taken = 0;
    let rare: Vec<String> = present
        .iter()
        .take_while(|term| {
            taken += term.chunks;
            is_small || taken <= RANKED
        })
        .map(|term| quoted(&term.lexeme))
        .collect();
    let words = if rare.is_empty() {
        let common: Vec<String> = present
            .iter()
            .take(2)
            .map(|term| quoted(&term.lexeme))
            .collect();
        if common.is_empty() {
            return None;
        }
        common.join(" & ")
    } else {
        rare.join(" | ")
    };
    Some(format!(
        "{} & ({words})",
        quoted(&format!("tenant:{}", scope.tenant))
    ))
}

/// A lexeme as a `tsquery` has it.
fn quoted(lexeme: &str) -> String {
    let mut quoted = String::with_capacity(lexeme.len() + 2);
    quoted.push('\'');
    for letter in lexeme.chars() {
        if matches!(letter, '\'' | '\\') {
            let _ = quoted.write_char(letter);
        }
        quoted.push(letter);
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(chunks: u64) -> Scope {
        Scope {
            tenant: "a'b".to_owned(),
            documents: None,
            chunks,
            version: 1,
        }
    }

    fn terms(counts: &[(&str, i64)], chunks: u64) -> Vec<Term> {
        let counts = counts
            .iter()
            .map(|(word, count)| ((*word).to_owned(), *count));
        weighed(counts.collect(), chunks)
    }

    #[test]
    fn rare_words_weigh_more_and_unknown_ones_like_the_mean() {
        let terms = terms(&[("pump", 900), ("e102", 2), ("xyzzy", 0)], 1_000);
        let weight = |word: &str| terms.iter().find(|t| t.lexeme == word).unwrap().weight;
        assert!(weight("e102") > 10.0 * weight("pump"));
        let mean = f32::midpoint(weight("e102"), weight("pump"));
        assert!((weight("xyzzy") - mean).abs() < 1e-6);
    }

    #[test]
    fn a_large_library_is_looked_up_by_rare_words_a_small_one_by_all() {
        let large = terms(&[("pump", 90_000), ("e102", 2), ("valve", 1_500)], 100_000);
        assert_eq!(
            lookup(&large, &scope(100_000)).unwrap(),
            "'tenant:a''b' & ('e102' | 'valve')"
        );
        let common = terms(&[("pump", 90_000), ("valve", 50_000)], 100_000);
        assert_eq!(
            lookup(&common, &scope(100_000)).unwrap(),
            "'tenant:a''b' & ('valve' & 'pump')"
        );
        let small = terms(&[("pump", 90), ("e102", 2)], 100);
        assert_eq!(
            lookup(&small, &scope(100)).unwrap(),
            "'tenant:a''b' & ('e102' | 'pump')"
        );
        assert_eq!(lookup(&terms(&[("xyzzy", 0)], 100), &scope(100)), None);
    }
}
