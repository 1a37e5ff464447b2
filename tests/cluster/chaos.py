"""Daemons are killed, stopped, started again, and hosts are cut off, at instants drawn from a seed, while jobs run.

Each job appends one line to a file of its own and ends with a code of its own. At the end every job that bsub has
acknowledged has run exactly once (at least once in the queue `rerun`), has its true exit code, and no process is left.

ROLLCALL_CHAOS_JOBS (2000), ROLLCALL_CHAOS_INSTANTS (200), ROLLCALL_CHAOS_SEED (1; 0: a new one, which is printed).
"""

import os
import random
import re
import signal
import subprocess
import time

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")
ARRAY = 20


def number(name, otherwise):
    return int(os.environ.get(name, otherwise))


class Chaos:
    """What can go wrong, drawn from a seed; everything is mended again."""

    def __init__(self, bench, batch, draw):
        self.bench, self.batch, self.draw = bench, batch, draw
        self.done = []

    def one(self):
        what, host = self.draw.choice(self.choices())
        self.done.append(f"{what.__name__} {host}")
        what(host)

    def choices(self):
        rows = [(self.kill_mbatchd, "n1"), (self.stop_mbatchd, "n1")] * 2
        for host in ALL:
            rows += [(self.kill_res, host), (self.stop_res, host), (self.kill_lim, host), (self.kill_melim, host)]
        rows += [(self.cut, host) for host in ALL[1:]]
        return rows

    def kill_mbatchd(self, host):
        self.batch.kill_daemon("mbatchd", host)
        self.batch.start_daemon("mbatchd", host)

    def kill_res(self, host):
        self.batch.kill_daemon("res", host)
        self.batch.start_daemon("res", host)

    def stopped(self, program, host):
        self.batch.send_daemon(program, host, signal.SIGSTOP)
        time.sleep(self.draw.uniform(0.05, 1.5))  # the fault itself, not a wait for anything
        self.batch.send_daemon(program, host, signal.SIGCONT)

    def stop_mbatchd(self, host):
        self.stopped("mbatchd", host)

    def stop_res(self, host):
        self.stopped("res", host)

    def kill_lim(self, host):
        self.batch.kill(host)
        self.batch.start(host)

    def kill_melim(self, host):
        for process in self.bench.cluster.host(host).processes(processes.named("melim")):
            processes.send(process.pid, signal.SIGKILL)

    def cut(self, host):
        self.bench.cluster.cut(host)
        time.sleep(self.draw.uniform(0.1, 2))
        self.bench.cluster.mend(host)


def submit(batch, notes, queue, code):
    """One array; gives its number, or None where bsub was not acknowledged (then nobody promised anything)."""
    command = f"echo ran >>{notes}/$LSB_JOBID.$LSB_JOBINDEX; sleep 0.$((LSB_JOBINDEX % 7)); exit {code}"
    words = ["bsub", "-q", queue, "-J", f"c[1-{ARRAY}]", "-o", "/dev/null", command]
    try:
        done = batch.user(*words, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    found = re.match(r"Job <(\d+)>", done.stdout)
    return int(found.group(1)) if found else None


def ran(notes, job, index):
    try:
        with open(f"{notes}/{job}.{index}", encoding="ascii") as file:
            return file.read().count("ran\n")
    except FileNotFoundError:
        return 0


def test_no_job_is_lost_run_twice_or_left(bench):
    seed = number("ROLLCALL_CHAOS_SEED", 1) or random.SystemRandom().randrange(1, 1 << 30)
    draw = random.Random(seed)
    jobs, instants = number("ROLLCALL_CHAOS_JOBS", 2000), number("ROLLCALL_CHAOS_INSTANTS", 200)
    notes = bench.fresh_directory()
    with BatchCluster(bench, ALL, slots=8) as batch:
        chaos, given = Chaos(bench, batch, draw), {}
        rounds = max(1, jobs // ARRAY)
        faults = sorted(draw.randrange(rounds) for _ in range(instants))
        for turn in range(rounds):
            queue, code = draw.choice(["normal", "normal", "rerun"]), draw.choice([0, 0, 0, 3, 77])
            job = submit(batch, notes, queue, code)
            if job is not None:
                given[job] = (queue, code)
            for _ in range(faults.count(turn)):
                chaos.one()
        print(f"     seed {seed}: {len(given)} arrays of {ARRAY}, faults: {', '.join(chaos.done)}")
        batch.wait_for_hosts(seconds=90)
        for job, (queue, code) in given.items():
            check_job(batch, notes, job, queue, code)
    bench.saw(f"{len(given) * ARRAY} jobs, {len(chaos.done)} faults, seed {seed}")


def check_job(batch, notes, job, queue, code):
    def over():
        rows = [line.split() for line in batch.field(job, "jobindex stat exit_code").splitlines()]
        return rows if len(rows) == ARRAY and all(r[1] in ("DONE", "EXIT") for r in rows) else None

    rows = wait_until(over, lambda: f"job {job} to end: {batch.field(job, 'jobindex stat')}\n{batch.logs_text()}", 180)
    for index, state, exit_code in rows:
        times = ran(notes, job, index)
        expect(times == 1 or (queue == "rerun" and times > 1), f"{job}[{index}] of {queue} ran {times} times, {state}")
        expected = ("DONE", "-") if code == 0 else ("EXIT", str(code))
        expect_equal((state, exit_code), expected, f"the end of {job}[{index}]")


if __name__ == "__main__":
    main(hosts=4, patience=10)
