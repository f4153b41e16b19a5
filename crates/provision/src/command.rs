//! Runs other programs with a time limit, and reports their output if they fail.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;

use crate::Error;

/// Maximum size of a program's output, or of a server's log, in an error.
const TAIL_BYTES: usize = 4_000;

/// Runs `command` to its end and returns its standard output.
pub async fn run(mut command: Command, timeout: Duration) -> Result<String, Error> {
    command.stdin(Stdio::null());
    finish(command, String::new(), timeout).await
}

/// As [`run`], with `input` as standard input.
pub async fn run_with_input(
    mut command: Command,
    input: String,
    timeout: Duration,
) -> Result<String, Error> {
    command.stdin(Stdio::piped());
    finish(command, input, timeout).await
}

async fn finish(mut command: Command, input: String, timeout: Duration) -> Result<String, Error> {
    let program = describe(&command);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    command.kill_on_drop(true);
    let output = match tokio::time::timeout(timeout, fed(command, input)).await {
        Ok(Ok(output)) => output,
        Ok(Err(source)) => return Err(Error::NotRun { program, source }),
        Err(_) => return Err(Error::TimedOut { program, timeout }),
    };
    let stdout = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(stdout.into_owned());
    }
    let printed = format!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
    Err(Error::Failed {
        program,
        status: output.status.to_string(),
        output: tail(&printed).to_owned(),
    })
}

/// Writes and reads concurrently, because either pipe can fill up.
async fn fed(mut command: tokio::process::Command, input: String) -> std::io::Result<Output> {
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    let write = async move {
        if let Some(mut stdin) = stdin {
            // A program that ends before it has read all input gives the reason in its output.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), output) = tokio::join!(write, child.wait_with_output());
    output
}

/// Runs `command` with an empty environment, in the root folder.
pub fn isolate(command: &mut Command) {
    command.env_clear().envs([
        ("PATH", "/usr/bin:/bin"),
        ("LC_ALL", "C"),
        ("TZ", "UTC"),
        ("HOME", "/"),
    ]);
    command.current_dir("/");
}

/// The end of a text, from the start of a line if possible.
pub fn tail(text: &str) -> &str {
    let text = text.trim_end();
    if text.len() <= TAIL_BYTES {
        return text;
    }
    let start = text.ceil_char_boundary(text.len() - TAIL_BYTES);
    let rest = &text[start..];
    rest.split_once('\n').map_or(rest, |(_, lines)| lines)
}

/// The program and its first arguments, which identify the call.
fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args().take(3));
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[tokio::test]
    async fn a_failure_shows_status_and_output() {
        let error = run(
            shell("echo out; echo err >&2; exit 3"),
            Duration::from_mins(1),
        )
        .await
        .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("exit status: 3") && text.contains("out") && text.contains("err"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_program_that_hangs_is_ended() {
        let error = run(shell("exec sleep 600"), Duration::from_millis(50))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    }

    #[tokio::test]
    async fn input_and_output_may_be_longer_than_a_pipe() {
        let input = "0123456789abcde\n".repeat(20_000);
        let mut echo = Command::new("/bin/cat");
        echo.arg("-");
        let output = run_with_input(echo, input.clone(), Duration::from_mins(1)).await;
        assert_eq!(output.unwrap(), input);
    }

    #[tokio::test]
    async fn a_missing_program_is_named() {
        let error = run(Command::new("/nonexistent/program"), Duration::from_mins(1))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("/nonexistent/program"),
            "{error}"
        );
    }

    #[test]
    fn the_tail_of_a_long_text_begins_with_a_whole_line() {
        let text = "12345 äö\n".repeat(2_000);
        let tail = tail(&text);
        assert!(
            tail.len() <= TAIL_BYTES && tail.starts_with("12345"),
            "{} {}",
            tail.len(),
            &tail[..10]
        );
    }
}
