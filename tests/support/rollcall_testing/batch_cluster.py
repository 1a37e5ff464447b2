"""A batch system on the hosts of a test cluster: LIMs, RES on every host, mbatchd on the first; commands by several users.

    with BatchCluster(bench, ["n1", "n2"]) as batch:         files written, everything started and heard of
        job = batch.bsub("sleep 1", "-n", "2")               its number
        batch.wait_for(job, "DONE")

All hosts share files, so there is one configuration and one spool with a folder for each host. What is killed can be
started again; at the end of the `with` every daemon is stopped, and no process of a job may be left (the runner checks).
"""

import os
import re
import signal
import subprocess

from rollcall_testing import processes
from rollcall_testing.load_cluster import PORT, LoadCluster
from rollcall_testing.waiting import wait_until

MBD_PORT, RES_PORT = PORT + 1, PORT + 2

QUEUES = """Begin Queue
QUEUE_NAME = normal
PRIORITY = 30
DESCRIPTION = For normal low priority jobs
End Queue
Begin Queue
QUEUE_NAME = priority
PRIORITY = 43
RERUNNABLE = no
End Queue
Begin Queue
QUEUE_NAME = rerun
PRIORITY = 20
RERUNNABLE = yes
End Queue
"""

PARAMS = """Begin Parameters
DEFAULT_QUEUE = normal
MBD_SLEEP_TIME = 10
SBD_SLEEP_TIME = 5
JOB_ACCEPT_INTERVAL = 0
JOB_TERMINATE_INTERVAL = 1
{more}
End Parameters
"""

HOSTS = """Begin Host
HOST_NAME MXJ r1m pg ls tmp DISPATCH_WINDOW
default {slots} () () () () ()
End Host
"""

ENDED = ("DONE", "EXIT")


class BatchCluster(LoadCluster):
    def __init__(self, bench, hosts, slots=4, queues=QUEUES, params="", more_conf="", **how):
        self.more_conf = more_conf
        super().__init__(bench, hosts, **how)
        os.chmod(self.top, 0o755)
        self.work, self.spool = os.path.join(self.top, "work"), os.path.join(self.top, "spool")
        for directory in (self.work, self.spool):
            os.mkdir(directory)
        for name in os.listdir(os.path.join(bench.build, "etc")):
            if name.startswith("esub."):
                os.symlink(os.path.join(bench.build, "etc", name), os.path.join(self.etc, name))
        for program in ("res", "mbatchd", "shepherd"):
            os.symlink(os.path.join(bench.bin, program), os.path.join(self.etc, program))
        self.configdir = os.path.join(self.conf, "lsbatch", self.cluster, "configdir")
        os.makedirs(self.configdir)
        self.write_batch("lsb.params", PARAMS.format(more=params))
        self.write_batch("lsb.queues", queues)
        self.write_batch("lsb.hosts", HOSTS.format(slots=slots))
        self.ready = "ok" if slots != 0 else "closed_Full"  # of a host that runs nothing
        self.write_batch("lsb.users", "")
        self.daemons = {}  # (program, host) -> process

    def write_batch(self, name, text):
        with open(os.path.join(self.configdir, name), "w", encoding="utf-8") as file:
            file.write(text)

    def write_files(self, more_conf=""):
        work, spool, tmp = (os.path.join(self.top, name) for name in ("work", "spool", "tmp"))
        if "LSF_TMPDIR=" not in self.more_conf + more_conf:  # output that nobody mails stays with the cluster
            os.makedirs(tmp, exist_ok=True)
            os.chmod(tmp, 0o1777)
            more_conf = f"LSF_TMPDIR={tmp}\n{more_conf}"
        super().write_files(
            f"LSB_SHAREDIR={work}\nROLLCALL_JOBDIR={spool}\nLSF_BINDIR={self.bench.bin}\n"
            f"LSB_MBD_PORT={MBD_PORT}\nLSF_RES_PORT={RES_PORT}\n{self.more_conf}\n{more_conf}"
        )

    # --- daemons

    def start_daemon(self, program, name):
        log = os.open(self.daemon_log(program, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        ready, told = os.pipe()
        environment = dict(self.bench.cluster.environment, LSF_ENVDIR=self.conf, ROLLCALL_READY_FD=str(told))
        environment.update({key: word.format(host=name) for key, word in self.more_environment.items()})
        words = [os.path.join(self.etc, program)]
        host = self.bench.cluster.host(name)
        # A daemon is no child of the test: jobs outlive the one that is killed here.
        daemon = host.popen(words, env=environment, stderr=log, pass_fds=[told], stdin=subprocess.DEVNULL)
        os.close(log)
        os.close(told)
        with os.fdopen(ready, encoding="utf-8") as file:
            line = file.readline()
        if line != "ready\n":
            raise AssertionError(f"{program} on {name} said {line!r}\n{self.daemon_log_text(program, name)}")
        self.daemons[program, name] = daemon

    def daemon_log(self, program, name):
        return os.path.join(self.logs, f"{program}.log.{name}")

    def daemon_log_text(self, program, name, most=4000):
        try:
            with open(self.daemon_log(program, name), encoding="utf-8", errors="replace") as file:
                return file.read()[-most:]
        except FileNotFoundError:
            return "(no log)"

    def logs_text(self):
        return "\n".join(f"--- {p} on {n}\n{self.daemon_log_text(p, n, 1500)}" for p, n in self.daemons)

    def send_daemon(self, program, name, number):
        processes.send(self.daemons[program, name].pid, number)

    def kill_daemon(self, program, name):
        """As a crash."""
        self.send_daemon(program, name, signal.SIGKILL)
        self.daemons.pop((program, name)).wait()

    def start_batch(self):
        self.start()
        self.wait_for_master(self.names[0])
        for name in self.names:
            self.start_daemon("res", name)
        self.start_daemon("mbatchd", self.names[0])
        self.wait_for_hosts()

    def wait_for_hosts(self, names=None, seconds=30):
        def ok():
            states = {w[0]: w[1] for w in (l.split() for l in self.user("bhosts", "-w").stdout.splitlines()[1:]) if w}
            return all(states.get(name) == self.ready for name in names or self.names)

        wait_until(ok, lambda: f"hosts to be ok: {self.user('bhosts', '-w')}\n{self.logs_text()}", seconds)

    def stop_all(self):
        for program in ("mbatchd", "res"):
            for key in [k for k in self.daemons if k[0] == program]:
                daemon = self.daemons[key]
                processes.send(daemon.pid, signal.SIGCONT)
                processes.send(daemon.pid, signal.SIGTERM)
                try:
                    daemon.wait(60)
                except subprocess.TimeoutExpired:
                    raise AssertionError(f"{key} did not end on TERM\n{self.daemon_log_text(*key)}") from None
                del self.daemons[key]
        super().stop_all()

    def __enter__(self):
        self.start_batch()
        return self

    def __exit__(self, kind, *rest):
        try:
            super().__exit__(kind, *rest)
        finally:
            for daemon in self.daemons.values():
                processes.send(daemon.pid, signal.SIGCONT)
                daemon.kill()
                daemon.wait()

    # --- commands

    def environment(self, **more):
        own = dict(self.bench.cluster.environment, LSF_ENVDIR=self.conf)
        for name in ("OMPI_MCA_plm_rsh_agent", "HYDRA_LAUNCHER", "HYDRA_LAUNCHER_EXEC"):
            own.pop(name, None)  # a user of a batch system names no remote shell: blaunch is there
        own["PATH"] = self.bench.bin + ":" + own["PATH"]
        return dict(own, **more)

    def user(self, *words, host=None, as_user=None, timeout=120, env=None, **how):
        """Runs a command as a user on a host; gives what subprocess.run gives."""
        line = list(words)
        if as_user:
            line = ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--init-groups", "--"] + line
        place = self.bench.cluster.host(host or self.names[0])
        return place.run(line, env=env or self.environment(), timeout=timeout, **how)

    def good(self, *words, **how):
        done = self.user(*words, **how)
        if done.returncode != 0:
            raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.logs_text()}")
        return done.stdout

    def bsub(self, command, *options, **how):
        """Submits; gives the job's number."""
        out = self.good("bsub", *options, command, **how)
        found = re.match(r"Job <(\d+)> is submitted to (default )?queue <\w+>\.\n$", out)
        if not found:
            raise AssertionError(f"bsub said {out!r}")
        return int(found.group(1))

    def field(self, job, names="stat"):
        return self.user("bjobs", "-a", "-noheader", "-o", names, str(job)).stdout.strip()

    def wait_for(self, job, *states, seconds=60):
        """Waits until the job has one of these states, and gives it."""

        def reached():
            state = self.field(job)
            return state if state in states else None

        return wait_until(
            reached,
            lambda: f"job {job} to be {states}: {self.user('bjobs', '-l', str(job)).stdout}\n{self.logs_text()}",
            seconds,
        )
