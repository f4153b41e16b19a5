//! The context that the nodes of one run share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agent_kit::{NodeContext, RunContext, ToolSetCache};
use chrono::{DateTime, NaiveDate, Utc};
use contracts::{
    run::Source,
    tools::{LoggerList, LoggerSummary},
};
use tokio::sync::OnceCell;

use crate::{
    SiteSettings, findings::Failure, flows::free_chat::ModelChat, model::Site, state::SiteState,
};

pub(crate) type Run = RunContext<SiteRun>;
pub(crate) type Context = graph::Context<SiteState, Run>;
pub(crate) type Node = NodeContext<SiteState, Run>;

/// What only the site assistant's nodes share within a run.
#[derive(Debug)]
pub struct SiteRun {
    pub(crate) settings: Arc<SiteSettings>,
    pub(crate) tool_sets: Arc<ToolSetCache>,
    site: OnceCell<Site>,
    /// What recovery works on; it ends the run.
    failed: OnceLock<Failed>,
    /// Free chat with a model, between its rounds.
    chat: Mutex<Option<ModelChat>>,
}

/// A call that failed, as a workflow hands it to recovery.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    /// The devices, where the workflow has asked for them.
    pub(crate) loggers: Option<Arc<LoggerList>>,
    /// Who asks the person for another choice, and gets it.
    pub(crate) asked_by: Source,
}

impl SiteRun {
    pub(crate) fn new(settings: Arc<SiteSettings>, tool_sets: Arc<ToolSetCache>) -> Self {
        Self {
            settings,
            tool_sets,
            site: OnceCell::new(),
            failed: OnceLock::new(),
            chat: Mutex::default(),
        }
    }

    /// Today at the site, where the devices were asked for.
    pub(crate) fn today(&self) -> Option<NaiveDate> {
        self.site.get().map(|site| site.today)
    }

    /// Keeps the devices, and with them today at the site, where a workflow has asked for them.
    pub(crate) fn keep_devices(&self, loggers: &[LoggerSummary], now: DateTime<Utc>) {
        if !loggers.is_empty() {
            // They stay as they were read first.
            let _ = self.site.set(Site::with(loggers.to_vec(), now));
        }
    }

    /// Hands a failed call to recovery, which comes next.
    pub(crate) fn fail(&self, failed: Failed) {
        // The first failure ends the run, so there is never a second.
        let _ = self.failed.set(failed);
    }

    pub(crate) fn failed(&self) -> Option<&Failed> {
        self.failed.get()
    }

    /// Keeps the chat for the node that continues it.
    pub(crate) fn keep_chat(&self, chat: ModelChat) {
        *self.chat.lock().unwrap_or_else(PoisonError::into_inner) = Some(chat);
    }

    /// The chat, where a node before has begun one.
    pub(crate) fn take_chat(&self) -> Option<ModelChat> {
        let mut chat = self.chat.lock().unwrap_or_else(PoisonError::into_inner);
        chat.take()
    }
}

/// The person's devices and their clock, asked for once in a run; without devices the clock is the
/// person's.
pub(crate) async fn site<'r>(run: &'r Run, state: &SiteState) -> &'r Site {
    let find_out = async || Site::of(&**run.tools(), run.now, state.flow_context.zone()).await;
    run.assistant.site.get_or_init(find_out).await
}
