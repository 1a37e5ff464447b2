"""What goes wrong with the daemons and hosts of a batch system, one thing after another, drawn from a seed.

    faults = Faults(bench, batch, random.Random(seed))
    faults.one()             something breaks, lasts for a moment, and is mended again; faults.done names it

Every daemon is killed, stopped for a moment, and started again as its administrator does it; hosts are cut off; disks are
full; mbatchd comes back with a clock that an hour was added to. Sleeps here are the length of a fault, no waits.
"""

import os
import signal
import struct
import subprocess
import time

from rollcall_testing import processes
from rollcall_testing.waiting import wait_until

HOUR = 3600
STORE_SIZE, SPOOL_SIZE = "96m", "24m"


class Faults:
    def __init__(self, bench, batch, draw):
        self.bench, self.batch, self.draw = bench, batch, draw
        self.done = []
        self.head, self.last = batch.names[0], batch.names[-1]
        self.clock = os.path.join(batch.top, "clock")
        self.library = os.path.join(bench.build, "tests", "programs", "libstepped_clock.so")
        self.disks = set()

    def give_disks(self):
        """Before the daemons start: disks of their own for mbatchd's store and for the jobs of one host, which can be filled."""
        for host, path, size in ((self.head, self.batch.work, STORE_SIZE), (self.last, self.batch.spool, SPOOL_SIZE)):
            words = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", path]
            mounted = self.bench.cluster.host(host).run(words)
            if mounted.returncode != 0:
                raise AssertionError(f"{' '.join(words)} on {host}: {mounted.stderr}")
            self.disks.add((host, path))

    def one(self):
        what, host = self.draw.choice(self.choices())
        self.done.append(f"{what.__name__} {host}")
        what(host)

    def choices(self):
        head = self.head
        rows = [(self.kill_mbatchd, head), (self.stop_mbatchd, head), (self.restart_mbatchd, head)] * 3
        rows += [(self.fill_store, head), (self.fill_spool, self.last)] if self.disks else []
        rows += [(self.kill_mbatchd_an_hour_on, head)] if os.path.exists(self.library) else []
        for host in self.batch.names:
            rows += [(self.kill_res, host), (self.stop_res, host), (self.restart_res, host), (self.kill_lim, host),
                     (self.stop_lim, host), (self.kill_melim, host), (self.stop_melim, host), (self.cut, host)]
        return rows

    def last_for(self, most):
        time.sleep(self.draw.uniform(0.05, most))

    # --- daemons

    def again(self, program, host):
        self.batch.kill_daemon(program, host)
        self.batch.start_daemon(program, host)

    def stopped(self, program, host):
        self.batch.send_daemon(program, host, signal.SIGSTOP)
        self.last_for(1)
        self.batch.send_daemon(program, host, signal.SIGCONT)

    def restarted(self, program, host):
        """As its administrator does it: it ends in order, and the next one starts."""
        self.batch.send_daemon(program, host, signal.SIGTERM)
        daemon = self.batch.daemons.pop((program, host))
        try:
            daemon.wait(120)
        except subprocess.TimeoutExpired:
            self.batch.daemons[program, host] = daemon
            raise AssertionError(f"{program} on {host} did not end on TERM\n{self.batch.daemon_log_text(program, host)}") from None
        self.batch.start_daemon(program, host)

    def kill_mbatchd(self, host):
        self.again("mbatchd", host)

    def stop_mbatchd(self, host):
        self.stopped("mbatchd", host)

    def restart_mbatchd(self, host):
        self.restarted("mbatchd", host)

    def kill_mbatchd_an_hour_on(self, host):
        """The next mbatchd has a clock one hour ahead; the one after it has the machine's again."""
        with open(os.open(self.clock, os.O_WRONLY | os.O_CREAT, 0o644), "wb", buffering=0) as file:
            file.write(struct.pack("=q", HOUR))
        before = self.batch.more_environment
        self.batch.kill_daemon("mbatchd", host)
        self.batch.more_environment = dict(before, LD_PRELOAD=self.library, STEPPED_CLOCK=self.clock)
        try:
            self.batch.start_daemon("mbatchd", host)
        finally:
            self.batch.more_environment = before

    def kill_res(self, host):
        self.again("res", host)

    def stop_res(self, host):
        self.stopped("res", host)

    def restart_res(self, host):
        self.restarted("res", host)

    def kill_lim(self, host):
        self.batch.kill(host)
        self.batch.start(host)

    def stop_lim(self, host):
        self.batch.send(host, signal.SIGSTOP)
        self.last_for(1)
        self.batch.send(host, signal.SIGCONT)

    def melims(self, host):
        return self.bench.cluster.host(host).processes(processes.named("melim"))

    def kill_melim(self, host):
        for process in self.melims(host):
            processes.send(process.pid, signal.SIGKILL)

    def stop_melim(self, host):
        found = self.melims(host)
        for process in found:
            processes.send(process.pid, signal.SIGSTOP)
        self.last_for(0.5)
        for process in found:
            processes.send(process.pid, signal.SIGCONT)

    # --- hosts and disks

    def cut(self, host):
        self.bench.cluster.cut(host)
        self.last_for(1.5)
        self.bench.cluster.mend(host)

    def filled(self, host, path):
        filler = os.path.join(path, "filler")
        at = self.bench.cluster.host(host)
        full = at.run(["sh", "-c", 'cat /dev/zero >"$1"', "fill", filler])
        if "No space left" not in full.stderr:
            raise AssertionError(f"{filler} on {host}: {full}")
        self.last_for(1)
        at.run(["rm", "-f", filler])

    def fill_store(self, host):
        self.filled(host, self.batch.work)

    def fill_spool(self, host):
        self.filled(host, self.batch.spool)

    def power_off(self, host):
        """Everything on the host ends at one instant; what was not synced is lost."""
        at = self.bench.cluster.host(host)
        frozen = {}
        while True:  # a stopped process starts no other: when no new process is found, all of them are known
            # Nor does a process that waits in vfork() for a child that was stopped before exec: it stays in state D.
            new = [p for p in at.processes() if p.pid not in frozen or p.state not in "TtD"]
            if not new:
                break
            for process in sorted(new, key=lambda p: p.pid):
                processes.send(process.pid, signal.SIGSTOP)
                frozen[process.pid] = process
        for pid in frozen:
            processes.send(pid, signal.SIGKILL)
        for program, name in [key for key in self.batch.daemons if key[1] == host]:
            self.batch.daemons.pop((program, name)).wait()
        if host in self.batch.lims:
            self.batch.lims.pop(host).wait()
        wait_until(lambda: not self.killed(at.processes()), lambda: f"{host} to be silent: {at.processes()}", 30)
        self.done.append(f"power_off {host}")

    @staticmethod
    def killed(found):
        """Kills these again, since a process in state D may still have had a child; gives those that were found."""
        for process in found:
            processes.send(process.pid, signal.SIGKILL)
        return found

    def power_on(self, host, boot):
        """Its kernel has started anew: `boot` is what names that start."""
        path = os.path.join(self.batch.top, f"boot.{host}.{boot}")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"00000000-0000-4000-8000-{boot:012}\n")
        mounted = self.bench.cluster.host(host).run(["mount", "--bind", path, "/proc/sys/kernel/random/boot_id"])
        if mounted.returncode != 0:
            raise AssertionError(f"boot_id of {host}: {mounted.stderr}")
        self.batch.start(host)
        self.batch.start_daemon("res", host)
        if host == self.head:
            self.batch.start_daemon("mbatchd", host)
