//! Rows in a model's words, under the rule that every figure in them is one of the rows' own.
//!
//! The plain text is always made first; it is what the model is given to reword, and what is said
//! in its stead, or after it as far as it holds figures that were not said.

use agent_kit::{
    End, OnUnsupported, Words, corrected, figures::Known, listen, model_failed, model_stopped,
    prose::remainder,
};
use chrono::Datelike;
use contracts::{
    run::{Channel, Source},
    tools::sql::SqlRun,
};
use llm::ResponseFormat;
use serde_json::json;

use crate::{draft::Draft, prompt};

const PROMPT: &str = include_str!("../../prompts/answer.md");

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
    let mut words = Words::on(Channel::Final);
    let account = draft.node.account();
    if draft.settings().model_wording && draft.node.has_model() && !run.rows.is_empty() {
        account.worded_by(Source::Model);
        if let Some(rest) = reword(draft, &mut words, question, run, plain).await {
            account.worded_by(Source::Rules);
            say(draft, &mut words, &rest).await;
        }
    } else {
        account.worded_by(Source::Rules);
        say(draft, &mut words, plain).await;
    }
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

/// The model's words; what is still to be said when it did not come to its end.
async fn reword(
    draft: &Draft,
    words: &mut Words,
    question: &str,
    run: &SqlRun,
    plain: &str,
) -> Option<String> {
    let rows = &run.rows[..run.rows.len().min(ROWS)];
    let mut known = Known::of(&rows);
    known.learn(&plain);
    known.learn_text(plain, draft.node.run().now.year());
    known.learn_text(question, draft.node.run().now.year());
    known.add(f64::from(run.row_count));
    let columns: Vec<_> = run.columns.iter().map(|column| &*column.name).collect();
    let request = prompt::within(
        draft.settings().max_context_tokens,
        PROMPT,
        ResponseFormat::Text,
        |detail| {
            json!({
                "question": question, "columns": columns, "rows": rows[..detail.of(rows.len())],
                "row_count": run.row_count, "plain": plain,
            })
        },
    );
    let patience = Some(draft.settings().wording_timeout);
    let heard = listen(
        &draft.node,
        words,
        request,
        &known,
        OnUnsupported::Stop,
        patience,
    )
    .await;
    if heard.is_whole() && !words.said().is_empty() {
        return None;
    }
    if words.said().is_empty() {
        if let End::Failed(error) = &heard.end {
            model_failed(&draft.node, error).await;
        }
        return Some(plain.to_owned());
    }
    model_stopped(&draft.node, &heard).await;
    let rest = if heard.sentences == 0 {
        plain.to_owned()
    } else {
        remainder(plain, words.said())
    };
    Some(corrected(&heard, rest))
}
