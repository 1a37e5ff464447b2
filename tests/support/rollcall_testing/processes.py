"""What /proc says about processes. Nothing here is cached: every call looks anew."""

import os
import signal
import time
from dataclasses import dataclass

DEAD = "ZX"  # a zombie has ended; it only waits for a parent that reaps (PID 1 of a container may never do)


@dataclass(frozen=True)
class Process:
    pid: int
    name: str  # the kernel's 15 bytes of the program's name
    state: str  # R S D T Z ...
    parent: int
    words: tuple  # the command line; empty for a zombie
    network: str  # which network namespace, "" where that may not be asked

    @property
    def alive(self):
        return self.state not in DEAD

    def __str__(self):
        return f"{self.pid} ({self.name}, state {self.state}, parent {self.parent}) {' '.join(self.words)[:120]}"


def clock():
    """Seconds that only grow."""
    return time.monotonic()


def read_process(pid):
    """One process, None where it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            stat = file.read()
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = tuple(w.decode(errors="replace") for w in file.read().split(b"\0")[:-1])
    except (FileNotFoundError, ProcessLookupError):
        return None
    name = stat[stat.index("(") + 1 : stat.rindex(")")]
    state, parent = stat[stat.rindex(")") + 2 :].split()[:2]
    try:
        network = os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        network = ""
    return Process(int(pid), name, state, int(parent), words, network)


def all_processes():
    found = (read_process(name) for name in os.listdir("/proc") if name.isdigit())
    return [p for p in found if p]


def is_frozen(pid):
    """Its version 2 cgroup, or one above it, is frozen."""
    try:
        with open(f"/proc/{pid}/cgroup", encoding="ascii") as file:
            path = next((line.rstrip("\n")[3:] for line in file if line.startswith("0::")), "")
    except (FileNotFoundError, ProcessLookupError):
        return False
    for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        try:
            with open(f"{mount}{path}/cgroup.events", encoding="ascii") as file:
                return "frozen 1" in file.read()
        except FileNotFoundError:
            continue
    return False


def is_stopped(pid):
    """It was stopped by a signal, or by the freezer: that holds also what has not taken the signal yet. What waits in vfork() for a child that
    was stopped before its exec() takes the signal behind it."""
    process = read_process(pid)
    if process is None:
        return False
    waits = process.state == "D" and any(is_stopped(child.pid) for child in children_of(pid))
    return process.state == "T" or waits or is_frozen(pid)


def children_of(pid, among=None):
    return [p for p in among or all_processes() if p.parent == pid]


def tree_below(pid):
    """All live descendants of `pid`, itself not among them."""
    everybody, found, parents = all_processes(), [], {pid}
    while parents:
        level = [p for p in everybody if p.parent in parents]
        found += level
        parents = {p.pid for p in level}
    return [p for p in found if p.alive]


def is_task(process):
    """True for a running copy of the programs in tests/programs, and for what they forked."""
    return process.name.startswith(("target", "mpi_target"))


def named(*names):
    """A filter: the program's name is one of these, or begins with its 15 bytes."""
    cut = tuple(n[:15] for n in names)
    return lambda process: process.name in cut


def send(pid, number):
    """Sends a signal; a process that is gone is no error."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def end_tree_below(pid):
    """Kills every descendant of `pid` until none is left, by id."""
    while True:
        below = tree_below(pid)
        if not below:
            return
        for process in below:
            send(process.pid, signal.SIGKILL)
        reap()


def reap():
    """Takes the status of every child of ours that has ended; returns {pid: wait status}."""
    ended = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def guard_and_shepherd(job):
    """Their numbers: the guard is the shepherd's parent."""
    found = [p for p in all_processes() if p.alive and p.name == "shepherd" and p.words[-1:] == (str(job),)]
    pids = {p.pid for p in found}
    pairs = [(p.parent, p.pid) for p in found if p.parent in pids]
    return pairs[0] if pairs else None
