//! The three services in one process, each on its own port.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use anyhow::Context;
use bff::accounts::DEMO_USER;
use bff::program::Bff;
use contracts::bff::DemonstrationAccount;
use orchestrator::program::Orchestrator;
use secrecy::SecretString;
use service_kit::clock::{RandomIds, SharedClock, SharedIds, SystemClock};
use service_kit::config::{DatabaseConfig, HttpConfig};
use service_kit::program::{self, Program};
use service_kit::service::RunningService;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::demo::shipping;
use tools::knowledge_tools::config::EmbeddingConfig;
use tools::program::Tools;

use crate::cli::ServiceName;
use crate::{delegation, terminal};

/// What the three services need in order to run together.
#[derive(Clone)]
pub struct StackConfig {
    /// The tools service.
    pub tools: tools::Config,
    /// The orchestrator.
    pub orchestrator: orchestrator::Config,
    /// The bff.
    pub bff: bff::Config,
    /// Where the time comes from.
    pub clock: SharedClock,
    /// Where ids come from.
    pub ids: SharedIds,
    /// Whether the services show what they can do with an upstream of their own.
    demonstrates: bool,
}

/// The services, running.
pub struct Stack {
    /// Where the bff listens.
    pub bff_url: String,
    /// Where the orchestrator listens.
    pub orchestrator_url: String,
    /// Where the tools service listens.
    pub tools_url: String,
    /// Which models assistants ask, or that they answer by rules only.
    pub answers: String,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    services: Vec<RunningService>,
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
        })
    }

    /// The defaults on free ports, for tests and for a process that must not get in the way of another.
    pub fn on_free_ports() -> Self {
        let mut config = Self {
            tools: tools::Config::default(),
            orchestrator: orchestrator::Config::default(),
            bff: bff::Config::default(),
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
            demonstrates: false,
        };
        config.take_free_ports();
        config
    }

    /// Fails when a service could not listen where it is to: better now than after everything else was made ready.
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

    /// Moves every service to a port that is free.
    pub fn take_free_ports(&mut self) {
        for http in [
            &mut self.tools.http,
            &mut self.orchestrator.http,
            &mut self.bff.http,
        ] {
            http.port = 0;
        }
    }

    /// Lets every service use this database, and keep its files in this folder unless a place of their own is configured.
    pub fn keep_data(&mut self, database: &SecretString, data_dir: &Path) {
        self.tools.database.url = Some(database.clone());
        self.bff.database.url = Some(database.clone());
        self.orchestrator.database.url = Some(database.clone());
        self.keep_files(data_dir);
    }

    /// Lets every service keep its files in this folder, unless a place of their own is configured.
    pub fn keep_files(&mut self, data_dir: &Path) {
        self.orchestrator
            .checkpoints
            .path
            .get_or_insert_with(|| data_dir.join("checkpoints.sqlite"));
        use_fetched_model(&mut self.tools.embedding, data_dir);
    }

    /// The database that a service is configured with.
    pub fn database_of(&self, service: ServiceName) -> &DatabaseConfig {
        match service {
            ServiceName::Tools => &self.tools.database,
            ServiceName::Orchestrator => &self.orchestrator.database,
            ServiceName::Bff => &self.bff.database,
        }
    }

    /// Whether every service is configured with a database.
    pub fn has_databases(&self) -> bool {
        [
            ServiceName::Tools,
            ServiceName::Orchestrator,
            ServiceName::Bff,
        ]
        .iter()
        .all(|service| self.database_of(*service).url.is_some())
    }

    /// Lets every service use this database that has none of its own.
    pub fn offer_database(&mut self, database: &SecretString) {
        for config in [
            &mut self.tools.database,
            &mut self.orchestrator.database,
            &mut self.bff.database,
        ] {
            config.url.get_or_insert_with(|| database.clone());
        }
    }

    /// Turns the demonstration upstream on, whose users' credentials have their key in this folder, and the demonstration's search source
    /// where no other is configured.
    pub fn demonstrate(&mut self, data_dir: &Path) -> anyhow::Result<()> {
        self.demonstrates = true;
        self.bff.demonstration = Some(DemonstrationAccount {
            username: DEMO_USER.to_owned(),
            note: format!(
                "This is a demonstration. The password of {DEMO_USER} is that of HELIOGRAPH_DEMO_PASSWORD at the first start; \
                 without it, one was printed then."
            ),
        });
        if self.tools.all_sources().is_empty() {
            self.tools.sources.push(shipping::source()?);
        }
        delegation::keep_key(self, data_dir)
    }

    /// Lets the services find each other. A service is asked for its own port later, so one that may take any gets a free one now.
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
            delegation::introduce(self, &tools_url)?;
        }
        Ok(())
    }
}

impl StackConfig {
    /// Lets the orchestrator ask the bff for identities of users whose runs go on without them.
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
    /// Starts the services over a migrated database. When this returns, they answer.
    pub async fn start(config: StackConfig) -> anyhow::Result<Self> {
        // Three services' configurations are in it, and what it takes to build each.
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
            ..
        } = config;
        let (tools_url, orchestrator_url, bff_url) =
            (url(&tools.http), url(&orchestrator.http), url(&bff.http));
        let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
        let mut services = Vec::new();

        let app = tools::program::build(&tools, clock.clone())
            .map_err(anyhow::Error::from_boxed)
            .context("the tools service")?;
        services.push(
            app.service
                .serve(app.routes, shutdown.clone(), &tasks)
                .await
                .context("the tools service")?,
        );
        let tools_work = app.work;

        let app = orchestrator::build(orchestrator, clock.clone(), ids.clone())
            .await
            .context("the orchestrator")?;
        let answers = app.answers.clone();
        services.push(
            app.service
                .serve(app.routes, shutdown.clone(), &tasks)
                .await
                .context("the orchestrator")?,
        );
        let orchestrator_work = app.work;

        let app = bff::build(bff, clock, ids).await.context("the bff")?;
        services.push(
            app.service
                .serve(app.routes, shutdown.clone(), &tasks)
                .await
                .context("the bff")?,
        );
        // Now that the bff answers, which has the keys that the others fetch.
        tools_work.start(shutdown.clone(), &tasks);
        orchestrator_work.start(shutdown.clone(), &tasks);
        app.erasures.start(shutdown.clone(), &tasks);

        Ok(Self {
            bff_url,
            orchestrator_url,
            tools_url,
            answers,
            shutdown,
            tasks,
            services,
        })
    }

    /// Stops the services: requests in flight are finished first.
    pub async fn stop(self) {
        self.shutdown.cancel();
        for service in self.services {
            service.stopped().await;
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Lets documents be searched by meaning with the model that somebody has fetched into this folder, unless something is configured.
pub fn use_fetched_model(embedding: &mut EmbeddingConfig, data_dir: &Path) {
    if embedding.provider.is_none() && embedding.model_dir.is_none() {
        embedding.model_dir = provision::model::fetched(&data_dir.join("models"));
    }
}

/// One service's configuration. What a person should change in its file is said at the terminal.
pub fn load<P: Program>(folder: Option<&Path>) -> anyhow::Result<P::Config> {
    let (config, notes) = program::load::<P>(folder)?;
    notes.into_iter().for_each(terminal::note);
    Ok(config)
}

/// Where a service on this machine reaches another.
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
