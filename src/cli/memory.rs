//! What the machine has free, and what this process holds.

use std::{fs, path::Path};

/// What may be taken when nothing is stated: what is free now, less a tenth. `None` where the system does not say.
pub fn free() -> Option<u64> {
    free_of(Path::new("/")).map(|bytes| bytes / 10 * 9)
}

/// The memory that is available to this process by the files of Linux below a root: that of the machine, or what its control
/// groups (version 2 or 1) leave, whichever is less.
fn free_of(root: &Path) -> Option<u64> {
    let text = |path: &Path| fs::read_to_string(path).ok();
    let machine = text(&root.join("proc/meminfo"))?
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map(|kilobytes| kilobytes.saturating_mul(1024))?;
    let groups = text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let left = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (mount, files) = match controllers {
            "" => ("sys/fs/cgroup", ["memory.max", "memory.current"]),
            _ if controllers.split(',').any(|name| name == "memory") => (
                "sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes"],
            ),
            _ => return Vec::new(),
        };
        // A group may take what all groups above it leave. In a container its path can be that of the host, which is not there.
        let group = Path::new(path.trim_start_matches('/'));
        group
            .ancestors()
            .filter_map(|group| left_in(&root.join(mount).join(group), files))
            .collect()
    });
    Some(left.fold(machine, u64::min))
}

/// What the limit of a group leaves; pages of files that nobody uses are given back when they are needed. `None`: no limit.
fn left_in(group: &Path, [limit, used]: [&str; 2]) -> Option<u64> {
    let text = |name: &str| fs::read_to_string(group.join(name)).ok();
    let number = |name: &str| text(name)?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    let unused = text("memory.stat").unwrap_or_default();
    let unused = unused
        .lines()
        .find_map(|line| {
            let rest = line.strip_prefix("total_inactive_file ");
            rest.or_else(|| line.strip_prefix("inactive_file "))
        })
        .and_then(|number| number.trim().parse::<u64>().ok())
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(unused)))
}

/// The bytes that this process holds itself, without the pages of files. `None` where the system does not say.
pub fn held() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let anonymous = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = anonymous.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_is_the_least_of_machine_and_groups() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let free = || free_of(root.path());
        assert_eq!(free(), None, "another system");
        write(
            "proc/meminfo",
            "MemTotal:  16000 kB\nMemAvailable:    8000 kB\n",
        );
        assert_eq!(free(), Some(8_192_000));
        // Version 2: a group without a limit in one that has 5 MB, of which 2 are used, 1 of these by idle files.
        write("proc/self/cgroup", "0::/jobs/mine\n");
        write("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
        write("sys/fs/cgroup/jobs/mine/memory.current", "1000000\n");
        write("sys/fs/cgroup/jobs/memory.max", "5000000\n");
        write("sys/fs/cgroup/jobs/memory.current", "2000000\n");
        write(
            "sys/fs/cgroup/jobs/memory.stat",
            "anon 5\ninactive_file 1000000\n",
        );
        assert_eq!(free(), Some(4_000_000));
        // Version 1, the path of the host: the container's own limit stands at the mount.
        write("proc/self/cgroup", "5:cpu:/x\n4:memory:/docker/abc\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n");
        write("sys/fs/cgroup/memory/memory.usage_in_bytes", "500000\n");
        assert_eq!(free(), Some(2_500_000));
        // No limit is a very large number there.
        write(
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "9223372036854771712\n",
        );
        assert_eq!(free(), Some(8_192_000));
    }
}
