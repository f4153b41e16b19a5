# The recipes that CI and people use; `just` alone lists them.

[private]
default:
    @just --list

# Everything in one process, with a database of its own and demo data.
run *arguments:
    cargo run {{ arguments }}

# Every test.
test *arguments:
    cargo test --locked {{ arguments }}

# Everything that must pass before a change lands.
ci:
    .ci/run

# Formats the code.
fmt:
    cargo fmt --all

# Format check, clippy, rustdoc, and the arrows between crates.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
    cargo deny check bans licenses sources advisories
    cargo machete

# Writes the OpenAPI documents.
openapi:
    cargo run --quiet -- openapi

# Benchmarks of the engine, the checkpoint store, the analytics, the tools and one whole turn.
bench *arguments:
    cargo bench --workspace {{ arguments }}

# Many chats at once against services of its own: time to first byte, turns per second, errors, CPU and memory.
load *arguments:
    cargo run --release --quiet -- load {{ arguments }}

# A hundred loggers, a year, every five minutes, in the tenant `large`.
generate *arguments:
    cargo run --release --quiet -- generate {{ arguments }}
