//! `heliograph sign-in` and `heliograph sign-out`.

use std::path::Path;

use anyhow::Context;
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
    let user = user.context("--user is required")?;
    let config = Config::load(up::file(folder).as_deref())?;
    let server = server_of(&config, url)?;
    let http = service_kit::http_client()?;
    client::with_password(&http, &config, &server, user).await?;
    let place = credentials::sign_ins_path(&config.data.folder);
    terminal::say(format!(
        "signed in as {user} at {server}; the sign-in is saved in {}, for commands with `{}`",
        place.display(),
        match url {
            Some(_) => format!("--server {server} --user {user}"),
            None => format!("--user {user}"),
        }
    ));
    Ok(())
}

/// The server at a URL, otherwise the one whose services run on this machine.
fn server_of(config: &Config, url: Option<&str>) -> anyhow::Result<String> {
    client::named(config, url).with_context(|| {
        format!(
            "--server is required: no services have run with the data folder {}",
            config.data.folder.display()
        )
    })
}

/// Ends the saved sign-in, at the server and here.
pub(super) async fn sign_out(
    folder: Option<&Path>,
    (url, user): (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    let config = Config::load(up::file(folder).as_deref())?;
    let server = server_of(&config, url)?;
    let http = service_kit::http_client()?;
    match client::saved(&http, &config, &server, user).await? {
        Some(client) => {
            client.request(Method::POST, "/auth/logout", None).await?;
        }
        None => terminal::note("there is no sign-in that the server still accepts"),
    }
    let _lock = credentials::lock(&config.data.folder)?;
    credentials::forget_sign_ins(&config.data.folder, &server, user)?;
    terminal::say(format!("signed out at {server}"));
    Ok(())
}
