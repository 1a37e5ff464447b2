"""A host is cut off the network silently, for good or for a while.

Found within 27 s by both ends (keepalive and TCP_USER_TIMEOUT); the TaskStarter then dials for LSF_RES_ALIVE_TIMEOUT, which is
30 s here, and ends its task: under 60 s in all. A link that is back before that loses
no report, not even the end of a task that fell into the cut.
"""

import os
import signal

from rollcall_testing import launchers, processes
from rollcall_testing.job import method_1, open_gate, pam, requires_pam
from rollcall_testing.programs import end_of, hold_report_against_notes, wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, main
from rollcall_testing.waiting import seconds_until, wait_until

FOUND_SECONDS = 27  # both ends know by then
GONE_SECONDS = 60  # and by then the TaskStarter has ended its task
SLACK_SECONDS = 3
PER_HOST = (1, 4)  # tasks: with four the host has a relay


def pass_time(seconds):
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + seconds, "the time to pass", seconds + 5)


def start_waiting(bench, launcher, hosts, per_host, *options):
    """Tasks that end when the returned gate opens, so many on each of two hosts: with more than one a host has a relay."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    program = [bench.target, notes, "wait", gate]
    job = pam(bench, *options, *method_1(launcher.words(2 * per_host, hosts), program), conf={"JOB_TERMINATE_INTERVAL": 2, "LSF_RES_ALIVE_TIMEOUT": 30})
    wait_for_ready(notes, 2 * per_host, job)
    return job, notes, gate


@cases(1, 4)
def test_a_short_cut_loses_no_report(bench, per_host):
    """The tasks of a host end while it is cut off; pam learns their ends when the link is back."""
    job, notes, gate = start_waiting(bench, launchers.HYDRA, ("n1", "n4"), per_host)
    bench.cluster.cut("n4")
    try:
        open_gate(gate)
        wait_until(lambda: not job.tasks(), "all tasks to end", 5)
        pass_time(2)
        expect(not job.ended(), f"pam does not know the end yet\n{job.told()}")
    finally:
        bench.cluster.mend("n4")
    job.expect_exit(0, 20)
    hold_report_against_notes(job.report, notes)
    bench.saw("a task's end during a cut of 2 s was reported after it")


def test_a_cut_for_good_and_a_cut_of_32_seconds(bench):
    """Jobs at once, without and with relays: n2 never comes back, n3 comes back when both ends have found the cut."""
    cluster = bench.cluster
    gone = [start_waiting(bench, launchers.HYDRA, ("n1", "n2"), per_host)[0] for per_host in PER_HOST]
    kept = [start_waiting(bench, launchers.OPEN_MPI, ("n1", "n3"), per_host) for per_host in PER_HOST]
    begun = processes.clock()
    cluster.cut("n2")
    cluster.cut("n3")
    try:
        for job in gone:
            names_it = lambda job=job: "n2" in job.stderr
            left = FOUND_SECONDS + SLACK_SECONDS - (processes.clock() - begun)
            seconds_until(names_it, lambda job=job: f"pam names n2\n{job.told()}", left)
            bench.saw(f"pam names n2 after {processes.clock() - begun:.0f} s: {first_line_with(job, 'n2')!r}")
        pass_time(32 - (processes.clock() - begun))
        expect_equal(len(cluster.host("n3").processes(processes.is_task)), sum(PER_HOST), "tasks on n3 while its link is away")
        cluster.mend("n3")
        left = GONE_SECONDS + SLACK_SECONDS - (processes.clock() - begun)
        wait_until(
            lambda: not cluster.host("n2").processes(processes.is_task),
            lambda: f"the tasks on n2 to be ended within {GONE_SECONDS} s\n{gone[0].told()}",
            left,
        )
        bench.saw(f"its tasks were ended {processes.clock() - begun:.0f} s after the cut")
        for job, notes, gate in kept:
            open_gate(gate)
            job.expect_exit(0, 20)
            hold_report_against_notes(job.report, notes)
        bench.saw("the jobs over n3 went on and ended with 0")
        for job, per_host in zip(gone, PER_HOST):
            expect_equal(len([line for line in job.stderr.splitlines() if "the link to n2 is cut" in line]), 1, f"lines of the cut\n{job.told()}")
            end_the_torn_job(job, per_host)
    finally:
        cluster.mend("n2")
        cluster.mend("n3")


def first_line_with(job, part):
    return next(line for line in job.stderr.splitlines() if part in line)


def end_the_torn_job(job, per_host):
    """The user ends what is left; the report says which tasks were lost."""
    job.signal(signal.SIGTERM)
    expect(job.wait(20) != 0, f"exit code\n{job.told()}")
    states = [end_of(task) for task in job.report["tasks"] if task["host"] == "n2"]
    expect_equal(states, ["lost"] * per_host, f"what the report says of n2's tasks\n{job.told()}")


main(hosts=4, requires=requires_pam)
