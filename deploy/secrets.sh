#!/usr/bin/env bash
# Makes the secrets of compose.yaml in deploy/secrets, once: what exists is kept.
set -euo pipefail
cd "$(dirname "$0")"
umask 077
mkdir -p secrets

make_secret() { # NAME VALUE
    [ -s "secrets/$1" ] || printf '%s' "$2" >"secrets/$1"
}
make_secret database-password "$(openssl rand -hex 24)"
# A role for each service: deploy/database/roles.sh.
for service in tools orchestrator bff; do
    make_secret "$service-url" "postgres://$service:$(openssl rand -hex 24)@database:5432/heliograph"
done
make_secret credentials-key "$(openssl rand -base64 32)"
make_secret administrator-password "$(openssl rand -base64 18)"
make_secret orchestrator-secret "$(openssl rand -hex 32)"
make_secret signing-encryption-key "$(openssl rand -base64 32)"
make_secret webhook-key "$(openssl rand -base64 32)"
make_secret grafana-password "$(openssl rand -hex 12)"
# The services run as another user, and compose mounts the files as they are: the folder protects them.
chmod 0700 secrets
chmod 0644 secrets/*
echo "deploy/secrets has: $(ls secrets | tr '\n' ' ')"
