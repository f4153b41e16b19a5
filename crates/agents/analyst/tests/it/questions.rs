//! Questions over the demonstration, and the typed query that each becomes: by rules alone, without
//! a model.

mod alone;
mod demo;
mod every_word;
mod follow_ups;
mod mechanisms;
mod outside;
mod said;
mod types;
mod unread;
mod workshop;

use std::sync::Arc;

use agent_analyst::{AnalystAssistant, AnalystSettings, InProcessMemory};
use agent_kit::{Runner, Tools, TurnInput, UserInput, events::check_laws};
use contracts::run::RunEvent;
use futures::StreamExt;
use graph::MemorySaver;

use demo::Demo;

/// One conversation.
struct Talk {
    demo: Arc<Demo>,
    assistant: Runner<AnalystAssistant>,
    turns: u32,
}

impl Talk {
    fn new() -> Self {
        Self::over(Demo::new())
    }

    fn over(demo: Arc<Demo>) -> Self {
        let memory: Arc<Arc<InProcessMemory>> = Arc::default();
        let store = Arc::new(MemorySaver::new());
        let assistant = AnalystAssistant::new(AnalystSettings::default(), memory);
        Self {
            demo,
            assistant: Runner::new(assistant, Some(store)).unwrap(),
            turns: 0,
        }
    }

    /// The answer, in words.
    async fn say(&mut self, text: &str) -> String {
        self.turns += 1;
        let now = "2025-01-15T10:30:00Z".parse().unwrap();
        let tools = Arc::clone(&self.demo) as Arc<dyn Tools>;
        let message = UserInput::Text(text.to_owned());
        let input = TurnInput {
            thread_id: "thread".to_owned(),
            thread_key: Some("owner:thread".into()),
            message_id: format!("msg{}", self.turns),
            ..TurnInput::new(format!("run{}", self.turns), message, now, tools)
        };
        let events: Vec<RunEvent> = self.assistant.run(input).collect().await;
        check_laws(&events).unwrap();
        let mut said = String::new();
        for event in &events {
            if let RunEvent::TextDelta { delta, .. } = event {
                said.push_str(delta);
            }
        }
        said
    }
}

/// The query of the last turn of a conversation, or what was said instead of asking one.
async fn asked(turns: &[&str]) -> String {
    let mut talk = Talk::new();
    let mut said = String::new();
    for turn in turns {
        talk.demo.forget_queries();
        said = talk.say(turn).await;
    }
    match talk.demo.last().as_str() {
        "nothing" => format!("said: {said}"),
        line => line.to_owned(),
    }
}

/// Conversations, and the query of the last turn of each.
type Table = &'static [(&'static [&'static str], &'static str)];

/// Compares all of a table and shows every difference.
async fn check(table: Table) {
    let mut wrong = Vec::new();
    for (turns, expected) in table {
        let found = asked(turns).await;
        let right = match expected.strip_prefix("said: ") {
            Some(words) => found.starts_with("said: ") && found.contains(words),
            None => found == *expected,
        };
        if !right {
            wrong.push(format!(
                "{turns:?}\n  expected {expected}\n  found    {found}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}
