use super::*;
use crate::ChatEvent;
use crate::testing::{Script, Scripted, answer, at_once, failure};

fn fallback(scripts: [Script; 3]) -> (Vec<Arc<Scripted>>, Fallback) {
    let models: Vec<Arc<Scripted>> = ["a", "b", "c"]
        .into_iter()
        .zip(scripts)
        .map(|(name, script)| Scripted::new(name, [script]))
        .collect();
    let others = models[1..]
        .iter()
        .map(|model| model.clone() as Arc<dyn ChatModel>)
        .collect();
    (models.clone(), Fallback::new(models[0].clone(), others))
}

fn calls(models: &[Arc<Scripted>]) -> Vec<usize> {
    models.iter().map(|model| model.calls()).collect()
}

async fn ask(model: &Fallback) -> Result<String, Error> {
    let completion = model.complete(ChatRequest::default()).await?;
    Ok(completion.message.text)
}

#[tokio::test]
async fn models_are_asked_in_order_until_one_answers() {
    let (models, fallback) = fallback([
        failure(ErrorKind::Unauthorized),
        answer("from b"),
        answer("from c"),
    ]);
    assert_eq!(ask(&fallback).await.unwrap(), "from b");
    assert_eq!(calls(&models), [1, 1, 0]);
}

#[tokio::test]
async fn the_first_failure_is_reported_when_all_fail() {
    let (models, fallback) = fallback([
        failure(ErrorKind::RateLimited),
        failure(ErrorKind::Connect),
        vec![],
    ]);
    let error = ask(&fallback).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::RateLimited);
    assert_eq!(calls(&models), [1, 1, 1]);
}

#[tokio::test]
async fn an_answer_that_has_begun_stays_with_its_model() {
    let half = vec![
        at_once(Ok(ChatEvent::Text("half".to_owned()))),
        at_once(Err(Error::truncated())),
    ];
    let (models, fallback) = fallback([half, answer("b"), answer("c")]);
    let error = ask(&fallback).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    assert_eq!(calls(&models), [1, 0, 0]);
}

#[tokio::test]
async fn what_one_provider_blocks_no_other_is_asked() {
    let (models, fallback) = fallback([failure(ErrorKind::Blocked), answer("b"), answer("c")]);
    let error = ask(&fallback).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Blocked);
    assert_eq!(calls(&models), [1, 0, 0]);
}
