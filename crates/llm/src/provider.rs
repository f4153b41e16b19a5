//! Providers: how code and configuration name one, and what a wire gets of it.
//!
//! A provider is a record ([`ProviderConfig`]). Those of the table in `built_in` come with the
//! program, others are defined in configuration.
//! [`ProviderSections::find`](crate::config::ProviderSections) makes a [`Provider`] of either.

pub(crate) mod built_in;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::ProviderConfig;
use crate::wire::WireApi;
use crate::{Error, ErrorKind, ModelId};

/// The name of a provider: one of the built-in ones, or one that configuration defines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderName(Cow<'static, str>);

impl ProviderName {
    /// No provider: assistants answer by rules.
    pub const NONE: Self = Self(Cow::Borrowed("none"));

    /// A model in this process.
    pub const LOCAL: Self = Self(Cow::Borrowed("local"));

    /// The provider of this name or alias, in any case.
    pub fn new(name: &str) -> Self {
        let name = name.trim().to_ascii_lowercase();
        match built_in::find(&name) {
            Some(provider) => Self(Cow::Borrowed(provider.name)),
            None => Self(Cow::Owned(name)),
        }
    }

    /// The name, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ProviderName {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for ProviderName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ProviderName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(&String::deserialize(deserializer)?))
    }
}

/// A provider as it is used: its record, completed with the defaults of its wire.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(crate) name: ProviderName,
    /// The provider in model ids, usage and stored conversations.
    pub(crate) id: ProviderName,
    pub(crate) wire: WireApi,
    pub(crate) record: ProviderConfig,
    /// The section of the record: `llm.gemini`, `llm.providers.groq`.
    pub(crate) section: String,
}

impl Provider {
    /// The name for people.
    pub(crate) fn display_name(&self) -> &str {
        self.record
            .display_name
            .as_deref()
            .unwrap_or(self.name.as_str())
    }

    /// The provider in traces.
    pub(crate) fn telemetry_name(&self) -> &str {
        self.record
            .telemetry_name
            .as_deref()
            .unwrap_or(self.id.as_str())
    }

    /// The address, without a slash at its end; empty when there is none.
    pub(crate) fn base_url(&self) -> &str {
        let url = self.record.base_url.as_deref().or(self.wire.base_url());
        url.unwrap_or_default().trim_end_matches('/')
    }

    pub(crate) fn requires_key(&self) -> bool {
        self.record
            .requires_key
            .unwrap_or(self.wire.requires_key() || self.record.api_key_variable.is_some())
    }

    /// Whether the provider makes embeddings.
    pub(crate) fn has_embeddings(&self) -> bool {
        self.wire.has_embeddings() && self.record.embeddings.unwrap_or(true)
    }

    /// Why requests with tools are refused, if they are.
    pub(crate) fn no_tools(&self) -> Option<String> {
        let takes_tools = self.record.tools.unwrap_or(true);
        (!takes_tools).then(|| {
            let (name, section) = (&self.name, &self.section);
            format!("{name} takes no tools: {section}.tools is false")
        })
    }

    /// Whether configuration sets the provider up, so that it is used without being named. A server
    /// that needs no key is set up by its address.
    pub(crate) fn is_set_up(&self) -> bool {
        let set_up = if self.requires_key() {
            self.record.api_key.is_some()
        } else {
            self.record.base_url.is_some()
        };
        set_up && self.record.model.is_some()
    }

    /// The settings that are missing before the provider can be called.
    pub(crate) fn missing(&self) -> Option<String> {
        if self.requires_key() && self.record.api_key.is_none() {
            let key = self.settable(self.record.api_key_variable.as_deref(), "api_key");
            return Some(format!("a key: {key}"));
        }
        if self.base_url().is_empty() {
            let url = self.settable(self.record.base_url_variable.as_deref(), "base_url");
            return Some(format!("an address: {url}"));
        }
        None
    }

    /// `VARIABLE or section.key`.
    fn settable(&self, variable: Option<&str>, key: &str) -> String {
        let section = &self.section;
        match variable {
            Some(variable) => format!("{variable} or {section}.{key}"),
            None => format!("{section}.{key}"),
        }
    }

    /// A chat model of the provider.
    pub(crate) fn chat_model(
        &self,
        model: &str,
        max_output_tokens: u32,
    ) -> Result<ModelSetup, Error> {
        let variable = self.record.model_variable.as_deref();
        self.model(model, max_output_tokens, self.hint(variable, "model"))
    }

    /// An embedding model of the provider.
    pub(crate) fn embedding_model(&self, model: &str) -> Result<ModelSetup, Error> {
        self.model(model, 0, "EMBEDDING_MODEL".to_owned())
    }

    fn model(
        &self,
        model: &str,
        max_output_tokens: u32,
        model_hint: String,
    ) -> Result<ModelSetup, Error> {
        let record = &self.record;
        if self.requires_key() && record.api_key.is_none() {
            let detail = format!("{} has no key", self.name);
            return Err(Error::new(ErrorKind::Unauthorized).with_detail(detail));
        }
        let context = ModelContext {
            id: ModelId {
                provider: self.id.clone(),
                model: model.into(),
            },
            provider: self.display_name().to_owned(),
            key: record.api_key.clone().unwrap_or_default(),
            hints: Hints {
                key: self.hint(record.api_key_variable.as_deref(), "api_key"),
                model: model_hint,
                base_url: self.hint(record.base_url_variable.as_deref(), "base_url"),
            },
        };
        Ok(ModelSetup {
            headers: headers(&context, record)?,
            context: Arc::new(context),
            base_url: self.base_url().to_owned(),
            max_output_tokens,
            options: record.clone(),
        })
    }

    fn hint(&self, variable: Option<&str>, key: &str) -> String {
        match variable {
            Some(variable) => variable.to_owned(),
            None => format!("{}.{key}", self.section),
        }
    }
}

fn headers(context: &ModelContext, record: &ProviderConfig) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let name = |name: &str| -> Result<HeaderName, Error> {
        name.parse().map_err(|_| context.unfit("a header name"))
    };
    for (header, text) in &record.headers {
        let value = context.header(&format!("the header {header}"), text)?;
        headers.insert(name(header)?, value);
    }
    for (header, secret) in &record.secret_headers {
        let value = context.secret_header(secret.expose_secret())?;
        headers.insert(name(header)?, value);
    }
    Ok(headers)
}

/// A model of a provider, as its wire gets it.
#[derive(Debug, Clone)]
pub(crate) struct ModelSetup {
    pub(crate) context: Arc<ModelContext>,
    /// Without a slash at its end.
    pub(crate) base_url: String,
    /// The headers that configuration adds to each request.
    pub(crate) headers: HeaderMap,
    /// The limit for requests without one.
    pub(crate) max_output_tokens: u32,
    /// The provider's record, with the options of its wire.
    pub(crate) options: ProviderConfig,
}

impl ModelSetup {
    /// Adds the key, if there is one: in the header that configuration names, otherwise in the
    /// wire's own, written as the wire writes it.
    pub(crate) fn add_key(
        &self,
        headers: &mut HeaderMap,
        own: HeaderName,
        written: impl Fn(&str) -> String,
    ) -> Result<(), Error> {
        let Some(key) = self.context.key() else {
            return Ok(());
        };
        let (name, value) = match &self.options.api_key_header {
            Some(name) => {
                let name = name.parse();
                (
                    name.map_err(|_| self.context.unfit("a header name"))?,
                    key.to_owned(),
                )
            }
            None => (own, written(key)),
        };
        headers.insert(name, self.context.secret_header(&value)?);
        Ok(())
    }
}

/// What reading an answer and explaining a refusal needs to know of a model.
#[derive(Debug)]
pub(crate) struct ModelContext {
    pub(crate) id: ModelId,
    /// The provider's name for people.
    pub(crate) provider: String,
    /// Empty when there is none. Quotes of the provider leave it out.
    pub(crate) key: SecretString,
    pub(crate) hints: Hints,
}

/// The variable, or the configuration key, to change when a provider refuses something.
#[derive(Debug)]
pub(crate) struct Hints {
    pub(crate) key: String,
    pub(crate) model: String,
    pub(crate) base_url: String,
}

impl ModelContext {
    /// The key without surrounding white space; `None` when nothing is left.
    pub(crate) fn key(&self) -> Option<&str> {
        Some(self.key.expose_secret().trim()).filter(|key| !key.is_empty())
    }

    /// A header value. `what` names it in the error.
    pub(crate) fn header(&self, what: &str, text: &str) -> Result<HeaderValue, Error> {
        HeaderValue::from_str(text).map_err(|_| self.unfit(what))
    }

    /// A header value that no log shows.
    pub(crate) fn secret_header(&self, text: &str) -> Result<HeaderValue, Error> {
        let mut value = self.header("the key", text)?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn unfit(&self, what: &str) -> Error {
        Error::new(ErrorKind::BadRequest).with_detail(format!(
            "{what} of {} contains characters that a header cannot carry",
            self.provider
        ))
    }

    /// An address that cannot be used.
    pub(crate) fn unfit_url(&self, why: impl fmt::Display) -> Error {
        Error::new(ErrorKind::BadRequest).with_detail(format!(
            "the base URL of {} ({}) cannot be used: {why}",
            self.provider, self.hints.base_url
        ))
    }
}
