"""Faults of hosts and networks that last from begin() to end(), for tests that do things before, during and after one.

    fault = fault_by_name("half_open_in", bench, batch, "n3")
    fault.begin(); ...; fault.end()

`fault.told(host)` is true once bhosts on that host tells the trouble, and at once where there is nothing to tell. A disk that can
be filled is there only where `give_disk` was called before the daemons start.
"""

import glob
import os
import random
import signal

from rollcall_testing import processes
from rollcall_testing.faults import Faults

DISK = "24m"


def give_disk(bench, batch, host):
    """RES of this host keeps jobs on a disk of its own. The host's mounts are its own: others do not see it."""
    path = os.path.join(batch.spool, host)
    os.makedirs(path, exist_ok=True)
    mounted = bench.cluster.host(host).run(["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=755", "none", path])
    if mounted.returncode != 0:
        raise AssertionError(f"a disk for {path} on {host}: {mounted.stderr}")


class Fault:
    """What is common: the host that fails, and how to reach its parts."""

    loses_jobs = False  # jobs that ran there are gone with it
    hits_mbatchd = True  # on mbatchd's host this fault takes bhosts' answers away
    reasons = ("unreach", "unavail")  # in `bhosts HOST`: RES or LIM is missed first

    def __init__(self, bench, batch, host):
        self.bench, self.batch, self.host = bench, batch, host
        self.at = bench.cluster.host(host)

    def told(self, asking):
        """Whether a command on the host `asking` tells the trouble."""
        if not self.reasons or (self.hits_mbatchd and self.host == self.batch.names[0]):
            return True
        said = self.batch.user("bhosts", "-w", self.host, host=asking).stdout
        return any(reason in said for reason in self.reasons)

    def root(self, *words):
        done = self.at.run(list(words))
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)} on {self.host}: {done.stderr}")


class FrozenRes(Fault):
    hits_mbatchd = False

    def begin(self):
        self.batch.send_daemon("res", self.host, signal.SIGSTOP)

    def end(self):
        self.batch.send_daemon("res", self.host, signal.SIGCONT)


class FrozenMbatchd(Fault):
    reasons = ()  # without mbatchd bhosts cannot tell it

    def begin(self):
        self.batch.send_daemon("mbatchd", self.batch.names[0], signal.SIGSTOP)

    def end(self):
        self.batch.send_daemon("mbatchd", self.batch.names[0], signal.SIGCONT)


class FrozenHost(Fault):
    """Every process of the host stands still; its kernel answers, as that of a host that swaps does."""

    def begin(self):
        self.frozen = {}
        while True:  # a process that was not stopped yet may have started another one
            new = [p for p in self.at.processes() if p.pid not in self.frozen]
            if not new:
                return
            for process in new:
                processes.send(process.pid, signal.SIGSTOP)
                self.frozen[process.pid] = process

    def end(self):
        for pid in self.frozen:
            processes.send(pid, signal.SIGCONT)


class Filtered(Fault):
    """Rules of iptables drop packets silently."""

    rules = ()

    def begin(self):
        for rule in self.rules:
            self.root("iptables", "-A", *rule, "-j", "DROP")

    def end(self):
        for rule in self.rules:
            self.root("iptables", "-D", *rule, "-j", "DROP")


class HalfOpenIn(Filtered):
    rules = (("INPUT", "-i", "eth0"),)


class HalfOpenOut(Filtered):
    rules = (("OUTPUT", "-o", "eth0"),)


class Cut(Filtered):
    rules = HalfOpenIn.rules + HalfOpenOut.rules


class Loss(Filtered):
    reasons = ()
    rules = (("INPUT", "-i", "eth0", "-m", "statistic", "--mode", "random", "--probability", "0.3"),)


class LargePacketsLost(Filtered):
    """A path with a small MTU whose routers do not say so."""

    reasons = ()
    rules = (("INPUT", "-i", "eth0", "-m", "length", "--length", "1000:65535"),
             ("OUTPUT", "-o", "eth0", "-m", "length", "--length", "1000:65535"))


class SlowLink(Fault):
    reasons = ()

    def begin(self):
        self.root("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "256kbit", "burst", "16kbit", "latency", "400ms")

    def end(self):
        self.root("tc", "qdisc", "del", "dev", "eth0", "root")


class FullDisk(Fault):
    """The disk on which RES of that host keeps jobs; see give_disk."""

    filler = property(lambda self: os.path.join(self.batch.spool, self.host, "filler"))

    def begin(self):
        full = self.at.run(["sh", "-c", 'cat /dev/zero >"$1"', "fill", self.filler])
        if "No space left" not in full.stderr:
            raise AssertionError(f"{self.filler} on {self.host}: {full}")

    def told(self, asking):
        return "No space left" in self.batch.user("bhosts", "-l", self.host, host=asking).stdout

    def end(self):
        self.root("rm", "-f", self.filler)


class PowerOff(Fault):
    """All processes of the host end at one instant; it comes back with another boot, without its spool and cgroups."""

    loses_jobs = True
    boots = 0

    def begin(self):
        self.faults = Faults(self.bench, self.batch, random.Random(0))
        self.faults.power_off(self.host)

    def end(self):
        PowerOff.boots += 1
        spool = os.path.join(self.batch.spool, self.host)
        self.root("sh", "-c", 'rm -rf "$1"/* "$1"/.[!.]*', "wipe", spool)
        for folder in self.empty_cgroups():
            os.rmdir(folder)
        self.faults.power_on(self.host, PowerOff.boots)
        # RES has read it. Ranks on hosts with different boots talk over TCP by UCX, and MPICH 4.0.2 then hangs in MPI_Finalize now
        # and then: one rank waits in PMI's barrier and no longer answers the other one.
        self.root("umount", "/proc/sys/kernel/random/boot_id")

    def empty_cgroups(self):
        """RES's own on that host, innermost first: its name is made of the job directory (common/io/cgroup_slots.cpp)."""
        number = 2166136261
        for byte in os.path.join(self.batch.spool, self.host).encode():
            number = (number ^ byte) * 16777619 & 0xFFFFFFFF
        tops = glob.glob(f"/sys/fs/cgroup/**/rollcall-res-{number:08x}", recursive=True)
        return [folder for top in tops for folder in [*glob.glob(f"{top}/slot-*"), top]]


FAULTS = {
    "frozen_res": FrozenRes,
    "frozen_mbatchd": FrozenMbatchd,
    "frozen_host": FrozenHost,
    "half_open_in": HalfOpenIn,
    "half_open_out": HalfOpenOut,
    "cut": Cut,
    "loss": Loss,
    "large_packets_lost": LargePacketsLost,
    "slow_link": SlowLink,
    "full_disk": FullDisk,
    "power_off": PowerOff,
}


def fault_by_name(name, bench, batch, host):
    return FAULTS[name](bench, batch, host)
