"""Outer and inner TaskStarter are killed at the same instant: where a cgroup could be made, no process of their tasks is left.

Every task has a child and a grandchild that was forked twice into a session of its own, which nobody could find by
children lists any more. Skipped where no cgroup can be made here; pam -v says why, and the test says it again.
"""

import os
import signal

from rollcall_testing import launchers, processes
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.programs import wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import seconds_until, wait_until

TASKS = 8
LIMIT_SECONDS = 2.0
KEEPER = processes.named("rollcall-keeper")


def cgroup_of(process):
    """The version 2 cgroup; "" where the process is gone or there is none."""
    try:
        with open(f"/proc/{process.pid}/cgroup", encoding="ascii") as file:
            return next((line[3:].strip() for line in file if line.startswith("0::")), "")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def directory_of(cgroup):
    """Where the cgroup is mounted, None where it is not there."""
    found = [top + cgroup for top in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified") if os.path.isdir(top + cgroup)]
    return found[0] if found else None


def start(bench, launcher, tasks=TASKS, **how):
    notes = bench.fresh_directory()
    job = pam(bench, "-v", *method_1(launcher.words(tasks), [bench.target, notes, "nest"]), **how)
    wait_for_ready(notes, tasks, job)
    why = [line for line in job.stderr.splitlines() if "have no cgroup (" in line]
    if why:
        job.signal(signal.SIGTERM)
        job.wait()
        raise Skip(why[0])
    return job


def kill_both_levels(job, host):
    """Of one TaskStarter on the host; returns its task and what that has started. Stopped first, so that neither sees the
    other go."""
    cluster = job.bench.cluster
    outer = next(p for p in job.starters("outer") if cluster.host(host).holds(p))
    inner = next(p for p in job.starters("inner") if p.parent == outer.pid)
    below = processes.tree_below(inner.pid)
    expect_equal(len(below), 3, "the task, its child and its grandchild")
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for level in (outer, inner):
            processes.send(level.pid, number)
    return below


def kill_all_levels(job):
    both = job.starters("outer") + job.starters("inner")
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for process in both:
            processes.send(process.pid, number)


def alive_of(some):
    pids = {p.pid for p in some}
    return [p for p in processes.all_processes() if p.pid in pids and p.alive]


def cgroups_of(job):
    found = {cgroup_of(p) for p in job.tasks()} - {""}
    expect_equal(len(found), 1, f"one for the job, since these hosts share the machine's cgroups: {found}")
    return found.pop()


def expect_removed(job, cgroup):
    wait_until(
        lambda: directory_of(cgroup) is None, lambda: f"{cgroup} to be removed\n{job.told()}", LIMIT_SECONDS
    )


def expect_no_task(job):
    return seconds_until(
        lambda: not job.tasks(), lambda: f"no task alive; alive are {job.tasks()}\n{job.told()}", LIMIT_SECONDS
    )


@cases("hydra", "openmpi")
def test_both_levels_of_a_remote_taskstarter(bench, name):
    job = start(bench, launchers.by_name(name, bench))
    cgroup = cgroups_of(job)
    left = kill_both_levels(job, "n3")
    took = seconds_until(
        lambda: not alive_of(left),
        lambda: f"no process of the killed one's task; alive are {alive_of(left)}\n{job.told()}",
        LIMIT_SECONDS,
    )
    job.wait(20)
    expect_no_task(job)
    expect_removed(job, cgroup)
    bench.saw(f"3 processes gone after {took:.2f} s, {cgroup} removed")


def test_all_taskstarters_and_pam(bench):
    """pam and every TaskStarter are killed at once; the keeper, which `pkill TaskStarter` does not find, lives."""
    job = start(bench, launchers.by_name("hydra", bench))
    cgroup = cgroups_of(job)
    expect_equal(len(bench.cluster.processes(KEEPER)), 1, "keepers")
    kill_all_levels(job)
    job.signal(signal.SIGKILL)
    took = expect_no_task(job)
    expect_removed(job, cgroup)
    job.wait(20)
    bench.saw(f"{3 * TASKS} processes gone after {took:.2f} s, {cgroup} removed")


def test_all_taskstarters_and_their_keeper(bench):
    """And the keeper: the next job on the host ends what is left."""
    launcher = launchers.by_name("hydra", bench)
    job = start(bench, launcher)
    cgroup = cgroups_of(job)
    for keeper in bench.cluster.processes(KEEPER):
        processes.send(keeper.pid, signal.SIGKILL)
    job.signal(signal.SIGSTOP)  # it would end what is left on its own host
    kill_all_levels(job)
    job.signal(signal.SIGKILL)
    job.wait(20)
    left = len(job.tasks())  # any job of this user on this machine may end them from here on
    notes = bench.fresh_directory()
    pam(bench, *method_1(launcher.words(1), [bench.target, notes, "exit", "0"])).expect_exit(0)
    expect_no_task(job)
    expect_removed(job, cgroup)
    bench.saw(f"{left} processes were left; they are gone with {cgroup}")


def test_pam_v_says_once_that_no_cgroup_can_be_made(bench):
    """The task's mount namespace shows no cgroup at all."""
    notes = bench.fresh_directory()
    script = 'mount -t tmpfs none /sys/fs/cgroup && exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    one = ["unshare", "--mount", "sh", "-c", script, "sh", bench.target, notes, "exit", "0"]
    both = 'PMI_RANK=0 "$@" & PMI_RANK=1 "$@" & wait'
    job = pam(bench, "-v", "-n", "2", "-g", "sh", "-c", both, "sh", *one).expect_exit(0)
    said = [line for line in job.stderr.splitlines() if "have no cgroup (" in line]
    expect_equal(len(said), 1, f"lines that say it\n{job.told()}\n")
    expect("ROLLCALL_TASK_CGROUPS" not in said[0], f"they were asked for: {said[0]}")
    bench.saw(said[0])


def test_an_ordinary_job_leaves_no_directory(bench):
    job = start(bench, launchers.by_name("hydra", bench), 4)
    cgroup = cgroups_of(job)
    expect(directory_of(cgroup), f"{cgroup} is there while the job runs")
    job.signal(signal.SIGTERM)
    job.wait()
    expect_removed(job, cgroup)
    wait_until(lambda: not bench.cluster.processes(KEEPER), "no keeper", LIMIT_SECONDS)
    bench.saw(f"{cgroup} came and went")


def test_no_cgroup_where_they_are_turned_off(bench):
    launcher = launchers.by_name("hydra", bench)
    words = method_1(launcher.words(2), [bench.target, bench.fresh_directory(), "exit", "0"])
    job = pam(bench, "-v", *words, conf={"ROLLCALL_TASK_CGROUPS": "N"}).expect_exit(0)
    said = [line for line in job.stderr.splitlines() if "have no cgroup (" in line]
    expect("ROLLCALL_TASK_CGROUPS is N" in "".join(said), f"a line that says it\n{job.told()}")
    bench.saw(said[0])


main(hosts=4, requires=requires_pam)
