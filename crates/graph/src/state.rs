//! The state of a graph, which only its own reducers change.

use serde::{Serialize, de::DeserializeOwned};

/// The state of a graph, and the reducers that change it.
///
/// Nodes never write to the state. They return updates, and [`State::apply`] is the one place that
/// says what an update means: overwrite a field, append to a list, add to a sum. This is what makes
/// parallel branches safe: all of them see the same snapshot, and their updates are applied
/// afterwards, one by one, in the order in which the tasks were scheduled.
///
/// ```
/// use graph::State;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Default, Serialize, Deserialize)]
/// struct Chat {
///     messages: Vec<String>,
///     language: Option<String>,
/// }
///
/// #[derive(Clone, Serialize, Deserialize)]
/// enum ChatUpdate {
///     Message(String),  // appended
///     Language(String), // the last one wins
/// }
///
/// impl State for Chat {
///     type Update = ChatUpdate;
///     type Event = ();
///
///     fn apply(&mut self, update: ChatUpdate) {
///         match update {
///             ChatUpdate::Message(text) => self.messages.push(text),
///             ChatUpdate::Language(code) => self.language = Some(code),
///         }
///     }
/// }
/// ```
///
/// State and updates are stored as JSON by a [`Checkpointer`](crate::Checkpointer), so what they
/// hold must survive `serde_json`: maps need keys that are strings or numbers, and `f64::NAN` comes
/// back as an error.
pub trait State: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// A request of a node to change the state. Usually an enum with a variant per reducer.
    type Update: Clone + Send + Sync + Serialize + DeserializeOwned + 'static;

    /// What nodes stream to a listener while they run, such as the tokens of an answer; `()` when
    /// they stream nothing. Events are never stored.
    type Event: Send + 'static;

    /// Applies one update: the reducers.
    fn apply(&mut self, update: Self::Update);
}
