//! The assistants of the product, in the order in which pages offer them.
//!
//! `docs/adding-an-assistant.md` says how to add one.

use std::sync::Arc;

use agent_advisor::Advisor;
use agent_analyst::{AnalystAssistant, Memories};
use agent_data::DataAssistant;
use agent_kit::Runner;
use agent_site::SiteAssistant;
use analyst_memory::AnalystStore;
use contracts::data_overview::DataOverview;
use conversations::Store;
use graph::{BuildError, Checkpointer};
use llm::Models;

use super::{Hosted, Introduction, Registry, introductions};
use crate::budgets::Ledger;
use crate::callers_tools::Toolbox;
use crate::config::Config;

/// The parts of the service that every assistant uses.
pub(crate) struct Host<'a> {
    pub(crate) checkpointer: &'a Arc<dyn Checkpointer>,
    pub(crate) tools: &'a Arc<Toolbox>,
    pub(crate) models: Option<&'a Models>,
    pub(crate) ledger: Option<&'a Arc<Ledger>>,
}

impl Host<'_> {
    fn hosted<A: agent_kit::Assistant>(
        &self,
        assistant: A,
        introduction: fn(Option<&DataOverview>) -> Introduction,
    ) -> Result<Hosted<A>, BuildError> {
        let runner = Runner::new(assistant, Some(Arc::clone(self.checkpointer)))?;
        let (models, ledger) = (self.models, self.ledger);
        Ok(Hosted::new(
            runner,
            introduction,
            self.tools,
            models,
            ledger,
        ))
    }
}

/// All assistants of the product.
pub(crate) fn registry(
    config: &Config,
    host: &Host<'_>,
    store: &Store,
) -> Result<Registry, BuildError> {
    let site = SiteAssistant::new(config.site.clone());
    let data = DataAssistant::new(config.data.clone());
    let memory = Arc::new(AnalystStore::new(store.pool().clone()));
    let memories = Arc::clone(&memory) as Arc<dyn Memories>;
    let analyst = AnalystAssistant::new(config.analyst.clone(), memories);
    let analyst = host.hosted(analyst, introductions::analyst)?;
    let advisor = Advisor::new(config.advisor.clone());
    Ok(Registry::default()
        .with(Arc::new(host.hosted(site, introductions::site)?))
        .with(Arc::new(host.hosted(data, introductions::data)?))
        .with(Arc::new(analyst.with_memory(memory)))
        .with(Arc::new(host.hosted(advisor, introductions::advisor)?)))
}
