//! Properties of a result that follow from the text of its query.

use std::sync::LazyLock;

use regex::Regex;

/// The limit that ends a query: `LIMIT 10`, `LIMIT 10 OFFSET 5`, `LIMIT 5, 10`, or
/// `FETCH FIRST 10 ROWS ONLY`.
static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?is)\b(?:limit\s+(?:(?P<from>\d+)\s*,\s*)?(?P<limit>\d+)(?:\s+offset\s+(?P<offset>\d+))?|fetch\s+(?:first|next)\s+(?P<fetch>\d+)\s+rows?\s+only)\s*;?\s*$",
    )
    .ok()
});

static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\border\s+by\b").ok());
/// The first thing by which the rows of a query are ordered.
static ORDERED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?is)^.*\border\s+by\s+(?P<by>(?:[^(),]|\([^()]*\))+?)(?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?\s*(?:,.*|\b(?:limit|fetch|offset)\b.*|;\s*)?$",
    )
    .ok()
});
static GROUP: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bgroup\s+by\b").ok());
static JOIN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bjoin\b").ok());
static ROLLUP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:rollup|cube|grouping\s+sets)\b").ok());

/// The parts of a query that say what its rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The rows that it asks for at most.
    pub(crate) limit: Option<u64>,
    pub(crate) is_ordered: bool,
    /// What its groups are, if it has some.
    pub(crate) groups: Option<Groups>,
}

/// The groups of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups {
    /// They are of joined tables: those without a row may be missing.
    pub(crate) are_joined: bool,
    /// A row sums the others up.
    pub(crate) roll_up: bool,
}

impl Shape {
    pub(crate) fn of(sql: &str) -> Self {
        let has = |pattern: &LazyLock<Option<Regex>>| {
            pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(sql))
        };
        let limit = LIMIT.as_ref().and_then(|limit| limit.captures(sql));
        let limit = limit.and_then(|found| {
            let number = found.name("limit").or_else(|| found.name("fetch"))?;
            number.as_str().parse().ok()
        });
        let groups = has(&GROUP).then(|| Groups {
            are_joined: has(&JOIN),
            roll_up: has(&ROLLUP),
        });
        Self {
            limit,
            is_ordered: has(&ORDER),
            groups,
        }
    }

    /// Whether the query itself cut a result of this number of rows.
    pub(crate) fn cuts(&self, rows: usize) -> bool {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        self.limit.is_some_and(|limit| rows >= limit)
    }
}

/// The name of the result's column by which the rows of a query are ordered first; nothing where
/// the text of the query does not say it.
pub(crate) fn ordered_by(sql: &str) -> Option<String> {
    let found = ORDERED.as_ref()?.captures(sql)?;
    let by = found["by"].trim();
    let renamed = format!(r#"(?i){}\s+AS\s+[`"]?(?P<name>\w+)"#, regex::escape(by));
    let renamed = Regex::new(&renamed).ok()?;
    if let Some(renamed) = renamed.captures(sql) {
        return Some(renamed["name"].to_owned());
    }
    let name = by.rsplit('.').next()?.trim_matches(['`', '"', ' ']);
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().any(|c| !c.is_ascii_digit());
    is_name.then(|| name.to_owned())
}

/// The query with another limit at its end; nothing where it has none, or skips rows.
pub(crate) fn with_limit(sql: &str, limit: u32) -> Option<String> {
    let found = LIMIT.as_ref()?.captures(sql)?;
    let skips = ["from", "offset"].iter().any(|part| {
        let skipped = found.name(part);
        skipped.is_some_and(|skipped| skipped.as_str().bytes().any(|digit| digit != b'0'))
    });
    let begin = sql.get(..found.get(0)?.start())?;
    (!skips).then(|| format!("{begin}LIMIT {limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_query_is_read_and_changed_at_its_end_only() {
        for (sql, limit, other) in [
            (
                "SELECT a FROM t ORDER BY a LIMIT 10",
                Some(10),
                Some("SELECT a FROM t ORDER BY a LIMIT 100"),
            ),
            (
                "SELECT a FROM t limit 5;\n",
                Some(5),
                Some("SELECT a FROM t LIMIT 100"),
            ),
            ("SELECT a FROM t LIMIT 5 OFFSET 5", Some(5), None),
            ("SELECT a FROM t LIMIT 5, 10", Some(10), None),
            (
                "SELECT a FROM t FETCH FIRST 3 ROWS ONLY",
                Some(3),
                Some("SELECT a FROM t LIMIT 100"),
            ),
            ("SELECT a FROM (SELECT a FROM t LIMIT 5) AS x", None, None),
            ("SELECT a FROM t", None, None),
        ] {
            assert_eq!(Shape::of(sql).limit, limit, "{sql}");
            assert_eq!(with_limit(sql, 100).as_deref(), other, "{sql}");
        }
        for (sql, by) in [
            (
                r#"SELECT i."name", i."price" FROM "beer" i WHERE i."price" IS NOT NULL ORDER BY i."price" DESC, i."id" LIMIT 3"#,
                Some("price"),
            ),
            (
                "SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 3",
                Some("n"),
            ),
            ("SELECT a, b FROM t ORDER BY b", Some("b")),
            ("SELECT a, b FROM t ORDER BY a + b LIMIT 3", None),
            ("SELECT a, b FROM t ORDER BY 2 DESC LIMIT 3", None),
            ("SELECT a FROM t LIMIT 3", None),
        ] {
            assert_eq!(ordered_by(sql).as_deref(), by, "{sql}");
        }
        assert!(Shape::of("SELECT a FROM t LIMIT 3").cuts(3));
        assert!(!Shape::of("SELECT a FROM t LIMIT 3").cuts(2));
    }
}
