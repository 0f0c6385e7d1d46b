//! How much memory this process has needed.

/// The largest memory that this process ever had, in bytes; 0 where the system does not say.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Lets [`peak`] begin anew with what this process has now, where the system allows that.
pub fn begin_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", b"5");
}

/// The memory that one of so many processes on this node may use, in bytes: its part of what the
/// system or the job's limit allows.
pub fn share(processes: usize) -> u64 {
    let whole = limit().or_else(installed).unwrap_or(1 << 30);
    whole / processes.max(1) as u64
}

/// The limit of the control groups of this process, those above its own included; `None` where none of them has a
/// limit.
fn limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            of if of.split(',').any(|of| of == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let group = std::path::Path::new(path.trim_start_matches('/'));
        group.ancestors().map(|group| std::path::Path::new(root).join(group).join(file)).collect()
    });
    let limits = limits.filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    // If there is no limit, some systems write the largest number of pages.
    limits.filter(|limit| *limit < 1 << 60).min()
}

/// The memory of the machine.
fn installed() -> Option<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_may_use_is_a_part_of_what_there_is() {
        let (one, four) = (share(1), share(4));
        assert!(one > 1 << 20 && one <= installed().unwrap_or(u64::MAX), "{one}");
        assert_eq!(four, one / 4);
        assert!(peak() > 0 && peak() < one);
    }
}
