//! `heliograph account`: accounts over HTTP, and the first administrator in the database.

use std::path::Path;

use anyhow::{Context, bail};
use contracts::access::Role;
use contracts::accounts::{AccountInfo, AccountList, MyAccount, QuotaOf};
use contracts::person::{Erasure, ErasureStatus};
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use service_kit::clock::{RandomIds, SystemClock};

use super::client::with_client;
use super::{data, password};
use crate::chat::ChatClient;
use crate::cli::AccountCommand;
use crate::terminal;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: AccountCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    if let AccountCommand::FirstAdministrator {
        username,
        tenant,
        recover,
        password_file,
    } = command
    {
        let file = password_file.as_deref();
        return first_administrator(folder, &username, &tenant, recover, file).await;
    }
    with_client(folder, place, async |client| {
        let ask = |prompt: &str| password::ask(prompt);
        let ask_new = |prompt: &str| password::ask_new(prompt);
        let lines = carry_out(
            &client,
            command,
            Passwords {
                ask: &ask,
                ask_new: &ask_new,
            },
        );
        for line in lines.await? {
            terminal::say(line);
        }
        Ok(())
    })
    .await
}

/// A question for a password.
pub type Ask<'a> = &'a (dyn Fn(&str) -> anyhow::Result<SecretString> + Sync);

/// The source of passwords.
#[derive(Clone, Copy)]
pub struct Passwords<'a> {
    /// Asks for a password that exists.
    pub ask: Ask<'a>,
    /// Asks for a new one.
    pub ask_new: Ask<'a>,
}

/// Runs a command and returns the lines to print.
pub async fn carry_out(
    client: &ChatClient,
    command: AccountCommand,
    passwords: Passwords<'_>,
) -> anyhow::Result<Vec<String>> {
    match command {
        AccountCommand::Add {
            username,
            tenant,
            role,
            scopes,
        } => {
            let password = (passwords.ask_new)(&format!("Password of {username}"))?;
            let mut body = json!({ "username": username, "password": password.expose_secret() });
            if let Some(tenant) = tenant {
                body["tenant"] = tenant.into();
            }
            if let Some(role) = role {
                body["role"] = role.role().name().into();
            }
            if !scopes.is_empty() {
                body["scopes"] = scopes.into();
            }
            let answer = client
                .request(Method::POST, "/api/accounts", Some(&body))
                .await?;
            let account: AccountInfo = answer.json().await?;
            Ok(vec![format!("created {}", line(&account))])
        }
        AccountCommand::List { tenant } => {
            let accounts = accounts(client, tenant.as_deref()).await?;
            Ok(accounts.iter().map(line).collect())
        }
        AccountCommand::Show { username } => {
            let answer = client
                .request(Method::GET, &path(client, &username).await?, None)
                .await?;
            let account: AccountInfo = answer.json().await?;
            Ok(vec![
                line(&account),
                format!("  scopes: {}", account.scopes.join(", ")),
            ])
        }
        AccountCommand::Role { username, role } => {
            let change = json!({ "role": role.role().name() });
            changed(client, &username, &change).await
        }
        AccountCommand::Scopes { username, scopes } => {
            let change = json!({ "scopes": scopes });
            let mut lines = changed(client, &username, &change).await?;
            lines.push(format!("  scopes: {}", scopes.join(", ")));
            Ok(lines)
        }
        AccountCommand::Disable { username } => {
            changed(client, &username, &json!({ "disabled": true })).await
        }
        AccountCommand::Enable { username } => {
            changed(client, &username, &json!({ "disabled": false })).await
        }
        AccountCommand::Password { username } => {
            set_password(client, username.as_deref(), passwords).await
        }
        AccountCommand::Erase { username, confirm } => erase(client, &username, &confirm).await,
        AccountCommand::Me => me(client).await,
        AccountCommand::Export { output } => {
            let answer = client.request(Method::GET, "/api/me/export", None).await?;
            let text = answer.text().await?;
            let Some(file) = output else {
                return Ok(vec![text]);
            };
            std::fs::write(&file, text)
                .with_context(|| format!("cannot write {}", file.display()))?;
            Ok(vec![format!("exported to {}", file.display())])
        }
        AccountCommand::FirstAdministrator { .. } => {
            bail!("the first administrator is created in the database")
        }
    }
}

async fn accounts(client: &ChatClient, tenant: Option<&str>) -> anyhow::Result<Vec<AccountInfo>> {
    let mut accounts = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", "100");
        for (key, value) in [("tenant", tenant), ("cursor", cursor.as_deref())] {
            if let Some(value) = value {
                query.append_pair(key, value);
            }
        }
        let path = format!("/api/accounts?{}", query.finish());
        let answer = client.request(Method::GET, &path, None).await?;
        let page: AccountList = answer.json().await?;
        accounts.extend(page.accounts);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return Ok(accounts),
        }
    }
}

async fn changed(
    client: &ChatClient,
    username: &str,
    change: &Value,
) -> anyhow::Result<Vec<String>> {
    let answer = client
        .request(Method::PATCH, &path(client, username).await?, Some(change))
        .await?;
    let account: AccountInfo = answer.json().await?;
    Ok(vec![line(&account)])
}

/// Sets the password of an account: of the own one with the password of before, of another one as
/// its administrator.
async fn set_password(
    client: &ChatClient,
    username: Option<&str>,
    passwords: Passwords<'_>,
) -> anyhow::Result<Vec<String>> {
    let mine = my_account(client).await?;
    let me = mine.account.username;
    let other = username.filter(|name| !name.eq_ignore_ascii_case(&me));
    if let Some(other) = other {
        let new = (passwords.ask_new)(&format!("New password of {other}"))?;
        let change = json!({ "password": new.expose_secret() });
        client
            .request(Method::PATCH, &path(client, other).await?, Some(&change))
            .await?;
        return Ok(vec![format!(
            "{other} has a new password; every session and token was revoked"
        )]);
    }
    if !mine.has_password {
        bail!("{me} signs in at an identity provider and has no password here");
    }
    let current = (passwords.ask)(&format!("Present password of {me}"))?;
    let new = (passwords.ask_new)("New password")?;
    let body = json!({ "password": current.expose_secret(), "new_password": new.expose_secret() });
    client
        .request(Method::PUT, "/api/me/password", Some(&body))
        .await?;
    Ok(vec![format!(
        "{me} has a new password; every session and token was revoked, also the sign-in of this command"
    )])
}

async fn erase(client: &ChatClient, username: &str, confirm: &str) -> anyhow::Result<Vec<String>> {
    if confirm != username {
        bail!("--confirm must repeat the user name `{username}`; nothing was erased");
    }
    let body = json!({ "confirm": username });
    let answer = client
        .request(Method::DELETE, &path(client, username).await?, Some(&body))
        .await?;
    let erasure: Erasure = answer.json().await?;
    Ok(vec![match erasure.status {
        ErasureStatus::Erased => format!("{username} is erased in every service"),
        ErasureStatus::Pending => format!(
            "{username} is erased; these services are not reachable and will be asked again until they have erased their data: {}",
            erasure.waiting_for.join(", ")
        ),
    }])
}

async fn me(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let mine = my_account(client).await?;
    let account = mine.account;
    let mut lines = vec![
        format!(
            "{}  tenant {}  {}",
            account.username,
            account.tenant,
            role(account.role)
        ),
        format!("  scopes: {}", account.scopes.join(", ")),
    ];
    lines.extend(mine.quotas.iter().map(|quota| {
        let of = match quota.of {
            QuotaOf::Account => "your account",
            QuotaOf::Tenant => "your tenant",
        };
        let parts = match (quota.cached, quota.reasoning) {
            (Some(cached), Some(thought)) => {
                format!(", {cached} of them cached, {thought} thought")
            }
            _ => String::new(),
        };
        format!(
            "  {}: {} of {}{parts} ({of})",
            quota.name, quota.used, quota.limit
        )
    }));
    Ok(lines)
}

async fn my_account(client: &ChatClient) -> anyhow::Result<MyAccount> {
    let answer = client.request(Method::GET, "/api/me", None).await?;
    Ok(answer.json().await?)
}

/// Creates the account that manages all others, or gives access to it back. This needs the
/// database: before it there is no account that could sign in.
async fn first_administrator(
    folder: Option<&Path>,
    username: &str,
    tenant: &str,
    recover: bool,
    password_file: Option<&Path>,
) -> anyhow::Result<()> {
    // Before anything is changed.
    let given = password_file.map(password::read).transpose()?;
    data::beside_services(folder, async |stack| {
        data::migrate_all(stack).await?;
        let admin = bff::Admin::open(
            &stack.bff.database,
            SystemClock::shared(),
            RandomIds::shared(),
        )?;
        if !recover && admin.has_administrator().await? {
            bail!(
                "an administrator of the installation exists; sign in as that account and use `account add`, or use --recover to set the password of an account that exists"
            );
        }
        let password = match given {
            Some(password) => password,
            None => password::ask_new(&format!("Password of {username}"))?,
        };
        let said = if recover {
            if !admin.recover(username, password).await? {
                bail!("the account `{username}` does not exist");
            }
            format!(
                "{username} has a new password and manages the installation; every session and token was revoked"
            )
        } else {
            let role = Role::InstallationAdministrator;
            let created = admin.create_with_role(username, password, tenant, role);
            let account = created.await.context("the account was not created")?;
            format!(
                "created the account {}; tenant {}; it manages the installation",
                account.username, account.tenant
            )
        };
        admin.close().await;
        terminal::say(said);
        Ok(())
    })
    .await
}

fn line(account: &AccountInfo) -> String {
    let mut parts = vec![
        account.username.clone(),
        format!("tenant {}", account.tenant),
        role(account.role).to_owned(),
    ];
    if let Some(issuer) = &account.issuer {
        parts.push(format!("signs in at {issuer}"));
    }
    if let Some(since) = account.disabled_at {
        parts.push(format!("disabled since {}", since.format("%Y-%m-%d %H:%M")));
    }
    parts.join("  ")
}

fn role(role: Option<Role>) -> &'static str {
    role.map_or("own list of scopes", Role::name)
}

/// The path of an account. Its name is escaped. Earlier releases accepted `.` and `..`, which an
/// address cannot have: such an account is addressed by its id.
async fn path(client: &ChatClient, username: &str) -> anyhow::Result<String> {
    if !matches!(username, "." | "..") {
        return Ok(format!("/api/accounts/{}", escaped(username)));
    }
    let all = accounts(client, None).await?;
    let found = all.iter().find(|account| account.username == username);
    let id = &found
        .with_context(|| format!("there is no account `{username}`"))?
        .id;
    Ok(format!("/api/accounts/{id}"))
}

/// Escapes a name for a path segment.
pub(super) fn escaped(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
