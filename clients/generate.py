"""Generates the clients from openapi/bff.json, builds and packs them. Usage: generate.py [--document FILE] [--older FILE] [--into FOLDER] [typescript] [python] [rust].

The one for Rust is made of the older form that a running Heliograph serves at /openapi-3.0.json: --older names a file or a URL.
Without --into the packages are made beside this file. Prints the path of each pack."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "openapi" / "bff.json"
OLDER = "http://127.0.0.1:8080/openapi-3.0.json"
GENERATOR = "openapi-python-client==0.29.1"


def run(*command: object, folder: pathlib.Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed in {folder}:\n{done.stdout}{done.stderr}")


def copied(name: str, into: pathlib.Path) -> pathlib.Path:
    folder = into / name
    if into != HERE:
        shutil.copytree(HERE / name, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "generated", "dist", "target"))
    return folder


def typescript(document: pathlib.Path, into: pathlib.Path) -> pathlib.Path:
    folder = copied("typescript", into)
    if not (folder / "node_modules").exists():
        run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", folder=folder)
    run("node", "node_modules/@hey-api/openapi-ts/bin/run.js", "-i", document, "-o", "src/generated", "--no-log-file", folder=folder)
    run("node", "node_modules/typescript/bin/tsc", "-p", "tsconfig.json", folder=folder)
    for old in folder.glob("heliograph-client-*.tgz"):
        old.unlink()
    run("npm", "pack", "--ignore-scripts", folder=folder)
    return next(folder.glob("heliograph-client-*.tgz"))


def python(document: pathlib.Path, into: pathlib.Path) -> pathlib.Path:
    folder = copied("python", into)
    tools = folder / "generated-tools"
    if not tools.exists():
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", tools, GENERATOR, folder=folder)
    package = folder / "heliograph_client" / "generated"
    generate = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from openapi_python_client.cli import app; app(prog_name='openapi-python-client')"
    )
    command = ["generate", "--meta", "none", "--overwrite", "--config", "generator.yaml", "--path", document, "--output-path", package]
    run(sys.executable, "-c", generate, tools, *command, folder=folder)
    shutil.rmtree(folder / "dist", ignore_errors=True)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", "dist", ".", folder=folder)
    return next((folder / "dist").glob("*.whl"))


def rust(older: str, into: pathlib.Path) -> pathlib.Path:
    folder = copied("rust", into)
    document = folder / "openapi-3.0.json"
    if older.startswith("http"):
        with urllib.request.urlopen(older, timeout=30) as response:
            document.write_bytes(response.read())
    else:
        shutil.copy(older, document)
    cargo = os.environ.get("CARGO", "cargo")
    generated = folder / "src" / "generated.rs"
    run(cargo, "run", "--quiet", "--manifest-path", "generator/Cargo.toml", "--", document, generated, folder=folder)
    document.unlink()
    run(cargo, "package", "--quiet", "--allow-dirty", "--no-verify", folder=folder)
    packed = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", folder / "target")) / "package"
    return next(packed.glob("heliograph-client-*.crate"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--document", type=pathlib.Path, default=DOCUMENT)
    parser.add_argument("--older", default=OLDER)
    parser.add_argument("--into", type=pathlib.Path, default=HERE)
    parser.add_argument("clients", nargs="*", default=["typescript", "python"])
    options = parser.parse_args()
    into = options.into.resolve()
    document = options.document.resolve()
    makers = {"typescript": lambda: typescript(document, into), "python": lambda: python(document, into), "rust": lambda: rust(options.older, into)}
    for client in options.clients:
        print(makers[client](), flush=True)


main()
