"""RES is RES and sbatchd in one: lsadmin res*, badmin h* and the status of lsload mean it; jobs go on without it. And a shepherd
that is killed: its job ends within two seconds, with a reason of its own, and runs again only where it may."""

import os
import signal

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import given_seconds_until, wait_until

HOSTS = ("n1", "n2")
PROMISED_SECONDS = 2.0


def load_status(batch, host):
    lines = [line.split() for line in batch.user("lsload").stdout.splitlines()[1:]]
    return next((words[1] for words in lines if words and words[0] == host), "")


def wait_for_status(batch, host, wanted):
    wait_until(lambda: load_status(batch, host) == wanted, lambda: f"lsload to say {wanted} of {host}, it says "
               f"{load_status(batch, host)}\n{batch.logs_text()}", 30)


def lasting_job(bench, batch, host="n2"):
    """Submits a job that ends with 7 when a file is there. Gives its number and that file."""
    notes = bench.fresh_directory()
    job = batch.bsub(f"until [ -e {notes}/go ]; do sleep 0.05; done; exit 7", "-o", "/dev/null", "-m", host)
    batch.wait_for(job, "RUN")
    return job, os.path.join(notes, "go")


def end_of(batch, job, go):
    with open(go, "w", encoding="ascii"):
        pass
    expect_equal(batch.wait_for(job, "DONE", "EXIT"), "EXIT", "the job's end")
    expect_equal(batch.field(job, "exit_code"), "7", "its exit code")


def wait_for_end_of_res(batch, host):
    daemon = batch.daemons.pop(("res", host))
    wait_until(lambda: daemon.poll() is not None, lambda: f"res of {host} to end\n{batch.logs_text()}", 20)
    expect_equal(daemon.returncode, 0, "its exit status")


class StartedByCommand:
    """A res that lsf_daemons has started on a host. It is no child of the test, so the command ends it too."""

    def __init__(self, batch, host, start, stop):
        self.batch, self.host, self.start, self.stop = batch, host, start, stop

    def __enter__(self):
        return self.batch.good(*self.start, host=self.host)

    def __exit__(self, *_):
        self.batch.good(*self.stop, host=self.host)


def expect_nothing_starts_on(batch, host):
    lost = batch.user("lsrun", "-m", host, "true", env=batch.environment(LSB_NTRIES="1"))
    expect_equal((lost.returncode, lost.stdout), (255, ""), "lsrun there")
    expect_equal(len(lost.stderr.strip().splitlines()), 1, f"one line: {lost.stderr}")
    expect(host not in batch.good("lsplace", "-n", "0", "-R", "type==any").split(), "lsplace passes it by")


def test_lsadmin(bench):
    with BatchCluster(bench, HOSTS) as batch:
        for host in HOSTS:
            wait_for_status(batch, host, "ok")
        job, go = lasting_job(bench, batch)
        before = batch.daemon_log_text("res", "n2").count("starts again")
        expect_equal(batch.good("lsadmin", "resrestart", "n2"), "Restart RES on <n2> ...... done\n", "resrestart")
        wait_until(lambda: batch.daemon_log_text("res", "n2").count("starts again") == before + 1, "it to start again")
        wait_until(lambda: "found 1 jobs of this host again" in batch.daemon_log_text("res", "n2"), "it to find the job")
        expect_equal(batch.good("lsadmin", "resdebug", "n2"), "Set the log level of RES on <n2> ...... done\n", "resdebug")
        expect_equal(batch.good("lsadmin", "resdebug", "-o", "n2"), "Set the log level of RES on <n2> ...... done\n", "resdebug -o")
        expect_equal(batch.good("lsadmin", "resshutdown", "n2"), "Shut down RES on <n2> ...... done\n", "resshutdown")
        wait_for_end_of_res(batch, "n2")
        wait_for_status(batch, "n2", "-ok")
        wait_for_status(batch, "n1", "ok")  # the other host
        expect_nothing_starts_on(batch, "n2")
        start, stop = ("lsadmin", "resstartup"), ("lsadmin", "resshutdown")
        with StartedByCommand(batch, "n2", start, stop) as said:
            expect_in("Starting up RES on <n2> ...... ", said, "resstartup")
            expect(said.rstrip().endswith("done"), f"resstartup: {said}")
            wait_for_status(batch, "n2", "ok")
            wait_until(lambda: batch.field(job) == "RUN", lambda: f"the job to be known again: {batch.field(job)}", 30)
            end_of(batch, job, go)
    bench.saw("restarted, ended (-ok, nothing is placed there), started; the job ended with its own code")


def test_badmin(bench):
    with BatchCluster(bench, HOSTS) as batch:
        job, go = lasting_job(bench, batch)
        expect_equal(batch.good("badmin", "hrestart", "n2"), "Restart slave batch daemon on <n2> ...... done\n", "hrestart")
        wait_until(lambda: "starts again" in batch.daemon_log_text("res", "n2"), "it to start again")
        wait_until(lambda: "found 1 jobs of this host again" in batch.daemon_log_text("res", "n2"), "it to find the job")
        expect_equal(batch.good("badmin", "hshutdown", "n2"), "Shut down slave batch daemon on <n2> ...... done\n", "hshutdown")
        wait_for_end_of_res(batch, "n2")
        state = lambda: next(line.split()[1] for line in batch.user("bhosts", "-w").stdout.splitlines() if line.startswith("n2 "))
        wait_until(lambda: state() == "unreach", lambda: f"bhosts to say so: {state()}", 30)
        waits = batch.bsub("true", "-o", "/dev/null", "-m", "n2")
        expect_equal(batch.field(waits), "PEND", "a job for that host")
        start, stop = ("badmin", "hstartup"), ("badmin", "hshutdown")
        with StartedByCommand(batch, "n2", start, stop) as said:
            expect_in("Starting up slave batch daemon on <n2> ...... ", said, "hstartup")
            expect(said.rstrip().endswith("done"), f"hstartup: {said}")
            batch.wait_for(waits, "DONE")
            end_of(batch, job, go)
    bench.saw("restarted, ended (unreach), started; jobs go on and wait")


def test_an_end_right_behind_a_restart_ends_res(bench):
    with BatchCluster(bench, HOSTS) as batch:
        for _ in range(5):
            restarted, ended = batch.good("badmin", "hrestart", "-f", "n2"), batch.good("badmin", "hshutdown", "-f", "n2")
            expect_equal(restarted + ended, "Restart slave batch daemon on <n2> ...... done\n"
                         "Shut down slave batch daemon on <n2> ...... done\n", "what was said")
            wait_for_end_of_res(batch, "n2")
            batch.start_daemon("res", "n2")
        batch.good("lsadmin", "resrestart", "n2")
        batch.good("badmin", "hshutdown", "-f", "n2")
        wait_for_end_of_res(batch, "n2")
    bench.saw("six times, RES has ended")


def used_slots(batch, host):
    return next(line.split()[4] for line in batch.user("bhosts", "-w").stdout.splitlines() if line.startswith(f"{host} "))


def test_bkill_r_frees_the_slots_of_a_job_whose_res_is_away(bench):
    """The job's directory and a user's and queue's limits have room again; RES ends the job when it comes back."""
    with BatchCluster(bench, HOSTS, slots=2) as batch:
        job = batch.bsub("exec sleep 1009", "-n", "4", "-o", "/dev/null", "-m", "n2 n1", "-R", "span[ptile=2]")
        batch.wait_for(job, "RUN")
        first = batch.field(job, "first_host")
        other = next(host for host in HOSTS if host != first)
        batch.kill_daemon("res", first)
        batch.wait_for(job, "UNKWN")
        expect_equal(used_slots(batch, other), "2", "slots that it has on the other host")
        batch.good("bkill", "-r", str(job))
        expect_equal(batch.wait_for(job, "EXIT"), "EXIT", "its end")
        expect_equal((used_slots(batch, first), used_slots(batch, other)), ("0", "0"), "slots that are taken")
        follows = batch.bsub("true", "-n", "2", "-o", "/dev/null", "-m", other)
        batch.wait_for(follows, "DONE")
        batch.start_daemon("res", first)
        there = bench.cluster.host(first)
        wait_until(lambda: not there.processes(lambda p: p.words == ("sleep", "1009")), "the job to be ended on its host", 20)
    bench.saw("both hosts' slots are free at once")


def shepherd_on(bench, host):
    there = bench.cluster.host(host).processes(processes.named("shepherd"))
    inner = [p for p in there if p.parent in {q.pid for q in there}]
    expect_equal(len(inner), 1, f"shepherds below their guard in {there}")
    return inner[0]


def test_a_killed_shepherd_ends_its_job_with_a_reason_of_its_own(bench):
    with BatchCluster(bench, HOSTS) as batch:
        job = batch.bsub("setsid sleep 1007 & exec sleep 1007", "-o", "/dev/null", "-m", "n2")
        batch.wait_for(job, "RUN")
        there = bench.cluster.host("n2")
        ours = lambda: there.processes(lambda p: p.words == ("sleep", "1007"))
        wait_until(lambda: len(ours()) == 2, "both processes of the job")
        processes.send(shepherd_on(bench, "n2").pid, signal.SIGKILL)
        took = given_seconds_until(lambda: not ours(), lambda: f"no process of the job is left: {ours()}", PROMISED_SECONDS)
        expect_equal(batch.wait_for(job, "EXIT", "DONE", "PEND"), "EXIT", "the job")
        text = batch.good("bjobs", "-UF", str(job))
        expect_in("Completed <exit>; the job's processes were lost on its host", text, "why, in bjobs -l")
    bench.saw(f"its processes gone after {took:.2f} s; EXIT, and why")


def test_where_it_may_run_again_it_does(bench):
    with BatchCluster(bench, HOSTS) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(f"echo ran >>{notes}/runs; until [ -e {notes}/go ]; do sleep 0.05; done", "-r", "-o", "/dev/null", "-m", "n2")
        batch.wait_for(job, "RUN")
        runs = lambda: open(f"{notes}/runs", encoding="ascii").read().count("ran") if os.path.exists(f"{notes}/runs") else 0
        wait_until(lambda: runs() == 1, "its first run")
        processes.send(shepherd_on(bench, "n2").pid, signal.SIGKILL)
        wait_until(lambda: runs() == 2, lambda: f"its second run: {batch.user('bjobs', '-l', str(job)).stdout}", 60)
        with open(f"{notes}/go", "w", encoding="ascii"):
            pass
        batch.wait_for(job, "DONE")
        expect_equal(runs(), 2, "runs")
    bench.saw("killed once, ran twice, DONE")


if __name__ == "__main__":
    main(hosts=2, patience=10)
