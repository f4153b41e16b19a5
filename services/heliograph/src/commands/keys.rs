//! `heliograph keys`.

use std::path::Path;

use bff::signing::{KeyInfo, SigningKeys};
use service_kit::clock::{RandomIds, SystemClock};

use super::data;
use crate::cli::KeysCommand;
use crate::terminal;

/// Lists the signing keys or creates a new one. Services that run, here or elsewhere, read the keys
/// from the database.
pub(super) async fn run(folder: Option<&Path>, command: KeysCommand) -> anyhow::Result<()> {
    data::beside_services(folder, async |stack| {
        data::migrate_all(stack).await?;
        let keys = SigningKeys::open(&stack.bff, SystemClock::shared(), RandomIds::shared())?;
        let listed = match command {
            KeysCommand::List => keys.list().await,
            KeysCommand::Rotate => keys.rotate().await,
        };
        keys.close().await;
        for key in listed? {
            terminal::say(line(&key));
        }
        Ok(())
    })
    .await
}

fn line(key: &KeyInfo) -> String {
    let from = key.signs_from.format("%Y-%m-%d %H:%M:%S UTC");
    let state = if key.signs {
        "signs".to_owned()
    } else if key.verifies_until.is_none() {
        format!("will sign from {from}")
    } else {
        "does not sign any more".to_owned()
    };
    match key.verifies_until {
        Some(until) => format!(
            "{}  {state}; its tokens are accepted until {}",
            key.key_id,
            until.format("%Y-%m-%d %H:%M:%S UTC")
        ),
        None => format!("{}  {state}", key.key_id),
    }
}
