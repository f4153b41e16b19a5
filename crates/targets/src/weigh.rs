//! Evidence in the data for joins without a declared key: whether the one column's values are
//! unique, and contain the other's.
//!
//! Only a bounded number of rows is read, within a few seconds for a whole database, and only from
//! tables that every tenant sees whole: what one tenant may not see must not shape what it is
//! shown. Where the data may not be looked at, names alone decide.

use std::time::{Duration, Instant};

use join_graph::{Graph, Relationship, RelationshipType};
use sql_guard::Dialect;

use crate::catalogue::Catalogue;
use crate::connection::Pool;
use crate::run::{Limits, Work, run};
use crate::{TargetConfig, TargetError};

/// Values of the referring column that are looked up.
const SAMPLED: u64 = 1_000;
/// Rows of the table referred to that are read.
const READ: u64 = 20_000;
/// Guesses of one database that are looked at.
const GUESSES: usize = 60;
/// Maximum duration of all checks.
const PATIENCE: Duration = Duration::from_secs(4);
/// Time that one of them may take.
const STATEMENT: Duration = Duration::from_secs(1);

/// From this share of the values on, the data agree.
const AGREES: f64 = 0.95;
/// Below this share, they say no.
const DISAGREES: f64 = 0.5;

/// Confidence when names and data agree.
const CONFIRMED: f64 = 0.85;
/// Confidence in a proposal of a model.
const PROPOSED: f64 = 0.80;
/// Confidence in a guess that the data contradict.
const REFUTED: f64 = 0.30;

/// The evidence in the data.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    /// This percentage of values was found, and the column that is referred to is unique.
    Agree(u32),
    /// Too few values were found, or the column is not unique.
    Disagree,
    /// There are too few rows to decide, or they may not be looked at.
    Nothing,
}

/// A target's database, to be asked about guesses.
pub(crate) struct Scales<'t> {
    pub(crate) pool: &'t Pool,
    pub(crate) config: &'t TargetConfig,
    pub(crate) dialect: Dialect,
}

impl Scales<'_> {
    /// Weighs the guesses of a catalogue, and makes its graph of those that stand.
    pub(crate) async fn weigh(&self, catalogue: &mut Catalogue) -> Result<(), TargetError> {
        let started = Instant::now();
        let mut relationships = std::mem::take(&mut catalogue.document.relationships);
        let guesses = relationships
            .iter_mut()
            .filter(|edge| edge.kind == RelationshipType::Heuristic)
            .take(GUESSES);
        for guess in guesses {
            if started.elapsed() > PATIENCE {
                break;
            }
            match self.ask(catalogue, guess).await {
                Said::Agree(share) => {
                    guess.confidence = guess.confidence.max(CONFIRMED);
                    guess.evidence.push(found(share));
                }
                Said::Disagree => {
                    guess.confidence = guess.confidence.min(REFUTED);
                    guess.evidence.push("the data speak against it".to_owned());
                }
                Said::Nothing => {}
            }
        }
        catalogue.document.relationships = relationships;
        let graph = Graph::new(&catalogue.document, self.config.confidence_threshold);
        catalogue.graph = graph.map_err(|error| TargetError::Policy {
            message: format!("The join graph cannot be used: {error}."),
        })?;
        Ok(())
    }

    /// Proposed joins as relationships, as far as their columns exist, are of one kind, and the
    /// data do not speak against them.
    pub(crate) async fn proposed(
        &self,
        catalogue: &Catalogue,
        wanted: &[[&str; 4]],
    ) -> Vec<Relationship> {
        let mut taken = Vec::new();
        for &[from_table, from_column, to_table, to_column] in wanted.iter().take(GUESSES) {
            let column = |table: &str, column: &str| {
                let table = catalogue.table(table)?;
                let column = table
                    .columns
                    .iter()
                    .find(|known| known.name.eq_ignore_ascii_case(column))?;
                Some((table.name.clone(), column))
            };
            let (Some((from_table, from)), Some((to_table, to))) =
                (column(from_table, from_column), column(to_table, to_column))
            else {
                continue;
            };
            let same = from_table == to_table && from.name == to.name;
            if same || !crate::introspect::same_family(&from.data_type, &to.data_type) {
                continue;
            }
            let mut edge = Relationship {
                from_table,
                from_column: from.name.clone(),
                to_table,
                to_column: to.name.clone(),
                kind: RelationshipType::Other("proposed".to_owned()),
                confidence: self.config.confidence_threshold.max(0.70),
                cardinality: join_graph::Cardinality::Unknown,
                evidence: vec!["proposed by the language model".to_owned()],
                sources: vec!["model".to_owned()],
                key: None,
            };
            match self.ask(catalogue, &edge).await {
                Said::Agree(share) => {
                    edge.confidence = edge.confidence.max(PROPOSED);
                    edge.evidence.push(found(share));
                }
                Said::Disagree => continue,
                Said::Nothing => {}
            }
            taken.push(edge);
        }
        taken
    }

    async fn ask(&self, catalogue: &Catalogue, edge: &Relationship) -> Said {
        let ends = [
            (&edge.from_table, &edge.from_column),
            (&edge.to_table, &edge.to_column),
        ];
        if ends
            .iter()
            .any(|(table, column)| !is_open(catalogue, table, column))
        {
            return Said::Nothing;
        }
        let limits = Limits {
            timeout: STATEMENT.min(self.config.statement_timeout()),
            ..Limits::of(self.config)
        };
        let sql = self.question(catalogue, edge);
        let work = Work {
            sql: &sql,
            filtered: false,
            fenced: false,
            sink: None,
        };
        let Ok(rows) = run(self.pool, work, &limits.with_max_rows(1), self.pool.safe()).await
        else {
            return Said::Nothing;
        };
        let number = |name: &str| {
            let value = rows.rows.first()?.get(name)?;
            value.as_f64().or_else(|| value.as_str()?.parse().ok())
        };
        let (Some(values), Some(hits), Some(read), Some(distinct)) = (
            number("sampled"),
            number("hits"),
            number("read_rows"),
            number("distinct_values"),
        ) else {
            return Said::Nothing;
        };
        said(values, hits, read, distinct)
    }

    /// One row: how many values of the one column there are in a sample, how many of them the other
    /// has, how many rows of that were read, and how many values they have.
    fn question(&self, catalogue: &Catalogue, edge: &Relationship) -> String {
        let quote = if self.dialect == Dialect::MySql {
            '`'
        } else {
            '"'
        };
        let quoted = |name: &str| {
            let inner = name.replace(quote, &format!("{quote}{quote}"));
            format!("{quote}{inner}{quote}")
        };
        let table = |name: &str| {
            let physical = catalogue.views.get(name).map_or(name, String::as_str);
            let qualified = catalogue.other_schemas.iter().find_map(|schema| {
                let own = physical.strip_prefix(schema.as_str())?.strip_prefix('.')?;
                Some(format!("{}.{}", quoted(schema), quoted(own)))
            });
            qualified.unwrap_or_else(|| quoted(physical))
        };
        let some = |name: &str, column: &str, most: u64| {
            let column = quoted(column);
            format!(
                "SELECT {column} AS v FROM {} WHERE {column} IS NOT NULL LIMIT {most}",
                table(name)
            )
        };
        let from = some(&edge.from_table, &edge.from_column, SAMPLED);
        let to = some(&edge.to_table, &edge.to_column, READ);
        format!(
            "SELECT (SELECT COUNT(DISTINCT a.v) FROM ({from}) a) AS sampled, \
             (SELECT COUNT(DISTINCT b.v) FROM ({from}) b JOIN (SELECT DISTINCT c.v AS v FROM ({to}) c) d ON d.v = b.v) AS hits, \
             (SELECT COUNT(e.v) FROM ({to}) e) AS read_rows, (SELECT COUNT(DISTINCT f.v) FROM ({to}) f) AS distinct_values"
        )
    }
}

/// Whether every tenant sees all values of a column.
fn is_open(catalogue: &Catalogue, table: &str, column: &str) -> bool {
    let policy = &catalogue.policy;
    let filtered = policy
        .row_filters
        .keys()
        .any(|name| name.eq_ignore_ascii_case(table));
    let ruled = policy.columns.iter().any(|(name, rules)| {
        name.eq_ignore_ascii_case(table)
            && rules.keys().any(|name| name.eq_ignore_ascii_case(column))
    });
    !filtered && !ruled
}

fn said(values: f64, hits: f64, read: f64, distinct: f64) -> Said {
    if values < 1.0 || read < 1.0 {
        return Said::Nothing;
    }
    if distinct < read {
        return Said::Disagree;
    }
    let share = hits / values;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a few thousand rows, which are whole"
    )]
    let whole = read < READ as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a hundred"
    )]
    let percent = (share * 100.0).floor() as u32;
    if share >= AGREES {
        Said::Agree(percent)
    } else if whole && share < DISAGREES {
        Said::Disagree
    } else {
        Said::Nothing
    }
}

fn found(percent: u32) -> String {
    format!("{percent} % of the sampled values are there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_agree_where_values_are_unique_and_contained() {
        assert_eq!(said(40.0, 40.0, 100.0, 100.0), Said::Agree(100));
        assert_eq!(said(40.0, 40.0, 100.0, 99.0), Said::Disagree);
        assert_eq!(said(40.0, 4.0, 100.0, 100.0), Said::Disagree);
        assert_eq!(
            said(40.0, 4.0, 20_000.0, 20_000.0),
            Said::Nothing,
            "of a larger table only a part was read"
        );
        assert_eq!(said(0.0, 0.0, 100.0, 100.0), Said::Nothing);
        assert_eq!(said(40.0, 30.0, 100.0, 100.0), Said::Nothing);
    }
}
