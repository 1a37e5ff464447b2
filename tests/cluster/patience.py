"""Parallel jobs outlive a host that is cut off for less than their patience, and end as documented after it.

DJOB_COMMFAIL_ACTION, DJOB_HB_INTERVAL and LSF_RES_ALIVE_TIMEOUT; with real MPI programs of both MPIs, each started by its own
launcher over blaunch, under pam. Tests named `long` are for --only long: cuts of 40 and 120 s.
"""

import os
import signal

from rollcall_testing import processes
from rollcall_testing.batch_cluster import QUEUES, BatchCluster
from rollcall_testing.files import read_if_there
from rollcall_testing.job import open_gate
from rollcall_testing.programs import wait_for_ready
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

HOSTS = ("n1", "n2", "n3")  # mbatchd is on n1; jobs run on n2 and n3, and n3 is cut off
ON_TWO = ("-n", "2", "-m", "n2 n3", "-R", "span[ptile=1]")
SHORT_PATIENCE = 6  # seconds
ACTIONS = QUEUES + """Begin Queue
QUEUE_NAME = kill_tasks
DJOB_COMMFAIL_ACTION = KILL_TASKS
End Queue
Begin Queue
QUEUE_NAME = ignore
DJOB_COMMFAIL_ACTION = "IGNORE_COMMFAIL"
End Queue
"""


class CutJob:
    """A job on n2 and n3 whose tasks wait for a gate; its output, and what is expected of it."""

    def __init__(self, bench, batch, words, *options):
        self.batch, self.notes = batch, bench.fresh_directory()
        self.gate = os.path.join(self.notes, "gate")
        command = words.format(notes=self.notes, gate=self.gate, bench=bench)
        self.number = batch.bsub(command, *ON_TWO, "-o", f"{self.notes}/out", "-e", f"{self.notes}/errors", *options)
        self.name = f"job {self.number} {options}"

    def wait_for_tasks(self):
        wait_for_ready(self.notes, 2, seconds=90)

    def told(self):
        return f"{self.name}: {self.batch.user('bjobs', '-l', str(self.number)).stdout}\n" + "\n".join(
            f"--- {name}\n{read_if_there(os.path.join(self.notes, name))}" for name in ("out", "errors", "blaunch"))

    def expect_runs(self):
        expect(self.batch.field(self.number) not in ("DONE", "EXIT"), self.told())

    def ended(self):
        return self.batch.field(self.number) in ("DONE", "EXIT")

    def expect_end(self, state, seconds=60):
        wait_until(self.ended, self.told, seconds)
        expect_equal(self.batch.field(self.number), state, self.told())

    def go_on(self):
        open_gate(self.gate)


def mpi_job(bench, batch, kind, mpi):
    return CutJob(bench, batch, f"mpirun.lsf {bench.mpi_target(mpi)} {{notes}} waits {{gate}}", "-a", kind)


# Says how its blaunch ended, and goes on.
SCRIPT = ("hostname >{notes}/first; blaunch -z \"$(sort -u $LSB_DJOB_HOSTFILE | xargs)\" 'touch {notes}/ready.$$; "
          "while [ ! -e {gate} ]; do sleep 0.2; done'; echo $? >{notes}/blaunch; "
          "while [ ! -e {gate} ]; do sleep 0.2; done; exit 5")


def pass_time(seconds):
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + seconds, "the time to pass", seconds + 5)


def jobs_of_both_mpis(bench, batch):
    return [mpi_job(bench, batch, "openmpi", "openmpi"), mpi_job(bench, batch, "mpich", "mpich")]


def shepherds(bench, *names):
    return [str(p) for name in names for p in bench.cluster.host(name).processes() if p.name == "shepherd"]


def wait_for_no_shepherd(bench, batch):
    """A host that is away when its job ends is told when it returns; without mbatchd it would keep the job."""
    batch.wait_for_hosts()
    left = lambda: shepherds(bench, *HOSTS)
    wait_until(lambda: not left(), lambda: f"the hosts to give up jobs that are over: {left()}\n{batch.logs_text()}", 30)


def outlive(bench, seconds, more_conf=""):
    with BatchCluster(bench, HOSTS, more_conf=more_conf) as batch:
        jobs = jobs_of_both_mpis(bench, batch)
        script = CutJob(bench, batch, SCRIPT)
        for job in [*jobs, script]:
            job.wait_for_tasks()
        bench.cluster.cut("n3")
        try:
            pass_time(seconds)
        finally:
            bench.cluster.mend("n3")
        for job in [*jobs, script]:
            job.expect_runs()
            job.go_on()
        for job in jobs:
            job.expect_end("DONE", 90)
            expect_in("allreduce 3\n", read_if_there(f"{job.notes}/out"), job.told())
        script.expect_end("EXIT", 90)
        expect_equal(read_if_there(f"{script.notes}/blaunch"), "0\n", script.told())
        wait_for_no_shepherd(bench, batch)
    bench.saw(f"Open MPI, MPICH and a script with blaunch went on after {seconds} s without n3")


def test_short_cut_of_30_seconds_ends_no_job(bench):
    outlive(bench, 30)


def test_long_cut_of_40_seconds_ends_no_job(bench):
    outlive(bench, 40)


def test_long_cut_of_120_seconds_ends_no_job_with_a_longer_patience(bench):
    outlive(bench, 120, "LSF_RES_ALIVE_TIMEOUT=180")


def test_short_host_gives_up_a_job_that_ended_while_its_RES_was_away(bench):
    with BatchCluster(bench, HOSTS) as batch:
        job = CutJob(bench, batch, SCRIPT)
        job.wait_for_tasks()
        other = "n3" if read_if_there(f"{job.notes}/first") == "n2\n" else "n2"
        batch.send_daemon("res", other, signal.SIGSTOP)
        wait_until(lambda: "unreach" in batch.user("bhosts", "-w", other).stdout, f"mbatchd to miss RES of {other}", 60)
        job.go_on()
        job.expect_end("EXIT")
        expect(shepherds(bench, other), f"{other} holds the job still: nobody could tell it to give it up")
        batch.send_daemon("res", other, signal.SIGCONT)
        wait_for_no_shepherd(bench, batch)
    bench.saw("it was told when it was back")


# Its tasks begin when the gate opens.
LATER = ("hostname >{notes}/first; while [ ! -e {gate} ]; do sleep 0.2; done; "
         "blaunch -z \"$(sort -u $LSB_DJOB_HOSTFILE | xargs)\" 'echo task >>{notes}/tasks'; echo $? >{notes}/blaunch; exit 5")


def job_without_RES(bench, batch):
    """A job on two hosts; RES of the second one is killed before the tasks begin. Gives the job and that host."""
    job = CutJob(bench, batch, LATER)
    first = wait_until(lambda: read_if_there(f"{job.notes}/first").strip(), job.told, 60)
    other = "n3" if first == "n2" else "n2"
    batch.kill_daemon("res", other)
    job.go_on()
    return job, other


def test_short_blaunch_waits_for_a_RES_that_is_away_and_ends_the_job_where_it_stays_away(bench):
    with BatchCluster(bench, HOSTS, more_conf="LSF_RES_ALIVE_TIMEOUT=9") as batch:
        job, other = job_without_RES(bench, batch)
        pass_time(6)
        batch.start_daemon("res", other)
        job.expect_end("EXIT")
        expect_equal(batch.field(job.number, "exit_code"), "5", job.told())
        expect_equal(read_if_there(f"{job.notes}/tasks"), "task\ntask\n", job.told())
        batch.wait_for_hosts()
        job, other = job_without_RES(bench, batch)
        job.expect_end("EXIT")
        expect_in("DJOB_COMMFAIL_ACTION", read_if_there(f"{job.notes}/errors"), job.told())
        expect_equal(read_if_there(f"{job.notes}/tasks"), "", job.told())
        batch.start_daemon("res", other)
        wait_for_no_shepherd(bench, batch)
    bench.saw("the tasks began when RES was back; the job ended where it was away for longer than LSF_RES_ALIVE_TIMEOUT")


def lose_for_good(bench, batch, patience):
    """n3 is cut off until the patience of every job but `ignore` is over."""
    jobs = jobs_of_both_mpis(bench, batch)
    ends = CutJob(bench, batch, SCRIPT)
    kills = CutJob(bench, batch, SCRIPT, "-q", "kill_tasks")
    ignores = CutJob(bench, batch, SCRIPT, "-q", "ignore")
    for job in [*jobs, ends, kills, ignores]:
        job.wait_for_tasks()
    bench.cluster.cut("n3")
    try:
        wait_until(lambda: "DJOB_COMMFAIL_ACTION" in read_if_there(f"{ends.notes}/errors"), ends.told, patience + 60)
        wait_until(lambda: read_if_there(f"{kills.notes}/blaunch"), kills.told, patience + 60)
        here = bench.cluster.host("n3" if read_if_there(f"{kills.notes}/first") == "n2\n" else "n2")
        waits = lambda: [p for p in here.processes() if kills.gate in " ".join(p.words)]
        wait_until(lambda: not waits(), lambda: f"the tasks of the lost host to be ended: {waits()}", patience + 60)
    finally:
        bench.cluster.mend("n3")
    for job in [*jobs, ends]:
        job.expect_end("EXIT", 90)
    expect_equal(read_if_there(f"{kills.notes}/blaunch"), "255\n", kills.told())
    for job in (kills, ignores):
        job.expect_runs()
        job.go_on()
        job.expect_end("EXIT")
        expect_equal(batch.field(job.number, "exit_code"), "5", job.told())
    expect_equal(read_if_there(f"{ignores.notes}/blaunch"), "0\n", ignores.told())
    wait_for_no_shepherd(bench, batch)
    bench.saw("by default the jobs ended; KILL_TASKS ended the tasks alone; IGNORE_COMMFAIL waited")


def test_short_loss_of_a_host_brings_the_documented_action(bench):
    with BatchCluster(bench, HOSTS, slots=8, queues=ACTIONS, more_conf=f"LSF_RES_ALIVE_TIMEOUT={SHORT_PATIENCE}") as batch:
        lose_for_good(bench, batch, SHORT_PATIENCE)


def test_long_cut_of_120_seconds_brings_the_documented_action(bench):
    with BatchCluster(bench, HOSTS, slots=8, queues=ACTIONS) as batch:
        lose_for_good(bench, batch, 60)


if __name__ == "__main__":
    main(hosts=3)
