"""Preemption on real daemons: a job of a low queue stops for one of a higher queue, and goes on when that is over."""

import os
import re

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.job import open_gate
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

QUEUES = """Begin Queue
QUEUE_NAME = normal
PRIORITY = 30
PREEMPTION = PREEMPTABLE
End Queue
Begin Queue
QUEUE_NAME = owners
PRIORITY = 43
PREEMPTION = PREEMPTIVE[normal+1 brief]
End Queue
Begin Queue
QUEUE_NAME = brief
PRIORITY = 20
TERMINATE_WHEN = PREEMPT
End Queue
"""
REASON = "The job was preempted by a job of a higher priority queue"


def waits_for(gate):
    return f"until [ -e {gate} ]; do read -t 0.1 never </dev/zero; sleep 0.05; done"


def counts(batch, host):
    return batch.good("bhosts", "-noheader", "-o", "status njobs run ssusp", host).split()


def pid_of(batch, job):
    wait_until(lambda: batch.field(job, "pids") != "-", "the pids of the job", 30)
    return int(batch.field(job, "pids").split(",")[0])


def test_a_job_stops_for_a_higher_one_and_goes_on(bench):
    notes = bench.fresh_directory()
    os.chmod(notes, 0o777)
    low_gate, high_gate = os.path.join(notes, "low"), os.path.join(notes, "high")
    with BatchCluster(bench, ["n1"], slots=1, queues=QUEUES) as batch:
        expect_in("PREEMPTION:  PREEMPTIVE[normal+1 brief]", batch.good("bqueues", "-l", "owners"), "bqueues -l")
        low = batch.bsub(waits_for(low_gate) + f"; echo went on > {notes}/result", "-o", "/dev/null")
        batch.wait_for(low, "RUN")
        pid = pid_of(batch, low)
        expect_in("PREEMPTABLE_SLOTS:  1", batch.good("bqueues", "-l", "owners"), "bqueues -l")
        high = batch.bsub(waits_for(high_gate), "-q", "owners", "-o", "/dev/null")
        behind = batch.bsub("true", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        expect_equal(batch.field(low), "SSUSP", "the low job")
        expect_in("PREEMPTABLE_SLOTS:  0", batch.good("bqueues", "-l", "owners"), "bqueues -l has no more to preempt")
        wait_until(lambda: processes.is_stopped(pid), "the low job's processes to be stopped", 10)
        expect_equal(counts(batch, "n1"), ["closed_Full", "2", "1", "1"], "bhosts counts both, and full is what runs")
        told = re.sub(r"\s+", " ", batch.good("bjobs", "-l", str(low)))
        expect_in(REASON, told, "bjobs -l")
        told = re.sub(r"\s+", " ", batch.good("bjobs", "-l", "--why", str(low)))
        expect_in(f"job {high} started on its slots", told, "bjobs --why names the preemptor")
        expect_in(REASON, re.sub(r"\s+", " ", batch.good("bhist", "-l", str(low))), "bhist -l")

        batch.kill_daemon("mbatchd", "n1")
        batch.start_daemon("mbatchd", "n1")
        wait_until(lambda: counts(batch, "n1") == ["closed_Full", "2", "1", "1"], lambda: f"the host to be back: {counts(batch, 'n1')}", 30)
        expect_equal((batch.field(low), batch.field(high)), ("SSUSP", "RUN"), "after a restart")
        open_gate(high_gate)
        expect_equal(batch.wait_for(high, "DONE", "EXIT"), "DONE", "the high job")
        batch.wait_for(low, "RUN")
        expect_equal(batch.field(behind), "PEND", "the preempted job goes on before a waiting one of its queue")
        wait_until(lambda: processes.read_process(pid).state != "T", "the low job's processes to go on", 10)
        open_gate(low_gate)
        expect_equal(batch.wait_for(low, "DONE", "EXIT"), "DONE", "the low job")
        expect_equal(batch.wait_for(behind, "DONE", "EXIT"), "DONE", "the job behind it")
        with open(f"{notes}/result", encoding="ascii") as file:
            expect_equal(file.read(), "went on\n", "the low job's result")
    bench.saw("SSUSP with processes in T, both counted, over a restart of mbatchd; then RUN before a waiting job, and its result")


def test_a_lower_queue_uses_the_slots_of_a_stopped_job(bench):
    with BatchCluster(bench, ["n1"], slots=1, queues=QUEUES) as batch:
        high = batch.bsub("sleep 600", "-q", "owners", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        batch.good("bstop", str(high))
        low = batch.bsub("sleep 600", "-o", "/dev/null")
        batch.wait_for(low, "RUN")
        expect_equal(batch.field(high), "USUSP", "the stopped job")
        expect_in("A job of a lower queue uses its slots", re.sub(r"\s+", " ", batch.good("bjobs", "-l", str(high))), "bjobs -l")
        batch.good("bresume", str(high))
        batch.wait_for(high, "RUN")
        expect_equal(batch.field(low), "SSUSP", "the low job")
        expect_in(REASON, re.sub(r"\s+", " ", batch.good("bjobs", "-l", str(low))), "bjobs -l")
        batch.good("bkill", str(high))
        batch.wait_for(low, "RUN")
        batch.good("bkill", str(low))
    bench.saw("a low job runs while the high one is stopped, and stops when it is resumed")


def test_a_job_is_preempted_for_a_licence(bench):
    batch = BatchCluster(bench, ["n1", "n2"], slots=2, queues=QUEUES, params="PREEMPTABLE_RESOURCES = lic")
    batch.resources.append("lic Numeric () N (licences)")
    batch.map.append("lic (1@[all])")
    batch.write_files()
    with batch:
        holder = batch.bsub("sleep 600", "-R", "rusage[lic=1]", "-o", "/dev/null")
        other = batch.bsub("sleep 600", "-o", "/dev/null")
        for job in (holder, other):
            batch.wait_for(job, "RUN")
        high = batch.bsub("sleep 600", "-q", "owners", "-R", "rusage[lic=1]", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        expect_equal((batch.field(holder), batch.field(other)), ("SSUSP", "RUN"), "who holds the licence, and who does not")
        batch.good("bkill", str(high))
        batch.wait_for(holder, "RUN")
        batch.good("bkill", "0")
    bench.saw("the holder of the licence stops though slots are free, and goes on")


def test_a_queue_may_end_what_would_be_preempted(bench):
    with BatchCluster(bench, ["n1"], slots=1, queues=QUEUES) as batch:
        low = batch.bsub("sleep 600", "-q", "brief", "-o", "/dev/null")
        batch.wait_for(low, "RUN")
        high = batch.bsub("true", "-q", "owners", "-o", "/dev/null")
        expect_equal(batch.wait_for(low, "EXIT", "DONE"), "EXIT", "TERMINATE_WHEN = PREEMPT")
        expect_equal(batch.wait_for(high, "DONE", "EXIT"), "DONE", "the high job")
        expect_in("TERM_PREEMPT", batch.good("bhist", "-l", str(low)), "bhist -l")
        expect_in("TERM_PREEMPT", batch.good("bacct", "-l", str(low)), "bacct -l")
    bench.saw("TERM_PREEMPT")


def test_a_parallel_job_takes_two_hosts(bench):
    with BatchCluster(bench, ["n1", "n2"], slots=2, queues=QUEUES) as batch:
        low = [batch.bsub("sleep 600", "-o", "/dev/null") for _ in range(4)]
        for job in low:
            batch.wait_for(job, "RUN")
        much = batch.bsub("true", "-q", "owners", "-n", "5", "-o", "/dev/null")
        wide = batch.bsub("sleep 600", "-q", "owners", "-n", "3", "-o", "/dev/null")
        batch.wait_for(wide, "RUN")
        wait_until(lambda: sorted(batch.field(job) for job in low) == ["RUN", "SSUSP", "SSUSP", "SSUSP"], "three to be stopped", 10)
        expect_equal(batch.field(much), "PEND", "what cannot get enough stops nobody")
        batch.good("bkill", str(wide))
        for job in low:
            batch.wait_for(job, "RUN")
        batch.good("bkill", "0")
    bench.saw("three of four jobs stop, and go on")


if __name__ == "__main__":
    main(hosts=2, patience=10)
