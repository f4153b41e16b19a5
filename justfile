# The recipes that CI and people use; `just` alone lists them.

[private]
default:
    @just --list

# Everything in one process, with a database of its own and demo data.
run *arguments:
    cargo run {{ arguments }}

# The three services as programs of their own, into target/release, each built alone so that it has nothing that only another needs.
services:
    cargo build --release --locked -p tools
    cargo build --release --locked -p orchestrator
    cargo build --release --locked -p bff

# Packs the programs with completions, bills of materials and checksums into dist.
dist *arguments:
    deploy/dist.sh {{ arguments }}

# Builds the container images with buildah.
images *arguments:
    deploy/images/build.sh {{ arguments }}

# Starts compose.yaml with podman from the images, asks, and removes everything.
try-compose *arguments:
    deploy/images/try-compose.sh {{ arguments }}

# Starts the programs as an installation does, kills and replaces them under load, and prints figures.
rehearse rounds="10":
    cargo build --locked --quiet --bins
    HELIOGRAPH_TEST_ROUNDS={{ rounds }} cargo test --locked --package heliograph --test it rehearsal:: -- --nocapture

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

# Writes the descriptions of the queries by the databases (`.sqlx`), after a change of a query or a migration.
sqlx:
    cargo run --quiet --bin query-metadata

# The tools service without what an installation may leave out: the embedding runtime, PDF files, MariaDB.
features:
    cargo check --locked -p tools --no-default-features

# Writes the OpenAPI documents.
openapi:
    cargo xtask openapi

# Writes the page with the graphs of the assistants.
diagrams:
    cargo xtask diagrams

# Lints the OpenAPI documents, generates clients of them and calls the stack with those.
clients *arguments:
    cargo test --locked -p heliograph --test it generators {{ arguments }}

# Generates the clients of `clients/` from the OpenAPI document, builds and packs them.
generate-clients *arguments:
    python3 clients/generate.py {{ arguments }}

# Calls every operation of a running bff with made-up requests, for some minutes. Needs schemathesis 4.32.5; TOKEN is a bearer token.
# Start the product with HELIOGRAPH_BFF__LIMITS__REQUESTS_PER_MINUTE=1000000, or most answers are 429.
fuzz url token:
    schemathesis run {{ url }}/openapi.json --header "Authorization: Bearer {{ token }}" --max-examples 20 --request-timeout 20 \
        --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection \
        --exclude-path-regex '/(stream|events|logout|identity|credentials)|^/api/(chat|messages|v0|v1|agent)'

# Benchmarks of the engine, the checkpoint store, the analytics, the tools and one whole turn.
bench *arguments:
    cargo bench --workspace {{ arguments }}

# Many chats at once against services of its own: time to first byte, turns per second, errors, CPU and memory.
load *arguments:
    cargo build --release --quiet --bins
    cargo run --release --quiet --bin xtask -- load {{ arguments }}

# A hundred loggers, a year, every five minutes, in the tenant `large`.
generate *arguments:
    cargo run --release --quiet --bin xtask -- generate {{ arguments }}
