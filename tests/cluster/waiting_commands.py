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
        self.name, self.path = f"{words[0]} on {host}", os.path.join(batch.top, f"waiter.{host}.{words[0]}")
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


if __name__ == "__main__":
    main(hosts=3)
