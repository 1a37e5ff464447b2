"""pam or a TaskStarter is stopped for minutes, as by a debugger or a freezer: nothing is lost.

Silence must not count as a loss: the kernel answers for a stopped process, and the timers of a stopped pam stand still.
"""

import os
import signal

from rollcall_testing import launchers, processes
from rollcall_testing.flying import FlyingClock
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.programs import hold_report_against_notes, wait_for_ready
from rollcall_testing.runner import cases, expect, main
from rollcall_testing.waiting import wait_until

PAUSE_SECONDS = 4  # more than six minutes of pam's
TASKS = 4


def stop_for_a_while(pid, clock, of_pam, meanwhile):
    """An outer TaskStarter is waked by its inner one when the task has ended, and may be gone before the pause is."""
    os.kill(pid, signal.SIGSTOP)
    begun = processes.clock()
    wait_until(lambda: processes.read_process(pid).state == "T", f"{pid} to be stopped", 5)
    meanwhile()
    if of_pam:
        clock.jump(600)
    else:
        clock.fly()
    wait_until(lambda: processes.clock() > begun + PAUSE_SECONDS, "the pause", PAUSE_SECONDS + 5)
    clock.walk()
    processes.send(pid, signal.SIGCONT)


def run_with_a_stopped(bench, launcher, choose):
    """The tasks end while the chosen process is stopped; the report tells all of it afterwards."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    program = [bench.target, notes, "wait", gate]
    clock, conf = FlyingClock(bench), {"LSF_HPC_PJL_LOADENV_TIMEOUT": 300}
    job = pam(bench, *method_1(launcher.words(TASKS), program), environment=clock.environment, conf=conf)
    wait_for_ready(notes, TASKS, job)

    def end_tasks():
        with open(gate, "w", encoding="ascii"):
            pass
        wait_until(lambda: not job.tasks(), "the tasks to end", 5)

    chosen = choose(job).pid
    stop_for_a_while(chosen, clock, chosen == job.pid, end_tasks)
    job.expect_exit(0, 20)
    hold_report_against_notes(job.report, notes)
    expect("within" not in job.stderr, f"no time limit was hit\n{job.told()}")
    bench.saw(f"{TASKS} tasks ended during the pause, all reported, exit 0")


def remote_starter(which):
    return lambda job: next(p for p in job.starters(which) if job.bench.cluster.host("n3").holds(p))


@cases("openmpi", "hydra")
def test_a_stopped_pam_loses_no_report(bench, name):
    run_with_a_stopped(bench, launchers.by_name(name), lambda job: job.process)


@cases("outer", "inner")
def test_a_stopped_taskstarter_loses_no_report(bench, which):
    run_with_a_stopped(bench, launchers.HYDRA, remote_starter(which))


main(hosts=4, requires=requires_pam)
