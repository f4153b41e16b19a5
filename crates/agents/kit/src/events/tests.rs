use contracts::run::{Channel, FinishReason, RunEvent as Event, Source, ToolCallKind};
use serde_json::Value;

use super::*;

fn started() -> Event {
    Event::Started {
        thread_id: "t".to_owned(),
        run_id: "r".to_owned(),
        message_id: "m".to_owned(),
    }
}

fn route() -> Event {
    Event::Route {
        flow: "free_chat".to_owned(),
        confidence: 1.0,
        source: Source::Rules,
    }
}

fn text(id: &str) -> [Event; 3] {
    [
        Event::TextStarted {
            id: id.to_owned(),
            channel: Channel::Final,
        },
        Event::TextDelta {
            id: id.to_owned(),
            delta: "words".to_owned(),
        },
        Event::TextFinished { id: id.to_owned() },
    ]
}

fn call(id: &str, kind: ToolCallKind) -> Event {
    Event::ToolCall {
        id: id.to_owned(),
        name: "tool".to_owned(),
        input: Value::Null,
        kind,
    }
}

fn result(id: &str) -> Event {
    Event::ToolResult {
        id: id.to_owned(),
        output: Value::Null,
        ok: true,
    }
}

fn finished(reason: FinishReason) -> Event {
    Event::Finished {
        reason,
        source: Source::Rules,
        usage: None,
    }
}

fn step(events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    [Event::StepStarted]
        .into_iter()
        .chain(events)
        .chain([Event::StepFinished])
        .collect()
}

fn run(steps: Vec<Vec<Event>>, reason: FinishReason) -> Vec<Event> {
    let steps = steps.into_iter().flatten();
    [started(), route()]
        .into_iter()
        .chain(steps)
        .chain([finished(reason)])
        .collect()
}

fn good() -> Vec<Event> {
    run(
        vec![
            step([call("c1", ToolCallKind::Server), result("c1")]),
            step(text("t1")),
        ],
        FinishReason::Stop,
    )
}

#[test]
fn a_lawful_run_passes() {
    check_laws(&good()).unwrap();
    let asked = run(
        vec![step(
            text("t1")
                .into_iter()
                .chain([call("c1", ToolCallKind::Client)]),
        )],
        FinishReason::ToolCalls,
    );
    check_laws(&asked).unwrap();
}

#[test]
fn every_breach_is_found() {
    for (name, events) in breaches_of_frame()
        .into_iter()
        .chain(breaches_of_calls())
        .chain(breaches_of_steps())
    {
        assert!(check_laws(&events).is_err(), "{name}");
    }
}

type Case = (&'static str, Vec<Event>);

fn breaches_of_frame() -> Vec<Case> {
    let stop = FinishReason::Stop;
    vec![
        ("no start", good().split_off(1)),
        ("no end", good()[..good().len() - 1].to_vec()),
        (
            "two ends",
            good().into_iter().chain([finished(stop)]).collect(),
        ),
        (
            "something after the end",
            good().into_iter().chain([Event::StepStarted]).collect(),
        ),
        (
            "no route",
            [started()]
                .into_iter()
                .chain(step(text("t1")))
                .chain([finished(stop)])
                .collect(),
        ),
    ]
}

fn breaches_of_calls() -> Vec<Case> {
    let server = |id: &str| call(id, ToolCallKind::Server);
    let client = |id: &str| call(id, ToolCallKind::Client);
    let stopped = |steps| run(steps, FinishReason::Stop);
    let asked = |steps| run(steps, FinishReason::ToolCalls);
    vec![
        (
            "a result of another run",
            stopped(vec![step([result("c0")]), step(text("t1"))]),
        ),
        (
            "two results",
            stopped(vec![
                step([server("c1"), result("c1"), result("c1")]),
                step(text("t1")),
            ]),
        ),
        (
            "no result",
            stopped(vec![step([server("c1")]), step(text("t1"))]),
        ),
        (
            "a late result",
            stopped(vec![
                step([server("c1")]),
                step([result("c1")]),
                step(text("t1")),
            ]),
        ),
        (
            "an id used twice",
            stopped(vec![
                step([server("c1"), result("c1"), server("c1"), result("c1")]),
                step(text("t1")),
            ]),
        ),
        (
            "a picker answered at once",
            asked(vec![step([client("c1"), result("c1")])]),
        ),
        (
            "two pickers",
            asked(vec![step([client("c1"), client("c2")])]),
        ),
        ("a picker and stop", stopped(vec![step([client("c1")])])),
        ("no picker and tool calls", asked(vec![step(text("t1"))])),
        (
            "the last step holds finished calls",
            stopped(vec![step(
                text("t1").into_iter().chain([server("c1"), result("c1")]),
            )]),
        ),
    ]
}

fn breaches_of_steps() -> Vec<Case> {
    let stopped = |steps| run(steps, FinishReason::Stop);
    let [begin, _, end] = text("t1");
    vec![
        (
            "a text outside of a step",
            stopped(vec![text("t1").to_vec(), step(text("t2"))]),
        ),
        (
            "an empty text",
            stopped(vec![step([begin.clone(), end]), step(text("t2"))]),
        ),
        (
            "a call within a text",
            stopped(vec![
                step([begin, call("c1", ToolCallKind::Server)]),
                step(text("t2")),
            ]),
        ),
        (
            "nested steps",
            stopped(vec![vec![Event::StepStarted], step(text("t1"))]),
        ),
        ("an open step", stopped(vec![vec![Event::StepStarted]])),
    ]
}

#[test]
fn a_run_cut_anywhere_is_closed_lawfully() {
    let whole = good();
    for length in 1..whole.len() {
        for stopped in [true, false] {
            let mut ledger = OpenEvents::default();
            let mut events = whole[..length].to_vec();
            for event in &events {
                ledger.note(event);
            }
            let last = if stopped {
                ledger.stopped(&Account::default())
            } else {
                ledger.failed()
            };
            events.extend(last);
            let breaches = check_laws(&events).err().unwrap_or_default();
            // What a cut text lacks are only its words.
            let serious: Vec<_> = breaches
                .iter()
                .filter(|breach| !breach.contains("no words"))
                .collect();
            assert!(serious.is_empty(), "{length} {stopped}: {serious:?}");
        }
    }
}
