//! The cost of an answer of 200 tokens in this process, from the request to the last event, with
//! everything that surrounds a model.
//!
//! The server writes what it was given and does nothing else; what is measured contains its share
//! and the kernel's.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

mod support;

use std::net::TcpListener;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::StreamExt;
use llm::{ChatModel, ChatRequest, Message};

use support::{HEAD, PROVIDERS, chunk, messages, models, serve};

const TOKENS: usize = 200;

fn streaming(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut group = criterion.benchmark_group("answer_of_200_tokens");
    group.throughput(Throughput::Elements(TOKENS as u64));
    for provider in PROVIDERS {
        let mut answer = HEAD.to_vec();
        for message in messages(provider, TOKENS) {
            answer.extend(chunk(&message));
        }
        answer.extend(b"0\r\n\r\n");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let model = models(provider, listener.local_addr().unwrap()).chat();
        serve(listener, vec![answer], Duration::ZERO);
        group.bench_function(BenchmarkId::from_parameter(provider), |bencher| {
            bencher
                .to_async(&runtime)
                .iter(|| async { assert_eq!(events(&*model).await, TOKENS + 1) });
        });
    }
    group.finish();
}

async fn events(model: &dyn ChatModel) -> usize {
    let request = ChatRequest {
        messages: [Message::user("Tell me something.")].into(),
        ..ChatRequest::default()
    };
    model
        .stream(request)
        .fold(0, |count, event| async move {
            event.unwrap();
            count + 1
        })
        .await
}

criterion_group!(benches, streaming);
criterion_main!(benches);
