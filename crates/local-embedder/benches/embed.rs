//! Latency of one question, and passages per second. `RAYON_NUM_THREADS=1 taskset -c 0` measures
//! one core.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first failure")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use llm::{Embedder, EmbeddingKind};
use local_embedder::{LocalEmbedder, Options};

const QUESTION: &str = "How much are people paid for hours beyond forty in a week?";
const SENTENCE: &str =
    "A crew leader approves the hours of a week before the payroll export is made. ";

fn benchmark(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let directory = runtime.block_on(test_support::model::directory()).unwrap();
    let embedder = LocalEmbedder::open(&directory, Options::default()).unwrap();
    let embed = |texts: &[String], kind| runtime.block_on(embedder.embed(texts, kind)).unwrap();

    let question = [QUESTION.to_owned()];
    c.bench_function("a question", |b| {
        b.iter(|| embed(&question, EmbeddingKind::Query));
    });

    let mut group = c.benchmark_group("many");
    group.sample_size(10);
    let sentences: Vec<String> = (0..128)
        .map(|number| format!("{number}. {SENTENCE}"))
        .collect();
    group.throughput(Throughput::Elements(128));
    group.bench_function("sentences of 20 tokens", |b| {
        b.iter(|| embed(&sentences, EmbeddingKind::Document));
    });
    let passages: Vec<String> = (0..32)
        .map(|number| format!("{number}. {}", SENTENCE.repeat(20)))
        .collect();
    group.throughput(Throughput::Elements(32));
    group.bench_function("passages of 256 tokens", |b| {
        b.iter(|| embed(&passages, EmbeddingKind::Document));
    });
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
