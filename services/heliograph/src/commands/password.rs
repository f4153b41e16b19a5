//! Passwords on the command line: typed without echo, a line of standard input, or of a file.

use std::io::{IsTerminal, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use secrecy::{ExposeSecret, SecretString};

/// Asks for a password. It is neither in the shell history nor in the list of processes.
pub(super) fn ask(prompt: &str) -> anyhow::Result<SecretString> {
    if stdin().is_terminal() {
        let typed = rpassword::prompt_password(format!("  {prompt}: "));
        return Ok(typed.context("reading the password failed")?.into());
    }
    let mut line = String::new();
    let read = stdin()
        .read_line(&mut line)
        .context("reading the password failed")?;
    if read == 0 {
        bail!("standard input ended; it must contain a line for: {prompt}");
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned().into())
}

/// The first line of a file, as secrets are mounted.
pub(super) fn read(file: &Path) -> anyhow::Result<SecretString> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the password file {}", file.display()))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        bail!("the first line of {} is empty", file.display());
    }
    Ok(line.to_owned().into())
}

/// Asks for a new password, on a terminal twice.
pub(super) fn ask_new(prompt: &str) -> anyhow::Result<SecretString> {
    let password = ask(prompt)?;
    if stdin().is_terminal() && ask("Again")?.expose_secret() != password.expose_secret() {
        bail!("the two passwords differ; nothing was changed");
    }
    Ok(password)
}
