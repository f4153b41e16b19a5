//! What stands in a FROM clause, and what is put in its place.

use sqlparser::ast::{
    Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, TableAlias, TableFactor,
    TableWithJoins,
};

use super::{Binder, Cte, joins};
use crate::finding::Kind;
use crate::guard::{Dialect, whole};
use crate::scope::{Columns, Merged, Name, Relation, Scope};
use crate::{fold, literal, suggest};

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
        match factor {
            TableFactor::Table { .. } => self.table(factor, relations),
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: None,
            } => {
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
            _ => {
                self.unsupported("A table function or this kind of table");
                relations.push(Relation::new(None, Columns::Any));
            }
        }
    }

    /// A named table: one of the statement's own, or one of the schema.
    fn table(&mut self, factor: &mut TableFactor, relations: &mut Vec<Relation>) {
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
        if !plain || !partitions.is_empty() || json_path.is_some() || sample.is_some() {
            self.unsupported("A table function or a table with options");
        }
        // Which index is used is the database's own affair, and how long that takes tells of rows of others.
        index_hints.clear();
        if let Some(alias) = alias {
            alias.explicit = true;
        }
        let single = name.0.len() == 1;
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
                let declared = own.name.ident;
                if own.printed != declared && alias.is_none() {
                    *alias = Some(named(&declared));
                }
                *name = vec![own.printed].into();
                (declared, own.columns)
            }
            None => match self.known_table(&typed) {
                Some(id) => {
                    *factor = self.permitted(id, &typed, alias.take());
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

    /// A common table expression, by the name it was declared with.
    fn own_table(&self, name: &Ident, single: bool) -> Option<Cte> {
        let own = self.ctes.iter().rev();
        own.filter(|_| single)
            .find(|own| own.name.is(name, self.dialect))
            .cloned()
    }

    fn known_table(&mut self, name: &Ident) -> Option<usize> {
        let viewed = || self.guard.viewed.get(&fold(&name.value)).copied();
        let id = viewed().or_else(|| self.guard.schema.find(name, self.dialect))?;
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

    /// The name the database has for what stands for a table.
    pub(super) fn physical(&self, id: usize) -> Ident {
        let name = self
            .guard
            .views
            .get(&id)
            .unwrap_or(&self.guard.schema.table(id).name);
        literal::spelt(name, self.dialect)
    }

    /// What is read in a table's place, if it is not the table or its view itself.
    fn stand_in(&self, id: usize, alias: Option<&TableAlias>) -> Option<Box<Query>> {
        let filtered = self.guard.filtered(id, self.dialect);
        if let (Some(words), Some(_)) = (self.fencing, &filtered) {
            // Names given by position are those of all columns.
            let by_position = alias.is_some_and(|alias| !alias.columns.is_empty());
            let words = (!self.bounded && !by_position).then_some(words);
            return self.guard.fenced(id, self.dialect, words);
        }
        if self.bounded || self.guard.has_rules(id) {
            let query = filtered.or_else(|| whole(&self.physical(id), self.dialect))?;
            return self.guard.bounded(id, query, self.dialect);
        }
        filtered
    }

    /// What is read in a table's place: its view, or the tenant's rows of that, under the name the statement knows.
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
        let physical = self.physical(id);
        let renamed = self.guard.views.contains_key(&id);
        // Respelling alone needs no alias: qualifiers are respelt as well.
        let mut name = physical;
        if !renamed && typed.quote_style.is_some() && name.quote_style.is_none() {
            name.quote_style = typed.quote_style;
        }
        TableFactor::Table {
            name: vec![name].into(),
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
