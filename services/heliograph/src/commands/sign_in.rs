//! `heliograph sign-in` and `heliograph sign-out`.

use std::path::Path;

use anyhow::{Context, bail};
use reqwest::Method;

use super::{client, up};
use crate::chat::credentials;
use crate::config::Config;
use crate::terminal;

/// Signs in and saves the sign-in.
pub(super) async fn sign_in(
    folder: Option<&Path>,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    let Some(url) = url else {
        bail!("--server is required; commands for services on this machine need no sign-in");
    };
    let user = user.context("--user is required")?;
    let config = Config::load(up::file(folder).as_deref())?;
    let http = service_kit::http_client()?;
    let server = client::server(url);
    client::with_password(&http, &config, server, user).await?;
    terminal::say(format!("signed in as {user}; the sign-in is saved"));
    Ok(())
}

/// Ends the saved sign-in, at the server and here.
pub(super) async fn sign_out(
    folder: Option<&Path>,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    let Some(url) = url else {
        bail!("--server is required");
    };
    let config = Config::load(up::file(folder).as_deref())?;
    let http = service_kit::http_client()?;
    let server = client::server(url);
    match client::saved(&http, &config, server, user).await? {
        Some(client) => {
            client.request(Method::POST, "/auth/logout", None).await?;
        }
        None => terminal::note("there is no sign-in that the server still accepts"),
    }
    let _lock = credentials::lock(&config.data.folder)?;
    credentials::forget_sign_ins(&config.data.folder, server, user)?;
    terminal::say("signed out");
    Ok(())
}
