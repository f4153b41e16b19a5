//! The answer: rows in words and in a picture, or why there are none and what to do.

use std::sync::Arc;

use contracts::{
    run::{RunEvent, Source},
    tools::sql::{SqlCut, SqlRun},
    ui::{DynamicChart, RenderUiComponent, UiComponent},
};
use graph::NodeResult;
use serde_json::Value;

use super::{gather, unmet, unsaid};
use crate::{
    answer::{chart, guesses, provenance, remarks, template, wording},
    draft::Draft,
    run::Context,
    sentences,
    state::{AnsweredQuery, DataState, Origin, Update, Work},
};

/// Writes the answer.
pub(crate) async fn finalize(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    let result = draft.found.result.clone();
    match (draft.work.ending.clone(), result) {
        (None, Some(run)) => answer(&mut draft, &run).await,
        (Some(ending), _) => {
            let text = sentences::ending(&ending, &draft.work, &draft.found, draft.settings());
            if text.contains(sentences::OFFERS)
                && let Some(offered) = sentences::offered(&draft.found, draft.settings())
            {
                let offered = sentences::addressed(&draft.work, &offered.question);
                draft.node.update(Update::Offered(offered));
            }
            draft.node.account().worded_by(Source::Rules);
            draft.node.say_in_step(&text).await;
        }
        (None, None) => draft.node.say_in_step(sentences::NOTHING_CAME).await,
    }
    Ok(draft.finished())
}

async fn answer(draft: &mut Draft, run: &SqlRun) {
    let question = draft.work.asked.question.clone();
    // A question that the query does not answer is repeated by no part of the answer.
    let (untested, against) = unmet(draft);
    let beyond = unsaid(draft);
    let named = beyond
        .as_ref()
        .map(|beyond| beyond.conditions.clone())
        .unwrap_or_default();
    let unsaid = beyond.filter(|_| untested.is_empty() && against.is_empty());
    let told = if untested.is_empty() && against.is_empty() && unsaid.is_none() {
        &*question
    } else {
        ""
    };
    let remarks = remarks::of(draft, run).await;
    let chart = remarks.mixed.is_none().then(|| chart::chart(told, run));
    if let Some(chart) = chart.flatten() {
        show(draft, chart).await;
    }
    let sql = draft.work.query.sql.clone().unwrap_or_default();
    let plain = match &remarks.mixed {
        _ if run.rows.is_empty() => sentences::empty(&draft.work, run),
        None => template::tell(told, run, &sql),
        Some(_) => template::tell_mixed(run),
    };
    let warned = [
        (!against.is_empty()).then(|| sentences::contradicted(&against)),
        (!untested.is_empty()).then(|| sentences::untested(&untested)),
        unsaid.as_ref().map(guesses::unsaid),
        remarks.mixed,
    ];
    let warned: Vec<String> = warned.into_iter().flatten().collect();
    draft.node.begin_step().await;
    draft
        .node
        .emit(RunEvent::StructuredData {
            data: Value::Array(run.rows.iter().cloned().map(Value::Object).collect()),
        })
        .await;
    let confirmed = draft.work.query.confirmed.take();
    let confirmed = confirmed.filter(|_| draft.work.query.origin == Origin::Past);
    let pasted = draft.work.query.origin == Origin::Person;
    let written_here = matches!(draft.work.query.origin, Origin::Model | Origin::Rules);
    let guessed = written_here
        .then(|| guesses::of(&draft.work.plan.steps, &run.tables))
        .flatten();
    // Rows that are not all there come first: they change what the figures mean.
    let cut = (run.truncated_by == Some(SqlCut::Lists)).then(|| sentences::CUT_LIST.to_owned());
    let by_rules = draft.work.query.origin == Origin::Rules;
    let read_as = by_rules.then(|| gather::read_as(draft)).flatten();
    let notes = [
        cut,
        read_as,
        confirmed.as_deref().and_then(provenance::of),
        pasted.then(|| provenance::own_query(run)),
        provenance::target(&draft.work, run),
        guessed,
    ];
    let note = joined(remarks.others, notes);
    if warned.is_empty() {
        wording::tell(draft, &question, run, &plain, note.as_deref()).await;
    } else {
        let plain = format!("{} {plain}", warned.join(" "));
        wording::tell_plainly(draft, &plain, note.as_deref()).await;
    }
    draft.node.end_step().await;
    // In any words, the figures are those of the model's query.
    if draft.work.query.origin == Origin::Model {
        draft.node.account().model_said();
    }
    let work = &mut draft.work;
    let said = said(work, &question);
    let answered = AnsweredQuery {
        question: work
            .query
            .standalone
            .take()
            .filter(|_| work.asked.follow_up || work.review.change.is_some())
            .unwrap_or(question),
        sql: work.query.sql.take().unwrap_or_default(),
        tables: if run.tables.is_empty() {
            work.plan.tables.clone()
        } else {
            run.tables.clone()
        },
        columns: run
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect(),
        target: run.target.clone(),
        rows: run.row_count,
        written_at: work.query.begun_at,
        confirmed: confirmed.map(|past| past.id),
        pasted,
        addressed: work.place.addressed,
        said,
        follows: work.asked.follow_up,
        unsaid: named,
    };
    draft.node.update(Update::Answered(Box::new(answered)));
}

/// Remarks and notes as one text, if there are any.
fn joined(remarks: Vec<String>, notes: [Option<String>; 6]) -> Option<String> {
    let notes = notes.into_iter().flatten();
    let notes: Vec<String> = remarks.into_iter().chain(notes).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// The words of a person that changed or followed a question.
fn said(work: &Work, question: &str) -> Option<String> {
    match &work.review.change {
        Some(change) => Some(format!("{question} {change}")),
        None => work.asked.follow_up.then(|| question.to_owned()),
    }
}

/// A picture of the rows, in a step of its own.
async fn show(draft: &Draft, chart: DynamicChart) {
    let card = RenderUiComponent {
        component: UiComponent::DynamicChart(chart),
        suggestions: Vec::new(),
    };
    draft.node.show(&card).await;
}
