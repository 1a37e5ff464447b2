"""Slurm on a cluster's hosts: munged on a private socket, slurmctld on the first host, slurmd on every one.

All its files are in the scratch directory, its ports are those of the hosts' own network, and its daemons end with the
shelter. Nothing of Slurm is set up for pam: srun is a launcher like any other.
"""

import os
import pwd
import secrets
import shutil
import subprocess

from rollcall_testing import processes, shelter
from rollcall_testing.runner import Skip
from rollcall_testing.waiting import wait_until

DAEMONS = ("munged", "slurmctld", "slurmscriptd", "slurmd")

SLURM_CONF = """\
ClusterName=rollcall
SlurmctldHost={head}({address})
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool.%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=DEFAULT CPUs=16
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


class Slurm:
    """A context manager. Raises Skip where a daemon is not installed."""

    def __init__(self, bench):
        needed = {"slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client", "munged": "munge"}
        for program, package in needed.items():
            if not shutil.which(program, path="/usr/sbin:/usr/bin"):
                raise Skip(f"{program} is not installed (Debian package {package})")
        if not shelter.users_are_the_machines():
            raise Skip("Slurm's daemons want to be root, and not only of a user namespace")
        self.bench, self.cluster = bench, bench.cluster
        self.directory = bench.fresh_directory("slurm")
        self.daemons = []
        self.environment = {"SLURM_CONF": os.path.join(self.directory, "slurm.conf")}

    def __enter__(self):
        try:
            return self._start_all()
        except BaseException:
            self.__exit__()
            raise

    def _start_all(self):
        self.cluster.fixtures = processes.named(*DAEMONS)
        self._configure()
        self._start_munged()
        self._start(self.cluster.head, ["slurmctld", "-D", "-c"])
        for host in self.cluster.hosts:
            self._start(host, ["slurmd", "-D", "-N", host.name])
        wait_until(self.idle, lambda: f"all nodes idle; {self.states()}", 30)
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.kill()
            daemon.wait()
        for process in self._left():
            processes.send(process.pid, 9)
        wait_until(lambda: not self._left(), lambda: f"Slurm's processes to end: {self._left()}", 20)
        self.cluster.fixtures = processes.named()

    @staticmethod
    def _left():
        """Of Slurm's processes, also those that it has put in the background."""
        return [p for p in processes.tree_below(os.getppid()) if processes.named("slurmstepd", *DAEMONS)(p)]

    def _configure(self):
        head, user = self.cluster.head, pwd.getpwuid(os.geteuid()).pw_name
        nodes = "\n".join(f"NodeName={h.name} NodeAddr={h.address} NodeHostname={h.name}" for h in self.cluster.hosts)
        os.mkdir(os.path.join(self.directory, "state"))
        values = {"head": head.name, "address": head.address, "user": user, "directory": self.directory, "nodes": nodes}
        self._write("slurm.conf", SLURM_CONF.format(**values))
        self._write("cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")

    def _write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="ascii") as file:
            file.write(text)

    def _start_munged(self):
        key = os.path.join(self.directory, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(secrets.token_bytes(128))
        there = {n: os.path.join(self.directory, f"munge.{n}") for n in ("socket", "pid", "log", "seed")}
        self._start(
            self.cluster.head,
            ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={there['socket']}"]
            + [f"--pid-file={there['pid']}", f"--log-file={there['log']}", f"--seed-file={there['seed']}"],
        )
        wait_until(lambda: os.path.exists(there["socket"]), "munged's socket", 10)

    def _start(self, host, words):
        log = open(os.path.join(self.directory, f"{words[0]}.{host.name}.out"), "wb")
        environment = dict(self.cluster.environment, **self.environment)
        self.daemons.append(host.popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        log.close()

    def _ask(self, *words):
        return self.cluster.head.run(words, env=dict(self.cluster.environment, **self.environment)).stdout

    def states(self):
        return self._ask("sinfo", "-h", "-N", "-o", "%N %T")

    def idle(self):
        """True when every node takes a job: after a kill a node stays in `completing` for a while."""
        states = [line.split()[1] for line in self.states().splitlines()]
        return len(states) == len(self.cluster.hosts) and set(states) == {"idle"}

    def wait_until_idle(self):
        """Cancels all jobs first: the srun of a case that failed was killed, and Slurm would keep the nodes for its job."""
        self._ask("scancel", "--quiet", "--user", pwd.getpwuid(os.geteuid()).pw_name)
        wait_until(self.idle, lambda: f"all nodes to be idle again: {self.states()}", 60)
