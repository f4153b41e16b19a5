//! The groups of a query: by columns, by the rows of another table, by periods of a date.

use std::sync::LazyLock;

use contracts::tools::sql::{JoinEdge, TableDescription};
use regex::Regex;

use super::{
    super::{
        catalogue::{belongs, edges, is_date, only_edge, pairs, way},
        listing::{called, label},
        most::Ranking,
        quoted_table,
    },
    Field, Join, Measure, Query, alias,
    intervals::Interval,
};
use crate::{
    answer::units::{is_number, is_unit},
    language::names::{bare, named, words},
};

/// A table is named, and there is not one way to join it.
struct Unsettled;

/// What groups are made of.
pub(super) enum Dimension {
    Column(Field),
    /// The row of another table that each row belongs to: the join, and how it was named.
    Owner(usize, String),
    /// The row of another table that no text calls, by its key: a row of a season is that of a beer
    /// and a year.
    Key(Vec<KeyPart>),
    /// A period of a date.
    Period(Field, Interval),
}

/// A column of a key as it is shown.
pub(super) enum KeyPart {
    Column(Field),
    /// The name of the row that the column leads to: the join, and its label.
    Name(usize, String),
}

static AND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\s*(?:,\s*(?:and\s+)?|\s+and\s+)(?:(?:per|by|the)\s+)*").ok()
});

impl<'k> Query<'k> {
    /// The groups with the largest or the smallest figures; `None` where the figures are in several
    /// units, so that none is larger than another.
    pub(in super::super) fn ranked(
        mut self,
        by: &str,
        measure: &Measure,
        ranking: Ranking,
    ) -> Option<String> {
        let units = self.units(measure);
        if !units.iter().all(|unit| self.is_one(unit)) {
            return None;
        }
        self.grouped(by, measure, Some(ranking))
    }

    /// A figure of each group; `None` where the catalogue does not settle what the groups are.
    pub(in super::super) fn grouped(
        mut self,
        by: &str,
        measure: &Measure,
        ranking: Option<Ranking>,
    ) -> Option<String> {
        let dimensions = self.dimensions(by)?;
        let is_shown = |dimensions: &[Dimension], unit: &Field| {
            let mut dimensions = dimensions.iter();
            dimensions.any(|one| matches!(one, Dimension::Column(field) if field == unit))
        };
        let mut units = self.units(measure);
        units.retain(|unit| !is_shown(&dimensions, unit));
        if let (
            [Dimension::Owner(0, said)],
            Some(Ranking {
                fewest: true, most, ..
            }),
            Measure::Count,
            1,
        ) = (&*dimensions, ranking, measure, self.joins.len())
        {
            return self.fewest(said, most);
        }
        // Rows of another table without any are the fewest: they are in no other query.
        let is_fewest = ranking.is_some_and(|ranking| ranking.fewest);
        if is_fewest && dimensions_join(&dimensions) && !matches!(measure, Measure::Average(_)) {
            return None;
        }
        let (mut shown, mut groups, mut named) = (Vec::new(), Vec::new(), Vec::new());
        if let (Some(_), Measure::Sum(name) | Measure::Average(name)) = (ranking, measure) {
            let column = self.of(&Field::Own(name.clone()));
            named.push(format!("{column} IS NOT NULL"));
        }
        let mut is_dated = false;
        for dimension in &dimensions {
            match dimension {
                Dimension::Column(field) => {
                    let column = self.of(field);
                    shown.push(match self.told_apart(field) {
                        Some(name) => format!("{column} AS {}", self.quote(&name)),
                        None => column.clone(),
                    });
                    if ranking.is_some() {
                        named.push(format!("{column} IS NOT NULL"));
                    }
                    groups.push(column);
                }
                Dimension::Owner(at, said) => {
                    let label = self.label(*at)?;
                    let name = words(said).join("_");
                    shown.push(format!("{label} AS {}", self.quote(&name)));
                    let keys = pairs(self.joins[*at].edge);
                    groups
                        .extend(keys.map(|(_, key)| format!("{}.{}", alias(*at), self.quote(key))));
                    if !groups.contains(&label) {
                        groups.push(label);
                    }
                }
                Dimension::Key(parts) => {
                    for (sql, name) in self.parts_of_key(parts)? {
                        shown.push(format!("{sql} AS {}", self.quote(&name)));
                        groups.push(sql);
                    }
                }
                Dimension::Period(field, unit) => {
                    for (sql, name) in self.parts_of_period(field, *unit) {
                        shown.push(format!("{sql} AS {}", self.quote(&name)));
                        groups.push(sql);
                    }
                    is_dated = true;
                }
            }
        }
        if is_dated && ranking.is_some() {
            return None;
        }
        for unit in &units {
            let column = self.of(unit);
            shown.push(column.clone());
            groups.push(column);
        }
        let (sql, name) = self.figure(measure);
        let name = self.quote(name);
        let joins_all = ranking.is_none() || !dimensions_join(&dimensions);
        let kind = if joins_all { "LEFT JOIN" } else { "JOIN" };
        let order = match ranking {
            // Groups by time are in its order.
            None if is_dated || self.are_in_time(&dimensions) => groups.join(", "),
            None => format!("{name} DESC"),
            Some(Ranking { most, fewest }) => {
                let order = if fewest { "" } else { " DESC" };
                format!("{name}{order} LIMIT {most}")
            }
        };
        Some(format!(
            "SELECT {}, {sql} AS {name} FROM {}{} GROUP BY {} ORDER BY {order}",
            shown.join(", "),
            self.from(kind),
            self.filter(&named),
            groups.join(", ")
        ))
    }

    /// The columns of a key as the query writes them: each with what it is called.
    fn parts_of_key(&self, parts: &[KeyPart]) -> Option<Vec<(String, String)>> {
        let parts = parts.iter().map(|part| match part {
            KeyPart::Column(field) => {
                let (_, name) = self.names(field);
                Some((self.of(field), name.to_owned()))
            }
            KeyPart::Name(at, said) => Some((self.label(*at)?, said.clone())),
        });
        parts.collect()
    }

    /// Whether the groups are those of one column of years or days, which have their own order.
    fn are_in_time(&self, dimensions: &[Dimension]) -> bool {
        let [Dimension::Column(field)] = dimensions else {
            return false;
        };
        let (table, name) = self.names(field);
        let tables = std::iter::once(self.table).chain(self.joins.iter().map(|join| join.owner));
        let mut columns = tables
            .filter(|one| one.name == table)
            .flat_map(|one| &one.columns);
        let last = words(name).pop().unwrap_or_default();
        columns.any(|column| {
            column.name == name
                && (is_date(column)
                    || is_number(column) && ["year", "quarter", "month", "week"].contains(&&*last))
        })
    }

    /// The name of a joined column with that of its table, unless it begins so: the status of an
    /// invoice is not that of its payments.
    fn told_apart(&self, field: &Field) -> Option<String> {
        let Field::Joined(at, column) = field else {
            return None;
        };
        // The unit of an amount is that of the amount.
        if is_unit(column) {
            return None;
        }
        let (mut whole, column) = (words(bare(&self.joins[*at].owner.name)), words(column));
        if column.starts_with(&whole) {
            return None;
        }
        whole.extend(column);
        Some(whole.join("_"))
    }

    /// The smallest numbers of rows: rows of the other table without any are the fewest.
    fn fewest(&self, said: &str, most: u32) -> Option<String> {
        let Join { edge, owner, .. } = self.joins[0];
        let label = self.label(0)?;
        let keys: Vec<String> = pairs(edge)
            .map(|(_, key)| format!("o.{}", self.quote(key)))
            .collect();
        let mut on = vec![self.on(0)];
        on.extend(self.rendered());
        let count = self.quote("count");
        Some(format!(
            "SELECT {label} AS {}, COUNT(i.{}) AS {count} FROM {} o LEFT JOIN {} i ON {} GROUP BY {}, {label} ORDER BY {count} LIMIT {most}",
            self.quote(&words(said).join("_")),
            self.quote(&edge.from_column),
            quoted_table(&owner.name, self.dialect),
            quoted_table(&self.table.name, self.dialect),
            on.join(" AND "),
            keys.join(", ")
        ))
    }

    /// The things that groups are made of: one thing, or several with "and" between them.
    fn dimensions(&mut self, by: &str) -> Option<Vec<Dimension>> {
        if let Some(one) = self.dimension(by) {
            return Some(vec![one]);
        }
        let parts = parts(by);
        if !(2..=3).contains(&parts.len()) {
            return None;
        }
        parts.iter().map(|part| self.dimension(part)).collect()
    }

    fn dimension(&mut self, by: &str) -> Option<Dimension> {
        let names = || self.table.columns.iter().map(|column| &*column.name);
        if let Some(column) = named(by, names()) {
            // A key says what it is by the row that it leads to.
            let mut owners = self.owners();
            let owner = owners.find(|(edge, owner)| {
                edge.from_column == column
                    && words(column).last().is_none_or(|last| last != "id")
                    && label(owner, self.dialect, str::to_owned).is_some()
            });
            drop(owners);
            return Some(match owner {
                Some((edge, _)) => Dimension::Owner(self.join(edge)?, by.to_owned()),
                None => Dimension::Column(Field::Own(column.to_owned())),
            });
        }
        if let Some(found) = self.own_kind(by) {
            return Some(found);
        }
        if let Some(found) = self.period(by) {
            return Some(found);
        }
        if let Some(way) = self.named_owner(by) {
            let at = self.join_along(&way.ok()?)?;
            return if self.label(at).is_some() {
                Some(Dimension::Owner(at, by.to_owned()))
            } else {
                self.key_of(at)
            };
        }
        let (edge, column) = self.foreign(by)?;
        let at = self.join(edge)?;
        Some(Dimension::Column(Field::Joined(at, column)))
    }

    /// The key of a row that no text calls, with the names of the rows that its columns lead to.
    fn key_of(&mut self, at: usize) -> Option<Dimension> {
        let Join { edge, owner, .. } = self.joins[at];
        let known = self.known;
        let columns: Vec<&str> = pairs(edge).map(|(_, key)| key).collect();
        if columns.len() < 2 {
            return None;
        }
        let mut parts = Vec::new();
        for column in columns {
            let next = known.schemas.iter().find_map(|next| {
                let edge = only_edge(known, owner, next)?;
                let is_it = edge.from_column == column && edge.and.is_empty();
                let is_called = label(next, self.dialect, str::to_owned).is_some();
                (is_it && is_called).then_some(edge)
            });
            parts.push(match next {
                Some(edge) => {
                    let mut said = words(column);
                    if said.len() > 1 && said.last().is_some_and(|last| last == "id") {
                        said.pop();
                    }
                    KeyPart::Name(self.join_from(Some(at), edge)?, said.join("_"))
                }
                None => KeyPart::Column(Field::Joined(at, column.to_owned())),
            });
        }
        Some(Dimension::Key(parts))
    }

    /// A column whose name has that of its table before these words: "type" of work orders is
    /// `workOrderTypeId`, and not the type of their customers.
    fn own_kind(&mut self, by: &str) -> Option<Dimension> {
        let own = words(bare(&self.table.name));
        let kind = |column: &str| {
            let words = words(column);
            let rest = words.strip_prefix(&*own)?;
            let rest = rest.strip_suffix(&["id".to_owned()]).unwrap_or(rest);
            (!rest.is_empty()).then(|| rest.join(" "))
        };
        let is_it = |column: &str| kind(column).is_some_and(|kind| named(by, [&*kind]).is_some());
        let mut columns = self.table.columns.iter();
        let column = columns.find(|column| !column.unique && is_it(&column.name))?;
        let owner = self.owners().find(|(edge, owner)| {
            edge.from_column == column.name && called(owner, self.dialect, str::to_owned).is_some()
        });
        match owner {
            Some((edge, _)) => Some(Dimension::Owner(self.join(edge)?, by.to_owned())),
            // The number of a row of another table says nothing.
            None if words(&column.name).last().is_some_and(|last| last == "id") => None,
            None => Some(Dimension::Column(Field::Own(column.name.clone()))),
        }
    }

    /// The joins to the table that is named, if one is.
    fn named_owner(&self, by: &str) -> Option<Result<Vec<&'k JoinEdge>, Unsettled>> {
        let said = words(by);
        let is_whole = |other: &&TableDescription| named(by, [&*other.name]).is_some();
        let is_last = |other: &&TableDescription| {
            let own = words(bare(&other.name)).len();
            let last = said.len().checked_sub(own).map(|at| said[at..].join(" "));
            last.is_some_and(|last| named(&last, [&*other.name]).is_some())
        };
        let others = || {
            let schemas = self.known.schemas.iter();
            schemas.filter(|other| other.name != self.table.name)
        };
        if let Some(owner) = others().find(is_whole) {
            return Some(way(self.known, self.table, owner).ok_or(Unsettled));
        }
        let is_named = |edge: &&&JoinEdge| {
            let mut key = words(&edge.from_column);
            if key.last().is_some_and(|last| last == "id") {
                key.pop();
            }
            key == said
        };
        let owner = others().find(is_last)?;
        let mut edges =
            edges(self.known, self.table, owner).filter(|edge| belongs(edge, self.table, owner));
        let found = edges.find(|edge| is_named(&edge));
        Some(found.map(|edge| vec![edge]).ok_or(Unsettled))
    }

    /// The column of the one table with such a column that the rows belong to: "currency" of the
    /// rental that an extension belongs to, "customer city".
    fn foreign(&self, by: &str) -> Option<(&'k JoinEdge, String)> {
        let said = words(by);
        let column_of = |owner: &'k TableDescription| {
            let own = words(bare(&owner.name));
            let rest = said.strip_prefix(&*own).filter(|rest| !rest.is_empty());
            let names = || {
                let columns = owner.columns.iter().filter(|column| !column.unique);
                columns.map(|column| &*column.name)
            };
            let rest = rest.and_then(|rest| named(&rest.join(" "), names()));
            rest.or_else(|| named(by, names()))
        };
        let mut found = self
            .owners()
            .filter_map(|(edge, owner)| Some((edge, column_of(owner)?.to_owned())));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// The things that groups are made of, in words.
pub(in super::super) fn parts(by: &str) -> Vec<&str> {
    AND.as_ref()
        .map_or_else(|| vec![by], |and| and.split(by).collect())
}

fn dimensions_join(dimensions: &[Dimension]) -> bool {
    let mut dimensions = dimensions.iter();
    dimensions.any(|one| matches!(one, Dimension::Owner(..) | Dimension::Key(_)))
}
