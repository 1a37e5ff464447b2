"""The rows of killed.py with four tasks on each host, so that each has a relay; the relay itself; and all that is ours but pam.

Within two seconds no task of the job is alive on any host, and no relay. A relay that is killed takes nothing along.
"""

import os
import signal

from rollcall_testing import launchers, processes
from rollcall_testing.host_relays import HOSTS, expect_no_relay, kill_relays_of_two_hosts, relays, wait_for_relays
from rollcall_testing.job import expect_no_tasks, method_1, pam, requires_pam
from rollcall_testing.kill_row import LIMIT_SECONDS, VICTIMS, kill_one
from rollcall_testing.programs import wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, main

TASKS = 16


@cases(*VICTIMS)
def test_a_process_of_a_job_with_relays(bench, what):
    kill_one(bench, launchers.by_name("", bench), what, [bench.target], "nest", tasks=TASKS, in_place=wait_for_relays)
    expect_no_relay(bench)


@cases(*VICTIMS)
def test_mpi_program_with_relays(bench, what):
    launcher = launchers.by_name("", bench)
    kill_one(bench, launcher, what, [bench.mpi_target(launcher.mpi)], "nests", tasks=TASKS, in_place=wait_for_relays)
    expect_no_relay(bench)


def waiting_job(bench, mode="wait"):
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    words = [bench.target, notes, mode, *([gate] if mode == "wait" else [])]
    job = pam(bench, *method_1(launchers.by_name("", bench).words(TASKS), words))
    wait_for_ready(notes, TASKS, job)
    wait_for_relays(job)
    return job, notes, gate


def test_relays_of_two_hosts(bench):
    job, notes, gate = waiting_job(bench)
    kill_relays_of_two_hosts(job, TASKS, notes, gate)


def test_all_that_is_ours_but_pam(bench):
    """Relays and both levels of every TaskStarter, at once: the keepers of the job's cgroups end what the tasks have left. (These hosts
    share a machine, and so one cgroup: it is no use to kill those of one host.)"""
    job, _, _ = waiting_job(bench, "nest")
    ours = bench.cluster.processes(processes.named("TaskStarter")) + relays(bench)
    expect_equal(len(ours), 2 * TASKS + HOSTS, f"TaskStarters and relays: {ours}")
    for process in ours:
        processes.send(process.pid, signal.SIGKILL)
    expect_no_tasks(job, LIMIT_SECONDS)
    expect_no_relay(bench)
    code = job.wait(20)
    expect(code != 0, f"a job that lost its tasks does not end with 0\n{job.told()}")
    job.expect_said("pam: TaskStarter (pid")
    bench.saw(f"nothing left, exit {code}")


main(hosts=4, requires=requires_pam)
