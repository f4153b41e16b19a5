//! The archive of programs, and the description of the images.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::binaries::binaries;

const PROGRAMS: [(&str, &str); 4] = [
    ("tools", "heliograph-tools"),
    ("orchestrator", "heliograph-orchestrator"),
    ("bff", "heliograph-bff"),
    ("heliograph", "heliograph"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let failed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {failed}");
    output
}

#[test]
fn the_archive_has_programs_completions_bills_of_materials_and_right_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let built = binaries().program("bff").parent().unwrap().to_owned();
    let sbom = built.join("sbom");
    assert!(sbom.is_file(), "build it with `cargo build --bins`");
    succeeds(
        Command::new(root().join("deploy/dist.sh"))
            .args(["--programs", built.to_str().unwrap()])
            .args(["--out", folder.path().to_str().unwrap()])
            .env("SBOM", &sbom)
            .env("COMPRESS", "gzip --no-name -1"),
    );
    let check = |folder: &Path| {
        succeeds(
            Command::new("sha256sum")
                .args(["--check", "--quiet", "SHA256SUMS"])
                .current_dir(folder),
        );
    };
    check(folder.path());
    let names = std::fs::read_dir(folder.path()).unwrap();
    let archive = names
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_str().unwrap().ends_with(".tar.gz"));
    let archive = archive.unwrap();
    let name = archive.file_name().unwrap().to_str().unwrap();
    let name = name.strip_suffix(".tar.gz").unwrap().to_owned();
    assert!(name.starts_with(concat!("heliograph-", env!("CARGO_PKG_VERSION"), "-")));

    // As it comes out of the archive.
    let unpacked = tempfile::tempdir().unwrap();
    succeeds(
        Command::new("tar")
            .args(["-xzf", archive.to_str().unwrap()])
            .current_dir(unpacked.path()),
    );
    let unpacked = unpacked.path().join(name);
    check(&unpacked);
    for (package, program) in PROGRAMS {
        let said = succeeds(Command::new(unpacked.join("bin").join(program)).arg("--version"));
        let said = String::from_utf8(said.stdout).unwrap();
        assert_eq!(said, format!("{program} {}\n", env!("CARGO_PKG_VERSION")));
        for shell in ["bash", "zsh", "fish"] {
            let file = unpacked.join(format!("completions/{program}.{shell}"));
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(
                text.contains(program) && text.contains("migrate"),
                "{file:?}"
            );
            if shell == "bash" {
                succeeds(Command::new("bash").arg("-n").arg(&file));
            }
        }
        let bill = std::fs::read(unpacked.join(format!("sbom/{package}.cdx.json"))).unwrap();
        let bill: Value = serde_json::from_slice(&bill).unwrap();
        assert_eq!(bill["metadata"]["component"]["name"], program);
        assert!(bill["components"].as_array().unwrap().len() > 100);
    }
    assert!(unpacked.join("config/tools.toml").is_file());
    // What the documents name.
    for file in [
        "sql/postgresql-reader.sql",
        "sql/mysql-reader.sql",
        "observability/alerts.yaml",
        "observability/prometheus.yaml",
        "observability/grafana/dashboards/services.json",
    ] {
        assert!(unpacked.join("deploy").join(file).is_file(), "{file}");
    }
    assert!(unpacked.join("LICENSE-MIT").is_file());
}

#[test]
fn each_image_has_its_own_program_a_user_without_rights_and_its_labels() {
    let text = std::fs::read_to_string(root().join("deploy/images/Dockerfile")).unwrap();
    let stage = |name: &str| {
        let end = format!(" AS {name}");
        let stages = text.split("\nFROM ").filter(|stage| {
            let first = stage.lines().next().unwrap();
            first.ends_with(&end)
        });
        let stages: Vec<&str> = stages.collect();
        let [stage] = stages[..] else {
            panic!("{} stages {name}", stages.len())
        };
        stage
    };
    let runtime = stage("runtime");
    for line in [
        "USER 65532:65532",
        "org.opencontainers.image.version=\"${VERSION}\"",
        "org.opencontainers.image.revision=\"${REVISION}\"",
        "org.opencontainers.image.licenses=",
    ] {
        assert!(runtime.contains(line), "{line}");
    }
    assert!(!text.contains("\nUSER root"), "no image runs as root");
    for (package, program) in PROGRAMS {
        let image = stage(package);
        assert!(image.starts_with("runtime AS "), "{image}");
        let entrypoint = format!("ENTRYPOINT [\"/usr/local/bin/{program}\"]");
        assert!(image.contains(&entrypoint), "{image}");
        assert!(image.contains(&format!("COPY --from=program-{package} / /")));
        for from in ["compiled", "given"] {
            let content = stage(&format!("{from}-{package}"));
            assert!(
                content.contains(&format!("{package}.cdx.json")),
                "{content}"
            );
        }
    }
    assert!(stage("migrate").contains("CMD [\"migrate\"]"));
    // Only the program with everything in one process has files, in a volume that a restart keeps.
    for line in [
        "ENV HELIOGRAPH_DATA_DIR=/var/lib/heliograph",
        "WORKDIR /var/lib/heliograph",
        "VOLUME [\"/var/lib/heliograph\"]",
    ] {
        assert!(stage("heliograph").contains(line), "{line}");
        assert_eq!(text.matches(line).count(), 1, "{line}");
    }
}
