"""What a preempted job's queue does with it, what the books say of it, and what it counts for, on real daemons."""

import os
import re
import shlex

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.job import open_gate
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

QUEUES = """Begin Queue
QUEUE_NAME = normal
PRIORITY = 30
End Queue
Begin Queue
QUEUE_NAME = owners
PRIORITY = 43
PREEMPTION = PREEMPTIVE
End Queue
Begin Queue
QUEUE_NAME = signalled
PRIORITY = 20
JOB_CONTROLS = SUSPEND[SIGTSTP] RESUME[SIGCONT]
End Queue
Begin Queue
QUEUE_NAME = requeued
PRIORITY = 20
JOB_CONTROLS = SUSPEND[brequeue $LSB_JOBID]
End Queue
Begin Queue
QUEUE_NAME = terminated
PRIORITY = 20
TERMINATE_WHEN = PREEMPT
JOB_CONTROLS = TERMINATE[brequeue $LSB_JOBID]
End Queue
"""
REASON = "The job was preempted by a job of a higher priority queue"
WAITS = "until [ -e {} ]; do sleep 0.1; done"
SIGNALS = "trap 'echo stops >>{0}.said' TSTP; trap 'echo goes on >>{0}.said' CONT; echo begins >>{0}.said; " + WAITS.replace("{}", "{0}")


def one_host(bench, **how):
    how.setdefault("queues", QUEUES)
    return BatchCluster(bench, ["n1"], slots=1, **how)


def gates_of(bench, *names):
    place = bench.fresh_directory()
    return [os.path.join(place, name) for name in names]


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def plain(text):
    return re.sub(r"\s+", " ", text)


def records_of(batch, name, job):
    """The records of a job in an event file."""
    path = os.path.join(batch.work, batch.cluster, "logdir", name)
    rows = [shlex.split(line.replace('""', '" "')) for line in lines_of(path) if line.startswith('"')]
    return [row for row in rows if len(row) > 3 and row[3] == str(job)]


def test_a_queue_may_stop_jobs_with_a_signal_of_its_own(bench):
    low_gate, high_gate = gates_of(bench, "low", "high")
    with one_host(bench) as batch:
        low = batch.bsub(SIGNALS.format(low_gate), "-q", "signalled", "-o", "/dev/null")
        wait_until(lambda: lines_of(f"{low_gate}.said") == ["begins"], "the low job to begin", 30)
        high = batch.bsub(WAITS.format(high_gate), "-q", "owners", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        wait_until(lambda: "stops" in lines_of(f"{low_gate}.said"), lambda: f"SIGTSTP: {lines_of(low_gate + '.said')}", 30)
        expect_equal(batch.field(low), "SSUSP", "the low job")
        open_gate(high_gate)
        batch.wait_for(low, "RUN")
        wait_until(lambda: lines_of(f"{low_gate}.said")[-1] == "goes on", lambda: f"SIGCONT: {lines_of(low_gate + '.said')}", 30)
        open_gate(low_gate)
        batch.wait_for(low, "DONE")
        expect_equal(lines_of(f"{low_gate}.said"), ["begins", "stops", "goes on"], "what the job was sent, and one run")
    bench.saw("SIGTSTP and SIGCONT of JOB_CONTROLS, once each")


def runs_again(bench, queue):
    low_gate, high_gate = gates_of(bench, "low", "high")
    with one_host(bench) as batch:
        low = batch.bsub(f"echo run >>{low_gate}.said; " + WAITS.format(low_gate), "-q", queue, "-o", "/dev/null")
        wait_until(lambda: lines_of(f"{low_gate}.said") == ["run"], "the low job to begin", 30)
        high = batch.bsub(WAITS.format(high_gate), "-q", "owners", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        batch.wait_for(low, "PEND")
        open_gate(high_gate)
        batch.wait_for(high, "DONE")
        batch.wait_for(low, "RUN")
        wait_until(lambda: lines_of(f"{low_gate}.said") == ["run", "run"], lambda: f"two runs: {lines_of(low_gate + '.said')}", 30)
        open_gate(low_gate)
        batch.wait_for(low, "DONE")


def test_a_queue_may_requeue_what_would_be_stopped(bench):
    runs_again(bench, "requeued")
    bench.saw("SUSPEND[brequeue]: PEND, then a second run")


def test_a_queue_may_requeue_what_would_be_terminated(bench):
    runs_again(bench, "terminated")
    bench.saw("TERMINATE_WHEN=PREEMPT with TERMINATE[brequeue]: PEND, then a second run")


def test_the_books_have_the_preemption(bench):
    low_gate, high_gate = gates_of(bench, "low", "high")
    with one_host(bench) as batch:
        low = batch.bsub(WAITS.format(low_gate), "-o", "/dev/null")
        batch.wait_for(low, "RUN")
        high = batch.bsub(WAITS.format(high_gate), "-q", "owners", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        wait_until(lambda: int(batch.good("bhist", str(low)).split()[-3]) > 0, lambda: f"SSUSP of bhist: {batch.good('bhist', str(low))}", 30)
        open_gate(high_gate)
        batch.wait_for(low, "RUN")
        open_gate(low_gate)
        batch.wait_for(low, "DONE")
        history = plain(batch.good("bhist", "-l", str(low)))
        expect_in(REASON, history, "bhist -l")
        expect(history.index(REASON) < history.index("Running;") < history.index("Done successfully"), f"it goes on behind that: {history}")
        account = plain(batch.good("bacct", "-l", str(low)))
        expect_in("Status <DONE>", account, "bacct -l")
        expect(REASON not in account, f"bacct -l reads lsb.acct, which has no suspension: {account}")
        states = [row[4] for row in records_of(batch, "lsb.events", low) if row[0] == "JOB_STATUS"]
        expect("16" in states or "8" in states, f"JOB_STATUS of lsb.events has the suspension: {states}")
        wait_until(lambda: len(records_of(batch, "lsb.acct", low)) == 1, "one JOB_FINISH in lsb.acct", 30)
    bench.saw(f"JOB_STATUS {' '.join(states)}")


def test_only_running_jobs_count_for_a_host_and_a_user(bench):
    with BatchCluster(bench, ["n1"], slots=2, queues=QUEUES) as batch:
        batch.write_batch("lsb.users", "Begin User\nUSER_NAME MAX_JOBS\nroot 3\nEnd User\n")
        batch.good("badmin", "reconfig", "-f")
        low = [batch.bsub("sleep 600", "-o", "/dev/null") for _ in range(3)]
        wait_until(lambda: sorted(batch.field(job) for job in low) == ["PEND", "RUN", "RUN"], "two of three to run", 30)
        high = [batch.bsub("sleep 600", "-q", "owners", "-o", "/dev/null") for _ in range(2)]
        for job in high:
            batch.wait_for(job, "RUN")
        wait_until(lambda: sorted(batch.field(job) for job in low) == ["PEND", "SSUSP", "SSUSP"], "both to be stopped", 10)
        expect_equal(batch.good("bhosts", "-noheader", "-o", "status max njobs run ssusp", "n1").split(), ["closed_Full", "2", "4", "2", "2"],
                     "bhosts: MXJ counts those that run, NJOBS all")
        users = batch.good("busers", "root").splitlines()
        row = dict(zip(users[0].split(), users[-1].split()))
        expect_equal((row["MAX"], row["NJOBS"], row["RUN"], row["SSUSP"]), ("3", "5", "2", "2"), "busers")
        for job in high:
            batch.good("bkill", str(job))
        wait_until(lambda: sorted(batch.field(job) for job in low) == ["PEND", "RUN", "RUN"], "the same two to go on", 30)
        batch.good("bkill", "0")
    bench.saw("four jobs on two slots, under MAX_JOBS 3")


def test_a_user_at_max_jobs_preempts_an_own_job_though_slots_are_free(bench):
    with BatchCluster(bench, ["n1"], slots=2, queues=QUEUES) as batch:
        batch.write_batch("lsb.users", "Begin User\nUSER_NAME MAX_JOBS\nroot 1\nEnd User\n")
        batch.good("badmin", "reconfig", "-f")
        low = batch.bsub("sleep 600", "-o", "/dev/null")
        batch.wait_for(low, "RUN")
        high = batch.bsub("sleep 600", "-q", "owners", "-o", "/dev/null")
        batch.wait_for(high, "RUN")
        expect_equal(batch.field(low), "SSUSP", "the low job of the same user")
        expect_equal(batch.good("bhosts", "-noheader", "-o", "max run ssusp", "n1").split(), ["2", "1", "1"], "bhosts: one slot stays free")
        batch.good("bkill", str(high))
        batch.wait_for(low, "RUN")
        batch.good("bkill", "0")
    bench.saw("MAX_JOBS 1 and two slots: SSUSP for the higher job, then RUN again")


def test_jobs_are_left_alone_as_profile_queue_and_params_say(bench):
    """MAX_JOB_PREEMPT: the profile's before the queue's before that of lsb.params."""
    queues = QUEUES + "Begin Queue\nQUEUE_NAME = safe\nPRIORITY = 30\nMAX_JOB_PREEMPT = 0\nEnd Queue\n"
    with one_host(bench, queues=queues, params="MAX_JOB_PREEMPT = 1") as batch:
        batch.write_batch("lsb.applications", "Begin Application\nNAME = yields\nMAX_JOB_PREEMPT = 5\nEnd Application\n")
        batch.good("badmin", "reconfig", "-f")

        def preempted(times, *options):
            """Whether each of so many jobs of the higher queue preempts it."""
            seen = []
            low = batch.bsub("sleep 600", "-o", "/dev/null", *options)
            batch.wait_for(low, "RUN")
            for _ in range(times):
                high = batch.bsub("sleep 600", "-q", "owners", "-o", "/dev/null")
                wait_until(lambda high=high: batch.field(high) == "RUN" or "Not enough job slots" in batch.good("bjobs", "-p", str(high)),
                           lambda high=high: f"job {high} to run or to wait: {batch.good('bjobs', '-p', str(high))}", 30)
                seen.append(batch.field(low) == "SSUSP")
                batch.good("bkill", str(high))
                batch.wait_for(high, "EXIT")
                batch.wait_for(low, "RUN")
            batch.good("bkill", "0")
            batch.wait_for(low, "EXIT")
            return seen

        expect_equal(preempted(2), [True, False], "lsb.params: once")
        expect_equal(preempted(1, "-q", "safe"), [False], "the queue: never")
        expect_equal(preempted(2, "-q", "safe", "-app", "yields"), [True, True], "the profile: more often")
    bench.saw("once, never, twice")


if __name__ == "__main__":
    main(hosts=1, patience=10)
