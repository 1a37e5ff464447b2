"""Jobs of the provider on hosts that it lends: those that were there before go on, and none starts beside jobs of a lease."""

import os
import shutil
import signal

from leases import CHOOSES, shown, two
from rollcall_testing import processes
from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.federation import ALICE
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

URGENT = QUEUES + """Begin Queue
QUEUE_NAME = urgent
PRIORITY = 90
PREEMPTION = PREEMPTIVE
End Queue
"""


def touch(path):
    with open(path, "w", encoding="utf-8"):
        pass


def test_a_preempted_job_ends_before_its_whole_host_is_the_consumers(bench):
    with two(bench, lends="") as clusters:
        west, east = clusters["west"], clusters["east"]
        east.write_batch("lsb.queues", URGENT)
        east.good("badmin", "reconfig", "-f")
        gates = {name: f"{west.places[ALICE]}/{name}" for name in ("low", "high")}
        waits = "until [ -e {} ]; do sleep 0.1; done; echo {} >>ran"
        low = east.bsub(waits.format(gates["low"], "low"), "-o", "/dev/null")
        east.wait_for(low, "RUN")
        high = east.bsub(waits.format(gates["high"], "high"), "-q", "urgent", "-o", "/dev/null")
        east.wait_for(low, "SSUSP")
        east.wait_for(high, "RUN")
        east.write_batch("lsb.resources", CHOOSES)
        east.good("badmin", "reconfig", "-f")
        job = west.bsub("echo borrowed >>ran", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: "are not free yet" in west.user("bjobs", "-p", str(job)).stdout, shown(west))
        touch(gates["high"])
        east.wait_for(high, "DONE")
        east.wait_for(low, "RUN")
        expect_equal(west.field(job), "PEND", "the consumer's job while the provider's goes on")
        touch(gates["low"])
        east.wait_for(low, "DONE")
        west.wait_for(job, "DONE")
        expect_equal(clusters.lines("ran"), ["high", "low", "borrowed"], "the jobs as they ended")


def test_nothing_of_a_provider_with_an_old_store_starts_beside_jobs_of_the_lease(bench):
    """The store was put back to what it was before the lease. The shepherd of the consumer's job is stopped, so that it takes RES a while to
    end the job."""
    with two(bench, lends="") as clusters:
        west, east = clusters["west"], clusters["east"]
        store, backup = os.path.join(east.work, "east"), bench.fresh_directory("backup")
        east.kill_daemon("mbatchd", "n2")
        shutil.copytree(store, f"{backup}/east")
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        east.write_batch("lsb.resources", CHOOSES)
        east.good("badmin", "reconfig", "-f")
        job = west.bsub("exec sleep 1000", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        there = next(iter(east.jobs()))
        pids = wait_until(lambda: processes.guard_and_shepherd(there), shown(east))
        east.kill_daemon("mbatchd", "n2")
        shutil.rmtree(store)
        shutil.copytree(f"{backup}/east", store)
        east.write_batch("lsb.resources", "")
        east.start_daemon("mbatchd", "n2")  # of the term that RES knows
        east.kill_daemon("mbatchd", "n2")
        for pid in pids:
            processes.send(pid, signal.SIGSTOP)
        east.start_daemon("mbatchd", "n2")
        own = east.bsub("true", "-o", "/dev/null")
        told = lambda: east.user("bjobs", "-p", str(own)).stdout
        wait_until(lambda: "Host is used by jobs of other clusters" in told(), lambda: told() + east.logs_text())
        for pid in pids:
            processes.send(pid, signal.SIGCONT)
        east.wait_for(own, "DONE")
        expect_in("it has jobs on lent slots that are not known here", east.logs_text(), "log of the provider")
        expect_equal([p for p in processes.all_processes() if p.alive and p.words == ("sleep", "1000")], [], "what the lease ran")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
