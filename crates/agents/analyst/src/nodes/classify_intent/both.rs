//! "In both?" behind two queries that differ in one value: the newest query, with the value of the
//! one before it beside its own.

use contracts::tools::search::{Filter, FilterOp, QueryStructure};
use serde_json::Value;

use crate::{language, step::Step};

/// User turns in which the query before is looked for.
const TURNS: u32 = 50;

/// The change that the message asks for.
pub(super) async fn of_the_last_two(step: &Step, text: &str) -> Option<String> {
    if !language::means_both(text) || step.work.plan.list.is_some() {
        return None;
    }
    let newest = step.work.recalled.newest_query.as_ref()?;
    let ids = step.run().queries(TURNS).await.ok()?;
    let id = *ids.iter().rev().nth(1)?;
    let before = step.run().query(Some(id)).await.ok()??;
    let (newest, before) = (
        newest.query_structure.as_ref()?,
        before.metadata.query_structure?,
    );
    change(newest, &before)
}

/// The change of the newest query that adds the one value in which the other differs.
fn change(newest: &QueryStructure, before: &QueryStructure) -> Option<String> {
    if newest.index != before.index {
        return None;
    }
    let differing = |one: &QueryStructure, other: &QueryStructure| -> Vec<Filter> {
        let other = |filter: &Filter| {
            let mut others = other.filters.iter();
            others.any(|known| {
                (&known.field, known.op, &known.values)
                    == (&filter.field, filter.op, &filter.values)
            })
        };
        let own = one.filters.iter().filter(|filter| !other(filter));
        own.cloned().collect()
    };
    let (now, gone) = (differing(newest, before), differing(before, newest));
    let days = |query: &QueryStructure| {
        let range = query.time_range.as_ref()?;
        Some((range.start, range.end))
    };
    match (now.as_slice(), gone.as_slice()) {
        ([], []) if days(newest) != days(before) => {
            let (start, end) = days(before)?;
            days(newest)?;
            Some(format!("also between {start} and {end}"))
        }
        ([now], [gone])
            if now.field == gone.field && [now.op, gone.op] == [FilterOp::Is, FilterOp::Is] =>
        {
            let name = match (&gone.label, gone.values.as_slice()) {
                (Some(label), _) => label.replace(" or ", " and "),
                (None, [Value::String(value)]) => value.replace('_', " "),
                _ => return None,
            };
            Some(format!("also {name}"))
        }
        _ => None,
    }
}
