"""More TaskStarters at once than pam has descriptors for, each with a connection of its own: they wait until pam has room, and all run."""

import os

from rollcall_testing.job import Job, expect_no_tasks, fake, method_1, open_gate, requires_pam, site
from rollcall_testing.programs import hold_report_against_notes, notes_in
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

USUAL = 1024  # descriptors that most systems give a process
FEW = 256
FULL = "no descriptors left for further TaskStarters: they wait; raise the hard limit (ulimit -Hn)"


def storm(bench, descriptors, tasks, program, environment=None):
    """pam with so many descriptors, and without relays."""
    words = ["prlimit", f"--nofile={descriptors}:{descriptors}", os.path.join(bench.bin, "pam")]
    report = os.path.join(bench.fresh_directory(), "report")
    job = Job(bench, [*words, "--report", report, "-n", str(tasks), *method_1(fake(bench, "--tasks", tasks), program)],
              environment=dict(site(bench, ROLLCALL_HOST_RELAY="N"), **(environment or {})))
    job.report_file = report
    return job


def test_tasks_wait_for_the_descriptors_of_those_that_have_ended(bench):
    notes = bench.fresh_directory()
    tasks = 5000
    gate = os.path.join(notes, "gate")
    job = storm(bench, USUAL, tasks, [bench.target, notes, "wait", gate])
    wait_until(lambda: FULL in job.stderr, lambda: f"pam to be full\n{job.told()}", 150)
    open_gate(gate)
    job.expect_exit(0, 150)
    expect_equal(len(notes_in(notes)), tasks, f"tasks that ran\n{job.told()}")
    try:
        hold_report_against_notes(job.report, notes)
    except AssertionError as differ:
        raise AssertionError(f"{differ}\n{job.told()}") from None
    expect("its descriptor is needed" not in job.stderr, f"no TaskStarter is closed to make room\n{job.told()}")
    bench.saw("; ".join(line for line in job.stderr.splitlines() if "refused" in line) or "no line about strangers")
    expect_equal(job.stderr.count(FULL), 1, f"lines that say so\n{job.told()}")
    bench.saw(f"{tasks} tasks over {USUAL} descriptors: all ran, none was closed to make room, one line says why they waited")


def test_tasks_that_need_each_other_end_with_the_count_of_those_who_wait(bench):
    """No task ends before all have begun, so room never comes: the registration timeout says what is missing and why."""
    notes = bench.fresh_directory()
    tasks = FEW + 40
    never = os.path.join(notes, "never")
    job = storm(bench, FEW, tasks, [bench.target, notes, "wait", never], {"LSF_HPC_PJL_LOADENV_TIMEOUT": "40"})
    wait_until(lambda: FULL in job.stderr, lambda: f"pam to be full\n{job.told()}", 60)
    job.expect_exit(124, 120)
    job.expect_said(f" of {tasks} tasks registered within 40 s", " more wait until pam has descriptors for them")
    expect_no_tasks(job)
    bench.saw(next(line for line in job.stderr.splitlines() if "more wait" in line))


main(requires=requires_pam)
