//! The whole stack over demo data, and a person in front of it.

use std::path::Path;

use bff::Admin;
use bff::accounts::DEMO_USER;
use contracts::access::Role;
use contracts::chat::UiMessageChunk;
use contracts::tools::names::{RENDER_UI_COMPONENT, REQUEST_USER_SELECTION};
use contracts::ui::{RenderUiComponent, RequestUserSelection};
use futures::StreamExt;
use heliograph::chat::{ChatClient, ChatError};
use heliograph::stack::{Stack, StackConfig};
use secrecy::SecretString;
use service_kit::client::HttpClient;
use sqlx::PgPool;
use test_support::database::TestDatabase;
use test_support::sse::Event;

pub(crate) const PASSWORD: &str = "a password for tests";

/// The three services over demo data.
pub(crate) struct DemoStack {
    pub(crate) services: Stack,
    pub(crate) http: HttpClient,
    config: StackConfig,
    database: TestDatabase,
    files: tempfile::TempDir,
}

impl DemoStack {
    pub(crate) async fn start() -> Self {
        Box::pin(Self::start_with(|_| {})).await
    }

    pub(crate) async fn start_with(adjust: impl FnOnce(&mut StackConfig)) -> Self {
        let database = Box::pin(demo_database()).await;
        let files = tempfile::tempdir().unwrap();
        let mut config = config(&SecretString::from(database.url()), files.path());
        adjust(&mut config);
        let admin = admin(&config);
        admin.ensure_demo(Some(PASSWORD.into())).await.unwrap();
        admin.close().await;
        let services = start_services(&config).await;
        Self {
            services,
            http: service_kit::http_client().unwrap(),
            config,
            database,
            files,
        }
    }

    /// Stops the services and starts them again over what they left behind.
    pub(crate) async fn restart(self) -> Self {
        Box::pin(self.restart_with(|_| {})).await
    }

    /// The same with another configuration.
    pub(crate) async fn restart_with(self, adjust: impl FnOnce(&mut StackConfig)) -> Self {
        self.rest().await.start_with(adjust).await
    }

    /// Stops the services, and keeps what they need to start again.
    pub(crate) async fn rest(self) -> Resting {
        self.services.stop().await;
        Resting {
            http: self.http,
            config: self.config,
            database: self.database,
            files: self.files,
        }
    }

    /// The database of all three services.
    pub(crate) fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    /// A client of the demo user.
    pub(crate) async fn demo_user(&self) -> ChatClient {
        self.sign_in(DEMO_USER).await
    }

    /// A client of a user of another tenant, made here.
    pub(crate) async fn stranger(&self) -> ChatClient {
        self.create_account("stranger", "elsewhere").await;
        self.sign_in("stranger").await
    }

    /// An access token of the demo user.
    pub(crate) async fn token(&self) -> String {
        self.token_of(DEMO_USER).await
    }

    /// An access token of a user of a tenant, made here.
    pub(crate) async fn token_of_new(&self, username: &str, tenant: &str) -> String {
        self.create_account(username, tenant).await;
        self.token_of(username).await
    }

    /// An access token of a user of the demo's tenant with these scopes, made here.
    pub(crate) async fn token_with(&self, username: &str, scopes: &[&str]) -> String {
        self.create_account_with(username, "demo", scopes).await;
        self.token_of(username).await
    }

    pub(crate) async fn create_account(&self, username: &str, tenant: &str) {
        let scopes: Vec<&str> = Role::Editor.scopes().collect();
        self.create_account_with(username, tenant, &scopes).await;
    }

    pub(crate) async fn create_account_with(&self, username: &str, tenant: &str, scopes: &[&str]) {
        let admin = admin(&self.config);
        let scopes: Vec<String> = scopes.iter().map(|&scope| scope.to_owned()).collect();
        admin
            .create_account(username, PASSWORD.into(), tenant, &scopes)
            .await
            .unwrap();
        admin.close().await;
    }

    async fn token_of(&self, username: &str) -> String {
        let url = format!("{}/auth/token", self.services.bff_url);
        let body = serde_json::json!({ "username": username, "password": PASSWORD });
        let tokens = self.http.post(url).json(&body).send().await.unwrap();
        let tokens: serde_json::Value = tokens.json().await.unwrap();
        tokens["access_token"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn sign_in(&self, username: &str) -> ChatClient {
        let (http, url) = (self.http.clone(), &self.services.bff_url);
        ChatClient::sign_in(http, url, username, &PASSWORD.into())
            .await
            .unwrap()
            .0
    }

    pub(crate) async fn stop(self) {
        self.services.stop().await;
    }
}

/// The stack while its services are stopped.
pub(crate) struct Resting {
    http: HttpClient,
    config: StackConfig,
    database: TestDatabase,
    files: tempfile::TempDir,
}

impl Resting {
    pub(crate) fn database(&self) -> &TestDatabase {
        &self.database
    }

    /// Starts the services with another configuration.
    pub(crate) async fn start_with(self, adjust: impl FnOnce(&mut StackConfig)) -> DemoStack {
        let mut config = self.config;
        adjust(&mut config);
        let services = start_services(&config).await;
        DemoStack {
            services,
            http: self.http,
            config,
            database: self.database,
            files: self.files,
        }
    }
}

/// Starts the services. Between the moment in which a port is found free and the one in which it is
/// taken another test may take it.
async fn start_services(config: &StackConfig) -> Stack {
    loop {
        match Box::pin(Stack::start(config.clone())).await {
            Ok(services) => return services,
            Err(error) if format!("{error:#}").contains("Address already in use") => {}
            Err(error) => panic!("{error:#}"),
        }
    }
}

/// A database of its own with the demo data in it.
pub(crate) async fn demo_database() -> TestDatabase {
    TestDatabase::new("demo", |pool| async move { fill(&pool).await })
        .await
        .unwrap()
}

/// Creates the schemas and loads the demo data.
pub(crate) async fn fill(pool: &PgPool) -> anyhow::Result<()> {
    tools::migrate(pool).await?;
    bff::migrate(pool).await?;
    orchestrator::migrate(pool).await?;
    demo_park::seed(pool, |_| {}).await?;
    let settings = tools::Config::default().knowledge;
    let library = tools::knowledge_tools::library(&settings, pool.clone(), None)?;
    demo_documents::seed(&library).await?;
    demo_freight::seed(pool).await?;
    demo_inventory::migrate(pool).await?;
    Ok(())
}

/// Services on free ports, for people who type faster than any person.
pub(crate) fn config(database: &SecretString, files: &Path) -> StackConfig {
    let mut config = StackConfig::on_free_ports();
    config.keep_data(database, files);
    config.bff.limits.requests_per_minute = 1_000_000;
    config.bff.limits.request_burst = 1_000_000;
    config.bff.limits.login_burst = 1_000;
    config
}

pub(crate) fn admin(config: &StackConfig) -> Admin {
    Admin::open(
        &config.bff.database,
        config.clock.clone(),
        config.ids.clone(),
    )
    .unwrap()
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) chunks: Vec<UiMessageChunk<'static>>,
}

/// Asks and reads the whole answer.
pub(crate) async fn ask(client: &ChatClient, thread: &str, message: &str) -> Reply {
    try_ask(client, thread, message).await.unwrap()
}

pub(crate) async fn try_ask(
    client: &ChatClient,
    thread: &str,
    message: &str,
) -> Result<Reply, ChatError> {
    let chunks: Vec<_> = client.ask(message, thread).await?.collect().await;
    let chunks: Vec<UiMessageChunk<'_>> = chunks.into_iter().collect::<Result<_, _>>()?;
    for chunk in &chunks {
        let data = serde_json::to_string(chunk).unwrap();
        let event = Event {
            data,
            ..Event::default()
        };
        event.check_of_run().unwrap();
    }
    Ok(Reply { chunks })
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        let deltas = self.chunks.iter().filter_map(|chunk| match chunk {
            UiMessageChunk::TextDelta { delta, .. } => Some(delta.as_ref()),
            _ => None,
        });
        deltas.collect()
    }

    pub(crate) fn flow(&self) -> &str {
        let flow = self.chunks.iter().find_map(|chunk| match chunk {
            UiMessageChunk::DataFlow { data, .. } => Some(data.flow.as_ref()),
            _ => None,
        });
        flow.unwrap_or_default()
    }

    pub(crate) fn input(&self, tool: &str) -> Option<&serde_json::Value> {
        self.chunks.iter().rev().find_map(|chunk| match chunk {
            UiMessageChunk::ToolInputAvailable {
                tool_name, input, ..
            } if tool_name == tool => Some(input.as_ref()),
            _ => None,
        })
    }

    /// The names of the tools called, in order.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let names = self.chunks.iter().filter_map(|chunk| match chunk {
            UiMessageChunk::ToolInputAvailable { tool_name, .. } => Some(tool_name.as_ref()),
            _ => None,
        });
        names.collect()
    }

    /// The card or chart shown.
    pub(crate) fn component(&self) -> RenderUiComponent {
        let input = self
            .input(RENDER_UI_COMPONENT)
            .unwrap_or_else(|| panic!("no card in {self:?}"));
        serde_json::from_value(input.clone()).unwrap()
    }

    /// The question asked back.
    pub(crate) fn picker(&self) -> RequestUserSelection {
        let input = self
            .input(REQUEST_USER_SELECTION)
            .unwrap_or_else(|| panic!("no question in {self:?}"));
        serde_json::from_value(input.clone()).unwrap()
    }

    pub(crate) fn asks_back(&self) -> bool {
        self.input(REQUEST_USER_SELECTION).is_some()
    }
}
