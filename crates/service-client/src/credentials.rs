//! The tools service's keeping of users' credentials for upstreams.

use contracts::openapi::tools::operations;
use contracts::tools::upstreams::{CredentialList, CredentialStatus, PutCredential};
use secrecy::SecretString;

use crate::{Error, ToolsClient, call};

impl ToolsClient {
    /// How the caller's credential for each upstream is. Refreshes nothing.
    pub async fn list_credentials(&self, token: &SecretString) -> Result<CredentialList, Error> {
        let url = call::url::<operations::ListCredentials>(&self.base, &[])?;
        call::send::<operations::ListCredentials, _>(&self.http, &url, || {
            self.request::<operations::ListCredentials>(&url, Some(token))
        })
        .await
    }

    /// Keeps the caller's credential for an upstream. `Ok` with the state `refused` means that it
    /// was not kept.
    pub async fn put_credential(
        &self,
        token: &SecretString,
        upstream: &str,
        credential: &PutCredential,
    ) -> Result<CredentialStatus, Error> {
        let url = call::url::<operations::PutCredential>(&self.base, &[upstream])?;
        call::send::<operations::PutCredential, _>(&self.http, &url, || {
            self.request::<operations::PutCredential>(&url, Some(token))
                .json(credential)
        })
        .await
    }

    /// Sees to it that the caller's credential for an upstream is good for the next minute. `Ok`
    /// also when it cannot be had; the state says why.
    pub async fn ensure_credential(
        &self,
        token: &SecretString,
        upstream: &str,
    ) -> Result<CredentialStatus, Error> {
        let url = call::url::<operations::EnsureCredential>(&self.base, &[upstream])?;
        call::send::<operations::EnsureCredential, _>(&self.http, &url, || {
            self.request::<operations::EnsureCredential>(&url, Some(token))
        })
        .await
    }

    /// Forgets the caller's credential for an upstream.
    pub async fn delete_credential(
        &self,
        token: &SecretString,
        upstream: &str,
    ) -> Result<(), Error> {
        let url = call::url::<operations::DeleteCredential>(&self.base, &[upstream])?;
        call::send::<operations::DeleteCredential, _>(&self.http, &url, || {
            self.request::<operations::DeleteCredential>(&url, Some(token))
        })
        .await
    }
}
