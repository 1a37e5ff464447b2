"""The relays of a job on the hosts of a test, and how many connections its pam has."""

from rollcall_testing import processes
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
