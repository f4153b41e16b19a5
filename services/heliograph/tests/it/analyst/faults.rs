//! Restarts, kills, unavailable sources, and unexpected acts of users.

use std::time::Duration;

use reqwest::StatusCode;
use secrecy::ExposeSecret;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tools::demo::shipping;

use super::scenarios::{FIVE, QUESTION, asked_which_miami, complete};
use super::{Person, stack};
use crate::demo_stack::DemoStack;

#[tokio::test(flavor = "multi_thread")]
async fn an_open_question_survives_a_restart() {
    let stack = stack(|_| {}).await;
    {
        let person = Person::demo(&stack).await;
        asked_which_miami(&person.conversation("restart")).await;
    }
    let stack = stack.restart().await;
    let person = Person::demo(&stack).await;
    let conversation = person.conversation("restart");
    assert_eq!(conversation.state().await.status, "interrupted");
    let answer = conversation.say("the first one").await;
    assert!(answer.text().contains("142"), "{}", answer.text());
    assert_eq!(conversation.state().await.attempts().len(), 6);
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_its_owners_and_is_answered_once() {
    let stack = stack(|_| {}).await;
    let person = Person::demo(&stack).await;
    let conversation = person.conversation("owned");
    asked_which_miami(&conversation).await;
    // Another user has a thread of that name of their own, and no way to this one.
    let other = Person::new(&stack, "eve", "demo").await;
    let state = other.get("/api/threads/owned/state").send().await.unwrap();
    assert_eq!(state.status(), StatusCode::NOT_FOUND);
    let theirs = other.conversation("owned").say("Port of Miami").await;
    assert!(!theirs.text().contains("142"), "{}", theirs.text());
    assert_eq!(conversation.state().await.attempts().len(), 1);
    // Two answers at once: one is taken, the other is refused or finds nothing open.
    let (one, two) = tokio::join!(
        conversation.request("Port of Miami").send(),
        conversation.request("Miami Container Terminal").send()
    );
    let statuses = [one.unwrap(), two.unwrap()].map(|response| response.status());
    assert!(statuses.contains(&StatusCode::OK), "{statuses:?}");
    assert!(statuses.contains(&StatusCode::CONFLICT), "{statuses:?}");
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_comes_back_is_asked_what_is_left() {
    let gate = Gate::default();
    let stack = Box::pin(DemoStack::start_with(|config| {
        let mut source = shipping::source().unwrap();
        let database = config.tools.database.url.as_ref().unwrap();
        source.url = Some(gate.before(database.expose_secret()).into());
        source.limits.timeout_ms = 2_000;
        config.tools.sources.push(source);
    }))
    .await;
    let person = Person::new(&stack, "rosa", "rival").await;
    // The first question has the names read in the background. Once they are known, only the query
    // meets a source that is away.
    person.conversation("before").say(QUESTION).await;
    let mut tries = 0..300;
    let (conversation, answer) = loop {
        let conversation = person.conversation(&format!("down-{}", tries.next().unwrap()));
        gate.close();
        let answer = conversation.say(QUESTION).await;
        if conversation.state().await.attempts().len() > 1 {
            break (conversation, answer);
        }
        gate.open();
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let known = conversation.state().await;
    let attempts = known.attempts();
    let (last, before) = attempts.split_last().unwrap();
    assert_eq!(last.1, "error", "{answer:?}");
    assert_eq!(before, complete(&FIVE[..before.len()]));
    assert!(before.len() >= 2, "{attempts:?}");
    let done = before.len();
    assert_eq!(known.values["current_task_key"], FIVE[done]);
    assert!(answer.text().contains("shipping"), "{}", answer.text());
    assert!(answer.text().contains("continue"), "{}", answer.text());
    assert!(!answer.text().contains("127.0.0.1"), "{}", answer.text());

    gate.open();
    let answer = conversation.say("continue").await;
    let known = conversation.state().await;
    let attempts = known.attempts();
    assert_eq!(attempts.len(), 6, "{answer:?}");
    assert_eq!(
        attempts[done + 1..],
        complete(&FIVE[done..]),
        "what was done is not done again"
    );
    stack.stop().await;
}

/// A proxy before a database that accepts no connections while it is closed.
#[derive(Clone, Default)]
struct Gate {
    closed: watch::Sender<bool>,
}

impl Gate {
    /// The address of the gate before the database of this address.
    fn before(&self, url: &str) -> String {
        let mut url = reqwest::Url::parse(url).unwrap();
        let database = (url.host_str().unwrap().to_owned(), url.port().unwrap());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port()))
            .unwrap();
        tokio::spawn(self.clone().keep(listener, database));
        url.into()
    }

    async fn keep(self, listener: std::net::TcpListener, database: (String, u16)) {
        let listener = TcpListener::from_std(listener).unwrap();
        while let Ok((mut client, _)) = listener.accept().await {
            let (mut closed, database) = (self.closed.subscribe(), database.clone());
            tokio::spawn(async move {
                if *closed.borrow() {
                    return;
                }
                let mut server = TcpStream::connect(database).await.unwrap();
                tokio::select! {
                    _ = copy_bidirectional(&mut client, &mut server) => {}
                    _ = closed.wait_for(|closed| *closed) => {}
                }
            });
        }
    }

    fn close(&self) {
        self.closed.send_replace(true);
    }

    fn open(&self) {
        self.closed.send_replace(false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn continue_and_cancel_mean_what_they_say() {
    let stack = stack(|_| {}).await;
    let person = Person::demo(&stack).await;
    // Nothing is open.
    let nothing = person.conversation("nothing");
    let answer = nothing.say("continue").await;
    assert!(!answer.text().is_empty());
    assert!(
        nothing.state().await.values["entries"]
            .as_array()
            .is_none_or(Vec::is_empty)
    );
    // A question is not skipped.
    let asked = person.conversation("repeat");
    asked_which_miami(&asked).await;
    let answer = asked.say("continue").await;
    assert_eq!(
        answer.options(),
        ["Port of Miami", "Miami Container Terminal"]
    );
    assert_eq!(asked.state().await.attempts().len(), 2);
    // Cancelled is cancelled, without a plan in its place.
    asked.say("never mind").await;
    let known = asked.state().await;
    assert_eq!(
        (known.lists(), known.attempts().len()),
        (vec!["aborted"], 2)
    );
    assert_eq!(known.status, "idle");
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mentions_may_be_many_misspelt_or_unknown() {
    let stack = stack(|_| {}).await;
    let person = Person::demo(&stack).await;
    let misspelt = person.conversation("misspelt");
    let answer = misspelt.say("Show shipments to Roterdam last week").await;
    assert!(
        answer.text().contains("Rotterdam") || answer.options().contains(&"Port of Rotterdam"),
        "{answer:?}"
    );
    let many = person.conversation("many");
    let answer = many
        .say("Show shipments from Cartagena to Miami last month")
        .await;
    let question = format!("{:?}", answer.events);
    assert!(
        question.contains("Cartagena (Colombia)") && question.contains("Miami Container Terminal"),
        "{question}"
    );
    assert_eq!(
        many.state().await.attempts().len(),
        1,
        "both are one question"
    );
    let unknown = person.conversation("unknown");
    let answer = unknown.say("Show shipments to Atlantis last week").await;
    assert!(answer.text().contains("Atlantis"), "{}", answer.text());
    stack.stop().await;
}
