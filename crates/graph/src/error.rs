//! How nodes and runs fail.

use std::{error::Error as StdError, fmt, sync::Arc, time::Duration};

use crate::{CheckpointError, Interrupt};

/// Any error, boxed.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A node's error: a failure, or the interrupt that
/// [`Context::interrupt`] raised.
///
/// Made by `?` from any [`std::error::Error`]. Like `anyhow::Error`, and for the same reason, it
/// does not implement that trait itself.
///
/// [`Context::interrupt`]: crate::Context::interrupt
#[derive(Debug)]
pub struct NodeError(pub(crate) Signal);

#[derive(Debug)]
pub(crate) enum Signal {
    Interrupt(Box<Interrupt>),
    Failure(Failure),
}

impl NodeError {
    /// A failure that a [`RetryPolicy`](crate::RetryPolicy) may retry. Takes an error, a box of
    /// one, or a message.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(Signal::Failure(Failure::Failed {
            source: error.into(),
        }))
    }

    /// A failure that is never retried, because trying again cannot help.
    pub fn permanent(error: impl Into<BoxError>) -> Self {
        Self(Signal::Failure(Failure::Permanent {
            source: error.into(),
        }))
    }

    /// Whether this is an interrupt on its way to the engine rather than a failure; such an error
    /// must be passed on.
    pub fn is_interrupt(&self) -> bool {
        matches!(self.0, Signal::Interrupt(_))
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Signal::Interrupt(interrupt) => write!(f, "interrupted by `{}`", interrupt.key),
            Signal::Failure(failure) => failure.fmt(f),
        }
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for NodeError {
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

/// Why a node failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It returned an error.
    #[error("the node returned an error")]
    Failed {
        /// The error.
        source: BoxError,
    },
    /// It returned an error made with [`NodeError::permanent`].
    #[error("the node returned an error that retrying cannot help")]
    Permanent {
        /// The error.
        source: BoxError,
    },
    /// It took longer than its [timeout](crate::NodeOptions::timeout).
    #[error("the node took longer than {after:?}")]
    TimedOut {
        /// The timeout.
        after: Duration,
    },
    /// It panicked.
    #[error("the node panicked: {message}")]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// The answer to its interrupt is not of the type that it asked for. The answer is forgotten
    /// and the interrupt is still open, so the thread can be resumed with a better one.
    #[error("the answer to interrupt `{interrupt_id}` does not fit")]
    UnfitAnswer {
        /// The interrupt.
        interrupt_id: String,
        /// The mismatch.
        source: serde_json::Error,
    },
}

/// Why a run failed. What the thread's last checkpoint holds stays, and
/// [`Input::Continue`](crate::Input::Continue) tries again from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A node failed, and its retries are used up.
    #[error("node `{node}` failed in superstep {step}, attempt {attempts}")]
    Node {
        /// The node, with the names of its subgraphs before it.
        node: Arc<str>,
        /// The superstep.
        step: u32,
        /// Number of times that it was tried.
        attempts: u32,
        /// How it failed the last time.
        source: Failure,
    },
    /// The run took as many supersteps as
    /// [`RunConfig::recursion_limit`](crate::RunConfig::recursion_limit) allows, and was not at its
    /// end.
    #[error("the run did not end within {limit} supersteps")]
    RecursionLimit {
        /// The limit.
        limit: u32,
    },
    /// A conditional edge or a command led to a target that was not declared for it.
    #[error("`{from}` leads to `{target}`, which is not among the targets declared for it")]
    UndeclaredTarget {
        /// The node (or subgraph, or [`START`](crate::START)) that was left.
        from: Arc<str>,
        /// The undeclared target.
        target: String,
    },
    /// Subgraphs led to one another without a node between them.
    #[error("the subgraphs around `{from}` lead to one another forever without running a node")]
    EndlessRoute {
        /// The node (or subgraph, or [`START`](crate::START)) that was left.
        from: Arc<str>,
    },
    /// The thread's checkpoint could not be read. The run has not begun, and the caller decides:
    /// fail, or run without a thread. (Checkpoints that cannot be *written* do not fail a run, see
    /// [`Warning`](crate::Warning).)
    #[error("the checkpoint of thread `{thread_id}` could not be loaded")]
    Load {
        /// The thread.
        thread_id: Arc<str>,
        /// Why not.
        source: CheckpointError,
    },
    /// Something that needs a checkpointer was asked of a graph without one, or of a run without a
    /// thread.
    #[error("this needs a checkpointer and a thread id")]
    NoCheckpointer,
    /// The thread, or the checkpoint asked for, does not exist.
    #[error("thread `{thread_id}` has no such checkpoint")]
    UnknownCheckpoint {
        /// The thread.
        thread_id: Arc<str>,
    },
    /// The checkpoint waits on a node that this graph does not have; it comes from another graph or
    /// an older version of this one.
    #[error("the checkpoint waits on node `{node}`, which this graph does not have")]
    UnknownNode {
        /// The node.
        node: Arc<str>,
    },
    /// The thread was resumed with an answer, and waits for none.
    #[error("the thread waits for no answer")]
    NothingToResume,
    /// The thread was resumed with [`Answers::one`](crate::Answers::one), and waits on several
    /// interrupts.
    #[error("the thread waits for {open} answers, so each has to name its interrupt")]
    AmbiguousAnswer {
        /// Number of open interrupts.
        open: usize,
    },
    /// The thread was resumed with an answer to an interrupt that is not open.
    #[error("interrupt `{id}` is not open")]
    UnknownInterrupt {
        /// The id that was given.
        id: String,
    },
    /// A reducer or the condition of an edge panicked. (A node that panics is
    /// [`Failure::Panicked`].)
    #[error("the graph panicked outside of its nodes: {message}")]
    Panicked {
        /// The message of the panic.
        message: String,
    },
}

/// The message of a panic, if its payload is a text.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}
