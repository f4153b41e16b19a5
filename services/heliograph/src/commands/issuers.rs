//! `heliograph issuers`: identity providers at which people sign in, over HTTP.

use std::path::Path;

use anyhow::{Context, bail};
use contracts::access::Role;
use contracts::issuers::{
    ChangeIssuer, IssuerAddresses, IssuerInfo, IssuerList, IssuerRule, IssuerTest, NewIssuer,
};
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};

use super::client::print_lines;
use super::password;
use super::targets::{segment, steps};
use crate::chat::ChatClient;
use crate::cli::{AddIssuer, ChangedIssuer, IssuersCommand};

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: IssuersCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        let secret = secret_of(&command)?;
        carry_out(client, command, secret).await
    })
    .await
}

/// The client secret that is typed.
fn secret_of(command: &IssuersCommand) -> anyhow::Result<Option<SecretString>> {
    let client = match command {
        IssuersCommand::Add(new) if !new.public_client => &new.client_id,
        IssuersCommand::Change(change) if change.secret => &change.name,
        _ => return Ok(None),
    };
    Ok(Some(password::ask(&format!("Client secret of {client}"))?))
}

/// Runs a command with a client; the lines that it prints at its end.
pub async fn carry_out(
    client: &ChatClient,
    command: IssuersCommand,
    secret: Option<SecretString>,
) -> anyhow::Result<Vec<String>> {
    let secret = secret.map(|secret| secret.expose_secret().to_owned());
    match command {
        IssuersCommand::List => list(client).await,
        IssuersCommand::Add(new) => add(client, new, secret).await,
        IssuersCommand::Test { name } => {
            let path = format!("/api/issuers/{}/test", segment(&name)?);
            let tested = client.request(Method::POST, &path, None).await?;
            told(&tested.json().await?)
        }
        IssuersCommand::Show { name } => {
            let path = format!("/api/issuers/{}", segment(&name)?);
            let found = client.request(Method::GET, &path, None).await?;
            Ok(shown(&found.json().await?))
        }
        IssuersCommand::Change(change) => {
            let path = format!("/api/issuers/{}", segment(&change.name)?);
            let body = serde_json::to_value(changed(change, secret)?)?;
            let changed = client.request(Method::PATCH, &path, Some(&body)).await?;
            Ok(shown(&changed.json().await?))
        }
        IssuersCommand::Remove { name, confirm } => {
            if name != confirm {
                bail!("--confirm must be the name of the issuer again");
            }
            let path = format!("/api/issuers/{}", segment(&name)?);
            client.request(Method::DELETE, &path, None).await?;
            Ok(vec![format!(
                "{name} is removed; the sessions that began there have ended"
            )])
        }
    }
}

async fn list(client: &ChatClient) -> anyhow::Result<Vec<String>> {
    let list = client.request(Method::GET, "/api/issuers", None).await?;
    let list: IssuerList = list.json().await?;
    if !list.issuers.is_empty() {
        return Ok(list.issuers.iter().map(summary).collect());
    }
    let base = format!("{}/auth/oidc/NAME", list.public_url.trim_end_matches('/'));
    let mut lines = vec![
        "there is no issuer yet; `issuers add NAME ISSUER` adds one. Register there:".to_owned(),
    ];
    lines.extend(registered(&IssuerAddresses {
        redirect: format!("{base}/callback"),
        post_logout_redirect: format!("{}/", list.public_url),
        backchannel_logout: format!("{base}/logout"),
    }));
    Ok(lines)
}

async fn add(
    client: &ChatClient,
    new: AddIssuer,
    secret: Option<String>,
) -> anyhow::Result<Vec<String>> {
    if new.settings.rules.is_empty() {
        bail!(
            "name a rule at least: --rule TENANT for everyone at the issuer, --rule GROUP=TENANT:ROLE for a group"
        );
    }
    let only_test = new.test;
    let settings = new.settings;
    let new = NewIssuer {
        name: new.name,
        label: settings.label,
        issuer: new.issuer,
        client_id: new.client_id,
        client_secret: secret,
        scopes: (!settings.scopes.is_empty()).then_some(settings.scopes),
        audience: settings.audience,
        groups_claim: settings.groups_claim,
        name_claim: settings.name_claim,
        public_url: settings.public_url,
        rules: rules(&settings.rules)?,
    };
    let body = serde_json::to_value(new)?;
    let path = if only_test {
        "/api/issuer-tests"
    } else {
        "/api/issuers"
    };
    let answer = client.request(Method::POST, path, Some(&body)).await?;
    if only_test {
        return told(&answer.json().await?);
    }
    Ok(shown(&answer.json().await?))
}

fn changed(change: ChangedIssuer, secret: Option<String>) -> anyhow::Result<ChangeIssuer> {
    let settings = change.settings;
    let rules = rules(&settings.rules)?;
    Ok(ChangeIssuer {
        label: settings.label,
        client_id: change.client_id,
        client_secret: secret,
        scopes: (!settings.scopes.is_empty()).then_some(settings.scopes),
        audience: settings.audience,
        groups_claim: settings.groups_claim,
        name_claim: settings.name_claim,
        public_url: settings.public_url,
        rules: (!rules.is_empty()).then_some(rules),
    })
}

fn rules(texts: &[String]) -> anyhow::Result<Vec<IssuerRule>> {
    texts.iter().map(|text| rule(text)).collect()
}

/// A rule as it is typed: `GROUP=TENANT:ROLE`. A group may have the signs of both.
fn rule(text: &str) -> anyhow::Result<IssuerRule> {
    let (group, place) = match text.rsplit_once('=') {
        Some((group, place)) => (Some(group.to_owned()), place),
        None => (None, text),
    };
    let (tenant, role) = match place.rsplit_once(':') {
        Some((tenant, role)) => {
            let known = Role::ALL.map(Role::name).join(", ");
            let found = Role::from_name(role);
            let found = found.with_context(|| {
                format!("`{role}` is not a role in the rule `{text}`; the roles are {known}")
            })?;
            (tenant, found)
        }
        None => (place, Role::Viewer),
    };
    if tenant.is_empty() {
        bail!("the rule `{text}` names no tenant: GROUP=TENANT:ROLE");
    }
    Ok(IssuerRule {
        group,
        tenant: tenant.to_owned(),
        role,
    })
}

fn summary(issuer: &IssuerInfo) -> String {
    let place = if issuer.fixed {
        "  configuration file"
    } else {
        ""
    };
    let state = match &issuer.problem {
        _ if issuer.replaced_by_fixed => {
            "  not used: an issuer of the configuration has this name or address".to_owned()
        }
        Some(problem) => format!("  {problem}"),
        None => String::new(),
    };
    let count = issuer.rules.len();
    let rules = if count == 1 { "rule" } else { "rules" };
    format!(
        "{}  {}  {count} {rules}{place}{state}",
        issuer.name, issuer.issuer
    )
}

fn shown(issuer: &IssuerInfo) -> Vec<String> {
    let mut lines = vec![summary(issuer)];
    for rule in &issuer.rules {
        let who = rule.group.as_deref().unwrap_or("everyone");
        lines.push(format!("  {who}: {} in {}", rule.role, rule.tenant));
    }
    if let Some(audience) = &issuer.audience {
        lines.push(format!("  access tokens for {audience} are accepted"));
    }
    lines.extend(registered(&issuer.addresses));
    lines
}

/// The addresses to register at an issuer.
fn registered(addresses: &IssuerAddresses) -> [String; 3] {
    [
        format!("  redirect URI              {}", addresses.redirect),
        format!(
            "  post-logout redirect URI  {}",
            addresses.post_logout_redirect
        ),
        format!(
            "  back-channel logout URI   {}",
            addresses.backchannel_logout
        ),
    ]
}

/// The steps of a test; an error if one failed.
fn told(test: &IssuerTest) -> anyhow::Result<Vec<String>> {
    let mut lines = steps(&test.steps);
    if !test.ok {
        bail!("{}", lines.join("\n"));
    }
    lines.push("register at the issuer:".to_owned());
    lines.extend(registered(&test.addresses));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_a_group_a_tenant_and_a_role() {
        let read = |text: &str| {
            let rule = rule(text).unwrap();
            (rule.group, rule.tenant, rule.role)
        };
        let group = |name: &str| Some(name.to_owned());
        assert_eq!(read("acme"), (None, "acme".to_owned(), Role::Viewer));
        assert_eq!(read("acme:editor"), (None, "acme".to_owned(), Role::Editor));
        assert_eq!(
            read("solar=acme:administrator"),
            (group("solar"), "acme".to_owned(), Role::Administrator)
        );
        assert_eq!(
            read("cn=solar:eu=acme"),
            (group("cn=solar:eu"), "acme".to_owned(), Role::Viewer)
        );
        for wrong in ["", "solar=", "solar=:editor", "solar=acme:king"] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
