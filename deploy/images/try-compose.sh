#!/usr/bin/env bash
# Starts deploy/compose.yaml with podman, looks at each part, and removes everything again: `deploy/images/try-compose.sh [OPTION…]`.
#
# --own-images  makes PostgreSQL and Prometheus from Debian's packages (mmdebstrap), in place of those
#               of a registry, and leaves out the collector and Grafana, which Debian has not
# --keep        leaves it running; `podman-compose --project-name heliograph-try down --volumes` ends it
#
# It needs root, podman, podman-compose (PyPI) and the images of `deploy/images/build.sh`, which it
# takes from podman's storage or buildah's, whichever CONTAINERS_STORAGE_CONF names.
# Variables: TAG (default: the version), PREFIX (default: localhost/), PORT of the page (default: 8080).
set -euo pipefail
cd "$(dirname "$0")/../.."

own_images='' keep=''
for option in "$@"; do
    case $option in
        --own-images) own_images=1 ;;
        --keep) keep=1 ;;
        *) echo "try-compose.sh: unknown option $option" >&2; exit 2 ;;
    esac
done

# Where version 1 of cgroups is beside version 2, crun starts nothing: it sees the first only.
if [ -d /sys/fs/cgroup/unified ] && [ -z "${TRY_COMPOSE_APART:-}" ]; then
    export TRY_COMPOSE_APART=1
    exec unshare --mount -- sh -euc 'umount /sys/fs/cgroup/unified; exec "$0" "$@"' "$PWD/deploy/images/try-compose.sh" "$@"
fi

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
suite=bookworm
work=$(mktemp -d)
say() { printf '== %s\n' "$*" >&2; }

# The files of compose, with secrets and settings of their own, so that nothing of an installation is used.
cp -r deploy "$work/deploy"
rm -rf "$work/deploy/secrets" "$work/deploy/.env"
(cd "$work" && deploy/secrets.sh >/dev/null)
sed -e "s|^VERSION=.*|VERSION=${TAG:-$version}|" -e "s|^IMAGE_PREFIX=.*|IMAGE_PREFIX=${PREFIX-localhost/}|" \
    -e "s|^PORT=.*|PORT=${PORT:-8080}|" deploy/.env.example >"$work/deploy/.env"

# An image of Debian's packages: `debian_image NAME PACKAGE… -- CHANGE…`, with what is in $work/root.
debian_image() {
    local name=$1 root packages=()
    shift
    while [ "$1" != -- ]; do packages+=("$1"); shift; done
    shift
    podman image exists "$name" && return
    say "making $name"
    root=$work/debian
    mmdebstrap --quiet --variant=minbase --include="$(IFS=,; echo "${packages[*]}")" "$suite" "$root"
    [ ! -d "$work/root" ] || cp -a "$work/root/." "$root/"
    tar --create --directory "$root" . | podman import --quiet "${@/#/--change=}" - "$name" >/dev/null
    rm -rf "$root" "$work/root"
}

services=()
if [ -n "$own_images" ]; then
    mkdir -p "$work/root/usr/local/bin"
    # What compose.yaml uses of the entry point of the official image.
    cat >"$work/root/usr/local/bin/entry" <<'SH'
#!/bin/bash
set -euo pipefail
PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
export PATH PGDATA
mkdir -p "$PGDATA" /run/postgresql
chown -R postgres: "$PGDATA" /run/postgresql
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    cp "$POSTGRES_PASSWORD_FILE" /run/postgresql/password
    chown postgres: /run/postgresql/password
    as initdb --username="$POSTGRES_USER" --pwfile=/run/postgresql/password --auth-host=scram-sha-256 --auth-local=trust >/dev/null
    rm /run/postgresql/password
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    as pg_ctl --silent --wait -o '-c listen_addresses=' start
    as createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
    for script in /docker-entrypoint-initdb.d/*.sh; do as bash "$script"; done
    as pg_ctl --silent --wait stop
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -c 'listen_addresses=*'
SH
    chmod +x "$work/root/usr/local/bin/entry"
    debian_image localhost/try-postgresql:15 postgresql -- \
        'ENTRYPOINT ["/usr/local/bin/entry"]' 'ENV PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin'
    mkdir -p "$work/root/prometheus"
    debian_image localhost/try-prometheus:2 prometheus -- \
        'ENTRYPOINT ["/usr/bin/prometheus","--config.file=/etc/prometheus/prometheus.yml","--storage.tsdb.path=/prometheus"]'
    sed -i -e 's|^POSTGRES_IMAGE=.*|POSTGRES_IMAGE=localhost/try-postgresql:15|' \
        -e 's|^PROMETHEUS_IMAGE=.*|PROMETHEUS_IMAGE=localhost/try-prometheus:2|' "$work/deploy/.env"
    services=(database migrate tools orchestrator bff prometheus)
fi

compose() { (cd "$work/deploy" && podman-compose --project-name heliograph-try --file compose.yaml "$@"); }
finish() {
    local status=$?
    if [ $status != 0 ]; then
        podman ps --all >&2
        compose logs 2>&1 | tail -n 60 >&2 || true
    fi
    if [ -z "$keep" ]; then
        compose down --volumes --timeout 40 >"$work/down" 2>&1 || { cat "$work/down" >&2; status=1; }
        rm -rf "$work"
    fi
    exit $status
}
trap finish EXIT

containers() { podman ps --filter "label=com.docker.compose.project=heliograph-try" --filter "label=com.docker.compose.service=$1" --format '{{.Names}}'; }
# Runs a health check as compose states it: `healthy CONTAINER`.
healthy() {
    for _ in $(seq 120); do
        if podman healthcheck run "$1" >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    echo "$1 is not healthy" >&2
    podman logs --tail 20 "$1" >&2
    return 1
}
up() { compose up --detach "$@" >"$work/up" 2>&1 || { cat "$work/up" >&2; exit 1; }; }

say "starting"
# podman before version 4.6 cannot wait until a container is healthy, as `depends_on` requires.
up database
healthy "$(containers database)"
up "${services[@]}"
for service in tools orchestrator bff; do
    found=0
    for container in $(containers "$service"); do
        healthy "$container"
        found=$((found + 1))
        [ "$(podman inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}}' "$container")" = 'true 65532:65532' ]
    done
    echo "$service: $found healthy, read-only, as user 65532"
done
[ "$(containers orchestrator | wc -l)" = 2 ] || { echo "two orchestrators are wanted" >&2; exit 1; }

say "asking"
url=http://127.0.0.1:${PORT:-8080}
password=$(cat "$work/deploy/secrets/administrator-password")
compose --profile command run --rm -T first-administrator
token=$(curl --silent --fail --json "{\"username\":\"ada\",\"password\":\"$password\"}" "$url/auth/token" |
    sed 's/.*"access_token":"\([^"]*\)".*/\1/')
for question in 1 2 3 4; do
    curl --silent --fail --no-buffer --header "Authorization: Bearer $token" \
        --json "{\"threadId\":\"try-$question\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}" \
        "$url/api/chat" >"$work/answer"
    grep --quiet '\[DONE\]' "$work/answer"
done
grep --only-matching '"delta":"[^"]*"' "$work/answer" | head -n 3

say "looking at Prometheus"
prometheus=$(containers prometheus)
for _ in $(seq 60); do
    up=$(podman exec "$prometheus" promtool query instant http://localhost:9090 'up == 1' | wc -l)
    [ "$up" -lt 4 ] || break
    sleep 1
done
podman exec "$prometheus" promtool query instant http://localhost:9090 up
[ "$up" -ge 4 ] || { echo "Prometheus reaches $up of 4 processes" >&2; exit 1; }
say "compose.yaml started, answered and was measured"
