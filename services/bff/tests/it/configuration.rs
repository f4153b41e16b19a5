//! Settings that would open the door stop the start, and say which they are.

use bff::Config;
use service_kit::config::Loader;

fn refusal(key: &str, value: &str) -> String {
    let loaded = Loader::new("bff")
        .environment([(key, value)])
        .load(&Config::default());
    loaded.unwrap_err().to_string()
}

#[test]
fn an_origin_that_is_none_or_any_stops_the_start() {
    for value in [
        r#"["*"]"#,
        r#"["https://*.example.com"]"#,
        r#"["https://app.example.com/"]"#,
        r#"["https://app.example.com/path"]"#,
        r#"["https://App.example.com"]"#,
        r#"["app.example.com"]"#,
        r#"["null"]"#,
        r#"["file:///"]"#,
    ] {
        let told = refusal("HELIOGRAPH_BFF__SESSION__ALLOWED_ORIGINS", value);
        assert!(
            told.starts_with("session.allowed_origins: "),
            "{value}: {told}"
        );
    }
}

#[test]
fn a_secret_that_can_be_guessed_stops_the_start() {
    for value in [
        "short",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "0123012301230123012301230123012301230123",
        "correct-horsecorrect-horsecorrect-horse",
        "changeme-changeme-before-production-2026",
    ] {
        let told = refusal("HELIOGRAPH_BFF__SERVICES__ORCHESTRATOR_SECRET", value);
        assert!(
            told.starts_with("services.orchestrator_secret: "),
            "{value}: {told}"
        );
        assert!(!told.contains(value), "{told}");
    }
    let told = refusal("HELIOGRAPH_BFF__SIGNING__ENCRYPTION_KEY", "c2hvcnQ=");
    assert!(told.starts_with("signing.encryption_key: "), "{told}");
}

#[test]
fn names_and_networks_that_are_none_stop_the_start() {
    let told = refusal(
        "HELIOGRAPH_BFF__HTTP__ALLOWED_HOSTS",
        r#"["https://app.example.com"]"#,
    );
    assert!(told.starts_with("http.allowed_hosts: "), "{told}");
    let told = refusal(
        "HELIOGRAPH_BFF__HTTP__TRUSTED_PROXIES",
        r#"["10.0.0.0/99"]"#,
    );
    assert!(told.starts_with("http.trusted_proxies: "), "{told}");
}
