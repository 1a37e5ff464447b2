"""The hosts that the other tests stand on, without pam: what they are, and what bare launchers do on them.

A test that counts no survivors proves nothing unless it would have seen them: bare Hydra, whose proxy is killed, has to
leave its tasks here, and a process that a test forgets has to be found.
"""

import os
import signal
import subprocess
import sys

from rollcall_testing import launchers, processes
from rollcall_testing.programs import notes_in
from rollcall_testing.runner import cases, expect, expect_equal, main
from rollcall_testing.waiting import wait_until


def test_hosts_have_names_addresses_and_cgroups(bench):
    for host in bench.cluster.hosts:
        expect_equal(host.run(["hostname"]).stdout.strip(), host.name, "host name")
        seen = set(host.run(["ls", "/sys/fs/cgroup"]).stdout.split())
        expect_equal(seen, set(os.listdir("/sys/fs/cgroup")), f"cgroups on {host.name}")
        home = host.run(["getent", "hosts", host.name]).stdout.split()[0]
        expect_equal(home, "127.0.1.1", f"{host.name} at home")
    bench.saw("4 hosts: own names, 127.0.1.1 at home, the machine's cgroups")


def test_a_cut_link_is_cut_and_mended(bench):
    cluster = bench.cluster
    ping = ["sh", "-c", 'exec 3<>/dev/tcp/10.77.0.2/9', "bash"]
    refused = cluster.head.run(["bash"] + ping[1:])
    expect("refused" in refused.stderr, f"n2 answers: {refused.stderr}")
    cluster.cut("n2")
    try:
        cut = cluster.head.run(["timeout", "1", "bash"] + ping[1:])
        expect_equal(cut.returncode, 124, "connecting to a host that was cut off waits")
    finally:
        cluster.mend("n2")
    expect("refused" in cluster.head.run(["bash"] + ping[1:]).stderr, "n2 answers again")
    bench.saw("n2 refused, was silent when cut off, refused again")


def test_the_remote_shell_is_like_ssh(bench):
    cluster = bench.cluster
    environment = dict(cluster.environment, SECRET="mine")
    words = [cluster.agent, "n3", "echo", "a  b;", "hostname;", "echo", '"[$SECRET]"']
    done = cluster.head.run(words, env=environment)
    expect_equal(done.stdout, "a b\nn3\n[]\n", "the words went through a shell on n3, the environment did not")
    expect_equal(cluster.head.run([cluster.agent, "n9", "true"]).returncode, 255, "a host that is none")
    bench.saw("words through a shell, no environment, 255 for no host")


@cases("openmpi", "hydra")
def test_bare_launcher_runs_an_mpi_program_on_all_hosts(bench, name):
    launcher, notes = launchers.by_name(name, bench), bench.fresh_directory()
    words = launcher.words(4) + [bench.mpi_target(launcher.mpi), notes, "allreduce"]
    done = bench.cluster.head.run(["timeout", "20"] + words, env=bench.cluster.environment)
    expect_equal(done.returncode, 0, f"exit code; stderr {done.stderr}")
    expect("allreduce 10\n" in done.stdout, f"the sum: {done.stdout!r}")
    expect_equal(sorted(n.host for n in notes_in(notes)), ["n1", "n2", "n3", "n4"], "hosts")
    bench.saw("sum right, one rank on each of n1-n4")


def test_bare_hydra_leaves_orphans_when_a_proxy_is_killed(bench):
    """Bare Hydra leaves tasks alive, which pam prevents; here it shows that the test would see survivors."""
    cluster, launcher, notes = bench.cluster, launchers.by_name("hydra", bench), bench.fresh_directory()
    launched = cluster.head.popen(
        launcher.words(4) + [bench.target, notes, "nest"], env=cluster.environment, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: len([n for n in os.listdir(notes) if n.startswith("ready.")]) == 4, "4 tasks", 20)
    tasks = lambda: cluster.processes(processes.is_task)
    expect_equal(len(tasks()), 12, "a task, a child and a grandchild on each host")
    proxy = cluster.host("n2").processes(processes.named("hydra_pmi_proxy"))[0]
    processes.send(proxy.pid, signal.SIGKILL)
    wait_until(lambda: not processes.read_process(proxy.pid) or not processes.read_process(proxy.pid).alive, "its end")
    expect(launched.poll() is None, "mpiexec.hydra does not notice")
    expect_equal(len(tasks()), 12, "tasks that outlive the proxy")
    launched.kill()
    launched.wait()
    for process in tasks():
        processes.send(process.pid, signal.SIGKILL)
    bench.saw("its 4 tasks and their 8 descendants live on, mpiexec waits: a survivor is seen")


def test_a_forgotten_process_is_found_and_removed(bench):
    forgetful = (
        "import subprocess; from rollcall_testing.runner import main\n"
        "def test_forgets(bench): subprocess.Popen(['setsid', 'sleep', '61'])\n"
        "main(patience=0.3)\n"
    )
    script = os.path.join(bench.scratch, "forgetful.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(forgetful)
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(processes.__file__)))
    done = subprocess.run(
        [sys.executable, script, "--build", bench.build], env=environment, capture_output=True, text=True, timeout=40
    )
    expect_equal(done.returncode, 1, f"exit code; output {done.stdout}{done.stderr}")
    expect("still alive" in done.stdout and "sleep 61" in done.stdout, f"it is named: {done.stdout}")
    expect(not [p for p in processes.all_processes() if p.words[-1:] == ("61",)], "it has been removed")
    bench.saw("a test that leaves a process fails, names it, and the process is gone")


def test_a_terminated_test_leaves_nothing(bench):
    script = os.path.join(bench.scratch, "endless.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(
            "import subprocess, time; from rollcall_testing.runner import main\n"
            "def test_hangs(bench):\n"
            "  bench.cluster.head.popen(['setsid', 'sleep', '62']); print('here', bench.scratch); time.sleep(99)\n"
            "main(hosts=1)\n"
        )
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(processes.__file__)))
    words = [sys.executable, script, "--build", bench.build]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as endless:
        scratch = endless.stdout.readline().split()[1]
        endless.terminate()
        said = endless.stdout.read()
        expect_equal(endless.wait(10), 128 + signal.SIGTERM, "exit code")
    expect("everything that was started has been removed" in said, said)
    expect(not os.path.exists(scratch), "its scratch directory is gone")
    expect(not [p for p in processes.all_processes() if p.words[-1:] == ("62",)], "its processes are gone")
    bench.saw("TERM: exit 143, no process, no directory left")


main(hosts=4)
