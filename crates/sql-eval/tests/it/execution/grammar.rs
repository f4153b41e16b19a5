//! Generates statements of all shapes over the company's tables. Most of them are valid.

use sql_guard::Dialect;

/// A table and its columns, as in the guard's schema.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    numbers: &'static [&'static str],
    texts: &'static [&'static str],
}

impl Table {
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        [self.numbers, self.texts].concat()
    }
}

pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "employee",
        numbers: &["id", "bossId"],
        texts: &["firstName", "company_id"],
    },
    Table {
        name: "customer",
        numbers: &["id"],
        texts: &["name", "company_id"],
    },
    Table {
        name: "inspection",
        numbers: &["id", "employeeId"],
        texts: &["title", "company_id"],
    },
    Table {
        name: "workOrder",
        numbers: &["id", "customerId"],
        texts: &["title", "company_id"],
    },
    Table {
        name: "workOrderLine",
        numbers: &["id", "workOrderId", "amount"],
        texts: &[],
    },
    Table {
        name: "part",
        numbers: &["id", "lineId"],
        texts: &["label"],
    },
    Table {
        name: "note",
        numbers: &["id", "employeeId"],
        texts: &["text"],
    },
    Table {
        name: "crew",
        numbers: &["id"],
        texts: &["title"],
    },
];

/// Aliases, many of which are names of tables and views.
const ALIASES: &[&str] = &[
    "a",
    "b",
    "c",
    "e",
    "employee",
    "note",
    "workOrder",
    "secure_employee",
    "permitted",
    "payroll",
    "crew",
    "customer",
];

/// Names for common table expressions. The guard rejects some of them.
const OWN: &[&str] = &[
    "q",
    "r",
    "employee",
    "note",
    "crew",
    "inspection",
    "part",
    "payroll",
    "workOrder",
    "secure_customer",
];

/// Words that are inserted into statements.
const WORDS: &[&str] = &[
    "payroll",
    "FROM payroll",
    "secure_employee",
    "employee",
    "pay",
    "company_id = 'B'",
    "OR 1 = 1",
    "OR TRUE",
    "--",
    "/*",
    "*/",
    "/*!",
    "#",
    ";",
    "'",
    "\"",
    "`",
    "\\",
    "(",
    ")",
    ",",
    "UNION",
    "UNION ALL SELECT",
    "SELECT",
    "*",
    "WHERE",
    "AND",
    "NOT",
    "NULL",
    "AS",
    "JOIN",
    "NATURAL JOIN",
    "LEFT JOIN",
    "ON TRUE",
    "USING (id)",
    "LATERAL",
    "WITH employee AS (SELECT 1 AS id)",
    "IN (SELECT id FROM payroll)",
    "mysql.user",
    "information_schema.tables",
    "pg_class",
    "pg_catalog.",
    "public.",
    "@@version",
    "@x",
    ":=",
    "INTO",
    "SLEEP(1)",
    "version()",
    "::regclass",
    "::text",
    "$$",
    "E'",
    "_utf8",
    "X'41'",
    "0x41",
    "LIMIT 1",
    "FOR UPDATE",
    "GROUP BY 1",
    "ORDER BY 1",
    "HAVING 1 = 1",
    "OVER ()",
    "TABLE employee",
    "VALUES (1)",
    "DISTINCT",
    "ALL",
    "EXCEPT",
    "EXISTS",
    "CASE",
    "END",
    "ROW",
    "tableoid",
    "ctid",
    "xmin",
    "user",
    "current_user",
    "session_user",
    "ONLY",
    "PARTITION (p0)",
    "TABLESAMPLE SYSTEM (50)",
    "USE INDEX (x)",
    "FOR SYSTEM_TIME ALL",
    "\u{a0}",
    "é",
    "\0",
    "\n",
];

/// A relation in scope: its name and columns.
#[derive(Clone)]
struct Relation {
    name: String,
    numbers: Vec<String>,
    texts: Vec<String>,
}

/// Derives one statement from one number.
pub(crate) struct Grammar {
    state: u64,
    dialect: Dialect,
    own: Vec<Relation>,
}

impl Grammar {
    pub(crate) fn new(seed: u64, dialect: Dialect) -> Grammar {
        Grammar {
            state: seed,
            dialect,
            own: Vec::new(),
        }
    }

    /// A statement: most are valid, some have inserted words, some are garbled.
    pub(crate) fn statement(&mut self) -> String {
        let sql = self.query(3, &[]);
        match self.below(10) {
            0..6 => sql,
            6..9 => self.strewn(&sql),
            _ => self.garbled(sql),
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap() % limit
    }

    fn chance(&mut self, of_ten: usize) -> bool {
        self.below(10) < of_ten
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn strewn(&mut self, sql: &str) -> String {
        let mut words: Vec<String> = sql.split(' ').map(ToOwned::to_owned).collect();
        for _ in 0..=self.below(3) {
            let at = self.below(words.len());
            let word = self.one(WORDS).to_owned();
            match self.below(3) {
                0 => words[at] = word,
                1 if words.len() > 1 => _ = words.remove(at),
                _ => words.insert(at, word),
            }
        }
        words.join(" ")
    }

    fn garbled(&mut self, sql: String) -> String {
        let mut bytes = sql.into_bytes();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(3) {
                0 => bytes[at] = u8::try_from(self.below(256)).unwrap(),
                1 => bytes.insert(at, b"'\"`\\/*-#();,.@$ "[self.below(16)]),
                _ => _ = bytes.remove(at),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A query with one numeric column, or with any columns at the outermost level.
    fn query(&mut self, depth: usize, outer: &[Relation]) -> String {
        let standing = self.own.len();
        let mut with = String::new();
        if depth > 0 && self.chance(2) {
            with = self.with(depth, outer);
        }
        let body = if depth > 0 && self.chance(2) {
            let operator = self.one(&["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]);
            let (left, right) = (
                self.select(depth - 1, outer, true),
                self.select(depth - 1, outer, true),
            );
            match self.below(3) {
                0 => format!("({left}) {operator} ({right})"),
                1 => format!("{left} {operator} {right}"),
                _ => format!("{left} {operator} {right} ORDER BY 1"),
            }
        } else {
            self.select(depth, outer, depth < 3)
        };
        self.own.truncate(standing);
        with + &body
    }

    fn with(&mut self, depth: usize, outer: &[Relation]) -> String {
        let name = self.one(OWN).to_owned();
        let own = Relation {
            name: name.clone(),
            numbers: vec!["n".to_owned()],
            texts: Vec::new(),
        };
        let recursive = self.chance(3);
        let inner = if recursive && self.chance(5) {
            let seed = self.select(depth - 1, outer, true);
            format!("{seed} UNION SELECT n + 1 FROM {name} WHERE n < 5")
        } else {
            self.query(depth - 1, outer)
        };
        self.own.push(own);
        let recursive = if recursive { "RECURSIVE " } else { "" };
        format!("WITH {recursive}{name}(n) AS ({inner}) ")
    }

    fn select(&mut self, depth: usize, outer: &[Relation], single: bool) -> String {
        let (mut from, mut scope) = self.relation(depth, outer, &[]);
        for _ in 0..self.below(3) {
            self.join(depth, outer, &mut from, &mut scope);
        }
        let visible: Vec<Relation> = scope.iter().chain(outer).cloned().collect();
        let grouped = self.chance(2);
        let number = self.number(depth, &scope, &visible);
        let items = match self.below(if single { 4 } else { 9 }) {
            _ if grouped => format!(
                "{}({number}) AS x",
                self.one(&["COUNT", "MAX", "SUM", "MIN"])
            ),
            0 => format!("COUNT(DISTINCT {number}) AS x"),
            1..4 => format!("{number} AS x"),
            4 => "*".to_owned(),
            5 => format!("{}.*", scope[0].name),
            6 => format!("{}, {}.*", number, scope[scope.len() - 1].name),
            7 => format!("{}, {} AS t", number, self.text(&scope)),
            _ => format!(
                "SUM({number}) OVER (PARTITION BY {}) AS x",
                self.text(&scope)
            ),
        };
        let distinct = if self.chance(1) { "DISTINCT " } else { "" };
        let mut sql = format!("SELECT {distinct}{items} FROM {from}");
        if self.chance(6) {
            sql.push_str(" WHERE ");
            sql.push_str(&self.condition(depth, &visible));
        }
        if grouped && self.chance(7) {
            sql.push_str(" GROUP BY ");
            sql.push_str(&self.column(&scope, true));
            if self.chance(4) {
                sql.push_str(" HAVING COUNT(*) >= ");
                sql.push_str(&self.below(3).to_string());
            }
        } else if !grouped && self.chance(2) && distinct.is_empty() && !items.starts_with("COUNT") {
            sql.push_str(" ORDER BY ");
            sql.push_str(&self.column(&scope, false));
        }
        sql
    }

    fn relation(
        &mut self,
        depth: usize,
        outer: &[Relation],
        beside: &[Relation],
    ) -> (String, Vec<Relation>) {
        let alias = self.one(ALIASES).to_owned();
        if depth > 0 && self.chance(2) {
            let lateral = !beside.is_empty() && self.chance(5);
            let seen: Vec<Relation> = if lateral {
                beside.iter().chain(outer).cloned().collect()
            } else {
                outer.to_vec()
            };
            let lateral_works = lateral && self.dialect == Dialect::PostgreSql;
            let inner = self.query(depth - 1, if lateral_works { &seen } else { &[] });
            let keyword = if lateral_works { "LATERAL " } else { "" };
            let relation = Relation {
                name: alias.clone(),
                numbers: vec!["m".to_owned()],
                texts: Vec::new(),
            };
            // MariaDB does not support column names for a derived table.
            return match self.dialect {
                Dialect::PostgreSql => {
                    (format!("{keyword}({inner}) AS {alias}(m)"), vec![relation])
                }
                Dialect::MySql => {
                    let named = format!("(WITH z(m) AS ({inner}) SELECT m FROM z) AS {alias}");
                    (named, vec![relation])
                }
            };
        }
        if !self.own.is_empty() && self.chance(4) {
            let at = self.below(self.own.len());
            let own = self.own[at].clone();
            let text = format!("{} AS {alias}", own.name);
            return (text, vec![Relation { name: alias, ..own }]);
        }
        let table = &TABLES[self.below(TABLES.len())];
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let plain = self.chance(3);
        let relation = Relation {
            name: if plain {
                table.name.to_owned()
            } else {
                alias.clone()
            },
            numbers: owned(table.numbers),
            texts: owned(table.texts),
        };
        let name = match self.below(8) {
            0 => table.name.to_uppercase(),
            1 if self.dialect == Dialect::MySql => format!("`{}`", table.name),
            1 => format!("\"{}\"", table.name),
            _ => table.name.to_owned(),
        };
        let text = if plain {
            name
        } else {
            format!("{name} AS {alias}")
        };
        (text, vec![relation])
    }

    fn join(
        &mut self,
        depth: usize,
        outer: &[Relation],
        from: &mut String,
        scope: &mut Vec<Relation>,
    ) {
        let (right, found) = self.relation(depth.saturating_sub(1), outer, scope);
        // Both databases reject a repeated name.
        if scope
            .iter()
            .any(|other| other.name.eq_ignore_ascii_case(&found[0].name))
        {
            return;
        }
        let both: Vec<Relation> = scope.iter().chain(&found).cloned().collect();
        let mut number = |relations: &[Relation]| {
            let relation = &relations[self.below(relations.len())];
            let column = &relation.numbers[self.below(relation.numbers.len())];
            format!("{}.{column}", relation.name)
        };
        let on = format!("{} = {}", number(scope), number(&found));
        let with_id = |relations: &[Relation]| {
            relations.iter().filter(|it| it.numbers[0] == "id").count() == 1
        };
        let shares_id = with_id(scope) && with_id(&found);
        *from = match self.below(9) {
            0 | 1 => format!("{from} JOIN {right} ON {on}"),
            2 | 3 => format!("{from} LEFT JOIN {right} ON {on}"),
            4 if !right.starts_with("LATERAL") => format!("{from} RIGHT JOIN {right} ON {on}"),
            5 => format!("{from}, {right}"),
            6 if shares_id => format!("{from} JOIN {right} USING (id)"),
            7 if shares_id && scope.len() == 1 => format!("{from} NATURAL JOIN {right}"),
            8 if self.dialect == Dialect::PostgreSql && !right.starts_with("LATERAL") => {
                format!("{from} FULL JOIN {right} ON {on}")
            }
            _ => format!("{from} CROSS JOIN {right}"),
        };
        *scope = both;
    }

    fn column(&mut self, scope: &[Relation], number: bool) -> String {
        let relation = &scope[self.below(scope.len())];
        let columns = if number || relation.texts.is_empty() {
            &relation.numbers
        } else {
            &relation.texts
        };
        let column = &columns[self.below(columns.len())];
        let unique = scope
            .iter()
            .filter(|it| it.numbers.contains(column) || it.texts.contains(column))
            .count()
            == 1;
        if unique && self.chance(3) {
            column.clone()
        } else {
            format!("{}.{column}", relation.name)
        }
    }

    fn number(&mut self, depth: usize, scope: &[Relation], visible: &[Relation]) -> String {
        match self.below(10) {
            0 if depth > 0 => format!(
                "(SELECT COUNT(*) FROM ({}) AS s)",
                self.select(depth - 1, &[], true)
            ),
            1 if depth > 0 => {
                let inner = self.select(depth - 1, visible, true);
                format!("(SELECT MAX(x) FROM ({inner}) AS s)")
            }
            2 => format!(
                "CASE WHEN {} THEN 1 ELSE 0 END",
                self.condition(depth.saturating_sub(1), visible)
            ),
            3 => format!("COALESCE({}, 0) + 1", self.column(scope, true)),
            4 => format!("LENGTH({})", self.text(scope)),
            _ => self.column(scope, true),
        }
    }

    fn text(&mut self, scope: &[Relation]) -> String {
        let with_texts: Vec<Relation> = scope
            .iter()
            .filter(|relation| !relation.texts.is_empty())
            .cloned()
            .collect();
        if with_texts.is_empty() {
            return "'none'".to_owned();
        }
        let relation = &with_texts[self.below(with_texts.len())];
        let column = &relation.texts[self.below(relation.texts.len())];
        format!("{}.{column}", relation.name)
    }

    fn condition(&mut self, depth: usize, visible: &[Relation]) -> String {
        let number = self.column(visible, true);
        match self.below(if depth > 0 { 12 } else { 6 }) {
            0 => format!("{number} = {}", self.one(&["1", "2", "11", "12"])),
            1 => format!(
                "{} {} '{}'",
                self.text(visible),
                self.one(&["=", "<>", "LIKE"]),
                self.one(&["A", "B", "%B%", "A Ada"])
            ),
            2 => format!("{number} IS NULL"),
            3 => format!("{number} = {}", self.column(visible, true)),
            4 => format!(
                "({} OR {})",
                self.condition(0, visible),
                self.condition(0, visible)
            ),
            5 => "1 = 1".to_owned(),
            6 => format!("NOT ({})", self.condition(depth - 1, visible)),
            7 | 8 => {
                let negated = self.one(&["", "NOT "]);
                format!("{number} {negated}IN ({})", self.query(depth - 1, visible))
            }
            9 | 10 => {
                let negated = self.one(&["", "NOT "]);
                format!("{negated}EXISTS ({})", self.query(depth - 1, visible))
            }
            _ => {
                let quantity = self.one(&["ALL", "ANY"]);
                format!(
                    "{number} >= {quantity} ({})",
                    self.query(depth - 1, visible)
                )
            }
        }
    }
}
