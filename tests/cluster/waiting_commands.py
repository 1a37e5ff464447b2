"""Commands that wait for jobs outlive an outage of mbatchd's host: they reconnect, say so once, and go on."""

import os
import signal
import subprocess

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.job import open_gate
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

FOUND = 30  # seconds: keepalive finds the cut within 15, and loaded machines are slow


class Waiter:
    """A command that waits, on a host, with what it says in a file."""

    def __init__(self, batch, host, *words):
        self.name, self.path = f"{words[0]} on {host}", os.path.join(batch.bench.fresh_directory(), "said")
        with open(self.path, "wb") as said:
            self.process = batch.bench.cluster.host(host).popen(
                words, env=batch.environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def said(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def wait_for(self, text, seconds=20):
        wait_until(lambda: text in self.said(), lambda: f"{self.name} to say {text!r}: {self.said()}", seconds)

    def expect_exit(self, code):
        wait_until(lambda: self.process.poll() is not None, lambda: f"{self.name} to end: {self.said()}", 30)
        expect_equal(self.process.returncode, code, f"exit of {self.name}: {self.said()}")


def connected(batch, host):
    """Commands of this host that have a connection to mbatchd: lines of ss(8)."""
    port = batch.bench.cluster.host(host).run(["ss", "-Htnp", "state", "established"]).stdout
    return [line for line in port.splitlines() if '"bwait"' in line or '"bsub"' in line]


def test_waiting_commands_reconnect_after_a_silent_cut_and_wait_for_a_frozen_mbatchd(bench):
    """n2 is cut off, and mbatchd frozen meanwhile: n2's commands come again, n3's say nothing and keep waiting."""
    with BatchCluster(bench, ["n1", "n2", "n3"]) as batch:
        gate = os.path.join(bench.fresh_directory(), "gate")
        job = f"while [ ! -e {gate} ]; do sleep 0.1; done; exit 3"
        first = batch.bsub("exit 0", "-H")
        cut = [Waiter(batch, "n2", "bsub", "-K", "-m", "n1", job),
               Waiter(batch, "n2", "bwait", "-w", f"ended({first})")]
        frozen = Waiter(batch, "n3", "bsub", "-K", "-m", "n1", job)
        for waiter in (cut[0], frozen):
            waiter.wait_for("<<Starting on n1>>")
        wait_until(lambda: len(connected(batch, "n2")) == 2, lambda: f"two to wait: {connected(batch, 'n2')}", 10)
        bench.cluster.cut("n2")
        batch.send_daemon("mbatchd", "n1", signal.SIGSTOP)
        try:
            for waiter in cut:
                waiter.wait_for("Please wait ...", FOUND)
        finally:
            batch.send_daemon("mbatchd", "n1", signal.SIGCONT)
            bench.cluster.mend("n2")
        batch.good("bresume", str(first))
        open_gate(gate)
        cut[0].expect_exit(3)
        cut[1].expect_exit(0)
        frozen.expect_exit(3)
        for waiter in cut:
            expect_equal(waiter.said().count("Please wait ..."), 1, f"told once: {waiter.said()}")
            expect("mbatchd" in waiter.said(), f"mbatchd is named: {waiter.said()}")
        expect("Please wait" not in frozen.said(), f"a frozen mbatchd is waited for in silence: {frozen.said()}")
        bench.saw(f"{cut[0].said().splitlines()}")


def test_bpeek_follows_a_job_whose_host_is_lost(bench):
    """LIM and RES of n2 are gone: one job is given up with them, the other is started again on n1. mbatchd tells both readers."""
    with BatchCluster(bench, ["n1", "n2"]) as batch:
        out = os.path.join(bench.fresh_directory(), "out")
        talks = "echo on $(hostname); sleep 1000"
        ended = batch.bsub(talks, "-m", "n2", "-o", f"{out}.1")
        rerun = batch.bsub(talks, "-r", "-m", "n2+1 n1", "-o", f"{out}.2")
        batch.wait_for(ended, "RUN")
        batch.wait_for(rerun, "RUN")
        readers = [Waiter(batch, "n1", "bpeek", "-f", str(job)) for job in (ended, rerun)]
        for reader in readers:
            reader.wait_for("on n2")
        batch.kill("n2")
        batch.kill_daemon("res", "n2")
        for reader in readers:
            reader.wait_for("Please wait ...")
        batch.good("bkill", "-r", str(ended))
        readers[0].wait_for(f"Job <{ended}> : Already finished.")
        readers[0].expect_exit(255)
        readers[1].wait_for(f"Job <{rerun}> was started again on host <n1>", 60)
        readers[1].wait_for("on n1")
        batch.good("bkill", str(rerun))
        readers[1].expect_exit(0)
        batch.start_daemon("res", "n2")  # ends what was given up
        on_n2 = lambda: bench.cluster.host("n2").processes(lambda p: p.words == ("sleep", "1000"))
        wait_until(lambda: not on_n2(), lambda: f"the jobs of n2 to be ended: {on_n2()}", 30)
        bench.saw(f"{readers[1].said().splitlines()}")


def test_bpeek_waits_while_a_lost_job_pends(bench):
    """The only other host is closed when n2 is lost: both jobs pend, and their readers say so. One job is killed there, the other
    is followed once n1 is open."""
    with BatchCluster(bench, ["n1", "n2"]) as batch:
        out = os.path.join(bench.fresh_directory(), "out")
        talks = "echo on $(hostname); sleep 1000"
        job, killed = [batch.bsub(talks, "-r", "-m", "n2+1 n1", "-o", f"{out}.{i}") for i in (1, 2)]
        readers = {}
        for each in (job, killed):
            batch.wait_for(each, "RUN")
            readers[each] = Waiter(batch, "n1", "bpeek", "-f", str(each))
            readers[each].wait_for("on n2")
        batch.good("badmin", "hclose", "n1")
        batch.kill("n2")
        batch.kill_daemon("res", "n2")
        for each, reader in readers.items():
            reader.wait_for(f"Job <{each}> : Not yet started. Please wait ...", 60)
        batch.good("bkill", str(killed))
        readers[killed].wait_for(f"Job <{killed}> : Already finished.")
        readers[killed].expect_exit(255)
        batch.good("badmin", "hopen", "n1")
        reader = readers[job]
        reader.wait_for(f"Job <{job}> was started again on host <n1>", 60)
        reader.wait_for("on n1")
        for each in readers.values():
            expect_equal(each.said().count("Not yet started"), 1, f"told once: {each.said()}")
        batch.good("bkill", str(job))
        reader.expect_exit(0)
        batch.start_daemon("res", "n2")  # ends what was given up
        on_n2 = lambda: bench.cluster.host("n2").processes(lambda p: p.words == ("sleep", "1000"))
        wait_until(lambda: not on_n2(), lambda: f"the jobs of n2 to be ended: {on_n2()}", 30)
        bench.saw(f"{reader.said().splitlines()}")


if __name__ == "__main__":
    main(hosts=3)
