//! Rows chosen over a table that links them with others: "students with more than 3 courses",
//! "students enrolled in the course Databases".

use std::sync::LazyLock;

use contracts::tools::sql::{JoinEdge, SqlDialect, TableDescription};
use regex::Regex;

use super::{
    Limits, add, captures, own, pattern,
    related::{Quantity, among, row_of},
    states::equal,
    subject,
};
use crate::{
    language::names::{bare, words},
    simple::{
        catalogue::{only_edge, pairs},
        listing,
        query::{Condition, Part, Query},
    },
};

/// "Enrolled in the course Databases".
static WITHIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:are|is|were|was|have been|has been)\s+)?(?:(?P<verb>\w{3,}(?:ed|ing|en|nt))\s+)?(?:in|for|on|at|to|of|by|from|into)\s+(?:(?:an?|any|the)\s+)?(?P<what>[\w ,.-]+)$",
    )
});

/// Letters that a verb and the name of what it makes have in common: "enrolled", `enrolment`.
const STEM: usize = 4;

/// A table each of whose rows belongs to one row of each of two others.
struct Link<'k> {
    table: &'k TableDescription,
    /// To the rows that are chosen.
    own: &'k JoinEdge,
    /// To the others.
    other: &'k JoinEdge,
}

/// The only table that links two.
fn link<'k>(query: &Query<'k>, other: &'k TableDescription) -> Option<Link<'k>> {
    let known = query.known;
    let mut links = known.schemas.iter().filter_map(|table| {
        Some(Link {
            table,
            own: only_edge(known, table, query.table)?,
            other: only_edge(known, table, other)?,
        })
    });
    let link = links.next()?;
    links.next().is_none().then_some(link)
}

/// The condition that rows are linked with others, or are not.
pub(super) fn related<'k>(
    query: &Query<'k>,
    other: &'k TableDescription,
    limits: &Limits,
    quantity: Quantity<'_>,
) -> Option<Condition> {
    let known = query.known;
    let link = link(query, other)?;
    let (from, to): (Vec<&str>, Vec<&str>) = pairs(link.other).unzip();
    let mut others = Query::new(other, known, query.dialect);
    if !named_row(&mut others, limits) {
        add(&mut others, limits)?;
    }
    let mut rows = Query::new(link.table, known, query.dialect);
    let said = others.conditions_in_words();
    let mut chosen = row_of(&from);
    if said.is_empty() {
        // A row that links with nothing is none.
        let key = from.first()?;
        let mut columns = link.table.columns.iter();
        let column = columns.find(|column| column.name == *key)?;
        chosen = vec![own(column), Part::Sql(" IS NOT NULL".to_owned())];
    } else {
        chosen.push(Part::Sql(format!(" IN ({})", others.keys(&to, None))));
    }
    rows.conditions.push(chosen);
    let counts = matches!(quantity, Quantity::Compared(_, count) if count > 0);
    // Two rows that link the same ones are one.
    let counted = match from.as_slice() {
        [column] => {
            let quoted = crate::simple::quoted(column, query.dialect);
            format!("COUNT(DISTINCT {quoted})")
        }
        _ if counts => return None,
        _ => String::new(),
    };
    let noun = words(bare(&other.name)).join(" ");
    among(link.own, &rows, quantity, &counted, (&noun, &said))
}

/// Adds the condition that a row is called as the words say: "the course Databases".
fn named_row(others: &mut Query<'_>, limits: &Limits) -> bool {
    if limits.after.is_empty() || !limits.before.is_empty() {
        return false;
    }
    let table = others.table;
    let called = listing::called(table, SqlDialect::Postgresql, str::to_owned);
    let column = called.and_then(|called| {
        let mut columns = table.columns.iter();
        columns.find(|column| column.name == called)
    });
    let test = column.and_then(|column| {
        let test = equal(others, &table.name, &column.name, &limits.after)?;
        Some(vec![own(column), Part::Sql(test)])
    });
    let is_named = test.is_some();
    others.conditions.extend(test);
    is_named
}

/// Rows that are in others by a link, whose name is that of the verb: "enrolled in a course".
pub(super) fn within(query: &Query<'_>, text: &str) -> Option<Condition> {
    let found = captures(&WITHIN, text)?;
    let known = query.known;
    let names = known.schemas.iter().map(|one| &*one.name);
    let names: Vec<&str> = names.filter(|name| *name != query.table.name).collect();
    let (name, limits) = subject(&found["what"], &names)?;
    let other = known.schemas.iter().find(|one| one.name == name)?;
    let link = link(query, other)?;
    let is_of_link = |verb: &str| {
        let verb = verb.to_lowercase();
        let mut own = words(bare(&link.table.name)).into_iter();
        own.any(|word| word.get(..STEM).is_some_and(|stem| verb.starts_with(stem)))
    };
    let verb = found.name("verb").map(|verb| verb.as_str());
    verb.is_none_or(is_of_link)
        .then(|| related(query, other, &limits, Quantity::Any))
        .flatten()
}
