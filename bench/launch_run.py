"""Running the launchers of bench/launch in turn: one run is started, timed, watched, and what it left is cleared."""

import ctypes
import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass

from rollcall_testing import processes
from rollcall_testing.waiting import PAUSE_SECONDS, wait_until

TICKS = os.sysconf("SC_CLK_TCK")
SECONDS_TO_BE_READY = 60


@dataclass(frozen=True)
class Run:
    """One measured run: seconds of wall time and of CPU time (None for a hang, which has neither)."""

    wall: float
    cpu: float

    @property
    def hung(self):
        return self.wall is None


HANG = Run(None, None)


class BrokenRun(Exception):
    """A launcher did not do its work: a wrong exit code, a task that is not done, processes that stay."""


def enter_host(host, directory):
    """Makes this process one of the host: what it starts then needs no nsenter, which would be measured too."""
    libc = ctypes.CDLL(None, use_errno=True)
    spaces = [os.open(f"/proc/{host.keeper.pid}/ns/{name}", os.O_RDONLY) for name in ("net", "uts", "mnt")]
    for space in spaces:
        if libc.setns(space, 0) != 0:
            raise OSError(ctypes.get_errno(), f"setns to {host.name}")
        os.close(space)
    os.chdir(directory)


class Course:
    """All runs: `runs[row name, tasks]` is a list of Run, `broken` the lines about runs that did not do their work."""

    def __init__(self, bench, accounts, watchdog):
        self.bench, self.accounts, self.watchdog = bench, accounts, watchdog
        self.runs, self.broken = {}, []
        self.busy = self.own = self.wall = 0.0

    def run_rounds(self, rows, tasks, rounds):
        """Round 0 checks, the others are measured. A row that fails its check is left out of the rounds."""
        works = [row for row in rows if self._attempt(row, tasks, self._check)]
        for number in range(1, rounds + 1):
            done = [(row, self._attempt(row, tasks, self._measure)) for row in works]
            told = "  ".join(f"{row.name} {text_of(run)}" for row, run in done)
            print(f"{tasks} tasks, round {number} of {rounds}: {told}", file=sys.stderr, flush=True)

    def _attempt(self, row, tasks, function):
        try:
            return function(row, tasks)
        except BrokenRun as error:
            self.broken.append(f"{row.name}, {tasks} tasks: {error}")
            print(self.broken[-1], file=sys.stderr, flush=True)
            return None

    def _check(self, row, tasks):
        """Hangs are left to the measured rounds to count; a report is asked of pam alone."""
        if not row.reporting:
            self._run(row, row.words(tasks))
            return True
        report = os.path.join(self.bench.scratch, "report.json")
        if not self._run(row, row.reporting(tasks, report)).hung:
            expect_all_done(report, tasks)
            os.unlink(report)
        return True

    def _measure(self, row, tasks):
        run = self._run(row, row.words(tasks))
        self.runs.setdefault((row.name, tasks), []).append(run)
        return run

    def _run(self, row, words):
        wait_until(row.ready, f"{row.name} to take the next run", SECONDS_TO_BE_READY)
        said = os.path.join(self.bench.scratch, "said")
        accounts, ours = self.accounts, self.accounts.launches
        ours.enter()
        used, served = ours.seconds(), accounts.daemons.seconds()
        busy, begun = busy_seconds(), time.monotonic()
        with open(said, "wb") as file:
            front = subprocess.Popen(
                words, env=row.environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
            )
        ended = ended_within(front.pid, self.watchdog)
        wall, busy = time.monotonic() - begun, busy_seconds() - busy
        accounts.leave()
        if not ended:
            self._end_all()
            front.wait()
            return HANG
        code, rusage = reaped(front)
        if code != 0:
            self._end_all()
            raise BrokenRun(f"exit code {code}, expected 0; it said: {tail_of(said)}")
        self._wait_for_the_last()
        cpu = rusage if used is None else ours.seconds() - used
        if "srun" in row.name and served is not None:
            cpu += accounts.daemons.seconds() - served
        self.busy, self.own, self.wall = self.busy + busy, self.own + cpu, self.wall + wall
        return Run(wall, cpu)

    def _wait_for_the_last(self):
        """Daemons that outlive their front end belong to the launch: its CPU time is complete when they have ended."""
        try:
            wait_until(lambda: not self.bench.cluster.strangers(), "the end", self.bench.patience)
        except AssertionError:
            left = self._end_all()
            raise BrokenRun(f"alive {self.bench.patience} s after it: {'; '.join(map(str, left[:5]))}") from None

    def _end_all(self):
        """Kills what a run left, by id; returns what there was."""
        first = self.bench.cluster.strangers()
        while left := self.bench.cluster.strangers():
            for process in left:
                processes.send(process.pid, 9)
            time.sleep(PAUSE_SECONDS)
        return first

    def share_of_others(self):
        """What part of all CPUs other work used while runs were measured; about, as daemons that end late are ours."""
        return max(0.0, self.busy - self.own) / (self.wall * os.cpu_count()) if self.wall else 0.0


def ended_within(pid, seconds):
    """Waits for a child's end without reaping it; False when it has not come."""
    handle = os.pidfd_open(pid)
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def reaped(child):
    """(exit code as a shell shows it, seconds of CPU time of it and of all that it waited for)"""
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    code = child.returncode
    return (128 - code if code < 0 else code), used.ru_utime + used.ru_stime


def busy_seconds():
    """CPU time that this whole machine has used since its start."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, *_ = (int(n) for n in file.readline().split()[1:])
    return (user + nice + system + irq + softirq) / TICKS


def expect_all_done(report, tasks):
    with open(report, encoding="utf-8") as file:
        states = [task["state"] for task in json.load(file)["tasks"]]
    if states != ["done"] * tasks:
        counts = ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states)))
        raise BrokenRun(f"the report has {counts or 'no task'}, expected {tasks} done")


def tail_of(file):
    with open(file, encoding="utf-8", errors="replace") as said:
        return " | ".join(said.read().splitlines()[-5:]) or "nothing"


def text_of(run):
    return "broken" if run is None else "hung" if run.hung else f"{run.wall:.3f}"
