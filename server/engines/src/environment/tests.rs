use super::*;

fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let sources = Sources {
        root: dir.path().to_owned(),
        cpus: Some(2),
        nvidia_smi: OsString::from("/nonexistent/nvidia-smi"),
        gpu_timeout: Duration::from_secs(10),
        inferex_version: None,
    };
    (dir, sources)
}

/// Written by another process: a file that is open for writing in a process that forks cannot be run.
fn write_program(path: &Path, text: &str) {
    let script = r#"printf %s "$2" > "$1" && chmod +x "$1""#;
    let status = std::process::Command::new("sh").args(["-c", script, "sh"]).arg(path).arg(text).status();
    assert!(status.expect("written").success());
}

const CPUINFO: &str = "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu sse hypervisor\n";

#[tokio::test]
async fn a_virtual_machine_is_described() {
    let (_dir, sources) = machine(&[
        ("proc/cpuinfo", CPUINFO),
        ("proc/meminfo", "MemTotal:       24000 kB\nMemFree: 1 kB\n"),
        ("sys/fs/cgroup/memory.max", "max\n"),
        ("proc/sys/kernel/osrelease", "6.1.0-generic\n"),
        ("proc/loadavg", "0.52 0.40 0.30 1/200 999\n"),
        ("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
        ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
    ]);
    insta::assert_json_snapshot!(read(&sources).await);
}

#[tokio::test]
async fn a_machine_that_tells_nothing_is_all_unknown() {
    let (_dir, sources) = machine(&[]);
    let found = read(&sources).await;
    let wanted = Environment { cpus: Some(2), platform: Some("native".to_owned()), ..Environment::default() };
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn wsl_and_containers_are_told_from_the_rest() {
    let (_dir, wsl) = machine(&[("proc/sys/kernel/osrelease", "5.15.1-microsoft-standard-WSL2")]);
    assert_eq!(read(&wsl).await.platform.as_deref(), Some("wsl2"));
    let (_dir, docker) = machine(&[(".dockerenv", ""), ("proc/cpuinfo", CPUINFO)]);
    assert_eq!(read(&docker).await.platform.as_deref(), Some("container"));
    let (_dir, pod) = machine(&[("proc/1/cgroup", "0::/kubepods/pod1/x")]);
    assert_eq!(read(&pod).await.platform.as_deref(), Some("container"));
}

#[tokio::test]
async fn a_memory_limit_counts() {
    let (_dir, sources) =
        machine(&[("proc/meminfo", "MemTotal: 24000 kB"), ("sys/fs/cgroup/memory.max", "1048576")]);
    assert_eq!(read(&sources).await.memory_bytes, Some(1_048_576));
}

#[tokio::test]
async fn gpus_come_from_the_program_and_a_hanging_one_is_given_up() {
    let (dir, mut sources) = machine(&[]);
    let program = dir.path().join("smi");
    write_program(&program, "#!/bin/sh\necho 'NVIDIA H200, 570.1'\n");
    sources.nvidia_smi = program.clone().into_os_string();
    let found = read(&sources).await;
    assert_eq!((found.gpus, found.driver), (vec!["NVIDIA H200".to_owned()], Some("570.1".to_owned())));

    write_program(&program, "#!/bin/sh\nexec sleep 600\n");
    sources.gpu_timeout = Duration::from_millis(100);
    assert!(read(&sources).await.gpus.is_empty());
}
