//! Mail over encrypted connections, to servers of aiosmtpd: `tests/mail` has them. They need Python
//! with pip and openssl; where those cannot be had, the tests say on the terminal that they were
//! skipped.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use chrono::DateTime;
use delivery::config::{EmailConfig, Tls};
use delivery::{Delivery, DeliveryConfig, Failure, Outgoing};
use serde_json::{Value, json};
use test_support::npm::{skipped, text};
use test_support::pip;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mail");

/// The servers, until this is dropped.
struct Servers {
    process: Child,
    lines: BufReader<std::process::ChildStdout>,
    ports: Value,
    files: tempfile::TempDir,
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Servers {
    /// `None` where they cannot be had.
    fn start() -> Option<Self> {
        let packages = match packages() {
            Ok(packages) => packages,
            Err(why) => {
                skipped("no mail was sent to a server of aiosmtpd", &why);
                return None;
            }
        };
        let files = tempfile::tempdir().unwrap();
        if let Err(why) = certificates(files.path()) {
            skipped("no mail was sent to a server of aiosmtpd", &why);
            return None;
        }
        let mut process = Command::new("python3")
            .arg(format!("{FILES}/server.py"))
            .args(["server.key", "server.pem", "other.pem"])
            .current_dir(files.path())
            .env("PYTHONPATH", packages)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        let mut servers = Self {
            process,
            lines,
            ports: Value::Null,
            files,
        };
        servers.ports = servers.said();
        Some(servers)
    }

    /// The next thing that the servers said.
    fn said(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The settings for one of the servers.
    fn settings(&self, server: &str, tls: Tls) -> EmailConfig {
        EmailConfig {
            host: Some("127.0.0.1".to_owned()),
            port: self.ports[server].as_u64().unwrap().try_into().unwrap(),
            tls,
            ca_file: Some(self.files.path().join("ca.pem")),
            username: Some("helio".to_owned()),
            password: Some("a password of the post".into()),
            from: Some("Heliograph <helio@example.com>".to_owned()),
            ..EmailConfig::default()
        }
    }
}

/// The folder with aiosmtpd, made once; or why it cannot be made.
fn packages() -> Result<PathBuf, String> {
    let list = Path::new(FILES).join("requirements.txt");
    pip::install(
        &list,
        "mail-aiosmtpd-1.4.6",
        env!("CARGO_TARGET_TMPDIR"),
        &[],
    )
}

/// An authority, and what it certifies: a server at 127.0.0.1, and one of another name.
fn certificates(folder: &Path) -> Result<(), String> {
    let openssl = |arguments: &str| -> Result<(), String> {
        let output = Command::new("openssl")
            .args(arguments.split(' '))
            .current_dir(folder)
            .env("OPENSSL_CONF", format!("{FILES}/openssl.cnf"))
            .output()
            .map_err(|error| format!("openssl: {error}"))?;
        assert!(output.status.success(), "{}", text(&output));
        Ok(())
    };
    let key = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256";
    openssl(&format!("genpkey {key} -out ca.key"))?;
    openssl(&format!("genpkey {key} -out server.key"))?;
    openssl("req -x509 -days 2 -subj /CN=ca -extensions authority -key ca.key -out ca.pem")?;
    for name in ["server", "other"] {
        openssl(&format!(
            "req -x509 -days 2 -subj /CN={name} -extensions {name} -key server.key -CA ca.pem -CAkey ca.key -out {name}.pem"
        ))?;
    }
    Ok(())
}

async fn send(email: EmailConfig) -> Result<(), Failure> {
    let config = DeliveryConfig {
        email,
        ..DeliveryConfig::default()
    };
    let mailer = Delivery::new(&config).unwrap().mail.unwrap();
    let message = Outgoing {
        id: "msg_1",
        at: DateTime::from_timestamp(1_800_000_000, 0).unwrap(),
        subject: "Briefing: today",
        text: "Grüße aus dem Park.",
        payload: &json!({}),
        stop_link: Some("https://solar.example.com/stop/t"),
    };
    mailer.send("ops@example.com", &message).await
}

#[tokio::test]
async fn mail_goes_over_start_tls_and_implicit_tls_with_name_and_password() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    for (server, tls) in [("start_tls", Tls::StartTls), ("implicit", Tls::Implicit)] {
        let sent = send(servers.settings(server, tls)).await;
        assert_eq!(sent, Ok(()), "{server}");
        let mail = servers.said();
        assert_eq!(mail["encrypted"], true, "{mail}");
        assert_eq!(mail["user"], "helio");
        assert_eq!(mail["to"], json!(["ops@example.com"]));
        let data = mail["data"].as_str().unwrap();
        assert!(data.contains("Subject: Briefing: today"), "{data}");
        assert!(data.contains("Message-ID: <msg_1@example.com>"), "{data}");
        for header in [
            "List-Unsubscribe: <https://solar.example.com/stop/t>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(data.contains(header), "{data}");
        }
    }
}

#[tokio::test]
async fn no_mail_and_no_password_goes_to_a_server_that_is_not_the_one_or_cannot_encrypt() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    let mut of_no_authority = servers.settings("start_tls", Tls::StartTls);
    of_no_authority.ca_file = None;
    let mut of_no_authority_at_once = servers.settings("implicit", Tls::Implicit);
    of_no_authority_at_once.ca_file = None;
    for settings in [
        of_no_authority,
        of_no_authority_at_once,
        servers.settings("other_name", Tls::StartTls),
        servers.settings("plain", Tls::StartTls),
        servers.settings("plain", Tls::Implicit),
    ] {
        let port = settings.port;
        let refused = send(settings).await;
        assert!(
            matches!(refused, Err(Failure::Passing(_))),
            "{port}: {refused:?}"
        );
    }
    let mut wrong = servers.settings("start_tls", Tls::StartTls);
    wrong.password = Some("another password".into());
    let refused = send(wrong).await.unwrap_err();
    assert!(refused.to_string().contains("535"), "{refused}");
    // The next mail that a server took is the next one that was sent.
    let sent = send(servers.settings("implicit", Tls::Implicit)).await;
    assert_eq!(sent, Ok(()));
    assert_eq!(servers.said()["encrypted"], true);
}
