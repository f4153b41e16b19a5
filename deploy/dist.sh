#!/usr/bin/env bash
# Packs the programs, so that an installation needs no compiler: `deploy/dist.sh [OPTION…]`.
#
# --target TRIPLE    the target of rustc (default: this machine's)
# --programs FOLDER  packs the programs of this folder, and compiles nothing
# --out FOLDER       where the result goes (default: dist)
#
# The result is a folder, the same as a .tar.gz, and SHA256SUMS. The folder has bin, completions,
# sbom (CycloneDX), config, docs, deploy (scripts of roles, alerts, dashboards) and the licences. `deploy/images/build.sh --programs` takes it, too.
# Variables: SBOM, the program that writes the bills of materials (default: it is compiled);
# COMPRESS (default: gzip --no-name).
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(rustc -vV | sed -n 's/^host: //p') programs='' out=dist
while [ $# -gt 0 ]; do
    case $1 in
        --target) target=$2 ;;
        --programs) programs=$(realpath "$2") ;;
        --out) out=$2 ;;
        *) echo "dist.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
packages=(tools orchestrator bff heliograph)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=heliograph-$version-$target

if [ -z "$programs" ]; then
    # Each alone, so that it has nothing that only another needs.
    for package in "${packages[@]}"; do
        cargo build --release --locked --target "$target" --package "$package"
    done
    programs=target/$target/release
fi
sbom=("${SBOM:-}")
[ -n "${sbom[0]}" ] || sbom=(cargo run --quiet --locked --package sbom --)

rm -rf "${out:?}/$name"
mkdir -p "$out/$name"/{bin,completions,sbom,config,deploy}
for package in "${packages[@]}"; do
    program=heliograph-$package
    [ "$package" = heliograph ] && program=heliograph
    install --strip "$programs/$program" "$out/$name/bin/$program"
    # Only the C library, which every distribution has.
    needed=$(readelf --dynamic "$out/$name/bin/$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    for library in $needed; do
        case $library in
            libc.so.6 | libm.so.6 | libgcc_s.so.1 | ld-linux*) ;;
            *) echo "dist.sh: $program needs $library" >&2; exit 1 ;;
        esac
    done
    for shell in bash zsh fish; do
        "$out/$name/bin/$program" completions "$shell" >"$out/$name/completions/$program.$shell"
    done
    "${sbom[@]}" "$package" >"$out/$name/sbom/$package.cdx.json"
done
cp deploy/config/*.toml "$out/$name/config/"
# At the paths by which the documents name them.
cp -r deploy/sql deploy/observability "$out/$name/deploy/"
rm "$out/$name/deploy/observability/alerts.test.yaml"
cp -r LICENSE-APACHE LICENSE-MIT SECURITY.md CHANGELOG.md docs deploy/dist/README.md "$out/$name/"

# The documents as they are in the folder: settings are beside them, and links to sources, and to their
# README, are words.
find "$out/$name" -name '*.md' -print0 | while IFS= read -r -d '' document; do
    sed -i 's|](\(\.\./\)\{0,1\}deploy/config|](\1config|g' "$document"
    { grep -o '](\(\.\./\)*[A-Za-z][^):]*)' "$document" || true; } | sed 's/^](//; s/)$//' | sort -u | while read -r link; do
        [[ $link != ../README.md* && -e $(dirname "$document")/${link%%#*} ]] || sed -i "s|\[\([^]]*\)\]($link)|\1|g" "$document"
    done
done

(cd "$out/$name" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)

# The same sources give the same archive.
time=$(git log -1 --format=%cI 2>/dev/null || echo 2026-01-01T00:00:00Z)
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="$time" --directory "$out" "$name" |
    ${COMPRESS:-gzip --no-name} >"$out/$name.tar.gz"
(cd "$out" && sha256sum -- *.tar.gz >SHA256SUMS)
du -h "$out/$name.tar.gz"
