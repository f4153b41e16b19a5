//! Which arguments, conditions and orders name only listed fields.

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::ast::InputValueDefinition;
use apollo_compiler::schema::InputObjectType;

use super::super::names::{folded, same};
use super::super::schema::GraphqlSchema;
use super::super::shape::{self, is_offset_argument, is_page_argument};
use super::records::{Record, Records};
use super::without_default;

/// Members that join conditions, or say how many of several related records a condition is about.
const JOINING: [&str; 8] = ["and", "or", "not", "nor", "some", "every", "none", "any"];

/// Members that hold the field of an order and its direction.
const ORDERING: [&str; 9] = [
    "field",
    "by",
    "column",
    "key",
    "direction",
    "order",
    "dir",
    "nulls",
    "sort",
];

/// Operators, one of which every type that compares a value has.
const COMPARING: [&str; 16] = [
    "equalto",
    "eq",
    "equals",
    "equal",
    "is",
    "in",
    "anyof",
    "oneof",
    "isnull",
    "gt",
    "greaterthan",
    "gte",
    "lt",
    "lte",
    "contains",
    "like",
];

/// What may follow a field's name in the name of a condition: `cost_gt`.
const SUFFIXES: [&str; 26] = [
    "gt",
    "gte",
    "lt",
    "lte",
    "in",
    "not",
    "notin",
    "nin",
    "ne",
    "neq",
    "eq",
    "equals",
    "contains",
    "notcontains",
    "startswith",
    "endswith",
    "notstartswith",
    "notendswith",
    "like",
    "ilike",
    "isnull",
    "min",
    "max",
    "from",
    "to",
    "icontains",
];

/// How deep the negation of a comparison may be a type of its own.
const NESTED: u32 = 3;

/// Types of arguments, and what is kept of them.
pub(super) struct Inputs<'a> {
    schema: &'a GraphqlSchema,
    records: &'a Records,
    objects: BTreeMap<String, BTreeSet<String>>,
    enums: BTreeMap<String, BTreeSet<String>>,
    /// Types that only compare one value, or give a direction: nothing of them names a field.
    plain: BTreeSet<String>,
    /// Type, record and use that were looked at: types contain themselves.
    seen: BTreeSet<(String, String, Use)>,
}

/// The use of an input type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Condition,
    Order,
}

impl<'a> Inputs<'a> {
    pub(super) fn of(schema: &'a GraphqlSchema, records: &'a Records) -> Self {
        Self {
            schema,
            records,
            objects: BTreeMap::new(),
            enums: BTreeMap::new(),
            plain: BTreeSet::new(),
            seen: BTreeSet::new(),
        }
    }

    /// An argument of a list of these records, if it is harmless, with what is harmless of its
    /// type.
    pub(super) fn argument(
        &mut self,
        argument: &InputValueDefinition,
        item: &str,
    ) -> Option<InputValueDefinition> {
        let record = self.records.get(item)?;
        let name = folded(&argument.name);
        let leaf = self.schema.is_leaf(&argument.ty);
        let named = argument.ty.inner_named_type().as_str();
        let mut kept = argument.clone();
        if is_page_argument(&argument.name) || is_offset_argument(&argument.name) {
            return leaf.then_some(kept);
        }
        if ["after", "before", "cursor"].contains(&name.as_str()) {
            return (leaf && self.records.shows_cursors(item)).then_some(kept);
        }
        if record.withholds(&argument.name) {
            return None;
        }
        let orders = ["order", "sort", "distinct"];
        if orders.iter().any(|prefix| name.starts_with(prefix)) {
            self.typed(named, item, Use::Order).then_some(())?;
        } else if record.leaf(&argument.name).is_some() || suffixed(record, &argument.name) {
            return (leaf || self.comparison(named)).then_some(kept);
        } else {
            self.typed(named, item, Use::Condition).then_some(())?;
        }
        without_default(&mut kept);
        Some(kept)
    }

    /// The members of objects and the values of enums that are kept.
    pub(super) fn kept(
        self,
    ) -> (
        BTreeMap<String, BTreeSet<String>>,
        BTreeMap<String, BTreeSet<String>>,
    ) {
        let mut objects = self.objects;
        for name in &self.plain {
            if let Some(object) = self.schema.valid().get_input_object(name) {
                let all = object.fields.keys().map(ToString::to_string);
                objects.entry(name.clone()).or_insert_with(|| all.collect());
            }
        }
        loop {
            let empty: BTreeSet<String> = objects
                .iter()
                .filter(|(_, kept)| kept.is_empty())
                .map(|(name, _)| name.clone())
                .collect();
            let mut changed = false;
            for (name, kept) in &mut objects {
                let Some(object) = self.schema.valid().get_input_object(name) else {
                    continue;
                };
                let before = kept.len();
                kept.retain(|member| {
                    let member = object.fields.get(member.as_str());
                    member.is_some_and(|member| {
                        !empty.contains(member.ty.inner_named_type().as_str())
                    })
                });
                // An object that cannot be given without what was taken away cannot be given.
                let lacking = object
                    .fields
                    .iter()
                    .any(|(member, value)| value.is_required() && !kept.contains(member.as_str()));
                if lacking {
                    kept.clear();
                }
                changed |= kept.len() != before;
            }
            if !changed {
                return (objects, self.enums);
            }
        }
    }

    /// Whether anything is left of a type that is used so for these records.
    fn typed(&mut self, named: &str, item: &str, used: Use) -> bool {
        if let Some(values) = self.schema.enum_values(named) {
            let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
            return used == Use::Order && self.order_values(named, &values, item);
        }
        let Some(object) = self.schema.valid().get_input_object(named) else {
            return false;
        };
        let look = (named.to_owned(), item.to_owned(), used);
        if !self.seen.insert(look) {
            return true;
        }
        let members: Vec<_> = object
            .fields
            .iter()
            .map(|(name, member)| (name.to_string(), (**member).clone()))
            .collect();
        let mut kept = BTreeSet::new();
        for (name, member) in &members {
            let keep = match used {
                Use::Condition => self.condition(object, name, member, item),
                Use::Order => self.order(name, member, item),
            };
            if keep {
                kept.insert(name.clone());
            }
        }
        // Used for several records, it has what is listed of all of them.
        let known = self.objects.entry(named.to_owned());
        let kept = known
            .and_modify(|known| known.retain(|name| kept.contains(name)))
            .or_insert(kept);
        !kept.is_empty()
    }

    fn condition(
        &mut self,
        object: &InputObjectType,
        name: &str,
        member: &InputValueDefinition,
        item: &str,
    ) -> bool {
        let Some(record) = self.records.get(item) else {
            return false;
        };
        let named = member.ty.inner_named_type().as_str();
        if record.withholds(name) {
            return false;
        }
        let of_field = record.leaf(name).is_some() || suffixed(record, name);
        if of_field && (self.schema.is_leaf(&member.ty) || self.comparison(named)) {
            return true;
        }
        if self.schema.is_leaf(&member.ty) {
            return false;
        }
        if JOINING.contains(&folded(name).as_str()) {
            return named == object.name.as_str() || self.typed(named, item, Use::Condition);
        }
        match self.related(name, item) {
            Some(other) => self.typed(named, &other, Use::Condition),
            None => false,
        }
    }

    /// The listed records that a field of this name leads to.
    fn related(&self, name: &str, item: &str) -> Option<String> {
        let record = self.records.get(item)?;
        let index = self.records.is_index(item);
        let fields = self.schema.fields_of(item);
        let field = fields
            .into_iter()
            .find(|field| same(&field.name, name) && !self.schema.is_leaf(&field.ty))?;
        if let Some((_, other)) = shape::list_within(self.schema, &field.ty) {
            return (index && self.records.is_index(other)).then(|| other.to_owned());
        }
        let other = field.ty.inner_named_type().as_str();
        let listed = index && self.records.is_index(other)
            || record.relations.contains_key(field.name.as_str());
        listed.then(|| other.to_owned())
    }

    fn order(&mut self, name: &str, member: &InputValueDefinition, item: &str) -> bool {
        let Some(record) = self.records.get(item) else {
            return false;
        };
        if record.withholds(name) {
            return false;
        }
        let named = member.ty.inner_named_type().as_str();
        let values = self.schema.enum_values(named);
        let directs = values.is_some_and(|values| values.iter().all(|value| is_direction(value)));
        if record.leaf(name).is_some() {
            let direct = self.schema.valid().get_input_object(named);
            let plain = direct.is_some_and(|object| {
                object.fields.values().all(|member| {
                    let values = self.schema.enum_values(member.ty.inner_named_type());
                    values.is_some_and(|values| values.iter().all(|value| is_direction(value)))
                })
            });
            if plain {
                self.plain.insert(named.to_owned());
            }
            return directs || plain;
        }
        if ORDERING.contains(&folded(name).as_str()) {
            return self.typed(named, item, Use::Order);
        }
        match self.related(name, item) {
            Some(other) if !self.schema.is_leaf(&member.ty) => {
                self.typed(named, &other, Use::Order)
            }
            _ => false,
        }
    }

    /// The values of an enum of orders that name listed fields.
    fn order_values(&mut self, named: &str, values: &[String], item: &str) -> bool {
        if values.iter().all(|value| is_direction(value)) {
            return true;
        }
        let Some(record) = self.records.get(item) else {
            return false;
        };
        let keep = |value: &String| {
            let by = without_direction(value);
            match folded(by).as_str() {
                "natural" => !record.withholds(by),
                "primarykey" => record.shows_key(),
                _ => record.leaf(by).is_some(),
            }
        };
        let kept: BTreeSet<String> = values.iter().filter(|value| keep(value)).cloned().collect();
        let known = self.enums.entry(named.to_owned());
        let kept = known
            .and_modify(|known| known.retain(|value| kept.contains(value)))
            .or_insert(kept);
        !kept.is_empty()
    }

    /// [`compares`](Self::compares), and keeps the type whole.
    fn comparison(&mut self, named: &str) -> bool {
        if !self.compares(named, NESTED) {
            return false;
        }
        let mut queue = vec![named.to_owned()];
        while let Some(name) = queue.pop() {
            if let Some(object) = self.schema.valid().get_input_object(&name)
                && self.plain.insert(name)
            {
                let members = object.fields.values();
                queue.extend(members.map(|member| member.ty.inner_named_type().to_string()));
            }
        }
        true
    }

    /// Whether a type only compares one value: `StringFilter`, not a condition on another record.
    fn compares(&self, named: &str, nested: u32) -> bool {
        let Some(object) = self.schema.valid().get_input_object(named) else {
            return false;
        };
        let known = |name: &str| COMPARING.contains(&folded(name).as_str());
        object.fields.keys().any(|name| known(name))
            && object.fields.iter().all(|(name, member)| {
                let inner = member.ty.inner_named_type();
                self.schema.is_leaf(&member.ty)
                    || *inner == object.name
                    || folded(name) == "not" && nested > 0 && self.compares(inner, nested - 1)
            })
    }
}

/// Whether a name is a listed field's with an operator behind it: `cost_gt`, `statusIn`.
fn suffixed(record: &Record, name: &str) -> bool {
    let whole = folded(name);
    record.shown.iter().any(|shown| {
        let rest = whole.strip_prefix(&folded(shown));
        rest.is_some_and(|rest| SUFFIXES.contains(&rest)) && record.leaf(shown).is_some()
    })
}

/// Whether a value of an enum says in which direction, and where missing values stand.
fn is_direction(value: &str) -> bool {
    let directions = [
        "asc",
        "desc",
        "ascending",
        "descending",
        "ascnullsfirst",
        "ascnullslast",
        "descnullsfirst",
        "descnullslast",
        "first",
        "last",
        "nullsfirst",
        "nullslast",
    ];
    directions.contains(&folded(value).as_str())
}

/// `COST_DESC_NULLS_LAST` as `COST`.
fn without_direction(value: &str) -> &str {
    let endings = ["_nulls_first", "_nulls_last", "_asc", "_desc"];
    let mut by = value;
    loop {
        let lower = by.to_ascii_lowercase();
        let ending = endings.iter().find(|ending| lower.ends_with(**ending));
        match ending.and_then(|ending| by.get(..by.len() - ending.len())) {
            Some(shorter) => by = shorter,
            None => return by,
        }
    }
}
