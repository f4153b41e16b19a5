//! `heliograph keys`.

use std::path::Path;

use bff::signing::{KeyInfo, SigningKeys};
use service_kit::clock::{RandomIds, SystemClock};

use super::data;
use crate::cli::KeysCommand;
use crate::terminal;

/// Shows the signing keys or makes a new one. The services may run meanwhile, here or elsewhere: they look into the database.
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
        "signs no more".to_owned()
    };
    match key.verifies_until {
        Some(until) => format!(
            "{}  {state}; its tokens are taken until {}",
            key.key_id,
            until.format("%Y-%m-%d %H:%M:%S UTC")
        ),
        None => format!("{}  {state}", key.key_id),
    }
}
