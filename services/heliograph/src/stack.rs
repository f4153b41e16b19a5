//! The three services in one process, each on its own port. They call each other without a socket.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use anyhow::Context;
use bff::accounts::DEMO_USER;
use bff::program::Bff;
use contracts::bff::DemonstrationAccount;
use demo_inventory::Settings as InventorySettings;
use knowledge::Library;
use orchestrator::program::Orchestrator;
use reqwest::Url;
use secrecy::SecretString;
use service_kit::client::LocalServices;
use service_kit::clock::{RandomIds, SharedClock, SharedIds, SystemClock};
use service_kit::config::{DatabaseConfig, HttpConfig};
use service_kit::program::{self, Program};
use service_kit::service::RunningService;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::knowledge_tools::config::EmbeddingConfig;
use tools::program::Tools;

use crate::cli::ServiceName;
use crate::{delegation, terminal};

/// The settings of the three services that run together.
#[derive(Clone)]
pub struct StackConfig {
    /// The settings of the tools service.
    pub tools: tools::Config,
    /// The settings of the orchestrator.
    pub orchestrator: orchestrator::Config,
    /// The settings of the bff.
    pub bff: bff::Config,
    /// The clock.
    pub clock: SharedClock,
    /// The source of ids.
    pub ids: SharedIds,
    /// Whether the demonstration is part of it.
    demonstrates: bool,
    /// The settings of the demonstration's connected service.
    pub(crate) inventory: Option<InventorySettings>,
}

/// The running services.
pub struct Stack {
    /// The URL of the bff.
    pub bff_url: String,
    /// The URL of the orchestrator.
    pub orchestrator_url: String,
    /// The URL of the tools service.
    pub tools_url: String,
    /// The models of the assistants, or the note that they answer by rules only.
    pub answers: String,
    /// The documents, which a model that is fetched later embeds.
    pub library: Library,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    services: Vec<RunningService>,
    /// The way between the services, which is there as long as this is.
    _local: LocalServices,
}

impl StackConfig {
    /// Reads each service's configuration: its defaults, its file in `folder`, the environment.
    pub fn load(folder: Option<&Path>) -> anyhow::Result<Self> {
        Ok(Self {
            tools: load::<Tools>(folder)?,
            orchestrator: load::<Orchestrator>(folder)?,
            bff: load::<Bff>(folder)?,
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
            demonstrates: false,
            inventory: None,
        })
    }

    /// The defaults on free ports, for tests and for processes next to others.
    pub fn on_free_ports() -> Self {
        let mut config = Self {
            tools: tools::Config::default(),
            orchestrator: orchestrator::Config::default(),
            bff: bff::Config::default(),
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
            demonstrates: false,
            inventory: None,
        };
        config.take_free_ports();
        config
    }

    /// The URL of the bff as it is configured.
    pub fn bff_url(&self) -> String {
        url(&self.bff.http)
    }

    /// Fails if a port of a service is in use. This is checked before any other preparation.
    pub fn check_ports(&self) -> anyhow::Result<()> {
        for (service, http) in [
            ("tools", &self.tools.http),
            ("orchestrator", &self.orchestrator.http),
            ("bff", &self.bff.http),
        ] {
            let address = http.socket_address();
            TcpListener::bind(address).map(drop).with_context(|| {
                format!(
                    "the service {service} cannot listen at {address}; stop what listens there, or choose another port with \
                     HELIOGRAPH_{}__HTTP__PORT",
                    service.to_uppercase()
                )
            })?;
        }
        Ok(())
    }

    /// Moves every service to a free port.
    pub fn take_free_ports(&mut self) {
        for http in [
            &mut self.tools.http,
            &mut self.orchestrator.http,
            &mut self.bff.http,
        ] {
            http.port = 0;
        }
    }

    /// Configures this database and this data folder for every service that does not have its own.
    pub fn keep_data(&mut self, database: &SecretString, data_dir: &Path) {
        self.tools.database.url = Some(database.clone());
        self.bff.database.url = Some(database.clone());
        self.orchestrator.database.url = Some(database.clone());
        self.keep_files(data_dir);
    }

    /// Configures this data folder for every service that does not have its own.
    pub fn keep_files(&mut self, data_dir: &Path) {
        self.orchestrator
            .checkpoints
            .path
            .get_or_insert_with(|| data_dir.join("checkpoints.sqlite"));
        use_fetched_model(&mut self.tools.embedding, data_dir);
    }

    /// The database configuration of a service.
    pub fn database_of(&self, service: ServiceName) -> &DatabaseConfig {
        match service {
            ServiceName::Tools => &self.tools.database,
            ServiceName::Orchestrator => &self.orchestrator.database,
            ServiceName::Bff => &self.bff.database,
        }
    }

    /// Whether every service has a database configuration.
    pub fn has_databases(&self) -> bool {
        [
            ServiceName::Tools,
            ServiceName::Orchestrator,
            ServiceName::Bff,
        ]
        .iter()
        .all(|service| self.database_of(*service).url.is_some())
    }

    /// Configures this database for every service that does not have its own.
    pub fn offer_database(&mut self, database: &SecretString) {
        for config in [
            &mut self.tools.database,
            &mut self.orchestrator.database,
            &mut self.bff.database,
        ] {
            config.url.get_or_insert_with(|| database.clone());
        }
    }

    /// Enables the demonstration upstream, with the key of its users' credentials in this folder,
    /// and the demonstration's search source if no other is configured.
    pub fn demonstrate(&mut self, data_dir: &Path) -> anyhow::Result<()> {
        self.demonstrates = true;
        self.bff.demonstration = Some(DemonstrationAccount {
            username: DEMO_USER.to_owned(),
            note: format!(
                "This is a demonstration. The password of {DEMO_USER} is that of HELIOGRAPH_DEMO_PASSWORD at the first start; \
                 without it, one was printed then."
            ),
        });
        // For a trial, an issuer runs on the same machine.
        if self.bff.http.address.is_loopback() {
            self.bff.oidc.allow_loopback = true;
        }
        if self.tools.all_sources().is_empty() {
            self.tools.sources.push(demo_freight::source()?);
        }
        delegation::keep_key(self, data_dir)
    }

    /// Connects the services with each other. A service with port 0 gets a free port now, because
    /// the others need it.
    pub fn introduce(&mut self) -> anyhow::Result<()> {
        for http in [
            &mut self.tools.http,
            &mut self.orchestrator.http,
            &mut self.bff.http,
        ] {
            if http.port == 0 {
                http.port = free_port(http)?;
            }
        }
        let keys = format!(
            "{}{}",
            url(&self.bff.http),
            service_kit::identity::KEY_SET_PATH
        );
        for identity in [&mut self.tools.identity, &mut self.orchestrator.identity] {
            identity.key_set_url = Some(keys.clone());
            identity.key_set_file = None;
            identity.issuer.clone_from(&self.bff.signing.issuer);
        }
        self.orchestrator.tools.base_url = url(&self.tools.http);
        self.bff.upstream.tools_url = url(&self.tools.http);
        self.bff.upstream.orchestrator_url = url(&self.orchestrator.http);
        self.share_secret();
        if self.demonstrates {
            let tools_url = url(&self.tools.http);
            if let Some(inventory) = delegation::introduce(self, &tools_url)? {
                self.inventory = Some(inventory);
            }
        }
        Ok(())
    }
}

impl StackConfig {
    /// Shares a secret with which the orchestrator requests identities for runs that outlive their
    /// user's request.
    fn share_secret(&mut self) {
        let secret = self
            .bff
            .services
            .orchestrator_secret
            .get_or_insert_with(|| {
                let halves = [self.ids.new_id(), self.ids.new_id()];
                halves.map(|half| half.simple().to_string()).concat().into()
            });
        let renewal = &mut self.orchestrator.identity_renewal;
        renewal.secret = Some(secret.clone());
        renewal.url = Some(format!("{}/auth/identity", url(&self.bff.http)));
    }
}

impl Stack {
    /// Starts the services over a migrated database. They are ready when this returns.
    pub async fn start(config: StackConfig) -> anyhow::Result<Self> {
        // Boxed because of its size: it contains the configurations and the state of three
        // services.
        Box::pin(Self::start_all(config)).await
    }

    async fn start_all(mut config: StackConfig) -> anyhow::Result<Self> {
        config.introduce()?;
        let StackConfig {
            tools,
            orchestrator,
            bff,
            clock,
            ids,
            inventory,
            ..
        } = config;
        let (tools_url, orchestrator_url, bff_url) =
            (url(&tools.http), url(&orchestrator.http), url(&bff.http));
        let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
        let mut services = Vec::new();
        let local = LocalServices::default();
        let client = service_kit::http_client()?.with_local(&local);

        let app = tools::program::build(&tools, clock.clone())
            .map_err(anyhow::Error::from_boxed)
            .context("the tools service")?;
        // The demonstration's service has the address of the tools service, and its own tokens.
        let routes = match &inventory {
            Some(settings) => app.routes.merge(demo_inventory::routes(
                settings,
                app.pool.clone(),
                clock.clone(),
            )),
            None => app.routes,
        };
        let running = app.service.serve(routes, shutdown.clone(), &tasks);
        let running = running.await.context("the tools service")?;
        local.offer(&Url::parse(&tools_url)?, running.local());
        services.push(running);
        let tools_work = app.work;
        let library = app.library;

        let (its_clock, its_ids) = (clock.clone(), ids.clone());
        let app =
            orchestrator::build_with(orchestrator, its_clock, its_ids, client.clone(), Vec::new())
                .await
                .context("the orchestrator")?;
        let answers = app.answers.clone();
        let running = app.service.serve(app.routes, shutdown.clone(), &tasks);
        let running = running.await.context("the orchestrator")?;
        local.offer(&Url::parse(&orchestrator_url)?, running.local());
        services.push(running);
        let orchestrator_work = app.work;

        let app = bff::build_with(bff, clock, ids, client)
            .await
            .context("the bff")?;
        services.push(
            app.service
                .serve(app.routes, shutdown.clone(), &tasks)
                .await
                .context("the bff")?,
        );
        // The other services fetch their keys from the bff, which is ready now.
        tools_work.start(shutdown.clone(), &tasks);
        orchestrator_work.start(shutdown.clone(), &tasks);
        app.erasures.start(shutdown.clone(), &tasks);

        Ok(Self {
            bff_url,
            orchestrator_url,
            tools_url,
            answers,
            library,
            shutdown,
            tasks,
            services,
            _local: local,
        })
    }

    /// Stops the services. Active requests are completed first.
    pub async fn stop(self) {
        self.shutdown.cancel();
        for service in self.services {
            service.stopped().await;
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Uses a fetched embedding model in this folder, unless an embedding is configured.
pub fn use_fetched_model(embedding: &mut EmbeddingConfig, data_dir: &Path) {
    if embedding.provider.is_none() && embedding.model_dir.is_none() {
        embedding.model_dir = provision::model::fetched(&data_dir.join("models"));
    }
}

/// Loads the configuration of one service. Advice about its file is printed at the terminal.
pub fn load<P: Program>(folder: Option<&Path>) -> anyhow::Result<P::Config> {
    let (config, notes) = program::load::<P>(folder)?;
    notes.into_iter().for_each(terminal::note);
    Ok(config)
}

/// The URL of a service on this machine.
fn url(http: &HttpConfig) -> String {
    let address = http.socket_address();
    if address.ip().is_unspecified() {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, address.port())
    } else {
        format!("http://{address}")
    }
}

fn free_port(http: &HttpConfig) -> anyhow::Result<u16> {
    let listener = TcpListener::bind((http.address, 0)).context("no free port")?;
    Ok(listener.local_addr()?.port())
}
