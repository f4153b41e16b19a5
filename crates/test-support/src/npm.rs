//! Programs from npm's registry and from Debian for tests that need them: installed where that is
//! possible. Where it is not, the tests say on the terminal that they were skipped.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "the helpers of tests fail like tests"
)]

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The oldest node that tests run on unless they say another: Debian 12 has this one.
pub const OLDEST_NODE: u32 = 18;

/// Says that tests were skipped, and why.
pub fn skipped(what: &str, why: &str) {
    // Not by `eprintln!`, which a test that passes keeps to itself.
    let told = format!("skipped, {what}: {why}\n");
    std::io::stderr().write_all(told.as_bytes()).unwrap();
}

/// A copy of a folder of `tests/` with its packages beside it, made once for each lock file within
/// `target` (`CARGO_TARGET_TMPDIR`); or why it cannot be made.
pub fn install(files: &str, name: &str, target: &str, oldest_node: u32) -> Result<PathBuf, String> {
    require_node(oldest_node)?;
    let lock = std::fs::read(Path::new(files).join("package-lock.json")).unwrap();
    let mut hasher = DefaultHasher::new();
    hasher.write(&lock);
    let folder = Path::new(target).join(format!("{name}-{:016x}", hasher.finish()));
    let _alone = wait_for(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for file in std::fs::read_dir(files).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
    }
    let complete = folder.join("node_modules/.complete");
    if !complete.exists() {
        fetch_packages(&folder)?;
        std::fs::write(complete, "").unwrap();
    }
    Ok(folder)
}

/// Holds a folder for one test of one process while its packages are installed.
pub(crate) fn wait_for(folder: &Path) -> File {
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let file = File::create(folder.with_added_extension("lock")).unwrap();
    file.lock().unwrap();
    file
}

fn fetch_packages(folder: &Path) -> Result<(), String> {
    let output = Command::new("npm")
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--fetch-retry-mintimeout=1000",
            "--fetch-retry-maxtimeout=5000",
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let said = text(&output);
    let away = [
        "ENOTFOUND",
        "EAI_AGAIN",
        "ECONNREFUSED",
        "ECONNRESET",
        "ETIMEDOUT",
        "ENETUNREACH",
        "ERR_SOCKET_TIMEOUT",
    ];
    assert!(
        away.iter().any(|code| said.contains(code)),
        "npm ci failed:\n{said}"
    );
    Err("npm's registry cannot be reached".to_owned())
}

fn require_node(oldest: u32) -> Result<(), String> {
    if node_major().is_none() || !answers("npm") {
        apt_install("node and npm", &["nodejs", "npm"])?;
    }
    match node_major() {
        Some(major) if major >= oldest => Ok(()),
        found => Err(format!(
            "node {oldest} or later is needed, and here is {found:?}"
        )),
    }
}

/// Installs Debian's packages of what is not `here`, as root.
pub fn apt_install(what: &str, packages: &[&str]) -> Result<(), String> {
    if !(is_root() && answers("apt-get")) {
        return Err(format!("there is no {what} here"));
    }
    let install = |arguments: &[&str]| {
        Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .output()
            .unwrap()
    };
    // Without the package lists, which images leave out, nothing can be found.
    install(&["update", "-q"]);
    let wanted = ["install", "-y", "-q", "--no-install-recommends"];
    let output = install(&[&wanted[..], packages].concat());
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "there is no {what} here, and apt-get could not install it:\n{}",
        text(&output)
    ))
}

/// The version of node that is here.
pub fn node_major() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version
        .trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// Whether a program can be run.
pub fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// The output of a program, standard error last.
pub fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
