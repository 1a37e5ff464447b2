"""badmin's orders to a real mbatchd with a job under it: queues held back, a restart, more in the log, and what was done."""

import re

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until


def status(batch):
    return dict(line.split(": ", 1) for line in batch.good("badmin", "showstatus").splitlines())


def test_a_closed_queue_holds_jobs_back_until_it_is_opened(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        expect_in("Queue <normal> is inactivated", batch.good("badmin", "qinact", "-C", "to look at it", "normal"), "qinact")
        expect_in("Open:Inact", batch.good("bqueues", "-w", "normal"), "bqueues")
        job = batch.bsub("true", "-o", "/dev/null")
        other = batch.bsub("true", "-q", "priority", "-o", "/dev/null")
        batch.wait_for(other, "DONE")
        expect_equal(batch.field(job), "PEND", "a job of the queue that is held")
        expect_in(" The queue is inactive;", batch.good("bjobs", "-p", "--no-why", str(job)), "why it waits")
        batch.kill_daemon("mbatchd", "n1")
        batch.start_daemon("mbatchd", "n1")
        expect_in("Open:Inact", batch.good("bqueues", "-w", "normal"), "bqueues after mbatchd was killed")
        expect_in("Queue <normal> is activated", batch.good("badmin", "qact", "normal"), "qact")
        batch.wait_for(job, "DONE")
        history = batch.good("badmin", "qhist", "normal").splitlines()
        expect_equal([re.search(r"Queue <normal> (\w+) by .*<root>", line).group(1) for line in history], ["inactivated", "activated"],
                     f"qhist: {history}")
        expect_in("to look at it", history[0], "the comment")
        none = batch.user("badmin", "qhist", "priority")
        expect_equal((none.returncode, none.stdout), (255, ""), "qhist of a queue that nothing was done to")
        expect(none.stderr, "it says so")
    bench.saw("qinact holds, through a kill of mbatchd; qact lets go; qhist has both, with the comment")


def test_mbatchd_restarts_under_a_running_job(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        job = batch.bsub("until [ -e go ]; do sleep 0.1; done; exit 7", "-o", "/dev/null", "-cwd", batch.top)
        batch.wait_for(job, "RUN")
        before = status(batch)
        expect_equal({k: before[k] for k in ("hosts", "hosts with RES", "jobs", "pending", "running", "store", "load information")},
                     {"hosts": "1", "hosts with RES": "1", "jobs": "1", "pending": "0", "running": "1", "store": "ok", "load information": "available"},
                     "showstatus")
        expect_in("MBD restart initiated\n", batch.good("badmin", "mbdrestart"), "mbdrestart")
        wait_until(lambda: int(status(batch)["term"]) > int(before["term"]), lambda: f"the next term: {status(batch)}", 30)
        expect_equal(batch.field(job), "RUN", "the job meanwhile")
        history = batch.good("badmin", "mbdhist").splitlines()
        expect_equal(len([l for l in history if "mbatchd" in l.lower()]), len(history), f"mbdhist is of mbatchd alone: {history}")
        expect(len(history) >= 3, f"start, end, start: {history}")
        expect(set(history) <= set(batch.good("badmin", "hist").splitlines()), "hist has all of it")
        with open(f"{batch.top}/go", "w", encoding="ascii"):
            pass
        batch.wait_for(job, "EXIT")
        expect_equal(batch.field(job, "exit_code"), "7", "its exit code, told to the mbatchd after")
        batch.write_batch("lsb.queues", "Begin Queue\nPRIORITY = x\nEnd Queue\n")
        refused = batch.user("badmin", "mbdrestart")
        expect_equal(refused.returncode, 255, f"with files that are wrong: {refused}")
        expect_in("MBD restart aborted.", refused.stderr, "it says so")
        expect(int(status(batch)["term"]) == int(before["term"]) + 1, "mbatchd has stayed")
    bench.saw("the job goes on, its end is told to the next mbatchd; mbdhist and hist; no restart with wrong files")


def test_mbddebug_logs_more_until_it_is_turned_off(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        effects = lambda: batch.daemon_log_text("mbatchd", "n1", 1 << 20).count("effect: ")
        batch.wait_for(batch.bsub("true", "-o", "/dev/null"), "DONE")
        expect_equal(effects(), 0, "effects in the usual log")
        batch.good("badmin", "mbddebug")
        batch.wait_for(batch.bsub("true", "-o", "/dev/null"), "DONE")
        wait_until(lambda: effects() > 0, "effects in the log", 20)
        batch.good("badmin", "mbddebug", "-o")
        before = effects()
        batch.wait_for(batch.bsub("true", "-o", "/dev/null"), "DONE")
        expect_equal(effects(), before, "effects after -o")
    bench.saw("mbddebug logs what is done, -o no more")


if __name__ == "__main__":
    main(hosts=1)
