//! The answer: rows in words and in a picture, or why there are none and what to do.

use std::sync::Arc;

use contracts::{
    run::{RunEvent, Source},
    tools::sql::{SqlCut, SqlRun},
    ui::{DynamicChart, RenderUiComponent, UiComponent},
};
use graph::{Context, NodeResult};
use serde_json::Value;

use crate::{
    answer::{chart, guesses, provenance, template, wording},
    scene::Scene,
    sentences,
    state::{AnsweredQuery, DataState, DataUpdate, Ending, Origin},
};

/// Tells the answer.
pub(crate) async fn finalize(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    let result = scene.work.result.clone();
    match (scene.work.ending.clone(), result) {
        (None, Some(run)) => answer(&mut scene, &run).await,
        (Some(ending), _) => {
            let text = sentences::ending(&ending, &scene.work, scene.options());
            if matches!(ending, Ending::NeedsModel)
                && let Some(offered) = sentences::offered(&scene.work, scene.options())
            {
                let offered = offered.question.clone();
                scene.update(DataUpdate::Offered(offered));
            }
            scene.performance().account().worded_by(Source::Rules);
            scene.say_in_step(&text).await;
        }
        (None, None) => scene.say_in_step(sentences::NOTHING_CAME).await,
    }
    Ok(scene.finished())
}

async fn answer(scene: &mut Scene, run: &SqlRun) {
    let question = scene.work.question.clone();
    if let Some(chart) = chart::chart(&question, run) {
        show(scene, chart).await;
    }
    let plain = if run.rows.is_empty() {
        sentences::empty(&scene.work, run)
    } else {
        template::tell(&question, run, scene.limits().max_query_rows)
    };
    scene.begin_step().await;
    scene
        .emit(RunEvent::StructuredData {
            data: Value::Array(run.rows.iter().cloned().map(Value::Object).collect()),
        })
        .await;
    let confirmed = scene.work.confirmed.take();
    let confirmed = confirmed.filter(|_| scene.work.origin == Origin::Past);
    let pasted = scene.work.origin == Origin::Person;
    let written_here = matches!(scene.work.origin, Origin::Model | Origin::Rules);
    let guessed = written_here
        .then(|| guesses::of(&scene.work.steps, &run.tables))
        .flatten();
    // Rows that are not all there come first: they change what the figures mean.
    let cut = (run.truncated_by == Some(SqlCut::Lists)).then(|| sentences::CUT_LIST.to_owned());
    let notes = [
        cut,
        confirmed.as_deref().and_then(provenance::of),
        pasted.then(|| provenance::own_query(run)),
        provenance::target(&scene.work, run),
        guessed,
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    let note = (!notes.is_empty()).then(|| notes.join(" "));
    wording::tell(scene, &question, run, &plain, note.as_deref()).await;
    scene.end_step().await;
    let work = &mut scene.work;
    let answered = AnsweredQuery {
        question: work
            .standalone
            .take()
            .filter(|_| work.follow_up || work.change.is_some())
            .unwrap_or(question),
        sql: work.sql.take().unwrap_or_default(),
        tables: if run.tables.is_empty() {
            work.tables.clone()
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
        written_at: work.begun_at,
        confirmed: confirmed.map(|past| past.id),
        pasted,
    };
    scene.update(DataUpdate::Answered(Box::new(answered)));
}

/// A picture of the rows, in a step of its own.
async fn show(scene: &Scene, chart: DynamicChart) {
    let card = RenderUiComponent {
        component: UiComponent::DynamicChart(chart),
        suggestions: Vec::new(),
    };
    scene.show(&card).await;
}
