//! A model that writes tales, each as long as the test needs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use test_support::provider::{Dialect, Gate, ModelServer, Script, Seen, Turn};
use tokio::time::{Instant, sleep};

/// What asks for a tale; its hero's name follows.
pub(crate) const ASKS: &str = "Please tell me the tale of ";

/// Pieces of a tale after which it is held.
const HELD_AFTER: [usize; 3] = [2, 5, 8];

/// Time that a test waits for the model to be asked.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// The model.
#[derive(Debug)]
pub(crate) struct Tales {
    pub(crate) server: ModelServer,
    held: Arc<Mutex<VecDeque<Gate>>>,
}

impl Tales {
    pub(crate) async fn start() -> Self {
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
    pub(crate) fn go_on(&self) {
        if let Some(gate) = self.held.lock().unwrap().pop_front() {
            gate.open();
        }
    }

    /// Waits until this number of halts of tales lie ahead.
    pub(crate) async fn halts_are(&self, many: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.held.lock().unwrap().len() != many {
            assert!(Instant::now() < deadline, "not {many} halts: {self:?}");
            sleep(PAUSE).await;
        }
    }
}

/// The question for a tale.
pub(crate) fn question(hero: &str) -> String {
    format!("{ASKS}{hero}")
}

/// A name for a number, without digits: the assistant lets no figure through that it has no reason
/// for.
pub(crate) fn hero(number: usize) -> String {
    let letters = number.to_string();
    let letters = letters.bytes().map(|digit| char::from(digit - b'0' + b'a'));
    format!("Q{}", letters.collect::<String>())
}

/// The tale, sentence by sentence, with what is hard to carry in it. The assistant lets only
/// courtesy through, since a tale is about no data. So each letter of the hero's name is a
/// sentence.
pub(crate) fn tale(hero: &str) -> Vec<String> {
    const OF_LETTERS: [&str; 10] = [
        "Let me ask.",
        "Let me check.",
        "Let me explain.",
        "Let me help.",
        "Let me know.",
        "Let me see.",
        "I will ask.",
        "I will check.",
        "I will explain.",
        "I will help.",
    ];
    let letters = hero.bytes().skip(1);
    let of_letters = letters.map(|letter| OF_LETTERS[usize::from(letter - b'a')]);
    let begin = ["Hello.", "Good morning.", "Let me see."];
    let end = [
        "Let me \"check\".",
        "Let me\u{2028}explain.",
        "Glad to help.",
        "Happy to assist.",
        "Good evening.",
        "Thank you.",
    ];
    let sentences = begin.into_iter().chain(of_letters).chain(end).enumerate();
    sentences
        .map(|(at, sentence)| {
            let space = if at == 0 { "" } else { " " };
            format!("{space}{sentence}")
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
