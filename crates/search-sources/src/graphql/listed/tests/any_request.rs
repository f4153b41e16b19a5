//! Whatever is asked: what is accepted names nothing that is not listed, and nothing that is not
//! listed is in an answer, even of a server that answers more than it was asked.

use apollo_compiler::ast::Type;
use apollo_compiler::executable::{Selection, SelectionSet};
use contracts::tools::search::GraphqlQuery;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Peer, fleet};
use crate::graphql::rows;
use crate::graphql::schema::GraphqlSchema;
use crate::graphql::selected;
use crate::graphql::validate::CheckedQuery;

/// Creates a document of bytes that choose.
struct Writer<'a> {
    peer: &'a Peer,
    bytes: std::vec::IntoIter<u8>,
    fragments: Vec<String>,
    variables: Map<String, Value>,
    declared: Vec<String>,
}

impl Writer<'_> {
    fn choose(&mut self, among: usize) -> usize {
        usize::from(self.bytes.next().unwrap_or(0)) % among.max(1)
    }

    fn rarely(&mut self) -> bool {
        self.choose(8) == 7
    }

    /// Mostly of what is listed, so that much is accepted.
    fn schema(&mut self) -> &GraphqlSchema {
        if self.rarely() {
            &self.peer.whole
        } else {
            self.peer.listed.schema()
        }
    }

    fn selections(&mut self, named: &str, depth: usize) -> String {
        let mut text = String::from("{ ");
        if self.rarely() {
            text += "__typename ";
        }
        for _ in 0..=self.choose(3) {
            let all: Vec<_> = self
                .schema()
                .fields_of(named)
                .into_iter()
                .cloned()
                .collect();
            if all.is_empty() {
                continue;
            }
            let at = self.choose(all.len());
            let field = &all[at];
            let leaf = self.peer.whole.is_leaf(&field.ty);
            if !leaf && depth == 0 {
                continue;
            }
            let alias = self.rarely();
            if alias {
                text += "a";
                text += &self.choose(200).to_string();
                text += ": ";
            }
            text += &field.name;
            let mut given = Vec::new();
            for argument in &field.arguments {
                if argument.is_required() || self.choose(3) == 2 {
                    given.push(format!(
                        "{}: {}",
                        argument.name,
                        self.argument(&argument.ty)
                    ));
                }
            }
            if !given.is_empty() {
                text += "(";
                text += &given.join(", ");
                text += ")";
            }
            if !leaf {
                let inner = field.ty.inner_named_type().to_string();
                text += " ";
                text += &self.selections(&inner, depth - 1);
            }
            text += " ";
        }
        if text == "{ " {
            text += "__typename ";
        }
        text += "}";
        match self.choose(12) {
            10 => format!("{{ ... on {named} {text} }}"),
            11 => {
                let name = format!("f{}", self.fragments.len());
                self.fragments
                    .push(format!("fragment {name} on {named} {text}"));
                format!("{{ ...{name} }}")
            }
            _ => text,
        }
    }

    fn argument(&mut self, ty: &Type) -> String {
        let value = self.value(ty, 3);
        if self.rarely() {
            let name = format!("v{}", self.declared.len());
            self.declared.push(format!("${name}: {ty}"));
            self.variables.insert(name.clone(), value);
            return format!("${name}");
        }
        literal(&value)
    }

    /// Values of enums are marked, so that they can be written as such.
    fn value(&mut self, ty: &Type, depth: usize) -> Value {
        if ty.is_list() {
            let item = ty.item_type().clone();
            return json!([self.value(&item, depth)]);
        }
        let named = ty.inner_named_type().to_string();
        let values: Option<Vec<String>> = self
            .schema()
            .enum_values(&named)
            .map(|values| values.into_iter().map(str::to_owned).collect());
        if let Some(values) = values {
            let at = self.choose(values.len());
            return Value::from(values.get(at).cloned().unwrap_or_default());
        }
        let object = self.schema().valid().get_input_object(&named).cloned();
        if let Some(object) = object {
            let mut members = Map::new();
            let all: Vec<_> = object.fields.iter().collect();
            for (name, member) in &all {
                let wanted = depth > 0 && self.choose(all.len()) == 0;
                if member.is_required() || wanted {
                    let value = self.value(&member.ty, depth.saturating_sub(1));
                    members.insert(name.to_string(), value);
                }
            }
            return Value::Object(members);
        }
        match named.as_str() {
            "Int" | "Float" => json!(1),
            "Boolean" => json!(true),
            _ => json!("x"),
        }
    }
}

/// A value as it is written in a document; names of orders are the only ones in capitals or without
/// quotes.
fn literal(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name}: {}", literal(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::String(text) if text != "x" => text.clone(),
        other => other.to_string(),
    }
}

fn written(peer: &Peer, bytes: Vec<u8>) -> GraphqlQuery {
    let mut writer = Writer {
        peer,
        bytes: bytes.into_iter(),
        fragments: Vec::new(),
        variables: Map::new(),
        declared: Vec::new(),
    };
    let body = writer.selections("Query", 6);
    let declared = if writer.declared.is_empty() {
        String::new()
    } else {
        format!("({})", writer.declared.join(", "))
    };
    GraphqlQuery {
        query: format!("query {declared} {body} {}", writer.fragments.join(" ")),
        variables: writer.variables,
    }
}

/// The answer of a server that reveals everything: each value says what it is, and there is more
/// than was requested.
fn answered(schema: &GraphqlSchema, checked: &CheckedQuery, set: &SelectionSet) -> Value {
    let mut members = Map::new();
    members.insert("extra".to_owned(), json!("hush"));
    members.insert("hushCost".to_owned(), json!("hush"));
    for selection in &set.selections {
        let (inner, field) = match selection {
            Selection::Field(field) => (None, Some(field)),
            Selection::InlineFragment(fragment) => (Some(&fragment.selection_set), None),
            Selection::FragmentSpread(spread) => {
                let fragment = &checked.document().fragments[&spread.fragment_name];
                (Some(&fragment.selection_set), None)
            }
        };
        if let Some(Value::Object(more)) = inner.map(|set| answered(schema, checked, set)) {
            members.extend(more);
        }
        if let Some(field) = field {
            let one = if schema.is_leaf(field.ty()) {
                json!(format!("{}.{}", set.ty, field.name))
            } else {
                answered(schema, checked, &field.selection_set)
            };
            let value = if field.ty().is_list() {
                json!([one])
            } else {
                one
            };
            members.insert(field.response_key().to_string(), value);
        }
    }
    Value::Object(members)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_holds_what_is_not_listed(bytes in prop::collection::vec(any::<u8>(), 1..200)) {
        thread_local! { static FLEET: Peer = fleet(); }
        FLEET.with(|fleet| {
            let query = written(fleet, bytes);
            let Ok(checked) = fleet.check(&query) else {
                return Ok(());
            };
            let asked = format!("{} {}", query.query, Value::Object(query.variables.clone()));
            prop_assert!(!asked.to_lowercase().contains("hush"), "{asked}");
            let set = &checked.operation().unwrap().selection_set;
            let Value::Object(data) = answered(fleet.listed.schema(), &checked, set) else {
                unreachable!("it is an object");
            };
            let data = selected::only(&checked, data);
            let table = rows::table(fleet.listed.schema(), &checked, &data, |_| None);
            let told = format!("{:?}", table.rows).to_lowercase();
            prop_assert!(!told.contains("hush"), "{asked}: {told}");
            Ok(())
        })?;
    }
}

#[test]
fn many_of_the_requests_are_accepted() {
    let fleet = fleet();
    let mut accepted = 0;
    for seed in 0..2_000_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let bytes = (0..120).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        });
        let query = written(&fleet, bytes.collect());
        accepted += usize::from(fleet.check(&query).is_ok());
    }
    assert!(accepted > 200, "{accepted} of 2000 are accepted");
}
