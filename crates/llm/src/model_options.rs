//! Options of a caller for the configured models.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chat::{ChatModel, ChatRequest, ChatStream, ModelId};

/// Options for the model calls of one run. What a request says itself has priority.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelOptions {
    /// The model that is called first, by its name or as `provider/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Maximum number of tokens to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
}

impl ModelOptions {
    /// Whether the options name this model.
    pub(crate) fn names(&self, id: &ModelId) -> bool {
        self.model
            .as_deref()
            .is_some_and(|name| name == &*id.model || name == id.to_string())
    }

    /// The model, with these options filled into its requests.
    pub(crate) fn applied(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        if self.temperature.is_none() && self.max_output_tokens.is_none() {
            return model;
        }
        Arc::new(WithOptions {
            model,
            temperature: self.temperature,
            max_output_tokens: self.max_output_tokens,
        })
    }
}

/// A model whose requests get options that they do not have.
struct WithOptions {
    model: Arc<dyn ChatModel>,
    temperature: Option<f32>,
    max_output_tokens: Option<u32>,
}

impl ChatModel for WithOptions {
    fn stream(&self, mut request: ChatRequest) -> ChatStream {
        request.temperature = request.temperature.or(self.temperature);
        request.max_output_tokens = request.max_output_tokens.or(self.max_output_tokens);
        self.model.stream(request)
    }

    fn id(&self) -> ModelId {
        self.model.id()
    }
}
