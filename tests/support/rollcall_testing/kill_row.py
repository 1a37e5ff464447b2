"""A job of four tasks on four hosts, one of whose processes is killed with SIGKILL, and what must follow.

Every task has a child and a grandchild that was forked twice into a session of its own; they count as much as the task.
"""

import re
import signal

from rollcall_testing import processes
from rollcall_testing.job import method_1, pam
from rollcall_testing.programs import notes_in, wait_for_ready
from rollcall_testing.runner import Skip, expect, expect_equal
from rollcall_testing.waiting import seconds_until, wait_until

TASKS = 4
VICTIMS = (
    "pam",
    "launcher",
    "proxy of a remote host",
    "proxy of the first host",
    "outer TaskStarter",
    "inner TaskStarter",
)
LIMIT_SECONDS = 2.0


def find_victim(job, launcher, what):
    cluster = job.bench.cluster
    if what == "pam":
        return processes.read_process(job.pid)
    if what == "launcher":
        return job.front(launcher)
    if what == "proxy of a remote host":
        return cluster.host("n3").processes(launcher.is_proxy)[0]
    if what == "proxy of the first host":
        found = cluster.host("n1").processes(launcher.is_proxy)
        if not found:
            raise Skip(f"{launcher.name} has no process of its own on the first host besides the launcher")
        return found[0]
    return next(p for p in job.starters(what.split()[0]) if cluster.host("n3").holds(p))


def of_its_task(job, starter):
    """The processes of a TaskStarter's task, at any moment, by those it has now."""
    own = {p.pid for p in processes.tree_below(starter.pid) if processes.is_task(p)}
    expect(own, f"a task below {starter}\n{job.told()}")
    return lambda _: [p for p in job.tasks() if p.pid in own]


def kill_one(bench, launcher, what, program, mode, environment=None, tasks=TASKS, in_place=None):
    """Starts a job, kills one of its processes, and holds what follows to the rules. `in_place(job)`: asked before that."""
    cluster, notes = bench.cluster, bench.fresh_directory()
    job = pam(bench, *method_1(launcher.words(tasks), [*program, notes, mode]), environment=environment)
    wait_for_ready(notes, tasks, job)
    if in_place:
        in_place(job)
    before = job.tasks()
    expect({cluster.host_of(p) for p in before} == set(cluster.names), f"tasks on all hosts: {before}")
    victim = find_victim(job, launcher, what)
    at = cluster.host_of(victim)
    watched = of_its_task(job, victim) if what.endswith("TaskStarter") else cluster.processes
    processes.send(victim.pid, signal.SIGKILL)

    took = seconds_until(
        lambda: not watched(processes.is_task),
        lambda: f"no task alive; alive are {watched(processes.is_task)}\n{job.told()}",
        LIMIT_SECONDS,
    )
    code = job.wait(20)
    wait_until(
        lambda: not job.tasks(),
        lambda: f"no task alive after pam; alive are {job.tasks()}\n{job.told()}",
        LIMIT_SECONDS,
    )
    expect(code != 0, f"a job that lost a process does not end with 0\n{job.told()}")
    bench.saw(f"{len(before)} processes of {len(notes_in(notes))} tasks; gone after {took:.2f} s; exit {code}")
    hold_words_to_the_rules(job, launcher, what, victim, at)


def hold_words_to_the_rules(job, launcher, what, victim, at):
    """One line names the lost process, its PID, and its host. A killed launcher's host is pam's own."""
    if what == "pam":
        expect_equal(job.process.returncode, -signal.SIGKILL, "pam's own end")
        return
    lines = [line for line in job.stderr.splitlines() if re.search(rf"\b{victim.pid}\b", line) and "pam" in line]
    name = "TaskStarter" if what.endswith("TaskStarter") else victim.name[:8]
    fits = [line for line in lines if name in line and re.search(rf"\b{at}\b", line)]
    expect(fits, f"a line of pam that names {name}, pid {victim.pid} and {at}\n{job.told()}")
    job.bench.saw(repr(fits[0]))
