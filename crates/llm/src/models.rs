//! Builds the models that configuration names.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http_client::HttpClient;

use crate::chat::ChatModel;
use crate::config::{Chosen, LlmConfig, TimeoutsConfig};
use crate::embedding::{EmbedderSettings, HttpEmbedder};
use crate::fallback::Fallback;
use crate::limits::InFlight;
use crate::meter::UsageMeter;
use crate::provider::Provider;
use crate::resilient::{Policy, Resilient};
use crate::transport::{HttpModel, TransportSettings};
use crate::{Embedder, Error, ErrorKind, ModelOptions, ProviderName};

/// The models of a process. Cheap to clone; clones share limits, circuits and the usage meter.
#[derive(Clone)]
pub struct Models {
    /// The models in the order in which they are called; at least one.
    chain: Arc<[Arc<dyn ChatModel>]>,
    chat: Arc<dyn ChatModel>,
    embedder: Option<Arc<dyn Embedder>>,
    meter: UsageMeter,
    description: Arc<str>,
    first_word: Duration,
}

impl Models {
    /// The models that `config` names, called through `client` (see
    /// [`http_client::external_http_client`]). `None` when it names no chat model; then assistants
    /// answer by rules.
    pub fn from_config(config: &LlmConfig, client: HttpClient) -> Result<Option<Self>, Error> {
        config
            .validate_choice()
            .map_err(|invalid| unusable(&invalid))?;
        let mut factory = Factory::new(config, client);
        let chosen = config.chosen();
        let chain = chosen
            .iter()
            .map(|chosen| factory.chat(chosen))
            .collect::<Result<Vec<_>, _>>()?;
        let Some(chat) = in_turn(chain.clone()) else {
            return Ok(None);
        };
        let embedder = factory.embedder()?;
        Ok(Some(Self {
            description: describe(&chosen, embedder.as_deref()).into(),
            chain: chain.into(),
            chat,
            embedder,
            meter: factory.meter,
            first_word: config.timeouts.first_word(),
        }))
    }

    /// The chat model with its fallbacks.
    pub fn chat(&self) -> Arc<dyn ChatModel> {
        self.chat.clone()
    }

    /// The chat model with these options. A model that they name is called first, the others are
    /// its fallbacks. `None` when no model has that name.
    pub fn chat_with(&self, options: &ModelOptions) -> Option<Arc<dyn ChatModel>> {
        let chat = if options.model.is_none() {
            self.chat()
        } else {
            let first = self
                .chain
                .iter()
                .position(|model| options.names(&model.id()))?;
            let mut chain = self.chain.to_vec();
            chain[..=first].rotate_right(1);
            in_turn(chain)?
        };
        Some(options.applied(chat))
    }

    /// From the start of an answer to its first word, over everything that models are asked for it.
    pub fn first_word(&self) -> Duration {
        self.first_word
    }

    /// The embedding model, if there is one.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.embedder.clone()
    }

    /// The usage since the start.
    pub fn usage(&self) -> &UsageMeter {
        &self.meter
    }

    /// One line for the log of the start: the models, their addresses and their order. Contains no
    /// key.
    pub fn description(&self) -> &str {
        &self.description
    }
}

/// The embedding model that `config` names, with or without a chat model. `None` when it names none
/// and no provider of embeddings has a key.
pub fn embedder(
    config: &LlmConfig,
    client: HttpClient,
) -> Result<Option<Arc<dyn Embedder>>, Error> {
    config
        .validate_embedding_choice()
        .map_err(|invalid| unusable(&invalid))?;
    Factory::new(config, client).embedder()
}

fn unusable(invalid: &configuration::Invalid) -> Error {
    Error::new(ErrorKind::BadRequest).with_detail(invalid.to_string())
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Models").field(&self.description).finish()
    }
}

/// The first model with the others as its fallbacks.
fn in_turn(mut chain: Vec<Arc<dyn ChatModel>>) -> Option<Arc<dyn ChatModel>> {
    if chain.len() < 2 {
        return chain.pop();
    }
    let others = chain.split_off(1);
    let first = chain.pop()?;
    Some(Arc::new(Fallback::new(first, others)))
}

/// `gemini gemini-2.0-flash at generativelanguage.googleapis.com, then …; embeddings by …`.
fn describe(chosen: &[Chosen], embedder: Option<&dyn Embedder>) -> String {
    let chat: Vec<String> = chosen
        .iter()
        .map(|chosen| {
            let place = place(chosen.provider.base_url());
            format!("{} {} at {place}", chosen.provider.name, chosen.model)
        })
        .collect();
    let chat = chat.join(", then ");
    match embedder {
        Some(embedder) => format!("{chat}; embeddings by {}", embedder.id()),
        None => chat,
    }
}

/// Host and path of an address. User name, password and query are left out because they may be
/// secrets.
fn place(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(url) => {
            let port = url.port().map(|port| format!(":{port}"));
            format!(
                "{}{}{}",
                url.host_str().unwrap_or_default(),
                port.unwrap_or_default(),
                url.path().trim_end_matches('/')
            )
        }
        Err(_) => String::from("?"),
    }
}

/// Builds models that share limits and the usage meter.
struct Factory<'a> {
    config: &'a LlmConfig,
    client: HttpClient,
    in_flight: HashMap<ProviderName, InFlight>,
    meter: UsageMeter,
}

impl<'a> Factory<'a> {
    fn new(config: &'a LlmConfig, client: HttpClient) -> Self {
        Self {
            config,
            client,
            in_flight: HashMap::new(),
            meter: UsageMeter::default(),
        }
    }

    fn chat(&mut self, chosen: &Chosen) -> Result<Arc<dyn ChatModel>, Error> {
        let provider = &chosen.provider;
        let model = provider.chat_model(&chosen.model, self.config.max_output_tokens)?;
        let wire = provider.wire.chat(&model)?;
        let settings = TransportSettings {
            no_tools: provider.no_tools(),
            timeouts: self.timeouts(provider),
            limits: self.config.limits,
            temperature: chosen.temperature,
            max_output_tokens: self.config.max_output_tokens,
            classification_tokens: self.config.classification_tokens,
        };
        let model = HttpModel::new(wire, self.client.clone(), settings);
        let policy = Policy {
            price: self.config.price_of(&model.id()),
            ..self.policy(provider)
        };
        Ok(Arc::new(Resilient::new(Arc::new(model), policy)))
    }

    fn embedder(&mut self) -> Result<Option<Arc<dyn Embedder>>, Error> {
        let Some((provider, model)) = self.config.embedding_choice() else {
            return Ok(None);
        };
        let model = provider.embedding_model(&model)?;
        let dimensions = self.config.embedding.dimensions;
        let dimensions = dimensions.map(|length| length as usize);
        let Some(wire) = provider.wire.embeddings(&model, dimensions) else {
            return Ok(None);
        };
        let settings = EmbedderSettings {
            batch: self.config.embedding.batch,
            timeout: Duration::from_millis(self.config.embedding.timeout_ms),
            policy: self.policy(&provider),
        };
        let embedder = HttpEmbedder::new(wire?, self.client.clone(), settings);
        Ok(Some(Arc::new(embedder)))
    }

    fn timeouts(&self, provider: &Provider) -> TimeoutsConfig {
        let timeouts = self.config.timeouts;
        let own = provider.record.first_token_ms;
        TimeoutsConfig {
            first_token_ms: own.unwrap_or(timeouts.first_token_ms),
            ..timeouts
        }
    }

    fn policy(&mut self, provider: &Provider) -> Policy {
        let in_flight = self
            .in_flight
            .entry(provider.name.clone())
            .or_insert_with(|| InFlight::new(&self.config.limits))
            .clone();
        Policy {
            retries: self.config.retries,
            circuit: self.config.circuit,
            telemetry_name: provider.telemetry_name().into(),
            in_flight,
            meter: self.meter.clone(),
            record_content: self.config.telemetry.record_content,
            price: None,
        }
    }
}

#[cfg(test)]
mod tests;
