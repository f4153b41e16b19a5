//! What `/proc` says of processes.

use std::fs;

/// The kernel reports CPU time in hundredths of a second, whatever its own tick is.
const TICKS_PER_SECOND: f64 = 100.0;

/// The resource usage of a process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// CPU time in seconds, user and system.
    pub cpu_seconds: f64,
    /// Resident memory in MiB; of several processes, without what they share.
    pub memory_mib: f64,
}

/// The line of a process in `/proc`.
struct Stat {
    name: String,
    parent: u32,
    /// CPU time of the process, in ticks.
    own: f64,
    /// CPU time of its children that have ended, in ticks.
    of_ended: f64,
}

/// The usage of a process; `None` if there is no such process, or no `/proc`.
pub(super) fn usage_of(pid: u32) -> Option<Usage> {
    Some(Usage {
        cpu_seconds: stat(pid)?.own / TICKS_PER_SECOND,
        memory_mib: memory(pid, "VmRSS:")?,
    })
}

/// The usage of a process with all its children, those that have ended included.
pub(super) fn usage_of_family(pid: u32) -> Option<Usage> {
    let parent = stat(pid)?;
    let mut family = Usage {
        cpu_seconds: (parent.own + parent.of_ended) / TICKS_PER_SECOND,
        memory_mib: memory(pid, "RssAnon:")?,
    };
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let child = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let Some(child) = child else { continue };
        if let Some(stat) = stat(child)
            && stat.parent == pid
        {
            family.cpu_seconds += stat.own / TICKS_PER_SECOND;
            family.memory_mib += memory(child, "RssAnon:").unwrap_or_default();
        }
    }
    Some(family)
}

/// The parent of a process, if it has this name as the process does.
pub(super) fn parent_of(pid: u32, name: &str) -> Option<u32> {
    let child = stat(pid)?;
    let parent = stat(child.parent)?;
    (child.name.starts_with(name) && parent.name.starts_with(name)).then_some(child.parent)
}

fn stat(pid: u32) -> Option<Stat> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Only the name in parentheses can contain spaces and parentheses.
    let (start, rest) = stat.rsplit_once(')')?;
    let (_, name) = start.split_once('(')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The state is field 3, the parent 4, the four times are 14 to 17.
    let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    Some(Stat {
        name: name.to_owned(),
        parent: fields.get(1)?.parse().ok()?,
        own: ticks(14)? + ticks(15)?,
        of_ended: ticks(16)? + ticks(17)?,
    })
}

/// A line of the status of a process, in MiB.
fn memory(pid: u32, line: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let memory = status.lines().find_map(|found| found.strip_prefix(line))?;
    let kib: f64 = memory.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_with_its_parent_and_its_children() {
        let own = std::process::id();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        assert_eq!(stat(child.id()).unwrap().parent, own);
        assert_eq!(parent_of(child.id(), "no such name"), None);
        let (alone, family) = (usage_of(own).unwrap(), usage_of_family(own).unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(alone.memory_mib > 0.0);
        assert!(family.memory_mib > 0.0);
        assert!(family.cpu_seconds >= alone.cpu_seconds);
    }
}
