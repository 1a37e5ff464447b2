"""Jobs on hosts of several clusters, of which one is out of reach while it takes its slots back, or has daemons without memory."""

import contextlib
import os
import signal

from rollcall_testing import processes
from rollcall_testing.cluster_links import Cut
from rollcall_testing.federation import ALICE
from rollcall_testing.mixed_jobs import borrow, exports, goes_on, hold_tasks, mixed, open_gate, shown, starts_tasks, task_file
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until


# The masters are on other hosts than the jobs: only their link is cut.
def apart(bench):
    return mixed(bench, west=("n1", "n2"), own="n2", lent={"east": ("n3", "n4")})


@contextlib.contextmanager
def cut_off(bench, clusters):
    west, east = clusters["west"], clusters["east"]
    cut = Cut(bench, list(clusters.members.values()), (west, east))
    cut.begin()
    try:
        west.wait_for_connection("east", ": not connected")
        yield
    finally:
        cut.end()


# A cut is noticed after half a minute, and east waits a minute for west to release the part.
def test_a_job_is_requeued_whose_part_was_recalled_during_a_cut(bench):
    with apart(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        home, task = west.places[ALICE], task_file(clusters)
        job = west.bsub(f"blaunch n4 {task}; [ -e {home}/gate ] || blaunch n4 sleep 1000", "-q", "both", "-n", "4", "-o", "out.%J")
        wait_until(lambda: len(clusters.lines("ran")) == 1, shown(west, job))
        west.wait_for(job, "RUN")
        there = east.jobs()[-1]
        with cut_off(bench, clusters):
            east.write_batch("lsb.resources", "")
            east.good("badmin", "reconfig", "-f")
            east.wait_for(there, "EXIT", seconds=120)
            west.wait_for(job, "UNKWN")
            why = "its part in cluster east is out of reach"
            for words in (("bhist", "-l"), ("bjobs", "-l", "-UF")):
                said = "".join(west.user(*words, str(job)).stdout.split())  # bhist breaks lines within words
                expect_in(why.replace(" ", ""), said, f"{words[0]} says what is awaited")
            # Its host tells the end again to another mbatchd.
            west.kill_daemon("mbatchd", "n1")
            west.start_daemon("mbatchd", "n1")
            west.wait_for(job, "UNKWN")
        west.wait_for(job, "PEND", seconds=90)
        east.write_batch("lsb.resources", exports("n4"))
        east.good("badmin", "reconfig", "-f")
        open_gate(clusters)
        west.wait_for(job, "DONE", seconds=90)
        expect_equal(len(clusters.lines("ran")), 2, "runs")


def test_a_job_that_fails_during_a_cut_has_failed(bench):
    with apart(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        home, task = west.places[ALICE], task_file(clusters)
        command = f"blaunch n4 {task}; until [ -e {home}/gate ]; do sleep 0.1; done; exit 3"
        failed, removed = (west.bsub(command, "-q", "both", "-n", "2", "-R", "span[ptile=1]", "-o", "/dev/null") for _ in range(2))
        wait_until(lambda: len(clusters.lines("ran")) == 2, shown(west, failed, removed))
        with cut_off(bench, clusters):
            open_gate(clusters)
            west.wait_for(failed, "UNKWN")
            west.wait_for(removed, "UNKWN")
            west.run("bkill", str(removed))
            west.wait_for(removed, "EXIT")
        west.wait_for(failed, "EXIT", seconds=90)
        expect_equal(west.field(failed, "exit_code"), "3", "the code of the job")


def wiped(bench, side, host):
    """RES and all that it has started end, and what it has on disk is gone."""
    side.kill_daemon("res", host)
    for process in bench.cluster.host(host).processes():
        if process.name in ("shepherd", "res"):
            processes.send(process.pid, signal.SIGKILL)
    done = bench.cluster.host(host).run(["sh", "-c", 'rm -rf "$1"/* "$1"/.[!.]*', "wipe", os.path.join(side.spool, host)])
    expect_equal(done.returncode, 0, done.stderr)
    side.start_daemon("res", host)


def test_a_part_outlives_its_mbatchd_and_the_memory_of_its_res(bench):
    with apart(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        job = west.bsub(starts_tasks(clusters, "n4"), "-q", "both", "-n", "4", "-o", "out.%J")
        waits = west.bsub("true", "-q", "both", "-n", "4", "-o", "/dev/null")
        wait_until(lambda: len(clusters.lines("ran")) > 1, shown(west, job))
        there = east.jobs()[-1]

        # RES starts again while no mbatchd is there, which then knows the part from its store alone.
        east.kill_daemon("mbatchd", "n3")
        east.kill_daemon("res", "n4")
        east.start_daemon("res", "n4")
        goes_on(clusters, job, waits, "without a mbatchd of the part")
        east.start_daemon("mbatchd", "n3")
        east.wait_for_hosts()
        west.wait_for_connection("east")
        goes_on(clusters, job, waits, "with another mbatchd")
        west.run("bstop", str(job))
        east.wait_for(there, "USUSP")
        west.run("bresume", str(job))
        east.wait_for(there, "RUN")
        goes_on(clusters, job, waits, "after a stop that the other mbatchd passed on")
        # What the hosts of the job share was lost with the first mbatchd, and now with RES: no task comes to n4 any more. The slots stay
        # in use until the part is released. A task that is asked for meanwhile would end the job.
        hold_tasks(clusters)
        wiped(bench, east, "n4")
        east.wait_for_hosts()
        wait_until(lambda: "where all hosts of the job are reached was not told yet" in east.daemon_log_text("mbatchd", "n3"), shown(east))
        expect_equal((west.field(job), west.field(waits), east.field(there)), ("RUN", "PEND", "RUN"), "after RES lost what it had")
        open_gate(clusters)
        west.wait_for(job, "DONE")
        east.wait_for(there, "DONE", "EXIT")
        west.wait_for(waits, "DONE")


def test_a_res_without_memory_gets_the_part_again(bench):
    with apart(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        job = west.bsub(starts_tasks(clusters, "n4"), "-q", "both", "-n", "4", "-o", "out.%J")
        wait_until(lambda: len(clusters.lines("ran")) > 1, shown(west, job))
        there = east.jobs()[-1]
        wiped(bench, east, "n4")
        east.wait_for_hosts()
        count = len(clusters.lines("ran"))
        wait_until(lambda: len(clusters.lines("ran")) > count + 1, lambda: f"tasks: {clusters.lines(f'out.{job}')} {shown(west, job)()}", 60)
        expect_equal((west.field(job), east.field(there)), ("RUN", "RUN"), "the job and its part")
        open_gate(clusters)
        west.wait_for(job, "DONE")
        east.wait_for(there, "DONE", "EXIT")
        wait_until(lambda: west.host_row("n4@east")[4] == "0", shown(west, job))


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=4, requires=requires)
