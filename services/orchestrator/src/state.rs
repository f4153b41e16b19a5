//! The state that handlers share.

use std::sync::Arc;

use contracts::threads::Dialect;
use conversations::{Store, Worker};
use delivery::Delivery;
use graph::Checkpointer;
use llm::Models;
use service_client::ToolsClient;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::identity::Verifier;
use service_kit::telemetry::metrics::observe_pool;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::assistants::built_in::{self, Host};
use crate::assistants::{Assistant, Registry};
use crate::budgets::Ledger;
use crate::callers_tools::Toolbox;
use crate::config::Config;
use crate::delegation::Delegation;
use crate::error::Error;
use crate::identities::Identities;
use crate::overviews::Overviews;
use crate::runs::Runs;
use crate::{budgets, checkpoints, database, runs, schedules};

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct State(Arc<Inner>);

/// The contents of a [`State`].
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) checkpointer: Arc<dyn Checkpointer>,
    pub(crate) assistants: Registry,
    /// Which models assistants ask, or that they ask none; for people.
    pub(crate) answers: String,
    pub(crate) tools: Arc<Toolbox>,
    /// What data persons have.
    pub(crate) overviews: Overviews,
    /// The receiver of credentials in requests.
    pub(crate) delegation: Option<Arc<Delegation>>,
    pub(crate) runs: Runs,
    /// What models cost; absent where no model is configured.
    pub(crate) ledger: Option<Arc<Ledger>>,
    /// A permit per run.
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) identities: Arc<Identities>,
    /// Reads the identities that are issued for schedules.
    pub(crate) verifier: Arc<Verifier>,
    /// The ways out for results of schedules.
    pub(crate) delivery: Delivery,
    /// Something of a schedule may be due before the next look.
    pub(crate) wake_schedules: Notify,
    /// What runs here, joined when the service stops.
    pub(crate) tasks: TaskTracker,
    /// Nothing new begins.
    pub(crate) stopping: CancellationToken,
    pub(crate) clock: SharedClock,
    pub(crate) ids: SharedIds,
}

impl std::ops::Deref for State {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl State {
    pub(crate) async fn build(
        config: Config,
        client: HttpClient,
        verifier: Arc<Verifier>,
        clock: SharedClock,
        ids: SharedIds,
        further: Vec<Arc<dyn Assistant>>,
    ) -> Result<Self, Error> {
        let pool = database::pool(&config.database)?;
        observe_pool("orchestrator", &pool);
        runs::metrics::begin_counters();
        schedules::metrics::begin_counters();
        budgets::begin_counters();
        let tools = ToolsClient::new(&config.tools.base_url, client.clone())?
            .with_timeout(config.tools.timeout());
        let delegation = Delegation::new(&config.delegation, &tools).map(Arc::new);
        let tools = Arc::new(Toolbox::new(tools));
        let checkpointer = checkpoints::open(&config.checkpoints, &pool).await?;
        let models = Models::from_config(&config.llm, service_kit::external_http_client()?)?;
        let answers = models.as_ref().map_or("by rules only", Models::description);
        let answers = answers.to_owned();
        tracing::info!(answers, "assistants answer");
        let store = Store::new(pool);
        let ledger = models.is_some().then(|| {
            let budgets = config.budgets.clone();
            Arc::new(Ledger::new(store.clone(), budgets, clock.clone()))
        });
        let host = Host {
            checkpointer: &checkpointer,
            tools: &tools,
            models: models.as_ref(),
            ledger: ledger.as_ref(),
        };
        let registry = built_in::registry(&config, &host, &store)?;
        let assistants = further.into_iter().fold(registry, Registry::with);
        check_defaults(&config, &assistants)?;
        let worker = Worker {
            id: ids.new_id(),
            lease: config.runs.lease(),
        };
        Ok(Self(Arc::new(Inner {
            answers,
            ledger,
            store,
            checkpointer,
            assistants,
            tools,
            overviews: Overviews::default(),
            delegation,
            runs: Runs::new(worker),
            permits: Arc::new(Semaphore::new(config.runs.max_concurrent)),
            identities: Arc::new(Identities::new(
                &config.identity_renewal,
                client,
                clock.clone(),
            )),
            verifier,
            delivery: Delivery::new(&config.delivery)?,
            wake_schedules: Notify::new(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            clock,
            ids,
            config,
        })))
    }
}

/// The default assistants have to be there.
fn check_defaults(config: &Config, assistants: &Registry) -> Result<(), Error> {
    for dialect in Dialect::ALL {
        let name = config.runs.default_assistants.of(dialect);
        if assistants.get(name).is_none() {
            return Err(Error::NoSuchAssistant {
                name: name.to_owned(),
                available: assistants.names().join(", "),
            });
        }
    }
    Ok(())
}
