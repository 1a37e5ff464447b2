"""Both levels of a TaskStarter are killed at the same instant: where a cgroup could be made nothing of its task is left.

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
ASKED_FOR = {"ROLLCALL_TASK_CGROUPS": "Y"}


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
    job = pam(bench, "-v", *method_1(launcher.words(tasks), [bench.target, notes, "nest"]), conf=ASKED_FOR, **how)
    wait_for_ready(notes, tasks, job)
    why = [line for line in job.stderr.splitlines() if "have no cgroup of their own" in line]
    if why:
        job.signal(signal.SIGTERM)
        job.wait()
        raise Skip(why[0])
    return job


def kill_both_levels(job, host):
    """Of one TaskStarter on the host; returns the cgroup of its task. Stopped first, so that neither sees the other go."""
    cluster = job.bench.cluster
    outer = next(p for p in job.starters("outer") if cluster.host(host).holds(p))
    inner = next(p for p in job.starters("inner") if p.parent == outer.pid)
    task = processes.children_of(inner.pid)[0]
    cgroup = cgroup_of(task)
    expect(f"/{outer.pid}" in cgroup, f"a cgroup named after TaskStarter {outer.pid}: {cgroup!r}")
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for level in (outer, inner):
            processes.send(level.pid, number)
    return cgroup


def alive_in(job, cgroup):
    return [p for p in job.tasks() if cgroup_of(p).startswith(cgroup)]


@cases("hydra", "openmpi")
def test_both_levels_of_a_remote_taskstarter(bench, name):
    job = start(bench, launchers.by_name(name, bench))
    cgroup = kill_both_levels(job, "n3")
    took = seconds_until(
        lambda: not alive_in(job, cgroup),
        lambda: f"no process of the killed one's task; alive are {alive_in(job, cgroup)}\n{job.told()}",
        LIMIT_SECONDS,
    )
    job.wait(20)
    wait_until(lambda: not job.tasks(), lambda: f"no task alive; alive are {job.tasks()}\n{job.told()}", LIMIT_SECONDS)
    wait_until(
        lambda: directory_of(os.path.dirname(cgroup)) is None,
        lambda: f"{os.path.dirname(cgroup)} and what was below it to be removed\n{job.told()}",
        LIMIT_SECONDS,
    )
    bench.saw(f"3 processes gone after {took:.2f} s, {os.path.dirname(cgroup)} removed")


def test_what_a_killed_pam_and_its_taskstarters_left(bench):
    """Everything of ours is killed at once; the next job on the host ends what is left."""
    launcher = launchers.by_name("hydra", bench)
    job = start(bench, launcher)
    cgroups = {cgroup_of(p) for p in job.tasks()}
    both = job.starters("outer") + job.starters("inner")
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for process in both:
            processes.send(process.pid, number)
    job.signal(signal.SIGKILL)
    job.wait(20)
    left = len(job.tasks())  # any job of this user on this machine may end them from here on
    notes = bench.fresh_directory()
    pam(bench, *method_1(launcher.words(1), [bench.target, notes, "exit", "0"]), conf=ASKED_FOR).expect_exit(0)
    wait_until(lambda: not job.tasks(), lambda: f"no task alive; alive are {job.tasks()}", LIMIT_SECONDS)
    wait_until(
        lambda: not any(directory_of(c) for c in cgroups),
        lambda: f"removed: {[directory_of(c) for c in cgroups if directory_of(c)]}",
        LIMIT_SECONDS,
    )
    bench.saw(f"{left} processes were left; they are gone with {len(cgroups)} cgroups")


def test_where_none_can_be_made_v_says_so_once(bench):
    """The task's mount namespace shows no cgroup at all."""
    notes = bench.fresh_directory()
    script = 'mount -t tmpfs none /sys/fs/cgroup && exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    one = ["unshare", "--mount", "sh", "-c", script, "sh", bench.target, notes, "exit", "0"]
    both = 'PMI_RANK=0 "$@" & PMI_RANK=1 "$@" & wait'
    job = pam(bench, "-v", "-n", "2", "-g", "sh", "-c", both, "sh", *one, conf=ASKED_FOR).expect_exit(0)
    said = [line for line in job.stderr.splitlines() if "have no cgroup of their own" in line]
    expect_equal(len(said), 1, f"lines that say it\n{job.told()}\n")
    expect("ROLLCALL_TASK_CGROUPS" not in said[0], f"they were asked for: {said[0]}")
    bench.saw(said[0])


def test_an_ordinary_job_leaves_no_directory(bench):
    job = start(bench, launchers.by_name("hydra", bench), 4)
    cgroups = {os.path.dirname(cgroup_of(p)) for p in job.tasks()}
    expect_equal(len(cgroups), 1, "one for the job, since these hosts share the machine's cgroups")
    expect(directory_of(next(iter(cgroups))), f"{cgroups} is there while the job runs")
    job.signal(signal.SIGTERM)
    job.wait()
    expect(directory_of(next(iter(cgroups))) is None, f"{cgroups} is removed")
    bench.saw(f"{cgroups} came and went")


main(hosts=4, requires=requires_pam)
