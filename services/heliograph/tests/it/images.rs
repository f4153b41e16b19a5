//! The packed programs and the images, for installations without a compiler: made of the programs
//! of this build by the scripts that people use, and started.
//!
//! The images need root, buildah and mmdebstrap, Debian's packages, and the right to mount. Where
//! those cannot be had, the test says on the terminal that it was skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use test_support::database::TestDatabase;

use crate::binaries::binaries;
use crate::node_packages::{answers, apt_install, skipped, text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command, which has to succeed; what it says.
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

/// The folder that `deploy/dist.sh` packs, with the programs beside this test.
fn packed(out: &Path) -> PathBuf {
    let programs = Path::new(env!("CARGO_BIN_EXE_heliograph")).parent();
    // Says which is missing.
    let _ = binaries();
    let mut pack = Command::new(root().join("deploy/dist.sh"));
    pack.arg("--programs").arg(programs.unwrap());
    pack.arg("--out").arg(out);
    pack.env("COMPRESS", "gzip --fast --no-name");
    let sbom = programs.unwrap().join("sbom");
    if sbom.is_file() {
        pack.env("SBOM", sbom);
    }
    said(&mut pack);
    let folders = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap());
    let mut folders = folders.filter(|entry| entry.file_type().unwrap().is_dir());
    folders.next().unwrap().path()
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_packed_and_started_from_their_pack_and_from_images() {
    let files = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = packed(files.path());
    check_pack(files.path(), &folder);
    if let Err(why) = can_build_images() {
        skipped("no image was built", &why);
        return;
    }
    let database = TestDatabase::empty().await.unwrap();
    let url = database.url().to_owned();
    let tried = tokio::task::spawn_blocking(move || {
        let storage = Storage::new(files.path());
        let build = ["--own-bases", "--programs", folder.to_str().unwrap()];
        storage.run("deploy/images/build.sh", &build, &[]);
        let ports = free_ports();
        let port = ports.to_string();
        let variables = [("DATABASE_URL", url.as_str()), ("BASE_PORT", &port)];
        storage.run("deploy/images/try.sh", &[], &variables)
    });
    let tried = tried.await.unwrap();
    let end = "The images run as user 65532 on read-only roots, and answered.\n";
    assert!(tried.ends_with(end), "{tried}");
}

/// The archive has what its checksums say, and its programs start.
fn check_pack(out: &Path, folder: &Path) {
    let check = ["--check", "--quiet", "SHA256SUMS"];
    said(Command::new("sha256sum").args(check).current_dir(out));
    let name = folder.file_name().unwrap().to_str().unwrap();
    let elsewhere = out.join("unpacked");
    std::fs::create_dir(&elsewhere).unwrap();
    let archive = out.join(format!("{name}.tar.gz"));
    let unpack = ["--extract", "--file", archive.to_str().unwrap()];
    said(Command::new("tar").args(unpack).current_dir(&elsewhere));
    let unpacked = elsewhere.join(name);
    said(Command::new("sha256sum").args(check).current_dir(&unpacked));
    assert!(unpacked.join("config/tools.toml").is_file());
    check_links(&unpacked);
    for program in [
        "heliograph",
        "heliograph-tools",
        "heliograph-orchestrator",
        "heliograph-bff",
    ] {
        let version = said(Command::new(unpacked.join("bin").join(program)).arg("--version"));
        assert_eq!(
            version,
            format!("{program} {}\n", env!("CARGO_PKG_VERSION"))
        );
        let package = program.strip_prefix("heliograph-").unwrap_or(program);
        assert!(unpacked.join(format!("sbom/{package}.cdx.json")).is_file());
        for shell in ["bash", "zsh", "fish"] {
            let completions = unpacked.join(format!("completions/{program}.{shell}"));
            let completions = std::fs::read_to_string(completions).unwrap();
            assert!(completions.contains("config"), "{program} {shell}");
        }
    }
    std::fs::remove_dir_all(elsewhere).unwrap();
}

/// Each link of the packed documents leads to a file of the pack, and within it to a heading.
fn check_links(pack: &Path) {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut checked = 0;
    for folder in [pack.to_path_buf(), pack.join("docs")] {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let document = entry.unwrap().path();
            if document
                .extension()
                .is_none_or(|extension| extension != "md")
            {
                continue;
            }
            let text = std::fs::read_to_string(&document).unwrap();
            for found in link.captures_iter(&text) {
                let target = &found[1];
                if target.contains("://") {
                    continue;
                }
                let (path, heading) = target.split_once('#').unwrap_or((target, ""));
                let file = if path.is_empty() {
                    document.clone()
                } else {
                    folder.join(path)
                };
                assert!(file.exists(), "{}: {target}", document.display());
                let has = heading.is_empty() || headings(&file).contains(heading);
                assert!(has, "{}: {target}", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The names of a document's headings in links.
fn headings(document: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(document).unwrap();
    let titles = text.lines().filter(|line| line.starts_with('#'));
    let name = |title: &str| -> String {
        let title = title.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
        title
            .chars()
            .filter(kept)
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    titles.map(name).collect()
}

/// Whether images can be built and their roots mounted here; otherwise why not.
fn can_build_images() -> Result<(), String> {
    for (program, package) in [("buildah", "buildah"), ("mmdebstrap", "mmdebstrap")] {
        if !answers(program) {
            apt_install(program, &[package])?;
        }
    }
    let apart = ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
    let output = Command::new("unshare").args(apart).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(text(&output)),
        Err(error) => Err(error.to_string()),
    }
}

/// Images apart from those of this machine.
struct Storage {
    file: PathBuf,
}

impl Storage {
    fn new(folder: &Path) -> Self {
        let file = folder.join("storage.conf");
        let at = |name: &str| folder.join(name).display().to_string();
        let text = format!(
            "[storage]\ndriver = \"overlay\"\nrunroot = \"{}\"\ngraphroot = \"{}\"\n",
            at("run"),
            at("images"),
        );
        std::fs::write(&file, text).unwrap();
        Self { file }
    }

    fn run(&self, script: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let mut command = Command::new(root().join(script));
        command.args(arguments).envs(variables.iter().copied());
        command.env("CONTAINERS_STORAGE_CONF", &self.file);
        command.env("BUILDAH_ISOLATION", "chroot");
        said(&mut command)
    }
}

/// The first of three ports after each other that are free.
fn free_ports() -> u16 {
    loop {
        let first = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        let free = |port: u16| std::net::TcpListener::bind(("127.0.0.1", port)).is_ok();
        if port < u16::MAX - 2 && free(port + 1) && free(port + 2) {
            return port;
        }
    }
}
