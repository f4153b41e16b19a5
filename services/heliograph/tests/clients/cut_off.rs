//! Asks through connections that break, and asks what is refused; prints the results as JSON.

use std::env::var;
use std::error::Error;

use futures_util::StreamExt;
use heliograph_client::{Error as Failed, Heliograph};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (url, user) = (var("HELIOGRAPH_URL")?, var("HELIOGRAPH_USER")?);
    let heliograph = Heliograph::sign_in(&url, &user, &var("HELIOGRAPH_PASSWORD")?).await?;
    let thread = var("HELIOGRAPH_THREAD")?;
    let question = heliograph.ask("Morning briefing").thread(&thread);
    let mut answer = question.send().await?;
    while let Some(event) = answer.next().await {
        event?;
    }
    let asked = heliograph.ask("Hello").assistant("nobody").send().await;
    let refused = match asked.err() {
        Some(Failed::Refused { problem, .. }) => problem.to_string(),
        other => format!("not refused: {other:?}"),
    };
    println!("{}", json!({ "text": answer.text(), "refused": refused }));
    Ok(())
}
