"""Jobs start once, on hosts that freeze and thaw and on hosts whose disk is full: no task of a job runs before every host has
its order, and an order that a frozen host finds in its socket when it thaws starts nothing any more.
"""

import os
import signal

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until


def status_of(batch, host):
    lines = [line.split() for line in batch.user("bhosts", "-w", host).stdout.splitlines()[1:]]
    return lines[0][1] if lines and lines[0] else ""


def test_a_start_is_taken_back_from_a_frozen_host_and_runs_once(bench):
    with BatchCluster(bench, ["n1", "n2"]) as batch:
        notes = bench.fresh_directory()
        batch.send_daemon("res", "n2", signal.SIGSTOP)
        job = batch.bsub(f"echo $(hostname) >>{notes}/ran", "-m", "n2", "-o", "/dev/null")
        seen = set()

        def unreachable():
            seen.add(batch.field(job))
            return status_of(batch, "n2") == "unreach"

        wait_until(unreachable, lambda: f"n2 to be unreach: {batch.user('bhosts')}\n{batch.logs_text()}", 60)
        expect_equal(seen, {"PEND"}, "what bjobs showed while n2 was frozen")
        expect_equal(batch.field(job), "PEND", "the job after n2 was given up")
        wait_until(lambda: "-ok" in batch.user("lsload", "n2").stdout,
                   lambda: f"lsload to show -ok: {batch.user('lsload')}", 90)
        batch.good("bmod", "-m", "n1", str(job))
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", "its end on n1")
        batch.send_daemon("res", "n2", signal.SIGCONT)
        batch.wait_for_hosts()
        again = batch.bsub("true", "-m", "n2", "-o", "/dev/null")
        expect_equal(batch.wait_for(again, "DONE", "EXIT"), "DONE", "a job on n2 after the thaw")
        expect_equal(read(f"{notes}/ran"), "n1\n", "where the job ran")
        spool = os.path.join(batch.spool, "n2")
        wait_until(lambda: not [n for n in os.listdir(spool) if n.startswith(f"{job}.")],
                   lambda: f"n2 to have nothing of it: {os.listdir(spool)}", 30)
    bench.saw("PEND while its host was frozen, run once elsewhere, nothing left on the host that thawed")


def test_a_parallel_job_waits_for_a_host_whose_disk_is_full(bench):
    batch = BatchCluster(bench, ["n1", "n2"])
    second, spool = bench.cluster.host("n2"), os.path.join(batch.spool, "n2")
    os.mkdir(spool)
    mounted = second.run(["mount", "-t", "tmpfs", "-o", "size=512k,mode=755", "none", spool])
    expect_equal(mounted.returncode, 0, f"mount: {mounted.stderr}")
    try:
        with batch:
            notes = bench.fresh_directory()
            filler = os.path.join(spool, "filler")
            full = second.run(["sh", "-c", 'cat /dev/zero >"$1"', "fill", filler])
            expect_in("No space left", full.stderr, "the disk of n2")
            job = batch.bsub(f"echo began >>{notes}/ran", "-n", "2", "-R", "span[ptile=1]", "-m", "n1 n2",
                             "-o", "/dev/null")
            wait_until(lambda: "No space left" in batch.user("bjobs", "-l", str(job)).stdout,
                       lambda: f"the reason: {batch.user('bjobs', '-l', str(job))}\n{batch.logs_text()}", 60)
            expect_equal(batch.field(job), "PEND", "a job one of whose hosts cannot take it")
            expect_in("No space left", batch.good("bhosts", "-l", "n2"), "bhosts -l")
            expect(not os.path.exists(f"{notes}/ran"), "something of the job ran")
            second.run(["rm", "-f", filler])
            expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", "its end when there was room")
            expect_equal(read(f"{notes}/ran"), "began\n", "how often it ran")
    finally:
        second.run(["umount", "-l", spool])
    bench.saw("PEND with the reason, in bhosts -l too; run once when there was room")


if __name__ == "__main__":
    main(hosts=2, patience=10)
