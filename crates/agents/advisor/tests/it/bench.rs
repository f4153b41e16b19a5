//! A turn in a test: tools with scripted answers, the run's events against the laws, and the
//! reader's view of them.

use std::sync::{Arc, Mutex};

use agent_advisor::{Advisor, AdvisorSettings};
use agent_kit::{
    Credentials, Runner, Tools, ToolsError, TurnInput, UserInput, events::check_laws,
    testing::Model,
};
use async_trait::async_trait;
use contracts::{
    run::{RunEvent, Source},
    tools::{
        ToolCategory, ToolDefinition, ToolEnvelope, ToolStatus, ToolVisibility,
        knowledge_definitions,
        upstreams::{CredentialState, CredentialStatus},
    },
};
use futures::StreamExt;
use llm::ChatModel;
use serde_json::{Value, json};

/// How a tool answers.
#[derive(Clone)]
pub(crate) enum Reply {
    Result(Value),
    Fails(&'static str, Value),
    Away,
}

/// Tools with scripted answers, which record the calls.
#[derive(Default)]
pub(crate) struct Bench {
    replies: Vec<(String, Reply)>,
    pub(crate) calls: Mutex<Vec<(String, Value)>>,
    credential: Option<CredentialStatus>,
    settings: AdvisorSettings,
    inventory_id: Option<String>,
    dead: bool,
}

impl Bench {
    /// With these passages in the documents.
    pub(crate) fn with_passages(passages: &[(&str, &str)]) -> Self {
        let matches: Vec<Value> = passages
            .iter()
            .enumerate()
            .map(|(index, (filename, content))| {
                json!({
                    "filename": filename, "chunk_index": index, "score": 0.8, "content": content, "collection": "climate",
                    "document_id": filename, "headings": ["Guide"], "text_rank": index + 1, "fused_score": 0.03,
                })
            })
            .collect();
        let reason = matches.is_empty().then_some("no_matches");
        Self::default().tool(
            "climate_vector_search",
            Reply::Result(json!({
                "query": "q", "results": matches, "mode": "text", "vectors": "none", "reason": reason,
            })),
        )
    }

    pub(crate) fn tool(mut self, name: &str, reply: Reply) -> Self {
        self.replies.push((name.to_owned(), reply));
        self
    }

    /// With a tools service that does not answer at all.
    pub(crate) fn dead() -> Self {
        Self {
            dead: true,
            ..Self::default()
        }
    }

    /// With an upstream whose credential is in this state.
    pub(crate) fn credential(self, state: CredentialState) -> Self {
        self.credential_for("citycatalyst", state)
    }

    /// The same of the upstream of this name.
    pub(crate) fn credential_for(mut self, upstream: &str, state: CredentialState) -> Self {
        let broken = !matches!(state, CredentialState::Valid | CredentialState::Missing);
        self.credential = Some(CredentialStatus {
            upstream: upstream.to_owned(),
            state,
            expires_at: None,
            refreshed: false,
            error_code: broken.then(|| "refresh_failed".to_owned()),
            message: broken.then(|| "Your access has run out.".to_owned()),
        });
        self
    }

    pub(crate) fn settings(mut self, settings: AdvisorSettings) -> Self {
        self.settings = settings;
        self
    }

    pub(crate) fn about(mut self, inventory: &str) -> Self {
        self.inventory_id = Some(inventory.to_owned());
        self
    }

    /// Asks, and reads what is said.
    pub(crate) async fn ask(self, message: &str, model: Option<Arc<Model>>) -> Told {
        let runner = Runner::new(Advisor::new(self.settings.clone()), None).unwrap();
        self.ask_in(&runner, None, message, model).await
    }

    /// Asks in the thread of this key.
    pub(crate) async fn ask_in(
        self,
        runner: &Runner<Advisor>,
        thread_key: Option<&str>,
        message: &str,
        model: Option<Arc<Model>>,
    ) -> Told {
        let credential = self.credential.clone();
        let inventory_id = self.inventory_id.clone();
        let tools = Arc::new(self);
        let message = UserInput::Text(message.to_owned());
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        let input = TurnInput {
            thread_key: thread_key.map(Into::into),
            inventory_id,
            credentials: Arc::new(Given(credential)),
            model: model.map(|model| model as Arc<dyn ChatModel>),
            ..TurnInput::new("r", message, now, Arc::clone(&tools) as Arc<dyn Tools>)
        };
        let events: Vec<RunEvent> = runner.run(input).collect().await;
        check_laws(&events).unwrap();
        Told { events, tools }
    }
}

struct Given(Option<CredentialStatus>);

#[async_trait]
impl Credentials for Given {
    async fn ensure(&self) -> Option<CredentialStatus> {
        self.0.clone()
    }
}

#[async_trait]
impl Tools for Bench {
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        self.calls
            .lock()
            .unwrap()
            .push((name.to_owned(), arguments));
        let reply = self.replies.iter().find(|(tool, _)| tool == name);
        match reply.map(|(_, reply)| reply.clone()) {
            Some(Reply::Result(result)) => Ok(ToolEnvelope::ok(result)),
            Some(Reply::Fails(message, result)) => Ok(ToolEnvelope {
                result: Some(result),
                ..ToolEnvelope::without_result(ToolStatus::Error, message)
            }),
            Some(Reply::Away) | None => Err(ToolsError::Unavailable),
        }
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        if self.dead {
            return Err(ToolsError::Unavailable);
        }
        let upstream = self
            .replies
            .iter()
            .filter(|(name, _)| name != "climate_vector_search")
            .map(|(name, _)| ToolDefinition {
                name: name.clone(),
                description: "Reads records.".to_owned(),
                category: ToolCategory::Upstream,
                visibility: ToolVisibility::Hidden,
                input_schema: json!({ "type": "object" }),
                output_schema: json!({ "type": "object" }),
                upstream: Some("citycatalyst".to_owned()),
            });
        Ok(knowledge_definitions()
            .into_iter()
            .chain(upstream)
            .collect())
    }
}

/// The events of a turn.
pub(crate) struct Told {
    pub(crate) events: Vec<RunEvent>,
    tools: Arc<Bench>,
}

impl Told {
    pub(crate) fn text(&self) -> String {
        let deltas = self.events.iter().filter_map(|event| match event {
            RunEvent::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        });
        deltas.collect()
    }

    /// The tools that were called, in their order.
    pub(crate) fn called(&self) -> Vec<String> {
        let calls = self.tools.calls.lock().unwrap();
        calls.iter().map(|(name, _)| name.clone()).collect()
    }

    /// How each call that clients heard of went.
    pub(crate) fn outcomes(&self) -> Vec<bool> {
        let results = self.events.iter().filter_map(|event| match event {
            RunEvent::ToolResult { ok, .. } => Some(*ok),
            _ => None,
        });
        results.collect()
    }

    pub(crate) fn warnings(&self) -> Vec<&str> {
        let codes = self.events.iter().filter_map(|event| match event {
            RunEvent::Warning { code, .. } => Some(code.as_str()),
            _ => None,
        });
        codes.collect()
    }

    pub(crate) fn source(&self) -> Source {
        match self.events.last() {
            Some(RunEvent::Finished { source, .. }) => *source,
            other => panic!("{other:?}"),
        }
    }
}
