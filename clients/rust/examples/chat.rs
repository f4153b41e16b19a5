//! Signs in, calls three tools, holds a chat with cards, and reads a stream again.
//! Usage: HELIOGRAPH_URL=… HELIOGRAPH_USER=… HELIOGRAPH_PASSWORD=… cargo run --example chat

use std::env::var;
use std::error::Error;

use futures_util::StreamExt;
use heliograph_client::{Heliograph, types::UiMessageChunk};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = var("HELIOGRAPH_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".to_owned());
    let user = var("HELIOGRAPH_USER").unwrap_or_else(|_| "demo".to_owned());
    let heliograph = Heliograph::sign_in(&url, &user, &var("HELIOGRAPH_PASSWORD")?).await?;
    let logger = tools(&heliograph).await?;

    let mut answer = heliograph
        .ask("Give me the morning briefing")
        .send()
        .await?;
    let mut events = 0;
    while let Some(event) = answer.next().await {
        events += 1;
        if let UiMessageChunk::TextDelta(text) = event? {
            print!("{}", text.delta);
        }
    }
    println!("\ncards {}, events {events}", answer.cards().len());
    if answer.cards().is_empty() || answer.text().is_empty() {
        return Err("the briefing has no card or no text".into());
    }

    // The answer is being made whether it is read or not: leave, and come back.
    let thread = answer.thread_id().ok_or("the answer names no thread")?;
    let question = format!("Check the health of {logger}");
    let mut begun = heliograph.ask(&question).thread(thread).send().await?;
    begun.next().await.ok_or("there is no answer")??;
    drop(begun);
    match heliograph.resume(thread).await? {
        Some(resumed) => {
            let resumed: Vec<_> = resumed.collect().await;
            let all = resumed.into_iter().collect::<Result<Vec<_>, _>>()?;
            println!("resumed a stream of {} events", all.len());
        }
        None => println!("resumed nothing: it had ended"),
    }
    Ok(())
}

/// Calls three tools; returns a device with readings.
async fn tools(heliograph: &Heliograph) -> Result<String, Box<dyn Error>> {
    let api = heliograph.api();
    let loggers = api.list_loggers().send().await?.into_inner();
    let loggers = loggers.result.ok_or("there is no list of devices")?.loggers;
    let with_data = loggers.iter().find_map(|one| Some((one, one.latest_data?)));
    let (logger, latest) = with_data.ok_or("there is no device with data")?;
    println!("device {}", logger.logger_id);
    let fleet = api.get_fleet_overview().send().await?.into_inner();
    println!("fleet {:?}", fleet.status);
    let curve = api.get_power_curve();
    let curve = curve.body_map(|body| {
        body.logger_id(logger.logger_id.as_str())
            .date(latest.date_naive())
    });
    let peak = curve.send().await?.into_inner().summary_stats;
    println!("peak {:?} W", peak.map(|stats| stats.peak_value));
    Ok(logger.logger_id.to_string())
}
