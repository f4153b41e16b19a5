//! Statements that fail, or take long, on a row whose secret begins as guessed.

/// A statement of the suite.
#[derive(Clone)]
pub(super) struct Construction {
    pub(super) kind: &'static str,
    pub(super) position: &'static str,
    pub(super) sql: String,
    /// Whether it fails for the owner of the guessed row.
    pub(super) fails: bool,
}

/// Is true of the guessed row of the table `d` and of no other.
const GUESS: &str = "d.id = 7 AND d.txt LIKE 'pw-8f%'";

/// Expressions that are 1 unless the guess is right, and then fail: by kind.
const POSTGRESQL: &[(&str, &str)] = &[
    ("division", "CASE WHEN {P} THEN 1 / (d.id - 7) ELSE 1 END"),
    (
        "remainder",
        "CASE WHEN {P} THEN MOD(1, d.id - 7) ELSE 1 END",
    ),
    (
        "overflow",
        "CASE WHEN {P} THEN 2147483647 + d.id ELSE 1 END",
    ),
    (
        "big overflow",
        "CASE WHEN {P} THEN d.big * d.big ELSE 1 END",
    ),
    ("cast", "CASE WHEN {P} THEN CAST(d.txt AS int) ELSE 1 END"),
    (
        "regex",
        "CASE WHEN {P} THEN LENGTH(REGEXP_REPLACE('a', CONCAT('(', d.txt), 'b')) ELSE 1 END",
    ),
    (
        "json",
        "CASE WHEN {P} THEN LENGTH(CAST(CAST(d.txt AS json) AS text)) ELSE 1 END",
    ),
    (
        "date",
        "CASE WHEN {P} THEN EXTRACT(YEAR FROM CAST(d.txt AS date)) ELSE 1 END",
    ),
    (
        "make_date",
        "CASE WHEN {P} THEN EXTRACT(DAY FROM MAKE_DATE(2026, 13, d.id)) ELSE 1 END",
    ),
    (
        "interval",
        "CASE WHEN {P} THEN EXTRACT(DAY FROM d.opened + d.id * 1000 * INTERVAL '1000 years') ELSE 1 END",
    ),
    (
        "unit",
        "CASE WHEN {P} THEN EXTRACT(DAY FROM DATE_TRUNC(d.txt, CAST(d.opened AS timestamp))) ELSE 1 END",
    ),
    ("domain", "CASE WHEN {P} THEN SQRT(-d.id) ELSE 1 END"),
    ("logarithm", "CASE WHEN {P} THEN LN(d.id - 7) ELSE 1 END"),
    (
        "cardinality",
        "CASE WHEN {P} THEN (SELECT k.id FROM kind k WHERE k.id > d.num - 60) ELSE 1 END",
    ),
    (
        "truncation",
        "CASE WHEN {P} THEN LENGTH(LPAD(d.txt, 1000, 'x')) ELSE 1 END",
    ),
    (
        "character",
        "CASE WHEN {P} THEN ASCII(CHR(-d.id)) ELSE 1 END",
    ),
    (
        "uuid",
        "CASE WHEN {P} THEN LENGTH(CAST(CAST(d.txt AS uuid) AS text)) ELSE 1 END",
    ),
];

const MARIADB: &[(&str, &str)] = &[
    ("overflow", "IF({P}, 9223372036854775807 + d.id, 1)"),
    ("unsigned", "IF({P}, CAST(0 AS UNSIGNED) - d.id, 1)"),
    ("product", "IF({P}, d.big * d.big, 1)"),
    (
        "whole division",
        "IF({P}, (-9223372036854775807 - 1) DIV (6 - d.id), 1)",
    ),
    ("exponent", "IF({P}, EXP(d.id * 1000), 1)"),
    ("power", "IF({P}, POW(10, d.id * 1000), 1)"),
    ("cotangent", "IF({P}, COT(d.id - 7), 1)"),
    ("double", "IF({P}, 1e308 * d.id * 10, 1)"),
    ("regex", "IF({P}, 'a' REGEXP CONCAT('(', d.txt), 1)"),
    (
        "cardinality",
        "IF({P}, (SELECT k.id FROM kind k WHERE k.id > d.num - 60), 1)",
    ),
    (
        "case",
        "CASE WHEN {P} THEN 9223372036854775807 + d.num ELSE 1 END",
    ),
    (
        "coalesce",
        "COALESCE(IF({P}, NULL, 1), 9223372036854775807 + d.id)",
    ),
    (
        "member of a list",
        "IF({P}, 9223372036854775807 + d.id IN (1, 2), 1)",
    ),
];

/// Failures that this server only warns of: answers show nothing of them, and must not.
const MARIADB_SILENT: &[(&str, &str)] = &[
    ("division", "IF({P}, 1 / (d.id - 7), 1)"),
    ("cast", "IF({P}, CAST(d.txt AS SIGNED), 1)"),
    (
        "json",
        "IF({P}, JSON_EXTRACT(CONCAT('{', d.txt), '$.a'), 1)",
    ),
    ("date", "IF({P}, YEAR(CAST(d.txt AS DATE)), 1)"),
    ("truncation", "IF({P}, LENGTH(LPAD(d.txt, 1000, 'x')), 1)"),
    (
        "concatenation",
        "IF({P}, LENGTH(CONCAT(LPAD(d.txt, 1000, 'x'), LPAD(d.txt, 1000, 'x'))), 1)",
    ),
];

/// Positions of such an expression. `{R}` is it, `{T}` the table.
const POSITIONS: &[(&str, &str)] = &[
    ("where", "SELECT COUNT(*) AS n FROM {T} d WHERE {R} = 1"),
    (
        "where, negated",
        "SELECT COUNT(*) AS n FROM {T} d WHERE NOT ({R} = 1)",
    ),
    (
        "where, beside an index",
        "SELECT COUNT(*) AS n FROM {T} d WHERE d.num >= 67 AND {R} = 1",
    ),
    (
        "where, beside the key",
        "SELECT COUNT(*) AS n FROM {T} d WHERE d.id = 7 AND {R} = 1",
    ),
    (
        "where, alternative",
        "SELECT COUNT(*) AS n FROM {T} d WHERE d.id = 101 OR {R} = 1",
    ),
    (
        "where, twice",
        "SELECT COUNT(*) AS n FROM {T} d JOIN kind k ON k.id = d.num WHERE {R} = k.id",
    ),
    (
        "join",
        "SELECT COUNT(*) AS n FROM kind k JOIN {T} d ON k.id = d.num AND {R} = 1",
    ),
    (
        "left join, inner side",
        "SELECT COUNT(*) AS n FROM kind k LEFT JOIN {T} d ON k.id = d.num AND {R} = 1",
    ),
    (
        "left join, outer side",
        "SELECT COUNT(*) AS n FROM {T} d LEFT JOIN kind k ON k.id = d.num AND {R} = k.id",
    ),
    (
        "right join",
        "SELECT COUNT(*) AS n FROM {T} d RIGHT JOIN kind k ON k.id = d.num AND {R} = 1",
    ),
    (
        "join with itself",
        "SELECT COUNT(*) AS n FROM {T} d JOIN {T} e ON e.id = d.id AND {R} = 1",
    ),
    (
        "join with a parent",
        "SELECT COUNT(*) AS n FROM part p JOIN {T} d ON d.id = p.doc_id AND {R} = 1",
    ),
    (
        "having",
        "SELECT d.num, COUNT(*) AS n FROM {T} d GROUP BY d.num, d.id, d.txt, d.big, d.opened HAVING {R} = 1 ORDER BY 1, 2 LIMIT 3",
    ),
    (
        "having an aggregate",
        "SELECT MAX(d.num) AS n FROM {T} d HAVING MAX({R}) >= 1",
    ),
    ("order", "SELECT d.id FROM {T} d ORDER BY {R}, d.id LIMIT 3"),
    (
        "order after a join",
        "SELECT d.id FROM {T} d JOIN kind k ON k.id = d.num ORDER BY {R}, d.id LIMIT 3",
    ),
    ("select", "SELECT {R} AS v FROM {T} d ORDER BY d.id LIMIT 3"),
    ("select by key", "SELECT {R} AS v FROM {T} d WHERE d.id = 7"),
    (
        "select by index",
        "SELECT {R} AS v FROM {T} d WHERE d.num = 67 AND d.txt LIKE 'pw-8f%' ORDER BY d.id",
    ),
    (
        "select after a left join",
        "SELECT k.id, {R} AS v FROM kind k LEFT JOIN {T} d ON d.id = 7 ORDER BY k.id LIMIT 2",
    ),
    ("distinct", "SELECT DISTINCT {R} AS v FROM {T} d"),
    ("group", "SELECT COUNT(*) AS n FROM {T} d GROUP BY {R}"),
    (
        "aggregate",
        "SELECT SUM({R}) AS v, MAX({R}) AS w FROM {T} d",
    ),
    (
        "aggregate by key",
        "SELECT MAX({R}) AS v FROM {T} d WHERE d.id = 7",
    ),
    (
        "case",
        "SELECT CASE WHEN {R} = 1 THEN 'a' ELSE 'b' END AS v FROM {T} d WHERE CASE WHEN {R} = 1 THEN 1 ELSE 0 END = 1 ORDER BY d.id LIMIT 2",
    ),
    (
        "window, partition",
        "SELECT d.id, ROW_NUMBER() OVER (PARTITION BY {R} ORDER BY d.id) AS v FROM {T} d ORDER BY d.id LIMIT 3",
    ),
    (
        "window, order",
        "SELECT d.id, SUM(d.num) OVER (ORDER BY {R}, d.id) AS v FROM {T} d ORDER BY d.id LIMIT 3",
    ),
    (
        "derived table",
        "SELECT COUNT(*) AS n FROM (SELECT d.id, {R} AS v FROM {T} d) q WHERE q.v = 1",
    ),
    (
        "derived table, by key",
        "SELECT COUNT(*) AS n FROM (SELECT d.id, {R} AS v FROM {T} d) q WHERE q.id = 7 AND q.v = 1",
    ),
    (
        "derived table of groups",
        "SELECT COUNT(*) AS n FROM (SELECT {R} AS v, COUNT(*) AS m FROM {T} d GROUP BY {R}) q WHERE q.v = 1",
    ),
    (
        "derived table with a window",
        "SELECT COUNT(*) AS n FROM (SELECT d.id, RANK() OVER (PARTITION BY {R} ORDER BY d.id) AS v FROM {T} d) q WHERE q.v = 1",
    ),
    (
        "table expression",
        "WITH q AS (SELECT d.id, {R} AS v FROM {T} d) SELECT COUNT(*) AS n FROM q WHERE q.v = 1 AND q.id > 0",
    ),
    (
        "table expression, used twice",
        "WITH q AS (SELECT d.id, {R} AS v FROM {T} d) SELECT COUNT(*) AS n FROM q JOIN q r ON r.id = q.id WHERE q.v = 1",
    ),
    (
        "union",
        "SELECT d.id FROM {T} d WHERE {R} = 1 UNION SELECT k.id FROM kind k ORDER BY 1 LIMIT 3",
    ),
    (
        "exists",
        "SELECT COUNT(*) AS n FROM kind k WHERE EXISTS (SELECT 1 FROM {T} d WHERE d.num = k.id AND {R} = 1)",
    ),
    (
        "not exists",
        "SELECT COUNT(*) AS n FROM kind k WHERE NOT EXISTS (SELECT 1 FROM {T} d WHERE d.num = k.id AND {R} = 1)",
    ),
    (
        "in",
        "SELECT COUNT(*) AS n FROM kind k WHERE k.id IN (SELECT d.num FROM {T} d WHERE {R} = 1)",
    ),
    (
        "in, selected",
        "SELECT COUNT(*) AS n FROM kind k WHERE k.id IN (SELECT {R} FROM {T} d)",
    ),
    (
        "scalar subquery",
        "SELECT (SELECT COUNT(*) FROM {T} d WHERE {R} = 1) AS v FROM kind k WHERE k.id = 1",
    ),
    (
        "correlated subquery",
        "SELECT k.id, (SELECT COUNT(*) FROM {T} d WHERE d.num = k.id AND {R} = 1) AS v FROM kind k ORDER BY k.id LIMIT 3",
    ),
    (
        "lateral side",
        "SELECT d.id, (SELECT MAX(k.id) FROM kind k WHERE k.id = {R}) AS v FROM {T} d ORDER BY d.id LIMIT 3",
    ),
];

/// Number of kinds that are tried in every position; of the others, one in `OTHERS` is.
const FIRST: usize = 4;
const OTHERS: usize = 3;
/// One in this many is tried with the tables whose tenant another one determines, or that are read
/// through a view.
const ELSEWHERE: usize = 8;

pub(super) fn constructions(dialect: &str) -> Vec<Construction> {
    let (failing, silent, own): (_, &[_], _) = match dialect {
        "mariadb" => (MARIADB, MARIADB_SILENT, BY_HAND_MARIADB),
        _ => (POSTGRESQL, &[], BY_HAND_POSTGRESQL),
    };
    let mut made = Vec::new();
    let kinds = failing.iter().map(|kind| (kind, true));
    let kinds = kinds.chain(silent.iter().map(|kind| (kind, false)));
    for (number, ((kind, expression), fails)) in kinds.enumerate() {
        for (place, (position, sql)) in POSITIONS.iter().enumerate() {
            let mut tables = Vec::new();
            if number < FIRST || (place + number) % OTHERS == 0 {
                tables.push("doc");
            }
            // Each of the others meets every position, and every kind some positions.
            if (place + number) % ELSEWHERE == 0 {
                tables.extend(["part", "person"]);
            }
            for table in tables {
                let failure = expression.replace("{P}", GUESS);
                made.push(Construction {
                    kind,
                    position,
                    sql: sql.replace("{R}", &failure).replace("{T}", table),
                    // Joins with other tables, and rows that are looked for by what fails, need not
                    // get there.
                    fails: fails && table != "part" && REACHED.contains(position),
                });
            }
        }
    }
    made.extend(own.iter().chain(BY_HAND).map(|sql| Construction {
        kind: "by hand",
        position: "various",
        sql: (*sql).to_owned(),
        fails: false,
    }));
    made
}

/// Positions where the owner of the row meets the failure, whatever the plan.
const REACHED: &[&str] = &[
    "where",
    "where, negated",
    "where, beside the key",
    "order",
    "select",
    "select by key",
    "distinct",
    "group",
    "aggregate",
    "aggregate by key",
    "derived table",
    "table expression",
    "scalar subquery",
];

/// Estimates, hints, time, and names of what is behind.
const BY_HAND: &[&str] = &[
    "SELECT COUNT(*) AS n FROM doc d WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.num BETWEEN 60 AND 70 AND d.opened = '2026-01-05'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE 'pw-8f%'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.id = 7",
    "SELECT COUNT(*) AS n FROM doc d, kind k WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM doc d, kind k",
    "SELECT COUNT(*) AS n FROM doc d, kind k, kind l WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM part d, kind k WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM person d, kind k WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM doc d JOIN part p ON p.doc_id = d.id WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM doc d JOIN doc e ON e.num = d.num",
    "SELECT COUNT(*) AS n FROM doc d JOIN doc e ON e.num = d.num WHERE d.txt LIKE 'pw-8f%' AND e.txt LIKE 'pw-8f%'",
    "SELECT COUNT(*) AS n FROM part p JOIN part q ON p.num = q.num WHERE p.txt LIKE 'pw-8f%'",
    "SELECT COUNT(*) AS n FROM part d WHERE d.doc_id = 7",
    "SELECT COUNT(*) AS n FROM part d WHERE EXISTS (SELECT 1 FROM kind a, kind b, kind c, kind e, kind f WHERE a.id + b.id + c.id + e.id + f.id = d.num + 900 AND d.txt LIKE 'pw-8f%')",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE 'pw-8f%' AND 0 < (SELECT COUNT(*) FROM kind a, kind b, kind c, kind e, kind f WHERE a.id + b.id + c.id > d.num)",
    "SELECT COUNT(*) AS n FROM part d WHERE d.txt LIKE 'pw-8f%' AND 0 < (SELECT COUNT(*) FROM kind a JOIN kind b ON b.name = a.name JOIN kind c ON c.name = b.name JOIN kind e ON e.name = c.name JOIN kind f ON f.name = e.name WHERE a.id + b.id + c.id + e.id + f.id > d.num)",
    "SELECT COUNT(*) AS n FROM part d JOIN kind a ON a.id <= d.num JOIN kind b ON b.name = a.name WHERE d.txt LIKE 'pw-8f%'",
    "SELECT d.wrong FROM doc d",
    "SELECT d.id FROM person d GROUP BY d.num",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.company_id = 2",
    "SELECT COUNT(*) AS n FROM doc d GROUP BY d.company_id",
    "SELECT MIN(d.id) AS a, MAX(d.id) AS b, MAX(d.num) AS c, MIN(d.txt) AS e FROM doc d",
    "SELECT MAX(d.num) AS c, MIN(d.txt) AS e FROM part d",
    "SELECT DISTINCT d.txt FROM doc d",
    "SELECT d.txt FROM doc d GROUP BY d.txt ORDER BY COUNT(*) DESC",
];

const BY_HAND_POSTGRESQL: &[&str] = &[
    // The planner compares with the most common values of all rows.
    r"SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE 'pw-8f%\'",
    r"SELECT COUNT(*) AS n FROM doc d WHERE d.txt ILIKE 'PW-8F%\'",
    r"SELECT COUNT(*) AS n FROM doc d WHERE d.txt NOT LIKE 'pw-8f14e45f\'",
    r"SELECT COUNT(*) AS n FROM part d WHERE d.txt LIKE 'pw-8f%\'",
    r"SELECT COUNT(*) AS n FROM person d WHERE d.txt LIKE 'pw-8f%\'",
    r"SELECT COUNT(*) AS n FROM doc d JOIN kind k ON k.id = d.num WHERE d.txt LIKE 'pw-%\' ",
    r"SELECT COUNT(*) AS n FROM (SELECT txt FROM doc) q WHERE q.txt LIKE 'pw-%\'",
    r"WITH q AS (SELECT txt FROM doc) SELECT COUNT(*) AS n FROM q WHERE q.txt LIKE 'pw-%\'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt ~ '^pw-8f'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt ~ '^pw-8f.*('",
    r"SELECT COUNT(*) AS n FROM doc d WHERE d.txt SIMILAR TO 'pw-8f%\'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.id = 7 AND CAST(d.txt AS int) = 1",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE 'pw-8f%' AND d.num / (d.id - d.id) = 1",
    "SELECT COUNT(*) AS n FROM doc d WHERE CASE WHEN d.id = 7 AND d.txt LIKE 'pw-8f%' THEN 1/(d.id-7) ELSE 1 END = 1",
    "SELECT COUNT(*) AS n FROM doc d WHERE 1 = 1 / (CASE WHEN d.txt LIKE 'pw-8f%' THEN 0 ELSE 1 END)",
    "SELECT COUNT(*) AS n FROM doc d WHERE (d.txt LIKE 'pw-8f%' AND d.opened > NOW() - INTERVAL '9999 years' * d.id)",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE 'pw-8f%' AND 1 = 1 / (EXTRACT(DAY FROM NOW()) - EXTRACT(DAY FROM NOW()))",
    "SELECT COUNT(*) FILTER (WHERE 1 / (d.id - 7) = 0) AS n FROM doc d",
    "SELECT DISTINCT ON (CASE WHEN d.id = 7 THEN 1 / (d.id - 7) ELSE 1 END) d.id FROM doc d ORDER BY CASE WHEN d.id = 7 THEN 1 / (d.id - 7) ELSE 1 END, d.id",
    "SELECT d.id, x.v FROM doc d CROSS JOIN LATERAL (SELECT 1 / (d.id - 7) AS v) x ORDER BY d.id LIMIT 2",
    "SELECT d.num, COUNT(*) AS n FROM doc d GROUP BY GROUPING SETS ((d.num, 1 / (d.id - 7)), ()) ORDER BY 1, 2 LIMIT 2",
    "SELECT STRING_AGG(CAST(1 / (d.id - 7) AS text), ',' ORDER BY d.id) AS v FROM doc d",
    "SELECT d.id FROM doc d ORDER BY d.id OFFSET (SELECT COUNT(*) FROM doc e WHERE 1 / (e.id - 7) > 0) LIMIT 2",
    "SELECT k.id FROM kind k WHERE k.id = ANY (SELECT 1 / (d.id - 7) FROM doc d) ORDER BY 1",
    "SELECT COUNT(*) AS n FROM part d WHERE 1 / (d.id - 7) > -5",
    "SELECT 1 / (d.id - 7) AS v FROM part d ORDER BY d.id LIMIT 2",
    "SELECT SUM(1 / (d.id - 7)) AS v FROM part d",
    // Functions that give rows, of columns.
    "SELECT COUNT(*) AS n FROM doc d, generate_series(1, 1 / (d.id - 7)) s(v)",
    "SELECT COUNT(*) AS n FROM doc d CROSS JOIN LATERAL generate_series(1, CASE WHEN d.id = 7 THEN 1 / (d.id - 7) ELSE 1 END) s(v)",
    "SELECT COUNT(*) AS n FROM part d, generate_series(1, CASE WHEN d.num = 67 THEN 1000000 ELSE 2 END) s(v)",
    "SELECT COUNT(*) AS n FROM doc d, generate_series(d.id, d.id, d.id - 7) s WHERE d.num = 67",
    "SELECT d.id, s.v FROM doc d, unnest(string_to_array(CAST(CAST(d.txt AS json) AS text), ',')) s(v) ORDER BY d.id LIMIT 2",
    "SELECT COUNT(*) AS n FROM part d, jsonb_array_elements(CAST(CONCAT('[', d.txt, ']') AS jsonb)) e",
    "SELECT COUNT(*) AS n FROM person d, regexp_split_to_table(d.txt, CONCAT('x|', d.txt)) e WHERE 1 / (d.id - 7) > -5",
    "SELECT COUNT(*) AS n FROM doc d CROSS JOIN json_each(CAST(CONCAT('{\"a\":', d.txt, '}') AS json)) e WHERE e.key = 'a'",
    "SELECT COUNT(*) AS n FROM doc d JOIN unnest(ARRAY[1 / (d.id - 7), 2]) e ON e = d.num",
    "SELECT COUNT(*) AS n FROM kind k, generate_series(1, (SELECT MAX(d.num) FROM doc d WHERE 1 / (d.id - 7) > -5)) s",
    // Rows as a whole.
    "SELECT row_to_json(d) AS v FROM doc d WHERE d.id = 7",
    "SELECT json_agg(d ORDER BY d.id) AS v FROM doc d WHERE d.num = 67",
    "SELECT json_agg(d ORDER BY 1 / (d.id - 7), d.id) AS v FROM doc d WHERE d.num = 7",
    "SELECT to_jsonb(d) ->> 'txt' AS v FROM part d ORDER BY d.id LIMIT 1",
    "SELECT (SELECT json_agg(k) FROM kind k WHERE k.id = 1 / (d.id - 7)) AS v FROM doc d ORDER BY d.id LIMIT 2",
    // A sample is of the tenant's rows.
    "SELECT COUNT(*) AS n FROM doc d TABLESAMPLE BERNOULLI (100) WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM doc d TABLESAMPLE SYSTEM (100)",
    "SELECT COUNT(*) AS n FROM part d TABLESAMPLE SYSTEM (100) WHERE 1 / (d.id - 7) > -5",
    "SELECT COUNT(*) AS n FROM person d TABLESAMPLE BERNOULLI (0)",
    // Literals, slices, names of arguments, text search.
    r"SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE E'pw-8f%\\'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE $$pw-8f%$$ AND 1 / (d.id - 7) = 0",
    "SELECT COUNT(*) AS n FROM doc d WHERE (regexp_match(d.txt, CONCAT('x|', d.txt)))[1:1] IS NOT NULL AND 1 / (d.id - 7) > -5",
    "SELECT COUNT(*) AS n FROM doc d WHERE (ARRAY[1, 2])[1 / (d.id - 7):2] IS NOT NULL",
    "SELECT EXTRACT(DAY FROM make_interval(days => 1 / (d.id - 7))) AS v FROM doc d ORDER BY d.id LIMIT 2",
    "SELECT COUNT(*) AS n FROM doc d WHERE to_tsvector('english', d.txt) @@ to_tsquery('english', d.txt)",
    "SELECT ts_rank(to_tsvector('simple', d.txt), to_tsquery('simple', '5')) > 0 AS v FROM doc d ORDER BY d.id LIMIT 2",
    "SELECT COUNT(*) AS n FROM doc d WHERE encode(decode(CASE WHEN d.id = 7 THEN d.txt ELSE 'YQ==' END, 'base64'), 'hex') = '61'",
    "SELECT COUNT(*) AS n FROM doc d WHERE jsonb_path_exists(CAST(d.txt AS jsonb), '$.a')",
    "SELECT COUNT(*) AS n FROM doc d WHERE LPAD('x', d.num * 20) LIKE '%x'",
    "SELECT COUNT(*) AS n FROM part d WHERE LENGTH(REPEAT('x', d.num * 20)) > 1",
    // LATERAL functions, elements of a column with its table, records, ONLY, EXCLUDE.
    "SELECT COUNT(*) AS n FROM tagged d CROSS JOIN LATERAL unnest(d.tags) AS t WHERE CAST(t AS int) > 0",
    "SELECT d.id, t.v FROM tagged d, LATERAL unnest(d.tags) WITH ORDINALITY AS t(v, place) WHERE 1 / (d.id - 7) > -5 ORDER BY d.id, t.place LIMIT 3",
    "SELECT COUNT(*) AS n FROM tagged d LEFT JOIN LATERAL unnest(ARRAY[1 / (d.id - 7)]) AS t ON true",
    "SELECT COUNT(*) AS n FROM tagged d WHERE CAST(d.tags[1] AS int) = 5",
    "SELECT d.tags[1] AS v FROM tagged d ORDER BY CAST(d.tags[1] AS int), d.id LIMIT 2",
    r"SELECT COUNT(*) AS n FROM tagged d WHERE d.tags[1] LIKE 'pw-8f%\'",
    "SELECT COUNT(*) AS n FROM tagged d WHERE d.tags[1 / (d.id - 7)] IS NULL",
    "SELECT d.doc['a'] AS v FROM tagged d WHERE CAST(d.doc['a'] AS int) = 5 ORDER BY d.id LIMIT 2",
    "SELECT COUNT(*) AS n FROM tagged d CROSS JOIN LATERAL jsonb_to_record(d.doc) AS r(a int) WHERE r.a = 5",
    "SELECT COUNT(*) AS n FROM tagged d, jsonb_to_recordset(jsonb_build_array(d.doc)) AS r(a int)",
    "SELECT COUNT(*) AS n FROM ONLY tagged",
    "SELECT COUNT(*) AS n FROM ONLY tagged d WHERE CAST(d.txt AS int) = 5",
    "SELECT COUNT(*) AS n FROM tagged d WHERE 1 / (d.id - 8) > -5",
    "SELECT COUNT(*) AS n FROM doc k JOIN ONLY tagged d ON d.id = k.id AND 1 / (d.id - 7) > -5",
    "SELECT d.id, SUM(1 / (d.id - 7)) OVER (ORDER BY d.id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS v FROM tagged d ORDER BY d.id LIMIT 3",
    "SELECT d.id, COUNT(*) OVER (PARTITION BY CAST(d.txt AS int) ORDER BY d.id GROUPS 2 PRECEDING EXCLUDE TIES) AS v FROM tagged d ORDER BY d.id LIMIT 3",
    "SELECT q.id FROM (SELECT d.id, MAX(d.id) OVER (ORDER BY 1 / (d.id - 7) ROWS 3 PRECEDING EXCLUDE GROUP) AS v FROM part d) q WHERE q.v > 0 ORDER BY q.id LIMIT 2",
    // What a key decides.
    "SELECT d.id, d.txt, COUNT(*) AS n FROM doc d WHERE 1 / (d.id - 7) > -5 GROUP BY d.id ORDER BY d.opened, d.id LIMIT 2",
    "SELECT d.id, d.txt, d.num, COUNT(p.id) AS n FROM doc d LEFT JOIN part p ON p.doc_id = d.id GROUP BY d.id HAVING CAST(d.txt AS int) = 5 ORDER BY d.id LIMIT 2",
    "SELECT d.txt, COUNT(*) AS n FROM part d GROUP BY d.id ORDER BY 1 / (d.id - 7), d.id LIMIT 2",
];

const BY_HAND_MARIADB: &[&str] = &[
    "SELECT COUNT(*) AS n FROM doc d USE INDEX (doc_num) WHERE d.num = 67 AND d.opened BETWEEN '2026-01-01' AND '2026-01-31'",
    "SELECT COUNT(*) AS n FROM doc d FORCE INDEX (doc_num) WHERE d.num = 67",
    "SELECT COUNT(*) AS n FROM doc d USE INDEX (no_such_index) WHERE d.num = 67",
    "SELECT COUNT(d.id) AS c, MAX(d.txt) AS m FROM doc d WHERE d.num = 67 AND d.opened BETWEEN '2026-01-01' AND '2026-12-31' AND 1 = IF(d.opened = '2026-01-05', 9223372036854775807 + d.num, 1)",
    "SELECT COUNT(d.id) AS c, MAX(d.txt) AS m FROM person d WHERE d.num >= 67 AND 1 = IF(d.num = 67, 9223372036854775807 + d.num, 1)",
    "SELECT COUNT(d.id) AS c, MAX(d.txt) AS m FROM part d WHERE d.num >= 67 AND 1 = IF(d.num = 67, 9223372036854775807 + d.num, 1)",
    "SELECT STRAIGHT_JOIN COUNT(*) AS n FROM doc d JOIN kind k ON k.id = d.num AND 1 = IF(d.num = 67, 9223372036854775807 + d.num, 1)",
    "SELECT IF(d.num = 67, 9223372036854775807 + d.num, 1) AS y FROM doc d HAVING y > 0 ORDER BY 1 LIMIT 2",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.num = 67 GROUP BY d.num HAVING IF(d.num = 67, 9223372036854775807 + d.num, 1) = 1",
    "SELECT MAX(9223372036854775807 + d.num - 60) AS v FROM doc d WHERE d.id = 7",
    "SELECT 9223372036854775807 + d.num AS v FROM doc d WHERE d.id = 7",
    "SELECT k.id FROM kind k LEFT JOIN doc d ON d.id = 7 WHERE k.id = 1 ORDER BY 9223372036854775807 + d.num",
    "SELECT k.id FROM kind k JOIN doc d ON d.id = 7 AND k.id < 9223372036854775807 + d.num ORDER BY 1",
    "SELECT d.id FROM part d WHERE d.num = 67 ORDER BY 9223372036854775807 + d.num",
    "SELECT COUNT(*) AS n FROM part d WHERE d.num = 67 GROUP BY 9223372036854775807 + d.num",
    "SELECT GROUP_CONCAT(9223372036854775807 + d.num) AS v FROM doc d WHERE d.id = 7",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt = 7",
    "SELECT COUNT(*) AS n FROM doc d WHERE (d.id, d.num) IN (SELECT k.id, 9223372036854775807 + d.num FROM kind k)",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt REGEXP '^pw-8f.*('",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.txt LIKE 'pw-8f%' ESCAPE 'pw'",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.num = 67 LIMIT 1",
    // Lengths that are too large for the other tenant's rows only.
    "SELECT COUNT(*) AS n FROM doc d WHERE LPAD('x', d.num * 20, 'y') LIKE '%x'",
    "SELECT COUNT(*) AS n FROM part d WHERE SPACE(d.num * 20) <> 'x'",
    "SELECT LENGTH(REPEAT('x', d.num * 20)) AS v FROM person d ORDER BY d.id LIMIT 2",
    // Functions that give rows, lists, groups.
    "SELECT COUNT(*) AS n FROM doc d, JSON_TABLE(d.txt, '$' COLUMNS (v INT PATH '$' ERROR ON ERROR)) j",
    "SELECT COUNT(*) AS n FROM part d, JSON_TABLE(CONCAT('[', d.num, ']'), '$[*]' COLUMNS (v INT PATH '$')) j WHERE 1 = IF(j.v = 67, 9223372036854775807 + j.v, 1)",
    "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY 9223372036854775807 + d.num - 60) OVER (PARTITION BY d.num) AS v FROM doc d WHERE d.id = 7",
    "SELECT EXTRACT(YEAR_MONTH FROM d.opened) AS v, COUNT(*) AS n FROM doc d GROUP BY v",
    "SELECT COUNT(*) AS n FROM doc d WHERE d.opened > '2026-01-05' - INTERVAL '1-2' YEAR_MONTH",
    "SELECT d.id, d.txt, COUNT(*) AS n FROM doc d WHERE 1 = IF(d.num = 67, 9223372036854775807 + d.num, 1) GROUP BY d.id ORDER BY d.id LIMIT 2",
    "SELECT SQL_NO_CACHE HIGH_PRIORITY COUNT(*) AS n FROM doc d WHERE d.num = 67",
    "SELECT LENGTH(GROUP_CONCAT(REPEAT('x', 900))) AS v FROM doc d",
    "SELECT JSON_LENGTH(JSON_ARRAYAGG(d.txt)) AS v FROM part d",
];
