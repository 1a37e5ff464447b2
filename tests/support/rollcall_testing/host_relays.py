"""The relays of a job on the hosts of a test, and how many connections its pam has."""

import signal

from rollcall_testing import processes
from rollcall_testing.job import open_gate
from rollcall_testing.programs import hold_report_against_notes
from rollcall_testing.runner import expect_equal
from rollcall_testing.waiting import given_seconds_until, wait_until

HOSTS = 4
GONE_SECONDS = 2.0
ESTABLISHED = "01"  # of /proc/net/tcp


def relays(bench, host=None):
    """The processes that are relays, on all hosts or on one."""
    return (bench.cluster.host(host) if host else bench.cluster).processes(processes.named("rollcall-relay"))


def connections_to_pam(job):
    """How many connections pam has, on the first host, where it runs."""
    port = job.port()
    lines = job.bench.cluster.head.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"]).stdout.splitlines()
    return sum(words[1].endswith(f":{port:04X}") and words[3] == ESTABLISHED for words in (line.split() for line in lines))


def wait_for_connections_to_pam(job, wanted):
    wait_until(lambda: connections_to_pam(job) == wanted,
               lambda: f"{wanted} connections to pam, there are {connections_to_pam(job)}\n{job.told()}", 10)


def wait_for_relays(job):
    """One on each host, and all but its first TaskStarter are with it: pam has two connections for each host."""
    wait_until(lambda: len(relays(job.bench)) == HOSTS, lambda: f"{HOSTS} relays, there are {relays(job.bench)}\n{job.told()}", 30)
    wait_for_connections_to_pam(job, 2 * HOSTS)


def expect_no_relay(bench):
    given_seconds_until(lambda: not relays(bench), lambda: f"no relay, there are {relays(bench)}", GONE_SECONDS)


def kill_relays_of_two_hosts(job, tasks, notes, gate):
    """One of a remote host and one of pam's own: their TaskStarters dial, and the job ends as if nothing had been. `gate`: the tasks
    wait for it."""
    for host in ("n1", "n3"):
        processes.send(relays(job.bench, host)[0].pid, signal.SIGKILL)
    wanted = 2 * 2 + 2 * tasks // HOSTS
    wait_for_connections_to_pam(job, wanted)
    expect_equal(len(job.tasks()), tasks, "tasks that live")
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)
    expect_equal(len([line for line in job.stderr.splitlines() if "the relay of 3 tasks at " in line]), 2, f"lines of pam\n{job.told()}")
    expect_no_relay(job.bench)
    job.bench.saw(f"{wanted} connections, no task lost, exit 0")
