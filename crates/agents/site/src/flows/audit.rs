//! The performance audit: `fetch_loggers -> check_args -> [wait] -> compare -> [recovery] ->
//! render_chart`.

use std::sync::Arc;

use contracts::tools::{CompareLoggersArguments, Comparison, ComparisonMetric, names};
use graph::{BuildError, CompiledGraph, Context, END, NodeError, NodeResult};

use super::{conclude, over, report_graph, resolved, unless_failed};
use crate::{
    arguments, cards,
    language::Ranked,
    narrative::Facts,
    sentences,
    stage::Stage,
    state::{Finding, Scope, SiteState, SiteUpdate},
};

/// Maximum number of devices that a call names one by one; more are named by their site, or not at
/// all.
const MOST_NAMED: usize = 200;

/// The longest comparison that the tool takes, in days.
const LONGEST: u32 = 3660;

const COMPARE: &str = "compare";
const RENDER_CHART: &str = "render_chart";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = report_graph(COMPARE);
    graph
        .add_node(COMPARE, compare)
        .add_node(RENDER_CHART, render_chart)
        .add_conditional_edges(
            COMPARE,
            |state: &SiteState| unless_failed(state, RENDER_CHART),
            [RENDER_CHART, END],
        )
        .add_edge(RENDER_CHART, END);
    graph.build("performance_audit")
}

async fn compare(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let resolved = resolved(&state)?;
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    let named: Vec<String> = resolved
        .loggers
        .iter()
        .map(|logger| logger.logger_id.clone())
        .collect();
    let many = named.len() > MOST_NAMED && resolved.scope != Scope::Named;
    let ranked = resolved.ranked;
    let arguments = CompareLoggersArguments {
        site_id: match &resolved.scope {
            Scope::Site(site) if many => Some(site.clone()),
            _ => None,
        },
        logger_ids: if many { Vec::new() } else { named },
        metric: state
            .flow_context
            .metric
            .or(resolved.metric)
            // Who is best is a matter of energy.
            .or(ranked.map(|_| ComparisonMetric::Energy))
            .unwrap_or_default(),
        date: period.map(|period| period.start),
        end_date: period
            .map(|period| period.end)
            .filter(|end| Some(*end) != period.map(|period| period.start)),
    };
    stage.begin_step().await;
    stage
        .hint(&format!(
            "Comparing {} devices{}",
            resolved.loggers.len(),
            over(period)
        ))
        .await;
    match stage
        .call::<Comparison>(names::COMPARE_LOGGERS, &arguments)
        .await
    {
        Ok(called) => {
            let end = ranked.and_then(|ranked| end_of_ranking(&called.result, ranked));
            let all = called.result;
            let comparison = match end {
                Some(logger_ids) => {
                    let arguments = CompareLoggersArguments {
                        logger_ids,
                        site_id: None,
                        ..arguments
                    };
                    let end = stage
                        .call::<Comparison>(names::COMPARE_LOGGERS, &arguments)
                        .await;
                    // Without it the whole ranking still is an answer.
                    end.map_or(all, |called| called.result)
                }
                None => all,
            };
            stage.update(Finding::Comparison(comparison));
        }
        Err(failure) => stage.update(Finding::Failure(failure)),
    }
    stage.end_step().await;
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

async fn render_chart(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let comparison = state
        .work
        .comparison
        .as_deref()
        .ok_or_else(|| NodeError::permanent("a chart needs a comparison"))?;
    let facts = Facts::Audit { comparison };
    let resolved = resolved(&state)?;
    let mut remarks: Vec<String> = resolved
        .ranked
        .filter(|ranked| ranked.count as usize == comparison.logger_ids.len())
        .filter(|_| comparison.logger_ids.len() < resolved.loggers.len())
        .map(|ranked| sentences::end_of_ranking(ranked, resolved.loggers.len()))
        .into_iter()
        .collect();
    remarks.extend(arguments::cut(resolved.period, LONGEST));
    conclude(
        &mut stage,
        &state,
        &facts,
        Some(cards::comparison_chart(comparison)),
        &remarks,
    )
    .await;
    Ok(stage.done())
}

/// The first or last devices of a ranking, best first; none when they are too few to compare, or
/// all of them.
fn end_of_ranking(comparison: &Comparison, ranked: Ranked) -> Option<Vec<String>> {
    let mut ids = comparison.ranking.clone();
    if ids.is_empty() {
        let figure = |id: &String| {
            let figures = comparison.summary.get(id);
            figures
                .and_then(|figures| figures.specific_yield.or(figures.average))
                .unwrap_or(f64::NEG_INFINITY)
        };
        ids.clone_from(&comparison.logger_ids);
        ids.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
    }
    let count = usize::try_from(ranked.count).unwrap_or(usize::MAX);
    if count < 2 || count >= ids.len() {
        return None;
    }
    Some(if ranked.worst {
        ids.split_off(ids.len() - count)
    } else {
        ids.truncate(count);
        ids
    })
}
