//! The memory and CPU time of a thousand simultaneous answers.
//!
//! The server is a process of its own, so that only the client is counted. Prints the cost of a
//! stream and the share of the budget of 200 MB that all take together.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and fails by panicking"
)]

mod support;

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use llm::{ChatModel, ChatRequest, Message};
use tokio::sync::Barrier;

use support::{HEAD, chunk, messages, models, serve};

const STREAMS: usize = 1_000;
const TOKENS: usize = 200;
const PAUSE: Duration = Duration::from_millis(20);
const BUDGET_MB: f64 = 200.0;

fn main() {
    if std::env::args().any(|argument| argument == "serve") {
        serve_until_killed();
        return;
    }
    for provider in support::PROVIDERS {
        measure(provider);
    }
}

/// Sends a token every 20 ms to each client.
fn serve_until_killed() {
    let provider = std::env::args().next_back().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    let mut writes: Vec<Vec<u8>> = vec![HEAD.to_vec()];
    writes.extend(
        messages(&provider, TOKENS)
            .iter()
            .map(|message| chunk(message)),
    );
    writes.push(b"0\r\n\r\n".to_vec());
    serve(listener, writes, PAUSE);
    std::thread::park();
}

fn measure(provider: &str) {
    let (mut server, address) = start_server(provider);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let before_mb = resident_mb();
    let (cpu, started) = (cpu_seconds(), Instant::now());
    let peak_mb = runtime.block_on(stream_all(provider, address));
    let elapsed = started.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu;
    server.kill().unwrap();
    server.wait().unwrap();
    let grown_kb = (peak_mb - before_mb) * 1024.0 / STREAMS as f64;
    println!(
        "{:<12} {STREAMS} streams of {TOKENS} tokens in {elapsed:.1} s: {peak_mb:.0} MB resident ({:.0} % of {BUDGET_MB} MB), {grown_kb:.1} kB and \
         {:.2} ms CPU a stream",
        provider,
        100.0 * peak_mb / BUDGET_MB,
        cpu * 1_000.0 / STREAMS as f64,
    );
}

fn start_server(provider: &str) -> (Child, SocketAddr) {
    let mut server = Command::new(std::env::current_exe().unwrap())
        .args(["serve", provider])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let output = server.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    (server, line.trim().parse().unwrap())
}

/// Holds all streams open at once; the memory in use then.
async fn stream_all(provider: &str, address: SocketAddr) -> f64 {
    let model = models(provider, address).chat();
    let all_have_begun = Arc::new(Barrier::new(STREAMS + 1));
    let streams: Vec<_> = (0..STREAMS)
        .map(|_| tokio::spawn(stream_one(model.clone(), all_have_begun.clone())))
        .collect();
    all_have_begun.wait().await;
    let mut peak = resident_mb();
    for stream in streams {
        stream.await.unwrap();
        peak = peak.max(resident_mb());
    }
    peak
}

async fn stream_one(model: Arc<dyn ChatModel>, all_have_begun: Arc<Barrier>) {
    let request = ChatRequest {
        messages: [Message::user("Tell me something.")].into(),
        ..ChatRequest::default()
    };
    let mut answer = model.stream(request);
    answer.next().await.unwrap().unwrap();
    all_have_begun.wait().await;
    let rest = answer.map(Result::unwrap).count().await;
    assert_eq!(rest, TOKENS);
}

fn resident_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap();
    kilobytes / 1024.0
}

/// User and system time of this process, in ticks of 10 ms.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // Behind the program's name, which may hold spaces.
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}
