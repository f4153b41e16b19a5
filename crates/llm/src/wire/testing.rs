//! Models of built-in providers, as tests set them up.

use secrecy::SecretString;

use crate::config::{ProviderConfig, ProviderSections};
use crate::provider::{ModelContext, ModelSetup};

/// The key of all of them.
pub(crate) const KEY: &str = "hunter22";

/// A model of a built-in provider, with a key.
pub(crate) fn model(provider: &str, name: &str) -> ModelSetup {
    model_with(provider, name, |record| {
        record.api_key = Some(SecretString::from(KEY));
    })
}

/// A model of a built-in provider whose record is changed.
pub(crate) fn model_with(
    provider: &str,
    name: &str,
    change: impl FnOnce(&mut ProviderConfig),
) -> ModelSetup {
    let mut sections = ProviderSections::default();
    let record = sections.get_mut(provider);
    record.requires_key = Some(false);
    change(record);
    let provider = sections.find(&provider.into()).unwrap();
    provider.chat_model(name, 4_096).unwrap()
}

/// An embedding model of a built-in provider.
pub(crate) fn embedding_model(provider: &str, name: &str) -> ModelSetup {
    let mut sections = ProviderSections::default();
    sections.get_mut(provider).api_key = Some(SecretString::from(KEY));
    let provider = sections.find(&provider.into()).unwrap();
    provider.embedding_model(name).unwrap()
}

/// The context of a model of a built-in provider.
pub(crate) fn context(provider: &str, name: &str) -> std::sync::Arc<ModelContext> {
    model(provider, name).context
}
