//! The context of a thread says what it is about, for any assistant. On the wire, one of its keys
//! is a member of requests and threads: `inventory_id`.

use serde_json::{Map, Value};

use crate::secrets::without_secrets;

/// The key, and the member of requests and threads.
const INVENTORY: &str = "inventory_id";

/// Takes the inventory out of a context that a client sent, where it is a text.
pub(crate) fn take_inventory(context: &mut Map<String, Value>) -> Option<String> {
    match context.remove(INVENTORY) {
        Some(Value::String(inventory)) => Some(inventory),
        Some(other) => {
            context.insert(INVENTORY.to_owned(), other);
            None
        }
        None => None,
    }
}

/// The context of a thread about an inventory.
pub(crate) fn of_inventory(inventory: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(INVENTORY.to_owned(), inventory.into())])
}

/// A stored context on the wire: the inventory, and the rest without credentials, which earlier
/// versions stored.
pub(crate) fn shown(mut context: Map<String, Value>) -> (Option<String>, Map<String, Value>) {
    let inventory = take_inventory(&mut context);
    (inventory, without_secrets(context))
}

/// A stored context without credentials.
pub(crate) fn without_credentials(context: Map<String, Value>) -> Map<String, Value> {
    let (inventory, mut context) = shown(context);
    context.extend(inventory.map(of_inventory).unwrap_or_default());
    context
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn an_inventory_is_shown_apart_from_the_context() {
        let stored =
            object(&json!({ "inventory_id": "i-1", "city": "Bern", "password": "hunter2" }));
        let (inventory, context) = shown(stored.clone());
        assert_eq!(inventory.as_deref(), Some("i-1"));
        assert_eq!(context, object(&json!({ "city": "Bern" })));
        let cleaned = without_credentials(stored);
        assert_eq!(cleaned["inventory_id"], "i-1");
        assert!(!cleaned.contains_key("password"));
    }

    #[test]
    fn what_is_not_a_text_stays_in_the_context() {
        let stored = object(&json!({ "inventory_id": { "year": 2022 } }));
        assert_eq!(shown(stored.clone()), (None, stored));
    }
}
