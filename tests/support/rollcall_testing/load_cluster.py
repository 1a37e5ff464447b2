"""LIMs on the hosts of a test cluster: their files, their processes, and what they say.

    cluster = LoadCluster(bench, hosts=["n1", "n2"])      the files of a cluster of those hosts, n1 the first candidate
    cluster.start("n1"); cluster.ask("n1", "identity")    a LIM on n1; what it answers, as the probe prints it

All hosts read one directory (they share files); ports, key and logs are the cluster's own. EXINTERVAL is a second, so
that what takes minutes at a site takes seconds here.
"""

import json
import os
import signal
import subprocess

from rollcall_testing import processes
from rollcall_testing.waiting import wait_until

PORT = 28300  # free, since the hosts have network namespaces of their own

SHARED = """Begin Cluster
ClusterName
{clusters}
End Cluster
Begin HostType
TYPENAME
X86_64
AARCH64
End HostType
Begin HostModel
MODELNAME CPUFACTOR ARCHITECTURE
PC 2.0 ()
FAST 8.0 ()
End HostModel
Begin Resource
RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION
{resources}
End Resource
"""

CLUSTER = """Begin Parameters
EXINTERVAL = {interval}
HOST_INACTIVITY_LIMIT = {patience}
MASTER_INACTIVITY_LIMIT = 1
PROBE_TIMEOUT = 1
ELIM_POLL_INTERVAL = 1
ROLLCALL_ELIM_RESTART_INTERVAL = 1
End Parameters
Begin ClusterAdmins
ADMINISTRATORS = {administrators}
End ClusterAdmins
Begin Host
HOSTNAME model type server RESOURCES
{hosts}
End Host
Begin ResourceMap
RESOURCENAME LOCATION
{map}
End ResourceMap
"""

SCRATCH_ELIM = """#!/bin/sh
# An elim that tells a number of its own host.
while :; do echo "1 scratch {value}"; sleep 1; done
"""


class LoadCluster:
    def __init__(self, bench, hosts, interval=1, patience=3, administrators="root",
                 cluster="test", others=()):
        self.bench, self.names = bench, list(hosts)
        self.cluster, self.clusters = cluster, (cluster, *others)
        self.top = bench.fresh_directory("lsf")
        self.conf, self.logs, self.etc = (os.path.join(self.top, n) for n in ("conf", "log", "etc"))
        for directory in (self.conf, self.logs, self.etc):
            os.mkdir(directory)
        self.interval, self.patience, self.administrators = interval, patience, administrators
        self.resources = ["scratch Numeric 5 N (megabytes of scratch)"]
        self.map = ["scratch [default]"]
        self.models = {}  # of hosts whose model is not to be found out: PC, FAST
        self.types, self.named = {}, {}  # by host: a type that is not found out; static resources, as in column RESOURCES
        self.lims = {}
        self.more_environment = {}  # of the LIMs, and so of their elims; "{host}" is the host's name
        for program in ("lim", "melim"):
            os.symlink(os.path.join(bench.bin, program), os.path.join(self.etc, program))
        self.write_elim("elim.scratch", SCRATCH_ELIM.format(value="47.5"))
        self.write_key()
        self.write_files()

    # --- files

    def write(self, name, text):
        path = os.path.join(self.conf, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def write_elim(self, name, text):
        path = os.path.join(self.etc, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def write_key(self):
        path = os.path.join(self.conf, "cluster.key")
        with open(path, "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(os.urandom(32).hex() + "\n")

    def write_files(self, more_conf=""):
        rows = "\n".join(f"{name} {self.models.get(name, '!')} {self.types.get(name, '!')} 1 ({self.named.get(name, '')})"
                         for name in self.names)
        if "ROLLCALL_JOBDIR=" not in more_conf:  # where a RES of this machine has run LIM would look for it
            more_conf = f"ROLLCALL_JOBDIR={self.top}/jobs\n{more_conf}"
        self.write(
            "lsf.conf",
            f"LSF_LIM_PORT={PORT}\nLSF_LOGDIR={self.logs}\nLSF_SERVERDIR={self.etc}\nLSF_LOG_MASK=LOG_INFO\n"
            f"LSF_CLUSTER_NAME={self.cluster}\n{more_conf}",
        )
        self.write("lsf.shared", SHARED.format(clusters="\n".join(self.clusters), resources="\n".join(self.resources)))
        values = dict(interval=self.interval, patience=self.patience, administrators=self.administrators)
        self.write(f"lsf.cluster.{self.cluster}", CLUSTER.format(hosts=rows, map="\n".join(self.map), **values))

    # --- processes

    def start(self, *names):
        """Starts LIMs and waits until each says that it is ready."""
        for name in names or self.names:
            log = os.open(self.log(name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            ready, told = os.pipe()
            environment = dict(self.bench.cluster.environment, LSF_ENVDIR=self.conf, ROLLCALL_READY_FD=str(told))
            environment.update({key: word.format(host=name) for key, word in self.more_environment.items()})
            words = [os.path.join(self.etc, "lim")]
            host = self.bench.cluster.host(name)
            lim = host.popen(words, env=environment, stderr=log, pass_fds=[told], stdin=subprocess.DEVNULL)
            os.close(log)
            os.close(told)
            with os.fdopen(ready, encoding="utf-8") as file:
                line = file.readline()
            if line != "ready\n":
                raise AssertionError(f"lim on {name} said {line!r}\n{self.log_text(name)}")
            self.lims[name] = lim

    def log(self, name):
        return os.path.join(self.logs, f"lim.log.{name}")

    def log_text(self, name):
        with open(self.log(name), encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

    def send(self, name, number):
        processes.send(self.lims[name].pid, number)

    def kill(self, name):
        """Kills the LIM, as a crash does. Its MELIM sees the end of the socketpair."""
        self.send(name, signal.SIGKILL)
        self.lims.pop(name).wait()

    def stop_all(self):
        for name in list(self.lims):
            self.send(name, signal.SIGCONT)
            self.send(name, signal.SIGTERM)
        for name in list(self.lims):
            try:
                self.lims[name].wait(60)
            except subprocess.TimeoutExpired:
                raise AssertionError(f"lim on {name} did not end on TERM\n{self.log_text(name)}") from None
            del self.lims[name]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for name in list(self.lims):
            self.send(name, signal.SIGCONT)
        if kind is None:
            self.stop_all()
        for lim in self.lims.values():
            lim.kill()
            lim.wait()

    # --- what they say

    def command(self, name, *words, seconds=60):
        """The completed command on that host, as a user would type it."""
        environment = dict(self.bench.cluster.environment, LSF_ENVDIR=self.conf)
        line = [os.path.join(self.bench.bin, words[0]), *words[1:]]
        return self.bench.cluster.host(name).run(line, timeout=seconds, env=environment, stdin=subprocess.DEVNULL)

    def loads(self, name):
        """What `lsload -l -json` says on that host, {host: record}; {} where it fails."""
        done = self.command(name, "lsload", "-l", "-json")
        return {r["HOST_NAME"]: r for r in json.loads(done.stdout)["RECORDS"]} if done.returncode == 0 else {}

    def ask(self, name, *words, seconds=5):
        """What the LIM of that host answers; None where there is no answer."""
        key = os.path.join(self.conf, "cluster.key")
        probe = os.path.join(self.bench.build, "tests", "programs", "lim_probe")
        host = self.bench.cluster.host(name)
        line = [probe, "--at", f"127.0.0.1:{PORT}", "--key", key, "--seconds", str(seconds), *words]
        done = host.run(line, timeout=seconds + 25)
        return json.loads(done.stdout) if done.stdout else None

    def master_by(self, name):
        answer = self.ask(name, "identity", seconds=2)
        return answer.get("master") if answer else None

    def status(self, master):
        """{host: status} as that master tells; {} where it is none."""
        answer = self.ask(master, "load") or {}
        return {host: load["status"] for host, load in answer.get("hosts", {}).items()}

    def wait_for_master(self, master, names=None, seconds=30):
        """Waits until all those LIMs follow `master`, and it hears of them."""
        names = list(names or self.lims)

        def told():
            found = {name: self.master_by(name) for name in names}
            return f"all of {names} to follow {master}: {found}\n" + "\n".join(
                f"--- {n}\n{self.log_text(n)[-1500:]}" for n in names
            )

        wait_until(lambda: all(self.master_by(n) == master for n in names), told, seconds)
        wait_until(
            lambda: all(self.status(master).get(n) == "ok" for n in names),
            lambda: f"{master} to hear of {names}: {self.status(master)}\n{self.log_text(master)[-3000:]}",
            seconds,
        )
