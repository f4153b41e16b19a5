//! Passwords that a person types at a terminal: they are asked for, and not shown.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD};

/// Runs a program at a terminal of its own. Standard input has a list of prompts and what is typed
/// after each: not before the terminal has stopped to show what is typed. Prints what the terminal
/// shows.
const TERMINAL: &str = r#"
import json, os, pty, select, sys, termios, time
END = time.monotonic() + 120
steps = json.load(sys.stdin)
process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""

def more():
    global shown
    if not select.select([terminal], [], [], max(0, END - time.monotonic()))[0]:
        sys.exit(f"nothing more is shown: {shown!r}")
    try:
        new = os.read(terminal, 4096)
    except OSError:
        new = b""
    shown += new
    return new

for prompt, typed in steps:
    begin = len(shown)
    while prompt.encode() not in shown[begin:]:
        if not more():
            sys.exit(f"it ended before {prompt!r}: {shown!r}")
    while termios.tcgetattr(terminal)[3] & termios.ECHO:
        if time.monotonic() > END:
            sys.exit(f"the terminal shows what is typed at {prompt!r}")
        time.sleep(0.01)
    os.write(terminal, typed.encode() + b"\n")
while more():
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"#;

/// The text that the terminal shows of a command while these answers are typed.
fn typed(data: &Path, arguments: &[&str], steps: &[(&str, &str)]) -> String {
    let program = heliograph(data, arguments, &[]);
    let mut python = Command::new("python3");
    python
        .args(["-c", TERMINAL])
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(data);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => python.env(name, value),
            None => python.env_remove(name),
        };
    }
    let output = with_input(&mut python, &json!(steps).to_string());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_asked_for_and_not_shown() {
    const NEW: &str = "plum ladder quiet";
    let stack = DemoStack::start().await;
    let url = stack.services.bff_url.clone();
    let tried = tokio::task::spawn_blocking(move || {
        let data = tempfile::tempdir().unwrap();
        let place = ["--server", &url, "--user", "demo"];
        let add = ["account", "add", "ada", "--role", "viewer"];
        let shown = typed(
            data.path(),
            &[&add[..], &place[..]].concat(),
            &[
                ("Password of demo at ", PASSWORD),
                ("ada", NEW),
                ("Again: ", NEW),
            ],
        );
        assert!(shown.contains("created ada  tenant demo"), "{shown}");
        for secret in [PASSWORD, NEW] {
            assert!(!shown.contains(secret), "{shown}");
        }
    });
    tried.await.unwrap();
    stack.stop().await;
}
