//! A fault in the entry of a target is reported with its key, its file and its line: the files that
//! the all-in-one process reads.

use service_kit::config::Loader;

const GOOD: &str =
    "[[targets]]\nname = \"shop\"\nurl = \"postgres://reader:secret@db/shop\"\ntenants = [\"*\"]\n";

/// The fault of a `tools.toml` in the folder of `heliograph.toml`.
fn fault(text: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.toml");
    std::fs::write(&file, text).unwrap();
    let none: [(&str, &str); 0] = [];
    let error = Loader::new("tools")
        .file(Some(&file))
        .environment(none)
        .load::<tools::Config>(&tools::Config::default())
        .unwrap_err();
    (format!("{error}"), file.display().to_string())
}

#[test]
fn an_entry_of_a_target_is_faulted_by_its_key_and_line() {
    for (more, key, line) in [
        ("schmas = [\"sales\"]\n", "targets.1.schmas", 7),
        ("pool_size = \"many\"\n", "targets.1.pool_size", 7),
        ("tenants = \"demo\"\n", "targets.1.tenants", 7),
    ] {
        let second = "[[targets]]\nname = \"hr\"\n";
        let (error, file) = fault(&format!("{GOOD}{second}{more}"));
        assert!(error.contains(key), "{error}");
        assert!(error.contains(&format!("{file}, line {line}")), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn a_value_of_a_target_that_cannot_be_is_faulted_by_its_key() {
    for (more, key) in [
        ("pool_size = 0\n", "targets.0.pool_size"),
        (
            "confidence_threshold = 7.0\n",
            "targets.0.confidence_threshold",
        ),
        ("schemas = [\"\"]\n", "targets.0.schemas"),
        ("url_file = \"/no/such/file\"\n", "targets.0.url"),
    ] {
        let (error, _) = fault(&format!("{GOOD}{more}"));
        assert!(error.contains(key), "{more}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
