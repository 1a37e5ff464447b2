"""Signals to pam reach every task on every host, each exactly once, whether or not the launcher passes them on.

Launchers differ (Open MPI passes some to a task's whole group, Hydra dies of others), so a task may be offered a signal
by pam and by the launcher, or by pam alone. The counting task writes a line for each one that it gets.
"""

import os
import signal

from rollcall_testing import launchers, processes
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.programs import end_of, ids_in, notes_in, wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, main
from rollcall_testing.waiting import wait_until

TASKS = 4
PAIRING_SECONDS = 1.0  # copies of a signal that come by different ways within this belong together

# A signal that ends the launcher or makes it end the job can only be counted up to that moment, so each of these has a
# job of its own. USR1 and WINCH end nothing: they share one.
ENDING = ("INT", "TERM", "HUP", "QUIT")
PASSING = ("USR1", "USR2", "WINCH")


def start_counting(bench, *options, **how):
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    words = method_1(launcher.words(TASKS), [bench.target, notes, "signals"])
    job = pam(bench, *options, *words, **how)
    wait_for_ready(notes, TASKS, job)
    return job, notes


def arrivals(notes, name):
    """{pid: the seconds at which that task got the signal}."""
    found = {}
    for pid in ids_in(notes, "ready"):
        with open(os.path.join(notes, f"signals.{pid}"), encoding="ascii") as file:
            found[pid] = [int(line.split()[3]) / 1e6 for line in file if line.split()[0] == name]
    return found


def counts(notes, name):
    """{pid: how often that task got the signal}."""
    return {pid: len(times) for pid, times in arrivals(notes, name).items()}


def counts_of_one_signal(notes, name):
    """The same, of what came within the pairing window of the first."""
    return {p: sum(at <= times[0] + PAIRING_SECONDS for at in times) for p, times in arrivals(notes, name).items()}


def each_has(notes, name, count):
    return all(found >= count for found in counts(notes, name).values())


def wait_for_counts(job, notes, name, count):
    wait_until(
        lambda: each_has(notes, name, count),
        lambda: f"{name} {count} times in every task; counts {counts(notes, name)}\n{job.told()}",
        5,
    )


def end(job):
    """Ends a counting job, which survives every signal but KILL: two TERMs shorten the wait."""
    job.signal(signal.SIGTERM)
    job.signal(signal.SIGTERM)
    job.wait(20)


def settle(job):
    """Lets a copy that comes late by the other way arrive: waits out the pairing window on the job's own clock."""
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + PAIRING_SECONDS, "the pairing window to pass", 5)
    expect(not job.ended(), f"the job goes on\n{job.told()}")


def test_signals_that_end_nothing(bench):
    """Twice each, with more than the window between, so that the second is a new signal."""
    job, notes = start_counting(bench)
    for name in PASSING:
        for count in (1, 2):
            job.signal(getattr(signal, f"SIG{name}"))
            wait_for_counts(job, notes, name, count)
            settle(job)
            expect_equal(set(counts(notes, name).values()), {count}, f"{name} sent {count} times, counted")
        bench.saw(f"{name} x2")
    end(job)


@cases(*ENDING)
def test_signal_that_may_end_the_launcher(bench, name):
    """Open MPI ends its job on TERM, and 1.0 and 3.0 s later sends a TERM of its own, which is a new signal."""
    job, notes = start_counting(bench, conf={"JOB_TERMINATE_INTERVAL": 3})
    job.signal(getattr(signal, f"SIG{name}"))
    wait_for_counts(job, notes, name, 1)
    ended_by_itself = wait_at_most(job, 2 * PAIRING_SECONDS)
    found = counts_of_one_signal(notes, name)
    expect_equal(set(found.values()), {1}, f"{name} sent once, counted\n{arrivals(notes, name)}\n{job.told()}\n")
    bench.saw(f"once each; the job {'ended' if ended_by_itself else 'went on'}")
    if not ended_by_itself:
        end(job)
    expect_equal(len(notes_in(notes)), TASKS, "tasks")


def wait_at_most(job, seconds):
    """True when the job ended within that time."""
    begun = processes.clock()
    wait_until(lambda: job.ended() or processes.clock() > begun + seconds, "the job or the time", seconds + 5)
    return job.ended()


def states(job):
    return {p.pid: p.state for p in job.tasks()}


@cases("signals", "hang")
def test_stop_and_go_on(bench, mode):
    """TSTP stops every task, the one that catches it and the one that does not; CONT lets all go on."""
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    job = pam(bench, *method_1(launcher.words(TASKS), [bench.target, notes, mode]))
    wait_for_ready(notes, TASKS, job)
    for _ in range(2):
        job.signal(signal.SIGTSTP)
        wait_until(lambda: set(states(job).values()) == {"T"}, lambda: f"all stopped: {states(job)}\n{job.told()}", 5)
        job.signal(signal.SIGCONT)
        wait_until(lambda: set(states(job).values()) == {"S"}, lambda: f"all going on: {states(job)}\n{job.told()}", 5)
        settle(job)
    if mode == "signals":
        for name in ("TSTP", "CONT"):
            expect_equal(set(counts(notes, name).values()), {2}, f"{name} sent twice, counted")
    expect(len(states(job)) == TASKS, "no task was lost")
    starters = job.starters("outer") + job.starters("inner")
    expect_equal(len(starters), 2 * TASKS, "TaskStarters, outer and inner")
    for starter in starters:
        expect(starter.state != "T", f"a TaskStarter is still stopped: {starter}")
    end(job)
    bench.saw("stopped and resumed twice" + (", TSTP and CONT counted once each time" if mode == "signals" else ""))


def test_a_job_that_was_stopped_ends_well(bench):
    """A stopped job is no hung job: it goes on after any time, and ends with its own status."""
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    job = pam(bench, *method_1(launcher.words(TASKS), [bench.target, notes, "wait", gate]))
    wait_for_ready(notes, TASKS, job)
    job.signal(signal.SIGTSTP)
    wait_until(lambda: set(states(job).values()) == {"T"}, lambda: f"all stopped: {states(job)}\n{job.told()}", 5)
    with open(gate, "w", encoding="ascii"):
        pass
    job.signal(signal.SIGCONT)
    job.expect_exit(0)
    bench.saw("0 after stop and CONT")


def test_tasks_that_ignore_term(bench):
    """They are killed after JOB_TERMINATE_INTERVAL, and their TaskStarters still tell how they ended."""
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    words = method_1(launcher.words(TASKS), [bench.target, notes, "ignore-term"])
    job = pam(bench, "-n", str(TASKS), *words, conf={"JOB_TERMINATE_INTERVAL": 1})
    wait_for_ready(notes, TASKS, job)
    job.signal(signal.SIGTERM)
    wait_until(lambda: not job.tasks(), lambda: f"no task alive: {job.tasks()}\n{job.told()}", 10)
    job.wait(20)  # the code is the launcher's: Hydra says 0
    expect_equal([end_of(t) for t in job.report["tasks"]], ["signal 9"] * TASKS, f"ends in the report\n{job.told()}")
    bench.saw("killed, and every one reported so")


main(hosts=4, requires=requires_pam)
