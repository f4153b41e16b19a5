//! Number of rows that a plan reads.

#[cfg(any(feature = "mariadb", test))]
use std::collections::BTreeMap;

use serde_json::Value;

/// A line of `MySQL`'s plan.
#[cfg(any(feature = "mariadb", test))]
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// Which SELECT it belongs to.
    pub(super) select: Option<i64>,
    /// `SIMPLE`, `PRIMARY`, `DEPENDENT SUBQUERY`, …
    pub(super) kind: String,
    /// Number of rows that it reads for each row before it.
    pub(super) rows: Option<f64>,
    /// Share of the rows that continue, in percent; reported by `MySQL`, not by `MariaDB`.
    pub(super) filtered: Option<f64>,
}

/// The rows that a plan of nested loops reads: each table's for each row that came out of those
/// before it, and a dependent subquery's for each row that the outer ones give.
#[cfg(any(feature = "mariadb", test))]
pub(super) fn mysql(steps: impl IntoIterator<Item = Step>) -> Option<f64> {
    #[derive(Default)]
    struct Select {
        read: f64,
        given: Option<f64>,
        dependent: bool,
    }
    let mut selects: BTreeMap<Option<i64>, Select> = BTreeMap::new();
    for step in steps {
        let Some(rows) = step.rows else { continue };
        let select = selects.entry(step.select).or_default();
        let read = select.given.unwrap_or(1.0) * rows;
        select.read += read;
        select.given = Some(read * step.filtered.unwrap_or(100.0) / 100.0);
        select.dependent |= step.kind.starts_with("DEPENDENT");
    }
    if selects.is_empty() {
        return None;
    }
    let outer = selects
        .values()
        .filter(|select| !select.dependent)
        .filter_map(|select| select.given)
        .fold(1.0, f64::max);
    Some(
        selects
            .values()
            .map(|select| {
                if select.dependent {
                    select.read * outer
                } else {
                    select.read
                }
            })
            .sum(),
    )
}

/// Maximum number of rows that a step of PostgreSQL's plan handles, over all its turns.
pub(super) fn postgres(plan: &Value) -> Option<f64> {
    let node = plan.get(0)?.get("Plan")?;
    Some(largest(node, 1.0))
}

/// `share`: of its rows, how many are asked for, over all turns. A limit above asks for few, unless
/// a step between has to see all of them first.
fn largest(node: &Value, share: f64) -> f64 {
    let kind = node
        .get("Node Type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let rows = rows(node);
    let own = rows * share;
    let children = node
        .get("Plans")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let below = match kind {
        "Limit" => children.first().map_or(share, |child| {
            share * (rows / self::rows(child).max(1.0)).min(1.0)
        }),
        "Sort" | "Aggregate" | "Hash" | "WindowAgg" | "SetOp" | "Materialize" | "Memoize" => {
            share.max(1.0)
        }
        _ => share,
    };
    let mut most = own;
    let mut outer = None;
    for child in children {
        let turns = match (kind, outer) {
            ("Nested Loop", Some(rows)) => below * rows,
            _ => below,
        };
        most = most.max(largest(child, turns));
        outer.get_or_insert(self::rows(child).max(1.0));
    }
    most
}

fn rows(node: &Value) -> f64 {
    node.get("Plan Rows")
        .and_then(Value::as_f64)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(select: i64, kind: &str, rows: f64, filtered: Option<f64>) -> Step {
        Step {
            select: Some(select),
            kind: kind.to_owned(),
            rows: Some(rows),
            filtered,
        }
    }

    #[test]
    fn joins_multiply() {
        let crossed = [
            step(1, "SIMPLE", 1000.0, None),
            step(1, "SIMPLE", 1000.0, None),
        ];
        assert_eq!(mysql(crossed), Some(1_001_000.0));
        let filtered = [
            step(1, "SIMPLE", 1000.0, Some(10.0)),
            step(1, "SIMPLE", 2.0, None),
        ];
        assert_eq!(mysql(filtered), Some(1200.0));
        let dependent = [
            step(1, "PRIMARY", 100.0, None),
            step(2, "DEPENDENT SUBQUERY", 50.0, None),
        ];
        assert_eq!(mysql(dependent), Some(5100.0));
        assert_eq!(mysql([]), None);
    }

    #[test]
    fn a_limit_asks_for_less_unless_all_is_sorted_first() {
        let scan = json!({"Node Type": "Seq Scan", "Plan Rows": 1_000_000});
        let limited =
            json!([{"Plan": {"Node Type": "Limit", "Plan Rows": 100, "Plans": [scan.clone()]}}]);
        assert_eq!(postgres(&limited), Some(100.0));
        let sort = json!({"Node Type": "Sort", "Plan Rows": 1_000_000, "Plans": [scan]});
        let sorted = json!([{"Plan": {"Node Type": "Limit", "Plan Rows": 100, "Plans": [sort]}}]);
        assert_eq!(postgres(&sorted), Some(1_000_000.0));
    }

    #[test]
    fn the_inner_side_of_a_loop_is_read_again_and_again() {
        let plan = json!([{"Plan": {"Node Type": "Aggregate", "Plan Rows": 1, "Plans": [
            {"Node Type": "Nested Loop", "Plan Rows": 5, "Plans": [
                {"Node Type": "Seq Scan", "Plan Rows": 1000},
                {"Node Type": "Seq Scan", "Plan Rows": 2000}]}]}}]);
        assert_eq!(postgres(&plan), Some(2_000_000.0));
    }
}
