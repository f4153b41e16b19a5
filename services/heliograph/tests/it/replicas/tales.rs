//! A model that writes tales, each as long as the test needs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use test_support::provider::{Dialect, Gate, ModelServer, Script, Seen, Turn};
use tokio::time::{Instant, sleep};

/// What asks for a tale; its hero's name follows.
pub(super) const ASKS: &str = "Please tell me the tale of ";

/// Pieces of a tale after which it is held.
const HELD_AFTER: [usize; 3] = [2, 5, 8];

/// Time that a test waits for the model to be asked.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// The model.
#[derive(Debug)]
pub(super) struct Tales {
    pub(super) server: ModelServer,
    held: Arc<Mutex<VecDeque<Gate>>>,
}

impl Tales {
    pub(super) async fn start() -> Self {
        let held = Arc::<Mutex<VecDeque<Gate>>>::default();
        let gates = Arc::clone(&held);
        let script = Script::new().decide(move |seen| {
            let (turn, further) = answer(seen);
            gates.lock().unwrap().extend(further);
            Some(turn)
        });
        let server = ModelServer::start(Dialect::OpenAi, script).await.unwrap();
        Self { server, held }
    }

    /// Lets the tale continue that was held first, to where it is held next.
    pub(super) fn go_on(&self) {
        if let Some(gate) = self.held.lock().unwrap().pop_front() {
            gate.open();
        }
    }

    /// Waits until this number of halts of tales lie ahead.
    pub(super) async fn halts_are(&self, many: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.held.lock().unwrap().len() != many {
            assert!(Instant::now() < deadline, "not {many} halts: {self:?}");
            sleep(PAUSE).await;
        }
    }
}

/// The question for a tale.
pub(super) fn question(hero: &str) -> String {
    format!("{ASKS}{hero}")
}

/// A name for a number, without digits: the assistant lets no figure through that it has no reason
/// for.
pub(super) fn hero(number: usize) -> String {
    let letters = number.to_string();
    let letters = letters.bytes().map(|digit| char::from(digit - b'0' + b'a'));
    format!("Q{}", letters.collect::<String>())
}

/// The tale, sentence by sentence, with what is hard to carry in it.
pub(super) fn tale(hero: &str) -> Vec<String> {
    let acts = [
        "woke",
        "stretched",
        "looked at the sun ☀️",
        "said \"hm\"",
        "sang\u{2028}loudly",
        "slept",
        "dreamt of rain",
        "rose",
        "climbed a roof",
        "counted clouds",
        "went home",
        "lived happily ever after",
    ];
    let sentences = acts.iter().enumerate();
    sentences
        .map(|(at, act)| {
            let space = if at == 0 { "" } else { " " };
            format!("{space}{hero} {act}.")
        })
        .collect()
}

/// The model's turn, and the gates that hold it in the meantime.
fn answer(seen: &Seen) -> (Turn, Vec<Gate>) {
    if seen.wants_json() {
        let flow = json!({ "flow": "free_chat", "confidence": 0.95, "logger_ids": [], "start_date": null, "end_date": null });
        return (Turn::json(flow), Vec::new());
    }
    let Some(hero) = seen.last_user().strip_prefix(ASKS) else {
        return (Turn::text("That is how things stand."), Vec::new());
    };
    let gates = HELD_AFTER.map(|_| Gate::new());
    let turn = HELD_AFTER
        .into_iter()
        .zip(&gates)
        .fold(Turn::chunks(tale(hero)), |turn, (pieces, gate)| {
            turn.wait_after(pieces, gate)
        });
    (turn, gates.into())
}
