"""Relays under launchers that know nothing of MPI: pdsh, whose hosts start several tasks by a script, and GNU parallel.

Four tasks on each host, with a child and a grandchild each. Whatever is killed, no process of what it took along is alive after two
seconds on any of the four hosts, and no relay.
"""

import os
import shutil
import signal

from rollcall_testing import processes
from rollcall_testing.host_relays import HOSTS, expect_no_relay, relays, wait_for_connections_to_pam, wait_for_relays
from rollcall_testing.job import expect_no_tasks, method_1, open_gate, pam, requires_pam
from rollcall_testing.programs import hold_report_against_notes, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import given_seconds_until, wait_until

NAMES = ("n1", "n2", "n3", "n4")
PER_HOST = 4
TASKS = PER_HOST * HOSTS
LIMIT_SECONDS = 2.0
LAUNCHERS = ("pdsh", "parallel")
SEVERAL = f'for i in $(seq {PER_HOST}); do "$@" & done; for i in $(seq {PER_HOST}); do wait -n || code=$?; done; exit ${{code:-0}}'


def words_of(bench, name):
    if not shutil.which(name):
        raise Skip(f"{name} is not installed")
    if name == "parallel":
        return ["parallel", "--ssh", bench.cluster.agent, "-S", ",".join(f"{PER_HOST}/{host}" for host in NAMES), f"-j{PER_HOST}"]
    several = os.path.join(bench.fresh_directory("several"), "several")
    with open(several, "w", encoding="ascii") as file:
        file.write(f"#!/bin/bash\n{SEVERAL}\n")
    os.chmod(several, 0o755)
    return ["pdsh", "-S", "-R", "exec", "-w", ",".join(NAMES), bench.cluster.agent, "%h", several]


def start(bench, name, *mode):
    notes = bench.fresh_directory()
    program = [bench.target, notes, *mode]
    if name == "parallel":
        program += [":::", *map(str, range(TASKS))]
    job = pam(bench, "-n", str(TASKS), *method_1(words_of(bench, name), program))
    wait_for_ready(notes, TASKS, job, seconds=60)
    wait_for_relays(job)
    return job, notes


def waiting(bench, name):
    """Tasks that wait for a gate. GNU parallel's own last word is no argument of theirs."""
    gate = os.path.join(bench.fresh_directory(), "gate")
    job, notes = start(bench, name, "wait", gate)
    return job, notes, gate


def end_well(bench, job, notes, gate):
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes, ranks_known=False)
    expect_no_relay(bench)


def gone(job, what=None):
    given_seconds_until(lambda: not (what or job.tasks)(), f"no task alive\n{job.told()}", LIMIT_SECONDS)


@cases(*LAUNCHERS)
def test_all_tasks_of_a_host_have_one_relay(bench, name):
    end_well(bench, *waiting(bench, name))
    bench.saw(f"{TASKS} tasks on {HOSTS} hosts, {2 * HOSTS} connections, no relay behind the job")


@cases(*LAUNCHERS)
def test_pam_is_killed(bench, name):
    job, _ = start(bench, name, "nest")
    job.signal(signal.SIGKILL)
    gone(job)
    expect_no_relay(bench)
    job.wait(20)
    bench.saw("nothing left")


@cases(*LAUNCHERS)
def test_the_launcher_is_killed(bench, name):
    job, _ = start(bench, name, "nest")
    front = next(p for p in processes.children_of(job.pid) if any(name in word for word in p.words[:2]))
    processes.send(front.pid, signal.SIGKILL)
    gone(job)
    expect_no_relay(bench)
    expect_equal(job.wait(20), 128 + signal.SIGKILL, f"exit code\n{job.told()}\n")
    lines = [line for line in job.stderr.splitlines() if f"(pid {front.pid})" in line]
    expect_equal(len(lines), 1, f"lines about the launcher\n{job.told()}")
    bench.saw(lines[0])


def test_what_started_the_tasks_of_a_host_is_killed(bench):
    """The script below pdsh on n3: the parent of four TaskStarters."""
    job, _ = start(bench, "pdsh", "nest")
    starter = next(p for p in job.starters() if bench.cluster.host("n3").holds(p))
    processes.send(starter.parent, signal.SIGKILL)
    gone(job)
    expect_no_relay(bench)
    expect(job.wait(20) != 0, f"a job that lost a process does not end with 0\n{job.told()}")
    expect_equal(job.stderr.count(f"(pid {starter.parent})"), 1, f"lines about it\n{job.told()}")
    bench.saw(next(line for line in job.stderr.splitlines() if str(starter.parent) in line))


@cases(*((name, level) for name in LAUNCHERS for level in ("outer", "inner")))
def test_a_taskstarter_is_killed(bench, what):
    """Its own task is gone, and the launchers wait for the others; TERM ends all."""
    name, level = what
    job, _ = start(bench, name, "nest")
    victim = next(p for p in job.starters(level) if bench.cluster.host("n3").holds(p))
    own = {p.pid for p in processes.tree_below(victim.pid) if processes.is_task(p)}
    processes.send(victim.pid, signal.SIGKILL)
    gone(job, lambda: [p for p in job.tasks() if p.pid in own])
    wait_until(lambda: str(victim.pid) in job.stderr, lambda: f"a line about {victim.pid}\n{job.told()}", 5)
    job.signal(signal.SIGTERM)
    job.signal(signal.SIGTERM)
    job.wait(20)
    gone(job)
    expect_no_relay(bench)
    bench.saw(next(line for line in job.stderr.splitlines() if str(victim.pid) in line))


@cases(*LAUNCHERS)
def test_relays_are_killed(bench, name):
    """They take nothing along: their TaskStarters dial."""
    job, notes, gate = waiting(bench, name)
    for host in ("n1", "n3"):
        processes.send(relays(bench, host)[0].pid, signal.SIGKILL)
    wait_for_connections_to_pam(job, 2 * 2 + 2 * PER_HOST)
    expect_equal(len(job.tasks()), TASKS, "tasks that live")
    end_well(bench, job, notes, gate)
    bench.saw("two relays killed, no task lost, exit 0")


def stop_relays(bench, *hosts):
    stopped = [relays(bench, host)[0].pid for host in hosts]
    for pid in stopped:
        processes.send(pid, signal.SIGSTOP)
    return stopped


def let_go_on(pids):
    for pid in pids:
        processes.send(pid, signal.SIGCONT)


@cases("ends by itself", "TERM to pam")
def test_relays_are_stopped(bench, how):
    """What the tasks of two hosts say last takes another way; an end that does not reach them is their launcher's."""
    job, notes, gate = waiting(bench, "pdsh")
    stopped = stop_relays(bench, "n1", "n3")
    try:
        if how == "ends by itself":
            open_gate(gate)
            job.expect_exit(0)
            hold_report_against_notes(job.report, notes, ranks_known=False)
        else:
            job.signal(signal.SIGTERM)
            job.wait(30)
    finally:
        let_go_on(stopped)
    expect_no_tasks(job)
    expect_no_relay(bench)
    bench.saw(f"{how}: no task and no relay left")


def test_pam_is_killed_while_relays_are_stopped(bench):
    """Two faults at once: who speaks through a stopped relay learns of pam's death when it goes on, and all others at once."""
    job, _, _ = waiting(bench, "pdsh")
    stopped = stop_relays(bench, "n1", "n3")
    try:
        job.signal(signal.SIGKILL)
        others = lambda: [p for host in ("n2", "n4") for p in bench.cluster.host(host).processes(processes.is_task)]
        gone(job, others)
    finally:
        let_go_on(stopped)
    gone(job)
    expect_no_relay(bench)
    job.wait(20)
    bench.saw("the tasks of the other hosts at once, these within 2 s of their relays' going on")


main(hosts=4, requires=requires_pam)
