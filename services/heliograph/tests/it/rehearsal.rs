//! A dress rehearsal of an installation: the three programs with the configuration of the images
//! and of compose, two processes each, behind proxies that lead to what is ready. They start cold
//! in random order, and are killed, drained and replaced one by one while clients ask.
//!
//! The short form is a test; `just rehearse 20` does twenty rounds, with figures.

mod client;
mod compose;
mod fleet;
mod proxy;

use std::time::Duration;

use futures::future::join_all;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::replicas::checks::Stored;
use crate::replicas::dice::Dice;
use client::{Client, Counts};
pub(crate) use compose::of_image;
use fleet::{Fleet, SERVICES};

/// Number of rounds; a round kills and replaces a process of each service.
const ROUNDS_VARIABLE: &str = "HELIOGRAPH_TEST_ROUNDS";

/// The seed of the order of everything.
const SEED_VARIABLE: &str = "HELIOGRAPH_TEST_SEED";

const CLIENTS: usize = 4;

/// Time between two pieces of an answer of the model.
const PACE: Duration = Duration::from_millis(40);

/// Everything has to be over by then, per round, on the slowest machine.
const ROUND_TAKES: Duration = Duration::from_mins(4);

/// What happens to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// It ends at once, and is started again.
    Kill,
    /// Another one starts, and takes over; this one finishes and ends.
    Replace,
}

/// The figures of a rehearsal.
#[derive(Debug, Default)]
struct Figures {
    cold_start: Duration,
    kills: Vec<Duration>,
    replacements: Vec<Duration>,
    /// The steps in their order.
    steps: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cold_start_kills_and_replacements_under_load_lose_nothing() {
    let rounds = number(ROUNDS_VARIABLE).unwrap_or(1);
    let seed = number(SEED_VARIABLE).unwrap_or(7);
    eprintln!("seed {seed}, rounds {rounds}");
    let fleet = Fleet::new().await;
    let progress = watch::Sender::new(0);
    let (stop, stopped) = watch::channel(false);
    let clients = (0..CLIENTS).map(|number| {
        let client = Client::new(&fleet, Dice::new(seed, 1 + number as u64), number);
        client.talk(&progress, stopped.clone())
    });
    let script = async {
        let figures = perform(&fleet, &mut Dice::new(seed, 0), rounds, &progress).await;
        stop.send_replace(true);
        figures
    };
    let rounds = u32::try_from(rounds).unwrap();
    let all = async { tokio::join!(join_all(clients), script) };
    let (clients, figures) = tokio::select! {
        all = timeout(ROUND_TAKES * rounds, all) => all.unwrap_or_else(|_| panic!("it takes too long")),
        () = tide(&fleet) => unreachable!("it has no end"),
    };

    let answered: Vec<_> = clients.into_iter().flatten().collect();
    let mut counts = Counts::default();
    for (_, of) in &answered {
        counts.add(of);
    }
    let answered: Vec<_> = answered.into_iter().map(|(answered, _)| answered).collect();
    let tally = Stored::read(fleet.pool()).await.check(&answered);
    fleet.model().server.assert_accepted();
    fleet.stop().await;
    eprintln!("{}", figures.steps.join("\n"));
    let ms = |times: &[Duration]| -> Vec<u128> { times.iter().map(Duration::as_millis).collect() };
    eprintln!(
        "{} messages answered, each once; {} runs begun again, {} cut short\n\
         {} requests, answered with {:?}; connections that broke: {} before the first answer, {} at \
         kills, {} else\n\
         {} answers without tools, while the tools service was away; {} of them in place of a tale\n\
         first answer {} ms after the cold start; slowest answer {} ms\n\
         killed processes were ready again after {:?} ms\n\
         replaced processes ended after {:?} ms",
        answered.len(),
        tally.again,
        tally.cut_short,
        counts.requests,
        counts.statuses,
        counts.broken_cold,
        counts.broken_at_kills,
        counts.broken_outside_kills,
        counts.without_tools,
        tally.without_tools,
        figures.cold_start.as_millis(),
        counts.slowest.as_millis(),
        ms(&figures.kills),
        ms(&figures.replacements),
    );
    assert!(
        counts.unexpected.is_empty(),
        "a request that is not answered says 503: {counts:?}"
    );
    assert_eq!(tally.cut_short, 0, "no run is lost");
    assert_eq!(
        counts.broken_outside_kills, 0,
        "a replaced process finishes what it began: {counts:?}"
    );
    assert!(answered.len() >= CLIENTS, "{counts:?}");
}

/// Starts everything in random order while clients ask already; then the rounds.
async fn perform(
    fleet: &Fleet,
    dice: &mut Dice,
    rounds: usize,
    progress: &watch::Sender<usize>,
) -> Figures {
    let mut figures = Figures::default();
    let started = Instant::now();
    let mut order: Vec<(usize, usize)> = (0..SERVICES.len() * 2).map(|i| (i / 2, i % 2)).collect();
    shuffle(&mut order, dice);
    figures
        .steps
        .push(format!("started in the order {order:?}"));
    for (service, place) in order {
        fleet.start(service, place).await;
    }
    answers(progress, 1).await;
    figures.cold_start = started.elapsed();
    for _ in 0..rounds {
        let mut acts: Vec<(Act, usize)> = [Act::Kill, Act::Replace]
            .into_iter()
            .flat_map(|act| (0..SERVICES.len()).map(move |service| (act, service)))
            .collect();
        shuffle(&mut acts, dice);
        for (act, service) in acts {
            // Between two acts, work is in progress.
            answers(progress, 2).await;
            let place = dice.below(2);
            let began = Instant::now();
            match act {
                Act::Kill => {
                    fleet.kill(service, place).await;
                    figures.kills.push(began.elapsed());
                }
                Act::Replace => {
                    fleet.replace(service, place).await;
                    figures.replacements.push(began.elapsed());
                }
            }
            let (name, took) = (SERVICES[service], began.elapsed());
            let step = format!("{act:?} {name} {place}: {} ms", took.as_millis());
            figures.steps.push(step);
        }
    }
    answers(progress, 2).await;
    figures
}

/// Waits until clients have got `more` further answers.
async fn answers(progress: &watch::Sender<usize>, more: usize) {
    let mut progress = progress.subscribe();
    let enough = *progress.borrow() + more;
    let _ = progress.wait_for(|now| *now >= enough).await;
}

/// Lets the model's answers continue.
async fn tide(fleet: &Fleet) {
    let mut tide = interval(PACE);
    tide.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tide.tick().await;
        fleet.model().go_on();
    }
}

fn shuffle<T>(items: &mut [T], dice: &mut Dice) {
    for at in (1..items.len()).rev() {
        items.swap(at, dice.below(at + 1));
    }
}

fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    #[expect(
        clippy::disallowed_methods,
        reason = "tests have no main that could read it"
    )]
    let named = std::env::var(variable).ok()?;
    named.parse().ok()
}
