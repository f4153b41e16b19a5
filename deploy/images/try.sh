#!/usr/bin/env bash
# Starts the images on this machine, asks one question, and stops them: `deploy/images/try.sh`.
#
# It needs root and buildah, and no container engine: each image's root is mounted read-only, and
# its program runs there as the image's user, with the image's variables, on the network of this
# machine (loopback). DATABASE_URL is a PostgreSQL with an empty database.
# Variables: TAG (default: the version), PREFIX (default: localhost/), BASE_PORT (default: 4100): the
# services listen on it and on the two ports after it.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tag=${TAG:-$version}
prefix=${PREFIX-localhost/}
: "${DATABASE_URL:?set DATABASE_URL to an empty PostgreSQL database}"
tools_port=${BASE_PORT:-4100}
orchestrator_port=$((tools_port + 1)) bff_port=$((tools_port + 2))
work=$(mktemp -d)
containers=() processes=()

finish() {
    for process in "${processes[@]}"; do kill -TERM "$process" 2>/dev/null || true; done
    wait || true
    for container in "${containers[@]}"; do
        buildah umount "$container" >/dev/null && buildah rm "$container" >/dev/null
    done
    rm -rf "$work"
}
trap finish EXIT

# Prepares the root of an image: `prepare NAME`. Sets roots[NAME] and variables[NAME].
declare -A roots variables programs users
prepare() {
    local image=${prefix}heliograph-$1:$tag container root label value
    container=$(buildah from "$image")
    containers+=("$container")
    root=$(buildah mount "$container")
    mkdir -p "$root/run/secrets" "$root/tmp"
    # What an image must not have, and must have.
    for absent in bin/sh bin/bash usr/bin/env usr/bin/apt usr/bin/dpkg; do
        [ ! -e "$root/$absent" ] || { echo "$image has /$absent" >&2; exit 1; }
    done
    for label in title version revision created licenses; do
        value=$(buildah inspect --type image --format "{{index .OCIv1.Config.Labels \"org.opencontainers.image.$label\"}}" "$image")
        [ -n "$value" ] || { echo "$image has no label $label" >&2; exit 1; }
    done
    roots[$1]=$root
    variables[$1]=$(buildah inspect --type image --format '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' "$image")
    programs[$1]=$(buildah inspect --type image --format '{{index .OCIv1.Config.Entrypoint 0}}' "$image")
    # The bill of materials is that of the program.
    grep --quiet "\"name\": \"${programs[$1]##*/}\"" "$root/usr/share/sbom/$1.cdx.json" ||
        { echo "$image has no bill of materials" >&2; exit 1; }
    users[$1]=$(buildah inspect --type image --format '{{.OCIv1.Config.User}}' "$image")
    [ "${users[$1]}" = 65532:65532 ] || { echo "$image runs as ${users[$1]}" >&2; exit 1; }
}

# Runs the program of an image in its root: `run NAME [VARIABLE=VALUE…] -- ARGUMENT…`.
run() {
    local name=$1 root=${roots[$1]} environment=()
    shift
    while read -r variable; do [ -z "$variable" ] || environment+=("$variable"); done <<<"${variables[$name]}"
    while [ "$1" != -- ]; do environment+=("$1"); shift; done
    shift
    exec unshare --mount -- sh -euc '
        root=$1 work=$2 user=$3
        shift 3
        mount --bind "$root" "$root"
        mount --bind "$work/secrets" "$root/run/secrets"
        if [ -d "$root/var/lib/heliograph" ]; then mount --bind "$work/data" "$root/var/lib/heliograph"; fi
        mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
        mount -o remount,bind,ro "$root"
        if touch "$root/written" 2>/dev/null; then echo "the root is not read-only" >&2; exit 1; fi
        exec env -i "$@"
    ' sh "$root" "$work" "${users[$name]}" "${environment[@]}" \
        chroot --userspec="${users[$name]}" "$root" "${programs[$name]}" "${arguments[@]}" "$@"
}
arguments=()

mkdir "$work/secrets" "$work/data"
printf '%s' "$DATABASE_URL" >"$work/secrets/database-url"
openssl rand -hex 32 >"$work/secrets/orchestrator-secret"
openssl rand -base64 32 >"$work/secrets/signing-encryption-key"
chmod 0755 "$work" "$work/secrets"
chmod 0644 "$work"/secrets/*

for name in tools orchestrator bff heliograph; do prepare "$name"; done
# A new volume has the owner of the folder in the image.
owner=$(stat --format %u:%g "${roots[heliograph]}/var/lib/heliograph")
volumes=$(buildah inspect --type image --format '{{range $path, $_ := .OCIv1.Config.Volumes}}{{$path}}{{end}}' "${prefix}heliograph-heliograph:$tag")
[ "$owner $volumes" = "65532:65532 /var/lib/heliograph" ] || { echo "the data folder is $owner $volumes" >&2; exit 1; }
chown "$owner" "$work/data"
database=()
for service in TOOLS ORCHESTRATOR BFF; do
    database+=("HELIOGRAPH_${service}__DATABASE__URL_FILE=/run/secrets/database-url")
done
keys=HELIOGRAPH__IDENTITY__KEY_SET_URL=http://127.0.0.1:$bff_port/.well-known/jwks.json
signing=HELIOGRAPH_BFF__SIGNING__ENCRYPTION_KEY_FILE=/run/secrets/signing-encryption-key
loopback=HELIOGRAPH__HTTP__ADDRESS=127.0.0.1

# As in compose: no order, but what needs tables waits for them.
(run bff "$loopback" "HELIOGRAPH_BFF__HTTP__PORT=$bff_port" "${database[2]}" "$signing" \
    HELIOGRAPH_BFF__SERVICES__ORCHESTRATOR_SECRET_FILE=/run/secrets/orchestrator-secret \
    "HELIOGRAPH_BFF__UPSTREAM__ORCHESTRATOR_URL=http://127.0.0.1:$orchestrator_port" \
    "MCP_SERVER_URL=http://127.0.0.1:$tools_port" --) 2>"$work/bff.log" &
processes+=($!)
(run orchestrator "$loopback" "HELIOGRAPH_ORCHESTRATOR__HTTP__PORT=$orchestrator_port" "${database[1]}" "$keys" \
    "MCP_SERVER_URL=http://127.0.0.1:$tools_port" --) 2>"$work/orchestrator.log" &
processes+=($!)
(run tools "$loopback" "HELIOGRAPH_TOOLS__HTTP__PORT=$tools_port" "${database[0]}" "$keys" --) 2>"$work/tools.log" &
processes+=($!)
(run heliograph "${database[@]}" -- migrate)

ready() { # NAME VARIABLE=VALUE…
    local name=$1
    for _ in $(seq 120); do
        if (run "$@" -- health) >"$work/health" 2>&1; then echo "$name is ready: $(cat "$work/health")"; return; fi
        sleep 0.5
    done
    cat "$work/health" "$work/$name.log" >&2
    exit 1
}
ready tools "$loopback" "HELIOGRAPH_TOOLS__HTTP__PORT=$tools_port" "${database[0]}"
ready orchestrator "$loopback" "HELIOGRAPH_ORCHESTRATOR__HTTP__PORT=$orchestrator_port" "${database[1]}"
ready bff "$loopback" "HELIOGRAPH_BFF__HTTP__PORT=$bff_port" "${database[2]}"

password=$(openssl rand -hex 16)
(run heliograph "${database[@]}" "$signing" -- account first-administrator ada --tenant try) <<<"$password"
token=$(curl --silent --fail --json "{\"username\":\"ada\",\"password\":\"$password\"}" \
    "http://127.0.0.1:$bff_port/auth/token" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
curl --silent --fail --no-buffer --header "Authorization: Bearer $token" \
    --json '{"threadId":"try","messages":[{"role":"user","content":"hi"}]}' \
    "http://127.0.0.1:$bff_port/api/chat" >"$work/answer"
grep --quiet '\[DONE\]' "$work/answer"
grep --only-matching '"delta":"[^"]*"' "$work/answer" | head -n 3
echo "The images run as user 65532 on read-only roots, and answered."
