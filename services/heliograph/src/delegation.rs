//! The demonstration upstream of the all-in-one process, and the encryption key of its users'
//! credentials.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use demo_inventory::Settings;
use secrecy::{ExposeSecret, SecretString};
use tools::credentials::config::{KeyConfig, generate_key};

use crate::stack::StackConfig;

/// The id of the key in the data folder, as stored in rows.
const KEY_ID: &str = "data-folder";

/// The file with the key that tools keep credentials with.
const CREDENTIALS: &str = "credentials.key";

/// The file with the key that client secrets of issuers are encrypted with.
const ISSUERS: &str = "issuers.key";

/// The file with the key that webhooks are signed with.
const WEBHOOKS: &str = "webhooks.key";

/// Sets the keys of the tools service, of issuers and of webhooks, and the address in mails, unless
/// they are configured. Keys
/// are in the data folder, readable only by its owner, and are created on the first start.
pub(crate) fn keep_key(stack: &mut StackConfig, data_dir: &Path) -> anyhow::Result<()> {
    let keys = &mut stack.tools.credentials.keys;
    if keys.is_empty() {
        keys.push(KeyConfig::new(KEY_ID, load_or_make(data_dir, CREDENTIALS)?));
    }
    let bff = &mut stack.bff;
    if bff.oidc.encryption_key.is_none() && bff.signing.encryption_key.is_none() {
        bff.oidc.encryption_key = Some(load_or_make(data_dir, ISSUERS)?);
    }
    let webhooks = &mut stack.orchestrator.delivery.webhooks;
    if webhooks.key.is_none() {
        webhooks.key = Some(load_or_make(data_dir, WEBHOOKS)?);
    }
    // The address of the page is the same for mails as for sign-in.
    let mail = &mut stack.orchestrator.delivery.email;
    if mail.public_url.is_none() {
        mail.public_url.clone_from(&stack.bff.oidc.public_url);
    }
    Ok(())
}

/// Configures the demonstration of delegated access, with the tools service at `tools_url`. Returns
/// the settings of the demonstration's service if it is connected now.
pub(crate) fn introduce(
    stack: &mut StackConfig,
    tools_url: &str,
) -> anyhow::Result<Option<Settings>> {
    let connected = demo_inventory::connect(&mut stack.tools, tools_url)?;
    let delegation = &mut stack.orchestrator.delegation;
    delegation
        .upstream
        .get_or_insert_with(|| demo_inventory::UPSTREAM.to_owned());
    Ok(connected)
}

fn load_or_make(data_dir: &Path, name: &str) -> anyhow::Result<SecretString> {
    let path = data_dir.join(name);
    let failed = || format!("cannot read or make {}", path.display());
    match std::fs::read_to_string(&path) {
        Ok(key) => return Ok(key.trim().into()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(failed),
    }
    std::fs::create_dir_all(data_dir).with_context(failed)?;
    let temporary = data_dir.join(format!("{name}.{}", std::process::id()));
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| file.write_all(generate_key().expose_secret().as_bytes()))
        .with_context(failed)?;
    // A link instead of a rename: of two processes that start at the same time, the second uses the
    // key of the first.
    let linked = std::fs::hard_link(&temporary, &path);
    std::fs::remove_file(&temporary).with_context(failed)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error).with_context(failed),
        _ => Ok(std::fs::read_to_string(&path)
            .with_context(failed)?
            .trim()
            .into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_key_is_made_once_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("data");
        let key = |_| {
            load_or_make(&data_dir, CREDENTIALS)
                .unwrap()
                .expose_secret()
                .to_owned()
        };
        assert_eq!(key(1), key(2));
        assert_eq!(key(3).len(), 44);
        let path = data_dir.join(CREDENTIALS);
        assert_eq!(
            std::fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(std::fs::read_dir(&data_dir).unwrap().count(), 1);
    }

    #[test]
    fn the_services_are_told_of_the_demonstration_and_of_no_second_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut stack = StackConfig::on_free_ports();
        stack.demonstrate(folder.path()).unwrap();
        stack.introduce().unwrap();
        let upstream = &stack.tools.upstreams[0];
        let inventory = stack.inventory.as_ref().unwrap();
        assert_eq!(upstream.base_url, inventory.audience);
        assert_eq!(upstream.tenants, ["demo"]);
        assert_eq!(
            stack.orchestrator.delegation.upstream.as_deref(),
            Some("citycatalyst")
        );
        stack.introduce().unwrap();
        assert_eq!(stack.tools.upstreams.len(), 1);
        assert!(stack.inventory.is_some(), "it still runs");
    }
}
