//! Answers of live providers, read by the adapters and, independently, by plain folds over the
//! whole body.
//!
//! One module per provider folder of `fixtures/recordings`; each has its fold. The rest is shared:
//! [`check_answers`] cuts every recorded stream at all kinds of byte boundaries and compares;
//! [`answers`] has the recorded errors, too, [`requests`] the recorded requests.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use std::path::Path;

use bytes::Bytes;
use futures::{StreamExt, stream};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::framing::{Frame, Limits, frames};
use crate::wire::{ChatWire, Framing};
use crate::{Arguments, ChatEvent, Error, FinishReason, ResponseFormat, Usage};

/// One file: the exchanges of one conversation.
pub(crate) struct Recording {
    /// The file's name, for messages.
    pub(crate) name: String,
    pub(crate) exchanges: Vec<Exchange>,
}

/// A request and its answer.
#[derive(Deserialize)]
pub(crate) struct Exchange {
    pub(crate) when: RecordedRequest,
    pub(crate) then: RecordedAnswer,
}

#[derive(Deserialize)]
pub(crate) struct RecordedRequest {
    pub(crate) path: String,
    #[serde(deserialize_with = "or_empty")]
    pub(crate) body: String,
}

#[derive(Deserialize)]
pub(crate) struct RecordedAnswer {
    pub(crate) status: u16,
    #[serde(deserialize_with = "nothing_is_empty")]
    pub(crate) body: String,
}

/// A request without a body has none.
fn nothing_is_empty<'de, D: Deserializer<'de>>(body: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(body)?.unwrap_or_default())
}

/// Some requests have no body.
fn or_empty<'de, D: Deserializer<'de>>(body: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(body)?.unwrap_or_default())
}

/// All that is recorded in a folder of `fixtures/recordings`.
pub(crate) fn recordings(folder: &str) -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/recordings")
        .join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .collect();
    paths.sort();
    assert!(
        !paths.is_empty(),
        "nothing recorded in {}",
        folder.display()
    );
    paths
        .into_iter()
        .map(|path| Recording {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            exchanges: serde_saphyr::from_multiple(&std::fs::read_to_string(&path).unwrap())
                .unwrap(),
        })
        .collect()
}

/// The recorded requests of a folder, with the names of their files.
pub(crate) fn requests(folder: &str) -> Vec<(String, RecordedRequest)> {
    recordings(folder)
        .into_iter()
        .flat_map(|recording| {
            let name = recording.name;
            recording
                .exchanges
                .into_iter()
                .map(move |exchange| (name.clone(), exchange.when))
        })
        .collect()
}

/// The contents of an answer, from either reader.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DecodedAnswer {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) calls: Vec<DecodedCall>,
    pub(crate) reason: FinishReason,
    pub(crate) usage: Usage,
    pub(crate) model: Option<String>,
}

/// A call in an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DecodedCall {
    /// `None` in a fold: the provider gives none, any will do.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// The text itself where it is no JSON object.
    pub(crate) arguments: Value,
}

/// Reads every recorded stream of a folder, cut in all ways, and compares with what the fold makes
/// of the whole body.
pub(crate) fn check_answers(
    folder: &str,
    wire: &dyn ChatWire,
    fold: impl Fn(&str) -> DecodedAnswer,
) {
    for (name, answer) in streams(folder, wire) {
        let expected = fold(&answer.body);
        let check = |what: &str, body: &str, cuts: &[usize]| {
            let told =
                read(wire, body, cuts).unwrap_or_else(|error| panic!("{name}, {what}: {error}"));
            assert_eq!(
                with_ids_of(told, &expected),
                expected,
                "{name}, {what}, cut at {cuts:?}"
            );
        };
        let body = answer.body.as_str();
        check("whole", body, &[]);
        check("byte by byte", body, &(1..body.len()).collect::<Vec<_>>());
        check("within each character", body, &within_characters(body));
        let returned = body.replace("\r\n", "\n").replace('\n', "\r\n");
        check("with CRLF, whole", &returned, &[]);
        check("within each CRLF", &returned, &within_line_ends(&returned));
        check("without its last line end", body.trim_end(), &[]);
        at_random(body.len(), |cuts| check("at random", body, cuts));
    }
}

/// Checks that a stream which ends early is never taken for a whole one. `terminal` finds where the
/// body's last message that matters starts.
pub(crate) fn check_cut_off(folder: &str, wire: &dyn ChatWire, terminal: impl Fn(&str) -> usize) {
    for (name, answer) in streams(folder, wire) {
        let end = terminal(&answer.body);
        for length in (0..=end).step_by(1 + end / 200) {
            let Some(part) = answer.body.get(..length) else {
                continue;
            };
            let outcome = read(wire, part, &[]);
            let kind = outcome.expect_err(&name).kind;
            assert_eq!(
                kind,
                crate::ErrorKind::Truncated,
                "{name}, ended after {length} of {} bytes",
                answer.body.len()
            );
        }
    }
}

/// Reads a body that arrives in pieces.
pub(crate) fn read(
    wire: &dyn ChatWire,
    body: &str,
    cuts: &[usize],
) -> Result<DecodedAnswer, Error> {
    let body = Bytes::copy_from_slice(body.as_bytes());
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut start = 0;
    for &cut in cuts {
        pieces.push(Ok(body.slice(start..cut)));
        start = cut;
    }
    pieces.push(Ok(body.slice(start..)));
    let mut decoder = crate::written::clean(wire.decoder(), &ResponseFormat::Text);
    let mut events = Vec::new();
    let frames = frames(stream::iter(pieces), wire.framing(), Limits::default());
    futures::executor::block_on(async {
        let mut frames = frames;
        while let Some(frame) = frames.next().await {
            match frame? {
                Frame::Message { event, data } => {
                    decoder.message(&event, &data, &mut events)?;
                }
                Frame::End { stray } if !decoder.is_finished() => {
                    decoder.end(&stray, &mut events)?;
                }
                Frame::End { .. } => {}
            }
        }
        Ok(told(&events))
    })
}

/// The contents of the events. They have to be as the interface promises: no empty text, one end,
/// and nothing after it.
fn told(events: &[ChatEvent]) -> DecodedAnswer {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    let (last, before) = events.split_last().expect("an answer has an end");
    for event in before {
        match event {
            ChatEvent::Text(more) => {
                assert!(!more.is_empty());
                text.push_str(more);
            }
            ChatEvent::Reasoning(more) => {
                assert!(!more.is_empty());
                reasoning.push_str(more);
            }
            ChatEvent::Call(call) => calls.push(DecodedCall {
                id: Some(call.id.clone()),
                name: call.name.clone(),
                arguments: match &call.arguments {
                    Arguments::Object(members) => Value::Object(members.clone()),
                    Arguments::Broken(text) => Value::String(text.clone()),
                },
            }),
            ChatEvent::Finished(_) => panic!("an answer ended twice"),
        }
    }
    let ChatEvent::Finished(finished) = last else {
        panic!("an answer ended with {last:?}");
    };
    DecodedAnswer {
        text,
        reasoning,
        calls,
        reason: finished.reason,
        usage: finished.usage,
        model: finished.model.clone(),
    }
}

/// Forgets the ids of calls that the provider gave none, after a look at whether they are good for
/// anything.
fn with_ids_of(mut told: DecodedAnswer, expected: &DecodedAnswer) -> DecodedAnswer {
    let ids: std::collections::HashSet<_> = told.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), told.calls.len(), "two calls have the same id");
    for (call, expected) in told.calls.iter_mut().zip(&expected.calls) {
        assert_ne!(call.id.as_deref(), Some(""));
        if expected.id.is_none() {
            call.id = None;
        }
    }
    told
}

/// The recorded answers of a folder that are wanted, with the names of their files: streams by
/// status 200, errors by any other.
pub(crate) fn answers(
    folder: &str,
    wanted: impl Fn(&RecordedAnswer) -> bool,
) -> Vec<(String, RecordedAnswer)> {
    recordings(folder)
        .into_iter()
        .flat_map(|recording| {
            let name = recording.name;
            recording
                .exchanges
                .into_iter()
                .map(move |exchange| (name.clone(), exchange.then))
        })
        .filter(|(_, answer)| wanted(answer))
        .collect()
}

/// The recorded streams of a folder. Some files hold other exchanges, too, whose answers are one
/// JSON value.
fn streams(folder: &str, wire: &dyn ChatWire) -> Vec<(String, RecordedAnswer)> {
    answers(folder, |answer| {
        let is_value = wire.framing() == Framing::Events && answer.body.starts_with('{');
        answer.status == 200 && !is_value
    })
}

/// Within every character of more than one byte.
fn within_characters(body: &str) -> Vec<usize> {
    (1..body.len())
        .filter(|&index| !body.is_char_boundary(index))
        .collect()
}

/// Between the two halves of every CRLF.
fn within_line_ends(body: &str) -> Vec<usize> {
    body.match_indices("\r\n").map(|(at, _)| at + 1).collect()
}

/// Some ways to cut, the same in each run.
fn at_random(length: usize, check: impl Fn(&[usize])) {
    let config = Config {
        cases: 8,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(
            &prop::collection::btree_set(1..length.max(2), 0..40),
            |cuts| {
                let cuts: Vec<_> = cuts.into_iter().filter(|&cut| cut < length).collect();
                check(&cuts);
                Ok(())
            },
        )
        .unwrap();
}
