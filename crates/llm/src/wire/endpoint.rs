//! The address that the requests of a model go to.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::Serialize;

use crate::Error;
use crate::provider::{ModelContext, ModelSetup};

/// Reads the error of a response with an error status.
pub(super) type ReadRefusal = fn(&ModelContext, StatusCode, &HeaderMap, &str) -> Error;

/// What all requests of a model share: address, headers with the key, and the form of errors.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(super) context: Arc<ModelContext>,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    refusal: ReadRefusal,
}

impl Endpoint {
    pub(super) fn new(
        model: &ModelSetup,
        url: Url,
        headers: HeaderMap,
        refusal: ReadRefusal,
    ) -> Self {
        Self {
            context: model.context.clone(),
            url,
            headers,
            refusal,
        }
    }

    pub(super) fn post(&self, client: &HttpClient, body: &impl Serialize) -> RequestBuilder {
        client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .json(body)
    }

    pub(super) fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        (self.refusal)(&self.context, status, headers, body)
    }
}
