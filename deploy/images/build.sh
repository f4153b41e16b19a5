#!/usr/bin/env bash
# Builds the images with buildah: `deploy/images/build.sh [OPTION…] [TARGET…]`.
#
# --own-bases        makes the base images from Debian's packages (mmdebstrap) and this machine's
#                    Rust toolchain, in place of those of a registry. It needs root, mmdebstrap and
#                    network access to Debian
# --programs FOLDER  takes the programs of this folder, which `just dist` made, and compiles nothing
# --profile NAME     the profile of cargo: release (the default), or dev to try the images
#
# TARGET is tools, orchestrator, bff, heliograph or migrate (default: all).
# Variables: TAG (default: the version), PREFIX (default: localhost/), CARGO_HOME_CONFIG (a cargo
# config.toml for the build, if packages come from a mirror), BUILDAH_OPTIONS, BUILDAH_ISOLATION
# (chroot, where the machine cannot start containers).
set -euo pipefail
cd "$(dirname "$0")/../.."

own_bases='' programs='' profile=release
while [[ ${1:-} == --* ]]; do
    case $1 in
        --own-bases) own_bases=1 ;;
        --programs) programs=$(realpath "$2"); shift ;;
        --profile) profile=$2; shift ;;
        *) echo "build.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(tools orchestrator bff heliograph migrate)

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tag=${TAG:-$version}
prefix=${PREFIX-localhost/}
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
read -ra options <<<"${BUILDAH_OPTIONS:-}"
suite=bookworm

say() { printf '== %s\n' "$*" >&2; }

# An image with a folder as its root: import NAME FOLDER.
import() {
    local container
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$2" / >/dev/null
    buildah commit --quiet "$container" "$1" >/dev/null
    buildah rm "$container" >/dev/null
}

# libc, libgcc, certificates, time zones, and a user: no shell and no package manager.
runtime_base() {
    local root
    root=$(mktemp -d)
    mmdebstrap --quiet --variant=extract --include=libc6,libgcc-s1,ca-certificates,tzdata,netbase "$suite" "$root"
    mkdir -p "$root/etc/ssl/certs" "$root/tmp"
    cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
    printf 'root:x:0:0:root:/:/sbin/nologin\nheliograph:x:65532:65532:heliograph:/tmp:/sbin/nologin\n' >"$root/etc/passwd"
    printf 'root:x:0:\nheliograph:x:65532:\n' >"$root/etc/group"
    chmod 1777 "$root/tmp"
    # What the packages of `extract` contain beside libraries and data.
    rm -rf "$root"/bin/* "$root"/sbin/* "$root"/usr/bin/* "$root"/usr/sbin/* "$root"/var/lib/dpkg \
        "$root"/usr/share/{doc,man,info,locale,lintian} "$root"/var/cache/*
    import "$1" "$root"
    rm -rf "$root"
}

# A C compiler, this machine's Rust toolchain and certificates, and cargo-chef.
build_base() {
    local root toolchain
    root=$(mktemp -d)
    toolchain=$(rustc --print sysroot)
    mmdebstrap --quiet --variant=minbase --include=gcc,g++,libc6-dev,make,cmake,pkg-config,ca-certificates,git \
        "$suite" "$root"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    mkdir -p "$root/opt/rust" "$root/usr/local/cargo/bin"
    cp -a "$toolchain/bin" "$toolchain/lib" "$root/opt/rust/"
    cargo install --quiet --locked --root "$root/usr/local/cargo" cargo-chef --version 0.1.77
    for program in cargo rustc rustdoc; do ln -s "/opt/rust/bin/$program" "$root/usr/local/bin/$program"; done
    ln -s /usr/local/cargo/bin/cargo-chef "$root/usr/local/bin/cargo-chef"
    import "$1" "$root"
    rm -rf "$root"
}

arguments=(--build-arg "VERSION=$version" --build-arg "REVISION=$revision" --build-arg "PROFILE=$profile"
    --build-arg "CREATED=$(date --utc +%Y-%m-%dT%H:%M:%SZ)")
bases=(runtime build)
# Named in any case: buildah 1.28 does not see that a stage is needed if its name has a default.
if [ -n "$programs" ]; then
    arguments+=(--build-arg PROGRAMS=given --build-context "programs=$programs")
    bases=(runtime)
else
    arguments+=(--build-arg PROGRAMS=compiled)
fi
if [ -n "$own_bases" ]; then
    for base in "${bases[@]}"; do
        image=localhost/heliograph-$base-base
        if ! buildah inspect --type image "$image" >/dev/null 2>&1; then
            say "making $image"
            "${base}_base" "$image"
        fi
        arguments+=(--build-arg "${base^^}_BASE=$image")
    done
fi
if [ -n "${CARGO_HOME_CONFIG:-}" ]; then
    options+=(--volume "$(realpath "$CARGO_HOME_CONFIG"):/usr/local/cargo/config.toml:ro")
fi

for target in "${targets[@]}"; do
    say "building $prefix""heliograph-$target:$tag"
    buildah build --layers "${options[@]}" "${arguments[@]}" --target "$target" \
        --tag "${prefix}heliograph-$target:$tag" --file deploy/images/Dockerfile .
done
say "done"
buildah images --filter "reference=${prefix}heliograph-*"
