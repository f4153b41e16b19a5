//! Tables in a FROM clause, and their replacements.

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, Join, JoinConstraint, JoinOperator, ObjectName,
    Query, SetExpr, TableAlias, TableFactor, TableSample, TableSampleKind, TableSampleMethod,
    TableWithJoins, Value,
};

use super::{Binder, Cte, joins};
use crate::finding::Kind;
use crate::guard::{Dialect, single_query, whole};
use crate::schema::Meant;
use crate::scope::{Columns, Merged, Name, Relation, Scope};
use crate::server::ServerKind;
use crate::{fence, fold, literal, suggest};

impl Binder<'_> {
    /// A table and what is joined to it; adds what can be named afterwards to `relations`.
    pub(super) fn joined(
        &mut self,
        from: &mut TableWithJoins,
        relations: &mut Vec<Relation>,
        parent: Option<&Scope>,
    ) {
        joins::flatten(&mut from.joins);
        let start = relations.len();
        self.factor(&mut from.relation, relations, parent);
        for Join {
            relation,
            global,
            join_operator,
        } in &mut from.joins
        {
            if *global {
                self.unsupported("GLOBAL JOIN");
            }
            let left = relations.len();
            self.factor(relation, relations, parent);
            let moves = moves_behind(join_operator);
            match constraint(join_operator) {
                None => self.unsupported("This kind of join"),
                Some(JoinConstraint::On(condition)) => {
                    let about = Scope::of(&relations[start..], parent);
                    self.expression(condition, &about);
                    self.no_aggregates("ON", condition, parent);
                    self.early(condition, &about);
                    if moves {
                        self.move_condition(relation, left - start, condition, &about);
                    }
                }
                Some(JoinConstraint::Using(columns)) => {
                    let names = columns
                        .iter_mut()
                        .filter_map(|column| {
                            self.using(column, &relations[start..left], &relations[left..])
                        })
                        .collect();
                    merge(&mut relations[left..], &Merged::Names(names));
                }
                Some(JoinConstraint::Natural) => {
                    self.needs.early = true;
                    self.refuse_masked_in_common(&relations[start..left], &relations[left..]);
                    let merged = self.common(&relations[start..left]);
                    merge(&mut relations[left..], &merged);
                }
                Some(JoinConstraint::None) => {
                    let crossed = matches!(join_operator, JoinOperator::CrossJoin(_));
                    if !crossed && self.dialect == Dialect::PostgreSql {
                        self.refuse(
                            Kind::Syntax,
                            "A JOIN needs ON or USING; else write CROSS JOIN.",
                        );
                    }
                }
            }
        }
    }

    /// A column that both sides must have; its name, folded.
    fn using(
        &mut self,
        name: &mut ObjectName,
        left: &[Relation],
        right: &[Relation],
    ) -> Option<String> {
        let Some(mut column) = self.unqualified(name).cloned() else {
            self.unsupported("A qualified name in USING");
            return None;
        };
        for side in [left, right] {
            let mut found = column.clone();
            self.column(None, &mut found, &Scope::of(side, None));
            column = found;
        }
        self.early_equality(&column, left, right);
        let folded = fold(&column.value);
        *name = vec![column].into();
        Some(folded)
    }

    /// Reports columns that NATURAL compares and that are masked on a side.
    fn refuse_masked_in_common(&mut self, left: &[Relation], right: &[Relation]) {
        let names = right.iter().filter_map(|relation| {
            let names = relation.columns.names(&self.guard.schema)?;
            Some(names.into_iter().map(Ident::new))
        });
        let names: Vec<Ident> = names.flatten().collect();
        for name in names {
            let has = |relation: &&Relation| {
                let columns = &relation.columns;
                let found = columns.find(&name, &self.guard.schema, self.dialect);
                found.is_some() && !matches!(columns, Columns::Any)
            };
            let mut both = left.iter().filter(has).chain(right.iter().filter(has));
            let common = left.iter().any(|relation| has(&relation));
            if common && both.any(|relation| self.is_masked(relation, &name)) {
                self.masked(&name.value);
                return;
            }
        }
    }

    /// The columns that NATURAL makes one, if another relation has them, too.
    fn common(&self, left: &[Relation]) -> Merged {
        let names: Option<Vec<_>> = left
            .iter()
            .map(|relation| relation.columns.names(&self.guard.schema))
            .collect();
        match names {
            None => Merged::Unknown,
            Some(names) => Merged::Names(names.iter().flatten().map(|name| fold(name)).collect()),
        }
    }

    fn factor(
        &mut self,
        factor: &mut TableFactor,
        relations: &mut Vec<Relation>,
        parent: Option<&Scope>,
    ) {
        let only = self.is_only(factor);
        match factor {
            TableFactor::Table { args: None, .. } => self.table(factor, relations, only),
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: None,
            } => {
                if *lateral && self.is_mariadb() {
                    self.refuse(
                        Kind::Unsupported,
                        "MariaDB has no LATERAL. Join a grouped subquery, or number the rows with ROW_NUMBER() OVER (PARTITION BY …) and filter them.",
                    );
                }
                let about = Scope::of(relations, parent);
                let visible = if *lateral { Some(&about) } else { parent };
                let columns = self.part(subquery, visible);
                if let Some(alias) = alias {
                    alias.explicit = true;
                }
                let columns = alias.as_ref().map_or_else(
                    || columns.clone(),
                    |alias| self.renamed(columns.clone(), alias),
                );
                let name = alias
                    .as_ref()
                    .map(|alias| Name::new(&alias.name, self.dialect));
                relations.push(Relation::new(name, columns));
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => {
                let mut nested = Vec::new();
                self.deeper(|binder| binder.joined(table_with_joins, &mut nested, parent));
                relations.append(&mut nested);
            }
            _ => self.set_function(factor, relations, parent),
        }
    }

    pub(super) fn is_mariadb(&self) -> bool {
        let server = self.guard.policy.server;
        server.is_some_and(|server| server.kind == ServerKind::MariaDb)
    }

    /// Takes `ONLY (t)` for the table that it names, without those that inherit from it. Whether it
    /// is that.
    fn is_only(&self, factor: &mut TableFactor) -> bool {
        let TableFactor::Table {
            name,
            args: args @ Some(_),
            with_ordinality: false,
            ..
        } = factor
        else {
            return false;
        };
        let is_only = matches!(
            name.0.as_slice(),
            [part] if part.as_ident().is_some_and(|word| word.quote_style.is_none() && fold(&word.value) == "only")
        );
        let parts = args.as_ref().and_then(|args| match args.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(table)))] => {
                Some(vec![table.clone()])
            }
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::CompoundIdentifier(parts)))] => {
                Some(parts.clone())
            }
            _ => None,
        });
        match parts {
            Some(parts) if is_only && self.dialect == Dialect::PostgreSql => {
                *name = parts.into();
                *args = None;
                true
            }
            _ => false,
        }
    }

    /// A named table: one of the statement's own, or one of the schema. `only`: without the tables
    /// that inherit from it.
    fn table(&mut self, factor: &mut TableFactor, relations: &mut Vec<Relation>, only: bool) {
        let TableFactor::Table {
            name,
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } = factor
        else {
            return;
        };
        let plain =
            args.is_none() && with_hints.is_empty() && version.is_none() && !*with_ordinality;
        if !plain || !partitions.is_empty() || json_path.is_some() {
            self.unsupported("A table function or a table with options");
        }
        let sampled = sample.take().map(|sample| self.sampled(sample));
        // The choice of an index is the database's own, and the time that it takes may reveal rows
        // of others.
        index_hints.clear();
        if let Some(alias) = alias {
            alias.explicit = true;
        }
        let single = name.0.len() == 1;
        let schema = match name.0.as_slice() {
            [schema, _] => schema.as_ident().cloned(),
            _ => None,
        };
        let Some(typed) = self.unqualified(name).cloned() else {
            relations.push(unknown(
                alias.as_ref().map(|alias| &alias.name),
                self.dialect,
            ));
            return;
        };
        if single && self.ahead.iter().any(|name| name.is(&typed, self.dialect)) {
            self.unsupported("A common table expression that is declared further on");
        }
        let (exposed, columns) = match self.own_table(&typed, single) {
            Some(own) => {
                if sampled.is_some() {
                    self.unsupported("TABLESAMPLE of a common table expression");
                }
                if only {
                    self.unsupported("ONLY of a common table expression");
                }
                let declared = own.name.ident;
                if own.printed != declared && alias.is_none() {
                    *alias = Some(named(&declared));
                }
                *name = vec![own.printed].into();
                (declared, own.columns)
            }
            None => match self.known_table(schema.as_ref(), &typed) {
                Some(id) => {
                    *factor = self.permitted(id, &typed, alias.take());
                    if only {
                        self.put_only(factor, id, &typed);
                    }
                    if let Some(Some(sample)) = sampled {
                        put_sample(factor, sample);
                    }
                    let (alias, own) = match factor {
                        TableFactor::Table { alias, name, .. } => {
                            (alias, name.0.last().and_then(|part| part.as_ident()))
                        }
                        TableFactor::Derived { alias, .. } => (alias, None),
                        _ => return,
                    };
                    let columns = alias.as_ref().map_or(Columns::Table(id), |alias| {
                        self.renamed(Columns::Table(id), alias)
                    });
                    let exposed = alias
                        .as_ref()
                        .map(|alias| &alias.name)
                        .or(own)
                        .unwrap_or(&typed);
                    relations.push(Relation {
                        base: true,
                        ..Relation::new(Some(Name::new(exposed, self.dialect)), columns)
                    });
                    return;
                }
                None => (typed, self.dual_or_unknown(name)),
            },
        };
        let columns = alias.as_ref().map_or_else(
            || columns.clone(),
            |alias| self.renamed(columns.clone(), alias),
        );
        let exposed = alias.as_ref().map_or(exposed, |alias| alias.name.clone());
        relations.push(Relation::new(
            Some(Name::new(&exposed, self.dialect)),
            columns,
        ));
    }

    /// A sample that may be taken: a share that is written down, the same or another one each time.
    fn sampled(&mut self, sample: TableSampleKind) -> Option<Sample> {
        let (TableSampleKind::AfterTableAlias(clause) | TableSampleKind::BeforeTableAlias(clause)) =
            sample;
        let number = |value: &Expr| match value {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse::<f64>().ok(),
                _ => None,
            },
            _ => None,
        };
        let percent = clause
            .quantity
            .as_ref()
            .filter(|quantity| quantity.unit.is_none())
            .and_then(|quantity| number(&quantity.value))
            .filter(|percent| (0.0..=100.0).contains(percent));
        let named = matches!(
            clause.name,
            Some(TableSampleMethod::Bernoulli | TableSampleMethod::System)
        );
        match percent {
            Some(percent)
                if named
                    && self.dialect == Dialect::PostgreSql
                    && clause.seed.is_none()
                    && clause.bucket.is_none()
                    && clause.offset.is_none() =>
            {
                Some(Sample { percent, clause })
            }
            _ => {
                self.unsupported(
                    "A TABLESAMPLE other than BERNOULLI (percent) and SYSTEM (percent)",
                );
                None
            }
        }
    }

    /// A common table expression, by the name it was declared with.
    fn own_table(&self, name: &Ident, single: bool) -> Option<Cte> {
        let own = self.ctes.iter().rev();
        own.filter(|_| single)
            .find(|own| own.name.is(name, self.dialect))
            .cloned()
    }

    fn known_table(&mut self, schema: Option<&Ident>, name: &Ident) -> Option<usize> {
        let schema = schema.and_then(|schema| self.permitted_schema(schema).flatten());
        let view = match &schema {
            Some(schema) => format!("{schema}.{}", name.value),
            None => name.value.clone(),
        };
        let viewed = self.guard.viewed.get(&fold(&view)).copied();
        let id = match viewed {
            Some(id) => id,
            None => match self
                .guard
                .schema
                .find(schema.as_deref(), name, self.dialect)
            {
                Meant::Table(id) => id,
                Meant::Nothing => return None,
                Meant::Several(ids) => {
                    let finding = suggest::several_tables(&self.guard.schema, &name.value, &ids);
                    self.report(finding);
                    ids.first().copied()?
                }
            },
        };
        if !self.tables.contains(&id) {
            self.tables.push(id);
        }
        let given = self
            .guard
            .shared
            .as_ref()
            .is_none_or(|shared| shared.contains(&id));
        self.needs.reads += 1;
        self.needs.filtered += usize::from(self.guard.filtered(id, self.dialect).is_some());
        self.needs.through |= self.guard.is_through(id);
        if !given && self.guard.filtered(id, self.dialect).is_none() {
            self.refuse(
                Kind::NotPermitted,
                format!("Table '{}' is not permitted.", name.value),
            );
        }
        Some(id)
    }

    /// Reports tables of different schemas that have one name in a FROM clause.
    pub(super) fn distinct_names(&mut self, relations: &[Relation]) {
        if self.guard.policy.schemas.is_empty() {
            return;
        }
        for (at, one) in relations.iter().enumerate() {
            let same = relations[..at].iter().find_map(|other| {
                let names = [one.name.as_ref()?, other.name.as_ref()?];
                let same = fold(names[0].text()) == fold(names[1].text());
                match (&one.columns, &other.columns) {
                    (Columns::Table(one), Columns::Table(other)) if same && one != other => {
                        Some([*other, *one])
                    }
                    _ => None,
                }
            });
            if let Some(ids) = same {
                let [one, other] = ids.map(|id| self.guard.schema.table(id).name.clone());
                let message = format!(
                    "Tables '{one}' and '{other}' have the same name in this FROM. Give each an alias and use it before their columns."
                );
                self.refuse(Kind::AmbiguousColumn, message);
            }
        }
    }

    fn dual_or_unknown(&mut self, name: &ObjectName) -> Columns {
        let text = name
            .0
            .last()
            .and_then(|part| part.as_ident())
            .map(|ident| ident.value.clone())
            .unwrap_or_default();
        if self.dialect == Dialect::MySql && name.0.len() == 1 && text.eq_ignore_ascii_case("dual")
        {
            return Columns::List(Vec::new());
        }
        if fold(&text).starts_with("pg_") {
            self.refuse(
                Kind::Catalogue,
                format!("Catalogue table '{text}' is not allowed."),
            );
        } else {
            self.report(suggest::unknown_table(&self.guard.schema, &text));
        }
        Columns::Any
    }

    /// The query in a table's place, if it is not the table or its view itself.
    fn stand_in(&self, id: usize, alias: Option<&TableAlias>) -> Option<Box<Query>> {
        let filtered = self.guard.filtered(id, self.dialect);
        if let (Some(words), Some(_)) = (self.fencing, &filtered) {
            // Names given by position are those of all columns.
            let by_position = alias.is_some_and(|alias| !alias.columns.is_empty());
            let words = (!self.bounded && !by_position).then_some(words);
            return self.guard.fenced(id, self.dialect, words);
        }
        if self.bounded || self.guard.has_rules(id) {
            let query =
                filtered.or_else(|| whole(self.guard.physical(id, self.dialect), self.dialect))?;
            return self.guard.bounded(id, query, self.dialect);
        }
        filtered
    }

    /// The relation in a table's place: its view, or the tenant's rows of that, under the name that
    /// the statement knows.
    fn permitted(&self, id: usize, typed: &Ident, alias: Option<TableAlias>) -> TableFactor {
        let keep_name = || named(typed);
        if let Some(subquery) = self.stand_in(id, alias.as_ref()) {
            let alias = Some(alias.unwrap_or_else(keep_name));
            return TableFactor::Derived {
                lateral: false,
                subquery,
                alias,
                sample: None,
            };
        }
        let mut name = self.guard.physical(id, self.dialect);
        let renamed = self.guard.views.contains_key(&id);
        // Respelling alone needs no alias: qualifiers are respelt as well.
        if let Some(last) = name.last_mut()
            && !renamed
            && typed.quote_style.is_some()
            && last.quote_style.is_none()
        {
            last.quote_style = typed.quote_style;
        }
        TableFactor::Table {
            name: name.into(),
            alias: if renamed {
                Some(alias.unwrap_or_else(keep_name))
            } else {
                alias
            },
            args: None,
            with_hints: Vec::new(),
            version: None,
            with_ordinality: false,
            partitions: Vec::new(),
            json_path: None,
            sample: None,
            index_hints: Vec::new(),
        }
    }
}

impl Binder<'_> {
    /// Leaves only the rows of the table itself, not of those that inherit from it. A view has none
    /// but its own.
    fn put_only(&mut self, factor: &mut TableFactor, id: usize, typed: &Ident) {
        if self.guard.views.contains_key(&id) {
            return;
        }
        if let TableFactor::Table { alias, .. } = factor {
            let physical = self.guard.physical(id, self.dialect);
            let rows = whole(physical, self.dialect)
                .and_then(|query| self.guard.bounded(id, query, self.dialect));
            if let Some(subquery) = rows {
                *factor = TableFactor::Derived {
                    lateral: false,
                    subquery,
                    alias: Some(alias.take().unwrap_or_else(|| named(typed))),
                    sample: None,
                };
            }
        }
        match (factor, self.guard.own_rows(id, self.dialect)) {
            (TableFactor::Derived { subquery, .. }, Some(own)) => fence::add(subquery, own),
            _ => self.unsupported("ONLY of this table"),
        }
    }
}

/// A share of the rows, in percent, and the clause that takes it.
struct Sample {
    percent: f64,
    clause: Box<TableSample>,
}

/// Takes a sample. Of the tenant's rows of a table a share is drawn row by row: which blocks a
/// table has, and where its rows are, depends on rows of others.
fn put_sample(factor: &mut TableFactor, sample: Sample) {
    match factor {
        TableFactor::Derived { subquery, .. } => {
            let share = literal::decimal(sample.percent / 100.0);
            let sql = format!("SELECT 1 WHERE random() < {share}");
            let drawn = single_query(&sql, Dialect::PostgreSql);
            if let Some(SetExpr::Select(drawn)) = drawn.map(|query| *query.body)
                && let Some(condition) = drawn.selection
            {
                fence::add(subquery, condition);
            }
        }
        TableFactor::Table { sample: place, .. } => {
            *place = Some(TableSampleKind::AfterTableAlias(sample.clause));
        }
        _ => {}
    }
}

/// An alias.
fn named(name: &Ident) -> TableAlias {
    TableAlias {
        explicit: true,
        name: name.clone(),
        columns: Vec::new(),
        at: None,
    }
}

fn unknown(name: Option<&Ident>, dialect: Dialect) -> Relation {
    Relation::new(name.map(|name| Name::new(name, dialect)), Columns::Any)
}

fn merge(relations: &mut [Relation], merged: &Merged) {
    for relation in relations {
        match (&mut relation.merged, merged) {
            (Merged::Names(names), Merged::Names(more)) => names.extend(more.iter().cloned()),
            (unknown, _) => *unknown = Merged::Unknown,
        }
    }
}

/// Whether a condition on the table that is joined may be moved to where its rows are chosen.
fn moves_behind(operator: &JoinOperator) -> bool {
    use JoinOperator::{Inner, Join, Left, LeftOuter};
    matches!(operator, Join(_) | Inner(_) | Left(_) | LeftOuter(_))
}

/// The constraint of a join both databases may know.
fn constraint(operator: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    use JoinOperator::{
        CrossJoin, FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter, StraightJoin,
    };
    match operator {
        Join(it) | Inner(it) | Left(it) | LeftOuter(it) | Right(it) | RightOuter(it)
        | FullOuter(it) | CrossJoin(it) | StraightJoin(it) => Some(it),
        _ => None,
    }
}
