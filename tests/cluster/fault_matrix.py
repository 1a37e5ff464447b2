"""Every fault of a host or of its network, at every moment of a job's life, with every kind of job.

    fault     frozen RES, mbatchd or host; packets that get through in one direction alone; a cut; loss of 30 %; lost large
              packets; a slow link; a full disk; power-off with a wiped spool (rollcall_testing/host_faults.py)
    moment    submission, dispatch, start, run, end, requeue (rollcall_testing/fault_jobs.py)
    kind      serial, rerunnable, parallel with blaunch, Open MPI and MPICH under pam

After each fault: every acknowledged job has ended as it should and ran once (rerunnable ones: at least once), commands that were
given meanwhile are done, hosts are ok again, no slot, process or job directory is left, and the trouble was told meanwhile.

`short` has each fault once and is for every run. `long` draws hosts, delays and lengths from ROLLCALL_FAULTS_SEED (1; 0: a new
one, which is printed) for ROLLCALL_FAULTS_ROUNDS (3) rounds over all faults; ROLLCALL_FAULTS_ONLY names one fault.
"""

import os
import random
import re
import time

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.fault_jobs import KINDS, MOMENTS, FaultJob
from rollcall_testing.host_faults import FAULTS, fault_by_name, give_disk
from rollcall_testing.runner import Skip, cases, main
from rollcall_testing.waiting import wait_until

HOSTS = ("n1", "n2", "n3", "n4")  # mbatchd is on n1
SLOTS = 64
BEAT = 2  # seconds; SBD_SLEEP_TIME: a silent host is unreach after it, and is given up after three of them
PARAMS = f"""Begin Parameters
DEFAULT_QUEUE = normal
MBD_SLEEP_TIME = 4
SBD_SLEEP_TIME = {BEAT}
JOB_ACCEPT_INTERVAL = 0
JOB_TERMINATE_INTERVAL = 1
End Parameters
"""
SHORT_KINDS = {"serial": MOMENTS, "rerun": ("run",), "blaunch": ("dispatch", "start", "run", "end")}


def number(name, otherwise):
    return int(os.environ.get(name, otherwise))


def cluster_with_disk(bench, disk_of):
    batch = BatchCluster(bench, HOSTS, slots=SLOTS)
    batch.write_batch("lsb.params", PARAMS)
    give_disk(bench, batch, disk_of)
    return batch


class Pause:
    """How long a fault lasts: drawn, or, where `draw` is None, until bhosts tells it. A length of the fault, not a wait."""

    def __init__(self, draw):
        self.draw = draw

    def before_fault(self):
        """Time between the last change and the fault, so that the fault meets the work of the change."""
        if self.draw:
            time.sleep(self.draw.uniform(0, 0.12))

    def told_or_drawn(self, fault, asking):
        """Waits out the length of the fault. The invariants hold for every length."""
        if self.draw and self.draw.random() < 0.3:
            time.sleep(self.draw.uniform(0.1, 1.5))
            return
        wait_until(lambda: fault.told(asking), lambda: f"the trouble of {fault.host}: "
                   f"{fault.batch.user('bhosts', '-l', fault.host, host=asking).stdout}\n{fault.batch.logs_text()}", 40)
        if self.draw:
            time.sleep(self.draw.uniform(0, 4 * BEAT))


def njobs(batch):
    """{host: slots that jobs hold}, as bhosts tells it."""
    rows = [line.split() for line in batch.user("bhosts", "-w").stdout.splitlines()[1:]]
    return {row[0]: int(row[4]) for row in rows if len(row) > 4}


def job_directories(batch, host):
    found = batch.bench.cluster.host(host).run(["ls", os.path.join(batch.spool, host)]).stdout.split()
    return [name for name in found if re.fullmatch(r"\d+\.\d+\.\d+", name)]


def expect_nothing_left(bench, batch):
    batch.wait_for_hosts(seconds=60)
    wait_until(lambda: not any(njobs(batch).values()), lambda: f"no slot to be held: {njobs(batch)}\n{batch.logs_text()}", 30)
    shepherds = lambda: bench.cluster.processes(lambda p: p.name == "shepherd")
    wait_until(lambda: not shepherds(), lambda: f"shepherds of jobs that are over: {shepherds()}\n{batch.logs_text()}", 30)
    left = lambda: {host: job_directories(batch, host) for host in HOSTS}
    wait_until(lambda: not any(left().values()), lambda: f"no directory of a job: {left()}\n{batch.logs_text()}", 30)


def play(bench, batch, name, host, kinds, pause):
    """One fault, met by a job of each kind at each of its moments."""
    fault = fault_by_name(name, bench, batch, host)
    asking = next(h for h in HOSTS if h != host)
    others = [h for h in HOSTS[1:] if h != host]
    jobs = [FaultJob(bench, batch, kind, moment, host, others[at % len(others)], asking)
            for kind, moments in kinds.items() for at, moment in enumerate(moments)]
    for job in jobs:
        job.prepare()
    for job in jobs:
        job.wait_until_prepared()
    for job in jobs:
        job.before_fault()
    pause.before_fault()
    fault.begin()
    try:
        for job in jobs:
            job.during_fault()
        pause.told_or_drawn(fault, asking)
    finally:
        fault.end()
    for job in jobs:
        job.after_fault()
    for job in jobs:
        job.check(fault.loses_jobs)
    expect_nothing_left(bench, batch)
    return len(jobs)


def test_short_each_fault_once(bench):
    with cluster_with_disk(bench, "n3") as batch:
        for name in FAULTS:
            begun = time.monotonic()
            count = play(bench, batch, name, "n3", SHORT_KINDS, Pause(None))
            bench.saw(f"{name}: {count} jobs, {time.monotonic() - begun:.1f} s")


@cases(*FAULTS)
def test_long_fault_at_every_moment_with_every_kind(bench, name):
    if os.environ.get("ROLLCALL_FAULTS_ONLY", name) != name:
        raise Skip("ROLLCALL_FAULTS_ONLY names another one")
    seed = number("ROLLCALL_FAULTS_SEED", 1) or random.SystemRandom().randrange(1, 1 << 30)
    draw = random.Random(f"{name} {seed}")
    print(f"     {name}: seed {seed}")
    disk_of = draw.choice(HOSTS)
    with cluster_with_disk(bench, disk_of) as batch:
        for _ in range(number("ROLLCALL_FAULTS_ROUNDS", 3)):
            host = disk_of if name == "full_disk" else draw.choice(HOSTS)
            print(f"     {name} of {host}")
            play(bench, batch, name, host, {kind: MOMENTS for kind in KINDS}, Pause(draw))
    bench.saw(f"seed {seed}")


if __name__ == "__main__":
    main(hosts=4, patience=10)
