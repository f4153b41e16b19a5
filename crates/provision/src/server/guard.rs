//! The guard of a server.

use std::path::Path;
use std::process::Command;

/// The script of the shell until the pipe is closed. Arguments: the server's pid file, the folder
/// to remove at the end or nothing, the server's command line. The guard is a grandchild, because a
/// server does not expect children that it did not start.
const BEFORE: &str = r#"
server=$$ pid_file=$1 remove=$2
shift 2
exec 3<&0
wait_for_server() {
  seconds=0
  while [ -e "$pid_file" ] && kill -0 "$server" && [ "$seconds" -lt 300 ]; do
    sleep 0.1 || sleep 1
    seconds=$((seconds + 1))
  done
}
(
  trap '' HUP INT TERM
  {
    read -r word <&3
    [ "$word" = released ] && exit 0
"#;

const AFTER: &str = r#"
  } &
) >/dev/null 2>&1
exec "$@" 3<&- </dev/null
"#;

/// Written to the guard when the server has ended and the guard has nothing to do.
pub(super) const RELEASE: &[u8] = b"released\n";

/// How a guard stops its server.
#[derive(Clone, Copy, Debug)]
pub struct Guard<'a> {
    /// The name of the guard in a list of processes.
    pub name: &'a str,
    /// A file that exists as long as the server runs.
    pub pid_file: &'a Path,
    /// The folder that the guard removes at the end.
    pub remove: Option<&'a Path>,
    /// The shell statements that stop the server. They can use `$server` (its process),
    /// `$pid_file`, `$remove` (empty if there is nothing to remove) and `wait_for_server`, which
    /// waits up to half a minute for the server to end.
    pub end: &'a str,
}

impl Guard<'_> {
    /// The command that starts `server`'s program with this guard, without the environment. Its
    /// standard input is the guard's pipe.
    pub fn command(&self, server: &Command) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell
            .arg("-c")
            .arg([BEFORE, self.end, AFTER].concat())
            .arg(self.name)
            .arg(self.pid_file)
            .arg(self.remove.unwrap_or(Path::new("")))
            .arg(server.get_program())
            .args(server.get_args());
        shell
    }
}
