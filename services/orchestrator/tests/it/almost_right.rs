//! Every operation with every value replaced by what no handler should see.

use futures::StreamExt;
use http_body_util::BodyExt;
use test_support::openapi::{Probe, probes};

use crate::bench::{ALICE, Call, Replica, World};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_almost_right_is_refused_with_a_pointer_and_never_fails() {
    let world = World::new().await;
    let replica = world.replica();
    let document = contracts::openapi::orchestrator_document();
    let probes = probes(&document, |name| match name {
        "run_id" => "00000000000000000000000000000001".to_owned(),
        _ => "t".to_owned(),
    });
    assert!(probes.len() > 300, "{} probes", probes.len());
    let answers = futures::stream::iter(probes)
        // An answer that reports the tools service as away is not a fault of the request.
        .filter(|probe| std::future::ready(probe.operation != "ready"))
        .map(|probe| send(&replica, probe));
    let faults: Vec<String> = answers
        .buffer_unordered(4)
        .filter_map(|fault| async { fault })
        .collect()
        .await;
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    replica.stop().await;
}

async fn send(replica: &Replica, probe: Probe) -> Option<String> {
    let call = Call {
        body: probe.body.clone().unwrap_or_default(),
        ..Call::new(probe.method.parse().unwrap(), probe.path.clone())
    };
    let scopes = ["chat", "tools:read", "schedules:write", "schedules:stop"];
    let token = replica.token(ALICE, &scopes);
    let response = replica.send(Some(&token), call).await;
    let status = response.status().as_u16();
    let content_type = response.headers().get("content-type");
    let content_type = content_type
        .map_or("", |value| value.to_str().unwrap())
        .to_owned();
    // A stream is not waited for.
    if content_type.starts_with("text/event-stream") {
        return probe.judge(status, &content_type, &[]);
    }
    let body = response.into_body().collect().await.unwrap().to_bytes();
    probe.judge(status, &content_type, &body)
}
