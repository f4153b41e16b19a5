//! The commands for accounts, sign-ins, API keys and the audit log, against services that run.

use std::path::Path;

use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD};

/// Runs a command with lines of standard input; its output, or its error.
fn run(
    data: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
    input: &str,
) -> Result<String, String> {
    let output = with_input(&mut heliograph(data, arguments, variables), input);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stderr))
    }
}

/// A sign-in says where it is saved; on the machine of the server no address is needed.
fn sign_in(data: &Path, url: &str) {
    let place = data.join("sign-ins.json").display().to_string();
    let saved = format!("signed in as ada at {url}; the sign-in is saved in {place}");
    let arguments = ["sign-in", "--server", url, "--user", "ada"];
    let there = run(data, &arguments, &[], "plum ladder quiet\n").unwrap();
    assert!(there.contains(&saved), "{there}");
    let of_server = serde_json::json!({ "url": url, "refresh_token": "of another sign-in" });
    std::fs::write(data.join("chat.json"), of_server.to_string()).unwrap();
    let arguments = ["sign-in", "--user", "ada"];
    let here = run(data, &arguments, &[], "plum ladder quiet\n").unwrap();
    assert!(
        here.contains(&saved) && here.contains("`--user ada`"),
        "{here}"
    );
    std::fs::remove_file(data.join("chat.json")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_managed_from_the_command_line_while_everything_runs() {
    let stack = DemoStack::start().await;
    let (url, folder) = (stack.services.bff_url.clone(), tempfile::tempdir().unwrap());
    let data = folder.path().to_owned();
    let tried = tokio::task::spawn_blocking(move || {
        let at = |user: &str, arguments: &[&str], input: &str| {
            let place = ["--server", &url, "--user", user];
            run(&data, &[arguments, &place[..]].concat(), &[], input)
        };
        // The password is asked for once; then the sign-in is saved.
        let made = at(
            "demo",
            &["account", "add", "ada", "--role", "editor"],
            &format!("{PASSWORD}\nplum ladder quiet\n"),
        );
        assert!(made.unwrap().contains("created ada  tenant demo  editor"));
        // Two commands at once do not use the same token.
        std::thread::scope(|scope| {
            let lists = [0, 1].map(|_| scope.spawn(|| at("demo", &["account", "list"], "")));
            for list in lists {
                let list = list.join().unwrap().unwrap();
                assert!(list.contains("ada  tenant demo  editor"), "{list}");
            }
        });
        let weak = at("demo", &["account", "add", "eve"], "password1\n").unwrap_err();
        assert!(weak.contains("easily guessed"), "{weak}");
        let promoted = at("demo", &["account", "role", "ada", "administrator"], "");
        assert!(promoted.unwrap().contains("administrator"));
        let wrong = at("ada", &["account", "me"], "wrong\n").unwrap_err();
        assert!(
            wrong.contains("The name or the password is wrong."),
            "{wrong}"
        );
        sign_in(&data, &url);
        let me = at("ada", &["account", "me"], "plum ladder quiet\n").unwrap();
        assert!(
            me.contains("requests_per_minute") && me.contains("audit:read"),
            "{me}"
        );
        let refused = at("ada", &["account", "disable", "demo"], "").unwrap_err();
        assert!(refused.contains("tenants:all"), "{refused}");

        // A program uses a key in place of a sign-in.
        let key = at(
            "ada",
            &["key", "create", "nightly", "--scope", "accounts:read"],
            "",
        );
        let key = key.unwrap().trim().to_owned();
        let with_key = |arguments: &[&str]| {
            let variables = [("HELIOGRAPH_API_KEY", key.as_str())];
            let place = ["--server", url.as_str()];
            run(&data, &[arguments, &place[..]].concat(), &variables, "")
        };
        assert!(with_key(&["account", "list"]).unwrap().contains("ada"));
        let beyond = with_key(&["audit"]).unwrap_err();
        assert!(beyond.contains("audit:read"), "{beyond}");
        let keys = at("ada", &["key", "list"], "").unwrap();
        let id = keys.split_whitespace().next().unwrap();
        assert!(
            keys.contains("nightly") && keys.contains("last used"),
            "{keys}"
        );
        at("ada", &["key", "revoke", id], "").unwrap();
        assert!(with_key(&["account", "list"]).is_err());

        let sessions = at("ada", &["session", "list"], "").unwrap();
        assert!(
            sessions.contains("(this one)") && sessions.contains("127.0.0.1"),
            "{sessions}"
        );
        let log = at("ada", &["audit", "--json"], "").unwrap();
        for action in [
            "revoke_token",
            "create_api_key",
            "create_account",
            "change_account",
        ] {
            assert!(log.contains(&format!("\"action\":\"{action}\"")), "{log}");
        }
        assert!(log.lines().all(|line| line.starts_with('{')));

        // Who changes the own password shows the one of before, and signs in again.
        let changed = at(
            "ada",
            &["account", "password"],
            "plum ladder quiet\nother ladder noise\n",
        );
        assert!(changed.unwrap().contains("has a new password"));
        let again = at("ada", &["account", "me"], "other ladder noise\n");
        assert!(again.unwrap().contains("ada"));
        at("ada", &["sign-out"], "").unwrap();
        let ended = at("ada", &["account", "me"], "").unwrap_err();
        assert!(ended.contains("Password of ada"), "{ended}");
        at("demo", &["account", "disable", "ada"], "").unwrap();
        let disabled = at("ada", &["sign-in"], "other ladder noise\n").unwrap_err();
        assert!(disabled.contains("wrong"), "{disabled}");
        let export = at("demo", &["account", "export"], "").unwrap();
        assert!(
            export.contains("\"threads\":[") && export.contains("create_account"),
            "{export}"
        );
        let erased = at("demo", &["account", "erase", "ada", "--confirm", "ada"], "");
        assert!(erased.unwrap().contains("erased in every service"));
    });
    tried.await.unwrap();
    stack.stop().await;
}
