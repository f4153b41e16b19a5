//! The query of a simple question, from the catalogue and what was looked up beside it.

use std::fmt::Write as _;
use std::sync::LazyLock;

use contracts::tools::sql::{JoinEdge, SqlDialect, TableDescription};
use regex::Regex;

use super::{
    ColumnValues, Known,
    catalogue::{belongs, edges, figure, is_date, named_date, only_edge, pairs, usual_date},
    listing::{called, label},
    most::Ranking,
    quoted, quoted_table,
};
use crate::{
    answer::units::{is_amount, is_beside, is_unit, units},
    language::names::{bare, named, words},
};

/// A table is named, and there is not one way to join it.
struct Unsettled;

/// A column of the table itself, or of one that is joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Own(String),
    /// The number of the join, and the column.
    Joined(usize, String),
}

/// A part of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Sql(String),
    Field(Field),
    /// Parts that a person reads in other words.
    Worded(Vec<Part>, String),
}

/// A condition that the rows meet.
pub(super) type Condition = Vec<Part>;

/// What several rows are made one by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Measure {
    Count,
    Sum(String),
    Average(String),
}

/// What groups are made of.
enum Dimension {
    Column(Field),
    /// The row of another table that each row belongs to: the join, and how it was named.
    Owner(usize, String),
    /// A period of a date.
    Period(Field, Unit),
}

/// A query in the making.
pub(super) struct Query<'k> {
    pub(super) table: &'k TableDescription,
    pub(super) known: &'k Known<'k>,
    pub(super) dialect: SqlDialect,
    joins: Vec<(&'k JoinEdge, &'k TableDescription)>,
    pub(super) conditions: Vec<Condition>,
}

static PERIOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?P<unit>year|quarter|month|(?:calendar )?week|day)(?: of (?:the )?(?P<of>[\w ]+))?|(?P<before>[\w ]+?) (?P<last>year|quarter|month|week|day))$").ok()
});
static AND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\s*(?:,\s*(?:and\s+)?|\s+and\s+)(?:(?:per|by|the)\s+)*").ok()
});

impl<'k> Query<'k> {
    pub(super) fn new(
        table: &'k TableDescription,
        known: &'k Known<'k>,
        dialect: SqlDialect,
    ) -> Self {
        Self {
            table,
            known,
            dialect,
            joins: Vec::new(),
            conditions: Vec::new(),
        }
    }

    fn quote(&self, name: &str) -> String {
        quoted(name, self.dialect)
    }

    /// A column as the query writes it: with the alias of its table where several are read.
    fn of(&self, field: &Field) -> String {
        match field {
            Field::Own(name) if self.joins.is_empty() => self.quote(name),
            Field::Own(name) => format!("i.{}", self.quote(name)),
            Field::Joined(at, name) => format!("{}.{}", alias(*at), self.quote(name)),
        }
    }

    /// The number of a join to another table, which is made once.
    pub(super) fn join(&mut self, edge: &'k JoinEdge) -> Option<usize> {
        if let Some(at) = self.joins.iter().position(|(one, _)| *one == edge) {
            return Some(at);
        }
        let mut schemas = self.known.schemas.iter();
        let owner = schemas.find(|table| table.name == edge.to_table)?;
        self.joins.push((edge, owner));
        Some(self.joins.len() - 1)
    }

    /// The joins by which each row belongs to one row of another table, if there is one way to it.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&'k JoinEdge, &'k TableDescription)> {
        let (known, own) = (self.known, self.table);
        known.schemas.iter().filter_map(move |owner| {
            let edge = only_edge(known, own, owner)?;
            Some((edge, owner))
        })
    }

    /// The conditions after `WHERE`, or nothing.
    fn filter(&self, more: &[String]) -> String {
        let mut all: Vec<String> = self.rendered();
        all.extend_from_slice(more);
        if all.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", all.join(" AND "))
        }
    }

    /// The conditions as a person reads them: columns by their names alone.
    pub(super) fn conditions_in_words(&self) -> String {
        let conditions = self.conditions.iter().map(|parts| {
            let parts = parts.iter().map(|part| match part {
                Part::Sql(sql) | Part::Worded(_, sql) => sql.as_str(),
                Part::Field(Field::Own(name) | Field::Joined(_, name)) => name,
            });
            parts.collect::<String>()
        });
        conditions.collect::<Vec<_>>().join(" AND ")
    }

    fn rendered(&self) -> Vec<String> {
        let conditions = self.conditions.iter();
        conditions.map(|parts| self.sql(parts)).collect()
    }

    fn sql(&self, parts: &[Part]) -> String {
        let parts = parts.iter().map(|part| match part {
            Part::Sql(sql) => sql.clone(),
            Part::Field(field) => self.of(field),
            Part::Worded(parts, _) => self.sql(parts),
        });
        parts.collect()
    }

    /// The reading, or nothing: joins of one that fails are not kept.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let joins = self.joins.len();
        let found = read(self);
        if found.is_none() {
            self.joins.truncate(joins);
        }
        found
    }

    /// The values of a key that the rows have, those of groups of them that a test holds for.
    pub(super) fn keys(&self, key: &[&str], having: Option<&str>) -> String {
        let key: Vec<String> = key
            .iter()
            .map(|column| self.of(&Field::Own((*column).to_owned())))
            .collect();
        let known: Vec<String> = key.iter().map(|one| format!("{one} IS NOT NULL")).collect();
        let key = key.join(", ");
        let groups = having.map_or_else(String::new, |having| {
            format!(" GROUP BY {key} HAVING {having}")
        });
        format!(
            "SELECT {key} FROM {}{}{groups}",
            self.from("LEFT JOIN"),
            self.filter(&known)
        )
    }

    /// The tables after `FROM`.
    fn from(&self, kind: &str) -> String {
        let own = quoted_table(&self.table.name, self.dialect);
        if self.joins.is_empty() {
            return own;
        }
        let mut from = format!("{own} i");
        for at in 0..self.joins.len() {
            let owner = quoted_table(&self.joins[at].1.name, self.dialect);
            let on = self.on(at);
            let _ = write!(from, " {kind} {owner} {} ON {on}", alias(at));
        }
        from
    }

    /// The condition of a join.
    fn on(&self, at: usize) -> String {
        let pairs = pairs(self.joins[at].0);
        let pairs = pairs.map(|(foreign, key)| {
            format!(
                "i.{} = {}.{}",
                self.quote(foreign),
                alias(at),
                self.quote(key)
            )
        });
        pairs.collect::<Vec<_>>().join(" AND ")
    }

    /// The number of rows.
    pub(super) fn count(&self) -> String {
        format!(
            "SELECT COUNT(*) AS {} FROM {}{}",
            self.quote("count"),
            self.from("LEFT JOIN"),
            self.filter(&[])
        )
    }

    /// Rows with these columns: a field, and what it is called if not by its own name.
    pub(super) fn list(
        &self,
        shown: &[(Shown, Option<String>)],
        first: Option<u32>,
        by: Option<(&str, bool)>,
    ) -> String {
        let columns: Vec<String> = shown
            .iter()
            .map(|(shown, name)| {
                let sql = match shown {
                    Shown::Field(field) => self.of(field),
                    Shown::Label(at) => self.label(*at).unwrap_or_default(),
                };
                match name {
                    Some(name) => format!("{sql} AS {}", self.quote(name)),
                    None => sql,
                }
            })
            .collect();
        let key = self.table.columns.iter().find(|column| column.unique);
        let key = key.filter(|_| first.is_some());
        let key = key.map(|key| self.of(&Field::Own(key.name.clone())));
        let by = by.map(|(name, falls)| (self.of(&Field::Own(name.to_owned())), falls));
        let known = by.iter().map(|(column, _)| format!("{column} IS NOT NULL"));
        let known: Vec<String> = known.collect();
        let by = by.map(|(column, falls)| {
            if falls {
                format!("{column} DESC")
            } else {
                column
            }
        });
        let order: Vec<String> = by.into_iter().chain(key).collect();
        let order = if order.is_empty() {
            String::new()
        } else {
            format!(" ORDER BY {}", order.join(", "))
        };
        let limit = first.map_or_else(String::new, |first| format!(" LIMIT {first}"));
        format!(
            "SELECT {} FROM {}{}{order}{limit}",
            columns.join(", "),
            self.from("LEFT JOIN"),
            self.filter(&known)
        )
    }

    /// What names a row of a joined table.
    fn label(&self, at: usize) -> Option<String> {
        let column = |name: &str| format!("{}.{}", alias(at), self.quote(name));
        let owner = self.joins[at].1;
        called(owner, self.dialect, column)
    }

    /// The sum or the average of the column that the words name.
    pub(super) fn measure(&self, is_sum: bool, measure: &str) -> Option<Measure> {
        let column = figure(self.table, measure)?;
        let name = column.name.clone();
        Some(if is_sum {
            Measure::Sum(name)
        } else {
            Measure::Average(name)
        })
    }

    /// The columns that say what an amount is in: of its table, or of the one table that its rows
    /// belong to. The lines of an invoice are in its currency.
    pub(super) fn units(&mut self, measure: &Measure) -> Vec<Field> {
        let (Measure::Sum(name) | Measure::Average(name)) = measure else {
            return Vec::new();
        };
        let mut columns = self.table.columns.iter();
        let Some(column) = columns.find(|column| column.name == *name) else {
            return Vec::new();
        };
        if !is_amount(column) {
            return Vec::new();
        }
        let of = |table: &TableDescription| -> Vec<String> {
            let units = units(table).filter(|unit| is_beside(name, &unit.name, table));
            units.map(|unit| unit.name.clone()).collect()
        };
        let own = of(self.table);
        if units(self.table).next().is_some() {
            return own.into_iter().map(Field::Own).collect();
        }
        let mut owners = self.owners().filter(|(_, owner)| !of(owner).is_empty());
        let (Some((edge, owner)), None) = (owners.next(), owners.next()) else {
            return Vec::new();
        };
        drop(owners);
        let Some(at) = self.join(edge) else {
            return Vec::new();
        };
        let units = of(owner).into_iter();
        units.map(|unit| Field::Joined(at, unit)).collect()
    }

    /// What several rows are made one by, as the query writes it.
    fn figure(&self, measure: &Measure) -> (String, &'static str) {
        let of = |name: &String| self.of(&Field::Own(name.clone()));
        match measure {
            Measure::Count => ("COUNT(*)".to_owned(), "count"),
            Measure::Sum(name) => (format!("SUM({})", of(name)), "total"),
            Measure::Average(name) => (format!("AVG({})", of(name)), "average"),
        }
    }

    /// The figure of all rows, of each unit.
    pub(super) fn of_all(mut self, measure: &Measure) -> String {
        let units = self.units(measure);
        let (sql, name) = self.figure(measure);
        let name = self.quote(name);
        let units: Vec<String> = units.iter().map(|unit| self.of(unit)).collect();
        let units = units.join(", ");
        let (from, filter) = (self.from("LEFT JOIN"), self.filter(&[]));
        if units.is_empty() {
            format!("SELECT {sql} AS {name} FROM {from}{filter}")
        } else {
            format!(
                "SELECT {units}, {sql} AS {name} FROM {from}{filter} GROUP BY {units} ORDER BY {units}"
            )
        }
    }

    /// The groups with the largest or the smallest figures; `None` where the figures are in several
    /// units, so that none is larger than another.
    pub(super) fn ranked(
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

    /// The table and the name of a column.
    pub(super) fn names<'n>(&'n self, field: &'n Field) -> (&'n str, &'n str) {
        match field {
            Field::Own(name) => (&self.table.name, name),
            Field::Joined(at, name) => (&self.joins[*at].1.name, name),
        }
    }

    /// Whether a column is known to have one value at most, or a condition takes one of them.
    pub(super) fn is_one(&self, field: &Field) -> bool {
        let (table, column) = self.names(field);
        let is_of = |one: &&ColumnValues| one.table == *table && one.column == *column;
        let values = self.known.values.iter().find(is_of);
        let is_single = |values: &ColumnValues| {
            values
                .values
                .iter()
                .filter(|value| !value.is_null())
                .count()
                <= 1
        };
        let is_chosen = |condition: &Condition| {
            let part = Part::Field(field.clone());
            let at = condition.iter().position(|one| *one == part);
            let test = at.and_then(|at| condition.get(at + 1));
            matches!(test, Some(Part::Sql(test)) if test.starts_with(" = "))
        };
        values.is_some_and(is_single) || self.conditions.iter().any(is_chosen)
    }

    /// A figure of each group; `None` where the catalogue does not settle what the groups are.
    pub(super) fn grouped(
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
                    let keys = pairs(self.joins[*at].0);
                    groups
                        .extend(keys.map(|(_, key)| format!("{}.{}", alias(*at), self.quote(key))));
                    if !groups.contains(&label) {
                        groups.push(label);
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
            None if is_dated => groups.join(", "),
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
        let (mut whole, column) = (words(bare(&self.joins[*at].1.name)), words(column));
        if column.starts_with(&whole) {
            return None;
        }
        whole.extend(column);
        Some(whole.join("_"))
    }

    /// The smallest numbers of rows: rows of the other table without any are the fewest.
    fn fewest(&self, said: &str, most: u32) -> Option<String> {
        let (edge, owner) = self.joins[0];
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
        if let Some(edge) = self.named_owner(by) {
            let at = self.join(edge.ok()?)?;
            return self
                .label(at)
                .is_some()
                .then(|| Dimension::Owner(at, by.to_owned()));
        }
        let (edge, column) = self.foreign(by)?;
        let at = self.join(edge)?;
        Some(Dimension::Column(Field::Joined(at, column)))
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

    /// The join to the table that is named, if one is.
    fn named_owner(&self, by: &str) -> Option<Result<&'k JoinEdge, Unsettled>> {
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
            return Some(only_edge(self.known, self.table, owner).ok_or(Unsettled));
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
        Some(found.ok_or(Unsettled))
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

    /// A period of a date: of the one that is named, or of the usual one.
    fn period(&self, by: &str) -> Option<Dimension> {
        let found = PERIOD.as_ref()?.captures(by)?;
        let unit = found.name("unit").or_else(|| found.name("last"))?;
        let unit = Unit::of(unit.as_str())?;
        let said = found.name("of").or_else(|| found.name("before"));
        let column = match said {
            Some(said) => {
                let dates = self.table.columns.iter().filter(|column| is_date(column));
                named_date(said.as_str(), dates)?
            }
            None => usual_date(self.table)?,
        };
        Some(Dimension::Period(Field::Own(column.name.clone()), unit))
    }

    /// A period of a column as the query writes it: each part with what it is called.
    fn parts_of_period(&self, field: &Field, unit: Unit) -> Vec<(String, String)> {
        let column = self.of(field);
        let (Field::Own(of) | Field::Joined(_, of)) = field;
        let part = |part: &str| {
            let sql = format!("EXTRACT({} FROM {column})", part.to_uppercase());
            (sql, format!("{of}_{part}"))
        };
        match unit {
            Unit::Year => vec![part("year")],
            Unit::Quarter => vec![part("year"), part("quarter")],
            Unit::Month => vec![part("year"), part("month")],
            // By its Monday: the number of a week is not the same in every database.
            Unit::Week => {
                let sql = match self.dialect {
                    SqlDialect::Mysql => {
                        format!("DATE_SUB(DATE({column}), INTERVAL WEEKDAY({column}) DAY)")
                    }
                    SqlDialect::Postgresql => format!("CAST(DATE_TRUNC('week', {column}) AS DATE)"),
                };
                vec![(sql, "week_from".to_owned())]
            }
            Unit::Day => vec![(format!("CAST({column} AS DATE)"), format!("{of}_day"))],
        }
    }
}

/// The length of the periods that groups are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Year,
    Quarter,
    Month,
    Week,
    Day,
}

impl Unit {
    fn of(word: &str) -> Option<Self> {
        Some(match &*word.to_lowercase() {
            "year" => Self::Year,
            "quarter" => Self::Quarter,
            "month" => Self::Month,
            "week" | "calendar week" => Self::Week,
            "day" => Self::Day,
            _ => return None,
        })
    }
}

/// A column of a listing.
pub(super) enum Shown {
    Field(Field),
    /// What names the row of a joined table.
    Label(usize),
}

/// The things that groups are made of, in words.
pub(super) fn parts(by: &str) -> Vec<&str> {
    AND.as_ref()
        .map_or_else(|| vec![by], |and| and.split(by).collect())
}

fn dimensions_join(dimensions: &[Dimension]) -> bool {
    let mut dimensions = dimensions.iter();
    dimensions.any(|one| matches!(one, Dimension::Owner(..)))
}

fn alias(at: usize) -> String {
    if at == 0 {
        "o".to_owned()
    } else {
        format!("o{}", at + 1)
    }
}
