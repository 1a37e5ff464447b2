"""Clusters whose jobs have hosts of their own and borrowed ones at once: west has the jobs, the others lend to it."""

import os

from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.runner import expect_equal
from rollcall_testing.waiting import wait_until

BOTH = QUEUES + """Begin Queue
QUEUE_NAME = both
PRIORITY = 40
HOSTS = {own} allremote
End Queue
"""
LENDS = """Begin HostExport
PER_HOST = {host}
SLOTS = {slots}
DISTRIBUTION = ([west, 1])
End HostExport
"""
PARAMS = "MC_RUSAGE_UPDATE_INTERVAL = 1"


def exports(*hosts):
    """A lsb.resources with a lease for each of the hosts."""
    return "".join(LENDS.format(host=host, slots=2) for host in hosts)


def mixed(bench, west=("n1",), own="all", lent=None, lends=None, apart=(), conf=""):
    """West with two slots on each host of its own and two on each borrowed one. `lent`: hosts by provider. `lends`: those that it lends,
    each by a lease of its own; none: the last one. `conf`: lines of lsf.conf."""
    lent = lent or {"east": ("n2",)}
    members = {"west": west, **lent}
    clusters = Federation(bench, members, queues={"west": BOTH.format(own=own)}, params=dict.fromkeys(members, PARAMS),
                          slots={"west": 2, **dict.fromkeys(lent, 1)}, conf=dict.fromkeys(members, conf), apart=apart)
    for name, hosts in lent.items():
        clusters[name].write_batch("lsb.resources", exports(*((lends or {}).get(name) or hosts[-1:])))
    receives = "".join(f"{name} Y\n" for name in lent)
    with open(f"{clusters['west'].conf}/lsf.cluster.west", "a", encoding="utf-8") as file:
        file.write(f"Begin RemoteClusters\nCLUSTERNAME RECV_FROM\n{receives}End RemoteClusters\n")
    return clusters


def shown(side, *jobs):
    def text():
        histories = "".join(side.user("bhist", "-l", str(job)).stdout + side.user("bjobs", "-l", "-UF", str(job)).stdout for job in jobs)
        return f"{side.user('bhosts', '-w').stdout}\n{histories}\n{side.logs_text()}"

    return text


def open_gate(clusters):
    with open(f"{clusters['west'].places[ALICE]}/gate", "w", encoding="utf-8"):
        pass


def borrow(clusters, count=1):
    """A job that could use them has the leases made."""
    west = clusters["west"]
    own = [west.bsub("sleep 1000", "-q", "normal", "-n", "2", "-o", "/dev/null") for _ in west.names]
    for fills in own:
        west.wait_for(fills, "RUN")
    job = west.bsub("sleep 0", "-q", "both", "-o", "/dev/null")
    west.wait_for(job, "DONE")
    wait_until(lambda: sum("@" in line.split()[0] and line.split()[1] == "ok" for line in west.user("bhosts", "-w").stdout.splitlines()[1:]) >= count,
               shown(west))
    for fills in own:
        west.run("bkill", str(fills))
        west.wait_for(fills, "EXIT")


def task_file(clusters):
    home = clusters["west"].places[ALICE]
    with open(f"{home}/task", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\necho $(hostname) $LSB_JOBID >>{home}/ran\n")
    os.chmod(f"{home}/task", 0o755)
    return f"{home}/task"


def starts_tasks(clusters, host):
    """A command that starts one task on the host after the other until the gate opens, but none while it is held (hold_tasks)."""
    home = clusters["west"].places[ALICE]
    turn = f"if [ -e {home}/hold ]; then touch {home}/held; else blaunch {host} {task_file(clusters)}; fi"
    return f"while [ ! -e {home}/gate ]; do {turn}; sleep 0.3; done"


def hold_tasks(clusters):
    """Comes back when starts_tasks has none under way and begins none."""
    home = clusters["west"].places[ALICE]
    with open(os.path.join(home, "hold"), "w", encoding="utf-8"):
        pass
    wait_until(lambda: os.path.exists(os.path.join(home, "held")), "the last task to end")


def goes_on(clusters, job, waits, what):
    """The job starts further tasks, and the one that waits for its slots still does."""
    west, count = clusters["west"], len(clusters.lines("ran"))
    wait_until(lambda: len(clusters.lines("ran")) > count, lambda: f"tasks {what}: {clusters.lines(f'out.{job}')} {shown(west, job)()}", 60)
    expect_equal((west.field(job), west.field(waits)), ("RUN", "PEND"), what)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
