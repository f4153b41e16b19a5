//! The performance audit: the devices, then what is compared with what, then the comparison and its
//! chart.

use std::sync::Arc;

use contracts::tools::{CompareLoggersArguments, Comparison, ComparisonMetric, names};
use graph::NodeResult;

use super::{Outcome, Premises, Prepared, conclude_at, ended, over, prepare};
use crate::{
    arguments, calls, cards,
    findings::{Failure, Resolved, Scope},
    language::{Flow, Horizon, LoggerMention, Ranked, asked_figure, extract, ranks_by_energy},
    narrative::{
        Asked, Facts, Place, by_energy, by_kwh, format, not_ranked, ranked_by, ranked_figure,
        ranked_value, ranking, ranking_of, without_values,
    },
    run::{Context, Node},
    sentences,
    state::{FlowContext, SiteState, SiteUpdate},
};

/// Maximum number of devices that a call names one by one; more are named by their site, or not at
/// all.
const MOST_NAMED: usize = 200;

/// The longest comparison that the tool takes, in days.
const LONGEST: u32 = 3660;

pub(crate) async fn performance_audit(
    state: Arc<SiteState>,
    context: Context,
) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let outcome = audit(&node, &state).await;
    Ok(ended(node, outcome))
}

async fn audit(node: &Node, state: &SiteState) -> Outcome {
    let flow = Flow::PerformanceAudit;
    let prepared = prepare(node, state, flow, arguments::needs_of_flow(flow)).await?;
    let resolved = &prepared.resolved;
    let arguments = comparison_arguments(resolved, &state.flow_context);
    node.begin_step().await;
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    node.hint(&format!(
        "Comparing {} devices{}",
        resolved.loggers.len(),
        over(period)
    ))
    .await;
    let known = &prepared.loggers.loggers;
    let asked = asked_figure(&state.flow_context.words(), known);
    let is_energy = arguments.metric == ComparisonMetric::Energy;
    let order = if is_energy && ranks_by_energy(&state.flow_context.words()) {
        Order::Energy
    } else {
        Order::Ranking
    };
    let compared = compare(node, resolved, arguments, order).await;
    node.end_step().await;
    node.update(SiteUpdate::Step(2));
    let Ranking { comparison, cut } = compared.map_err(|failure| prepared.failed(failure))?;
    let in_kwh = matches!(
        asked,
        Some(
            Asked::Most
                | Asked::More
                | Asked::Place(Place {
                    by_energy: true,
                    ..
                })
        )
    );
    let comparison = if order == Order::Energy || is_energy && in_kwh {
        by_kwh(comparison)
    } else {
        comparison
    };
    let mut remarks: Vec<String> = resolved
        .ranked
        .zip(cut)
        .map(|(ranked, cut)| {
            let shown = order.of(&comparison);
            let shown = shown.into_iter().filter_map(|id| {
                let figure = order.figure(&comparison, &id)?;
                Some((id, figure))
            });
            let shown: Vec<(String, String)> = shown.collect();
            let by = match order {
                Order::Ranking => ranking_of(&comparison),
                Order::Energy => "energy",
            };
            let mut remarks = vec![sentences::end_of_ranking(ranked, cut.ranked, by, &shown)];
            remarks.extend(cut.remarks);
            remarks
        })
        .unwrap_or_default();
    let mut premises = Premises::of(&prepared);
    match rank_of_one(state, &prepared, &comparison) {
        Some(Rank {
            text,
            is_answer: true,
        }) => premises.before = Some(text),
        rank => remarks.extend(rank.map(|rank| rank.text)),
    }
    remarks.extend(arguments::cut(resolved.period, LONGEST));
    let facts = Facts::Audit {
        comparison: &comparison,
    };
    let chart = cards::comparison_chart(&comparison);
    conclude_at(
        node,
        state,
        Some(&prepared),
        &premises,
        &facts,
        chart,
        &remarks,
    )
    .await;
    Ok(())
}

/// A sentence about the place of one device in a ranking.
struct Rank {
    text: String,
    /// Whether the device is set beside the others, so that this is the answer.
    is_answer: bool,
}

/// The place of the one device that the request names, where all are ranked; and the mean of the
/// others, where it is set beside them.
fn rank_of_one(state: &SiteState, prepared: &Prepared, all: &Comparison) -> Option<Rank> {
    let today = all.period.end;
    let horizon = Horizon {
        loggers: &prepared.loggers.loggers,
        anchor: today,
        today,
    };
    let words = extract(&state.flow_context.words(), &horizon);
    let beside = words.beside_peers.is_some();
    let ((Some(id), _) | (None, LoggerMention::One(id))) = (words.beside_peers, words.loggers)
    else {
        return None;
    };
    let ranking = ranking(all);
    let place = ranking.iter().position(|other| *other == id)? + 1;
    let rank = sentences::rank_of(&id, place, ranking.len());
    let mean = beside.then(|| beside_mean(&id, &ranking, all)).flatten();
    Some(Rank {
        text: match mean {
            Some(mean) => format!("{rank} {mean}"),
            None => rank,
        },
        is_answer: beside,
    })
}

/// A device beside the mean of the others that are ranked.
fn beside_mean(id: &str, ranking: &[String], all: &Comparison) -> Option<String> {
    let own = ranked_value(all, id)?;
    let others: Vec<f64> = ranking
        .iter()
        .filter(|other| *other != id)
        .filter_map(|other| ranked_value(all, other))
        .collect();
    let mean = others.iter().sum::<f64>() / others.len() as f64;
    let shown = ranked_figure(all, id).filter(|_| mean > 0.0)?;
    Some(sentences::beside_mean(own, &shown, mean))
}

fn comparison_arguments(resolved: &Resolved, task: &FlowContext) -> CompareLoggersArguments {
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    let named: Vec<String> = resolved
        .loggers
        .iter()
        .map(|logger| logger.logger_id.clone())
        .collect();
    let many = named.len() > MOST_NAMED && resolved.scope != Scope::Named;
    CompareLoggersArguments {
        site_id: match &resolved.scope {
            Scope::Site(site) if many => Some(site.clone()),
            _ => None,
        },
        logger_ids: if many { Vec::new() } else { named },
        metric: task
            .metric
            .or(resolved.metric)
            // Who is best is a matter of energy.
            .or(resolved.ranked.map(|_| ComparisonMetric::Energy))
            .unwrap_or_default(),
        date: period.map(|period| period.start),
        end_date: period
            .map(|period| period.end)
            .filter(|end| Some(*end) != period.map(|period| period.start)),
    }
}

/// Devices side by side.
struct Ranking {
    comparison: Comparison,
    /// The ranking of which they are an end.
    cut: Option<Cut>,
}

/// The order in which devices are ranked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The order of the comparison.
    Ranking,
    /// By energy, whatever their size.
    Energy,
}

impl Order {
    /// The devices, best first.
    fn of(self, comparison: &Comparison) -> Vec<String> {
        match self {
            Self::Ranking => ranking(comparison),
            Self::Energy => {
                let made = by_energy(comparison).into_iter();
                made.map(|(id, _)| id.clone()).collect()
            }
        }
    }

    /// The figure that a device is ranked by.
    fn figure(self, comparison: &Comparison, id: &str) -> Option<String> {
        match self {
            Self::Ranking => ranked_figure(comparison, id),
            Self::Energy => comparison.summary.get(id)?.total.map(format::energy),
        }
    }
}

/// A ranking of which an end is shown.
struct Cut {
    /// The number of devices that are ranked.
    ranked: usize,
    /// The devices that are cut off though they are level with the last that is shown, and those
    /// that have no rank.
    remarks: Vec<String>,
}

/// Compares the devices, then those at the end of the ranking that is asked for.
async fn compare(
    node: &Node,
    resolved: &Resolved,
    arguments: CompareLoggersArguments,
    order: Order,
) -> Result<Ranking, Failure> {
    let all: Comparison = calls::call(node, names::COMPARE_LOGGERS, &arguments)
        .await?
        .result;
    let end = resolved
        .ranked
        .and_then(|ranked| end_of_ranking(order.of(&all), ranked));
    let Some(logger_ids) = end else {
        return Ok(Ranking {
            comparison: all,
            cut: None,
        });
    };
    let tied = resolved
        .ranked
        .and_then(|ranked| tied(&all, &logger_ids, ranked, order));
    let mut remarks: Vec<String> = tied.into_iter().collect();
    match order {
        Order::Ranking => remarks.extend(not_ranked(&all)),
        Order::Energy => remarks.extend(without_values(&all)),
    }
    let arguments = CompareLoggersArguments {
        logger_ids,
        site_id: None,
        ..arguments
    };
    let end = calls::call(node, names::COMPARE_LOGGERS, &arguments).await;
    Ok(match end {
        Ok(found) => Ranking {
            comparison: found.result,
            cut: Some(Cut {
                ranked: order.of(&all).len(),
                remarks,
            }),
        },
        // Without it the whole ranking still is an answer.
        Err(_) => Ranking {
            comparison: all,
            cut: None,
        },
    })
}

/// The devices outside of an end of the ranking that are level with the one where it is cut.
fn tied(all: &Comparison, end: &[String], ranked: Ranked, order: Order) -> Option<String> {
    let edge = if ranked.worst {
        end.first()?
    } else {
        end.last()?
    };
    let (value, ids) = match order {
        Order::Ranking => (ranked_by(all, edge)?, all.ranking.clone()),
        Order::Energy => (order.figure(all, edge)?, order.of(all)),
    };
    let figure = |id: &str| match order {
        Order::Ranking => ranked_by(all, id),
        Order::Energy => order.figure(all, id),
    };
    let others: Vec<&str> = ids
        .iter()
        .filter(|id| !end.contains(id) && figure(id).as_ref() == Some(&value))
        .map(String::as_str)
        .collect();
    (!others.is_empty()).then(|| sentences::level_with(&others, edge))
}

/// The first or last devices of a ranking, best first; none when they are too few to compare, or
/// all of them.
fn end_of_ranking(mut ids: Vec<String>, ranked: Ranked) -> Option<Vec<String>> {
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
