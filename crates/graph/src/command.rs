//! A node's answer: updates for the state, and the next targets.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::State;

/// The name of the point where every run begins; only edges *from* it make sense.
pub const START: &str = "__start__";

/// The name of the point where a branch ends; only edges *to* it make sense.
pub const END: &str = "__end__";

/// A node's answer.
pub struct Command<S: State> {
    /// Updates, applied in this order once all tasks of the superstep are done.
    pub updates: Vec<S::Update>,
    /// The next targets. `None` follows the node's edges; `Some` is taken *instead of* them, and
    /// may only name nodes declared with
    /// [`NodeOptions::destinations`](crate::NodeOptions::destinations).
    pub goto: Option<Targets>,
}

impl<S: State> Command<S> {
    /// Changes nothing and follows the edges.
    pub fn none() -> Self {
        Self {
            updates: Vec::new(),
            goto: None,
        }
    }

    /// One update, then along the edges.
    pub fn update(update: S::Update) -> Self {
        Self {
            updates: vec![update],
            goto: None,
        }
    }

    /// Several updates, then along the edges.
    pub fn updates(updates: impl IntoIterator<Item = S::Update>) -> Self {
        Self {
            updates: updates.into_iter().collect(),
            goto: None,
        }
    }

    /// Goes to the targets instead of following the edges.
    pub fn goto(targets: impl Into<Targets>) -> Self {
        Self {
            updates: Vec::new(),
            goto: Some(targets.into()),
        }
    }

    /// Adds an update.
    #[must_use]
    pub fn and_update(mut self, update: S::Update) -> Self {
        self.updates.push(update);
        self
    }

    /// Goes to the targets instead of following the edges.
    #[must_use]
    pub fn then_goto(mut self, targets: impl Into<Targets>) -> Self {
        self.goto = Some(targets.into());
        self
    }
}

impl<S: State> Default for Command<S> {
    fn default() -> Self {
        Self::none()
    }
}

impl<S: State> Clone for Command<S> {
    fn clone(&self) -> Self {
        Self {
            updates: self.updates.clone(),
            goto: self.goto.clone(),
        }
    }
}

impl<S: State> fmt::Debug for Command<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("updates", &self.updates.len())
            .field("goto", &self.goto)
            .finish()
    }
}

/// One place to go: a node, a subgraph or [`END`] by name, or a task of its own with an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    pub(crate) node: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<Value>,
}

impl Target {
    /// A node, a subgraph or [`END`], by its name in the graph that the node or the edge belongs
    /// to.
    pub fn node(name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            node: name.into(),
            input: None,
        }
    }

    /// A task of its own for the node, which reads the input with
    /// [`Context::input`](crate::Context::input). Several sends to one node are several tasks of
    /// the same superstep: map and reduce over a list that is only known at run time.
    pub fn send(name: impl Into<Cow<'static, str>>, input: impl Into<Value>) -> Self {
        Self {
            node: name.into(),
            input: Some(input.into()),
        }
    }
}

/// The next targets: one target, several (which become parallel branches), or none, which ends the
/// branch like [`END`].
///
/// Made from a name, a [`Target`], or an array or vector of either.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Targets {
    /// One target.
    One(Target),
    /// Several targets.
    Many(Vec<Target>),
}

impl Targets {
    pub(crate) fn into_iter(self) -> impl Iterator<Item = Target> {
        let (one, many) = match self {
            Self::One(target) => (Some(target), Vec::new()),
            Self::Many(targets) => (None, targets),
        };
        one.into_iter().chain(many)
    }
}

impl From<Target> for Targets {
    fn from(target: Target) -> Self {
        Self::One(target)
    }
}

impl From<&'static str> for Targets {
    fn from(name: &'static str) -> Self {
        Self::One(Target::node(name))
    }
}

impl From<String> for Targets {
    fn from(name: String) -> Self {
        Self::One(Target::node(name))
    }
}

impl From<Vec<Target>> for Targets {
    fn from(targets: Vec<Target>) -> Self {
        Self::Many(targets)
    }
}

impl From<Vec<&'static str>> for Targets {
    fn from(names: Vec<&'static str>) -> Self {
        Self::Many(names.into_iter().map(Target::node).collect())
    }
}

impl From<Vec<String>> for Targets {
    fn from(names: Vec<String>) -> Self {
        Self::Many(names.into_iter().map(Target::node).collect())
    }
}

impl<const N: usize> From<[&'static str; N]> for Targets {
    fn from(names: [&'static str; N]) -> Self {
        Self::Many(names.map(Target::node).into())
    }
}

impl<const N: usize> From<[Target; N]> for Targets {
    fn from(targets: [Target; N]) -> Self {
        Self::Many(targets.into())
    }
}
