//! The context of a thread, as its callers attach it: a JSON object whose keys assistants choose.

use serde_json::{Map, Value};

/// The context of a thread.
///
/// ```
/// use agent_kit::ThreadContext;
///
/// let context = ThreadContext::default().with("target", "erp");
/// assert_eq!(context.target(), Some("erp"));
/// assert_eq!(context.inventory_id(), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadContext(Map<String, Value>);

impl ThreadContext {
    /// The same with this text.
    #[must_use]
    pub fn with(mut self, key: &str, text: impl Into<String>) -> Self {
        self.0.insert(key.to_owned(), Value::String(text.into()));
        self
    }

    /// The text of a key; `None` if it is empty or not a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        let text = self.0.get(key)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// The inventory that the thread is about.
    pub fn inventory_id(&self) -> Option<&str> {
        self.text("inventory_id")
    }

    /// The target database that questions without a database name are for.
    pub fn target(&self) -> Option<&str> {
        self.text("target")
    }
}

impl From<Map<String, Value>> for ThreadContext {
    fn from(context: Map<String, Value>) -> Self {
        Self(context)
    }
}
