//! Rows in a model's words, which name their values by reference.
//!
//! The plain text is always made first. It has to be said: what the model leaves out of it comes
//! before its words. Where nothing that it says is on the rows, the plain text is the answer.

use agent_kit::{
    End, Words, complete,
    facts::{Column, FactGate, FactRegistry, Subject, Unit},
    listen, model_stopped, model_unusable,
    prose::remainder,
};
use contracts::{
    run::{Channel, Source},
    tools::sql::{SqlDialect, SqlRun, ValueKind},
};
use llm::ResponseFormat;
use serde_json::json;

use super::values::{is_identifying, label, spoken};
use crate::{
    draft::Draft,
    language::{counted::counting_column, names::spoken_plural},
    prompt,
    state::Origin,
};

const PROMPT: &str = include_str!("../../prompts/answer.md");

/// The code of a warning that a model did not do its part.
const UNAVAILABLE: &str = "model_unavailable";

/// The model wrote the query, and nothing that it said of the result stands.
const WORDED_BY_RULES: &str = "The language model wrote the query of this answer. What it said of the result cannot be used, so fixed rules word it.";

/// Rows that the model gets.
const ROWS: usize = 30;

/// Writes the answer within the step: in the model's words if that is permitted and possible,
/// otherwise plainly. The origin of the query follows in `note`, word for word.
pub(crate) async fn tell(
    draft: &Draft,
    question: &str,
    run: &SqlRun,
    plain: &str,
    note: Option<&str>,
) {
    let is_worded = draft.settings().model_wording && draft.node.has_model();
    if !is_worded || run.rows.is_empty() {
        return tell_plainly(draft, plain, note).await;
    }
    let mut words = Words::on(Channel::Final);
    let account = draft.node.account();
    account.worded_by(Source::Model);
    if let Some(rest) = reword(draft, &mut words, question, run, plain).await {
        account.worded_by(Source::Rules);
        say(draft, &mut words, &rest).await;
    }
    end(draft, words, note).await;
}

/// Writes the answer within the step in the words of the rules.
pub(crate) async fn tell_plainly(draft: &Draft, plain: &str, note: Option<&str>) {
    let mut words = Words::on(Channel::Final);
    draft.node.account().worded_by(Source::Rules);
    say(draft, &mut words, plain).await;
    end(draft, words, note).await;
}

async fn end(draft: &Draft, mut words: Words, note: Option<&str>) {
    if let Some(note) = note {
        draft.node.write(&mut words, "\n\n").await;
        draft.node.write(&mut words, note).await;
    }
    draft.node.end_words(words).await;
}

async fn say(draft: &Draft, words: &mut Words, text: &str) {
    if !text.is_empty() {
        draft.node.write(words, " ").await;
        draft.node.write(words, text).await;
    }
}

/// The model's words; what is still to be said when they are not all of an answer.
async fn reword(
    draft: &Draft,
    words: &mut Words,
    question: &str,
    run: &SqlRun,
    plain: &str,
) -> Option<String> {
    let rows = &run.rows[..run.rows.len().min(ROWS)];
    let kind = |name: &str| {
        let column = run.columns.iter().find(|column| column.name == name);
        column.map_or(ValueKind::Other, |column| column.kind)
    };
    let mut facts = FactRegistry::default();
    let counted = counted(draft, run);
    if let Some(counted) = &counted {
        facts.know_record_noun(&counted.noun);
    }
    let columns = run.columns.iter().map(|column| {
        let is_figure = column.kind == ValueKind::Number && !is_identifying(&column.name);
        let counts = counted.as_ref().filter(|one| one.column == column.name);
        Column {
            label: counts.map_or(&column.name, |one| &one.label),
            ..Column::new(&column.name, is_figure)
        }
    });
    let columns: Vec<_> = columns.collect();
    let is_whole = run.rows.len() == rows.len() && !is_limited(draft, run);
    let told = facts.table(&columns, rows, plain, is_whole, |value, name| {
        spoken(value, kind(name), name)
    });
    let count = (run.rows.len() > 1).then(|| {
        let count = f64::from(run.row_count);
        facts.tell(Subject::Whole, "results rows", Unit::Count, count)
    });
    facts.must_say(plain);
    let (derived, sentences) = (facts.derived(), facts.new_sentences());
    let request = prompt::within(
        draft.settings().max_context_tokens,
        PROMPT,
        ResponseFormat::Text,
        |detail| {
            json!({
                "question": question, "rows": told[..detail.of(told.len())], "row_count": count, "derived": derived,
                "sentences": sentences,
            })
        },
    );
    let patience = Some(draft.settings().wording_timeout);
    let mut gate = FactGate::new(&facts);
    let mut heard = listen(&draft.node, words, request, &mut gate, patience).await;
    if heard.sentences == 0 {
        let is_models = draft.work.query.origin == Origin::Model;
        match heard.end {
            End::Finished(_) if is_models => draft.node.warn(UNAVAILABLE, WORDED_BY_RULES).await,
            _ => model_unusable(&draft.node, &heard).await,
        }
        return Some(plain.to_owned());
    }
    complete(&draft.node, words, &mut heard).await;
    if heard.is_whole() {
        return None;
    }
    model_stopped(&draft.node, &heard).await;
    Some(remainder(plain, words.said()))
}

/// A column with numbers of records.
struct Counted {
    column: String,
    /// The word for the records: "work orders".
    noun: String,
    /// The words for the numbers: "work orders count".
    label: String,
}

/// The column that counts all records of the query's table, in groups.
fn counted(draft: &Draft, run: &SqlRun) -> Option<Counted> {
    let [table] = run.tables.as_slice() else {
        return None;
    };
    let sql = draft.work.query.sql.as_deref()?;
    let column = counting_column(sql, draft.dialect() == SqlDialect::Mysql)?;
    let noun = spoken_plural(table);
    let own = label(&column);
    let label = if noun.ends_with(&own) {
        noun.clone()
    } else {
        format!("{noun} {own}")
    };
    (run.columns.len() > 1).then_some(Counted {
        column,
        noun,
        label,
    })
}

/// Whether there may be more rows than those of the result: it was cut, or its query has a limit.
fn is_limited(draft: &Draft, run: &SqlRun) -> bool {
    let sql = draft.work.query.sql.as_deref().unwrap_or_default();
    let mut words = sql.split(|c: char| !c.is_alphanumeric() && c != '_');
    run.row_count as usize != run.rows.len()
        || words.any(|word| ["limit", "fetch"].contains(&word.to_lowercase().as_str()))
}
