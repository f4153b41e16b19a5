//! Signing in, and a token that is renewed before it ends.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::HeaderValue;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::{Error, accepted};

/// A token is renewed this long before it ends.
const EARLY: Duration = Duration::from_secs(30);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An answer may be quiet for so long; the service gives a sign of life more often.
const QUIET: Duration = Duration::from_secs(60);

/// A signed-in account. Copies share its tokens.
#[derive(Clone)]
pub struct Session {
    url: String,
    http: reqwest::Client,
    tokens: Arc<Mutex<Tokens>>,
}

/// Shows no token.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

struct Tokens {
    access: String,
    /// A refresh token and the end of the access token; `None` for a key.
    renewal: Option<(String, Instant)>,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    refresh_token: String,
    expires_in: u64,
}

impl From<TokenResponse> for Tokens {
    fn from(response: TokenResponse) -> Self {
        let ends = Instant::now() + Duration::from_secs(response.expires_in);
        Self {
            access: response.access_token,
            renewal: Some((response.refresh_token, ends)),
        }
    }
}

impl Session {
    pub(crate) async fn sign_in(url: &str, username: &str, password: &str) -> Result<Self, Error> {
        let http = http()?;
        let url = url.trim_end_matches('/').to_owned();
        let body = json!({ "username": username, "password": password });
        let tokens = tokens(&http, format!("{url}/auth/token"), &body).await?;
        Ok(Self {
            url,
            http,
            tokens: Arc::new(Mutex::new(tokens)),
        })
    }

    pub(crate) fn with_key(url: &str, key: &str) -> Result<Self, Error> {
        let tokens = Tokens {
            access: key.to_owned(),
            renewal: None,
        };
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            http: http()?,
            tokens: Arc::new(Mutex::new(tokens)),
        })
    }

    /// The address of the service.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The HTTP client. It sends no token of its own accord.
    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// The access token, renewed when it is about to end.
    pub async fn token(&self) -> Result<String, Error> {
        // A refresh token works once: requests at the same time wait for the same renewal.
        let mut held = self.tokens.lock().await;
        if let Some((refresh, ends)) = &held.renewal
            && Instant::now() + EARLY > *ends
        {
            let body = json!({ "refresh_token": refresh });
            *held = tokens(&self.http, format!("{}/auth/refresh", self.url), &body).await?;
        }
        Ok(held.access.clone())
    }

    pub(crate) async fn authorization(&self) -> Result<HeaderValue, Error> {
        let header = HeaderValue::try_from(format!("Bearer {}", self.token().await?));
        let mut header =
            header.map_err(|_| Error::Call("the token has a control character".to_owned()))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

async fn tokens(http: &reqwest::Client, url: String, body: &Value) -> Result<Tokens, Error> {
    let response = accepted(http.post(url).json(body).send().await?).await?;
    Ok(response.json::<TokenResponse>().await?.into())
}

fn http() -> Result<reqwest::Client, Error> {
    // An error says that the program has chosen a provider of its own, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(QUIET)
        .build()?;
    Ok(client)
}
