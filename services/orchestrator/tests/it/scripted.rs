//! An assistant that follows a script in the message, so that a test decides when each step
//! happens.
//!
//! A message is a list of steps, separated by blanks: `wait:X` continues when the test opens the
//! gate X, `tool:X` calls a tool that answers, `call:X` one that never does, `ask:X` a person,
//! `warn:X` warns, `pause` takes a moment, `fail` fails, `vanish` ends without saying so, `deaf` no
//! longer hears that it is to stop, `panic` panics. Everything else is said.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contracts::run::{Channel, FinishReason, RunEvent, Source, ToolCallKind};
use conversations::Owner;
use futures::StreamExt;
use futures::stream::{BoxStream, poll_fn};
use orchestrator::assistants::{Assistant, Remembered, StateError, Turn, UserInput};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

/// The gate between a script and its next step.
#[derive(Clone, Default)]
pub(crate) struct Gates(Arc<Mutex<HashMap<String, Arc<Semaphore>>>>);

impl Gates {
    fn gate(&self, name: &str) -> Arc<Semaphore> {
        let mut gates = self.0.lock().unwrap();
        let closed = || Arc::new(Semaphore::new(0));
        Arc::clone(gates.entry(name.to_owned()).or_insert_with(closed))
    }

    /// Waits until the gate is open.
    pub(crate) async fn pass(&self, name: &str) {
        self.gate(name).acquire_owned().await.unwrap().forget();
    }

    /// Opens the gate for all scripts, from now on.
    pub(crate) fn open(&self, name: &str) {
        self.gate(name).add_permits(1_000);
    }
}

/// The assistant.
pub(crate) struct Scripted {
    pub(crate) name: &'static str,
    pub(crate) repeatable: bool,
    pub(crate) gates: Gates,
}

#[async_trait]
impl Assistant for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    fn reads_history(&self) -> bool {
        true
    }

    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent> {
        let (sender, mut receiver) = mpsc::channel(8);
        tokio::spawn(play(turn, self.gates.clone(), sender));
        poll_fn(move |context| receiver.poll_recv(context)).boxed()
    }

    async fn state(
        &self,
        _owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        Ok(Some(Remembered {
            values: json!({ "key": thread_key }),
            asks: false,
        }))
    }
}

type Told = mpsc::Sender<RunEvent>;

async fn play(turn: Turn, gates: Gates, told: Told) -> Option<()> {
    let text = match turn.input {
        UserInput::Text(text) => text,
        UserInput::SelectionOutput { call_id, output } => format!("{call_id}={output}"),
    };
    let started = RunEvent::Started {
        thread_id: turn.thread_id,
        run_id: turn.run_id.clone(),
        message_id: turn.message_id,
    };
    told.send(started).await.ok()?;
    let block = format!("text_{}", turn.run_id);
    let begin = RunEvent::TextStarted {
        id: block.clone(),
        channel: Channel::Final,
    };
    told.send(begin).await.ok()?;
    let mut deaf = false;
    for (index, step) in text.split(' ').enumerate() {
        let (verb, object) = step.split_once(':').unwrap_or((step, ""));
        let id = format!("call_{}_{index}", turn.run_id);
        match verb {
            "wait" => {
                let gate = gates.gate(object);
                tokio::select! {
                    permit = gate.acquire() => permit.ok()?.forget(),
                    () = turn.cancellation.cancelled(), if !deaf => {
                        // As the assistants do that know of only that they were stopped.
                        let stopped = RunEvent::Warning {
                            code: "cancelled".into(),
                            text: "Stopped. What you see so far is kept.".into(),
                        };
                        told.send(stopped).await.ok()?;
                        return end(&told, block).await;
                    }
                }
            }
            "tool" => {
                told.send(call(&id, object, ToolCallKind::Server))
                    .await
                    .ok()?;
                let result = RunEvent::ToolResult {
                    id,
                    output: json!({ "status": "ok", "result": object }),
                    ok: true,
                };
                told.send(result).await.ok()?;
            }
            "call" => told
                .send(call(&id, object, ToolCallKind::Server))
                .await
                .ok()?,
            "ask" => told
                .send(call(&id, object, ToolCallKind::Client))
                .await
                .ok()?,
            "warn" => {
                let warning = RunEvent::Warning {
                    code: object.into(),
                    text: "Mind this.".into(),
                };
                told.send(warning).await.ok()?;
            }
            "history" => {
                let said: Vec<&str> = turn
                    .history
                    .messages
                    .iter()
                    .map(|message| message.text.as_str())
                    .collect();
                say(&told, &block, &format!("[{}]", said.join("|"))).await?;
            }
            "pause" => tokio::time::sleep(std::time::Duration::from_millis(15)).await,
            "fail" => {
                let failed = RunEvent::Failed {
                    code: "scripted".into(),
                    text: "It failed, as asked.".into(),
                    retryable: false,
                };
                return told.send(failed).await.ok();
            }
            "vanish" => return None,
            "panic" => panic!("as asked"),
            "deaf" => deaf = true,
            _ => say(&told, &block, &format!("{step} ")).await?,
        }
    }
    end(&told, block).await
}

async fn say(told: &Told, block: &str, delta: &str) -> Option<()> {
    let delta = RunEvent::TextDelta {
        id: block.to_owned(),
        delta: delta.to_owned(),
    };
    told.send(delta).await.ok()
}

fn call(id: &str, name: &str, kind: ToolCallKind) -> RunEvent {
    RunEvent::ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        input: match name {
            "request_user_selection" => serde_json::json!({
                "prompt": "Which one?", "options": [], "selectionType": "single", "inputType": "dropdown",
            }),
            _ => Value::Object(serde_json::Map::new()),
        },
        kind,
    }
}

async fn end(told: &Told, block: String) -> Option<()> {
    told.send(RunEvent::TextFinished { id: block }).await.ok()?;
    let finished = RunEvent::Finished {
        reason: FinishReason::Stop,
        source: Source::Rules,
        usage: None,
    };
    told.send(finished).await.ok()
}
