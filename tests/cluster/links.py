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
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import seconds_until, wait_until

FOUND_SECONDS = 27  # both ends know by then
GONE_SECONDS = 60  # and by then the TaskStarter has ended its task
SLACK_SECONDS = 3


def pass_time(seconds):
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + seconds, "the time to pass", seconds + 5)


def start_waiting(bench, launcher, hosts, *options):
    """Two tasks that end when the returned gate opens, one on each host."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    program = [bench.target, notes, "wait", gate]
    job = pam(bench, *options, *method_1(launcher.words(2, hosts), program), conf={"JOB_TERMINATE_INTERVAL": 2, "LSF_RES_ALIVE_TIMEOUT": 30})
    wait_for_ready(notes, 2, job)
    return job, notes, gate


def test_a_short_cut_loses_no_report(bench):
    """A task ends while its host is cut off; pam learns its end when the link is back."""
    job, notes, gate = start_waiting(bench, launchers.HYDRA, ("n1", "n4"))
    bench.cluster.cut("n4")
    try:
        open_gate(gate)
        wait_until(lambda: not job.tasks(), "both tasks to end", 5)
        pass_time(2)
        expect(not job.ended(), f"pam does not know the end yet\n{job.told()}")
    finally:
        bench.cluster.mend("n4")
    job.expect_exit(0, 20)
    hold_report_against_notes(job.report, notes)
    bench.saw("a task's end during a cut of 2 s was reported after it")


def test_a_cut_for_good_and_a_cut_of_32_seconds(bench):
    """Two jobs at once: n2 never comes back, n3 comes back when both ends have found the cut."""
    cluster = bench.cluster
    gone, _, _ = start_waiting(bench, launchers.HYDRA, ("n1", "n2"))
    kept, kept_notes, kept_gate = start_waiting(bench, launchers.OPEN_MPI, ("n1", "n3"))
    begun = processes.clock()
    cluster.cut("n2")
    cluster.cut("n3")
    try:
        names_it = lambda: "n2" in gone.stderr
        found = seconds_until(names_it, lambda: f"pam names n2\n{gone.told()}", FOUND_SECONDS + SLACK_SECONDS)
        bench.saw(f"pam names n2 after {found:.0f} s: {first_line_with(gone, 'n2')!r}")
        pass_time(32 - (processes.clock() - begun))
        expect(cluster.host("n3").processes(processes.is_task), "the task on n3 lives while its link is away")
        cluster.mend("n3")
        left = GONE_SECONDS + SLACK_SECONDS - (processes.clock() - begun)
        wait_until(
            lambda: not cluster.host("n2").processes(processes.is_task),
            lambda: f"the task on n2 to be ended within {GONE_SECONDS} s\n{gone.told()}",
            left,
        )
        bench.saw(f"its task was ended {processes.clock() - begun:.0f} s after the cut")
        open_gate(kept_gate)
        kept.expect_exit(0, 20)
        hold_report_against_notes(kept.report, kept_notes)
        bench.saw("the job over n3 went on and ended with 0")
        end_the_torn_job(gone)
    finally:
        cluster.mend("n2")
        cluster.mend("n3")


def first_line_with(job, part):
    return next(line for line in job.stderr.splitlines() if part in line)


def end_the_torn_job(job):
    """The user ends what is left; the report says which task was lost."""
    job.signal(signal.SIGTERM)
    expect(job.wait(20) != 0, f"exit code\n{job.told()}")
    states = {task["host"]: end_of(task) for task in job.report["tasks"]}
    expect_equal(states["n2"], "lost", f"what the report says of n2's task\n{job.told()}")


main(hosts=4, requires=requires_pam)
