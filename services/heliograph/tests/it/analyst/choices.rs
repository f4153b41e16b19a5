//! A person's choices are listed and deleted through the bff, by that person alone.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::scenarios::{QUESTION, asked_which_miami};
use super::{Person, stack};

async fn listed(person: &Person) -> Vec<Value> {
    let response = person.get("/api/choices").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let list: Value = response.json().await.unwrap();
    list["choices"].as_array().unwrap().clone()
}

async fn forgotten(person: &Person, path: &str) -> Value {
    let response = person.delete(path).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    response.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn remembered_choices_are_listed_and_forgotten_by_their_owner() {
    let stack = stack(|_| ()).await;
    let ada = Person::new(&stack, "ada-chooses", "demo").await;
    let bob = Person::new(&stack, "bob-chooses", "demo").await;
    let eve = Person::new(&stack, "eve-chooses", "rival").await;
    assert!(listed(&ada).await.is_empty());
    let talk = ada.conversation("choices-1");
    asked_which_miami(&talk).await;
    talk.say("Port of Miami").await;
    let kept = listed(&ada).await;
    assert_eq!(kept.len(), 1, "{kept:?}");
    let told = ["mention", "source", "entity_type", "id", "name"]
        .map(|member| kept[0][member].as_str().unwrap());
    assert_eq!(
        told,
        ["miami", "shipping", "port", "PRT-MIA", "Port of Miami"]
    );
    // It is used, and said.
    let again = ada.conversation("choices-2").say(QUESTION).await;
    assert!(
        again.text().contains("as you chose before"),
        "{}",
        again.text()
    );
    // Neither another person of the tenant nor another tenant sees it or takes it away.
    for other in [&bob, &eve] {
        assert!(listed(other).await.is_empty());
        assert_eq!(
            forgotten(other, "/api/choices?mention=Miami").await,
            json!({ "forgotten": 0 })
        );
        assert_eq!(
            forgotten(other, "/api/choices").await,
            json!({ "forgotten": 0 })
        );
    }
    assert_eq!(listed(&ada).await.len(), 1);
    for wrong in [
        "/api/choices?mention=",
        "/api/choices?mention=%20",
        "/api/choices?words=Miami",
    ] {
        let refused = ada.delete(wrong).send().await.unwrap();
        assert!(
            refused.status().is_client_error(),
            "{wrong}: {}",
            refused.status()
        );
    }
    assert_eq!(
        listed(&ada).await.len(),
        1,
        "what was refused took nothing away"
    );
    // As written in any request, whatever its case.
    assert_eq!(
        forgotten(&ada, "/api/choices?mention=MIAMI").await,
        json!({ "forgotten": 1 })
    );
    assert!(listed(&ada).await.is_empty());
    asked_which_miami(&ada.conversation("choices-3")).await;
    // The same in words, through the assistant.
    let talk = ada.conversation("choices-4");
    asked_which_miami(&talk).await;
    talk.say("the terminal").await;
    let said = talk.say("what do you remember?").await;
    assert!(
        said.text().contains("Miami Container Terminal"),
        "{}",
        said.text()
    );
    let said = talk.say("forget all my choices").await;
    assert!(
        said.text().contains("no longer remember"),
        "{}",
        said.text()
    );
    assert!(listed(&ada).await.is_empty());
}
