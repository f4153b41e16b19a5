//! Two orchestrators in processes of their own on one PostgreSQL, under load, killed at random and
//! stopped: no message is lost or there twice, no run is left behind, and the user who comes back
//! reads its answer whole.

mod bench;
pub(crate) mod checks;
pub(crate) mod client;
pub(crate) mod dice;
mod hold;
pub(crate) mod tales;
pub(crate) mod transcript;

use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use bench::{Bench, Patience, Replica};
use checks::{Stored, Tally};
use client::{Answered, Client, Progress, Wanted};
use dice::Dice;
use hold::Hold;
use transcript::Dialect;

/// Names a seed to use in place of the ones below, to repeat a failure or to look for one.
const SEED_VARIABLE: &str = "HELIOGRAPH_TEST_SEED";
const SEEDS: [u64; 1] = [4];

const THREADS: usize = 4;
const CLIENTS: usize = 8;
const MESSAGES: usize = 5;
const KILLS: usize = 6;

/// Number of times that a tale continues that is held.
const TIDE: Duration = Duration::from_millis(60);

/// Longer than a lease: what was frozen wakes up to runs that are not its own any more.
const FROZEN: Duration = Duration::from_secs(3);

/// Everything has to be over by then, on the slowest machine.
const END: Duration = Duration::from_secs(150);

/// Questions that the rules answer.
const QUESTIONS: [&str; 3] = ["hi", "Morning briefing", "Check the health of LTI-INV-001"];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_orchestrators_are_killed_under_load() {
    for seed in seeds() {
        // Shown when it fails.
        eprintln!("seed {seed}");
        let tally = timeout(END, under_fire(seed)).await;
        let tally = tally.unwrap_or_else(|_| panic!("seed {seed} took too long"));
        eprintln!("{tally:?}");
        assert!(
            tally.broken > 0 && tally.again > 0,
            "no kill met a client: {tally:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_orchestrator_that_is_told_to_stop_ends_its_runs_or_hands_them_over() {
    // No run waits for a lease to run out, or for a user to look: what is left behind is given
    // away.
    let patience = Patience {
        lease: Duration::from_secs(90),
        recovery: Duration::from_secs(90),
        drain: Duration::from_secs(4),
    };
    let bench = Bench::start("stop", patience).await;
    let [stops, stays] = &bench.replicas;
    let progress = watch::Sender::default();
    let ask = |thread: &str, hero: usize, dialect, at| {
        let wanted = Wanted {
            key: format!("stop-{hero}"),
            thread: thread.to_owned(),
            dialect,
            enqueue: true,
            text: tales::question(&tales::hero(hero)),
        };
        talk_at(&bench, &progress, wanted, at)
    };
    // One look for both who wait for it: what the one then does must not hide it from the other.
    let both_are_held = bench.tales.halts_are(6).shared();
    let script = async {
        both_are_held.clone().await;
        stops.terminate();
        stops.refuses(&bench.http).await;
        for _ in 0..3 {
            bench.tales.go_on();
        }
        let status = stops.stopped().await;
        assert!(status.success(), "{status}");
        tide(&bench).await;
    };
    let clients = async {
        let first = ask("ends-in-time", 1, Dialect::UiMessages, stops);
        let after_first = async {
            bench.tales.halts_are(3).await;
            let handed_over = ask("handed-over", 2, Dialect::NamedEvents, stops);
            let after_it = async {
                both_are_held.clone().await;
                ask("handed-over", 3, Dialect::AgentEvents, stays).await
            };
            tokio::join!(handed_over, after_it)
        };
        let (ended, (handed_over, waited)) = tokio::join!(first, after_first);
        [ended, handed_over, waited]
    };
    let all = tokio::select! {
        all = timeout(END, clients) => all.unwrap(),
        () = script => unreachable!("it has no end"),
    };
    let tally = Stored::read(bench.pool()).await.check(&all);
    assert_eq!(
        (tally.again, tally.cut_short, tally.without_tools),
        (1, 0, 0),
        "{all:#?}"
    );
    let [ended, handed_over, waited] = &all;
    assert_eq!((ended.transcript.attempt(), ended.broken), (Some(0), 0));
    assert_eq!(handed_over.transcript.attempt(), Some(1));
    assert_eq!((waited.transcript.attempt(), waited.broken), (Some(0), 0));
    let log = stays.log();
    let says = |what: &str| log.contains(what);
    assert!(
        says("a run whose process was stopped begins again"),
        "{log}"
    );
    assert!(!says("a run whose process died"), "{log}");
    drop(both_are_held);
    bench.stop().await;
}

fn seeds() -> Vec<u64> {
    #[expect(
        clippy::disallowed_methods,
        reason = "tests have no main that could read it"
    )]
    let named = std::env::var(SEED_VARIABLE);
    named.map_or_else(|_| SEEDS.to_vec(), |seed| vec![seed.parse().unwrap()])
}

async fn under_fire(seed: u64) -> Tally {
    let patience = Patience {
        lease: Duration::from_secs(2),
        recovery: Duration::from_millis(400),
        drain: Duration::from_secs(5),
    };
    let bench = Bench::start(&format!("fire-{seed}"), patience).await;
    let progress = watch::Sender::default();
    let clients = (0..CLIENTS).map(|number| talk(&bench, &progress, seed, number));
    let all: Vec<Answered> = tokio::select! {
        all = join_all(clients) => all.into_iter().flatten().collect(),
        () = fire(&bench, progress.subscribe(), Dice::new(seed, 0)) => unreachable!("it has no end"),
        () = tide(&bench) => unreachable!("it has no end"),
    };
    let stored = Stored::read(bench.pool()).await;
    let tally = stored.check(&all);
    assert_eq!(tally.without_tools, 0, "the tools service was never away");
    bench.tales.server.assert_accepted();
    bench.stop().await;
    tally
}

/// One message, first sent to this orchestrator.
async fn talk_at(
    bench: &Bench,
    progress: &watch::Sender<Progress>,
    wanted: Wanted,
    at: &Replica,
) -> Answered {
    let mut client = Client {
        bench,
        dice: Dice::new(0, 0),
        progress,
    };
    client.ask(wanted, Some(at)).await.unwrap()
}

/// One client's messages, one after the other.
async fn talk(
    bench: &Bench,
    progress: &watch::Sender<Progress>,
    seed: u64,
    number: usize,
) -> Vec<Answered> {
    let mut client = Client {
        bench,
        dice: Dice::new(seed, 1 + number as u64),
        progress,
    };
    let mut all = Vec::new();
    for message in 0..MESSAGES {
        let dice = &mut client.dice;
        let text = if dice.one_in(3) {
            QUESTIONS[dice.below(QUESTIONS.len())].to_owned()
        } else {
            tales::question(&tales::hero(number * MESSAGES + message))
        };
        let wanted = Wanted {
            key: format!("{seed}-{number}-{message}"),
            thread: format!("shared-{}", dice.below(THREADS)),
            dialect: Dialect::ALL[dice.below(Dialect::ALL.len())],
            enqueue: dice.one_in(2),
            text,
        };
        let answered = client.ask(wanted, None).await;
        all.push(answered.unwrap_or_else(|error| panic!("seed {seed}: {error}")));
    }
    all
}

/// Kills one or the other while there is much to do, and starts it again, or freezes it until its
/// runs are another's; then waits forever.
async fn fire(bench: &Bench, mut progress: watch::Receiver<Progress>, mut dice: Dice) {
    const ALL: usize = CLIENTS * MESSAGES;
    for kill in 1..=KILLS {
        let answers = kill * ALL / (KILLS + 2);
        let _ = progress.wait_for(|now| now.answers >= answers).await;
        some_frames(&mut progress, dice.below(40)).await;
        let victim = &bench.replicas[dice.below(2)];
        if dice.one_in(3) {
            victim.freeze(FROZEN).await;
            continue;
        }
        victim.kill().await;
        some_frames(&mut progress, dice.below(20)).await;
        victim.start();
    }
    std::future::pending::<()>().await;
}

/// Waits until clients have read `more` further frames; not for long, as there may be no process
/// that writes any.
async fn some_frames(progress: &mut watch::Receiver<Progress>, more: usize) {
    let frames = progress.borrow().frames + more;
    let _ = timeout(
        Duration::from_secs(1),
        progress.wait_for(|now| now.frames >= frames),
    )
    .await;
}

/// Lets tales continue, one after the other.
async fn tide(bench: &Bench) {
    let mut tide = interval(TIDE);
    tide.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tide.tick().await;
        bench.tales.go_on();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_remembered_and_not_stored_is_given_again() {
    let patience = Patience {
        lease: Duration::from_secs(2),
        recovery: Duration::from_millis(300),
        drain: Duration::from_secs(4),
    };
    let bench = Bench::start("memory", patience).await;
    let [dies, lives] = &bench.replicas;
    let progress = watch::Sender::default();
    let ask = |text: &str, at| {
        let wanted = Wanted {
            key: text.replace(' ', "-"),
            thread: "picks".to_owned(),
            dialect: Dialect::UiMessages,
            enqueue: false,
            text: text.to_owned(),
        };
        talk_at(&bench, &progress, wanted, at)
    };
    let question = ask("Check the health", lives).await;
    let hold = Hold::answers(bench.pool()).await;
    let script = async {
        hold.reached(bench.pool()).await;
        dies.kill().await;
        hold.release(bench.pool()).await;
        std::future::pending::<()>().await;
    };
    let answer = tokio::select! {
        answer = timeout(END, ask("Selected: LTI-INV-001", dies)) => answer.unwrap(),
        () = script => unreachable!("it has no end"),
    };
    assert_eq!(answer.transcript.attempt(), Some(1));
    assert!(
        answer
            .transcript
            .words()
            .starts_with("Got it, LTI-INV-001."),
        "the picker was still open: {answer:#?}"
    );
    let all = [question, answer];
    Stored::read(bench.pool()).await.check(&all);
    bench.stop().await;
}
